"""Tables that people sit at: who plays which seat, by which secret, what they may do, and what they are shown.

There is nothing of the web in here. A table belongs to one thread; agents are given copies of what they see (`views`), and
what they choose is played if nothing has changed meanwhile.
"""

import hmac
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from cardtable.cli import telling
from cardtable.cli.terminal import outcome
from cardtable.errors import CardtableError, IllegalAction, OptionError
from cardtable.game.events import decisions
from cardtable.game.game import Game, checked_seed
from cardtable.game.images import CardImage
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.views import Views, view_of
from cardtable.replay import rewound
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer
from cardtable.table import Table

HERE, LINK = "here", "link"
"""Who sits at a seat, if it is not an agent: a person at the screen where the table was opened, or one with a link."""
PERSON = "person"
PACES = (0.0, 0.5, 1.0, 2.0, 4.0)
"""Seconds that a position stays before an agent's move."""
MOST_TABLES = 1024
IDLE, OVER, RECENT = 6 * 3600.0, 600.0, 3600.0
"""Seconds after which a table that nobody has open is closed: in general; if its game is over; if all places are taken."""
SECRET_BYTES = 16

Entry = dict[str, Any]
"""What happened by one decision, or at the start: `seat`, `sentences`, `events`."""


@dataclass(frozen=True)
class Link:
    """What a secret opens: the seats that its holder plays; none for who watches agents with all cards open."""

    seats: tuple[int, ...]
    key: str


def _links(seats: Sequence[str]) -> tuple[Link, ...]:
    """The link of this screen first, then one for each person elsewhere."""
    here = tuple(seat for seat, who in enumerate(seats) if who == HERE)
    elsewhere = [(seat,) for seat, who in enumerate(seats) if who == LINK]
    watching = [()] if not elsewhere else []
    return tuple(Link(each, secrets.token_urlsafe(SECRET_BYTES)) for each in ([here] if here else watching) + elsewhere)


