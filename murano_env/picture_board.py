"""The board of Murano in a picture: Ring, circle, Selector, Warehouse and markets; shards, Lira and categories."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from math import cos, radians, sin

from cardtable.game.sight import View
from cardtable.support import svg
from cardtable.support.svg import Paint
from murano_env.components import SHARD_NAMES
from murano_env.constants import BUY_PRICE, MARKET_PLACES, MARKETS, NOTCHES, NOTCHES_PER_MARKET, Phase
from murano_env.render import LETTER, TRANSPARENT, segment_at
from murano_env.state import GAP_NAMES, MARKET_NAMES, NOTCH_NAMES, PHASE_NAMES

WIDTH = 560  # a phone shows it at two thirds of this, and words are still read
MARGIN = 12
SMALL = 13  # no words are smaller

PAINTS = {
    "red": Paint("#c22f3d", "#d84c59"),
    "green": Paint("#1d8757", "#2f9f6d"),
    "yellow": Paint("#f3c73f", "#f3c73f"),
    "blue": Paint("#2562b6", "#4583dd"),
    "transparent": Paint("#ffffff", "#dfe8ee"),
    "bright": Paint("#ffffff", "#ffffff"),
    "dark": Paint("#1c1a17", "#1c1a17"),
    "wood": Paint("#e6d8bd", "#3a3a35"),
    "ring": Paint("#cfe0e8", "#34454f"),
    "notch": Paint("#f5ecd9", "#2a2f35"),
    "work": Paint("#f3ead2", "#3a3b31"),
    "gold": Paint("#e2b33c", "#d6a62f"),
}
"""Shards, what is written on them, and the board."""

LETTER_PAINT = {kind: "dark" if kind in ("yellow", TRANSPARENT) else "bright" for kind in SHARD_NAMES}
CORNERS = {"red": 5, "green": 4, "yellow": 24, "blue": 6, TRANSPARENT: 8}
"""How many corners the shards of a kind have: shapes differ, not only colours and letters."""

SHAPES = {
    "art": "M1 2H15V14H1Z M3 12L7 6L9.5 9L11 7.5L13 12Z",
    "jewels": "M4 2H12L15 6L8 15L1 6Z M1 6H15 M5 6L8 15L11 6L8 2Z",
    "tableware": "M3 1H13C13 6 11 8 8.8 8.6V13H12V15H4V13H7.2V8.6C5 8 3 6 3 1Z",
    "animals": "M1 8C4 3 9 3 12 7L15 4V12L12 9C9 13 4 13 1 8Z M4.5 7.5H5.5",
}
"""A picture frame, a gem, a goblet, a fish."""

# ---- Pieces


def clicked(names: Iterable[str], drawn: str, label: str, *, clickable: bool) -> str:
    """What the viewer can click if it decides."""
    return svg.part(names, drawn, label=label) if clickable else drawn


@cache
def shard(kind: str, radius: float, *, hollow: bool = False) -> str:
    """A shard around (0, 0) with its letter; hollow: a place for one."""
    corners, first = CORNERS[kind], 45 if CORNERS[kind] == 4 else 0
    reach = radius * (1.12 if corners <= 5 else 1)
    points = [place(first + 360 * corner / corners, reach) for corner in range(corners)]
    outline = svg.polygon(points, fill="none" if hollow else kind, line="faint" if hollow else "dark")
    letter = svg.words(
        0,
        radius * 0.42 + 0.4,
        LETTER[kind],
        size=radius * 1.18,
        anchor="middle",
        fill="faint" if hollow else LETTER_PAINT[kind],
        bold=not hollow,
    )
    return outline + letter


def shards_in(counts: Mapping[str, int]) -> list[str]:
    """Kinds, as often as they are there."""
    return [kind for kind in SHARD_NAMES for _ in range(counts.get(kind, 0))]


@cache
def symbol(category: str) -> str:
    """The symbol of a category, 16 wide and high."""
    return svg.path(SHAPES[category], line="ink")


def coin(x: float, y: float, lira: int) -> str:
    """Lira, as many as that."""
    return svg.circle(x, y, 13, fill="gold", line="dark") + svg.words(
        x, y + 5, f"{lira}L", size=SMALL, anchor="middle", fill="dark", bold=True
    )


@cache
def chip(width: float, text: str, *, fill: str = "card", line: str = "accent") -> str:
    """A small field with a word, 22 high."""
    return svg.box(0, 0, width, 22, fill=fill, line=line, radius=11) + svg.words(
        width / 2, 16, text, size=SMALL, anchor="middle"
    )


def place(angle: float, radius: float) -> tuple[float, float]:
    """A place around (0, 0): degrees clockwise from the top."""
    return radius * sin(radians(angle)), -radius * cos(radians(angle))


# ---- The board

CENTRE = (WIDTH / 2, 216)
RIM, BORDER, DISH, POINTER = 176, 135, 94, 76
"""Radii: outer and inner edge of the Ring, inner edge of the circle, tip and root of the Selector."""
STEP = 360 / NOTCHES
FREE, TRAVELLER = PHASE_NAMES[Phase.FREE], PHASE_NAMES[Phase.TRAVELLER]
MARKET_SIZE = (132, 92)
MARKET_PLACE = ((1, 0), (1, 1), (0, 1), (0, 0))
"""Whether a market is right, and whether it is below: each faces a quarter of the circle (MUR-1.5)."""


def board(view: View, *, clickable: bool) -> str:
    """Ring, circle, Selector and Warehouse, with the markets in the corners that they face."""
    pieces = [
        svg.circle(0, 0, RIM + 7, fill="wood"),
        *(quarter(market) for market in range(MARKETS)),
        *(pair(view, notch, clickable=clickable) for notch in range(NOTCHES)),
        svg.circle(0, 0, DISH, fill="card"),
        warehouse(view, clickable=clickable),
        selector(view, clickable=clickable),
        *(gap(view, number) for number in range(NOTCHES)),
    ]
    corners = [market_in_its_corner(view, market, clickable=clickable) for market in range(MARKETS)]
    return svg.at(*CENTRE, *pieces) + "".join(corners) + "".join(turns(clickable=clickable))


def sector(notch: int, inner: float, outer: float) -> str:
    """The outline of a notch or segment, in SVG's notation."""
    first, last = notch * STEP, (notch + 1) * STEP
    (a, b), (c, d), (e, f), (g, h) = (place(*each) for each in ((first, outer), (last, outer), (last, inner), (first, inner)))
    return f"M{a:.1f} {b:.1f}A{outer} {outer} 0 0 1 {c:.1f} {d:.1f}L{e:.1f} {f:.1f}A{inner} {inner} 0 0 0 {g:.1f} {h:.1f}Z"


