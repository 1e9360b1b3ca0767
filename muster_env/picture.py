"""The table of Muster as a picture, drawn from what a seat sees: five castles in a row, one side above and one below them."""

from collections.abc import Callable, Mapping, Sequence

from cardtable.game.events import counted
from cardtable.game.look import Look
from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, View, called
from cardtable.support import svg
from cardtable.support.svg import Band, Paint, Theme
from muster_env.actions import BRIDGED_CARDS
from muster_env.components import BANNER_CARDS, BANNERS, BRIDGE_PIECE, CARDS, TROOPS
from muster_env.constants import BRIDGE_STRENGTH, CASTLES, PLAYERS, WIZARD_STRENGTH
from muster_env.options import MusterOptions
from muster_env.render import holder, holder_cell, is_over, status, strength, wizards

WIDTH = 640
EDGE = 10
GAP = 6
CARD_WIDTH = 104
"""How wide a card is."""
PITCH = CARD_WIDTH + 4
"""From one castle to the next."""
BESIDE = EDGE + CASTLES * PITCH + 2
"""Where pile and turned-up card lie."""
STRIP = 25
"""What is seen of a card that lies under another in a column."""
TOP = 46
"""How high the top card of a column is."""
ROOM = 5
"""Cards that a column has room for before the picture grows."""
BOARD = 162
BACK = 48
"""How high the cards of the other hand are."""
FACE = 116
"""How high the cards of the own hand are."""
UNDER_SHOWN = 2  # cards under the top card of a castle space

PAINTS = {
    "water": Paint("#0072b2", "#4fb0ea"),
    "feather": Paint("#a8437f", "#e594c4"),
    "cloud": Paint("#66717d", "#b6c2ce"),
    "sun": Paint("#c77f00", "#f3b73e"),
    "leaf": Paint("#007a58", "#3fc79b"),
    "magic": Paint("#5b3f8c", "#bfa5f0"),
    "board": Paint("#e6dcc8", "#12161a"),
    "held": Paint("#dcebf7", "#1f3a52"),
}
"""Colours that colour-blind people can tell apart, and each banner has a symbol besides; rainbow cards; the board; held."""

SHAPES = {
    "water": "M0-12C5-4 8 0 8 4A8 8 0 0 1-8 4C-8 0-5-4 0-12Z",
    "feather": "M-12 12L-7 5C-8 1-5-4 0-8L1-5L3-10Q7-12 12-12Q12-7 10-4L5-2L8 0Q4 5-4 7L-10 12.5Z",
    "cloud": "M-7 8A5.5 5.5 0 0 1-7-3A7 7 0 0 1 6-4A6 6 0 0 1 7 8Z",
    "sun": "M0-12L3-6 9-9 6-3 12 0 6 3 9 9 3 6 0 12-3 6-9 9-6 3-12 0-6-3-9-9-3-6Z",
    "leaf": "M-1 12L-1 8L-6 9L-5 6L-11 3L-8 1L-10-4L-6-3L-5-6L-2-4L0-12L2-4L5-6L6-3L10-4L8 1L11 3L5 6L6 9L1 8L1 12Z",
    "wizard": "M2-12L6 4L12 9L-12 9L-6 4Z",
    "bridge": "M-12 9L-12-5L12-5L12 9L7 9A7 7 0 0 0-7 9Z",
    "castle": "M-10 11L-10-10L-6-10L-6-6L-2-6L-2-10L2-10L2-6L6-6L6-10L10-10L10 11L3 11L3 4A3 3 0 0 0-3 4L-3 11Z",
}
"""Symbols, as `svg.symbol` takes them."""

TROOP = {str(troop.strength): troop.name for troop in TROOPS}
RULES = ("streamlined", "power_of_unity", "over_the_rainbow")


# ---- Cards


def kind_of(card: str) -> str:
    """The symbol of a card or of a piece in a column."""
    return {"wizard/bridge": "wizard", "rainbow castle": "castle"}.get(card) or card.split()[0]


def paint_of(card: str) -> str:
    """The paint of a card or piece: that of its banner, or of rainbow cards."""
    kind = kind_of(card)
    return kind if kind in BANNERS else "magic"


def two_words(card: str) -> tuple[str, str]:
    """What is written on a small card: its strength, if it has one, and its name."""
    figures = {"wizard": (str(WIZARD_STRENGTH), "Wizard"), BRIDGE_PIECE: (str(BRIDGE_STRENGTH), "Bridge")}
    rainbow_cards = {"wizard/bridge": ("Wizard /", "Bridge"), "rainbow castle": ("Rainbow", "Castle")}
    banner, _, number = card.partition(" ")
    return figures.get(card) or rainbow_cards.get(card) or (number, banner)


