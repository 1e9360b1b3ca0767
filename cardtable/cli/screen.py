"""What a terminal can show: how wide it is, whether it has colours, and plain characters where it has no others."""

import os
import re
import shutil
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TextIO

from cardtable.game.look import Sign, wrapped

NARROWEST = 40
"""Characters in a line, at least."""

PLAIN = str.maketrans({"·": ".", "×": "x", "–": "-", "−": "-", "—": "-", "…": ".", "†": "+", "’": "'"})
"""What stands for characters that an output cannot show: one for one, so that lines stay as wide as they are."""
SPECIAL = "".join(map(chr, PLAIN))

COLOURS = {"bold": 1, "underline": 4, "red": 31, "green": 32, "yellow": 33, "blue": 94, "magenta": 35, "cyan": 36}
"""The codes that terminals know; of each colour the shade that can be read both on black and on white."""
START, RESET = "\x1b[{}m", "\x1b[0m"


@dataclass(frozen=True)
class Screen:
    """An output, by what it can show."""

    ascii: bool = False
    colours: bool = False
    window: bool = False
    """Whether it is a window, in which only so many lines are seen at once."""

    @classmethod
    def of(cls, stream: TextIO, environment: Mapping[str, str] = os.environ) -> "Screen":
        """What a stream can show. Colours: a terminal that is not dumb, unless `NO_COLOR` is set to something."""
        colours = stream.isatty() and environment.get("TERM", "dumb") != "dumb" and not environment.get("NO_COLOR")
        return cls(not _can_write(stream, SPECIAL), colours, stream.isatty())

    @property
    def width(self) -> int:
        """Characters in a line now: a window may change."""
        return max(shutil.get_terminal_size().columns, NARROWEST)

    @property
    def height(self) -> int | None:
        """Lines that are seen at once; None: as many as there are."""
        return shutil.get_terminal_size().lines if self.window else None

    def shown(self, text: str, signs: Iterable[Sign] = ()) -> str:
        """A text in lines of that width, in characters and colours that can be shown."""
        lines = wrapped((as_ascii(text) if self.ascii else text).split("\n"), self.width)
        return painted("\n".join(lines), signs) if self.colours else "\n".join(lines)


def _can_write(stream: TextIO, text: str) -> bool:
    try:
        text.encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def as_ascii(text: str) -> str:
    """A text in ASCII of the same length or less: letters without accents, `?` for what has nothing like it."""
    plain = unicodedata.normalize("NFKC", text.translate(PLAIN))
    return "".join(_ascii_letter(each) for each in plain)


def _ascii_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    base = unicodedata.normalize("NFKD", letter)[0]
    return base if base.isascii() else "?"


def painted(text: str, signs: Iterable[Sign]) -> str:
    """A text with what signs name in their colours; of two that meet, the first counts."""
    patterns = {pattern: colour for sign in signs for pattern, colour in sign.colours.items()}
    spans: list[tuple[int, int, int]] = []
    for pattern, colour in patterns.items():
        for match in re.finditer(pattern, text):
            if not any(start < match.end() and match.start() < end for start, end, _ in spans):
                spans.append((*match.span(), COLOURS[colour]))
    parts, at = [], 0
    for start, end, code in sorted(spans):
        parts += [text[at:start], START.format(code), text[start:end], RESET]
        at = end
    return "".join([*parts, text[at:]])
