"""What happens in a game, as small plain objects: kinds of events declared once, secrets closed for those who may not know.

An event is a dict: `{"event": "draw", "seat": 1, "from": "pile", "card": "?"}`. A game declares its kinds and a function that
compares the views before and after an action, all open. The shared kinds (`start`, `action`, `now`, `end`) come of themselves.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from cardtable.game.actions import Played
from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, View

Event = dict[str, Any]
CONTAINERS = (list, dict)
"""Values of events of which every seat gets its own."""


@dataclass(frozen=True)
class Kind:
    """A kind of event."""

    name: str
    sentence: str | Callable[[Event], str]
    """For people and language models: `"{seat} draws {card} from the {from}"`, or a function that makes such a pattern.
    A field that holds a seat is written as the player (`{owner's}`: as whose something is); a list as its entries. Verbs
    of the player that a pattern begins with are the word after it and each word after "and"."""
    meaning: str
    """What happened, with its clause."""
    fields: Mapping[str, str]
    """Its fields and what they mean, in order."""


@dataclass(frozen=True)
class Happening:
    """An event with all open, and who sees what is secret about it."""

    event: Event
    secret: tuple[str, ...] = ()
    """Fields that only some see."""
    seen_by: tuple[int, ...] = ()
    """The seats that see them."""
    instead: tuple[tuple[str, str], ...] = ()
    """Other values that those who do not see it are given."""

    def seen(self, seat: int | None) -> Event:
        """The event as a seat sees it; None is a spectator, who sees all."""
        event = {name: value.copy() if isinstance(value, CONTAINERS) else value for name, value in self.event.items()}
        if seat is None or seat in self.seen_by:
            return event
        for name in self.secret:
            value = event[name]
            event[name] = [HIDDEN] * len(value) if isinstance(value, list) else HIDDEN
        return event | dict(self.instead)


def happening(kind: str, *, secret: str = "", seen_by: Iterable[int] = (), **fields: Any) -> Happening:  # noqa: ANN401
    """`happening("draw", seat=1, card="sun 2", secret="card", seen_by=[1])`; a field `from_` is called `from`."""
    event = {"event": kind, **{name.removesuffix("_"): value for name, value in fields.items()}}
    return Happening(event, tuple(secret.split()), tuple(seen_by))


START = Kind("start", "the game begins", "the cards have been dealt: what lies where is in the first view", {})
ACTION = Kind(
    "action",
    "{seat}: {action}",
    "a decision; what follows from it comes as events of its own",
    {"seat": "who decided", "action": 'the notation of the action, of a secret one `"draft card ?"` for the others'},
)
TO_ACT = {"seat": "to act"}
"""What a field of `now` is called, if not by its name."""
NOW = Kind(
    "now",
    lambda event: "; ".join(f"{TO_ACT.get(name, name.replace('_', ' '))}: {{{name}}}" for name in event if name != "event"),
    "what is different since: fields of the view by name, with what they hold now",
    {"(field)": "its value in the view"},
)
END = Kind(
    "end",
    lambda event: "the game is over" + (" (cut off)" if event["ending"] == "truncated" else "") + ": scores {scores}",
    "the game is over",
    {"ending": "`terminated` by the rules, or `truncated`: cut off", "scores": "by seat", "returns": "by seat"},
)
SHARED = (START, ACTION, NOW, END)

YOU, YOUR = "you", "your"
PLAIN = {None: "none", True: "yes", False: "no"}
VERBS = {"has": "have", "is": "are", "passes": "pass"}
"""Verbs that do more than lose their s when they are about the person who is told."""

SEAT_FIELDS = ("seat", "to_seat", "from_seat", "owner")
"""Fields of events that hold a seat."""
BY_SEAT = ("scores", "returns")
"""Fields that hold a number for each seat."""
SUBJECT = re.compile(r"\{(\w+)\} \w")
"""How a pattern begins that says what a player does."""
VERB = re.compile(r"(?P<before>^\{\w+\} | and )(?P<verb>\w+)")


class Events:
    """The events of a game: its kinds, and what happened between two views."""

    def __init__(
        self, kinds: Iterable[Kind], follow: Callable[[View, Played, View], Iterable[Happening]], now: Iterable[str] = ()
    ) -> None:
        """`follow(before, played, after)`: what followed from an action, by the views with all open (without what is fixed).

        `now` names public fields whose changes are told by the shared event `now`; `seat` is always among them.
        """
        self.kinds = {kind.name: kind for kind in (*SHARED, *kinds)}
        self.follow, self.now = follow, ("seat", *now)
        self._fields = {name: {"event", *kind.fields} for name, kind in self.kinds.items()}

    def after(self, before: View, played: Played, after: View) -> Iterator[Happening]:
        """What followed from an action, what is different since last."""
        for each in self.follow(before, played, after):
            assert each.event.keys() == self._fields[each.event["event"]], each.event
            yield each
        changed = {name: after[name] for name in self.now if after[name] != before[name]}
        if changed:
            yield Happening({"event": "now", **changed})

    def sentence(self, event: Event, viewer: int | None = None) -> str:
        """An event in words; `viewer` is called "you"."""
        kind = self.kinds[event["event"]]
        pattern = kind.sentence if isinstance(kind.sentence, str) else kind.sentence(event)
        subject = SUBJECT.match(pattern)
        if subject and viewer is not None and event[subject[1]] == viewer:
            pattern = VERB.sub(_in_second_person, pattern)
        words = {name: _words(name, value, viewer) for name, value in event.items()}
        owners = {f"{name}'s": _whose(event[name], viewer) for name in SEAT_FIELDS if isinstance(event.get(name), int)}
        return pattern.format_map(words | owners)


def counted(number: int, thing: str) -> str:
    """`1 card`, `2 cards`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def decisions(events: Iterable[Event]) -> list[list[Event]]:
    """The events of the start, then those of each decision."""
    parts: list[list[Event]] = [[]]
    for event in events:
        if event["event"] == ACTION.name:
            parts.append([])
        parts[-1].append(event)
    return parts


def second_person(verb: str) -> str:
    """`draw`, of `draws`."""
    return VERBS.get(verb, verb.removesuffix("s"))


def _in_second_person(found: re.Match[str]) -> str:
    """The verb of a pattern that is about the person who is told."""
    return found["before"] + second_person(found["verb"])


def _who(seat: int, viewer: int | None) -> str:
    return YOU if seat == viewer else SEATS[seat]


def _whose(seat: int, viewer: int | None) -> str:
    return YOUR if seat == viewer else f"{SEATS[seat]}'s"


def _words(name: str, value: Any, viewer: int | None) -> str:  # noqa: ANN401  # a plain value
    if name in SEAT_FIELDS:
        return "nobody" if value is None else _who(value, viewer)
    if name in BY_SEAT:
        return ", ".join(f"{_who(seat, viewer)} {number:g}" for seat, number in enumerate(value))
    if isinstance(value, list):
        return ", ".join(_words("", each, viewer) for each in value) or "nothing"
    if isinstance(value, dict):
        return ", ".join(f"{key} {_words('', each, viewer)}" for key, each in value.items()) or "nothing"
    if value == HIDDEN:
        return "a hidden card" if "card" in name else HIDDEN
    if value is None or isinstance(value, bool):
        return PLAIN[value]
    return f"{value:g}" if isinstance(value, float) else str(value)
