"""`Table`: one game in progress, with everything that a researcher may need. The PettingZoo adapter is built on it."""

from collections.abc import Callable, Mapping
from functools import wraps
from os import PathLike
from typing import Any, Concatenate, ParamSpec, Self, SupportsIndex, TypeVar

import numpy as np

from cardtable.engine import loops
from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending
from cardtable.errors import DealError, IllegalAction, OptionError, ResetNeeded
from cardtable.game.editions import with_images
from cardtable.game.events import Event
from cardtable.game.game import Game, checked_index, checked_seed
from cardtable.game.images import Place, inside, placed
from cardtable.game.legality import action_id, refusal
from cardtable.game.look import Look
from cardtable.game.options import Options
from cardtable.game.registry import game_of
from cardtable.game.sight import View
from cardtable.prompt import parse_action, prompt, since_last_decision
from cardtable.story import Sights, Story, game_numbers
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer
from cardtable.support.svg import THEMES, Theme
from cardtable.support.threads import Door, busy, one_at_a_time
from cardtable.types import Observation, Records

Args = ParamSpec("Args")
Result = TypeVar("Result")
Method = Callable[Concatenate["Table", Args], Result]


def of_a_dealt_game(method: Method[Args, Result]) -> Method[Args, Result]:
    """A method that needs a game: `ResetNeeded` before there is one, `Busy` while another thread is in such a call."""

    @one_at_a_time
    @wraps(method)
    def guarded(table: "Table", /, *args: Args.args, **kwargs: Args.kwargs) -> Result:
        table.require_dealt()
        return method(table, *args, **kwargs)

    return guarded


def dealt(game: Game, options: Options, start: Mapping[str, Any]) -> tuple[Records, dict[str, Any]]:
    """The game that begins with a seed and a number, and decks if they are given: its record, and the start as plain data."""
    kept = dict(start)
    games = game.blank(options, kept["seed"])
    blank = game.copy(games)
    loops.deal_one(games, blank, np.uint64(kept["index"]))
    if "deal" in kept:
        kept["deal"] = game.inject(games, kept["deal"], options)
    loops.set_up_one(games)
    game.raise_fault(games, DealError)
    return games, kept


def opened(game: Game, options: Options, start: Mapping[str, Any]) -> Records:
    """The record that a game on a table began with."""
    return game.restore(start["state"], options) if "state" in start else dealt(game, options, start)[0]


