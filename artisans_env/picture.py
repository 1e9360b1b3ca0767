"""The table of Artisans as a picture, drawn from what a seat sees: the others, market and objects, the own cards below."""

from collections.abc import Callable, Mapping, Sequence
from math import cos, pi, sin

from artisans_env.components import ARTISANS, MATERIALS
from artisans_env.constants import HAND_LIMIT, LEVELS, MARKET_SLOTS, ROUNDS, ROW_PLACES
from artisans_env.options import ArtisansOptions
from artisans_env.render import (
    ASKED,
    bonus,
    edition_text,
    lacking,
    level_points,
    levels_text,
    marks,
    objects_of,
    penalty,
    reserved_by,
    score,
    winners,
)
from artisans_env.state import LEVEL_NAMES
from cardtable.game.events import counted
from cardtable.game.images import Images
from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, View, called
from cardtable.support import svg
from cardtable.support.svg import Band, Paint, Theme

WIDTH = 640
EDGE = 10
INNER = WIDTH - 2 * EDGE
GAP = 8
CIRCLE, CENTRE, RADIUS = 155, 150, 100
"""The middle of the market, from the left and from above, and how far its cards are from it."""
SLOT_WIDTH, SLOT_HEIGHT = 96, 64
MIDDLE = 288
"""How high the part with market and decks is."""
PANEL = 318
"""Where what lies beside the market begins."""
MONTH = 25.9
OBJECT_WIDTH, OBJECT_HEIGHT = 150, 122
IMAGE_LEFT = 60
OBJECT_PITCH = 156.5
ARTISAN_WIDTH, ARTISAN_HEIGHT = 202, 76
WORKSHOP = 150  # how high the own artisan and developed cards are
HAND_WIDTH, HAND_HEIGHT = 98, 84
HAND_PITCH = 104.5
NUMERALS = ("I", "II", "III", "IV")
assert len(NUMERALS) == LEVELS

PAINTS = {
    "textile": Paint("#a8437f", "#e594c4"),
    "clay": Paint("#b3470f", "#f08a5c"),
    "wood": Paint("#4e7a1e", "#a5cf6b"),
    "stone": Paint("#66717d", "#b6c2ce"),
    "glass": Paint("#007ba3", "#5cc3ea"),
    "gold": Paint("#b98500", "#f3c63e"),
    "metal": Paint("#3d4a94", "#a3b0f2"),
    "able": Paint("#e2efdc", "#24402f"),
}
"""Materials, each with a symbol and its name besides; what the viewer has the levels for."""

SHAPES = {
    "textile": "M-11-9Q-5-13 0-9T11-9V8Q5 4 0 8T-11 8Z",
    "clay": "M-5-12H5V-9Q3-7 5-5Q11 0 8 6Q6 11 3 12H-3Q-6 11-8 6Q-11 0-5-5Q-3-7-5-9Z",
    "wood": "M0-12L8-2H4L10 7H2V12H-2V7H-10L-4-2H-8Z",
    "stone": "M-12 9L-9-3L-2-10L7-8L12 2L11 9Z",
    "glass": "M-8-12H8Q8 0 2 2V8H7V12H-7V8H-2V2Q-8 0-8-12Z",
    "gold": "M-6-6H6L12 8H-12Z",
    "metal": "M-6-11H6L12 0L6 11H-6L-12 0ZM0-5A5 5 0 1 0 .1-5Z",
}
"""Symbols, as `svg.symbol` takes them."""

EFFECTS = {
    "gold_lover": "4 points for each object with gold",
    "sculptor": "3 points for each object with wood or stone",
    "versatile": "2 points for each material in your objects",
    "specialist": "5 points for each material at level 4",
    "night_worker": "may craft and then visit the market in one turn",
    "perfectionist": "a level may have one card more than the last",
    "compulsive_collector": "2 points for each object",
    "opportunist": "two market visits when another takes the token",
    "provident": "may reserve an object of the row each round",
}
assert tuple(EFFECTS) == ARTISANS


