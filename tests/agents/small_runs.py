"""Training runs of a second, which several test modules use."""

from pathlib import Path
from typing import Any

from cardtable_agents.training.settings import Settings

SHORT: dict[str, Any] = {
    "threads": 1,
    "imitation_round": 512,
    "rollout": 512,
    "batch": 256,
    "snapshot_updates": 1,
    "critic_updates": 1,
    "evaluation_games": 4,
}
"""Rounds, updates and evaluations of a second."""
SMALL: dict[str, Any] = {**SHORT, "games": 16, "opponents": ("random", "self"), "teacher": "random", "imitation_steps": 0}
QUICK = ["--steps", "512", "--games", "16", "--opponents", "random", "--imitation-steps", "0"]
"""Flags of `cardtable train` for such a run; its settings are made short by the fixture `short_command`."""


def small(game: str = "muster_v0", options: dict[str, Any] | None = None, **changes: Any) -> Settings:
    """Settings of a short run."""
    return Settings(game, options or {}, **{"steps": 512, **SMALL, **changes})


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with what it holds."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
