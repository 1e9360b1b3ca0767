"""`Position`: a game in progress for searches and solvers, with what each seat has seen of it. OpenSpiel's states hold one."""

import hashlib
from functools import cache
from math import lcm
from typing import Any, Self

import numpy as np

from cardtable.engine import loops
from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending
from cardtable.engine.jit import as_games
from cardtable.errors import IllegalAction
from cardtable.game.game import Game
from cardtable.game.legality import refusal
from cardtable.game.options import Options
from cardtable.players.views import forget_many
from cardtable.types import Actions, Floats, Mask, Observation, Records

DIGEST_BYTES = 16


class Position:
    """A game in progress, and what each seat has seen of it from its start; copies take a few microseconds."""

    def __init__(self, game: Game, options: Options, games: Records) -> None:
        """`games`: the record at the start, which becomes the position's own."""
        self.game, self.options = game, options
        self.moves: list[tuple[int, int]] = []
        """(who, action) of every decision so far."""
        self._drawn_for: tuple[int, int] | None = None
        self._past = [games.tobytes()]
        self._seen = [b""] * options.num_players
        self._read = [0] * options.num_players
        self._put(games)

    def _put(self, games: Records) -> None:
        self.games = games
        self.mask: Mask = np.zeros(self.game.actions.size, np.int8)
        self._observation: Observation = np.zeros(self.game.layout.size, np.float32)
        self._scratch: Actions = self.game.new_scratch()
        ending = int(loops.ending_of(games))
        loops.look(games, ending, self.mask, self._observation, self._scratch)
        self._arrive(int(games["seat"][0]), ending)

    def _arrive(self, seat: int, ending: int) -> None:
        self.seat, self.over = seat, ending != Ending.ONGOING
        self._legal: list[int] | None = None

    def play(self, action: int) -> None:
        """Play an action of the seat to act; `IllegalAction` if it may not be taken now, and nothing has changed."""
        seat, ending = loops.step_one(self.games, action, self.mask, self._observation, self._scratch)
        if seat == NOBODY:
            where = f"decision {len(self.moves)}, player {self.seat} to act"
            raise IllegalAction(refusal(self.game, action, self.mask, where))
        self.moves.append((self.seat, action))
        self._past.append(self.games.tobytes())
        self._arrive(seat, ending)

    def legal(self) -> list[int]:
        """The legal actions of the seat to act, in increasing order."""
        if self._legal is None:
            self._legal = np.flatnonzero(self.mask).tolist()
        return self._legal.copy()

    def returns(self) -> list[float]:
        """The return of each seat at the end, 0 before: as exact as fractions can be, so that they add up to 0."""
        players = self.options.num_players
        if not self.over:
            return [0.0] * players
        rewards: Floats = np.zeros(players, np.float32)
        loops.result_of(self.games, rewards, np.zeros(players, np.float32))
        if players == 1:
            return [float(rewards[0])]
        whole = (players - 1) * lcm(*range(1, players + 1))  # see `share_the_win`
        return [round(float(reward) * whole) / whole for reward in rewards]

    # ---- What seats see

    def observe(self, seat: int, out: Observation) -> None:
        """Write what a seat sees now."""
        loops.observe_one(self.games, seat, out)

    def move_seen(self, number: int, seat: int) -> tuple[int, int]:
        """(who, action) of a decision as a seat knows it; `NOBODY` for an action that was secret to it."""
        mover, action = self.moves[number]
        drawn = self._drawn_for is not None and number < self._drawn_for[0] and seat != self._drawn_for[1]
        return mover, NOBODY if (mover != seat or drawn) and action in _secret(self.game) else action

    def memory(self, seat: int) -> bytes:
        """A digest of all that a seat has seen: of its moves, and of the record without what it could not know, each time."""
        past, first = self._past[self._read[seat] :], self._read[seat]
        if past:
            games = as_games(np.frombuffer(b"".join(past), self.game.state.dtype).copy())
            forget_many(games, np.full(len(past), seat, np.int8))
            start = len(self.moves) - len(self._past) + first
            for place, record in enumerate(games):
                move = self.move_seen(start + place, seat) if start + place >= 0 else ()
                self._seen[seat] = digest(self._seen[seat], repr(move).encode(), record.tobytes())
            self._read[seat] = len(self._past)
        return self._seen[seat]

    def redraw(self, seat: int, seed: int) -> None:
        """Draw anew all that a seat cannot know; what the others have seen begins with what they see now."""
        memory = self.memory(seat)
        games = self.game.copy(self.games)
        loops.redeal_many(games, seat, np.uint64(seed))
        self._put(games)
        self._drawn_for = (len(self.moves), seat)
        players = range(self.options.num_players)
        self._past = [games.tobytes()]
        self._seen = [memory if each == seat else digest(b"drawn", memory) for each in players]
        self._read = [int(each == seat) for each in players]

    # ---- Copies and pickles

    def copy(self) -> Self:
        """A position of its own with the same game."""
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        copied.games, copied.mask = self.game.copy(self.games), self.mask.copy()
        copied._observation, copied._scratch = self._observation.copy(), self.game.new_scratch()
        copied.moves, copied._past = self.moves.copy(), self._past.copy()
        copied._seen, copied._read = self._seen.copy(), self._read.copy()
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        memories = [self.memory(seat) for seat in range(self.options.num_players)]
        kept = {name: vars(self)[name] for name in ("game", "options", "moves", "_drawn_for")}
        return {**kept, "games": self.game.freeze(self.games), "_seen": memories}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved)
        self._past, self._read = [], [0] * self.options.num_players
        self._put(self.game.thaw(saved["games"]))


def digest(*parts: bytes) -> bytes:
    """A short hash of some bytes."""
    return hashlib.blake2b(b"".join(parts), digest_size=DIGEST_BYTES).digest()


@cache
def _secret(game: Game) -> frozenset[int]:
    """The actions that others cannot tell from each other."""
    actions = game.actions
    return frozenset(each for each in range(actions.size) if actions.name_for_others(each) != actions.names[each])
