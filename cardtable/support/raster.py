"""Pictures as pixels: what `cardtable.support.svg` writes, drawn by Matplotlib's Agg in the font that Matplotlib brings.

It draws what that module makes, and no more of SVG: an element that it does not know is an error, not a gap in the picture.
Outlines of words and shapes are kept, since pictures of one game repeat themselves.
"""

import base64
import io
import re
import warnings
from collections.abc import Callable
from functools import lru_cache
from math import atan2, ceil, degrees, hypot, sqrt
from pathlib import Path as File
from typing import Any, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import matplotlib as mpl
import numpy as np
from matplotlib.backend_bases import GraphicsContextBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.colors import to_rgba
from matplotlib.font_manager import FontProperties
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D, Transform
from PIL import Image

from cardtable.errors import CardtableError
from cardtable.support.messages import cut
from cardtable.types import Array

FONTS = {False: "DejaVuSans.ttf", True: "DejaVuSans-Bold.ttf"}
"""Files of the font in Matplotlib's folder; by whether it is bold."""
DOTS = 72
"""An inch has so many points, and here as many pixels: widths of lines are in pixels."""
MOST_KEPT = 4096
"""Outlines of lines of words and of shapes."""
MOST_IMAGES = 256

NAMESPACE = "{http://www.w3.org/2000/svg}"
RULE = re.compile(r"\.([fl]-\w+)\{\w+:([^}]*)\}")
TOKEN = re.compile(r"[A-Za-z]|-?\d*\.?\d+(?:e-?\d+)?")
MOVED = re.compile(r"(translate|scale)\(([^)]*)\)")
DATA = re.compile(r"data:image/[a-z]+;base64,(.*)", re.DOTALL)

Colour = tuple[float, float, float, float]
Point = tuple[float, float]


class Paint(NamedTuple):
    """What an element is filled and drawn with; None is not at all."""

    fill: Colour | None
    line: Colour | None


def draw(picture: str, width: int | None = None) -> Array:
    """A picture as an array (height, width, 3) of uint8, so many pixels wide; by default as wide as it says."""
    root = ElementTree.fromstring(picture)
    _, _, wide, high = (float(number) for number in root.attrib["viewBox"].split())
    scale = 1.0 if width is None else width / wide
    canvas = Canvas(ceil(wide * scale), ceil(high * scale))
    canvas.draw_children(root, Affine2D.from_values(scale, 0, 0, -scale, 0, canvas.height))
    return canvas.pixels()


class Canvas:
    """Where elements are drawn, the first at the bottom; y grows upwards, as Agg has it."""

    def __init__(self, width: int, height: int) -> None:
        self.height = height
        self._agg: Any = RendererAgg(width, height, DOTS)  # type: ignore[no-untyped-call]
        self._paints: dict[str, Colour | None] = {}

    def pixels(self) -> Array:
        """All that was drawn."""
        drawn = np.asarray(self._agg.buffer_rgba())
        return np.ascontiguousarray(drawn[..., :3])

    def draw_children(self, element: Element, place: Transform) -> None:
        """Draw what is in an element, by a matrix from its coordinates to pixels."""
        for child in element:
            name = child.tag.removeprefix(NAMESPACE)
            if name == "g":
                self.draw_children(child, _moved(child) + place)
            elif name == "style":
                self._paints = _paints(child.text or "")
            elif name == "image":
                self._draw_image(child, place)
            elif name in SHAPES:
                width = _number(child, "stroke-width", 1)
                self._draw_path(SHAPES[name](child), self._paint_of(child), _moved(child) + place, width)
            elif name != "title":
                raise NotImplementedError(f"pictures as pixels have no element {name}, only what cardtable.support.svg makes")

    def _paint_of(self, element: Element) -> Paint:
        fill, line = element.attrib["class"].split()
        return Paint(self._paints[fill], self._paints[line])

    def _draw_path(self, path: Path, paint: Paint, place: Transform, width: float) -> None:
        if not len(points_of(path)):
            return
        pen = GraphicsContextBase()
        pen.set_linewidth(0)
        if paint.line is not None:
            pen.set_linewidth(width * sqrt(abs(np.linalg.det(place.get_matrix()))))
            pen.set_foreground(paint.line, isRGBA=True)
            pen.set_joinstyle("miter")
        self._agg.draw_path(pen, path, place, paint.fill)

    def _draw_image(self, element: Element, place: Transform) -> None:
        x, y, width, height = (_number(element, name) for name in ("x", "y", "width", "height"))
        (left, top), (right, bottom) = place.transform([(x, y), (x + width, y + height)])
        image = _image(element.attrib["href"], round(right - left), round(top - bottom))
        x, y = (left + right - image.shape[1]) / 2, (top + bottom - image.shape[0]) / 2
        self._agg.draw_image(GraphicsContextBase(), x, y, image)


