"""The table of Muster as a picture, drawn from what a seat sees: castles in a row, a side above them and one below."""

from collections.abc import Iterable, Mapping, Sequence

from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, View
from cardtable.support import svg
from cardtable.support.svg import Paint, Theme
from muster_env.components import BANNER_CARDS, BANNERS, BRIDGE_PIECE, CARDS, TROOPS
from muster_env.constants import BRIDGE_STRENGTH, WIZARD_STRENGTH
from muster_env.options import MusterOptions
from muster_env.render import is_over, standing, status, strength, wizards

WIDTH = 640
EDGE = 10
HEAD = 62
PITCH = 108
"""From one castle to the next."""
CARD = 104
"""How wide cards are."""
STRIP = 25
"""What is seen of a card that lies under another in a column."""
TOP = 46
"""How high the top card of a column is."""
FEWEST = 5
"""Cards that a column has room for before the picture grows."""
BOARD = 152
BACK = 48
"""How high cards of the other hand are."""
FACE = 116
"""How high cards of the own hand are."""
SIDE = EDGE + 5 * PITCH + 2
"""Where pile and turned-up card lie."""

PAINTS = {
    "water": Paint("#0072b2", "#4fb0ea"),
    "feather": Paint("#a8437f", "#e594c4"),
    "cloud": Paint("#66717d", "#b6c2ce"),
    "sun": Paint("#c77f00", "#f3b73e"),
    "leaf": Paint("#007a58", "#3fc79b"),
    "magic": Paint("#5b3f8c", "#bfa5f0"),
    "board": Paint("#e6dcc8", "#272d34"),
    "lead": Paint("#dfeedd", "#2f4a3b"),
}
"""Okabe and Ito's colours, each banner with a symbol of its own besides; rainbow cards; the board; who holds a castle."""

SHAPES = {
    "water": "M0-11C5-4 8 0 8 4A8 8 0 0 1-8 4C-8 0-5-4 0-11Z",
    "feather": "M-11 12L-6 5C-9-1-2-10 10-11C10-2 4 6-4 7L-9 12Z",
    "cloud": "M-7 8A5.5 5.5 0 0 1-7-3A7 7 0 0 1 6-4A6 6 0 0 1 7 8Z",
    "sun": "M0-12L3-6 9-9 6-3 12 0 6 3 9 9 3 6 0 12-3 6-9 9-6 3-12 0-6-3-9-9-3-6Z",
    "leaf": "M-11 11L-7 6C-12-4-1-11 11-11C11 1 4 10-5 8L-9 12Z",
    "wizard": "M1-12L6 4L11 9L-11 9L-6 4Z",
    "bridge": "M-12 9L-12-4L12-4L12 9L7 9A7 7 0 0 0-7 9Z",
    "castle": "M-10 10L-10-9L-6-9L-6-5L-2-5L-2-9L2-9L2-5L6-5L6-9L10-9L10 10L3 10L3 4A3 3 0 0 0-3 4L-3 10Z",
}
"""Symbols around the origin, 24 wide and high."""

TROOP = {troop.strength: troop.name for troop in TROOPS}
OPTIONS = ("streamlined", "power_of_unity", "over_the_rainbow")


# ---- Cards


def symbol(kind: str, x: float, y: float, size: float, fill: str | None = None) -> str:
    """A banner or a rainbow card as a symbol around a place."""
    drawn = svg.path(SHAPES[kind], fill=fill or (kind if kind in PAINTS else "magic"), line="none")
    return svg.element("g", drawn, transform=f"translate({x} {y}) scale({size / 24:.3g})")


def rainbow(height: float) -> str:
    """The stripes at the edge of a rainbow card."""
    step = (height - 8) / len(BANNERS)
    return "".join(
        svg.box(2, 4 + place * step, 4, step, fill=name, line="none", radius=0) for place, name in enumerate(BANNERS)
    )