@cache
def field(notch: int, inner: float, outer: float, fill: str, kind: str) -> str:
    """A notch or a segment with its shard."""
    middle = place((notch + 0.5) * STEP, (inner + outer) / 2)
    return svg.path(sector(notch, inner, outer), fill=fill) + svg.at(*middle, shard(kind, 13))


def pair(view: View, notch: int, *, clickable: bool) -> str:
    """A notch and the segment that it faces: the Selector's are taken, other segments can be turned to it (MUR-4.1, 8.16)."""
    pointed = view["selector"]
    inner = field(notch, DISH, BORDER, "notch", view["circle"][NOTCH_NAMES[notch]])
    outer = field(notch, BORDER, RIM, "ring", segment_at(view, notch))
    if pointed == NOTCH_NAMES[notch]:
        return clicked(["take_pair"], inner + outer, "the pair of the Selector", clickable=clickable)
    steps = (notch - (NOTCH_NAMES.index(pointed) if pointed else 0)) % NOTCHES
    if view["phase"] != PHASE_NAMES[Phase.VISIONARY] or not steps:
        return inner + outer
    number = svg.words(*place((notch + 0.84) * STEP, RIM - 9), str(steps), size=SMALL, anchor="middle")
    return inner + clicked([f"turn_by:{steps}"], outer + number, f"turn the Ring by {steps}", clickable=clickable)


@cache
def quarter(market: int) -> str:
    """What connects three segments with a market (MUR-1.5)."""
    (a, b), (c, d) = place(market * 90 + 2, RIM + 4), place(market * 90 + 88, RIM + 4)
    drawn = f"M{a:.1f} {b:.1f}A{RIM + 4} {RIM + 4} 0 0 1 {c:.1f} {d:.1f}"
    return svg.element("path", d=drawn, stroke_width=4, class_="f-none l-faint")


def selector(view: View, *, clickable: bool) -> str:
    """The pointer and the pair that it points at; or the pointer on the gap at twelve o'clock (MUR-4.1, 11.3)."""
    notch = NOTCH_NAMES.index(view["selector"]) if view["selector"] else None
    angle = 0 if notch is None else (notch + 0.5) * STEP
    points = [place(angle, DISH + 3), place(angle + 12, POINTER), place(angle - 12, POINTER)]
    pointer = clicked(["turn_selector"], svg.polygon(points, fill="accent", line="dark"), "the Selector", clickable=clickable)
    if notch is None:
        return pointer
    return svg.element("path", d=sector(notch, DISH, RIM), stroke_width=5, class_="f-none l-accent") + pointer


def gap(view: View, number: int) -> str:
    """Lira between two notches (MUR-11.2)."""
    lira = view["gap_lira"].get(GAP_NAMES[number], 0)
    return coin(*place((number + 1) * STEP, BORDER), lira) if lira else ""


