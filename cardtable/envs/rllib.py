"""RLlib: PPO on our games, with masks: `config("muster", opponents="heuristic").build_algo()`.

One seat of each of many games learns and opponents play the others (`config`); or all seats learn, as agents of RLlib, by one
network (`self_play`). Both return RLlib's own `PPOConfig`, on which everything else can be set.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from cardtable.envs import not_installed
from cardtable.envs.aec import TableEnv
from cardtable.envs.batch import checked_number
from cardtable.envs.gymnasium import LearnerVectorEnv
from cardtable.envs.learner import GivenOpponents
from cardtable.errors import IllegalAction, OptionError, ResetNeeded
from cardtable.game.game import Game
from cardtable.game.registry import game_of
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer
from cardtable.support.threads import Door, one_at_a_time
from cardtable.types import Array, Flags, Floats

try:
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.columns import Columns
    from ray.rllib.core.rl_module.apis import InferenceOnlyAPI, ValueFunctionAPI
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.core.rl_module.torch import TorchRLModule
    from ray.rllib.env.multi_agent_env import MultiAgentEnv
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise not_installed("rllib", error) from None

GAMES, TABLES = 128, 16
"""Games side by side in a runner: against opponents, all in one call; as agents of RLlib, which steps each on its own."""
SHARED = "all_seats"
"""What RLlib calls the network that plays for all seats."""
LAYERS = (256, 256)
"""Units of the hidden layers."""
FORBIDDEN = -1e9
"""The logit of an action that is not legal: finite, so that entropies and divergences are numbers."""
TRAINING = {
    "train_batch_size_per_learner": 8192,
    "minibatch_size": 2048,
    "num_epochs": 4,
    "lr": 5e-4,
    "gamma": 1.0,
    "lambda_": 0.95,
    "entropy_coeff": 0.01,
    "clip_param": 0.2,
    "use_kl_loss": False,
    "grad_clip": 0.5,
}
"""What PPO learns by where nothing else is set: games are paid at their ends, so nothing is discounted."""


# ---- Configurations


def config(
    game: Game | str,
    *,
    opponents: GivenOpponents = None,
    seat: int | None = None,
    games: int = GAMES,
    layers: Sequence[int] = LAYERS,
    **options: object,
) -> PPOConfig:
    """PPO for one seat of a game against opponents, `games` of them side by side in every runner.

    Opponents are agents or their names, one of which is drawn for each game and seat; none play at random. `seat` is where the
    learner always sits; None moves it on with every game. `layers` are the units of the hidden layers of the network.
    """
    game = game_of(game)
    games = checked_number(game, games, "games")
    given = {"game": game.id, "opponents": opponents, "seat": seat, **game.parse_options(options).to_dict()}
    VectorGames({**given, "num_envs": games})  # what is wrong is said here, not by a runner far away
    settings = PPOConfig().environment(VectorGames, env_config=given)
    settings.env_runners(num_envs_per_env_runner=games, gym_env_vectorize_mode="vector_entry_point")
    return _with_network(settings, game, layers)


def self_play(game: Game | str, *, games: int = TABLES, layers: Sequence[int] = LAYERS, **options: object) -> PPOConfig:
    """PPO for all seats of a game at once: each is an agent of RLlib, and the same network plays and learns for all.

    Much slower than `config`: RLlib steps every game on its own.
    """
    game = game_of(game)
    given = {"game": game.id, **game.parse_options(options).to_dict()}
    settings = PPOConfig().environment(MultiAgentTable, env_config=given, disable_env_checking=True)
    settings.env_runners(num_envs_per_env_runner=checked_number(game, games, "games"))
    settings.multi_agent(policies={SHARED}, policy_mapping_fn=_one_for_all)
    return _with_network(settings, game, layers)


def _one_for_all(agent: str, episode: object, **_: object) -> str:
    """The network that plays for an agent."""
    return SHARED


def _with_network(settings: PPOConfig, game: Game, layers: Sequence[int]) -> PPOConfig:
    """Settings with our network, what it learns by, and runners that are replaced when they die."""
    network = RLModuleSpec(module_class=MaskedNetwork, model_config={"game": game.id, "layers": _checked_layers(game, layers)})
    settings.environment(normalize_actions=False)  # ids of actions have no range to be put in, and runners would try with each
    settings.env_runners(num_env_runners=0).rl_module(rl_module_spec=network)
    settings.training(**TRAINING).fault_tolerance(restart_failed_env_runners=True)
    return settings


def _checked_layers(game: Game, given: object) -> list[int]:
    layers = [int(units) for units in given if is_integer(units)] if isinstance(given, Sequence) else []
    if not isinstance(given, Sequence) or isinstance(given, str) or len(layers) < len(given) or min(layers, default=1) < 1:
        raise OptionError(f"{game.id}: layers={shown(given)}: allowed: a list of positive integers")
    return layers


# ---- The network


class MaskedNetwork(TorchRLModule, InferenceOnlyAPI, ValueFunctionAPI):  # type: ignore[misc]  # RLlib has no types here
    """A network for the policy and one for its value: linear layers with rectified linear units between them.

    Illegal actions get no probability. The policy is of the kind that `ppo:PATH` plays, once exported.
    """

    def setup(self) -> None:
        """Make both networks, for the spaces of the environment."""
        inputs, outputs = self.observation_space["observation"].shape[0], int(self.action_space.n)
        layers = self.model_config["layers"]
        self.policy = _network([inputs, *layers, outputs])
        self.value = _network([inputs, *layers, 1])

    def get_non_inference_attributes(self) -> list[str]:
        """What runners do without."""
        return ["value"]

    def _forward(self, batch: Mapping[str, Any], **_: object) -> dict[str, Tensor]:
        """The logit of each action, in play and in learning."""
        seen = batch[Columns.OBS]
        logits: Tensor = self.policy(seen["observation"])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, FORBIDDEN)}

    def compute_values(self, batch: Mapping[str, Any], embeddings: object = None) -> Tensor:
        """(n,): the expected returns."""
        values: Tensor = self.value(batch[Columns.OBS]["observation"])
        return values.squeeze(-1)


def _network(sizes: Sequence[int]) -> nn.Sequential:
    """Linear layers from each size to the next, with rectified linear units between them."""
    modules = [module for inputs, outputs in pairwise(sizes) for module in (nn.Linear(inputs, outputs), nn.ReLU())]
    return nn.Sequential(*modules[:-1])


# ---- Environments


class VectorGames(LearnerVectorEnv):
    """`LearnerVectorEnv` as RLlib's runners use it: made from one dict, with masks in observations.

    A game that is cut off is `terminated`: it has been scored and its return is paid, so nothing is left that RLlib should
    estimate on top of it. A reset with the same seed, or none, goes on to the next games: RLlib resets before every sample
    of whole episodes, with the same seed each time, and would learn from the same deals for ever.
    """

    def __init__(self, context: Mapping[str, Any]) -> None:
        """`game`, `num_envs`, and keywords of `LearnerVectorEnv`."""
        super().__init__(mask="observation", **context)
        self._last_seed: int | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal the first games of a new seed, or else the next games."""
        if seed == self._last_seed:
            seed = None
        elif seed is not None:
            self._last_seed = seed
        return super().reset(seed=seed, options=options)

    def step(self, actions: Any) -> tuple[Any, Floats, Flags, Flags, dict[str, Any]]:  # noqa: ANN401  # an array of integers
        """Play an action of the learner in every game, then the other seats up to its next decision."""
        seen, rewards, terminated, truncated, info = super().step(actions)
        return seen, rewards, terminated | truncated, np.zeros_like(truncated), info


