"""Values in messages: short, whatever they are. A name, a list or a header from a file may be megabytes long."""

import reprlib
from collections.abc import Iterable

LONGEST = 80
"""Characters of a value in a message."""
LONGEST_LIST = 1_000
"""Characters of a list of what is allowed."""
MOST_BITS = 256
"""Bits of an integer that is written out; Python refuses to write very long ones."""


class _Short(reprlib.Repr):
    def repr_int(self, x: int, level: int) -> str:
        return repr(x) if x.bit_length() <= MOST_BITS else f"<an integer of {x.bit_length():,} bits>"


_SHORT = _Short()
_SHORT.maxlevel = 3
_SHORT.maxstring = _SHORT.maxother = LONGEST
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = 8


def shown(value: object, longest: int = LONGEST) -> str:
    """The value as Python writes it, cut short; never an error, however long or deep it is."""
    try:
        text = _SHORT.repr(value)
    except Exception:  # of a foreign `__repr__`
        text = f"<{type(value).__name__}>"
    return cut(text, longest)


def listed(names: Iterable[str]) -> str:
    """Names that are allowed, with commas."""
    return cut(", ".join(names), LONGEST_LIST)


def cut(text: object, longest: int = LONGEST) -> str:
    """The text, with `…` in place of what is too long in its middle."""
    plain = str(text)
    if len(plain) <= longest:
        return plain
    return f"{plain[: longest // 2]}…{plain[len(plain) - (longest - 1) // 2 :]}"