def warehouse(view: View, *, clickable: bool) -> str:
    """How many shards of each kind there are to be taken."""
    pieces = [svg.words(0, -44, "Warehouse", size=SMALL, anchor="middle", fill="faint")]
    for (x, y), kind in zip(((-46, -20), (12, -20), (-46, 14), (12, 14), (-17, 48)), SHARD_NAMES, strict=True):
        number = view["warehouse"].get(kind, 0)
        drawn = shard(kind, 12, hollow=not number) + svg.words(18, 6, str(number), size=16, bold=True)
        names = [f"take:{kind}", *([f"swap:*:{kind}"] if kind != TRANSPARENT else [])]
        pieces.append(svg.at(x, y, clicked(names, drawn, f"{kind} in the Warehouse: {number}", clickable=clickable)))
    return "".join(pieces)


def market_in_its_corner(view: View, market: int, *, clickable: bool) -> str:
    """A market: its places, what an Exchange gives now, and the Buy."""
    (width, height), (right, below), name = MARKET_SIZE, MARKET_PLACE[market], MARKET_NAMES[market]
    there = shards_in(view["market"][name])
    body = svg.box(0, 0, width, height) + svg.words(10, 20, name, size=SMALL) + gives(view, market)
    names = [f"exchange:*:{market}", f"market:{market}", *([f"buy:{market}"] if view["phase"] == FREE else [])]
    places = "".join(svg.circle(26 + 38 * number, 44, 15, fill="table") for number in range(MARKET_PLACES))
    shards = [
        svg.at(26 + 38 * number, 44, clicked([f"lift:{market}:{kind}"], shard(kind, 13), f"{kind} of {name}", clickable=lifted))
        for number, kind in enumerate(there)
        for lifted in [clickable and view["phase"] == TRAVELLER]
    ]
    if view["chosen_market"] == name:
        shards.append(svg.element("rect", width=width, height=height, rx=6, stroke_width=3, class_="f-none l-accent"))
    if clickable and may_negotiate(view) and there and view["lira"][view["turn"]] >= BUY_PRICE:
        shards.append(svg.at(76, 5, svg.part([f"buy:{market}"], chip(52, f"buy {BUY_PRICE}L"), label=f"buy {name}")))
    x, y = WIDTH - MARGIN - width if right else MARGIN, 2 * CENTRE[1] - height if below else 0
    return svg.at(x, y, clicked(names, body + places, name, clickable=clickable), *shards)


def gives(view: View, market: int) -> str:
    """What an Exchange at a market gives now; transparent shards, for an Expert alone, in brackets (MUR-5.1, 8.5)."""
    left = dict(view["warehouse"])
    pieces, x = [svg.words(10, 82, "gives", size=SMALL, fill="faint")], 49
    for notch in range(market * NOTCHES_PER_MARKET, (market + 1) * NOTCHES_PER_MARKET):
        kind = segment_at(view, notch)
        if left.get(kind, 0):
            left[kind] -= 1
            if kind == TRANSPARENT:
                pieces += [
                    svg.words(x, 82, "(", size=15),
                    svg.at(x + 14.5, 77, shard(kind, 8)),
                    svg.words(x + 23, 82, ")", size=15),
                ]
            else:
                pieces.append(svg.at(x + 10, 77, shard(kind, 9)))
            x += 30 if kind == TRANSPARENT else 21
    if len(pieces) == 1:
        pieces.append(svg.words(52, 82, "nothing", size=SMALL, fill="faint"))
    return "".join(pieces)


def turns(*, clickable: bool) -> Iterator[str]:
    """Beside the board: the Ring turns to the left, the Selector to the right (MUR-4.1, 7.2)."""
    right = WIDTH - MARGIN - 66
    for x, name, sign, text, cost in ((MARGIN, "turn_ring", "↺", "Ring", "1L"), (right, "turn_selector", "↻", "Selector", "")):
        drawn = [
            svg.box(0, 0, 66, 62, fill="table", line="none"),
            svg.words(33, 24, sign, size=26, anchor="middle", fill="accent"),
            svg.words(33, 42, text, size=SMALL, anchor="middle"),
            svg.words(33, 58, cost, size=SMALL, anchor="middle", fill="faint"),
        ]
        yield svg.at(x, CENTRE[1] - 32, clicked([name], "".join(drawn), f"turn the {text}", clickable=clickable))


def may_negotiate(view: View) -> bool:
    """Whether a Negotiate action is open to the player on turn (MUR-3.2, 8.10)."""
    in_time = view["takes"] > 0 and not view["passed"] and not view["works_made"]
    return bool(view["phase"] == PHASE_NAMES[Phase.TURN] and in_time and view["negotiations"] <= view["privilege"])
