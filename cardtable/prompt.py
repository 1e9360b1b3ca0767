"""A decision as text, for language models and people: the rules in brief, the table, what happened, what may be done.

The answer is the name of one legal action, in square brackets or alone. Anything else is refused with a reason that can be
shown to who answered.
"""

import importlib
import re
from collections.abc import Sequence

from cardtable.errors import IllegalAction
from cardtable.game.events import Event
from cardtable.game.game import Game
from cardtable.support.messages import shown

BRIEF = "## Rules in brief\n"
ASK = "Answer with the name of exactly one of these actions, in square brackets: [{}]"
BRACKETED = re.compile(r"\[([^\[\]]*)\]")
LONGEST_ANSWER = 100_000
"""Characters of an answer that are read: a model that thinks aloud writes less."""


def rules_in_brief(game: Game) -> str:
    """The rules of a game in a few sentences, from its spec page."""
    page = importlib.import_module(f"{game.package}.env").__doc__ or ""
    return page.partition(BRIEF)[2].partition("\n<!--")[0].strip()


def prompt(game: Game, seat: int, table: str, events: Sequence[Event], legal: Sequence[str]) -> str:
    """What somebody who knows nothing of the game needs in order to decide for a seat.

    `table` is the table as text, `events` are what the seat saw happen lately, `legal` the names of the legal actions.
    """
    happened = [game.events.sentence(event, seat) for event in events if event["event"] not in ("start", "now")]
    return "\n".join(
        [
            f"You play {game.title} as player_{seat}.",
            *("", "Rules in brief:", rules_in_brief(game)),
            *("", "The table as you see it:", table),
            *(["", "What happened since your last decision:", *(f"- {sentence}" for sentence in happened)] if happened else []),
            *("", "Your legal actions:", *(f"- {name}" for name in legal)),
            *("", ASK.format(legal[0])),
        ]
    )


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
