"""The table of Muster as text, drawn from what a seat sees."""

from collections import Counter
from collections.abc import Sequence

from cardtable.game.look import Look, Sign
from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, View
from muster_env.components import BANNERS, BRIDGE_PIECE, CARDS, PIECES, TROOPS
from muster_env.constants import BRIDGE_STRENGTH, CASTLES, WIZARD_STRENGTH, Phase
from muster_env.options import MusterOptions

TITLE_WIDTH = 10
GAP = 3
CARDS_SHOWN = (3, 1)  # cards of a castle space; fewer where the window is narrow
ASKED = {Phase.ACTION: "takes an action", Phase.DRAW: "draws ({} due)", Phase.PLACE: "places the turned-up {}"}
STRENGTH = {piece: BRIDGE_STRENGTH if piece == BRIDGE_PIECE else int(piece.split()[1]) for piece in PIECES}
assert {*STRENGTH.values()} == {troop.strength for troop in TROOPS}

BANNER_COLOURS = {"water": "blue", "feather": "bold", "cloud": "cyan", "sun": "yellow", "leaf": "green"}
LEGEND = (
    Sign("WATER to LEAF", "the five castles, each with the banner of that name",
         {rf"(?i)\b{banner}\b": colour for banner, colour in BANNER_COLOURS.items()}),
    Sign("sun 3", "a banner card: its banner and its strength, 1 to 5"),
    Sign("1-B-3-W = 11", "a column, the bottom card first, and its strength: banner cards by strength, B a Bridge (1), "
         "W a Wizard (6); a card of another banner has its name with it"),
    Sign("space", "the castle space that both sides share, top card first: only the top card can be drawn"),
    Sign("wizard/bridge, rainbow castle", "the Rainbow cards; while a rainbow castle is on top of a space, any banner may "
         "go into its columns", {r"(?i)\b(?:wizard/bridge|rainbow castle|wizard|bridge|rainbow)\b": "magenta"}),
    Sign("yours, theirs, nobody's", "who would get the castle if the game ended now: strength, then banner cards",
         {r"\byours\b|\byou\b": "bold"}),
    Sign("4 to 7, theirs 6", "beside a move: how strong your column becomes, and the other one at that castle"),
    Sign("empty; on 3; wild", "beside a card for a castle space: nothing lies there, what it covers, or that any banner may "
         "now go there; cards that a rainbow castle buries are out of reach for good"),
)  # fmt: skip


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


def holder_cell(view: View, own: str, other: str, castle: str) -> str:
    """Who would get a castle now (MUS-6.2, 6.3)."""
    mine, theirs = standing(view, own, castle), standing(view, other, castle)
    return "nobody's" if mine == theirs else "yours" if mine > theirs else "theirs"


def castle_cell(view: View, castle: str, shown: int) -> str:
    """A castle space, top card first, at most so many cards."""
    cards = view["castle"][castle][::-1]
    more = [f"{len(cards) - shown} more"] if len(cards) > shown else []
    return ", ".join([short_card(card, castle) for card in cards[:shown]] + more) or "·"


def grid(rows: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
    """Lines with a title and one cell per castle, columns as wide as they need to be."""
    widths = [max(len(cells[castle]) for _, cells in rows) + GAP for castle in range(CASTLES)]
    lines = []
    for title, cells in rows:
        padded = "".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True))
        lines.append(f"{title:<{TITLE_WIDTH}}{padded}".rstrip())
    return lines


def castle_lines(view: View, look: Look) -> list[str]:
    """The castles beside each other; below each other where the window is too narrow for that."""
    own, other = look.own, SEATS[1 - look.seat]
    holders = [holder_cell(view, own, other, castle) for castle in BANNERS]
    for shown in CARDS_SHOWN:
        rows = [
            (look.name(other), [column_cell(view, other, castle) for castle in BANNERS]),
            ("space", [castle_cell(view, castle, shown) for castle in BANNERS]),
            (look.name(own), [column_cell(view, own, castle) for castle in BANNERS]),
        ]
        lines = grid([("castle", [name.upper() for name in BANNERS]), *rows, ("", holders)])
        if look.fits(lines):
            return lines
    listed = []
    for number, castle in enumerate(BANNERS):
        listed.append(f"{castle.upper()}: {holders[number]}")
        listed += [f"  {title:<{TITLE_WIDTH}}{cells[number]}" for title, cells in rows]
    return look.text(listed).split("\n")


# ---- The whole


def status(view: View, look: Look) -> str:
    """Whose decision it is, and which."""
    if (not view["pile"] and view["turned_up"] is None) or view["turn"] >= view["max_turns"]:
        return "game over"
    phase = Phase.DRAW if view["draws_due"] else Phase.PLACE if view["turned_up"] else Phase.ACTION
    return look.sentence(SEATS[view["seat"]], ASKED[phase].format(view["draws_due"] or view["turned_up"]))


def text(view: View, _: MusterOptions, look: Look) -> str:
    """The table as the player at a seat sees it: the other side above, the own side and hand below."""
    other = SEATS[1 - look.seat]
    table = castle_lines(view, look)
    rule = "-" * max(len(line) for line in table)
    theirs, turn = Counter(view["hand"][other]), view["turn"] + 1
    return look.text(
        [
            f"Muster · turn {turn} of at most {view['max_turns']} · pile {len(view['pile'])} · {status(view, look)}",
            *(rule, *table, rule),
            f"your hand{'' if look.is_person else f', {look.own}'}: {hand_text(view['hand'][look.own])}",
            f"their hand, {look.title(other)}: {hand_text(theirs)} and {theirs[HIDDEN]} unknown",
            *look.last_moves(),
        ]
    )