def symbol(material: str, x: float, y: float, size: float) -> str:
    """The symbol of a material around a place."""
    return svg.symbol(SHAPES[material], x, y, size, fill=material)


def title_of(artisan: str) -> str:
    """An artisan as its card names it."""
    return artisan.replace("_", " ").capitalize()


# ---- The market


def slot(number: int, material: str | None) -> str:
    """A slot of the market."""
    if material is None:
        return svg.labelled(SLOT_WIDTH, SLOT_HEIGHT, f"slot {number} empty")
    card = [
        svg.box(0, 0, SLOT_WIDTH, SLOT_HEIGHT, line=material),
        symbol(material, 22, 32, 30),
        svg.words(42, 29, material, size=16, bold=True, width=SLOT_WIDTH - 45),
        svg.words(42, 49, f"slot {number}", size=14, fill="faint"),
    ]
    return svg.part([f"take:{number}", f"exchange:{number}"], *card, label=f"{material} in slot {number}")


def token(view: View) -> str:
    """The token: in the centre, or with whom."""
    if view["token_taken"]:
        words = ["token with", view["first_player"]]
        return svg.circle(CIRCLE, CENTRE, 46, fill="none") + lines(words, CENTRE - 2, "faint")
    disc = svg.circle(CIRCLE, CENTRE, 40, fill="accent", line="none")
    return svg.part(["token"], disc, lines(["first", "player", "token"], CENTRE - 13, "card"), label="token")


def lines(texts: Sequence[str], y: float, ink: str) -> str:
    """Lines of text in the middle of the market."""
    drawn = [
        svg.words(CIRCLE, y + 18 * number, text, size=15, anchor="middle", fill=ink, bold=True, width=80)
        for number, text in enumerate(texts)
    ]
    return "".join(drawn)


def market(view: View) -> str:
    """Five cards in a circle around the token, slot 0 at the top, clockwise."""
    drawn = [svg.circle(CIRCLE, CENTRE, RADIUS, fill="none"), token(view)]
    for number, material in enumerate(view["market"].values()):
        turn = 2 * pi * number / MARKET_SLOTS
        x, y = CIRCLE + RADIUS * sin(turn) - SLOT_WIDTH / 2, CENTRE - RADIUS * cos(turn) * 1.1 - SLOT_HEIGHT / 2
        drawn.append(svg.at(x, y, svg.box(0, 0, SLOT_WIDTH, SLOT_HEIGHT, fill="table", line="none"), slot(number, material)))
    return "".join(drawn)


def months(current: int) -> str:
    """The time counter, with the round that it is."""
    cells = []
    for number in range(1, ROUNDS + 1):
        fill, ink = ("accent", "card") if number == current else ("card", "faint")
        cells.append(svg.at((number - 1) * MONTH, 0, svg.labelled(MONTH - 2, 26, str(number), fill=fill, ink=ink, size=15)))
    return "".join(cells)


def deck(view: View, images: Images, name: str, seat: int | None) -> str:
    """An object deck; the top of the current one is turned up (ART-3.2)."""
    cards, title = view[name], name.replace("_", " ")
    if not cards:
        removed = len(view["removed"]) if name == "deck_1" else 0
        return svg.words(0, 14, title, size=15) + svg.at(
            0, 20, svg.labelled(OBJECT_WIDTH, 60, f"{removed} removed" if removed else "empty")
        )
    if name == "deck_2" and view["deck_1"]:
        face = svg.labelled(OBJECT_WIDTH, 60, counted(len(cards), "card"), fill="back", ink="ink", size=18)
        return svg.words(0, 14, title, size=15) + svg.at(0, 20, face)
    card = object_card(view, images, seat, cards[-1], "")
    return svg.words(0, 14, f"{title}: next of {len(cards)}", size=15) + svg.at(0, 20, card)


