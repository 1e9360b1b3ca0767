"""Which numbers a setting takes: a part of its annotation, so that reader, type checker and check at run time agree."""

from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, get_args, get_origin

from cardtable.errors import OptionError
from cardtable.game.record import LARGEST_SEED
from cardtable.support.messages import shown
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
Schedule = tuple[PositiveShare, PositiveShare]
"""At the beginning and at the end of a phase; in between it changes evenly."""


def require_allowed(name: str, value: Any, hint: Any) -> None:
    """`OptionError` if a value is not what its annotation allows."""
    if value is None and NoneType in get_args(hint):
        return
    allowed = _allowed(hint)
    if get_origin(hint) is tuple:
        right, words = _check_tuple(value, get_args(hint), allowed)
    else:
        right, words = allowed is None or value in allowed, str(allowed)
    if not right:
        raise OptionError(f"{name}={shown(value)}: allowed: {words}")


def _check_tuple(value: Any, entries: tuple[Any, ...], allowed: Allowed | None) -> tuple[bool, str]:
    """Whether a value is a tuple of what is allowed, and what that is in words."""
    if not isinstance(value, tuple):
        return False, f"a tuple of {allowed or 'names'}"
    if allowed is None:
        return all(isinstance(each, str) for each in value), "a tuple of names"
    right = all(each in allowed for each in value)
    if Ellipsis in entries:
        return right and len(value) > 0, f"a tuple of {allowed}"
    return right and len(value) == len(entries), f"a tuple of {len(entries)} {allowed}"


def _allowed(hint: Any) -> Allowed | None:
    """The numbers that a setting takes; None for one that is not a number."""
    marks = (mark for each in (hint, *get_args(hint)) for mark in getattr(each, "__metadata__", ()))
    return next((mark for mark in marks if isinstance(mark, Allowed)), None)
