"""Pictures as SVG text: a few shapes, words, and parts that can be clicked. It knows no game.

Every function returns a piece of SVG; pieces are put together by `at`, `part` and `document`. Colours are named paints, each
with a value for light and one for dark surroundings, so that one picture serves both. Numbers are written shortly and the
same pieces give the same text, byte by byte.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from html import escape
from typing import Literal, NamedTuple, get_args

FONT = "DejaVu Sans"
"""The font that sizes were chosen for; where it is missing, the next sans-serif one is used."""


class Paint(NamedTuple):
    """A colour in light and in dark surroundings."""

    light: str
    dark: str


Paints = Mapping[str, Paint]
Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = get_args(Theme)
"""`auto` follows the surroundings (the page or the system) where the viewer can tell, and is light elsewhere."""

BASIC: Paints = {
    "table": Paint("#f4efe6", "#1d2126"),
    "card": Paint("#fffdf8", "#2b3138"),
    "back": Paint("#c9bfae", "#4a525c"),
    "ink": Paint("#26221c", "#ece7de"),
    "faint": Paint("#6f675b", "#a9b0b8"),
    "line": Paint("#b9ae9c", "#59626c"),
    "accent": Paint("#b3541e", "#f0a05a"),
    "none": Paint("none", "none"),
}
"""Paints that every picture has: the table, cards, their backs, words, lesser words, lines, what stands out."""


NARROW, MEDIUM, WIDE, BOLD = 0.41, 0.64, 0.98, 1.12
"""Widths of letters as parts of the font's size, and how much wider bold ones are."""


SMALLEST = 0.65
"""How small a line may be written to fit, as a part of the size asked for."""
WITHIN = 1.0001
"""A line that was made to fit is as wide as its room, but for rounding."""
MOST_KEPT = 4096
"""Shapes, numbers and lines of text of each kind of which is kept how they are written: pictures repeat themselves."""


# ---- Shapes


def element(name: str, *children: str, **attributes: object) -> str:
    """An element. `class_` is `class`, `stroke_width` is `stroke-width`; attributes that are None are left out."""
    written = "".join([f' {_key(key)}="{_value(value)}"' for key, value in attributes.items() if value is not None])
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


@lru_cache(MOST_KEPT)
def box(x: float, y: float, width: float, height: float, *, fill: str = "card", line: str = "line", radius: float = 6) -> str:
    """A rectangle with round corners, in named paints."""
    return element("rect", x=x, y=y, width=width, height=height, rx=radius or None, class_=_classes(fill, line))


@lru_cache(MOST_KEPT)
def circle(x: float, y: float, radius: float, *, fill: str = "card", line: str = "line") -> str:
    """A circle, in named paints."""
    return element("circle", cx=x, cy=y, r=radius, class_=_classes(fill, line))


@lru_cache(MOST_KEPT)
def path(drawn: str, *, fill: str = "none", line: str = "line") -> str:
    """A path in SVG's own notation, in absolute coordinates and arcs of circles (`M L H V C Q T A Z`), in named paints."""
    return element("path", d=drawn, class_=_classes(fill, line))


def polygon(points: Iterable[tuple[float, float]], *, fill: str = "card", line: str = "line") -> str:
    """A polygon, in named paints."""
    return element("polygon", points=" ".join(f"{_value(x)},{_value(y)}" for x, y in points), class_=_classes(fill, line))


@lru_cache(MOST_KEPT)
def words(
    x: float,
    y: float,
    text: str,
    *,
    size: float = 14,
    anchor: Literal["start", "middle", "end"] = "start",
    fill: str = "ink",
    bold: bool = False,
    width: float | None = None,
) -> str:
    """A line of text; y is its base line. Where it would be wider than `width`, it is written smaller, or if need be cut."""
    if width is not None and (needed := width_of(text, size, bold=bold)) > width:
        size = size * max(SMALLEST, width / needed)
        text = cut(text, size, width, bold=bold)
    weight = "bold" if bold else None
    place = None if anchor == "start" else anchor
    return element(
        "text", escape(text), x=x, y=y, font_size=size, text_anchor=place, font_weight=weight, class_=_classes(fill, "none")
    )


def cut(text: str, size: float, width: float, *, bold: bool = False) -> str:
    """As much of a line of text as is no wider than `width`; dots where it was cut."""
    room = width * WITHIN
    if width_of(text, size, bold=bold) <= room:
        return text
    while text and width_of(f"{text}…", size, bold=bold) > room:
        text = text[:-1]
    return f"{text.rstrip()}…"


@lru_cache(MOST_KEPT)
def width_of(text: str, size: float, *, bold: bool = False) -> float:
    """About how wide a line of text is in `FONT`; no narrower than it is."""
    ems = sum(NARROW if letter in "fijlrt I.,:;·'()[]|!/-" else WIDE if letter in "mwMW%@—…" else MEDIUM for letter in text)
    return ems * size * (BOLD if bold else 1)


