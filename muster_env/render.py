"""The table of Muster as text."""

from collections.abc import Sequence

from cardtable.engine.constants import NOBODY
from cardtable.types import Integers
from muster_env.components import BANNERS, CARDS
from muster_env.constants import BANNER_KINDS, BRIDGE, CASTLES, HAND_SIZE, STRENGTH_WORTH, STRENGTHS, Phase
from muster_env.options import MusterOptions
from muster_env.rules.turn import phase_of
from muster_env.scoring import holder, is_over
from muster_env.types import State

TITLE_WIDTH = 10
GAP = 3
CARDS_SHOWN = 3  # cards of a castle space
ASKED = {Phase.ACTION: "takes an action", Phase.DRAW: "draws", Phase.PLACE: "places the turned-up"}


def short_card(card: int, castle: int) -> str:
    """A banner card by its strength, with its banner where it is not the castle's: `3`, `cloud 3`."""
    banner = card // STRENGTHS
    return str(card % STRENGTHS + 1) if banner == castle else f"{BANNERS[banner]} {card % STRENGTHS + 1}"


def hand_text(counts: Integers) -> str:
    """Cards by name: `water 1 x2, wizard/bridge`."""
    cards = [f"{CARDS[card]}{f' x{count}' if count > 1 else ''}" for card, count in enumerate(counts) if count]
    return ", ".join(cards) or "-"


def column_cell(game: State, side: int, castle: int) -> str:
    """A column, bottom card first, and its strength: `1-B-3-W = 11`."""
    pieces = game.column[side, castle, : game.column_size[side, castle]]
    shown = ["B" if piece == BRIDGE else short_card(int(piece), castle) for piece in pieces] + ["W"] * int(
        game.wizards[side, castle]
    )
    return f"{'-'.join(shown)} = {game.standing[side, castle] // STRENGTH_WORTH}" if shown else "·"


def castle_cell(game: State, castle: int) -> str:
    """A castle space, top card first."""
    cards = game.castle[castle, : game.castle_size[castle]][::-1]
    shown = [short_card(int(card), castle) if card < BANNER_KINDS else CARDS[card] for card in cards[:CARDS_SHOWN]]
    more = [f"{len(cards) - CARDS_SHOWN} more"] if len(cards) > CARDS_SHOWN else []
    return ", ".join(shown + more) or "·"


def grid(rows: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Lines with a title and one cell per castle, columns as wide as they need to be."""
    widths = [max(len(cells[castle]) for _, cells in rows) + GAP for castle in range(CASTLES)]
    lines = []
    for title, cells in rows:
        padded = "".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
        lines.append(f"{title:<{TITLE_WIDTH}}{padded}".rstrip())
    return lines


def holder_cells(game: State, seat: int) -> list[str]:
    """Who would get each castle now, as the seat sees it."""
    holders = [int(holder(game, castle)) for castle in range(CASTLES)]
    return ["nobody's" if side == NOBODY else "yours" if side == seat else "theirs" for side in holders]


def status(game: State) -> str:
    """Whose decision it is, and which."""
    if is_over(game):
        return "game over"
    asked = ASKED[Phase(int(phase_of(game)))]
    if phase_of(game) == Phase.PLACE:
        asked += f" {CARDS[int(game.turned_up)]}"
    if phase_of(game) == Phase.DRAW:
        asked += f" ({int(game.draws_due)} due)"
    return f"player_{int(game.seat)} {asked}"


def text(game: State, _: MusterOptions, seat: int, moves: Sequence[str]) -> str:
    """The table as the player at `seat` sees it: the other side above, the own side and hand below."""
    other = 1 - seat
    hidden = HAND_SIZE - (int(game.draws_due) if other == game.seat else 0) - int(game.known[other].sum())
    castles = range(CASTLES)
    table = grid(
        [
            ("castle", [name.upper() for name in BANNERS]),
            (f"player_{other}", [column_cell(game, other, castle) for castle in castles]),
            ("space", [castle_cell(game, castle) for castle in castles]),
            (f"player_{seat}", [column_cell(game, seat, castle) for castle in castles]),
            ("", holder_cells(game, seat)),
        ]
    )
    rule = "-" * max(len(line) for line in table)
    lines = [
        f"Muster · turn {int(game.turn) + 1} of at most {int(game.max_turns)} · pile {int(game.pile_size)} · {status(game)}",
        *(rule, *table, rule),
        f"your hand (player_{seat}): {hand_text(game.hand[seat])}",
        f"their hand (player_{other}): {hand_text(game.known[other])} and {hidden} unknown",
    ]
    if moves:
        lines.append("last moves: " + "; ".join(moves))
    return "\n".join(lines)