def _number(element: Element, name: str, usual: float = 0) -> float:
    return float(element.attrib.get(name, usual))


def _moved(element: Element) -> Affine2D:
    """From an element's own coordinates to those around it."""
    moved = Affine2D()
    for kind, numbers in reversed(MOVED.findall(element.attrib.get("transform", ""))):
        given = [float(number) for number in numbers.split()]
        moved = moved.translate(*given) if kind == "translate" else moved.scale(*given)
    return moved


def _paints(sheet: str) -> dict[str, Colour | None]:
    """The paints of a style sheet: the light ones if it has both, for what the surroundings are nobody can tell here."""
    return {name: None if value == "none" else to_rgba(value) for name, value in RULE.findall(sheet.partition("@media")[0])}


# ---- Shapes


def _box(element: Element) -> Path:
    x, y, width, height = (_number(element, name) for name in ("x", "y", "width", "height"))
    return _rounded(x, y, width, height, min(_number(element, "rx"), width / 2, height / 2))


@lru_cache(MOST_KEPT)
def _rounded(x: float, y: float, width: float, height: float, radius: float) -> Path:
    right, bottom = x + width, y + height
    if not radius:
        return Path([(x, y), (right, y), (right, bottom), (x, bottom), (x, y)], closed=True)
    r = f"{radius} {radius} 0 0 1"
    sides = f"M{x + radius} {y}H{right - radius}A{r} {right} {y + radius}V{bottom - radius}A{r} {right - radius} {bottom}"
    return outline(f"{sides}H{x + radius}A{r} {x} {bottom - radius}V{y + radius}A{r} {x + radius} {y}Z")


def _circle(element: Element) -> Path:
    return _round(*(_number(element, name) for name in ("cx", "cy", "r")))


@lru_cache(MOST_KEPT)
def _round(x: float, y: float, radius: float) -> Path:
    return Path.circle((x, y), radius)


def _polygon(element: Element) -> Path:
    return outline(f"M{element.attrib['points'].replace(',', ' ')}Z")


def _words(element: Element) -> Path:
    path = _written(element.text or "", bold=element.attrib.get("font-weight") == "bold")
    if not len(points_of(path)):
        return path
    size = _number(element, "font-size") / text_to_path.FONT_SCALE
    share = {"middle": 0.5, "end": 1}.get(element.attrib.get("text-anchor", ""), 0)
    start = _number(element, "x") - share * points_of(path)[:, 0].max() * size
    return Path(points_of(path) * (size, -size) + (start, _number(element, "y")), path.codes)


