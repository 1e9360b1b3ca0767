"""What each choice does in Artisans, in short, where its name does not say it."""

from collections.abc import Callable, Sequence

from artisans_env.actions import ACTIONS
from artisans_env.constants import LEVELS, SPECIALIST_BONUS
from artisans_env.options import ArtisansOptions
from artisans_env.render import DOES, bonus, lacks_text, level_of, levels_text
from cardtable.game.record import SEATS
from cardtable.game.sight import View

PLAIN: tuple[str, ...] = ()
"""Blocks of actions whose names say all."""

PASSES = {
    "reserve": "reserve nothing now",
    "night": "no market visit after the craft",
    "last": "no last action",
    "second": "no second visit",
    "develop": "develop nothing this round",
    "finish": "craft nothing more",
}
"""What a pass leaves out, by what is decided (ART-9.3)."""


def mover(view: View) -> str:
    """The player to act."""
    return SEATS[view["seat"]]


def worth(view: View, shown: str) -> str:
    """An object with its points, and what the artisan of the player to act adds for it."""
    crafted = {**view, "maker": {**view["maker"], shown: mover(view)}}
    more = bonus(crafted, mover(view)) - bonus(view, mover(view))
    return f"{shown}, {view['points'][shown]} points" + (f" and {more} by your artisan" if more else "")


# ---- By the block of the action


def explain_choose(_: View, labels: Sequence[str]) -> str:
    """ART-2.3."""
    return DOES[labels[0]]


def explain_reserve(view: View, labels: Sequence[str]) -> str:
    """ART-8.9."""
    shown = view["row"][f"place {labels[0]}"]
    return f"{worth(view, shown)}; {levels_text(view['required'][shown])}; {lacks_text(view, mover(view), shown)}"


def explain_craft(view: View, labels: Sequence[str]) -> str:
    """ART-4.6."""
    return worth(view, view["row"][f"place {labels[0]}"])


def explain_craft_reserved(view: View, _: Sequence[str]) -> str:
    """ART-8.9."""
    return worth(view, view["reserved"])


def explain_take(view: View, labels: Sequence[str]) -> str:
    """ART-4.3."""
    card: str = view["market"][f"slot {labels[0]}"]
    return card


def explain_exchange(view: View, labels: Sequence[str]) -> str:
    """ART-4.2."""
    return f"get {view['market'][f'slot {labels[0]}']}"


def explain_token(_: View, __: Sequence[str]) -> str:
    """ART-4.7, 3.3."""
    return "you are done in the market, the others have a last action; you begin from now on"


def explain_develop(view: View, labels: Sequence[str]) -> str:
    """ART-5.1: the level, and the points that the cards bring there."""
    material, number = labels
    level = level_of(view, mover(view), material) + 1
    points = level * int(number)
    if view["artisan"][mover(view)] == "specialist" and level == LEVELS:
        points += SPECIALIST_BONUS
    return f"to level {level}, {points} point{'s' if points > 1 else ''}"


def explain_pass_turn(view: View, _: Sequence[str]) -> str:
    """ART-9.3."""
    return PASSES[view["phase"]]


EXPLAIN: dict[str, Callable[[View, Sequence[str]], str]] = {
    "choose": explain_choose,
    "reserve": explain_reserve,
    "craft": explain_craft,
    "craft_reserved": explain_craft_reserved,
    "take": explain_take,
    "exchange": explain_exchange,
    "token": explain_token,
    "develop": explain_develop,
    "pass_turn": explain_pass_turn,
}
"""Block of actions -> what an action of it does."""


def explain(view: View, _: ArtisansOptions, action: int) -> str:
    """What a legal action does, by what its player sees; empty where its name says it."""
    played = ACTIONS.played(view["seat"], action)
    return EXPLAIN[played.block](view, played.labels) if played.block in EXPLAIN else ""
