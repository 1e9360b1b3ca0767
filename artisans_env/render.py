"""The table of Artisans as text, drawn from what a seat sees."""

from collections.abc import Mapping, Sequence

from artisans_env.components import BUILT_IN_EDITION, MATERIALS
from artisans_env.constants import (
    COLLECTOR_BONUS,
    GOLD_LOVER_BONUS,
    LEVELS,
    MARKET_SLOTS,
    ROUNDS,
    SCULPTOR_BONUS,
    SPECIALIST_BONUS,
    VERSATILE_BONUS,
)
from artisans_env.options import ArtisansOptions
from artisans_env.state import LEVEL_NAMES, PHASE_NAMES
from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, View

GAP = 2
ASKED = {
    "draft": "chooses an artisan",
    "reserve": "may reserve an object",
    "turn": "visits the market, crafts, or takes the token",
    "night": "has crafted and may go on (night worker)",
    "last": "has a last action",
    "second": "may visit the market once more (opportunist)",
    "develop": "may develop a material",
    "finish": "may craft one more object",
}
assert (*ASKED, "over") == PHASE_NAMES


def cards_text(counts: Mapping[str, int]) -> str:
    """Materials by name: `clay x2, gold`."""
    cards = [
        f"{material}{f' x{counts[material]}' if counts[material] > 1 else ''}" for material in MATERIALS if material in counts
    ]
    return ", ".join(cards) or "-"


def levels_text(levels: Mapping[str, int]) -> str:
    """Materials with levels: `clay 2, gold 2`."""
    return ", ".join(f"{material} {level}" for material, level in levels.items())


# ---- What follows from what lies before a player


def level_of(view: View, side: str, material: str) -> int:
    """The level to which a player has developed a material: every level up to it has cards (ART-5.1)."""
    return len(view["developed"][side][material])


def lacking(view: View, side: str, shown: str) -> dict[str, int]:
    """The levels that a player lacks for an object, by material (ART-4.6)."""
    missing = {material: level - level_of(view, side, material) for material, level in view["required"][shown].items()}
    return {material: levels for material, levels in missing.items() if levels > 0}


def objects_of(view: View, side: str) -> list[str]:
    """The objects that a player has crafted."""
    return [each for each, maker in view["maker"].items() if maker == side]


def level_points(view: View, side: str) -> int:
    """The sum of the levels of all developed cards (ART-6.2)."""
    developed = view["developed"][side].values()
    return sum(level * cards.get(name, 0) for cards in developed for level, name in enumerate(LEVEL_NAMES, start=1))


def bonus(view: View, side: str) -> int:
    """What its artisan adds to the score of a player (ART-8.1 to 8.4, 8.7)."""
    artisan, required = view["artisan"][side], [view["required"][each] for each in objects_of(view, side)]
    if artisan == "gold_lover":
        return GOLD_LOVER_BONUS * sum("gold" in needed for needed in required)
    if artisan == "sculptor":
        return SCULPTOR_BONUS * sum("wood" in needed or "stone" in needed for needed in required)
    if artisan == "versatile":
        return VERSATILE_BONUS * len({material for needed in required for material in needed})
    if artisan == "specialist":
        return SPECIALIST_BONUS * sum(level_of(view, side, material) == LEVELS for material in MATERIALS)
    return COLLECTOR_BONUS * len(required) if artisan == "compulsive_collector" else 0


def reserved_by(view: View, side: str) -> str | None:
    """The object that a player has reserved (ART-8.9)."""
    reserved: str | None = view["reserved"] if view["artisan"][side] == "provident" else None
    return reserved


def penalty(view: View, side: str) -> int:
    """The points of an uncrafted reserved object (ART-6.2, 8.9)."""
    reserved = reserved_by(view, side)
    points: int = view["points"][reserved] if reserved is not None else 0
    return points


def score(view: View, side: str) -> int:
    """Levels, objects and bonus, less the penalty, as things stand (ART-6.2)."""
    object_points: int = sum(view["points"][each] for each in objects_of(view, side))
    return level_points(view, side) + object_points + bonus(view, side) - penalty(view, side)


def standing(view: View, side: str) -> tuple[int, int, int]:
    """What decides the game: score, objects, developed cards (ART-6.3)."""
    developed = sum(sum(cards.values()) for cards in view["developed"][side].values())
    return score(view, side), len(objects_of(view, side)), developed


def winners(view: View) -> list[str]:
    """Who wins as things stand (ART-6.3)."""
    sides = SEATS[: view["num_players"]]
    best = max(standing(view, side) for side in sides)
    return [side for side in sides if standing(view, side) == best]


# ---- Market and objects


