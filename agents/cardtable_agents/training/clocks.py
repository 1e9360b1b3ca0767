"""Where the time of a rollout goes."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

PARTS = ("environment", "opponents")
"""What takes time in a rollout besides the learner's network."""


class Clocks:
    """A stopwatch for each part; what a part spends inside another one counts for that part alone."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
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

    def shares(self, before: Mapping[str, float], seconds: float) -> dict[str, float]:
        """`<part>_share`: what each part has taken since its clock showed `before`, as a share of `seconds`."""
        return {f"{part}_share": round((self.seconds[part] - before[part]) / seconds, 3) for part in PARTS}
