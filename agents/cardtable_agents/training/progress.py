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
        self.demonstrations = 0
        """Decisions that the teacher was asked about."""
        self.updates = 0
        """Updates of reinforcement learning."""
        self.imitation_over = not settings.imitation_steps
        """Whether reinforcement learning has begun."""
        self.imitation_seconds = 0.0
        """How long imitation took, once it is over."""

    @property
    def seconds(self) -> float:
        """How long the run has taken."""
        return self._seconds_before + time.monotonic() - self._start

    def to_dict(self) -> dict[str, Any]:
        """For a checkpoint."""
        return {
            "rounds": self.rounds,
            "demonstrations": self.demonstrations,
            "updates": self.updates,
            "seconds": self.seconds,
            "imitation_over": self.imitation_over,
            "imitation_seconds": self.imitation_seconds,
        }

    def restore(self, saved: Mapping[str, Any]) -> None:
        """Continue from where `to_dict` was called."""
        self.rounds, self.demonstrations, self.updates = saved["rounds"], saved["demonstrations"], saved["updates"]
        self.imitation_over, self.imitation_seconds = saved["imitation_over"], saved["imitation_seconds"]
        self._seconds_before, self._start = saved["seconds"], time.monotonic()

    @property
    def phase(self) -> str:
        """`imitation` or `ppo`."""
        return "ppo" if self.imitation_over else "imitation"

    def end_imitation(self) -> None:
        """Reinforcement learning begins now."""
        self.imitation_over, self.imitation_seconds = True, self.seconds

    @property
    def imitated(self) -> float:
        """How much of imitation is done, from 0 to 1, by decisions or by time."""
        settings = self._settings
        if self.imitation_over or not settings.imitation_steps:
            return 1.0
        parts = [self.demonstrations / settings.imitation_steps]
        if settings.minutes is not None:
            parts.append(self.seconds / max(settings.minutes * 60 * settings.longest_imitation, 1e-9))
        return min(max(parts), 1.0)

    def trained(self, steps: int) -> float:
        """How much of reinforcement learning is done after `steps` decisions, from 0 to 1, by decisions or by time."""
        parts = [0.0]
        if self._settings.steps is not None:
            parts.append(steps / self._settings.steps)
        if self._settings.minutes is not None:
            left = max(self._settings.minutes * 60 - self.imitation_seconds, 1.0)
            parts.append((self.seconds - self.imitation_seconds) / left)
        return min(max(parts), 1.0)

    def seconds_left(self, steps: int) -> float | None:
        """How long the run will still take, or, as long as nothing tells that, the phase that it is in; None at its start."""
        if self.phase == "imitation" and self._settings.minutes is not None:
            return max(self._settings.minutes * 60 - self.seconds, 0.0)
        done, spent = self.imitated, self.seconds
        if self.phase == "ppo":
            done, spent = self.trained(steps), self.seconds - self.imitation_seconds
        return spent * (1 - done) / done if done else None


def between(ends: tuple[float, float], done: float) -> float:
    """The number on the way from one end to the other when so much is done."""
    return ends[0] + (ends[1] - ends[0]) * done