def market_text(view: View) -> str:
    """The slots of the circle in order."""
    shown = [f"{slot}: {material or '·'}" for slot, material in enumerate(view["market"].values())]
    return f"{'   '.join(shown)}   (slot {MARKET_SLOTS - 1} is next to slot 0)"


def lacks_text(view: View, side: str, shown: str) -> str:
    """Who has the levels for an open object, and what the player lacks."""
    lacks = lacking(view, side, shown)
    others = [other for other in view["developed"] if other != side and not lacking(view, other, shown)]
    own = f"you lack {levels_text(lacks)}" if lacks else "you have the levels"
    return f"{own}; levels reached by {', '.join(others)}" if others else own


def object_row(view: View, side: str, title: str, shown: str) -> Sequence[str]:
    """The line of an open object."""
    return title, shown, f"{view['points'][shown]} points", levels_text(view["required"][shown]), lacks_text(view, side, shown)


def object_rows(view: View, side: str) -> list[Sequence[str]]:
    """One line for each open object, and for each empty place of the row."""
    rows: list[Sequence[str]] = []
    for number, shown in enumerate(view["row"].values()):
        title = f"row {number}"
        rows.append((title, "·", "", "", "") if shown is None else object_row(view, side, title, shown))
    deck = view["deck_1"] or view["deck_2"]  # ART-3.2
    if deck:
        rows.append(object_row(view, side, "next", deck[-1]))
    if view["reserved"] is not None:
        provident = next(other for other, artisan in view["artisan"].items() if artisan == "provident")
        rows.append(object_row(view, side, f"reserved by {provident}", view["reserved"]))
    return rows


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, columns as wide as they need to be."""
    widths = [max(len(row[column]) for row in rows) + GAP for column in range(len(rows[0]))]
    return ["".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def supply_text(view: View) -> str:
    """Pile, discard and decks."""
    return (
        f"pile {len(view['pile'])} · discard: {cards_text(view['discard'])} · "
        f"deck 1: {len(view['deck_1'])} · deck 2: {len(view['deck_2'])}"
    )


# ---- Players


def developed_text(view: View, side: str) -> str:
    """Developed materials with the cards at each level: `clay 3-2`."""
    developed = view["developed"][side].items()
    return ", ".join(f"{material} {'-'.join(map(str, cards.values()))}" for material, cards in developed if cards) or "nothing"


def marks(view: View, side: str) -> list[str]:
    """Who is first player, and what a player has done this round."""
    return [
        *(["first player"] if view["first_player"] == side else []),
        *([f"{view['visits'][side]} of {view['max_visits']} visits"] if view["visits"][side] else []),
        *(["crafted this round"] if view["crafted"][side] else []),
    ]


def seat_lines(view: View, side: str) -> list[str]:
    """What lies before a player."""
    title = f"{side} · {view['artisan'][side] or 'no artisan yet'} · score {score(view, side)}"
    return [
        " · ".join([title, *marks(view, side)]),
        f"  developed (cards at levels 1 to {LEVELS}): {developed_text(view, side)}",
        f"  objects: {', '.join(objects_of(view, side)) or 'none'}",
    ]


def hand_line(hand: Mapping[str, int]) -> str:
    """What all know of another hand."""
    known = cards_text(hand)
    return f"  hand: {hand.get(HIDDEN, 0)} unknown" + ("" if known == "-" else f", {known}")


# ---- The whole


def status(view: View) -> str:
    """Whose decision it is, and which."""
    if view["phase"] == "over":
        return "game over"
    token = f"{view['first_player']} has the token" if view["token_taken"] else "token in the centre"
    return f"{token} · {SEATS[view['seat']]} {ASKED[view['phase']]}"


def edition_text(options: ArtisansOptions) -> str:
    """Which objects are played with (ART-1.4)."""
    return "built-in edition: a reconstruction" if options.cards == BUILT_IN_EDITION else f"edition {options.cards.title}"


def text(view: View, options: ArtisansOptions, seat: int, moves: Sequence[str]) -> str:
    """The table as the player at `seat` sees it: market and objects, the other players clockwise, the own cards below."""
    own, players = SEATS[seat], view["num_players"]
    objects = grid(object_rows(view, own))
    rule = "-" * max(len(line) for line in objects)
    lines = [
        f"Artisans ({edition_text(options)}) · round {view['round_number']} of {ROUNDS} · {status(view)}",
        *(rule, f"market  {market_text(view)}", *objects, supply_text(view), rule),
    ]
    for other in (SEATS[(seat + place) % players] for place in range(1, players)):
        lines += [*seat_lines(view, other), hand_line(view["hand"][other])]
    lines += [rule, *seat_lines(view, own), f"  your hand: {cards_text(view['hand'][own])}"]
    if moves:
        lines.append("last moves: " + "; ".join(moves))
    return "\n".join(lines)