def meaning(card: str) -> tuple[str, str, str]:
    """The symbol of a card, its strength in figures, and its name."""
    banner, _, number = card.partition(" ")
    if banner in BANNERS:
        return banner, number, banner
    if card == "wizard":
        return "wizard", str(WIZARD_STRENGTH), "Wizard"
    if card == BRIDGE_PIECE:
        return "bridge", str(BRIDGE_STRENGTH), "Bridge"
    return ("castle", "", "Rainbow Castle") if card == "rainbow castle" else ("wizard", "W/B", "Wizard/Bridge")


def small_card(card: str, height: float = TOP) -> str:
    """A card of which symbol, strength and name are seen."""
    kind, number, name = meaning(card)
    paint = kind if kind in PAINTS else "magic"
    return "".join(
        [
            svg.box(0, 0, CARD, height, line=paint),
            "" if kind in BANNERS else rainbow(height),
            symbol(kind, 24, height / 2, 26),
            svg.words(42, height / 2 - (1 if number else -5), number, size=19, bold=True),
            svg.words(42, height / 2 + (16 if number else 5), name, size=14, width=CARD - 45),
        ]
    )


def strip(card: str) -> str:
    """What is seen of a card under another."""
    kind, number, name = meaning(card)
    return "".join(
        [
            symbol(kind, 16, STRIP / 2, 18),
            svg.words(30, STRIP / 2 + 6, number, size=16, bold=True),
            svg.words(44, STRIP / 2 + 5, name, size=14, fill="faint", width=CARD - 47),
        ]
    )


def hand_card(card: str, *, clickable: bool) -> str:
    """A card of a hand that is seen."""
    if card == "wizard/bridge":
        return wizard_bridge(clickable=clickable)
    kind, number, name = meaning(card)
    if card == "rainbow castle":
        lines = [
            svg.words(CARD / 2, y, word, size=15, anchor="middle", bold=True) for y, word in ((82, "Rainbow"), (101, "Castle"))
        ]
        face = svg.box(0, 0, CARD, FACE, line="magic") + rainbow(FACE) + symbol(kind, CARD / 2, 38, 46) + "".join(lines)
        return clicked(["lay_castle"], face, card, clickable=clickable)
    face = "".join(
        [
            svg.box(0, 0, CARD, FACE, line=kind),
            symbol(kind, 32, 38, 42),
            svg.words(78, 53, number, size=40, anchor="middle", bold=True),
            svg.words(CARD / 2, 84, name, size=17, anchor="middle", bold=True),
            svg.words(CARD / 2, 104, TROOP[int(number)], size=15, anchor="middle", fill="faint"),
        ]
    )
    return clicked([f"{block}:{card}" for block in ("play", "lay", "bridge", "swap")], face, card, clickable=clickable)


def wizard_bridge(*, clickable: bool) -> str:
    """The card that is played as either of its halves."""
    half = FACE / 2
    halves = []
    for place, (kind, block) in enumerate((("wizard", "wizard"), (BRIDGE_PIECE, "bridge"))):
        _, number, name = meaning(kind)
        drawn = svg.at(
            0,
            place * half,
            svg.box(1, 1, CARD - 2, half - 2, line="none"),
            symbol(kind, 26, half / 2, 30),
            svg.words(46, half / 2 - 1, number, size=21, bold=True),
            svg.words(46, half / 2 + 17, name, size=15, width=CARD - 49),
        )
        halves.append(clicked([block, "lay_wizard"], drawn, f"wizard/bridge as a {name}", clickable=clickable))
    line = svg.path(f"M8 {half}H{CARD - 8}", line="magic")
    return svg.box(0, 0, CARD, FACE, line="magic") + "".join(halves) + rainbow(FACE) + line


def back(height: float) -> str:
    """A card face down."""
    return svg.box(0, 0, CARD, height, fill="back") + svg.words(
        CARD / 2, height / 2 + 7, "?", size=20, anchor="middle", fill="faint"
    )


