"""How long the rest of a sweep takes, as far as that can be told."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from cardtable_agents.training.settings import Settings


@dataclass
class Forecast:
    """Tells how long runs take by their minutes; where steps end them, by how long others have taken."""

    jobs: int = 1
    taken: list[float] = field(default_factory=list)
    """Seconds of the runs that have ended."""

    def run(self, settings: Settings) -> float | None:
        """Seconds of a run; None if nothing is known."""
        limit = settings.minutes * 60 if settings.minutes is not None else None
        if settings.steps is None or not self.taken:
            return limit
        mean = sum(self.taken) / len(self.taken)
        return mean if limit is None else min(mean, limit)

    def rest(self, left: Sequence[tuple[Settings, float]]) -> float | None:
        """Seconds until all of these runs have ended, by their settings and the seconds that each has trained already."""
        known = [(self.run(settings), done) for settings, done in left]
        seconds = [max(each - done, 0.0) for each, done in known if each is not None]
        if len(seconds) < len(known):
            return None
        return max(sum(seconds) / self.jobs, max(seconds, default=0.0))


def told(seconds: float | None) -> str:
    """A length of time in words."""
    if seconds is None:
        return "unknown: the runs end by steps, and none has ended yet"
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h {minutes % 60} min"