def supply(view: View) -> str:
    """Pile and discard."""
    discard = view["discard"]
    drawn = [
        svg.box(0, 0, 74, 76, fill="back"),
        svg.words(37, 32, "pile", size=16, anchor="middle"),
        svg.words(37, 60, str(len(view["pile"])), size=24, anchor="middle", bold=True),
        svg.words(88, 15, f"discard: {counted(sum(discard.values()), 'card')}", size=15),
    ]
    for place, material in enumerate(material for material in MATERIALS if discard.get(material)):
        x, y = 98 + place % 4 * 56, 36 + place // 4 * 26
        drawn.append(symbol(material, x, y, 18) + svg.words(x + 14, y + 6, str(discard[material]), size=16))
    return "".join(drawn)


def middle(view: View, images: Images, seat: int | None) -> Band:
    """Market, time counter, decks, pile and discard."""
    tops = [
        svg.at(place * (OBJECT_WIDTH + 10), 42, deck(view, images, name, seat))
        for place, name in enumerate(("deck_1", "deck_2"))
    ]
    beside = [svg.at(0, 0, months(view["round_number"])), *tops, svg.at(0, 206, supply(view))]
    return Band(MIDDLE, market(view) + svg.at(PANEL, 0, *beside))


# ---- Objects


def object_card(view: View, images: Images, seat: int | None, name: str, place: str) -> str:
    """An object: its points, where it lies, what it requires, with ticks where the viewer has the levels; its image, if any.

    Beside an image materials are told by their symbols alone.
    """
    lacks = lacking(view, SEATS[seat], name) if seat is not None else view["required"][name]
    step, named = min(20, 82 / len(view["required"][name])), object_name(name, OBJECT_WIDTH - 42)
    drawn = [
        svg.box(0, 0, OBJECT_WIDTH, OBJECT_HEIGHT, fill="card" if lacks else "able"),
        *named,
        svg.circle(OBJECT_WIDTH - 19, 19, 15, fill="back"),
        svg.words(OBJECT_WIDTH - 19, 26, str(view["points"][name]), size=19, anchor="middle", bold=True),
        svg.words(OBJECT_WIDTH - 6, OBJECT_HEIGHT - 7, place, size=13, anchor="end", fill="faint"),
    ]
    for number, (material, level) in enumerate(view["required"][name].items()):
        y, tick = (44 if len(named) == 1 else 50) + step * number, "" if material in lacks else " ✓"
        drawn.append(symbol(material, 14, y - 5, step - 3))
        required = f"{level}{tick}" if name in images else f"{material} {level}{tick}"
        drawn.append(svg.words(28, y, required, size=min(15, step * 0.85), bold=bool(tick)))
    if name in images:
        drawn.append(svg.image(IMAGE_LEFT, 37, OBJECT_WIDTH - IMAGE_LEFT - 5, OBJECT_HEIGHT - 60, images[name].digest))
    return "".join(drawn)


def object_name(name: str, width: float) -> list[str]:
    """The name of an object, in two lines if it is long."""
    first, *rest = svg.wrapped(name, 13, width)
    lines = [(15, 13, first), (29, 13, " ".join(rest))] if rest else [(21, 16, name)]
    return [svg.words(7, y, line, size=size, bold=True, width=width) for y, size, line in lines]


def row(view: View, images: Images, seat: int | None) -> Band:
    """The objects that can be crafted."""
    drawn = []
    for place, name in enumerate(view["row"].values()):
        face = svg.labelled(OBJECT_WIDTH, OBJECT_HEIGHT, f"row {place} empty")
        if name is not None:
            card = object_card(view, images, seat, name, f"row {place}")
            face = svg.part([f"reserve:{place}", f"craft:{place}"], card, label=f"{name} in the row")
        drawn.append(svg.at(EDGE + place * OBJECT_PITCH, 0, face))
    return Band(OBJECT_HEIGHT, "".join(drawn))


# ---- Before a player


