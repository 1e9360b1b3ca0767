"""Training runs of a second, which several test modules use; and a learner that needs no time at all."""

from pathlib import Path
from typing import Any

import numpy as np
from cardtable_agents.network.optimizer import Diverged
from cardtable_agents.players.policy import Policy
from cardtable_agents.training.settings import Settings
from cardtable_agents.weights import WeightsError

SHORT: dict[str, Any] = {
    "threads": 1,
    "precision": "float32",
    "games": 16,
    "rollout": 512,
    "batch": 256,
    "imitation_batch": 256,
    "layers": (64, 64),
    "snapshot_updates": 1,
    "critic_updates": 1,
    "evaluation_games": 4,
}
"""Rollouts, updates and evaluations of a second."""
SMALL: dict[str, Any] = {**SHORT, "opponents": ("random", "self"), "teacher": "random", "imitation_steps": 0}
STANDARD: dict[str, Any] = {**SMALL, "learner": "sb3", "precision": "auto", "teacher": Settings.teacher}
"""The same with MaskablePPO."""
QUICK = [
    *("--steps", "512", "--games", "16", "--rollout", "512", "--batch", "256", "--layers", "64", "64", "--threads", "1"),
    *("--precision", "float32", "--imitation-steps", "0", "--evaluation-games", "4", "--evaluation-opponents", "random"),
]
"""Flags of `cardtable train` for such a run."""


def small(game: str = "muster_v0", options: dict[str, Any] | None = None, **changes: Any) -> Settings:
    """Settings of a short run."""
    learner = STANDARD if changes.get("learner") == "sb3" else SMALL
    return Settings(game, options or {}, **{"steps": 512, **learner, **changes})


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with what it holds."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class Counter:
    """A learner that counts: what it has "learned" depends on everything that it was told, in order."""

    diverges_at: int | None = None
    """The update in which it goes wrong."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.game, self.options = settings.parsed()
        self.steps = self.updates = 0
        self.numbers = np.zeros(4)
        self.finished = 0
        self.closed = False

    @property
    def policy(self) -> Policy:
        weight = np.full((self.game.actions.size, self.game.layout.size), self.numbers.sum() / 1e6)
        return Policy([(weight, np.arange(self.game.actions.size, dtype=float))])

    def _learn(self, number: float) -> None:
        self.numbers = np.sin(self.numbers + number) + np.arange(4)

    def imitate(self, rate: float) -> dict[str, float]:
        self._learn(rate)
        return {"demonstrations": self.settings.rollout, "agreed": 0.5, "value_error": 0.25, "steps_per_second": 1000}

    def finish_imitation(self) -> None:
        self.finished += 1

    def update(self, done: float) -> dict[str, float]:
        self.updates += 1
        if self.updates == self.diverges_at:
            self.numbers[2] = np.nan
            raise Diverged("a number is none")
        self.steps += self.settings.rollout
        self._learn(done)
        return {"entropy": 1.5, "value_error": 0.125, "kl": 0.01, "steps_per_second": 2000}

    def state(self) -> tuple[dict[str, Any], dict[str, Any]]:
        about = {"steps": self.steps, "updates": self.updates, "finished": self.finished}
        return {"numbers": self.numbers.copy(), "games": np.arange(200, dtype=np.uint8)}, about

    def restore(self, arrays: Any, about: Any) -> None:
        if set(arrays) != {"numbers", "games"}:
            raise WeightsError(f"the checkpoint does not fit the learner: {sorted(arrays)}")
        self.numbers = arrays["numbers"].copy()
        self.steps, self.updates, self.finished = about["steps"], about["updates"], about["finished"]

    def close(self) -> None:
        self.closed = True