def frame(card: str, height: float) -> str:
    """An empty card, with stripes at the edge if it is a rainbow card."""
    step = (height - 8) / len(BANNERS)
    stripes = [svg.box(3, 4 + place * step, 4, step, fill=name, line="none", radius=0) for place, name in enumerate(BANNERS)]
    return svg.box(0, 0, CARD_WIDTH, height, line=paint_of(card)) + ("".join(stripes) if paint_of(card) == "magic" else "")


def symbol(card: str, x: float, y: float, size: float) -> str:
    """The symbol of a card around a place."""
    return svg.symbol(SHAPES[kind_of(card)], x, y, size, fill=paint_of(card))


def small_card(card: str, height: float = TOP) -> str:
    """A card with symbol, strength and name."""
    first, second = two_words(card)
    middle, size = height / 2, 19 if first.isdigit() else 14
    return "".join(
        [
            frame(card, height),
            symbol(card, 25, middle, 26),
            svg.words(42, middle - 2, first, size=size, bold=True, width=CARD_WIDTH - 45),
            svg.words(42, middle + 15, second, size=15, width=CARD_WIDTH - 45),
        ]
    )


def covered_card(card: str, *, seen_above: bool) -> str:
    """A card in a column of which a strip is seen, above or below the card that covers it."""
    first, second = two_words(card)
    strip = [
        symbol(card, 18, STRIP / 2, 18),
        svg.words(32, STRIP / 2 + 6, first, size=17, bold=True),
        svg.words(46, STRIP / 2 + 5, second, size=14, fill="faint", width=CARD_WIDTH - 49),
    ]
    return frame(card, TOP) + svg.at(0, 0 if seen_above else TOP - STRIP, *strip)


def hand_card(card: str) -> str:
    """A card of a hand, as it can be clicked."""
    if card == HIDDEN:
        return face_down(FACE)
    if card == "wizard/bridge":
        return wizard_bridge()
    if card == "rainbow castle":
        return svg.part(["lay_castle"], rainbow_castle(), label=card)
    banner, number = card.split()
    face = [
        frame(card, FACE),
        symbol(card, 32, 38, 42),
        svg.words(78, 53, number, size=40, anchor="middle", bold=True),
        svg.words(CARD_WIDTH / 2, 84, banner, size=17, anchor="middle", bold=True),
        svg.words(CARD_WIDTH / 2, 104, TROOP[number], size=15, anchor="middle", fill="faint"),
    ]
    blocks = ("play", "lay", "swap", "bridge") if card in BRIDGED_CARDS else ("play", "lay", "swap")
    return svg.part([f"{block}:{card}" for block in blocks], *face, label=card)


def rainbow_castle() -> str:
    """The face of a Rainbow Castle."""
    lines = [
        svg.words(CARD_WIDTH / 2, y, word, size=17, anchor="middle", bold=True)
        for y, word in ((84, "Rainbow"), (104, "Castle"))
    ]
    return frame("rainbow castle", FACE) + symbol("rainbow castle", CARD_WIDTH / 2, 40, 46) + "".join(lines)


def wizard_bridge() -> str:
    """The face of a Wizard/Bridge card: either half can be played, and the whole can be laid."""
    half, drawn = FACE / 2, [frame("wizard/bridge", FACE)]
    for place, piece in enumerate(("wizard", BRIDGE_PIECE)):
        number, name = two_words(piece)
        face = [
            svg.box(10, 2, CARD_WIDTH - 12, half - 4, line="none"),
            symbol(piece, 27, half / 2, 28),
            svg.words(46, half / 2 - 1, number, size=21, bold=True),
            svg.words(46, half / 2 + 17, name, size=16, width=CARD_WIDTH - 49),
        ]
        drawn.append(svg.at(0, place * half, svg.part([piece, "lay_wizard"], *face, label=f"wizard/bridge as {name}")))
    return "".join(drawn) + svg.path(f"M12 {half:g}H{CARD_WIDTH - 8}", line="magic")


def face_down(height: float) -> str:
    """A card that the viewer does not know."""
    return svg.labelled(CARD_WIDTH, height, "?", fill="back", size=22)


# ---- Columns


def pieces(view: View, side: str, castle: str) -> list[str]:
    """A column, the bottom first, Wizards included."""
    column: list[str] = view["column"][side][castle]
    return column + ["wizard"] * wizards(view, side, castle)


def piece_names(castle: str, piece: str, *, own: bool) -> list[str]:
    """The actions that name a Wizard or Bridge in a column: to swap it, and to move an own Wizard."""
    moved = [f"move:from {castle} to {goal}" for goal in BANNERS if goal != castle] if own and piece == "wizard" else []
    return [f"swap:*:{'own' if own else 'other'}:{castle}", *moved]


