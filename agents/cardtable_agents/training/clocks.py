"""Where the time of an update goes."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager


class Clocks:
    """A stopwatch for each part; what a part spends inside another one counts for that part alone."""

    def __init__(self, parts: Sequence[str]) -> None:
        self.seconds = dict.fromkeys(parts, 0.0)
        """Seconds that each part has taken so far."""
        self._inside = 0.0

    @contextmanager
    def time(self, part: str) -> Iterator[None]:
        """Count the seconds of a `with` block for a part."""
        start, outer, self._inside = time.perf_counter(), self._inside, 0.0
        try:
            yield
        finally:
            taken = time.perf_counter() - start
            self.seconds[part] += taken - self._inside
            self._inside = outer + taken

    def take(self) -> dict[str, float]:
        """The seconds of each part since the last call."""
        taken = dict(self.seconds)
        self.seconds = dict.fromkeys(self.seconds, 0.0)
        return taken
