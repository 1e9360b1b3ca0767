"""The table of Muster as text, drawn from what a seat sees."""

from collections import Counter
from collections.abc import Sequence

from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, View
from muster_env.components import BANNERS, BRIDGE_PIECE, CARDS, PIECES, TROOPS
from muster_env.constants import BRIDGE_STRENGTH, CASTLES, PLAYERS, WIZARD_STRENGTH, Phase
from muster_env.options import MusterOptions

TITLE_WIDTH = 10
GAP = 3
CARDS_SHOWN = 3  # cards of a castle space
ASKED = {Phase.ACTION: "takes an action", Phase.DRAW: "draws ({} due)", Phase.PLACE: "places the turned-up {}"}
STRENGTH = {piece: BRIDGE_STRENGTH if piece == BRIDGE_PIECE else int(piece.split()[1]) for piece in PIECES}
assert {*STRENGTH.values()} == {troop.strength for troop in TROOPS}


def short_card(card: str, castle: str) -> str:
    """A banner card by its strength, with its banner where it is not the castle's: `3`, `cloud 3`."""
    return card.removeprefix(f"{castle} ")


def hand_text(counts: dict[str, int]) -> str:
    """Cards by name: `water 1 x2, wizard/bridge`."""
    cards = [f"{card}{f' x{counts[card]}' if counts[card] > 1 else ''}" for card in CARDS if counts.get(card)]
    return ", ".join(cards) or "-"


# ---- Columns


def strength(view: View, side: str, castle: str) -> int:
    """The total strength of a column (MUS-6.2)."""
    return sum(STRENGTH[piece] for piece in view["column"][side][castle]) + WIZARD_STRENGTH * wizards(view, side, castle)


def wizards(view: View, side: str, castle: str) -> int:
    """The Wizards on top of a column."""
    number: int = view["wizards"][side].get(castle, 0)
    return number


def standing(view: View, side: str, castle: str) -> tuple[int, int]:
    """What decides who gets a castle: strength, then banner cards (MUS-6.2, 6.3)."""
    return strength(view, side, castle), sum(piece != BRIDGE_PIECE for piece in view["column"][side][castle])


def column_cell(view: View, side: str, castle: str) -> str:
    """A column, bottom card first, and its strength: `1-B-3-W = 11`."""
    pieces = ["B" if piece == BRIDGE_PIECE else short_card(piece, castle) for piece in view["column"][side][castle]]
    shown = pieces + ["W"] * wizards(view, side, castle)
    return f"{'-'.join(shown)} = {strength(view, side, castle)}" if shown else "·"


def holder(view: View, castle: str) -> str | None:
    """Who would get a castle now (MUS-6.2, 6.3)."""
    first, second = (standing(view, side, castle) for side in SEATS[:PLAYERS])
    return None if first == second else SEATS[0] if first > second else SEATS[1]


def holder_cell(view: View, own: str, castle: str) -> str:
    """Who would get a castle now, as a player says it."""
    side = holder(view, castle)
    return "nobody's" if side is None else "yours" if side == own else "theirs"


def castle_cell(view: View, castle: str) -> str:
    """A castle space, top card first."""
    cards = view["castle"][castle][::-1]
    more = [f"{len(cards) - CARDS_SHOWN} more"] if len(cards) > CARDS_SHOWN else []
    return ", ".join([short_card(card, castle) for card in cards[:CARDS_SHOWN]] + more) or "·"


def grid(rows: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Lines with a title and one cell per castle, columns as wide as they need to be."""
    widths = [max(len(cells[castle]) for _, cells in rows) + GAP for castle in range(CASTLES)]
    lines = []
    for title, cells in rows:
        padded = "".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
        lines.append(f"{title:<{TITLE_WIDTH}}{padded}".rstrip())
    return lines


# ---- The whole


def is_over(view: View) -> bool:
    """Whether the last card is drawn, or the game is cut off (MUS-6.1, 6.5)."""
    return (not view["pile"] and view["turned_up"] is None) or view["turn"] >= view["max_turns"]


def status(view: View) -> str:
    """Whose decision it is, and which."""
    if is_over(view):
        return "game over"
    phase = Phase.DRAW if view["draws_due"] else Phase.PLACE if view["turned_up"] else Phase.ACTION
    return f"{SEATS[view['seat']]} {ASKED[phase].format(view['draws_due'] or view['turned_up'])}"


def text(view: View, _: MusterOptions, seat: int, moves: Sequence[str]) -> str:
    """The table as the player at `seat` sees it: the other side above, the own side and hand below."""
    own, other = SEATS[seat], SEATS[1 - seat]
    table = grid(
        [
            ("castle", [name.upper() for name in BANNERS]),
            (other, [column_cell(view, other, castle) for castle in BANNERS]),
            ("space", [castle_cell(view, castle) for castle in BANNERS]),
            (own, [column_cell(view, own, castle) for castle in BANNERS]),
            ("", [holder_cell(view, own, castle) for castle in BANNERS]),
        ]
    )
    rule = "-" * max(len(line) for line in table)
    theirs = Counter(view["hand"][other])
    lines = [
        f"Muster · turn {view['turn'] + 1} of at most {view['max_turns']} · pile {len(view['pile'])} · {status(view)}",
        *(rule, *table, rule),
        f"your hand ({own}): {hand_text(view['hand'][own])}",
        f"their hand ({other}): {hand_text(theirs)} and {theirs[HIDDEN]} unknown",
    ]
    if moves:
        lines.append("last moves: " + "; ".join(moves))
    return "\n".join(lines)