def column(view: View, side: str, castle: str, height: float, *, own: bool) -> str:
    """A column that grows away from the board: the own one downwards."""
    drawn, cards = [], pieces(view, side, castle)
    for place, piece in enumerate(cards):
        face = small_card(piece) if place == len(cards) - 1 else covered_card(piece, seen_above=own)
        if piece in ("wizard", BRIDGE_PIECE):
            face = svg.part(piece_names(castle, piece, own=own), face, label=f"{piece} of {side} at {castle}")
        drawn.append(svg.at(0, place * STRIP if own else height - TOP - place * STRIP, face))
    if not cards:
        drawn.append(svg.words(CARD_WIDTH / 2, 20 if own else height - 10, "no cards", size=14, anchor="middle", fill="faint"))
    if not own:
        return "".join(drawn)
    moves = [f"move:from {start} to {castle}" for start in BANNERS if start != castle]
    ground = svg.box(0, 0, CARD_WIDTH, height, fill="none", line="none")
    return svg.part([f"play:*:{castle}", f"wizard:{castle}", *moves], ground, *drawn, label=f"column of {side} at {castle}")


def columns(view: View, side: str, *, own: bool) -> Band:
    """All columns of a side."""
    deepest = max(ROOM, *(len(pieces(view, side, castle)) for castle in BANNERS))
    height = (deepest - 1) * STRIP + TOP + (STRIP if own else 0)
    return Band(height, at_castles(lambda castle: column(view, side, castle, height, own=own)))


def totals(view: View, side: str, *, own: bool) -> Band:
    """The strength of every column of a side; of the own ones, it also says where a Bridge goes."""

    def total(castle: str) -> str:
        text = svg.words(
            CARD_WIDTH / 2, 17, f"strength {strength(view, side, castle)}", size=14, anchor="middle", width=CARD_WIDTH - 12
        )
        pill = svg.box(3, 0, CARD_WIDTH - 6, 24, radius=12, line=castle) + text
        return svg.part([f"bridge:*:{castle}"], pill, label=f"bridge at {castle}") if own else pill

    return Band(24, at_castles(total))


def at_castles(draw: Callable[[str], str]) -> str:
    """Something drawn at every castle."""
    return "".join(svg.at(EDGE + place * PITCH, 0, draw(castle)) for place, castle in enumerate(BANNERS))


# ---- The board


def held_words(view: View, castle: str, seat: int | None) -> tuple[str, str]:
    """Who holds a castle, and by what if strengths are equal (MUS-6.3)."""
    side = holder(view, castle)
    if side is None:
        return "nobody's", ""
    whose = f"{side}'s" if seat is None else holder_cell(view, SEATS[seat], castle)
    tied = strength(view, SEATS[0], castle) == strength(view, SEATS[1], castle)
    return whose, "by banner cards" if tied else ""


def under_words(cards: Sequence[str], castle: str) -> str:
    """What lies under the top card of a castle space, the highest first."""
    short = {"wizard/bridge": "W/B", "rainbow castle": "RC"}
    names = [short.get(card) or card.removeprefix(f"{castle} ") for card in reversed(cards[:-1])]
    more = [f"+{len(names) - UNDER_SHOWN}"] if len(names) > UNDER_SHOWN else []
    return f"under {', '.join(names[:UNDER_SHOWN] + more)}" if names else ""


def space(view: View, castle: str, seat: int | None) -> str:
    """A castle: its banner, what lies on its space, and who holds it."""
    cards, (whose, reason) = view["castle"][castle], held_words(view, castle, seat)
    face = svg.element("g", small_card(cards[-1], 50), transform="scale(.942 1)") if cards else ""
    drawn = [
        svg.box(
            0,
            0,
            CARD_WIDTH,
            BOARD,
            fill="held" if seat is not None and holder(view, castle) == SEATS[seat] else "card",
            line=castle,
        ),
        svg.path(f"M0 12V2H10V7H20V2H31V7H42V2H62V7H73V2H84V7H94V2H{CARD_WIDTH}V12Z", fill=castle, line="none"),
        symbol(castle, 17, 29, 22),
        svg.words(32, 35, castle.upper(), size=16, bold=True, width=CARD_WIDTH - 35),
        svg.at(
            3,
            46,
            face
            or svg.words(CARD_WIDTH / 2 - 3, 30, "empty space", size=14, anchor="middle", fill="faint", width=CARD_WIDTH - 8),
        ),
        svg.words(
            CARD_WIDTH / 2, 114, under_words(cards, castle), size=13, anchor="middle", fill="faint", width=CARD_WIDTH - 6
        ),
        svg.words(CARD_WIDTH / 2, 137, whose, size=17, anchor="middle", bold=True, width=CARD_WIDTH - 6),
        svg.words(CARD_WIDTH / 2, 155, reason, size=14, anchor="middle", width=CARD_WIDTH - 6),
    ]
    laid = [f"lay:{card}" for card in BANNER_CARDS if card.startswith(f"{castle} ")]
    others = [f"{block}:{castle}" for block in ("lay_wizard", "lay_castle", "draw_castle", "place")]
    return svg.part([*laid, *others], *drawn, label=f"castle space of {castle}")


