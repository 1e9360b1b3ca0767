"""A network of Stable-Baselines3 as a policy for numpy."""

from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from cardtable.types import Floats
from cardtable_agents.players.policy import Policy


def policy_of(network: MaskableActorCriticPolicy) -> Policy:
    """The network's policy for numpy; a copy. Its value is a network of its own, and no part of the policy."""
    modules = [*network.mlp_extractor.policy_net, network.action_net]
    return Policy([_numbers(layer) for layer in modules if isinstance(layer, nn.Linear)])


def _numbers(layer: nn.Linear) -> tuple[Floats, Floats]:
    return layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()
