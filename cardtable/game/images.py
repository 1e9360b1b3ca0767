"""Images of cards, as an edition file names them. They are no part of the rules: no hash, state or replay knows of them.

A file may come from a stranger: it can name files in its own folder only, none that a link leads out of it, of a bounded size,
and of two kinds that are told by what is in them and in which no script can be. Pictures call an image by its digest; whoever
shows them says where it is (`placed`).
"""

import base64
import hashlib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath

from cardtable.errors import EditionError
from cardtable.support import files
from cardtable.support.messages import cut, shown

LARGEST_IMAGE = 1 << 18
"""Bytes of an image."""
LARGEST_SIDE = 2048
"""Pixels of its longer side."""
LONGEST_PATH = 200
DIGITS = 32
"""Of a digest."""

NAMED = re.compile(rf'href="image:([0-9a-f]{{{DIGITS}}})"')
PNG_START, PNG_END = b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"
JPEG_START, JPEG_END = b"\xff\xd8\xff", b"\xff\xd9"
FRAMES = frozenset((*range(0xC0, 0xC4), *range(0xC5, 0xC8), *range(0xC9, 0xCC), *range(0xCD, 0xD0)))
"""Markers of a JPEG file that tell its size."""


@dataclass(frozen=True)
class CardImage:
    """An image, as its file holds it."""

    kind: str
    """`png` or `jpeg`."""
    data: bytes

    @cached_property
    def digest(self) -> str:
        """What pictures call it."""
        return hashlib.sha256(self.data).hexdigest()[:DIGITS]

    @cached_property
    def address(self) -> str:
        """All of it as an address, for a picture that is to be seen on its own."""
        return f"data:image/{self.kind};base64,{base64.b64encode(self.data).decode()}"


Images = Mapping[str, CardImage]
"""By the names of cards."""
Place = Callable[[CardImage], str]
"""Where an image is, as an address."""


def inside(image: CardImage) -> str:
    """All of it, in the picture itself."""
    return image.address


def placed(picture: str, images: Images, place: Place) -> str:
    """A picture in which every image has an address."""
    if not images:
        return picture
    by_digest = {image.digest: image for image in images.values()}
    return NAMED.sub(lambda found: f'href="{place(by_digest[found[1]])}"', picture)


# ---- Reading


def read_images(given: object, folder: Path, cards: Sequence[str], where: str) -> Images:
    """The images in a table of cards and files; `EditionError` naming the card and the fault."""
    if not isinstance(given, Mapping):
        raise EditionError(f"{where}: images = {shown(given)} is not a table of cards and files")
    for card in given:
        if card not in cards:
            raise EditionError(f"{where}: images: {shown(card)} is not a card of this edition; its cards: {', '.join(cards)}")
    return {card: _read(path, folder, f"{where}: image of {card!r}") for card, path in given.items()}


def _read(path: object, folder: Path, where: str) -> CardImage:
    where = f"{where}: {shown(path)}"
    try:
        data = files.read_bytes(_inside(path, folder, where), LARGEST_IMAGE)
    except files.FileTooLarge:
        raise EditionError(f"{where} is larger than {LARGEST_IMAGE:,} bytes") from None
    except (OSError, ValueError) as error:
        if isinstance(error, EditionError):
            raise
        reason = error.strerror if isinstance(error, OSError) else cut(error)
        raise EditionError(f"{where} cannot be read: {reason}") from None
    kind, size = _looked_at(data, where)
    if not all(1 <= side <= LARGEST_SIDE for side in size):
        raise EditionError(f"{where} has {size[0]} × {size[1]} pixels, allowed: 1 to {LARGEST_SIDE} each")
    return CardImage(kind, data)


def _inside(path: object, folder: Path, where: str) -> Path:
    """A file of the folder or below it: no way out, neither by its name nor by a link."""
    parts = PurePosixPath(path).parts if isinstance(path, str) and len(path) <= LONGEST_PATH else ()
    if not parts or any(part in ("/", "//", "..") or {"\\", ":", "\0"} & set(part) for part in parts):
        expected = "the name of a file beside the edition file or in a folder below it, as `cards/mill.png`"
        raise EditionError(f"{where}: expected {expected}")
    found = folder.joinpath(*parts)
    if not Path(os.path.realpath(found)).is_relative_to(os.path.realpath(folder)):
        raise EditionError(f"{where} is a link that leads out of the folder of the edition file")
    if not found.is_file():
        raise EditionError(f"{where}: no such file in the folder of the edition file")
    return found


def _looked_at(data: bytes, where: str) -> tuple[str, tuple[int, int]]:
    """Kind, width and height of an image, by its content."""
    if data.startswith(PNG_START) and data[12:16] == b"IHDR" and data.endswith(PNG_END):
        return "png", (int.from_bytes(data[16:20]), int.from_bytes(data[20:24]))
    if data.startswith(JPEG_START) and data.rstrip(b"\0\r\n").endswith(JPEG_END) and (size := _size_of_jpeg(data)):
        return "jpeg", size
    raise EditionError(f"{where} is not a whole image; allowed: PNG, JPEG")


def _size_of_jpeg(data: bytes) -> tuple[int, int] | None:
    """Width and height, from the first segment that tells them."""
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4])
        if marker in FRAMES:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 1 if marker == 0xFF else 2 + length
    return None