def clicked(names: Iterable[str], drawn: str, label: str, *, clickable: bool) -> str:
    """What the viewer can click if it decides."""
    return svg.part(names, drawn, label=label) if clickable else drawn


# ---- Columns


def pieces(view: View, side: str, castle: str) -> list[str]:
    """A column, the bottom first, Wizards included."""
    return view["column"][side][castle] + ["wizard"] * wizards(view, side, castle)


def depth(view: View, side: str) -> int:
    """Cards that the columns of a side need room for."""
    return max(FEWEST, *(len(pieces(view, side, castle)) for castle in BANNERS))


def piece_names(castle: str, piece: str, *, own: bool) -> list[str]:
    """What a Wizard or Bridge that lies in a column can be clicked for: to swap it, and to move an own Wizard."""
    moved = [f"move:from {castle} to {goal}" for goal in BANNERS if goal != castle] if own and piece == "wizard" else []
    return [f"swap:*:{'own' if own else 'other'}:{castle}", *moved]


def column(view: View, side: str, castle: str, room: int, *, own: bool, clickable: bool) -> str:
    """A column, growing away from the board, in an area of `room` cards; the own one with a place for the next card."""
    drawn, cards = [], pieces(view, side, castle)
    area = (room - 1) * STRIP + TOP
    for place, piece in enumerate(cards):
        y = place * STRIP if own else area - TOP - place * STRIP
        face = small_card(piece)
        if place < len(cards) - 1:
            kind = meaning(piece)[0]
            seen = strip(piece) if own else svg.at(0, TOP - STRIP, strip(piece))
            face = svg.box(0, 0, CARD, TOP, line=kind if kind in PAINTS else "magic") + seen
        if piece in ("wizard", BRIDGE_PIECE):
            where = "your" if own else "their"
            face = clicked(
                piece_names(castle, piece, own=own), face, f"{piece} in {where} column at {castle}", clickable=clickable
            )
        drawn.append(svg.at(0, y, face))
    if own and clickable:
        y = (len(cards) - 1) * STRIP + TOP + 4 if cards else 0
        drawn.append(
            svg.at(
                0,
                y,
                svg.box(0, 0, CARD, STRIP, fill="none")
                + svg.words(CARD / 2, 17, "play here", size=13, anchor="middle", fill="faint"),
            )
        )
        moves = [f"move:from {start} to {castle}" for start in BANNERS if start != castle]
        return svg.part([f"play:*:{castle}", f"wizard:{castle}", *moves], *drawn, label=f"your column at {castle}")
    if not cards:
        y = 0 if own else area - STRIP
        drawn.append(svg.at(0, y, svg.words(CARD / 2, 17, "no cards", size=13, anchor="middle", fill="faint")))
    return "".join(drawn)


# ---- The board


def holder(view: View, castle: str) -> str | None:
    """Who would get a castle now (MUS-6.2, 6.3)."""
    first, second = (standing(view, side, castle) for side in SEATS[:2])
    return None if first == second else SEATS[0] if first > second else SEATS[1]


def held_words(view: View, castle: str, seat: int | None) -> str:
    """Who holds a castle, in words; at a tie of strength, by what."""
    side = holder(view, castle)
    if side is None:
        return "nobody's"
    whose = f"{side}'s" if seat is None else "yours" if side == SEATS[seat] else "theirs"
    tied = strength(view, SEATS[0], castle) == strength(view, SEATS[1], castle)
    return f"{whose} (cards)" if tied else whose


def under_words(cards: Sequence[str], castle: str) -> str:
    """What lies under the top card of a castle space, the highest first."""
    names = [
        ("W/B" if card == "wizard/bridge" else "castle" if card == "rainbow castle" else card.removeprefix(f"{castle} "))
        for card in cards[-2::-1]
    ]
    if not names:
        return ""
    return "under: " + ", ".join(names[:3]) + (f" +{len(names) - 3}" if len(names) > 3 else "")


