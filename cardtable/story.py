"""`Story`: what has happened at a table so far, told when somebody asks and not before."""

import pickle
from collections.abc import Sequence
from copy import copy
from itertools import count

import numpy as np

from cardtable.engine import loops
from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending
from cardtable.game.events import Event, Happening
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.game.record import Read
from cardtable.game.sight import View
from cardtable.types import Counts, Records

game_numbers = count(1)
"""Numbers for games with a history: no two of a process have the same, and they say nothing about the deal."""


class Sights:
    """Views of records of one game under some options."""

    def __init__(self, game: Game, options: Options) -> None:
        state = game.state_under(options)
        readers = state.readers(options.num_players)
        self.game = game
        self._head = {"game": game.id, "rules": game.rules_version}
        self._fields = game.sight.fields(state, fixed_ones=False)
        self._readers = [(each.name, readers[each.name]) for each in self._fields]
        self._fixed_readers = [(each.name, readers[each.name]) for each in game.sight.fields(state, fixed_ones=True)]
        self._fixed: View | None = None  # the same in all games under these options
        self._packed = b""
        self._field_at: Counts | None = None

    def readers_at(self, games: Records, places: Counts) -> list[tuple[str, Read]]:
        """What reads the fields that change of which some bytes of the record, by their places, are a part."""
        if self._field_at is None:
            self._field_at = self._fields_of_bytes(games)
        numbers = set(self._field_at[places].tolist())
        return [self._readers[number] for number in numbers if number != NOBODY]

    def _fields_of_bytes(self, games: Records) -> Counts:
        """For each byte of the record, the number of the field that it is a part of, or NOBODY."""
        columns, found = games.dtype.fields, np.full(games.dtype.itemsize, NOBODY)
        assert columns is not None
        for number, each in enumerate(self._fields):
            for name, _, _ in each.columns():
                dtype, start = columns[name][:2]
                found[start : start + dtype.itemsize] = number
        return found

    def open(self, games: Records) -> View:
        """The fields of games[0] that change, all open."""
        record = games[0]
        return {name: read(record) for name, read in self._readers}

    def view(self, games: Records, seat: int | None, reading: "Reading | None" = None) -> View:
        """games[0] as a seat sees it; None is a spectator, who sees all.

        `reading`: of the same game before. With it a view is made in half the time, but shares what has not changed with
        others, and is not to be changed.
        """
        if self._fixed is None:
            self._fixed = {name: read(games[0]) for name, read in self._fixed_readers}
            self._packed = pickle.dumps(self._fixed)
        shown = self.open(games) if reading is None else reading.open(games)
        if seat is not None:
            shown = self.game.sight.close(shown, seat)
        fixed = pickle.loads(self._packed) if reading is None else self._fixed  # our own bytes; eight times as fast as deepcopy
        return {**self._head, "viewer": seat, **fixed, **shown}


class Reading:
    """The fields of one game that change, all open: read again only where the record is not as it was."""

    def __init__(self, sights: Sights) -> None:
        self._sights = sights
        self._view: View | None = None
        self._bytes = np.zeros(0, np.uint8)

    def open(self, games: Records) -> View:
        """The fields of games[0] that change; what is in it is shared with earlier and later ones, and not to be changed."""
        now = np.frombuffer(games[:1].tobytes(), np.uint8)
        if self._view is None:
            self._view = self._sights.open(games)
        else:
            record, changed = games[0], self._sights.readers_at(games, (now != self._bytes).nonzero()[0])
            self._view = {**self._view, **{name: read(record) for name, read in changed}}
        self._bytes = now
        return self._view


class Story:
    """The events of a game from its start, up to the decisions that have been told."""

    def __init__(self, sights: Sights, options: Options, games: Records) -> None:
        """`games`: the record at the start, which becomes the story's own."""
        game, frame = sights.game, sights.game.new_frame(1, options.num_players)
        self._game, self._games = game, games
        self._mask, self._observation, self._scratch = frame.action_mask[0], frame.observation[0], game.new_scratch()
        self._rewards, self._scores = frame.rewards[0], frame.scores[0]
        self._reading = Reading(sights)
        self._view = self._reading.open(games)
        self.told = 0
        self.happenings: list[Happening] = [Happening({"event": "start"})]
        self._tell_end(int(loops.ending_of(games)))

    def tell(self, history: Sequence[int]) -> None:
        """Go on with the decisions that have not been told yet."""
        for action in history[self.told :]:
            mover, before = int(self._games["seat"][0]), self._view
            _, ending = loops.step_one(self._games, action, self._mask, self._observation, self._scratch)
            self._view = self._reading.open(self._games)
            self.happenings.append(self._decision(mover, action))
            self.happenings += self._game.events.after(before, self._game.actions.played(mover, action), self._view)
            self._tell_end(ending)
            self.told += 1

    def seen(self, seat: int | None, since: int) -> list[Event]:
        """The events from number `since` on, as a seat sees them; None is a spectator, who sees all."""
        return [each.seen(seat) for each in self.happenings[since:]]

    def _decision(self, mover: int, action: int) -> Happening:
        """The decision itself: its full notation for the mover, and what the others may know of it for them."""
        actions = self._game.actions
        for_others = actions.name_for_others(action)
        event = {"event": "action", "seat": mover, "action": actions.names[action]}
        return Happening(event, seen_by=(mover,), instead=(("action", for_others),))

    def _tell_end(self, ending: int) -> None:
        if ending:
            loops.result_of(self._games, self._rewards, self._scores)
            result = {"scores": self._scores.tolist(), "returns": self._rewards.tolist()}
            self.happenings.append(Happening({"event": "end", "ending": Ending(ending).name.lower(), **result}))

    def copy(self) -> "Story":
        """A story of its own that has told as much."""
        copied = copy(self)
        copied._games, copied.happenings = self._game.copy(self._games), self.happenings.copy()
        copied._reading = copy(self._reading)
        return copied


class Chronicle:
    """A game of many side by side, from its start: what its seats saw is told when somebody asks, as a table would tell it."""

    def __init__(self, sights: Sights, options: Options, games: Records) -> None:
        """`games`: the record at the start, which becomes the chronicle's own."""
        self.number = next(game_numbers)
        """Another one for every game of this process."""
        self.history: list[int] = []
        """The actions so far; whoever plays the game adds them."""
        self._sights, self._options, self._start = sights, options, games
        self._story: Story | None = None

    @property
    def length(self) -> int:
        """How many decisions have been made."""
        return len(self.history)

    def opening(self, seat: int) -> View:
        """What a seat saw when the game began."""
        return self._sights.view(self._start, seat)

    def events(self, seat: int, since: int = 0) -> list[Event]:
        """What a seat saw happen, from event number `since` on."""
        if self._story is None:
            self._story = Story(self._sights, self._options, self._sights.game.copy(self._start))
        self._story.tell(self.history)
        return self._story.seen(seat, since)
