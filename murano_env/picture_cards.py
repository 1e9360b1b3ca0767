"""The cards of Murano in a picture: hands, works, packs, and what an own card can be clicked for."""

from collections.abc import Iterator, Mapping
from itertools import accumulate, product

from cardtable.game.record import SEATS
from cardtable.game.sight import HIDDEN, View
from cardtable.support import svg
from murano_env.components import COLOUR_NAMES
from murano_env.constants import Phase
from murano_env.options import MuranoOptions
from murano_env.picture_board import MARGIN, SMALL, WIDTH, chip, clicked, shard, symbol
from murano_env.render import TRANSPARENT, categories, lacking, shards_text
from murano_env.state import PHASE_NAMES

COLUMNS = 3
"""Cards beside each other."""
CARD_WIDTH = (WIDTH - 2 * MARGIN - 2 * 8) / COLUMNS
"""How wide cards are."""
IMAGE_LEFT = 110
FACE, BACK = 92, 44
"""How high cards are of which a viewer sees all, and others."""
DRAFT, TURN = PHASE_NAMES[Phase.DRAFT], PHASE_NAMES[Phase.TURN]


def cards_of(view: View, options: MuranoOptions, seat: int, viewer: int | None, *, clickable: bool) -> Iterator[str]:
    """Hand and works of a player; in a draft the cards kept and the pack."""
    side = SEATS[seat]
    if view["phase"] == DRAFT:
        yield from drafted_cards(view, options, side, clickable=clickable)
        return
    for position, card in enumerate(view["hand"][side], start=1):
        if card == HIDDEN:
            yield back(f"position {position}")
        else:
            drawn = face(options, card, str(position), lacking(view, side, card), lacks_words(view, side, card))
            names = card_names(view, side, position)
            yield clicked(names, drawn, f"{card} in position {position}", clickable=clickable)
    for card in view["works"][side]:
        yield work(view, options, card, large=viewer in (None, seat), clickable=clickable)


def drafted_cards(view: View, options: MuranoOptions, side: str, *, clickable: bool) -> Iterator[str]:
    """The cards kept so far, and the pack (MUR-9.1)."""
    numbers = {name: number for number, name in enumerate(options.cards.names())}
    for position, card in enumerate(view["drafted"][side], start=1):
        yield back(f"position {position}") if card == HIDDEN else face(options, card, str(position), {}, "kept")
    for card in sorted(view["pack"][side], key=lambda name: numbers.get(name, 0)):
        if card == HIDDEN:
            yield back("pack")
        else:
            drawn = face(options, card, "", {}, "of the pack", line="accent")
            yield clicked([f"draft:{numbers[card]}"], drawn, f"keep {card}", clickable=clickable)


def back(text: str) -> str:
    """A card face down, with its position."""
    return svg.box(0, 0, CARD_WIDTH, BACK, fill="back") + svg.words(
        CARD_WIDTH / 2, BACK / 2 + 5, text, size=14, anchor="middle"
    )


def face(options: MuranoOptions, card: str, position: str, lacked: Mapping[str, int], note: str, *, line: str = "line") -> str:
    """A Creation: name, recipe with what is lacking as outlines, categories, and a note."""
    recipe = next(each.recipe for each in options.cards.creations if each.name == card)
    left = 30 if position else 8
    drawn = [
        svg.box(0, 0, CARD_WIDTH, FACE, line="accent" if position == "1" else line),
        *(
            [
                svg.circle(15, 15, 10, fill="ink", line="none"),
                svg.words(15, 20, position, size=14, anchor="middle", fill="card"),
            ]
            if position
            else []
        ),
        svg.words(left, 20, card, size=14, bold=True, width=CARD_WIDTH - left - 4),
    ]
    for place, kind in enumerate(recipe):
        covered = recipe[:place].count(kind) < recipe.count(kind) - lacked.get(kind, 0)
        drawn.append(svg.at(19 + 25 * place, 40, shard(kind, 10, hollow=not covered)))
    drawn += [*category_chips(options, card), image(options, card)]
    drawn.append(svg.words(8, 86, note, size=SMALL, fill="faint", width=CARD_WIDTH - 12))
    return "".join(drawn)


def image(options: MuranoOptions, card: str) -> str:
    """The image of a Creation, if its edition has one."""
    found = options.images().get(card)
    return svg.image(IMAGE_LEFT, 24, CARD_WIDTH - IMAGE_LEFT - 4, 50, found.digest) if found else ""


def category_chips(options: MuranoOptions, card: str) -> list[str]:
    """The categories of a Creation, symbol and word; beside an image the symbol alone."""
    return [
        svg.at(x, 54, svg.at(0, 2, symbol(name)), "" if card in options.images() else svg.words(19, 15, name, size=SMALL))
        for x, name in category_places(options, card)
    ]


