"""Pictures as pixels: PNG files, and frames of films. What draws them comes with the extra `render`."""

import importlib
import io
import re
from math import ceil
from typing import Any

import numpy as np

from cardtable.errors import CardtableError
from cardtable.types import Array

RASTER, IMAGES = "cardtable.support.raster", "PIL.Image"
SIZE = re.compile(r'viewBox="0 0 ([\d.]+) ([\d.]+)"')

Shape = tuple[int, int]
"""Height and width in pixels."""


def png(picture: str, width: int | None = None) -> bytes:
    """A picture as a PNG file, so many pixels wide; by default as wide as it says."""
    file = io.BytesIO()
    image = pixels(picture, width)
    _library(IMAGES).fromarray(image).save(file, "PNG")
    return file.getvalue()


def pixels(picture: str, width: int | None = None) -> Array:
    """A picture as an array (height, width, 3) of uint8, as Gymnasium and PettingZoo call `rgb_array`."""
    drawn: Array = _library(RASTER).draw(picture, width)
    return drawn


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
        _library(RASTER)
    except CardtableError as error:
        return str(error)
    return None


def _library(name: str) -> Any:  # noqa: ANN401  # a module that need not be there, or needs one that is not
    try:
        return importlib.import_module(name)
    except ImportError as error:
        missing = (error.name or name).partition(".")[0]
        raise CardtableError(
            f"pictures as pixels need {missing}, which is not installed: pip install 'cardtable[render]'"
        ) from None
