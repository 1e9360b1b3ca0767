"""`BatchEnv`: many games of one kind, stepped in one compiled call, into arrays that are reused."""

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from cardtable.engine.loops import Frame
from cardtable.errors import OptionError
from cardtable.game.game import Game, checked_index, checked_seed
from cardtable.game.registry import game_of
from cardtable.lanes import Lanes
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer
from cardtable.support.threads import Door, busy, one_at_a_time
from cardtable.types import Actions, Records

LARGEST_NUMBER = 10**9
"""Of games in a batch: beyond what any memory holds."""


class BatchEnv:
    """`num_games` games side by side.

    Lane i plays games number i, i + num_games, i + 2 num_games, … of the seed, counted from `first`: the course
    of a game depends on its number and the actions, not on the batch. When a lane's game ends, the lane shows the next game in
    the same step, and `final_observation` shows what the seat that made the last decision saw at the end.

    The arrays of a frame are read-only views of buffers that the next call overwrites: copy what you want to keep. One thread
    at a time: a call while another thread is in one raises `Busy`. Copies, shallow or deep, and pickles continue its games.
    """

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        seed: int | None = None,
        *,
        first: int = 0,
        observe: bool = True,
        **options: object,
    ) -> None:
        self.game = game_of(game)
        self.num_games = checked_number(self.game, num_games)
        self.options = self.game.parse_options(options)
        self.num_players = self.options.num_players
        self.seed = checked_seed(seed)
        self.first = checked_index(first, "first")
        self._lanes = Lanes(self.game, self.options, self.num_games, self.seed, first=self.first, observe=observe)
        self.door = Door()
        self.frame = _read_only(self._lanes.frame)

    @one_at_a_time
    def reset(self, seed: int | None = None) -> Frame:
        """Start the first `num_games` games again, of a new seed if one is given."""
        if seed is not None:
            self.seed = checked_seed(seed)
        self._lanes.deal(self.seed, self.first)
        return self.frame

    def step(self, actions: npt.ArrayLike) -> Frame:
        """Play one action in every game. An illegal action raises `IllegalAction` naming its lane; nothing changes."""
        door = self.door
        if door.busy:
            raise busy(self)
        door.busy = True  # as `one_at_a_time`, at a third of the cost
        try:
            self._lanes.step(actions)
            return self.frame
        finally:
            door.busy = False

    @one_at_a_time
    def random_actions(self, generator: np.random.Generator) -> Actions:
        """A uniformly random legal action for every game, in a fresh array."""
        return self._lanes.random_actions(generator)

    @one_at_a_time
    def play_out(self, policy_seed: int = 0) -> int:
        """Play every game to its end by random legal actions inside the compiled loop; returns the decisions made.

        The frame holds rewards, scores and lengths of the games that ended, and shows the next ones.
        """
        return self._lanes.play_out(checked_seed(policy_seed))

    @one_at_a_time
    def records(self) -> Records:
        """A copy of the records of all games, hidden parts included."""
        return np.array(self._lanes.records)

    # ---- Copies and pickles

    @one_at_a_time
    def __getstate__(self) -> dict[str, Any]:
        """Everything that `__setstate__` does not rebuild; the lanes are the copy's own."""
        kept = {name: value for name, value in vars(self).items() if name not in ("door", "frame")}
        return {**kept, "_lanes": copy.copy(self._lanes)}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved)
        self.door = Door()
        self.frame = _read_only(self._lanes.frame)


def checked_number(game: Game, number: object, name: str = "num_games") -> int:
    """A number of games, given under that name, as an int; `OptionError` if it is none."""
    if not is_integer(number) or not 1 <= int(number) <= LARGEST_NUMBER:
        raise OptionError(f"{game.id}: {name}={shown(number)}: allowed: integers from 1 to {LARGEST_NUMBER:,}")
    return int(number)


def _read_only(buffers: Frame) -> Frame:
    """The buffers for others to look at. Neither `base` nor `flags` of such an array leads to one that can be written:
    a mask that marks an illegal action would let it through."""
    return Frame(*(np.asarray(buffer.data.toreadonly()) for buffer in buffers))
