"""`Lanes`: games of one kind side by side. Batches, adapters to other libraries, matches and audits are all built on it."""

from typing import Any

import numpy as np
import numpy.typing as npt

from cardtable.engine import loops, random_play
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import as_games
from cardtable.engine.loops import Frame
from cardtable.errors import IllegalAction, OptionError
from cardtable.game.game import ACTION, Game
from cardtable.game.legality import action_ids, refusal
from cardtable.game.options import Options
from cardtable.support.messages import shown
from cardtable.types import Actions, Counts, Flags, Mask, Observation, Records

LANES = "increasing integers, each the number of a lane"


class Lanes:
    """`number` games of one seed under the same options: deal them, play them, start lanes again, look at them.

    The course of a game depends on its number under the seed and on the actions, not on the lane. Every call writes `records`
    and `frame` in place. Threads are not checked and nothing is copied: callers that pass arrays on must do both.
    """

    def __init__(self, game: Game, options: Options, number: int, seed: int, *, first: int = 0, observe: bool = True) -> None:
        """Deal games number `first`, `first` + 1, … of the seed."""
        game.prepare()
        self.game = game
        self.options = options
        self.number = number
        self.frame = game.new_frame(number, options.num_players, observe=observe)
        """What each lane shows: see `Frame`."""
        self._scratch = game.new_scratch()
        self._blank = game.blank(options, seed)
        self.records = as_games(np.repeat(self._blank, number))
        """The records of all games, hidden parts included."""
        self.deal(seed, first)

    # ---- Dealing

    def deal(self, seed: int, first: int = 0) -> None:
        """Deal games number `first`, `first` + 1, … of a seed."""
        self._blank = self.game.blank(self.options, seed)
        loops.begin_many(self.records, self._blank, np.uint64(first), self.frame, self._scratch)

    def restart(self, lanes: Counts) -> None:
        """Deal each of some lanes its next game: that with the number of its last one plus the number of lanes.

        How the last game ended stays in the frame until the lane is played on. A game that still goes on is given up.
        """
        lanes = self._checked_lanes(lanes)
        numbers = self.records["index"][lanes] + np.uint64(self.number)
        loops.begin_lanes(self.records, lanes, numbers, self._blank, self.frame, self._scratch)

    def go_on_from(self, records: Records, mask: Mask) -> None:
        """Put games of the same seed into the lanes, with the masks of their seats to act; both are copied, and not checked.

        Observations and how games ended stay as they are in the frame until the lanes are played on.
        """
        self.records.view(np.uint8, np.ndarray)[:] = records.view(np.uint8, np.ndarray)
        self.frame.action_mask[:] = mask
        self.frame.seat[:] = records["seat"]

    # ---- Playing

    def step(self, actions: npt.ArrayLike) -> None:
        """Play one action in every lane; where a game ends, the next one is dealt in the same step.

        `IllegalAction` naming the lane if one is not legal; nothing has changed then.
        """
        chosen = action_ids(self.game, actions, self.number)
        lane = loops.step_many(self.records, chosen, self._blank, self.frame, self._scratch)
        if lane != NOBODY:
            raise self._refusal(lane, _as_given(actions, lane))

    def advance(self, lanes: Counts, actions: npt.ArrayLike) -> Counts:
        """Play one action in each of some lanes; the lanes whose games that has ended.

        Those stay as they ended, without a legal action, until they are restarted. `IllegalAction` naming the lane if an
        action is not legal; nothing has changed then.
        """
        lanes = self._checked_lanes(lanes)
        chosen = action_ids(self.game, actions, len(lanes))
        place = int(loops.advance_lanes(self.records, lanes, chosen, self.frame, self._scratch))
        if place != NOBODY:
            raise self._refusal(int(lanes[place]), _as_given(actions, place))
        return lanes[self.ended[lanes]]

    def require_legal(self, lanes: Counts, actions: npt.ArrayLike) -> Actions:
        """The actions in an array of our own, if each is legal in its lane now; `IllegalAction` naming the lane otherwise."""
        lanes = self._checked_lanes(lanes)
        chosen = action_ids(self.game, actions, len(lanes))
        place = int(loops.first_illegal_of(lanes, chosen, self.frame.action_mask))
        if place != NOBODY:
            raise self._refusal(int(lanes[place]), _as_given(actions, place))
        return chosen

    def _checked_lanes(self, lanes: npt.ArrayLike) -> Counts:
        """The lanes as kernels take them; `OptionError` if they are not increasing integers below the number of lanes.

        Kernels would write past the records, and play the second action of a lane named twice without asking.
        """
        given = np.asarray(lanes)
        if given.ndim != 1 or (given.dtype.kind not in "iu" and len(given)):
            raise OptionError(f"{self.game.id}: lanes have shape {given.shape} and dtype {given.dtype}; expected {LANES}")
        checked = given.astype(np.int64, copy=False)
        if len(checked) and (checked[0] < 0 or checked[-1] >= self.number or (checked[1:] <= checked[:-1]).any()):
            raise OptionError(f"{self.game.id}: lanes {shown(checked.tolist())} of {self.number}; expected {LANES}")
        return checked

    def _refusal(self, lane: int, action: int) -> IllegalAction:
        """The error of an action that is not legal in a lane."""
        where = f"lane {lane}, player_{self.frame.seat[lane]} to act"
        error = IllegalAction(refusal(self.game, action, self.frame.action_mask[lane], where))
        error.lane = lane
        return error

    def random_actions(self, generator: np.random.Generator) -> Actions:
        """A uniformly random legal action for every lane, in a fresh array."""
        actions = np.zeros(self.number, ACTION)
        random_play.choose_many(self.frame.action_mask, generator.random(self.number), actions)
        return actions

    def play_until(self, lanes: Counts, seats: Counts, policy_seed: int) -> Counts:
        """Play random legal actions in some lanes until a seat, one for each of them, is to act; the lanes that end before.

        Those stay as they ended, without a legal action, until they are restarted.
        """
        lanes = self._checked_lanes(lanes)
        random_play.play_until(self.records, lanes, seats, np.uint64(policy_seed), self.frame, self._scratch)
        ended: Counts = lanes[self.frame.seat[lanes] != seats]
        return ended

    def play_out(self, policy_seed: int) -> int:
        """Play every game to its end by random legal actions and deal the next ones; returns the decisions made."""
        seed = np.uint64(policy_seed)
        return int(random_play.play_out_many(self.records, self._blank, seed, self.frame, self._scratch))

    # ---- Looking

    @property
    def ended(self) -> Flags:
        """bool (n,): where the last move ended a game."""
        return self.frame.terminated | self.frame.truncated

    def observe(self, lane: int, seat: int) -> Observation:
        """What a seat sees in a lane's game, in a fresh array; of a game that has ended, what it sees at the end."""
        if not 0 <= lane < self.number or not 0 <= seat < self.options.num_players:
            allowed = f"lanes 0 to {self.number - 1}, seats 0 to {self.options.num_players - 1}"
            raise OptionError(f"{self.game.id}: lane {lane}, seat {seat}: allowed: {allowed}")
        observation = np.zeros(self.game.layout.size, np.float32)
        loops.observe_one(self.records[lane : lane + 1], seat, observation)
        return observation

    # ---- Copies and pickles

    def __getstate__(self) -> dict[str, Any]:
        """Everything that `__setstate__` does not rebuild; no array is shared with these lanes."""
        kept = {name: value for name, value in vars(self).items() if name != "_scratch"}
        arrays = {"records": self.game.freeze(self.records), "_blank": self.game.freeze(self._blank)}
        return {**kept, **arrays, "frame": [buffer.copy() for buffer in self.frame]}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved)
        self.records = self.game.thaw(saved["records"])
        self._blank = self.game.thaw(saved["_blank"])
        self.frame = Frame(*saved["frame"])
        self._scratch = self.game.new_scratch()


def _as_given(actions: npt.ArrayLike, place: int) -> int:
    """An action as the caller wrote it: 2**64 - 1 does not read as -1."""
    return int(np.asarray(actions)[place])