def space(view: View, castle: str, seat: int | None, *, clickable: bool) -> str:
    """A castle: its banner, what lies on its space, and who holds it."""
    cards, mine = view["castle"][castle], seat is not None and holder(view, castle) == SEATS[seat]
    top = [svg.at(3, 46, svg.element("g", small_card(cards[-1], 50), transform="scale(.942 1)"))] if cards else []
    if not cards:
        top = [svg.words(CARD / 2, 76, "empty space", size=13, anchor="middle", fill="faint")]
    drawn = [
        svg.box(0, 0, CARD, BOARD, fill="lead" if mine else "card", line=castle),
        svg.path(f"M0 12V3H10V8H20V3H31V8H42V3H62V8H73V3H84V8H94V3H{CARD}V12Z", fill=castle, line="none"),
        symbol(castle, 17, 29, 22),
        svg.words(32, 35, castle.upper(), size=15, bold=True, width=CARD - 35),
        *top,
        svg.words(CARD / 2, 111, under_words(cards, castle), size=12, anchor="middle", fill="faint", width=CARD - 6),
        svg.words(CARD / 2, 132, held_words(view, castle, seat), size=15, anchor="middle", bold=True, width=CARD - 6),
    ]
    banners = [f"lay:{card}" for card in BANNER_CARDS if card.startswith(f"{castle} ")]
    spaces = [f"{block}:{castle}" for block in ("lay_wizard", "lay_castle", "draw_castle", "place")]
    return clicked([*banners, *spaces], "".join(drawn), f"castle space of {castle}", clickable=clickable)


def total(view: View, side: str, castle: str, *, clickable: bool) -> str:
    """The strength of a column; on the own side the place to say where a Bridge goes."""
    drawn = svg.box(8, 0, CARD - 16, 22, radius=11, line=castle) + svg.words(
        CARD / 2, 16, f"strength {strength(view, side, castle)}", size=13, anchor="middle", bold=True, width=CARD - 24
    )
    return clicked([f"bridge:*:{castle}"], drawn, f"bridge at {castle}", clickable=clickable)


