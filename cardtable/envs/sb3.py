"""`LearnerVecEnv`: a Stable-Baselines3 `VecEnv` in which every lane is the stream of decisions of one learning seat."""

import time
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from gymnasium import spaces
from stable_baselines3.common.vec_env import VecEnv

from cardtable.engine import loops, rng
from cardtable.engine.jit import as_games
from cardtable.engine.loops import Frame
from cardtable.envs.batch import checked_number
from cardtable.errors import IllegalAction, ResetNeeded
from cardtable.game.game import ACTION, Game, checked_seed
from cardtable.game.record import NOBODY
from cardtable.support.threads import Door, one_at_a_time


class Opponents(Protocol):
    """Who plays the other seats."""

    def act(self, games: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """A legal action for the seat to act in each game: whole numbers in shape (n,).

        `observation` and `mask` are what those seats see. `games` are copies of the records, hidden parts included: who
        looks at them forgets first what the seat cannot know.
        """


def chances(seed: int, *numbers: np.ndarray) -> np.ndarray:
    """A random number in [0, 1) for each row of some columns of whole numbers, the same for the same seed and row."""
    bits = np.full(len(numbers[0]), seed, np.uint64)
    with np.errstate(over="ignore"):
        for column in numbers:
            bits = (bits + column.astype(np.uint64) + np.uint64(1)) * rng.GOLDEN
            bits = (bits ^ (bits >> rng.SHIFT_30)) * rng.MIX_1  # as `rng.mix`, which takes one number
            bits = (bits ^ (bits >> rng.SHIFT_27)) * rng.MIX_2
            bits ^= bits >> rng.SHIFT_31
    return (bits >> np.uint64(11)) * 2.0**-53


class RandomOpponents:
    """Opponents that play uniformly at random among the legal actions, by the game's number and length."""

    def __init__(self, seed: int) -> None:
        self.seed = seed

    def act(self, games: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """A legal action for each game."""
        actions = np.zeros(len(mask), ACTION)
        loops.choose_many(mask, chances(self.seed, games["index"], games["length"]), actions)
        return actions


LEARNER = "the learner"
"""Who chose an action, in messages."""


class LearnerVecEnv(VecEnv):
    """`num_games` games, in each of which one seat learns and opponents play the others.

    A step goes from the learner's decision to its next one: the others play in batch in between, and whenever a game ends,
    by whosever move, the learner is told its return (`done`), and the lane shows its first decision of the next game. Lane i
    plays games i, i + n, i + 2n, … of the seed, counted from `first`; the learner sits one seat further on in each.

    `infos` of an ended game hold `terminal_observation`, `episode` (SB3's statistics), `seat`, `returns` and `scores` of all
    seats, and `truncated`. `TimeLimit.truncated` is False even for a game that was cut off: it has been scored and its
    return is paid, so nothing is left that SB3 should estimate on top of it.

    One thread at a time: a call while another thread is in one raises `Busy`. Copies and pickles go on with the same games.
    """

    render_mode = None

    def __init__(
        self,
        game: Game,
        num_games: int,
        opponents: Opponents | None = None,
        seed: int | None = None,
        *,
        first: int = 0,
        **options: Any,
    ) -> None:
        """Opponents play at random if none are given."""
        num_games = checked_number(game, num_games)
        game.prepare()
        self.game = game
        self.options = game.parse_options(options)
        self.game_seed = checked_seed(seed)
        self.first = checked_seed(first)
        self.opponents = opponents or RandomOpponents(self.game_seed)
        self._scratch = game.new_scratch()
        self._frame = game.new_frame(num_games, self.options.num_players)
        self._room = game.new_frame(num_games, self.options.num_players)
        self._rewards = np.zeros(num_games, np.float32)
        self._dones = np.zeros(num_games, np.bool_)
        self.next_game = self.first
        """The number of the first game that no lane has begun yet, nor any after it."""
        self._ready = False
        self._chosen: np.ndarray | None = None
        self.door = Door()
        super().__init__(num_games, spaces.Box(0.0, 1.0, (game.layout.size,), np.float32), spaces.Discrete(game.actions.size))

    # ---- What Stable-Baselines3 calls

    @one_at_a_time
    def reset(self) -> np.ndarray:
        """Start the first games of the seed; the observations of the learner's first decisions."""
        self._ready, self._chosen = False, None
        if self._seeds[0] is not None:
            self.game_seed = checked_seed(self._seeds[0])
        self._reset_seeds()
        self._start = time.perf_counter()
        self._blank = self.game.blank(self.options, self.game_seed)
        self._games = as_games(np.repeat(self._blank, self.num_envs))
        self._learner = np.arange(self.num_envs) % self.options.num_players
        self.next_game = self.first + self.num_envs
        self._decisions = np.zeros(self.num_envs, np.int64)
        loops.begin_many(self._games, self._blank, np.uint64(self.first), self._frame, self._scratch)
        self._clear()
        self._play_opponents()
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._ready = True
        return self._frame.observation.copy()

    @one_at_a_time
    def step_async(self, actions: np.ndarray) -> None:
        """Take the learner's actions; one that is not legal raises `IllegalAction`, and no game moves."""
        self._require_reset()
        chosen = self._integers(np.asarray(actions), self.num_envs, LEARNER)
        self._refuse(int(loops.first_illegal(chosen, self._frame.action_mask)), np.arange(self.num_envs), chosen, LEARNER)
        self._chosen = chosen

    @one_at_a_time
    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Play them, and the other seats until each lane is at a decision of the learner.

        An error of the opponents leaves the lanes in the midst of a step: `reset` starts them again.
        """
        self._require_reset()
        chosen, self._chosen = self._chosen, None
        if chosen is None:
            raise IllegalAction(f"{self.game.id}: no actions to play: step_async(actions) comes first")
        self._ready = False
        self._clear()
        self._decisions += 1
        self._play(np.arange(self.num_envs), chosen, LEARNER)
        self._play_opponents()
        self._ready = True
        return self._frame.observation.copy(), self._rewards.copy(), self._dones.copy(), self._infos

    def _require_reset(self) -> None:
        if not self._ready:
            raise ResetNeeded(f"{self.game.id}: no games have been dealt, or a step has failed: call reset() first")

    @one_at_a_time
    def action_masks(self) -> np.ndarray:
        """bool (n, A): True where the learner may take the action."""
        self._require_reset()
        return self._frame.action_mask.astype(np.bool_)

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, the same for each of the lanes asked for."""
        return [getattr(self, attr_name)] * len(self._lanes(indices))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute for all lanes."""
        setattr(self, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> list[Any]:
        """What a method returns for all lanes together, as the only entry: MaskablePPO stacks the masks faster so."""
        return [getattr(self, method_name)(*method_args, **method_kwargs)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """No lane is wrapped in anything."""
        return [False] * len(self._lanes(indices))

    def _lanes(self, indices: Any) -> Sequence[int]:
        return list(self._get_indices(indices))

    # ---- Play

    @property
    def seats(self) -> np.ndarray:
        """The learner's seat in each lane."""
        self._require_reset()
        return self._learner.copy()

    def _clear(self) -> None:
        self._rewards[:] = 0
        self._dones[:] = False
        self._infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

    def _play_opponents(self) -> None:
        """Play the other seats until each lane is at a decision of the learner."""
        while True:
            lanes = np.flatnonzero(self._frame.seat != self._learner)
            if not len(lanes):
                return
            games = as_games(self._games[lanes])
            chosen = self.opponents.act(games, self._frame.observation[lanes], self._frame.action_mask[lanes])
            who = type(self.opponents).__name__
            self._play(lanes, self._integers(np.asarray(chosen), len(lanes), who), who)

    def _integers(self, chosen: np.ndarray, number: int, who: str) -> np.ndarray:
        """So many actions, in an array of our own: nobody changes it between the check and the step."""
        if chosen.shape != (number,) or chosen.dtype.kind not in "iu":
            raise IllegalAction(
                f"{self.game.id}: {who} chose actions of shape {chosen.shape} and dtype {chosen.dtype}; "
                f"wanted are whole numbers in shape {(number,)}"
            )
        return chosen.astype(ACTION)

    def _refuse(self, wrong: int, lanes: np.ndarray, actions: np.ndarray, who: str) -> None:
        """Raise `IllegalAction` if one of the actions is wrong."""
        if wrong != NOBODY:
            raise IllegalAction(f"{self.game.id}: lane {lanes[wrong]}: {who} chose {actions[wrong]}, which is not legal")

    def _play(self, lanes: np.ndarray, actions: np.ndarray, who: str) -> None:
        """Play one action in each of some lanes; a lane whose game ends goes on with its next game."""
        games = as_games(self._games[lanes])
        room = Frame(*(buffer[: len(lanes)] for buffer in self._room))
        np.take(self._frame.action_mask, lanes, axis=0, out=room.action_mask, mode="clip")  # unlike "raise", unbuffered
        self._refuse(int(loops.step_many(games, actions, self._blank, room, self._scratch)), lanes, actions, who)
        for place in np.flatnonzero(room.terminated | room.truncated):
            lane, row = int(lanes[place]), slice(place, place + 1)
            number = self._games["index"][lane] + np.uint64(self.num_envs)
            self._tell(lane, int(actions[place]), Frame(*(buffer[row] for buffer in room)))
            self.next_game = max(self.next_game, int(number) + 1)
            loops.begin_many(games[row], self._blank, number, Frame(*(buffer[row] for buffer in room)), self._scratch)
            self._learner[lane] = (self._learner[lane] + 1) % self.options.num_players
        self._games[lanes] = games
        for buffer, played in zip(self._frame, room, strict=True):
            buffer[lanes] = played

    def _tell(self, lane: int, action: int, ended: Frame) -> None:
        """Tell the learner how the lane's game, which an action ends, went. It hears of no game that it had no part in."""
        if not self._decisions[lane]:
            return
        seat, length = int(self._learner[lane]), int(self._decisions[lane])
        reward = float(ended.rewards[0, seat])
        self._rewards[lane], self._dones[lane], self._decisions[lane] = reward, True, 0
        self._infos[lane] = {
            "terminal_observation": self._last_look(lane, action, seat),
            "TimeLimit.truncated": False,
            "truncated": bool(ended.truncated[0]),
            "episode": {"r": reward, "l": length, "t": round(time.perf_counter() - self._start, 6)},
            "seat": seat,
            "returns": ended.rewards[0].tolist(),
            "scores": ended.scores[0].tolist(),
        }

    def _last_look(self, lane: int, action: int, seat: int) -> np.ndarray:
        """What a seat sees after the last action of the lane's game, played again on a copy: the lane's next game is dealt."""
        game = as_games(self._games[lane : lane + 1].copy())
        observation = np.zeros(self.game.layout.size, np.float32)
        loops.step_one(game, action, np.zeros(self.game.actions.size, np.int8), observation, self._scratch)
        loops.observe_one(game, seat, observation)
        return observation

    # ---- Copies and pickles

    @one_at_a_time
    def __getstate__(self) -> dict[str, Any]:
        """All but what `__setstate__` makes anew; no array is shared with this environment."""
        state = {name: _own(value) for name, value in vars(self).items() if name not in ("door", "_blank", "_scratch")}
        if "_games" in state:
            state["_games"] = self.game.freeze(self._games)
        return state

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved)
        self.door = Door()
        self._scratch = self.game.new_scratch()
        if "_games" in saved:
            self._games = self.game.thaw(saved["_games"])
            self._blank = self.game.blank(self.options, self.game_seed)


def _own(value: Any) -> Any:
    """A copy of an array or a frame; other values as they are."""
    if isinstance(value, Frame):
        return Frame(*(buffer.copy() for buffer in value))
    return value.copy() if isinstance(value, np.ndarray) else value
