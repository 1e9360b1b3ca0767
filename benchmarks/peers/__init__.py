"""Other libraries, one module each. All are optional: a row whose library is missing is skipped, with a line that says so."""

from collections.abc import Iterator, Sequence

from benchmarks.measure import Contestant
from benchmarks.peers import openspiel, pettingzoo, pgx, rlcard

MODULES = {"openspiel": openspiel, "pettingzoo": pettingzoo, "rlcard": rlcard, "pgx": pgx}


def contestants(names: Sequence[str]) -> Iterator[Contestant]:
    """The games of the libraries named, as far as they are installed."""
    for name in names:
        yield from MODULES[name].contestants()
