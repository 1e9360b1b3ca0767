"""Training a policy: imitation, then reinforcement learning; checkpoints, log, evaluation.

`run = train("muster", minutes=5)` trains, and `run.policy` can be played. All settings: `cardtable_agents.training.settings`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cardtable_agents.training.run import Run

__all__ = ["train"]


def train(
    game: str,
    *,
    options: Mapping[str, Any] | None = None,
    out: Path | str | None = None,
    resume: bool = False,
    overwrite: bool = False,
    progress: bool | None = None,
    **settings: Any,
) -> "Run":
    """Train a policy for a game; the run, with its `policy`, `path`, `rates` and `log`.

    `out` is the folder of the run; left out, a new one is made: `runs/GAME`, `runs/GAME-2`, … `resume` continues the run that
    is there, `overwrite` replaces it. `progress` shows how it goes on standard error; left out, if that is a terminal. Every
    other keyword is a setting, see `Settings`. An interrupt leaves a checkpoint and is raised again.
    """
    from cardtable_agents.training import runs  # when it is called: the command line imports this package at every start
    from cardtable_agents.training.settings import settings_for

    chosen = settings_for(game, options, **settings)
    chosen.require_players()
    return runs.complete(chosen, out, resuming=resume, overwrite=overwrite, progress=progress)
