"""Where a run is between its beginning and its end."""

import time
from collections.abc import Mapping
from typing import Any

from cardtable_agents.training.settings import Settings


class Progress:
    """What a run has done so far, parts before an interruption included."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._seconds_before, self._start = 0.0, time.monotonic()
        self.rounds = 0
        """Rounds of imitation."""
        self.updates = 0
        """Updates of PPO."""
        self.imitation_seconds = 0.0
        """How long imitation took, once it is over."""

    @property
    def seconds(self) -> float:
        """How long the run has taken."""
        return self._seconds_before + time.monotonic() - self._start

    def to_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            "rounds_done": self.rounds,
            "updates": self.updates,
            "seconds": self.seconds,
            "imitation_seconds": self.imitation_seconds,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from where `to_dict` was called."""
        self.rounds, self.updates = saved["rounds_done"], saved["updates"]
        self.imitation_seconds = saved["imitation_seconds"]
        self._seconds_before, self._start = saved["seconds"], time.monotonic()

    @property
    def phase(self) -> str:
        """`imitation` or `ppo`."""
        return "ppo" if self.updates else "imitation"

    @property
    def imitated(self) -> float:
        """How much of imitation is done, from 0 to 1, by decisions or by time."""
        settings = self._settings
        if self.updates or not settings.imitation_steps:
            return 1.0
        parts = [self.rounds * settings.imitation_round / settings.imitation_steps]
        if settings.minutes is not None:
            parts.append(self.seconds / max(settings.minutes * 60 * settings.longest_imitation, 1e-9))
        return min(max(parts), 1.0)

    def trained(self, steps: int) -> float:
        """How much of PPO is done after `steps` decisions of the learner, from 0 to 1, by decisions or by time."""
        parts = [0.0]
        if self._settings.steps is not None:
            parts.append(steps / self._settings.steps)
        if self._settings.minutes is not None:
            left = max(self._settings.minutes * 60 - self.imitation_seconds, 1.0)
            parts.append((self.seconds - self.imitation_seconds) / left)
        return min(max(parts), 1.0)


def between(ends: tuple[float, float], done: float) -> float:
    """The number on the way from one end to the other when so much is done."""
    return ends[0] + (ends[1] - ends[0]) * done
