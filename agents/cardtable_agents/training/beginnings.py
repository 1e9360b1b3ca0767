"""How a learner begins: its precision, its network, untrained or from a policy; and the policy of a network."""

import numpy as np

from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable_agents.network.features import Features, action_features
from cardtable_agents.network.network import Network
from cardtable_agents.network.parameters import Shape, Vector, first_parameters
from cardtable_agents.network.products import BFLOAT16, FLOAT32, faster_precision, has_torch
from cardtable_agents.players.policy import Advice, Policy
from cardtable_agents.training.settings import AUTOMATIC, Settings


def chosen_precision(settings: Settings) -> str:
    """The precision that is asked for, or the faster one on this machine; `AgentError` if it needs a missing PyTorch."""
    if settings.precision == AUTOMATIC:
        return faster_precision(max(settings.layers))
    require_precision(settings.precision)
    return settings.precision


def require_precision(precision: str) -> None:
    """`AgentError` if a precision needs PyTorch, which is not installed."""
    if precision == BFLOAT16 and not has_torch():
        raise AgentError(f"precision={BFLOAT16} needs PyTorch: pip install torch, or choose {FLOAT32}")


def require_same_precision(precision: str) -> None:
    """`AgentError` if a run that has chosen a precision cannot go on with it here."""
    if precision == BFLOAT16 and not has_torch():
        raise AgentError(f"the run has learned with precision={BFLOAT16}, and to go on it needs PyTorch: pip install torch")


def first_network(settings: Settings, game: Game, options: Options) -> Network:
    """The network that a run begins with."""
    features = action_features(game.actions) if settings.shared_actions else Features.none(game.actions.size)
    shape = Shape(
        game.layout.size,
        settings.layers,
        game.actions.size,
        options.num_players,
        features.number,
        advised=settings.advice is not None,
    )
    parameters = first_parameters(shape, settings.seed, settings.trust)
    if settings.start is not None:
        _put_policy(parameters, shape, settings.start_policy())
    return Network(shape, parameters, features)


def _put_policy(parameters: Vector, shape: Shape, policy: Policy) -> None:
    """Let a network begin as a policy of its shape, and with its values if it has as many."""
    names = ["input", *(f"hidden.{number}" for number in range(len(shape.layers) - 1))]
    for name, (weight, bias) in zip(names, policy.layers[:-1], strict=True):
        parameters[f"{name}.weight"][:], parameters[f"{name}.bias"][:] = weight.T, bias
    parameters["action.weight"][:], parameters["action.bias"][:] = policy.layers[-1]
    if policy.advice:
        parameters["trust"][:] = policy.advice.trust
    if policy.value is not None and len(policy.value[1]) == shape.seats:
        parameters["value.weight"][:], parameters["value.bias"][:] = policy.value


def policy_of(network: Network, advice: str | None) -> Policy:
    """The policy of a network, and its values; a copy."""
    given, head = network.parameters, network.head
    names = ["input", *(f"hidden.{number}" for number in range(len(network.shape.layers) - 1))]
    layers = [(np.ascontiguousarray(given[f"{name}.weight"].T), given[f"{name}.bias"].copy()) for name in names]
    layers.append((head.weight.copy(), head.bias.copy()))
    adviser = Advice(advice, float(given["trust"][0])) if advice is not None else None
    return Policy(layers, adviser, (head.value_weight.copy(), head.value_bias.copy()))
