"""The table of Artisans as text."""

from collections.abc import Sequence

from artisans_env.components import ARTISANS, BUILT_IN_EDITION, MATERIALS
from artisans_env.constants import LEVELS, MARKET_SLOTS, ROUNDS, ROW_PLACES, Artisan, Phase
from artisans_env.options import ArtisansOptions
from artisans_env.rules.piles import seat_of, shown_object
from artisans_env.scoring import is_over, score_of
from artisans_env.state import NEXT, RESERVED
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.types import Integers

GAP = 2
ASKED = {
    Phase.DRAFT: "chooses an artisan",
    Phase.RESERVE: "may reserve an object",
    Phase.TURN: "visits the market, crafts, or takes the token",
    Phase.NIGHT: "has crafted and may go on (night worker)",
    Phase.LAST: "has a last action",
    Phase.SECOND: "may visit the market once more (opportunist)",
    Phase.DEVELOP: "may develop a material",
    Phase.FINISH: "may craft one more object",
}


def cards_text(counts: Integers) -> str:
    """Materials by name: `clay x2, gold`."""
    cards = [f"{MATERIALS[material]}{f' x{count}' if count > 1 else ''}" for material, count in enumerate(counts) if count]
    return ", ".join(cards) or "-"


def requires_text(game: State, each: int) -> str:
    """What an object requires: `clay 2, gold 2`."""
    return ", ".join(f"{MATERIALS[material]} {level}" for material, level in enumerate(game.required[each]) if level)


def market_text(game: State) -> str:
    """The slots of the circle in order."""
    slots = [int(game.market[slot]) for slot in range(MARKET_SLOTS)]
    shown = [f"{slot}: {MATERIALS[material] if material != NOBODY else '·'}" for slot, material in enumerate(slots)]
    return f"{'   '.join(shown)}   (slot {MARKET_SLOTS - 1} is next to slot 0)"


def lacks_text(game: State, seat: int, number: int) -> str:
    """Who has the levels for an open object, and what the seat lacks."""
    shown = shown_object(game, number)
    lacks = [
        f"{MATERIALS[material]} {level - game.level[seat, material]}"
        for material, level in enumerate(game.required[shown])
        if level > game.level[seat, material]
    ]
    others = [f"player_{other}" for other in range(game.num_players) if other != seat and game.lacking[other, number] == 0]
    own = f"you lack {', '.join(lacks)}" if lacks else "you have the levels"
    return f"{own}; levels reached by {', '.join(others)}" if others else own


def object_rows(game: State, seat: int, names: Sequence[str]) -> list[Sequence[str]]:
    """One line for each open object."""
    titles = {NEXT: "next", RESERVED: f"reserved by player_{int(seat_of(game, Artisan.PROVIDENT))}"}
    rows: list[Sequence[str]] = []
    for number in (*range(ROW_PLACES), NEXT, RESERVED):
        shown = int(shown_object(game, number))
        title = titles.get(number, f"row {number}")
        if shown != NOBODY:
            points = f"{int(game.points[shown])} points"
            rows.append((title, names[shown], points, requires_text(game, shown), lacks_text(game, seat, number)))
        elif number < ROW_PLACES:
            rows.append((title, "·", "", "", ""))
    return rows


def developed_text(game: State, seat: int) -> str:
    """Developed materials with the cards at each level: `clay 3-2`."""
    cells = []
    for material, level in enumerate(game.level[seat]):
        if level:
            cells.append(f"{MATERIALS[material]} {'-'.join(str(cards) for cards in game.developed[seat, material, :level])}")
    return ", ".join(cells) or "nothing"


def seat_lines(game: State, seat: int, names: Sequence[str]) -> list[str]:
    """What lies before a player."""
    artisan = int(game.artisan[seat])
    marks = [
        *(["first player"] if game.first_player == seat else []),
        *([f"{int(game.visits[seat])} of {int(game.max_visits)} visits"] if game.visits[seat] else []),
        *(["crafted this round"] if game.crafted[seat] else []),
    ]
    objects = [names[each] for each, maker in enumerate(game.maker) if maker == seat]
    title = (
        f"player_{seat} · {ARTISANS[artisan] if artisan != NOBODY else 'no artisan yet'} · score {int(score_of(game, seat))}"
    )
    return [
        " · ".join([title, *marks]),
        f"  developed (cards at levels 1 to {LEVELS}): {developed_text(game, seat)}",
        f"  objects: {', '.join(objects) or 'none'}",
    ]


def hand_line(game: State, other: int) -> str:
    """What all know of another hand."""
    unknown = int(game.hand_size[other]) - int(game.known[other].sum())
    known = cards_text(game.known[other])
    return f"  hand: {unknown} unknown" + ("" if known == "-" else f", {known}")


def grid(rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of cells, columns as wide as they need to be."""
    widths = [max(len(row[column]) for row in rows) + GAP for column in range(len(rows[0]))]
    return ["".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def status(game: State) -> str:
    """Whose decision it is, and which."""
    if is_over(game):
        return "game over"
    token = f"player_{int(game.first_player)} has the token" if game.token_taken else "token in the centre"
    return f"{token} · player_{int(game.seat)} {ASKED[Phase(int(game.phase))]}"


def supply_text(game: State) -> str:
    """Pile, discard and decks."""
    return (
        f"pile {int(game.pile_size)} · discard: {cards_text(game.discard)} · "
        f"deck 1: {int(game.deck_1_size)} · deck 2: {int(game.deck_2_size)}"
    )


def text(game: State, options: ArtisansOptions, seat: int, moves: Sequence[str]) -> str:
    """The table as the player at `seat` sees it: market and objects, the other players clockwise, the own cards below."""
    names = options.cards.names()
    edition = "built-in edition: a reconstruction" if options.cards == BUILT_IN_EDITION else f"edition {options.cards.title}"
    objects = grid(object_rows(game, seat, names))
    rule = "-" * max(len(line) for line in objects)
    lines = [
        f"Artisans ({edition}) · round {int(game.round_number)} of {ROUNDS} · {status(game)}",
        *(rule, f"market  {market_text(game)}", *objects, supply_text(game), rule),
    ]
    players = int(game.num_players)
    for other in ((seat + place) % players for place in range(1, players)):
        lines += [*seat_lines(game, other, names), hand_line(game, other)]
    lines += [rule, *seat_lines(game, seat, names), f"  your hand: {cards_text(game.hand[seat])}"]
    if moves:
        lines.append("last moves: " + "; ".join(moves))
    return "\n".join(lines)