def category_places(options: MuranoOptions, card: str) -> list[tuple[float, str]]:
    """Where the categories of a card are written."""
    names = categories(options, card)
    widths = (24 if card in options.images() else svg.width_of(name, SMALL) + 22 for name in names)
    return list(zip(accumulate(widths, initial=8.0), names, strict=False))


def uses(view: View, work: str) -> dict[str, str]:
    """Tile -> how the block `use` calls the use of a work for it; none if it is set aside."""
    if work in view["set_aside"]:
        return {}
    own = list(view["category"][work])
    return {tile: "+".join([f"{tile} with {tile}", *(other for other in own if other != tile)]) for tile in own}


def work(view: View, options: MuranoOptions, card: str, *, large: bool, clickable: bool) -> str:
    """A completed work; its categories can be clicked to use their Advantages (MUR-7.3)."""
    used, height = card in view["set_aside"], FACE if large else BACK
    drawn = [
        svg.box(0, 0, CARD_WIDTH, height, fill="table" if used else "work"),
        svg.words(8, 18, card, size=14, bold=not used, fill="faint" if used else "ink", width=CARD_WIDTH - 12),
    ]
    if not large:
        kinds = ", ".join(categories(options, card))
        drawn.append(svg.words(8, 36, f"used: {kinds}" if used else kinds, size=SMALL, fill="faint", width=CARD_WIDTH - 12))
        return "".join(drawn)
    state = "work, set aside" if used else "work, ready for"
    drawn += [svg.words(8, 40, state, size=SMALL, fill="faint"), image(options, card)]
    named = uses(view, card)
    for (_, name), chip_drawn in zip(category_places(options, card), category_chips(options, card), strict=True):
        drawn.append(
            clicked([f"use:{named.get(name)}"], chip_drawn, f"use {name} with {card}", clickable=clickable and not used)
        )
    return "".join(drawn)


def lacks_words(view: View, side: str, card: str) -> str:
    """What the Workbench lacks for a card, transparent shards aside."""
    lacked, transparent = lacking(view, side, card), view["bench"][side].get(TRANSPARENT, 0)
    number = sum(lacked.values())
    if not number:
        return "all shards at hand"
    if number <= transparent:
        return f"at hand, T for {shards_text(lacked)}"
    return f"lacks {shards_text(lacked)}{f', less {transparent} T' if transparent else ''}"


def replacements(view: View, side: str) -> list[str]:
    """What transparent shards can stand for in the work in position 1, as the block `make` calls it, the fewest first."""
    recipe, bench = view["recipe"][view["hand"][side][0]], view["bench"][side]
    lacked, most = lacking(view, side, view["hand"][side][0]), bench.get(TRANSPARENT, 0)
    ranges = [range(lacked[colour], recipe.get(colour, 0) + 1) for colour in COLOUR_NAMES]
    found = sorted((vector for vector in product(*ranges) if sum(vector) <= most), key=sum)
    words = [shards_text(dict(zip(COLOUR_NAMES, vector, strict=True))) for vector in found]
    return [word.lower().replace("-", "none") for word in words]


def card_names(view: View, side: str, position: int) -> list[str]:
    """What a card of the own hand can be clicked for: to be made with the fewest transparent shards, or as a position."""
    if position > 1:
        return [f"reorder:{position}", f"arrange:{position}"]
    return [*(f"make:{word}" for word in replacements(view, side)[:1]), "arrange:1"]


def make_choices(view: View, side: str) -> Iterator[str]:
    """Where transparent shards leave a choice: what they stand for (MUR-6.1)."""
    choices = replacements(view, side) if can_make(view) and view["hand"][side] else []
    if len(choices) > 1:
        yield svg.words(0, 16, "T for", size=SMALL, fill="faint")
        x = 50.0
        for word in choices:
            width = max(24, 10 + 9 * len(word))
            yield svg.at(
                x, 0, svg.part([f"make:{word}"], chip(width, word.upper() if word != "none" else word), label=f"T for {word}")
            )
            x += width + 4
    elif view["hand"][side]:
        yield svg.words(0, 16, "only position 1 can be made; outlines: shards that are lacking", size=SMALL, fill="faint")


def can_make(view: View) -> bool:
    """Whether works can be made now (MUR-3.3)."""
    return view["phase"] == TURN and bool(view["negotiations"] or view["passed"])


def owl_chips(view: View, side: str) -> Iterator[str]:
    """The Owl can bring any card but the first to the front (MUR-11.6)."""
    if view["phase"] == TURN and view["owl"] == side:
        for position in range(2, len(view["hand"][side]) + 1):
            drawn = svg.part([f"owl:{position}"], chip(44, "Owl"), label=f"the Owl brings position {position}")
            yield svg.at(
                ((position - 1) % COLUMNS) * (CARD_WIDTH + 8) + CARD_WIDTH - 50,
                ((position - 1) // COLUMNS) * (FACE + 6) + 29,
                drawn,
            )
