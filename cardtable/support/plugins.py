"""What other packages add by entry point (games, players, commands), loaded so that a broken one is named, not met."""

from importlib.metadata import EntryPoint
from typing import TypeVar

from cardtable.errors import CardtableError
from cardtable.support.messages import cut

LONGEST_REASON = 300
Thing = TypeVar("Thing")


def load(point: EntryPoint, kind: type[Thing], error: type[CardtableError]) -> Thing:
    """What an entry point names, if it is of a kind; `error`, in one line, if it is not or its module cannot be imported."""
    try:
        found = point.load()
    except Exception as reason:  # whatever another package raises while it is imported
        words = " ".join(f"{type(reason).__name__}: {reason}".split())
        raise error(f"{_named(point)} cannot be loaded: {cut(words, LONGEST_REASON)}") from reason
    if not isinstance(found, kind):
        raise error(f"{_named(point)} is a {type(found).__name__}, not a {kind.__name__}")
    return found


def _named(point: EntryPoint) -> str:
    """The entry point, and the package that it comes from."""
    package = f" of {point.dist.name}" if point.dist is not None else ""
    return f"{point.name!r} ({point.value}{package})"
