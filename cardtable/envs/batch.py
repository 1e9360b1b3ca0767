"""`BatchEnv`: many games of one kind, stepped in one compiled call, into arrays that are reused."""

from typing import Any

import numpy as np

from cardtable.engine import loops
from cardtable.engine.loops import Frame
from cardtable.errors import IllegalAction, OptionError
from cardtable.game.game import ACTION, Game, checked_seed
from cardtable.game.record import NOBODY, is_integer
from cardtable.support.messages import shown
from cardtable.support.threads import Door, one_at_a_time

LARGEST_NUMBER = 10**9
"""Of games in a batch: beyond what any memory holds."""


class BatchEnv:
    """`num_games` games side by side.

    Lane i plays games number i, i + num_games, i + 2 num_games, … of the seed, counted from `first`: a game's course
    depends on its number and the actions, not on the batch. A lane whose game ends shows the next game in the same step.

    The arrays of a frame are read-only views of buffers that the next call overwrites: copy what you keep. One thread at a
    time: a call while another thread is in one raises `Busy`. Copies, shallow or deep, and pickles go on with the same games.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        seed: int | None = None,
        *,
        first: int = 0,
        observe: bool = True,
        **options: Any,
    ) -> None:
        self.num_games = checked_number(game, num_games)
        game.prepare()
        self.game = game
        self.options = game.parse_options(options)
        self.num_players = self.options.num_players
        self.seed = checked_seed(seed)
        self.first = checked_seed(first)
        self._blank = game.blank(self.options, self.seed)
        self._games = np.repeat(self._blank, self.num_games).view(type(self._blank))
        self._scratch = game.new_scratch()
        self._buffers = game.new_frame(self.num_games, self.num_players, observe=observe)
        self.door = Door()
        self.frame = _read_only(self._buffers)
        self.reset()

    @one_at_a_time
    def reset(self, seed: int | None = None) -> Frame:
        """Start the first `num_games` games again, of a new seed if one is given."""
        if seed is not None:
            self.seed = checked_seed(seed)
            self._blank = self.game.blank(self.options, self.seed)
        loops.begin_many(self._games, self._blank, np.uint64(self.first), self._buffers, self._scratch)
        return self.frame

    @one_at_a_time
    def step(self, actions: Any) -> Frame:
        """Play one action in every game. An illegal action raises `IllegalAction` naming its lane; nothing changes."""
        given = self._integers(actions)
        ids = given.astype(ACTION)  # a copy: nobody changes it between the check and the step
        lane = loops.step_many(self._games, ids, self._blank, self._buffers, self._scratch)
        if lane != NOBODY:
            raise IllegalAction(f"{self.game.id}: lane {lane}: {self._refusal(lane, int(given[lane]))}")
        return self.frame

    def _integers(self, actions: Any) -> np.ndarray:
        """The actions as an array of integers, one for each game."""
        try:
            given = np.asarray(actions)
        except (TypeError, ValueError) as error:
            raise IllegalAction(f"{self.game.id}: actions are no array of whole numbers: {error}") from None
        if given.shape != self._games.shape or given.dtype.kind not in "iu":
            raise IllegalAction(
                f"{self.game.id}: actions have shape {given.shape} and dtype {given.dtype}; "
                f"wanted are whole numbers in shape {self._games.shape}"
            )
        return given

    def _refusal(self, lane: int, action: int) -> str:
        if not 0 <= action < self.game.actions.size:
            return f"action {action} is not in 0 to {self.game.actions.size - 1}"
        legal = [self.game.actions.names[number] for number in np.flatnonzero(self._buffers.action_mask[lane])]
        seat = int(self._buffers.seat[lane])
        return (
            f"action {action} ({self.game.actions.names[action]}) is not legal for player_{seat}; legal: {', '.join(legal[:8])}"
        )

    @one_at_a_time
    def random_actions(self, generator: np.random.Generator) -> np.ndarray:
        """A uniformly random legal action for every game, in a fresh array."""
        actions = np.zeros(self.num_games, ACTION)
        loops.choose_many(self._buffers.action_mask, generator.random(self.num_games), actions)
        return actions

    @one_at_a_time
    def play_out(self, policy_seed: int = 0) -> int:
        """Play every game to its end by random legal actions inside the compiled loop; returns the decisions made.

        The frame holds rewards, scores and lengths of the games that ended, and shows the next ones.
        """
        seed = np.uint64(checked_seed(policy_seed))
        return int(loops.play_out_many(self._games, self._blank, seed, self._buffers, self._scratch))

    @one_at_a_time
    def records(self) -> np.ndarray:
        """A copy of the records of all games, hidden parts included."""
        return np.array(self._games)

    # ---- Copies and pickles

    @one_at_a_time
    def __getstate__(self) -> dict[str, Any]:
        """All but what `__setstate__` makes anew; no array is shared with this batch."""
        made_anew = ("door", "frame", "_blank", "_scratch")
        kept = {name: value for name, value in vars(self).items() if name not in made_anew}
        buffers = [buffer.copy() for buffer in self._buffers]
        return {**kept, "_games": self.game.freeze(self._games), "_buffers": buffers}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved)
        self._blank = self.game.blank(self.options, self.seed)
        self._games = self.game.thaw(saved["_games"])
        self._scratch = self.game.new_scratch()
        self._buffers = Frame(*saved["_buffers"])
        self.door = Door()
        self.frame = _read_only(self._buffers)


def checked_number(game: Game, num_games: Any) -> int:
    """A number of games as an int; `OptionError` if it is none."""
    if not is_integer(num_games) or not 1 <= int(num_games) <= LARGEST_NUMBER:
        raise OptionError(f"{game.id}: num_games={shown(num_games)}: allowed: integers from 1 to {LARGEST_NUMBER:,}")
    return int(num_games)


def _read_only(buffers: Frame) -> Frame:
    """The buffers for others to look at. Neither `base` nor `flags` of such an array leads to one that can be written:
    a mask that marks an illegal action would let it through."""
    return Frame(*(np.asarray(buffer.data.toreadonly()) for buffer in buffers))
