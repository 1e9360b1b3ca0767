"""The environment of a run, put together from parts: games against a pool, shaped rewards, advice, and clocks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from cardtable.engine.jit import as_games
from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.pool import Pool
from cardtable.players.roster import make_agent
from cardtable.players.views import make_views
from cardtable.types import Actions, Flags, Floats, Mask, Observation, Records
from cardtable_agents.players.advice import Adviser
from cardtable_agents.players.policy import Policy, SamplingAgent
from cardtable_agents.training.clocks import Clocks
from cardtable_agents.training.settings import SELF, Settings
from cardtable_agents.training.shaping import Potential, ShapedRewards


class TrainingPool:
    """The opponents of a run: agents by name, and past selves of the learner in the places called `self`."""

    def __init__(self, game: Game, options: Options, settings: Settings, clocks: Clocks) -> None:
        names = ["random" if name == SELF else name for name in settings.opponents]  # until there are past selves
        self._pool = Pool(game, options, [make_agent(name, game, options) for name in names], settings.seed)
        self._clocks = clocks
        self.places = [place for place, name in enumerate(settings.opponents) if name == SELF]
        """The places of the pool that past selves have."""
        self.past: Sequence[Policy] = []
        """The policies in these places, the oldest first; none before there is one."""

    def act(self, games: Records, observation: Observation, mask: Mask) -> Actions:
        """A legal action for each game."""
        with self._clocks.time("opponents"):
            return self._pool.act(games, observation, mask)

    def seat(self, past: Sequence[Policy]) -> None:
        """Put past selves into their places, one each; none leaves the places as they are."""
        self.past = list(past)
        for place, policy in zip(self.places if past else [], self.past, strict=True):
            self._pool.members[place] = SamplingAgent(self._pool.game, self._pool.options, policy)

    def add(self, policy: Policy) -> None:
        """Put a policy into the pool in place of the oldest past self; into all such places if it is the first."""
        self.seat([*self.past[1:], policy] if self.past else [policy] * len(self.places))


class AdvisedObservations(VecEnvWrapper):
    """Observations followed by the adviser's score of every action; by zeros at the end of a game, where none is legal."""

    def __init__(self, venv: VecEnv, games: LearnerVecEnv, adviser: Adviser, clocks: Clocks) -> None:
        """`games` is what `venv` is, or wraps."""
        self._actions = games.game.actions.size
        super().__init__(venv, spaces.Box(0.0, 1.0, (games.game.layout.size + self._actions,), np.float32))
        self._games, self._adviser, self._clocks = games, adviser, clocks

    def reset(self) -> Observation:
        """Start the first games."""
        observation = self.venv.reset()
        assert isinstance(observation, np.ndarray)
        self._secret = keys.secret_of(keys.open_salt(f"advice {self._games.game_seed}"))
        return self._advised(observation)

    def step_wait(self) -> tuple[Observation, Floats, Flags, list[dict[str, Any]]]:
        """Step, and ask the adviser."""
        observation, rewards, dones, infos = self.venv.step_wait()
        assert isinstance(observation, np.ndarray)
        for lane in np.flatnonzero(dones):
            infos[lane]["terminal_observation"] = np.pad(infos[lane]["terminal_observation"], (0, self._actions))
        return self._advised(observation), rewards, dones, infos

    def _advised(self, observation: Observation) -> Observation:
        games, mask = self._games, self._games.action_masks().astype(np.int8)
        views = make_views(games.game, games.options, as_games(games.records()), observation, mask, self._secret)
        with self._clocks.time("advice"):
            return self._adviser.seen(views)


class Timed(VecEnvWrapper):
    """Counts the time of steps, but for what opponents and advice take, as that of the environment."""

    def __init__(self, venv: VecEnv, clocks: Clocks) -> None:
        super().__init__(venv)
        self._clocks = clocks

    def reset(self) -> Any:
        """Start the first games."""
        return self.venv.reset()

    def step_wait(self) -> tuple[Any, Observation, Floats, list[dict[str, Any]]]:
        """Step, and count the time."""
        with self._clocks.time("environment"):
            return self.venv.step_wait()


def compose(games: LearnerVecEnv, potential: Potential, adviser: Adviser | None, clocks: Clocks) -> VecEnv:
    """The games with shaped rewards and advice, as far as they are asked for, and timed."""
    env: VecEnv = games
    if potential.weight:
        env = ShapedRewards(env, games, potential)
    if adviser:
        env = AdvisedObservations(env, games, adviser, clocks)
    return Timed(env, clocks)
