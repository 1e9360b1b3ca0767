"""What happened in a game, in words for a person who has the table in view."""

from collections.abc import Iterable, Sequence

from cardtable.game.events import ACTION, END, NOW, START, Event
from cardtable.game.game import Game

SHARED = (START.name, ACTION.name, NOW.name, END.name)


def sentences(game: Game, events: Iterable[Event], viewer: int | None) -> list[str]:
    """Every event in words."""
    return [game.events.sentence(event, viewer) for event in events]


def story(game: Game, events: Sequence[Event], viewer: int | None) -> list[str]:
    """The events of one decision, or of the start, in words.

    Without `now`, which the table shows, and without the bare action where another event says what its player did.
    """
    movers = [event["seat"] for event in events if event["event"] == ACTION.name]
    told = any(event["event"] not in SHARED and event.get("seat") in movers for event in events)
    left_out = {NOW.name, ACTION.name} if told else {NOW.name}
    return sentences(game, [event for event in events if event["event"] not in left_out], viewer)
