"""A decision as text, for language models and people: the rules in brief, the table, what happened, what may be done.

The answer is the name of one legal action, in square brackets or alone. Anything else is refused with a reason that can be
shown to who answered.
"""

import importlib
import re
from collections.abc import Iterable, Sequence

from cardtable.errors import IllegalAction
from cardtable.game.events import ACTION, NOW, START, Event, decisions
from cardtable.game.game import Game
from cardtable.support.messages import shown

BRIEF = "## Rules in brief\n"
ASK = "Answer with the name of exactly one of these actions, in square brackets: [{}]"
BRACKETED = re.compile(r"\[([^\[\]]*)\]")
LONGEST_ANSWER = 100_000
"""Characters of an answer that are read: a model that thinks aloud writes less."""
UNTOLD = (START.name, NOW.name)
"""Kinds of events that the table shows."""


def rules_in_brief(game: Game) -> str:
    """The rules of a game in a few sentences, from its spec page."""
    page = importlib.import_module(f"{game.package}.env").__doc__ or ""
    return page.partition(BRIEF)[2].partition("\n<!--")[0].strip()


def prompt(game: Game, seat: int, table: str, events: Sequence[Event], legal: Sequence[str]) -> str:
    """What somebody who knows nothing of the game needs in order to decide for a seat.

    `table` is the table as text, `events` are what the seat saw happen lately, `legal` the names of the legal actions.
    """
    head = [f"You play {game.title} as player_{seat}.", "", "Rules in brief:", rules_in_brief(game)]
    return "\n".join([*head, "", position(game, seat, table, events, legal), "", ASK.format(legal[0])])


def position(game: Game, seat: int, table: str, events: Sequence[Event], legal: Sequence[str]) -> str:
    """The table as a seat sees it, what happened lately, and the legal actions if there are any."""
    lines, happened = ["The table as you see it:", table], story(game, seat, events)
    if happened:
        lines += ["", "What happened since your last decision, that included:", *(f"- {line}" for line in happened)]
    if legal:
        lines += ["", "Your legal actions:", *(f"- {name}" for name in legal)]
    return "\n".join(lines)


def story(game: Game, seat: int, events: Iterable[Event]) -> list[str]:
    """What a seat saw happen, a line for each decision: `player_1: take pair → player_1 takes red, blue from the Warehouse`."""
    lines = []
    for part in decisions(events):
        sentences = [game.events.sentence(event, seat) for event in part if event["event"] not in UNTOLD]
        if sentences:
            decision, *followed = sentences
            lines.append(f"{decision} → {'; '.join(followed)}" if followed else decision)
    return lines


def since_last_decision(events: Sequence[Event], seat: int) -> Sequence[Event]:
    """Of all events, those since a seat last decided: its decision and what came of it included."""
    own = [number for number, event in enumerate(events) if event["event"] == ACTION.name and event["seat"] == seat]
    return events[own[-1] if own else 0 :]


def parse_action(game: Game, text: object, legal: Sequence[str]) -> int:
    """The id of the one legal action that an answer names; `IllegalAction` with the reason otherwise.

    Of names in square brackets the last counts, so an answer may think aloud; without brackets the whole answer is the name.
    """
    if not isinstance(text, str):
        raise IllegalAction(f"{game.id}: an answer is a text, not {shown(text)}")
    if len(text) > LONGEST_ANSWER:
        raise IllegalAction(f"{game.id}: the answer has {len(text):,} characters, allowed: {LONGEST_ANSWER:,}")
    bracketed = BRACKETED.findall(text)
    name = " ".join((bracketed[-1] if bracketed else text).lower().split())
    if name not in legal:
        known = name in game.actions.names
        reason = "is not legal now" if known else "is not the name of an action"
        raise IllegalAction(f"{game.id}: {shown(name)} {reason}; allowed: {'; '.join(legal)}")
    return game.actions.id_of(name)
