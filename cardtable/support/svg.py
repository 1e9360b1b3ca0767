"""Pictures as SVG text: a few shapes, words, and parts that can be clicked. It knows no game.

Every function returns a piece of SVG; pieces are put together by `at`, `part` and `document`. Colours are named paints, each
with a value for light and one for dark surroundings, so that one picture serves both. Numbers are written shortly and the
same pieces give the same text, byte by byte.
"""

from collections.abc import Iterable, Mapping
from html import escape
from typing import Literal, NamedTuple

FONT = "DejaVu Sans"
"""The font that sizes were chosen for; where it is missing, the next sans-serif one is used."""


class Paint(NamedTuple):
    """A colour in light and in dark surroundings."""

    light: str
    dark: str


Paints = Mapping[str, Paint]
Theme = Literal["auto", "light", "dark"]
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


# ---- Shapes


def element(name: str, *children: str, **attributes: object) -> str:
    """An element. `class_` is `class`, `stroke_width` is `stroke-width`; attributes that are None are left out."""
    written = "".join(
        f' {key.strip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items() if value is not None
    )
    return f"<{name}{written}>{''.join(children)}</{name}>" if children else f"<{name}{written}/>"


def box(x: float, y: float, width: float, height: float, *, fill: str = "card", line: str = "line", radius: float = 6) -> str:
    """A rectangle with round corners, in named paints."""
    return element("rect", x=x, y=y, width=width, height=height, rx=radius or None, class_=_classes(fill, line))


def circle(x: float, y: float, radius: float, *, fill: str = "card", line: str = "line") -> str:
    """A circle, in named paints."""
    return element("circle", cx=x, cy=y, r=radius, class_=_classes(fill, line))


def path(drawn: str, *, fill: str = "none", line: str = "line") -> str:
    """A path in SVG's own notation (`M 0 0 L 10 0 …`), in named paints."""
    return element("path", d=drawn, class_=_classes(fill, line))


def polygon(points: Iterable[tuple[float, float]], *, fill: str = "card", line: str = "line") -> str:
    """A polygon, in named paints."""
    return element("polygon", points=" ".join(f"{_value(x)},{_value(y)}" for x, y in points), class_=_classes(fill, line))


def words(
    x: float,
    y: float,
    text: str,
    *,
    size: float = 14,
    anchor: Literal["start", "middle", "end"] = "start",
    fill: str = "ink",
    bold: bool = False,
) -> str:
    """A line of text; y is its base line."""
    weight = "bold" if bold else None
    place = None if anchor == "start" else anchor
    return element(
        "text", escape(text), x=x, y=y, font_size=size, text_anchor=place, font_weight=weight, class_=_classes(fill, "none")
    )


# ---- Putting together


def at(x: float, y: float, *children: str) -> str:
    """Pieces moved to a place."""
    return element("g", *children, transform=f"translate({_value(x)} {_value(y)})")


def part(word: str, *children: str, blocks: Iterable[str] = (), label: str | None = None) -> str:
    """Pieces that stand for something an action names, so that they can be clicked.

    `word` is a label of an axis of the action's block, or the name of a block without axes. `blocks` are the blocks whose
    actions the piece is meant for; all of them if none are named. `label` is what a screen reader says; by default the word.
    """
    return element("g", *children, data_part=word, data_blocks=" ".join(blocks) or None, aria_label=label or word)


def document(
    width: float, height: float, *children: str, title: str, paints: Paints | None = None, theme: Theme = "auto"
) -> str:
    """A whole picture. `title` is what it shows, for screen readers; `paints` are the game's own, besides the basic ones."""
    used = {**BASIC, **(paints or {})}
    assert all(name.isidentifier() for name in used), used
    return element(
        "svg",
        element("title", escape(title)),
        element("style", style_of(used, theme)),
        box(0, 0, width, height, fill="table", line="none", radius=0),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_value(width)} {_value(height)}",
        width=width,
        height=height,
        font_family=f"{FONT}, Verdana, sans-serif",
        role="img",
    )


def style_of(paints: Paints, theme: Theme) -> str:
    """The style sheet of paints: `.f-card` fills, `.l-card` draws lines."""
    if theme == "dark":
        return _rules({name: paint.dark for name, paint in paints.items()})
    light = _rules({name: paint.light for name, paint in paints.items()})
    if theme == "light":
        return light
    dark = _rules({name: paint.dark for name, paint in paints.items()})
    return f"{light} @media (prefers-color-scheme: dark) {{ {dark} }}"


def _rules(colours: Mapping[str, str]) -> str:
    return " ".join(f".f-{name}{{fill:{colour}}} .l-{name}{{stroke:{colour}}}" for name, colour in colours.items())


def _classes(fill: str, line: str) -> str:
    return f"f-{fill} l-{line}"


def _value(value: object) -> str:
    """A number shortly, with two places at most; all else as text that is safe in an attribute."""
    if isinstance(value, float):
        shortened = f"{value:.2f}".rstrip("0").rstrip(".")
        return "0" if shortened == "-0" else shortened
    return escape(str(value), quote=True)
