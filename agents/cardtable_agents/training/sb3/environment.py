"""What MaskablePPO plays in: the opponents of a run, and clocks around its games."""

from collections.abc import Sequence
from typing import Any

from stable_baselines3.common.vec_env import VecEnv, VecEnvWrapper

from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players.pool import Pool
from cardtable.players.roster import make_agent
from cardtable.types import Actions, Floats, Mask, Observation, Records
from cardtable_agents.players.policy import Policy, SamplingAgent
from cardtable_agents.training.clocks import Clocks
from cardtable_agents.training.settings import SELF, Settings


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


class Timed(VecEnvWrapper):
    """Counts the time of steps, but for what opponents take, as that of the environment."""

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