class Table:
    """One game: deal it, look at it, play it, save it. Illegal requests raise and change nothing.

    One thread at a time: a call while another thread is in one raises `Busy`. Copies, shallow or deep, and pickles are tables
    of their own with the same game.
    """

    def __init__(self, game: Game | str, options: Options | Mapping[str, Any] | None = None) -> None:
        self.game = game = game_of(game)
        self.options = options = game.parse_options(options)
        game.prepare()
        self.players = options.num_players
        self.mask = np.zeros(game.actions.size, np.int8)
        self.observation = np.zeros(game.layout.size, np.float32)
        self.ending = Ending.ONGOING
        self.seat = 0
        self.history: list[int] = []
        self.movers: list[int] = []
        self.start: dict[str, Any] = {}
        self.dealt = False
        self.number = next(game_numbers)
        """Another one for every game on any table of this process; it says nothing about the deal."""
        self.door = Door()
        self._seen: Sights | None = None
        self._story: Story | None = None
        self._scratch = game.new_scratch()
        self._games = game.blank(options, seed=0)

    # ---- Playing

    def deal(self, seed: int, index: int = 0, deal: Mapping[str, Any] | None = None) -> None:
        """Deal game number `index` of `seed`, with given decks if there are any."""
        start: dict[str, Any] = {"seed": checked_seed(seed), "index": checked_index(index, "index")}
        if deal is not None:
            start["deal"] = deal
        self._put(*dealt(self.game, self.options, start))

    def play(self, action: SupportsIndex) -> None:
        """Play an action of the seat to act; `IllegalAction` saying why if it may not be taken now."""
        if type(action) is not int or not 0 <= action < self.mask.size or not self.dealt:
            self.require_dealt()
            action = action_id(self.game, action)
        door = self.door
        if door.busy:
            raise busy(self)
        door.busy = True  # as `one_at_a_time`, at a third of the cost
        try:
            seat, ending = loops.step_one(self._games, action, self.mask, self.observation, self._scratch)
            if seat == NOBODY:
                raise IllegalAction(self._refusal(action))
            self.history.append(action)
            self.movers.append(self.seat)
            self.seat = seat
            if ending:
                self.ending = Ending(ending)
        finally:
            door.busy = False

    def checked_action(self, action: SupportsIndex) -> int:
        """The action as an int, if it is legal now; `IllegalAction` saying why not otherwise."""
        self.require_dealt()
        number = action_id(self.game, action)
        if not self.mask[number]:
            raise IllegalAction(self._refusal(number))
        return number

    def require_dealt(self) -> None:
        """Raise `ResetNeeded` if there is no game on the table yet."""
        if not self.dealt:
            raise ResetNeeded(f"{self.game.id}: no game has been dealt: call reset() first (a table: deal(), or load a state)")

    def _refusal(self, number: int) -> str:
        return refusal(self.game, number, self.mask, f"decision {len(self.history)}, player_{self.seat} to act")

    @of_a_dealt_game
    def legal_actions(self) -> list[str]:
        """The names of the legal actions of the seat to act."""
        return self._legal()

    def _legal(self) -> list[str]:
        return [self.game.actions.names[number] for number in np.flatnonzero(self.mask)]

    # ---- Looking

    @property
    def record(self) -> Any:  # noqa: ANN401  # the `State` of the game's own `types`
        """The live record, with fields as attributes: the whole state, hidden parts included."""
        return self._games.view(np.recarray)[0]

    @property
    def games(self) -> Records:
        """The live record as kernels take it, in an array of one. Whoever changes it breaks the table."""
        return self._games

    @of_a_dealt_game
    def observe(self, seat: int) -> Observation:
        """What a seat sees, in a fresh array."""
        return self._observe(self._checked_seat(seat))

    def _observe(self, seat: int) -> Observation:
        if seat == self.seat:
            return self.observation.copy()
        out = np.zeros_like(self.observation)
        loops.observe_one(self._games, seat, out)
        return out

    @of_a_dealt_game
    def full_state(self) -> Observation:
        """What all seats see, one after another, and what no seat sees."""
        hidden = np.zeros(self.game.hidden.size, np.float32)
        loops.observe_hidden_one(self._games, hidden)
        return np.concatenate([*(self._observe(seat) for seat in range(self.players)), hidden])

    @of_a_dealt_game
    def summary(self, seat: int) -> dict[str, Any]:
        """How the game went for a seat, in numbers and words; empty while it is in progress."""
        seat = self._checked_seat(seat)
        return self.game.summary(self.record, self.options)[seat] if self.ending else {}

    @of_a_dealt_game
    def result(self) -> tuple[list[float], list[float]]:
        """(returns, scores) of each seat, as if the game ended now."""
        rewards, points = np.zeros(self.players, np.float32), np.zeros(self.players, np.float32)
        loops.result_of(self._games, rewards, points)
        return [float(reward) for reward in rewards], [float(score) for score in points]

    @of_a_dealt_game
    def text(
        self,
        seat: int | None = None,
        moves: int = 6,
        *,
        width: int | None = None,
        height: int | None = None,
        agents: Mapping[int, str] | None = None,
    ) -> str:
        """The table as that seat (by default the seat to act) sees it, with the last moves, in lines of at most `width`.

        If there is room for `height` lines only, some games leave out what a player needs least. `agents` is given for a person
        at the seat, who is called "you": the names of the agents at the other seats.
        """
        checked = self.seat if seat is None else self._checked_seat(seat)
        told = self._last_moves(checked, self._checked_count("moves", moves, 0))
        across = None if width is None else self._checked_count("width", width, 1)
        down = None if height is None else self._checked_count("height", height, 0)
        return self._text(Look(checked, told, across, down, agents))

    def _text(self, look: Look) -> str:
        return self.game.text(self._sights().view(self._games, look.seat), self.options, look)

    def _last_moves(self, seat: int, number: int) -> list[tuple[int, str]]:
        """The last moves with who made them, as a seat may know them."""
        moves = list(zip(self.movers, self._moves_seen_by(seat), strict=True))
        return moves[max(len(moves) - number, 0) :]

    @of_a_dealt_game
    def explain(self, action: SupportsIndex) -> str:
        """What a legal action does, in short, by what the seat to act sees; empty where its name says it."""
        view = self._sights().view(self._games, self.seat)
        return self.game.explain(view, self.options, self.checked_action(action))

    @of_a_dealt_game
    def explanations(self) -> dict[int, str]:
        """What every legal action does, as `explain` tells it."""
        view = self._sights().view(self._games, self.seat)
        return {action: self.game.explain(view, self.options, action) for action in np.flatnonzero(self.mask).tolist()}

    @of_a_dealt_game
    def picture(self, seat: int | None, *, theme: Theme = "auto", place: Place = inside) -> str:
        """The table as a seat sees it, as SVG. None is a spectator, who sees all; `OptionError` if the game has no pictures.

        Images of cards are in it, unless `place` says where they are.
        """
        return placed(self._picture(self._checked_viewer(seat), theme), self.options.images(), place)

    def _picture(self, viewer: int | None, theme: Theme) -> str:
        if self.game.picture is None:
            raise OptionError(f"{self.game.id}: this game draws no pictures; text() shows the table")
        if theme not in THEMES:
            raise OptionError(f"{self.game.id}: theme={shown(theme)}: allowed: {', '.join(THEMES)}")
        return self.game.picture(self._sights().view(self._games, viewer), self.options, viewer, theme)

    def show_images(self, file: str | PathLike[str]) -> None:
        """Show the images of an edition file from now on; `EditionError` if it has other cards than this table."""
        self.options = with_images(self.options, file)

    def _repr_svg_(self) -> str | None:
        """What a notebook shows: the table as the seat to act sees it, so that no hidden card is shown by accident."""
        return self.picture(self.seat) if self.dealt and self.game.picture is not None else None

    @of_a_dealt_game
    def moves_seen_by(self, seat: int) -> list[str]:
        """All moves since the deal, as a seat may know them: what others did in secret is left open."""
        return self._moves_seen_by(self._checked_seat(seat))

    def _moves_seen_by(self, seat: int) -> list[str]:
        actions = self.game.actions
        return [
            actions.names[action] if mover == seat else actions.name_for_others(action)
            for action, mover in zip(self.history, self.movers, strict=True)
        ]

    @property
    def length(self) -> int:
        """How many decisions have been made since the deal."""
        return len(self.history)

    @of_a_dealt_game
    def opening(self, seat: int) -> View:
        """What a seat saw when the game began."""
        return self._sights().view(opened(self.game, self.options, self.start), self._checked_seat(seat))

    @of_a_dealt_game
    def view(self, seat: int | None) -> View:
        """What a seat sees now, as plain readable data: "?" for what it cannot know. None is a spectator, who sees all."""
        return self._sights().view(self._games, self._checked_viewer(seat))

    @of_a_dealt_game
    def events(self, seat: int | None, since: int = 0) -> list[Event]:
        """What a seat saw happen, from event number `since` on, the deal first. None is a spectator, who sees all."""
        return self._events(self._checked_viewer(seat), self._checked_count("since", since, 0))

    def _events(self, viewer: int | None, since: int) -> list[Event]:
        if self._story is None:
            self._story = Story(self._sights(), self.options, opened(self.game, self.options, self.start))
        self._story.tell(self.history)
        return self._story.seen(viewer, since)

    def forget_story(self) -> None:
        """Keep nothing of the events and of what reads views: who asks for them again has them made anew from the start."""
        self._story = self._seen = None

    @of_a_dealt_game
    def prompt(self, seat: int | None = None) -> str:
        """The decision of the seat to act as text, for language models and people; `OptionError` if another seat is asked for.

        It has the rules in brief, the table as the seat sees it, what happened since its last decision, the legal actions.
        """
        if (seat is not None and self._checked_seat(seat) != self.seat) or self.ending:
            decides = "nobody: the game is over" if self.ending else f"seat {self.seat}"
            raise OptionError(f"{self.game.id}: prompt of seat={shown(seat)}: who decides now: {decides}")
        events = since_last_decision(self._events(self.seat, 0), self.seat)
        return prompt(self.game, self.seat, self._text(Look(self.seat)), events, self._legal())

    @of_a_dealt_game
    def parse_action(self, text: str) -> int:
        """The action that an answer to `prompt` names, in square brackets or alone; `IllegalAction` saying why none."""
        return parse_action(self.game, text, self._legal())

    def _sights(self) -> Sights:
        if self._seen is None:
            self._seen = Sights(self.game, self.options)
        return self._seen

    def _checked_viewer(self, seat: SupportsIndex | None) -> int | None:
        """A seat, or None for a spectator."""
        return None if seat is None else self._checked_seat(seat)

    def _checked_count(self, name: str, value: object, least: int) -> int:
        """A number of an argument as an int, if it is large enough."""
        if not is_integer(value) or int(value) < least:
            raise OptionError(f"{self.game.id}: {name}={shown(value)}: allowed: integers from {least}")
        return int(value)

    def _checked_seat(self, seat: SupportsIndex) -> int:
        """The seat as an int, if there is one of that number: kernels do not ask."""
        if not is_integer(seat) or not 0 <= int(seat) < self.players:
            raise OptionError(f"{self.game.id}: seat={shown(seat)}: allowed: 0 to {self.players - 1}")
        return int(seat)

    # ---- Saving

    @of_a_dealt_game
    def state_dict(self) -> dict[str, Any]:
        """The whole state, hidden parts and random stream included, as plain readable data."""
        return self.game.describe(self._games, self.options)

    def load_state_dict(self, plain: object) -> None:
        """Go on from a state; `StateError` if it is not one of this game under these options. What was given is not kept."""
        self._put_state(self.game.restore(plain, self.options))

    @of_a_dealt_game
    def state_bytes(self) -> bytes:
        """The whole state as bytes."""
        return self.game.pack(self._games)

    def load_state_bytes(self, data: object) -> None:
        """Go on from a state; `StateError` if the bytes are damaged or not of this game under these options."""
        self._put_state(self.game.unpack(data, self.options))

    @of_a_dealt_game
    def state_hash(self) -> str:
        """A short stable hash of the whole state."""
        return self.game.hash(self._games)

    @of_a_dealt_game
    def redeal(self, seat: int, seed: int | None = None) -> Self:
        """A copy in which everything that the seat cannot know is drawn anew, consistent with what it has seen."""
        checked, number = self._checked_seat(seat), checked_seed(seed)
        games = self.game.copy(self._games)
        loops.redeal_many(games, checked, np.uint64(number))
        copy = type(self)(self.game, self.options)
        copy._put_state(games)
        return copy

    def _put_state(self, games: Records) -> None:
        """Make this the game on the table, with the state that it is in as its start."""
        self._put(games, {"state": self.game.describe(games, self.options)})

    @one_at_a_time
    def _put(self, games: Records, start: dict[str, Any]) -> None:
        """Make this the game on the table."""
        self._games = games
        self.start = start
        self.history = []
        self.movers = []
        self.number = next(game_numbers)
        self._story = None
        self.ending = Ending(int(loops.ending_of(games)))
        self.seat = int(games["seat"][0])
        loops.look(games, int(self.ending), self.mask, self.observation, self._scratch)
        self.dealt = True

    # ---- Copies and pickles

    @one_at_a_time
    def clone(self) -> Self:
        """An independent table with the same game, made in a few microseconds, for searches."""
        copied = type(self).__new__(type(self))
        vars(copied).update(vars(self))
        copied._games = self.game.copy(self._games)
        copied.mask, copied.observation = self.mask.copy(), self.observation.copy()
        copied.history, copied.movers = self.history.copy(), self.movers.copy()
        copied.number = next(game_numbers)
        copied.door, copied._scratch = Door(), self._scratch.copy()
        if self._story is not None:
            copied._story = self._story.copy()
        return copied

    @one_at_a_time
    def __getstate__(self) -> dict[str, Any]:
        """Everything that `__setstate__` does not rebuild; nothing that changes is shared with this table."""
        kept = {
            name: value for name, value in vars(self).items() if name not in ("door", "number", "_scratch", "_seen", "_story")
        }
        own = {name: kept[name].copy() for name in ("mask", "observation", "history", "movers")}
        return {**kept, **own, "_games": self.game.freeze(self._games)}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved)
        self._games = self.game.thaw(saved["_games"])
        self._scratch = self.game.new_scratch()
        self.number = next(game_numbers)
        self.door = Door()
        self._seen = self._story = None