class OpenTable:
    """One game, its seats, and who may see and do what."""

    def __init__(self, game: Game, options: Options, seats: Sequence[str], seed: int | None = None, pace: float = 1.0) -> None:
        """`seats` has an entry for each: `HERE`, `LINK`, or the name of an agent."""
        if len(seats) != options.num_players:
            raise OptionError(f"{game.id}: {len(seats)} players for {options.num_players} seats")
        self.id = secrets.token_urlsafe(SECRET_BYTES // 2)
        self.seats = tuple(seats)
        self.links = _links(self.seats)
        self.pace = checked_pace(pace)
        self.number = 0
        """Goes up with every change: who decides by an older state is refused."""
        self.fault = ""
        """Why an agent does not move."""
        self.changed_at = self.used_at = time.monotonic()
        self.listeners: set[Callable[[], None]] = set()
        """Called after every change."""
        self.table = Table(game, options)
        self.table.deal(checked_seed(seed))
        self._salt = keys.new_salt()
        self._logs: dict[int | None, list[Entry]] = {}
        self._told: dict[int | None, int] = {}
        """How many events are in the log of each viewer."""

    # ---- Who

    def link_of(self, key: object) -> Link | None:
        """What a secret opens here."""
        given = key.encode(errors="surrogatepass") if isinstance(key, str) else b""
        return next((link for link in self.links if hmac.compare_digest(link.key.encode(), given)), None)

    @property
    def turn(self) -> int | None:
        """The seat that decides; None when the game is over."""
        return None if self.table.ending else self.table.seat

    @property
    def agent(self) -> str | None:
        """The name of the agent that decides now; None if a person does, or nobody."""
        who = self.seats[self.table.seat] if not self.table.ending else HERE
        return None if who in (HERE, LINK) else who

    # ---- Doing

    def play(self, link: Link, seat: int | None, action: object, number: object) -> None:
        """Play an action of a seat of this link, chosen in the state of that number."""
        if number != self.number:
            raise OptionError("the table has changed since: choose again")
        if self.turn is None:
            raise OptionError("the game is over")
        if seat != self.turn or seat not in link.seats:
            raise OptionError(f"player_{self.turn} decides now")
        if not is_integer(action):
            raise IllegalAction(f"{shown(action)} is not the number of an action")
        self.table.play(self.table.checked_action(action))
        self._change()

    def views(self) -> Views:
        """What the seat to act sees and saw happen, for agents: of a copy of the game, which other threads may ask."""
        copy = self.table.clone()
        copy.number = self.table.number
        return view_of(copy, self._salt, stories=True)

    def play_for_agent(self, action: int, number: int) -> None:
        """Play what an agent chose, unless the table has changed since it was asked."""
        if number == self.number and self.agent is not None:
            self.table.play(action)
            self._change()

    def fail(self, reason: str, number: int) -> None:
        """An agent cannot move: all are told."""
        if number == self.number:
            self._change(fault=reason)

    def can_take_back(self, link: Link) -> bool:
        """Whether this link's persons have a move to take back, and nobody else's is undone with it."""
        others = [each for each in self.links if each is not link]
        return not others and any(mover in link.seats for mover in self.table.movers)

    def take_back(self, link: Link) -> None:
        """Go back to before the last move of this link's persons."""
        if not self.can_take_back(link):
            raise OptionError("there is no move to take back, or another person would lose theirs with it")
        last = max(number for number, mover in enumerate(self.table.movers) if mover in link.seats)
        self.table = rewound(self.table, last)
        self._logs, self._told = {}, {}
        self._change()

    def may_set_pace(self, link: Link) -> bool:
        """Whether this is the link of the screen where the table was opened."""
        return link is self.links[0]

    def set_pace(self, link: Link, seconds: object) -> None:
        """How long a position stays before an agent's move. All are told; nobody has to choose again."""
        if not self.may_set_pace(link):
            raise OptionError("the pace is set at the screen where the table was opened")
        self.pace = checked_pace(seconds)
        self._tell()

    def _change(self, fault: str = "") -> None:
        self.number += 1
        self.fault = fault
        self.changed_at = self.used_at = time.monotonic()
        self._tell()

    def _tell(self) -> None:
        for listener in tuple(self.listeners):
            listener()

    # ---- Looking

    def log(self, viewer: int | None) -> list[Entry]:
        """What happened, as a viewer saw it: an entry for the start and one for each decision."""
        log, game = self._logs.setdefault(viewer, []), self.table.game
        events_told = self.table.events(viewer, self._told.get(viewer, 0))
        self._told[viewer] = self._told.get(viewer, 0) + len(events_told)
        for events in filter(None, decisions(events_told)):
            mover = events[0].get("seat")
            log.append({"seat": mover, "sentences": telling.story(game, events, viewer), "events": events})
        return log

    def rest(self) -> None:
        """Nobody looks on: what can be told anew is not kept meanwhile."""
        self.used_at = time.monotonic()
        self._logs, self._told = {}, {}
        self.table.forget_story()

    def picture(self, viewer: int | None) -> str:
        """The table as a viewer sees it."""
        return picture_of(self.table, viewer)

    def actions(self) -> list[dict[str, Any]]:
        """The legal actions of the seat to act."""
        named = _named_actions(self.table.game)
        return [{**named(number), "explanation": told} for number, told in self.table.explanations().items()]

    def end(self, viewer: int | None) -> dict[str, Any] | None:
        """How the game ended; None while it is in progress."""
        if not self.table.ending:
            return None
        returns, scores = self.table.result()
        points = ", ".join(f"player_{seat} {score:g}" for seat, score in enumerate(scores))
        names = {seat: who for seat, who in enumerate(self.seats) if who not in (HERE, LINK)}
        text = f"game over: {points}" if viewer is None else outcome(self.table, viewer, names)
        return {"text": text, "scores": scores, "returns": returns}


@cache
def _named_actions(game: Game) -> Callable[[int], dict[str, Any]]:
    """What pages are told of an action, whatever the position."""
    meanings = {each.name: each.meaning for each in game.actions.blocks}

    @cache
    def named(number: int) -> dict[str, Any]:
        _, block, labels = game.actions.played(0, number)
        return {"id": number, "name": game.actions.names[number], "block": block, "labels": labels, "meaning": meanings[block]}

    return named


def picture_of(table: Table, viewer: int | None) -> str:
    """The table as a viewer sees it, as SVG; as text if the game draws no pictures."""
    return table.picture(viewer, place=image_address) if table.game.picture else table.text(viewer)


def image_address(image: CardImage) -> str:
    """Where the server has an image of a card."""
    return f"/images/{image.digest}"


def checked_pace(seconds: object) -> float:
    """A pace, if it is one of those that there are."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or seconds not in PACES:
        raise OptionError(f"pace={shown(seconds)}: allowed: {', '.join(f'{each:g}' for each in PACES)}")
    return float(seconds)


class Tables:
    """The tables that are open, as many as fit."""

    def __init__(self, most: int = MOST_TABLES) -> None:
        self._most = most
        self._open: dict[str, OpenTable] = {}

    def __len__(self) -> int:
        return len(self._open)

    def add(self, table: OpenTable) -> None:
        """Keep a table; refused if all places are taken by tables that are in use, or were a short while ago."""
        self._close_idle()
        if len(self._open) >= self._most:
            raise CardtableError(
                f"{len(self._open)} tables are open, allowed: {self._most}; play on at one of them, or come back later"
            )
        self._open[table.id] = table

    def find(self, table_id: str) -> OpenTable | None:
        """The open table of that id."""
        return self._open.get(table_id)

    def _close_idle(self) -> None:
        """Close what nobody has open any more, the longest unused first."""
        unused = sorted((each for each in self._open.values() if not each.listeners), key=lambda each: each.used_at)
        now = time.monotonic()
        for table in unused:
            if now - table.used_at > self._patience(table):
                del self._open[table.id]

    def _patience(self, table: OpenTable) -> float:
        """Seconds that a table may be unused: no game in progress makes room that was played within the last hour."""
        full = len(self._open) >= self._most
        if table.turn is None:
            return -1.0 if full else OVER
        return RECENT if full else IDLE