def wrapped(text: str, size: float, width: float) -> list[str]:
    """A text in lines that are no wider than `width`, broken between words."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", size) <= width:
            lines[-1] = f"{lines[-1]} {word}"
        else:
            lines.append(word)
    return lines


@lru_cache(MOST_KEPT)
def image(x: float, y: float, width: float, height: float, digest: str) -> str:
    """An image, as large as fits into a box, by its digest: `cardtable.game.images.placed` says where it is."""
    return element("image", x=x, y=y, width=width, height=height, href=f"image:{digest}")


# ---- Putting together


def at(x: float, y: float, *children: str) -> str:
    """Pieces moved to a place."""
    return element("g", *children, transform=f"translate({_value(x)} {_value(y)})")


@lru_cache(MOST_KEPT)
def symbol(drawn: str, x: float, y: float, size: float, *, fill: str) -> str:
    """A path of 24 by 24 around the origin, drawn around a place in another size."""
    moved = f"translate({_value(x)} {_value(y)}) scale({_value(size / 24)})"
    return element("path", d=drawn, transform=moved, class_=_classes(fill, "none"))


@lru_cache(MOST_KEPT)
def labelled(width: float, height: float, text: str, *, fill: str = "none", ink: str = "faint", size: float = 14) -> str:
    """A card or a place for one, with a word in its middle."""
    word = words(width / 2, height / 2 + size / 3, text, size=size, anchor="middle", fill=ink, width=width - 6)
    return box(0, 0, width, height, fill=fill) + word


class Band(NamedTuple):
    """Pieces that take all the width of a picture, from y = 0 down."""

    height: float
    drawn: str


def stacked(bands: Iterable[Band], gap: float) -> Band:
    """Bands one under the other, with a gap around each."""
    y, drawn = gap, []
    for band in bands:
        drawn.append(at(0, y, band.drawn))
        y += band.height + gap
    return Band(y, "".join(drawn))


def heading(line: str, headline: str, *, edge: float, width: float) -> Band:
    """What stands at the top of a picture: what it shows, and large, whose decision it is."""
    first = words(edge, 14, line, size=15, fill="faint", width=width)
    return Band(44, first + words(edge, 40, headline, size=20, bold=True, fill="accent", width=width))


def part(names: Iterable[str], *children: str, label: str) -> str:
    """Pieces that stand for something that actions name, so that they can be clicked. `label` is what a screen reader says.

    Each of `names` is a block of actions and labels on its axes, in their order, `*` for any: `"play:sun 1"` are all actions of
    the block `play` with `sun 1` on the first axis, `"play:*:leaf"` those with `leaf` on the second, `"play"` all of them.
    """
    return element("g", *children, data_part="|".join(names), aria_label=label)


def is_named(names: str, block: str, labels: Sequence[str]) -> bool:
    """Whether an action is one that a part stands for, by its `data-part`. A click on a part keeps these actions only."""
    return any(_is_one(name.split(":"), block, labels) for name in names.split("|"))


def _is_one(name: Sequence[str], block: str, labels: Sequence[str]) -> bool:
    return name[0] == block and all(given in ("*", label) for given, label in zip(name[1:], labels, strict=False))


def document(width: float, height: float, *children: str, name: str, title: str, paints: Paints, theme: Theme) -> str:
    """A whole picture. `title` is what it shows, for screen readers; `paints` are the game's own, besides the basic ones.

    `name` is the game's: pictures of several games, or in several themes, keep their paints on one page.
    """
    scope, used = f"{name}-{theme}", {**BASIC, **paints}
    assert all(word.isidentifier() for word in (name, *used)), (name, used)
    return element(
        "svg",
        element("title", escape(title)),
        element("style", style_of(scope, tuple(used.items()), theme)),
        box(0, 0, width, height, fill="table", line="none", radius=0),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        width=width,
        height=height,
        font_family=f"{FONT}, Verdana, sans-serif",
        class_=scope,
    )


@lru_cache
def style_of(scope: str, paints: tuple[tuple[str, Paint], ...], theme: Theme) -> str:
    """The style sheet of paints: `.f-card` fills, `.l-card` draws lines."""
    light = _rules(scope, [(name, paint.light) for name, paint in paints])
    dark = _rules(scope, [(name, paint.dark) for name, paint in paints])
    if theme == "auto":
        return f"{light} @media (prefers-color-scheme: dark) {{ {dark} }}"
    return dark if theme == "dark" else light


def _rules(scope: str, colours: Iterable[tuple[str, str]]) -> str:
    return " ".join(f".{scope} .f-{name}{{fill:{value}}} .{scope} .l-{name}{{stroke:{value}}}" for name, value in colours)


def _classes(fill: str, line: str) -> str:
    return f"f-{fill} l-{line}"


@cache
def _key(name: str) -> str:
    return name.strip("_").replace("_", "-")


@lru_cache(MOST_KEPT)
def _value(value: object) -> str:
    """A number shortly, with two places at most; all else as text that is safe in an attribute."""
    if isinstance(value, float):
        shortened = f"{value:.2f}".rstrip("0").rstrip(".")
        return "0" if shortened == "-0" else shortened
    return escape(str(value), quote=True)
