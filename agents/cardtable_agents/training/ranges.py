"""Which values a setting takes: a part of its annotation, so that reader, type checker, check at run time and flag agree."""

from dataclasses import dataclass, replace
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, get_args, get_origin

from cardtable.errors import OptionError
from cardtable.game.record import LARGEST_SEED
from cardtable.support.messages import listed, shown
from cardtable.support.plain import is_integer

LARGEST = 10**9
"""Of anything that is counted: beyond what memory holds or anybody can wait for."""


@dataclass(frozen=True)
class Allowed:
    """Which numbers a setting takes: those from `low` to `high`, or only those above `low`."""

    kind: type
    low: float
    high: float
    above: bool = False

    def __contains__(self, value: Any) -> bool:
        if self.kind is int:
            return is_integer(value) and self.low <= int(value) <= self.high
        real = isinstance(value, int | float) and not isinstance(value, bool)
        return real and self.low <= value <= self.high and not (self.above and value == self.low)

    def __str__(self) -> str:
        numbers = "integers" if self.kind is int else "numbers"
        low = f"above {self.low:g}" if self.above else f"from {self.low:g}"
        return f"{numbers} {low} to {self.high:,}"


Count = Annotated[int, Allowed(int, 0, LARGEST)]
Positive = Annotated[int, Allowed(int, 1, LARGEST)]
Several = Annotated[int, Allowed(int, 2, LARGEST)]
Seed = Annotated[int, Allowed(int, 0, LARGEST_SEED - 1)]
"""Of a run: imitation takes the next one."""
Amount = Annotated[float, Allowed(float, 0, LARGEST)]
PositiveAmount = Annotated[float, Allowed(float, 0, LARGEST, above=True)]
Share = Annotated[float, Allowed(float, 0, 1)]
PositiveShare = Annotated[float, Allowed(float, 0, 1, above=True)]
Rates = tuple[PositiveShare, PositiveShare]
"""Learning rates at the beginning and at the end of a phase; in between they change evenly."""
Schedule = tuple[Share, Share]
"""Likewise; may be 0."""


@dataclass(frozen=True)
class Kind:
    """What a setting takes, read from its annotation."""

    base: type
    """`int`, `float`, `str` or `bool`; of a tuple, that of its entries; any other type takes what it is given."""
    allowed: Allowed | None = None
    """The numbers that are allowed."""
    choices: tuple[str, ...] = ()
    """The texts that are allowed; empty: all."""
    many: bool = False
    """Whether it is a tuple."""
    number: int | None = None
    """Of entries of a tuple; None: any number, of numbers at least one."""
    optional: bool = False
    """Whether None is allowed."""

    def takes(self, value: Any) -> bool:
        """Whether a value is allowed."""
        if value is None and self.optional:
            return True
        if not self.many:
            return self._takes_one(value)
        right = isinstance(value, tuple) and all(map(self._takes_one, value))
        return right and (len(value) == self.number if self.number else bool(value) or self.allowed is None)

    def _takes_one(self, value: Any) -> bool:
        if self.allowed:
            return value in self.allowed
        if self.choices:
            return isinstance(value, str) and value in self.choices
        return isinstance(value, self.base)

    def __str__(self) -> str:
        """What is allowed, in words."""
        one = str(self.allowed) if self.allowed else listed(self.choices) or {bool: "True, False", str: "text"}.get(self.base)
        if not self.many:
            return one or self.base.__name__
        entries = one if self.allowed else "names"
        return f"a tuple of {self.number} {entries}" if self.number else f"a tuple of {entries}"


def kind_of(hint: Any) -> Kind:
    """What the annotation of a setting says."""
    if isinstance(hint, UnionType) or NoneType in get_args(hint):
        (given,) = (each for each in get_args(hint) if each is not NoneType)
        return replace(kind_of(given), optional=True)
    if get_origin(hint) is tuple:
        entries = get_args(hint)
        return replace(kind_of(entries[0]), many=True, number=None if Ellipsis in entries else len(entries))
    if get_origin(hint) is Literal:
        return Kind(str, choices=get_args(hint))
    if get_origin(hint) is Annotated:
        base, *marks = get_args(hint)
        return Kind(base, next((mark for mark in marks if isinstance(mark, Allowed)), None))
    return Kind(get_origin(hint) or hint)


def require_allowed(name: str, value: Any, hint: Any) -> None:
    """`OptionError` if a value is not what its annotation allows."""
    kind = kind_of(hint)
    if not kind.takes(value):
        raise OptionError(f"{name}={shown(value)}: allowed: {kind}")