def beside(view: View, *, clickable: bool) -> str:
    """Pile and turned-up card, at the side of the board."""
    size, width = len(view["pile"]), WIDTH - EDGE - SIDE
    layers = "".join(svg.box(2 * place, -2 * place, width - 8, 92, fill="back") for place in range(min(3, (size + 11) // 12)))
    pile = [
        layers or svg.box(0, 0, width - 8, 92, fill="none"),
        svg.words(width / 2 - 2, 40, "pile", size=16, anchor="middle"),
        svg.words(width / 2 - 2, 66, str(size), size=24, anchor="middle", bold=True),
    ]
    return svg.at(SIDE, 30, clicked(["draw_pile"], "".join(pile), f"pile of {size} cards", clickable=clickable))


def turned_up(view: View, *, clickable: bool) -> str:
    """The Rainbow card that waits to be placed."""
    card = view["turned_up"]
    if card is None:
        return ""
    face = svg.element("g", hand_card(card, clickable=False), transform="scale(.68)")
    title = svg.words(0, -6, "turned up", size=14, fill="accent", bold=True)
    return clicked(["place"], title + face, f"turned-up {card}", clickable=clickable)


# ---- The whole


def cards_of(hand: Mapping[str, int]) -> list[str]:
    """The cards of a hand that are seen, one by one, then the others."""
    return [card for card in (*CARDS, HIDDEN) for _ in range(hand.get(card, 0))]


def hand_row(view: View, side: str, height: float, *, clickable: bool) -> str:
    """A hand: seen cards as faces, the others as backs."""
    drawn = []
    for place, card in enumerate(cards_of(view["hand"][side])):
        small = small_card(card, height) if height == BACK and card != HIDDEN else ""
        face = back(height) if card == HIDDEN else small or hand_card(card, clickable=clickable)
        drawn.append(svg.at(EDGE + place * PITCH, 0, face))
    return "".join(drawn)


def called(side: str, seat: int | None) -> str:
    """A player, and whether it is the viewer."""
    return f"{side} (you)" if seat is not None and side == SEATS[seat] else side


def headline(view: View, seat: int | None) -> str:
    """Whose decision it is, and which; at the end, who won and by what."""
    if not is_over(view):
        return status(view).replace(SEATS[view["seat"]], called(SEATS[view["seat"]], seat), 1)
    held = [sum(holder(view, castle) == side for castle in BANNERS) for side in SEATS[:2]]
    ended = "the pile is empty" if not view["pile"] else "cut off"
    if held[0] == held[1]:
        return f"Game over ({ended}): a draw, {held[0]} castles each"
    winner = int(held[1] > held[0])
    return f"Game over ({ended}): {called(SEATS[winner], seat)} wins, {held[winner]} castles to {held[1 - winner]}"


def picture(view: View, _: MusterOptions, seat: int | None, theme: Theme) -> str:
    """The table as the player at `seat` sees it: the other side above, the own side and hand below. None sees all."""
    below = SEATS[seat or 0]
    above = SEATS[1 - (seat or 0)]
    clickable = seat == view["seat"] and not is_over(view)
    above_room, below_room = depth(view, above), depth(view, below)
    hand_y = HEAD + 24
    above_y = hand_y + BACK + 10
    board_y = above_y + (above_room - 1) * STRIP + TOP + 26
    below_y = board_y + BOARD + 26
    own_y = below_y + (below_room - 1) * STRIP + TOP + STRIP + 30
    rules = ", ".join(name.replace("_", " ") for name in OPTIONS if view[name]) or "as printed"
    line = f"Muster · turn {min(view['turn'] + 1, view['max_turns'])} of at most {view['max_turns']} · rules: {rules}"
    drawn = [
        svg.words(EDGE, 24, line, size=15, fill="faint", width=WIDTH - 2 * EDGE),
        svg.words(EDGE, 50, headline(view, seat), size=19, bold=True, fill="accent", width=WIDTH - 2 * EDGE),
        svg.words(EDGE, hand_y - 6, f"hand of {called(above, seat)}", size=15),
        svg.at(0, hand_y, hand_row(view, above, BACK, clickable=False)),
        svg.box(EDGE - 4, board_y - 4, 5 * PITCH + 4, BOARD + 8, fill="board"),
        *(castle_pieces(view, castle, seat, above_y, board_y, below_y, clickable=clickable) for castle in BANNERS),
        svg.at(0, board_y, beside(view, clickable=clickable)),
        svg.at(SIDE, below_y + 30, turned_up(view, clickable=clickable)),
        svg.words(EDGE, own_y - 8, f"hand of {called(below, seat)}", size=15),
        svg.at(0, own_y, hand_row(view, below, FACE, clickable=clickable)),
    ]
    return svg.document(
        WIDTH, own_y + FACE + EDGE, *drawn, name="muster", title=f"{line}. {headline(view, seat)}", paints=PAINTS, theme=theme
    )


def castle_pieces(
    view: View, castle: str, seat: int | None, above_y: float, board_y: float, below_y: float, *, clickable: bool
) -> str:
    """A castle with the columns of both sides."""
    below, above = SEATS[seat or 0], SEATS[1 - (seat or 0)]
    return svg.at(
        EDGE + BANNERS.index(castle) * PITCH,
        0,
        svg.at(0, above_y, column(view, above, castle, depth(view, above), own=False, clickable=clickable)),
        svg.at(0, below_y, column(view, below, castle, depth(view, below), own=True, clickable=clickable)),
        svg.at(0, board_y, space(view, castle, seat, clickable=clickable)),
        svg.at(0, board_y - 24, total(view, above, castle, clickable=False)),
        svg.at(0, board_y + BOARD + 2, total(view, below, castle, clickable=clickable)),
    )