def stacks(view: View, side: str, width: float, step: float, *, named: bool) -> str:
    """Developed materials: a stack each, level I at the bottom, with the number of cards at each level."""
    pitch, base, drawn = width / len(MATERIALS), LEVELS * step, []
    for place, material in enumerate(MATERIALS):
        x = place * pitch
        for level, cards in enumerate(view["developed"][side][material].get(name, 0) for name in LEVEL_NAMES):
            if cards:
                text = f"{NUMERALS[level]} ×{cards}" if named else f"×{cards}"
                box = svg.box(x, base - (level + 1) * step, pitch - 3, step - 1, line=material, radius=3)
                y = base - level * step - step / 2 + 4
                drawn.append(box + svg.words(x + pitch / 2 - 1.5, y, text, size=14, anchor="middle", width=pitch - 5))
        drawn.append(svg.path(f"M{x:g} {base + 1:g}H{x + pitch - 3:g}", line=material))
        drawn.append(symbol(material, x + pitch / 2 - 1.5, base + 14, 18))
        if named:
            drawn.append(svg.words(x + pitch / 2 - 1.5, base + 38, material, size=14, anchor="middle", width=pitch - 2))
    return "".join(drawn)


def mini_hand(hand: Mapping[str, int], width: float) -> str:
    """A hand of small cards: those seen by their symbols, the others face down."""
    pitch, drawn = min(34.0, width / HAND_LIMIT), []
    cards = [card for card in (*MATERIALS, HIDDEN) for _ in range(hand.get(card, 0))]
    for place, card in enumerate(cards):
        box = svg.box(place * pitch, 0, pitch - 3, 32, fill="back" if card == HIDDEN else "card", radius=3)
        x = place * pitch + pitch / 2 - 1.5
        mark = svg.words(x, 22, "?", size=16, anchor="middle", fill="faint") if card == HIDDEN else symbol(card, x, 16, 20)
        drawn.append(box + mark)
    return "".join(drawn) or svg.words(0, 21, "no cards in hand", size=14, fill="faint")


def object_lines(view: View, side: str, width: float) -> list[str]:
    """The objects of another player, and a reserved one, in words."""
    names = [f"{name} {view['points'][name]}" for name in objects_of(view, side)]
    lines = svg.wrapped(f"objects: {', '.join(names) or 'none'}", 14, width)
    reserved = reserved_by(view, side)
    if reserved is not None:
        lines += svg.wrapped(f"reserved: {reserved} ({levels_text(view['required'][reserved])})", 14, width)
    return lines


def other_player(view: View, side: str, width: float) -> Band:
    """What lies before another player."""
    inside, artisan = width - 14, view["artisan"][side]
    effect = svg.wrapped(EFFECTS[artisan], 14, inside) if artisan else []
    done = svg.wrapped(" · ".join(marks(view, side)), 14, inside)
    lines = [title_of(artisan) if artisan else "no artisan yet", *effect, *object_lines(view, side, inside), *done]
    drawn = [
        svg.words(7, 20, side, size=17, bold=True),
        svg.words(width - 7, 20, counted(score(view, side), "point"), size=15, anchor="end"),
        svg.at(7, 28, stacks(view, side, inside, 16, named=False)),
        svg.at(7, 120, mini_hand(view["hand"][side], inside)),
        *(svg.words(7, 170 + 18 * place, line, size=14, width=inside, bold=not place) for place, line in enumerate(lines)),
    ]
    return Band(162 + 18 * len(lines), "".join(drawn))


def other_players(view: View, sides: Sequence[str]) -> Band:
    """The other players clockwise, side by side."""
    width = (INNER + GAP) / len(sides) - GAP
    areas = [other_player(view, side, width) for side in sides]
    height = max(area.height for area in areas)
    drawn = [
        svg.at(EDGE + place * (width + GAP), 0, svg.box(0, 0, width, height, fill="none"), area.drawn)
        for place, area in enumerate(areas)
    ]
    return Band(height, "".join(drawn))


def artisan_card(artisan: str, width: float, height: float) -> str:
    """An artisan with its effect."""
    effect = svg.wrapped(EFFECTS[artisan], 14, width - 14)
    return "".join(
        [
            svg.box(0, 0, width, height, line="accent"),
            svg.words(7, 22, title_of(artisan), size=16, bold=True, width=width - 14),
            *(svg.words(7, 43 + 18 * number, line, size=14) for number, line in enumerate(effect)),
        ]
    )