@lru_cache(MOST_KEPT)
def _written(text: str, *, bold: bool) -> Path:
    """The outline of a line of words, above the origin."""
    font = FontProperties(fname=File(mpl.get_data_path(), "fonts", "ttf", FONTS[bold]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a letter that the font has not is drawn as a box
        vertices, codes = text_to_path.get_text_path(font, text)
    return Path(vertices, codes)


def _path(element: Element) -> Path:
    return outline(element.attrib["d"])


def points_of(path: Path) -> Array:
    """The points of an outline, as an array (number, 2)."""
    return np.asarray(path.vertices, np.float64)


SHAPES: dict[str, Callable[[Element], Path]] = {
    "rect": _box,
    "circle": _circle,
    "polygon": _polygon,
    "path": _path,
    "text": _words,
}


# ---- Paths


class Pen:
    """Follows the commands of a path, in absolute coordinates."""

    def __init__(self) -> None:
        self.vertices: list[Point] = []
        self.codes: list[int] = []
        self._start: Point = (0.0, 0.0)
        self._handle: Point | None = None

    def _add(self, code: int, *points: Point) -> None:
        self.vertices += points
        self.codes += [code] * len(points)
        self._handle = None

    @property
    def _at(self) -> Point:
        return self.vertices[-1]

    def move(self, x: float, y: float) -> None:
        """Begin at a place."""
        self._start = x, y
        self._add(int(Path.MOVETO), (x, y))

    def line(self, x: float, y: float) -> None:
        """A line to a place."""
        self._add(int(Path.LINETO), (x, y))

    def across(self, x: float) -> None:
        """A line to the left or right."""
        self.line(x, self._at[1])

    def upright(self, y: float) -> None:
        """A line up or down."""
        self.line(self._at[0], y)

    def cubic(self, x1: float, y1: float, x2: float, y2: float, x: float, y: float) -> None:
        """A curve with two handles."""
        self._add(int(Path.CURVE4), (x1, y1), (x2, y2), (x, y))

    def quadratic(self, x1: float, y1: float, x: float, y: float) -> None:
        """A curve with one handle."""
        self._add(int(Path.CURVE3), (x1, y1), (x, y))
        self._handle = x1, y1

    def smooth(self, x: float, y: float) -> None:
        """A curve with one handle that goes on where the last one led."""
        (here_x, here_y), (x1, y1) = self._at, self._handle or self._at
        self.quadratic(2 * here_x - x1, 2 * here_y - y1, x, y)

    def arc(self, radius: float, other: float, tilt: float, far: float, clockwise: float, x: float, y: float) -> None:
        """An arc of a circle."""
        if radius != other or tilt:
            raise NotImplementedError("pictures as pixels have arcs of circles only, no ellipses")
        self._add(int(Path.CURVE4), *_arc(self._at, (x, y), radius, far=bool(far), clockwise=bool(clockwise)))

    def close(self) -> None:
        """A line to where it began."""
        self._add(int(Path.CLOSEPOLY), self._start)


COMMANDS: dict[str, tuple[int, Callable[..., None]]] = {
    "M": (2, Pen.move),
    "L": (2, Pen.line),
    "H": (1, Pen.across),
    "V": (1, Pen.upright),
    "C": (6, Pen.cubic),
    "Q": (4, Pen.quadratic),
    "T": (2, Pen.smooth),
    "A": (7, Pen.arc),
    "Z": (0, Pen.close),
}
"""How many numbers each command of a path takes, and what it does."""


@lru_cache(MOST_KEPT)
def outline(drawn: str) -> Path:
    """The outline that a path in SVG's notation describes."""
    pen, letter, numbers = Pen(), "", list[float]()
    for token in TOKEN.findall(drawn):
        if not token.isalpha():
            numbers.append(float(token))
        elif token in COMMANDS:
            letter = token
        else:
            raise NotImplementedError(f"pictures as pixels have no {token} in paths, only {', '.join(COMMANDS)}")
        count, command = COMMANDS[letter]
        if len(numbers) == count:
            command(pen, *numbers)
            letter, numbers = "L" if letter == "M" else letter, []
    return Path(pen.vertices, pen.codes) if pen.vertices else Path(np.empty((0, 2)))


def _arc(start: Point, end: Point, radius: float, *, far: bool, clockwise: bool) -> list[Point]:
    """An arc of a circle as points of curves: two handles and an end for each."""
    (x0, y0), (x1, y1) = start, end
    apart = hypot(x1 - x0, y1 - y0)
    if not apart:
        return []
    radius = max(radius, apart / 2)
    aside = sqrt(radius**2 - (apart / 2) ** 2) / apart * (1 if far != clockwise else -1)
    middle = (x0 + x1) / 2 - aside * (y1 - y0), (y0 + y1) / 2 + aside * (x1 - x0)
    first, last = (degrees(atan2(y - middle[1], x - middle[0])) for x, y in (start, end))
    low, high = (first, last) if clockwise else (last, first)
    points = points_of(Path.arc(low, low + (high - low) % 360)) * radius + middle
    return [(float(x), float(y)) for x, y in (points if clockwise else points[::-1])[1:]]


@lru_cache(MOST_IMAGES)
def _image(address: str, width: int, height: int) -> Array:
    """The image of a `data:` address, as large as fits, the lowest row first as Agg wants it."""
    found = DATA.fullmatch(address)
    assert found is not None, address[:60]
    try:
        with Image.open(io.BytesIO(base64.b64decode(found[1]))) as image:
            fitting = min(width / image.width, height / image.height)
            size = max(1, round(image.width * fitting)), max(1, round(image.height * fitting))
            return np.array(image.convert("RGBA").resize(size, Image.Resampling.LANCZOS))[::-1]
    except (OSError, SyntaxError, ValueError) as error:  # what Pillow says of damaged files
        raise CardtableError(f"an image of a card cannot be drawn: {cut(error)}") from None