class MultiAgentTable(MultiAgentEnv):  # type: ignore[misc]  # RLlib has no types here
    """One game, in which every seat is an agent of RLlib: `player_0`, `player_1` and so on take turns.

    Observations are dicts of `observation` and `action_mask`, of the agent to act alone. At the end, all agents that have
    acted see the table once more and get their returns. A game that is cut off is terminated, as in `VectorGames`.
    An action that is illegal, or of another agent, raises `IllegalAction` and changes nothing.
    """

    def __init__(self, context: Mapping[str, Any]) -> None:
        """`game`, and options of it."""
        self.aec = TableEnv(**context)
        self.possible_agents = self.agents = list(self.aec.possible_agents)
        self.observation_spaces, self.action_spaces = self.aec.observation_spaces, self.aec.action_spaces
        self._acted: list[str] = []
        self.door = Door()
        super().__init__()

    @one_at_a_time
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal a game as `TableEnv.reset` does: number 0 of a seed, or without one the next of the run."""
        self.aec.reset(seed=seed, options=options)
        self._acted = []
        return self._seen([self.aec.agent_selection]), {}

    @one_at_a_time
    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent to act: observations, rewards, terminated, truncated and infos, by agent."""
        aec, agent = self.aec, self._to_act()
        if set(actions) != {agent}:
            words = f"actions of {', '.join(map(shown, actions)) or 'nobody'}; allowed: one of {agent}, whose turn it is"
            raise IllegalAction(f"{aec.table.game.id}: {words}")
        aec.step(actions[agent])
        self._acted[:] = dict.fromkeys([*self._acted, agent])
        over = bool(aec.table.ending)
        told = self._acted if over else [aec.agent_selection]
        rewards = {each: aec.rewards[each] for each in told}
        infos = {each: dict(aec.infos[each]) for each in told}
        return self._seen(told), rewards, {"__all__": over}, {"__all__": False}, infos

    def _to_act(self) -> str:
        """The agent whose turn it is; `ResetNeeded` if there is none."""
        aec = self.aec
        aec.table.require_dealt()
        if aec.table.ending:
            raise ResetNeeded(f"{aec.table.game.id}: the game is over: call reset() first")
        return aec.agent_selection

    def _seen(self, agents: Sequence[str]) -> dict[str, dict[str, Array]]:
        return {agent: self.aec.observe(agent) for agent in agents}