def own_player(view: View, side: str, seat: int | None) -> Band:
    """What lies before the viewer: artisan and developed cards."""
    artisan = view["artisan"][side]
    card = (
        artisan_card(artisan, OBJECT_WIDTH, WORKSHOP - 6)
        if artisan
        else svg.labelled(OBJECT_WIDTH, WORKSHOP - 6, "no artisan yet")
    )
    title = " · ".join([called(side, seat), counted(score(view, side), "point"), *marks(view, side)])
    drawn = [
        svg.words(EDGE, 17, title, size=17, bold=True, width=INNER),
        svg.at(EDGE, 28, card),
        svg.at(EDGE + OBJECT_PITCH + 4, 30, stacks(view, side, INNER - OBJECT_PITCH, 25, named=True)),
    ]
    return Band(28 + WORKSHOP, "".join(drawn))


def own_objects(view: View, side: str) -> Band:
    """The objects that the viewer has crafted, as small cards in rows, and under them the reserved one."""
    crafted, reserved, pitch = objects_of(view, side), reserved_by(view, side), (INNER + GAP) / ROW_PLACES
    drawn = [
        svg.at(EDGE + number % ROW_PLACES * pitch, number // ROW_PLACES * 30, chip(pitch - GAP, name, view["points"][name]))
        for number, name in enumerate(crafted)
    ] or [svg.words(EDGE, 18, "no objects crafted yet", size=15, fill="faint")]
    height = 30 * max(1, -(-len(crafted) // ROW_PLACES))
    if reserved is None:
        return Band(height, "".join(drawn))
    card = chip(INNER, f"reserved: {reserved} ({levels_text(view['required'][reserved])})", view["points"][reserved])
    return Band(height + 30, "".join([*drawn, svg.at(EDGE, height, svg.part(["craft_reserved"], card, label="reserved"))]))


def chip(width: float, text: str, points: int) -> str:
    """An object that lies before a player: its name and points."""
    name = svg.words(8, 18, text, size=15, width=width - 40)
    return svg.box(0, 0, width, 26) + name + svg.words(width - 8, 19, str(points), size=17, anchor="end", bold=True)


def own_hand(view: View, side: str, seat: int | None) -> Band:
    """The hand, with free places; when materials are developed, each card says with how many that would be."""
    cards = [(material, copy) for material in MATERIALS for copy in range(1, view["hand"][side].get(material, 0) + 1)]
    develops = view["phase"] == "develop" and SEATS[view["seat"]] == side
    faces = [hand_card(material, copy, counted=develops) for material, copy in cards]
    faces += [svg.labelled(HAND_WIDTH, HAND_HEIGHT, "free")] * (HAND_LIMIT - len(faces))
    title = svg.words(EDGE, 14, f"hand of {called(side, seat)}", size=16)
    return Band(
        20 + HAND_HEIGHT, title + "".join(svg.at(EDGE + place * HAND_PITCH, 20, face) for place, face in enumerate(faces))
    )


def hand_card(material: str, copy: int, *, counted: bool) -> str:
    """A card of the hand; it is the given one of its material."""
    middle, up = HAND_WIDTH / 2, 8 if counted else 0
    face = [
        svg.box(0, 0, HAND_WIDTH, HAND_HEIGHT, line=material),
        symbol(material, middle, 28 - up / 2, 36 - up),
        svg.words(middle, 66 - up, material, size=17, anchor="middle", bold=True, width=HAND_WIDTH - 6),
        *([svg.words(middle, 77, f"develop {copy}", size=13, anchor="middle", fill="accent", bold=True)] if counted else []),
    ]
    return svg.part([f"exchange:*:{material}", f"develop:{material}:{copy}"], *face, label=f"{material} in hand, number {copy}")


# ---- Draft and end


def offered(view: View) -> Band:
    """The artisans that can still be chosen (ART-2.3)."""
    chosen, pitch = set(view["artisan"].values()), (INNER + GAP) / 3
    artisans = [artisan for artisan in ARTISANS if artisan not in chosen]
    drawn = [svg.words(EDGE, 15, "artisans on offer", size=16)]
    for number, artisan in enumerate(artisans):
        card = svg.part([f"choose:{artisan}"], artisan_card(artisan, ARTISAN_WIDTH, ARTISAN_HEIGHT), label=artisan)
        drawn.append(svg.at(EDGE + number % 3 * pitch, 22 + number // 3 * (ARTISAN_HEIGHT + GAP), card))
    return Band(22 + -(-len(artisans) // 3) * (ARTISAN_HEIGHT + GAP), "".join(drawn))


def reckoning(view: View, seat: int | None) -> Band:
    """How the scores came about (ART-6.2)."""
    columns: Mapping[str, Callable[[str], int]] = {
        "levels": lambda side: level_points(view, side),
        "objects": lambda side: sum(view["points"][name] for name in objects_of(view, side)),
        "bonus": lambda side: bonus(view, side),
        "reserved": lambda side: -penalty(view, side),
        "score": lambda side: score(view, side),
    }
    ends = [300 + 78 * place for place in range(len(columns))]
    best = winners(view)
    drawn = [svg.words(EDGE, 15, "reckoning", size=16)]
    drawn += [svg.words(end, 15, name, size=15, anchor="end", fill="faint") for end, name in zip(ends, columns, strict=True)]
    for number, side in enumerate(SEATS[: view["num_players"]]):
        y, first = 40 + 24 * number, side in best
        drawn.append(svg.words(EDGE, y, called(side, seat), size=16, bold=first, fill="accent" if first else "ink"))
        for end, value in zip(ends, columns.values(), strict=True):
            drawn.append(svg.words(end, y, str(value(side)), size=16, anchor="end", bold=first))
    return Band(22 + 24 * view["num_players"], "".join(drawn))


# ---- The whole


def headline(view: View, seat: int | None) -> str:
    """Whose decision it is, and which; at the end, who won and by what (ART-6.3)."""
    if view["phase"] != "over":
        return f"{called(SEATS[view['seat']], seat)} {ASKED[view['phase']]}"
    best = winners(view)
    points = score(view, best[0])
    if len(best) > 1:
        return f"game over: {' and '.join(called(side, seat) for side in best)} share the win with {counted(points, 'point')}"
    level = [side for side in SEATS[: view["num_players"]] if side != best[0] and score(view, side) == points]
    objects = {len(objects_of(view, side)) for side in level}
    by = (
        "" if not level else ", and more developed cards" if len(objects_of(view, best[0])) in objects else ", and more objects"
    )
    return f"game over: {called(best[0], seat)} wins with {counted(points, 'point')}{by}"


def head(view: View, options: ArtisansOptions, seat: int | None) -> Band:
    """Which game it is, and whose decision."""
    line = f"Artisans ({edition_text(options)}) · round {view['round_number']} of {ROUNDS}"
    return svg.heading(line, headline(view, seat), edge=EDGE, width=INNER)


def picture(view: View, options: ArtisansOptions, seat: int | None, theme: Theme) -> str:
    """The table as the player at `seat` sees it: the others, market and objects, the own cards below; None sees all."""
    near, players, images = seat or 0, view["num_players"], options.images()
    bands = [
        head(view, options, seat),
        other_players(view, [SEATS[(near + place) % players] for place in range(1, players)]),
        middle(view, images, seat),
        row(view, images, seat),
        *([offered(view)] if view["phase"] == "draft" else []),
        *([reckoning(view, seat)] if view["phase"] == "over" else []),
        own_player(view, SEATS[near], seat),
        own_objects(view, SEATS[near]),
        own_hand(view, SEATS[near], seat),
    ]
    whole = svg.stacked(bands, GAP)
    title = f"Artisans: {headline(view, seat)}"
    return svg.document(WIDTH, whole.height, whole.drawn, name="artisans", title=title, paints=PAINTS, theme=theme)
