"""`LearnerVecEnv`: a Stable-Baselines3 `VecEnv` in which every lane is the stream of decisions of one learning seat."""

import copy
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Wrapper, spaces

from cardtable.envs import not_installed
from cardtable.envs.batch import checked_number
from cardtable.envs.learner import Ended, GivenOpponents, Learner, opponents_of
from cardtable.errors import IllegalAction
from cardtable.game.game import Game
from cardtable.game.registry import game_of
from cardtable.players.pool import Opponents
from cardtable.support.threads import Door, one_at_a_time
from cardtable.types import Actions, Counts, Flags, Floats, Observation, Records

try:
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices
except ModuleNotFoundError as error:
    raise not_installed("sb3", error) from None


class LearnerVecEnv(VecEnv):
    """`num_games` games, in each of which one seat learns and opponents play the others (see `Learner`).

    A step goes from one decision of the learner to its next. Whenever a game ends, whoever made the last move, the learner
    gets its return (`done`), and the lane shows its first decision of the next game.

    `infos` of an ended game hold `terminal_observation`, `episode` (SB3's statistics), `seat`, `returns` and `scores` of all
    seats, `truncated` and `illegal`. `TimeLimit.truncated` is False even for a game that was cut off: it has been scored and
    its return is paid, so nothing is left that SB3 should estimate on top of it.

    Algorithms without masks (PPO, DQN) can learn with `illegal="lose"`: an illegal action loses the game.

    One thread at a time: a call while another thread is in one raises `Busy`. Copies and pickles continue the same games.
    """

    render_mode = None

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        opponents: GivenOpponents = None,
        seed: int | None = None,
        *,
        first: int = 0,
        seat: int | None = None,
        illegal: str = "raise",
        **options: object,
    ) -> None:
        """Opponents are agents or their names, one of which is drawn for each game and seat; none play at random.

        `seat` is where the learner always sits; None moves it on with every game.
        """
        self.game = game_of(game)
        num_games = checked_number(self.game, num_games)
        self.options = self.game.parse_options(options)
        self._learner = Learner(self.game, self.options, num_games, opponents, seed, first=first, seat=seat, illegal=illegal)
        self._chosen: Actions | None = None
        self._start = time.perf_counter()
        self.door = Door()
        observations = spaces.Box(0.0, 1.0, (self.game.layout.size,), np.float32)
        super().__init__(num_games, observations, spaces.Discrete(self.game.actions.size))

    # ---- What Stable-Baselines3 calls

    @one_at_a_time
    def reset(self) -> Observation:
        """Start the first games of the seed; the observations of the learner's first decisions."""
        self._chosen, seed = None, self._seeds[0]
        self._reset_seeds()
        self._start = time.perf_counter()
        self._learner.deal(seed)
        self.reset_infos = [{} for _ in range(self.num_envs)]
        return self._learner.observation

    @one_at_a_time
    def step_async(self, actions: Actions) -> None:
        """Take the learner's actions; one that is not legal raises `IllegalAction`, and no game moves."""
        self._chosen = self._learner.checked(actions)

    @one_at_a_time
    def step_wait(self) -> tuple[Observation, Floats, Flags, list[dict[str, Any]]]:
        """Play them, and the other seats until each lane is at a decision of the learner.

        An error of the opponents leaves the lanes in the midst of a step: `reset` starts them again.
        """
        learner = self._learner
        chosen, self._chosen = self._chosen, None
        if chosen is None:
            self._learner.lanes  # noqa: B018  # before a reset, that is what is missing
            raise IllegalAction(f"{self.game.id}: no actions to play: call step_async(actions) first")
        learner.step(chosen)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        dones = np.zeros(self.num_envs, np.bool_)
        for lane, ended in learner.ended.items():
            infos[lane], dones[lane] = self._info(ended), True
        return learner.observation, learner.rewards.copy(), dones, infos

    def _info(self, ended: Ended) -> dict[str, Any]:
        """What SB3 and others look for in the info of a game that ended."""
        elapsed = round(time.perf_counter() - self._start, 6)
        return {
            "terminal_observation": ended.observation,
            "TimeLimit.truncated": False,
            "truncated": ended.truncated,
            "illegal": ended.illegal,
            "episode": {"r": ended.reward, "l": ended.decisions, "t": elapsed},
            "seat": ended.seat,
            "returns": ended.returns,
            "scores": ended.scores,
        }

    @one_at_a_time
    def action_masks(self) -> Flags:
        """bool (n, A): True where the learner may take the action."""
        return self._learner.lanes.frame.action_mask.astype(np.bool_)

    def close(self) -> None:
        """Let go of what opponents hold."""
        self._learner.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute, the same for each of the lanes asked for."""
        return [getattr(self, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: object, indices: VecEnvIndices = None) -> None:
        """Set an attribute for all lanes."""
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: object, indices: VecEnvIndices = None, **method_kwargs: object
    ) -> list[Any]:
        """What a method returns for all lanes together, as the only entry: MaskablePPO stacks the masks faster so."""
        return [getattr(self, method_name)(*method_args, **method_kwargs)]

    def env_is_wrapped(self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None) -> list[bool]:
        """No lane is wrapped in anything."""
        return [False] * len(self._indices(indices))

    def _indices(self, indices: VecEnvIndices) -> Sequence[int]:
        return list(self._get_indices(indices))

    # ---- The games

    @property
    def opponents(self) -> Opponents:
        """Who plays the other seats."""
        return self._learner.opponents

    @opponents.setter
    def opponents(self, given: GivenOpponents) -> None:
        """Others from now on, given as to the constructor."""
        self._learner.opponents = opponents_of(self.game, self.options, given, self.game_seed)

    @property
    def game_seed(self) -> int:
        """The seed of the deals."""
        return self._learner.seed

    @property
    def first(self) -> int:
        """The number of the first game."""
        return self._learner.first

    @property
    def next_game(self) -> int:
        """The number of the first game that no lane has begun yet, nor any after it."""
        return self._learner.next_game

    @property
    def seats(self) -> Counts:
        """The learner's seat in each lane."""
        self._learner.lanes  # noqa: B018  # there are none before a reset
        return self._learner.seats.copy()

    @one_at_a_time
    def records(self) -> Records:
        """A copy of the records of all games, hidden parts included."""
        return np.array(self._learner.lanes.records)

    # ---- Copies and pickles

    @one_at_a_time
    def __getstate__(self) -> dict[str, Any]:
        """Everything that `__setstate__` does not rebuild; nothing that changes is shared with this environment."""
        kept = {name: value for name, value in vars(self).items() if name != "door"}
        return {**kept, "_learner": copy.copy(self._learner)}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved)
        self.door = Door()
