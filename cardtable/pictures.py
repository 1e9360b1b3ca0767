"""Pictures as pixels: SVG drawn by resvg, with a font that is named by its file, for it draws no words otherwise.

Both come with the extra `render`: `pip install cardtable[render]`.
"""

import importlib
import importlib.util
import io
import re
from functools import cache
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np

from cardtable.errors import CardtableError
from cardtable.support.svg import FONT
from cardtable.types import Array

FONT_FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")
FONT_FOLDER = Path("mpl-data", "fonts", "ttf")
"""Where Matplotlib keeps them."""
LIBRARIES = ("resvg_py", "PIL.Image")
SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')

STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)
RULE = re.compile(r"\.([fl]-\w+)\{\w+:([^}]*)\}")
CLASSES = re.compile(r'class="(f-\w+) (l-\w+)"')
ATTRIBUTE = {"f": "fill", "l": "stroke"}
"""What `cardtable.support.svg` writes: its style sheet, a rule of it, and what refers to two rules."""

Shape = tuple[int, int]
"""Height and width in pixels."""


def png(picture: str, width: int | None = None) -> bytes:
    """A picture as a PNG file, so many pixels wide; by default as wide as it says."""
    drawn: bytes = bytes(
        _library("resvg_py").svg_to_bytes(
            svg_string=_painted(picture),
            width=width,
            skip_system_fonts=True,
            font_files=list(font_files()),
            font_family=FONT,
            sans_serif_family=FONT,
        )
    )
    return drawn


def pixels(picture: str, width: int | None = None) -> Array:
    """A picture as an array (height, width, 3) of uint8, as Gymnasium and PettingZoo call `rgb_array`."""
    image = _library("PIL.Image").open(io.BytesIO(png(picture, width)))
    return np.array(image.convert("RGB"))


def _painted(picture: str) -> str:
    """A picture with its paints written where they are used: a tenth faster than to have them found in the style sheet."""
    style = STYLE.search(picture)
    if style is None:
        return picture
    light = style[1].partition("@media")[0]  # what the surroundings are, nobody can tell here
    paints = {name: f'{ATTRIBUTE[name[0]]}="{value}"' for name, value in RULE.findall(light)}
    return CLASSES.sub(lambda found: f"{paints[found[1]]} {paints[found[2]]}", STYLE.sub("", picture))


def frame_shape(picture: str) -> Shape:
    """Height and width of the frames of a film that begins with a picture: its own, made even, as video formats ask."""
    width, height = _size(picture)
    return 2 * ceil(height / 2), 2 * ceil(width / 2)


def frame(picture: str, shape: Shape) -> Array:
    """A picture as pixels of a film's shape: made smaller if it has grown, on a ground in the colour of its corner."""
    (width, height), (rows, columns) = _size(picture), shape
    image = pixels(picture, int(width * min(1, rows / height, columns / width)))[:rows, :columns]
    ground = np.empty((*shape, 3), np.uint8)
    ground[:] = image[0, 0]
    left = (columns - image.shape[1]) // 2
    ground[: image.shape[0], left : left + image.shape[1]] = image
    return ground


def _size(picture: str) -> tuple[float, float]:
    """How wide and how high a picture says that it is."""
    found = SIZE.search(picture)
    assert found is not None, picture[:200]
    return float(found[1]), float(found[2])


def why_not() -> str | None:
    """Why pictures cannot be drawn as pixels here; None if they can."""
    try:
        font_files()
        for name in LIBRARIES:
            _library(name)
    except CardtableError as error:
        return str(error)
    return None


@cache
def font_files() -> tuple[str, ...]:
    """The files of the font that pictures are made for."""
    found = importlib.util.find_spec("matplotlib")
    if found is None or found.origin is None:
        raise _missing("matplotlib")
    folder = Path(found.origin).parent / FONT_FOLDER
    return tuple(str(folder / name) for name in FONT_FILES)


def _library(name: str) -> Any:  # noqa: ANN401  # a module that need not be installed
    try:
        return importlib.import_module(name)
    except ImportError:
        raise _missing(name.partition(".")[0]) from None


def _missing(name: str) -> CardtableError:
    return CardtableError(f"pictures as pixels need {name}, which is not installed: pip install cardtable[render]")
