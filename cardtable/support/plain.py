"""Plain data: dicts, lists, texts and numbers from outside, copied into our own before anything looks at them.

A state, a deal or an edition may come from a file, another library, or by mistake. Afterwards
they consist of dicts with texts as keys, lists, texts, ints, floats, bools and None, within limits on depth and size; and
changing the original data does not change a game.
"""

import operator
from collections.abc import Collection, Mapping
from typing import Any, SupportsIndex, TypeGuard

import numpy as np

from cardtable.errors import CardtableError
from cardtable.support.messages import shown
from cardtable.types import Array

DEEPEST = 8
"""How many dicts and lists may lie in one another; a state has four."""

MOST_ENTRIES = 10_000
"""Of all dicts and lists together; a state has about 1,000."""

LONGEST_TEXT = 1_000
"""Characters of a key or a text."""


def is_integer(number: object) -> TypeGuard[SupportsIndex]:
    """Whether this is an integer: what `operator.index` takes, but neither a bool nor a span of time. `int` gives its value."""
    if isinstance(number, int):
        return not isinstance(number, bool)
    if isinstance(number, np.ndarray | np.generic):
        return number.shape == () and number.dtype.kind in "iu"
    if "bool" in str(getattr(number, "dtype", "")):
        return False  # a truth value of another library
    try:
        operator.index(number)  # type: ignore[arg-type]  # this is the question
    except Exception:  # whatever the object raises, it is no integer
        return False
    return True


def plain_data(given: object, where: str, error: type[CardtableError]) -> Any:
    """A copy of plain data; tuples and arrays become lists, numpy's numbers and texts Python's own. `error` for all else."""
    return _Copy(error).of(given, where, 0)


class _Copy:
    """One copy under way: counts entries, so that no data takes long to refuse."""

    def __init__(self, error: type[CardtableError]) -> None:
        self.error = error
        self.entries = 0

    def of(self, given: object, where: str, depth: int) -> Any:
        if given is None or isinstance(given, float):
            return given
        if isinstance(given, str):
            return self._text(given, where)
        if isinstance(given, bool | np.bool_):
            return bool(given)
        if is_integer(given):
            return int(given)
        if isinstance(given, Mapping):
            self._enter(given, where, depth)
            entries = ((self._key(key, where), value) for key, value in given.items())
            return {key: self.of(value, f"{where}[{shown(key)}]", depth + 1) for key, value in entries}
        if isinstance(given, list | tuple) or (isinstance(given, np.ndarray) and given.ndim > 0):
            self._enter(given, where, depth)
            values = given.tolist() if isinstance(given, np.ndarray) else given
            return [self.of(value, f"{where}[{place}]", depth + 1) for place, value in enumerate(values)]
        raise self.error(f"{where}: {shown(given)} is a {type(given).__name__}; allowed: dicts, lists, texts, numbers, None")

    def _enter(self, given: Collection[object] | Array, where: str, depth: int) -> None:
        """Look at the size of a dict, a list or an array before going through it."""
        if depth == DEEPEST:
            raise self.error(f"{where}: more than {DEEPEST} levels of dicts and lists")
        self.entries += given.size if isinstance(given, np.ndarray) else len(given)
        if self.entries > MOST_ENTRIES:
            raise self.error(f"{where}: more than {MOST_ENTRIES} entries in all")

    def _key(self, key: object, where: str) -> str:
        if not isinstance(key, str):
            raise self.error(f"{where}: the key {shown(key)} is not a text")
        return self._text(key, where)

    def _text(self, text: str, where: str) -> str:
        if len(text) > LONGEST_TEXT:
            raise self.error(f"{where}: {shown(text)} has {len(text)} characters, at most {LONGEST_TEXT} are allowed")
        return str(text)