def pile(size: int) -> str:
    """The draw pile, higher the more cards it has."""
    width = WIDTH - EDGE - BESIDE
    layers = [svg.box(3 * place, -3 * place, width - 8, 92, fill="back") for place in range(min(3, (size + 11) // 12))]
    count = [
        svg.words(width / 2 - 2, 42, "pile", size=17, anchor="middle"),
        svg.words(width / 2 - 2, 70, str(size), size=26, anchor="middle", bold=True),
    ]
    return svg.part(
        ["draw_pile"],
        *(layers or [svg.box(0, 0, width - 8, 92, fill="none")]),
        *count,
        label=f"pile of {counted(size, 'card')}",
    )


def castles(view: View, seat: int | None) -> Band:
    """The castles, and the pile at their side."""
    ground = svg.box(EDGE - 5, -4, CASTLES * PITCH + 6, BOARD + 8, fill="board")
    return Band(
        BOARD, ground + at_castles(lambda castle: space(view, castle, seat)) + svg.at(BESIDE, 30, pile(len(view["pile"])))
    )


def waiting_card(card: str | None) -> str:
    """The Rainbow card that waits to be placed, at the side."""
    if card is None:
        return ""
    title = [svg.words(0, y, word, size=15, fill="accent", bold=True) for y, word in ((-24, "turned"), (-7, "up"))]
    face = {"wizard/bridge": wizard_bridge, "rainbow castle": rainbow_castle}[card]()
    return svg.at(
        BESIDE, 46, svg.part(["place"], *title, svg.element("g", face, transform="scale(.69)"), label=f"turned-up {card}")
    )


# ---- The whole


def one_by_one(hand: Mapping[str, int]) -> list[str]:
    """The cards of a hand one by one, the unknown ones last."""
    return [card for card in (*CARDS, HIDDEN) for _ in range(hand.get(card, 0))]


def hand(view: View, side: str, seat: int | None, height: float, draw: Callable[[str], str]) -> Band:
    """A hand, with whose it is."""
    title = svg.words(EDGE, 14, f"hand of {called(side, seat)}", size=16)
    cards = one_by_one(view["hand"][side])
    return Band(height + 20, title + "".join(svg.at(EDGE + place * PITCH, 20, draw(card)) for place, card in enumerate(cards)))


def headline(view: View, seat: int | None) -> str:
    """Whose decision it is, and which; at the end, who won and by what (MUS-6.4)."""
    if not is_over(view):
        mover = SEATS[view["seat"]]
        return status(view, Look(view["seat"])).replace(mover, called(mover, seat), 1)
    held = [sum(holder(view, castle) == side for castle in BANNERS) for side in SEATS[:PLAYERS]]
    ended = "cut off" if view["pile"] else "pile empty"
    if held[0] == held[1]:
        return f"game over ({ended}): a draw, {held[0]} castles each"
    winner = int(held[1] > held[0])
    return f"game over ({ended}): {called(SEATS[winner], seat)} wins {held[winner]} castles to {held[1 - winner]}"


def head(view: View, seat: int | None) -> Band:
    """Which game it is, and whose decision."""
    rules = ", ".join(name.replace("_", " ") for name in RULES if view[name]) or "as printed"
    turn = min(view["turn"] + 1, view["max_turns"])
    line = f"Muster · turn {turn} of at most {view['max_turns']} · rules {rules}"
    return svg.heading(line, headline(view, seat), edge=EDGE, width=WIDTH - 2 * EDGE)


def picture(view: View, _: MusterOptions, seat: int | None, theme: Theme) -> str:
    """The table as the player at `seat` sees it: the other side above, the own side and hand below; None sees all."""
    own, other = (SEATS[0], SEATS[1]) if seat is None else (SEATS[seat], SEATS[1 - seat])
    near = columns(view, own, own=True)
    bands = [
        head(view, seat),
        hand(view, other, seat, BACK, lambda card: face_down(BACK) if card == HIDDEN else small_card(card, BACK)),
        columns(view, other, own=False),
        totals(view, other, own=False),
        castles(view, seat),
        totals(view, own, own=True),
        near._replace(drawn=near.drawn + waiting_card(view["turned_up"])),
        hand(view, own, seat, FACE, hand_card),
    ]
    whole = svg.stacked(bands, GAP)
    title = f"Muster: {headline(view, seat)}"
    return svg.document(WIDTH, whole.height, whole.drawn, name="muster", title=title, paints=PAINTS, theme=theme)
