"""Values in messages: short, whatever they are. A name, a list or a header from a file may be megabytes long."""

import reprlib
from typing import Any

LONGEST = 80
"""Characters of a value in a message."""
MOST_BITS = 256
"""Bits of an integer that is written out; Python refuses to write very long ones."""


class _Short(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= MOST_BITS else f"<an integer of {x.bit_length():,} bits>"


_SHORT = _Short()
_SHORT.maxlevel = 3
_SHORT.maxstring = _SHORT.maxother = LONGEST
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = 8


def shown(value: Any) -> str:
    """The value as Python writes it, cut short; never an error, however long or deep it is."""
    return cut(_SHORT.repr(value))


def cut(text: object, longest: int = LONGEST) -> str:
    """The text, with `…` in place of what is too long in its middle."""
    plain = str(text)
    if len(plain) <= longest:
        return plain
    return f"{plain[: longest // 2]}…{plain[len(plain) - (longest - 1) // 2 :]}"
