"""The runs under a folder, as `cardtable train --list` shows them: read from their logs, nothing is changed."""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardtable.errors import AgentError
from cardtable.support import files
from cardtable.support.columns import aligned, terminal_width
from cardtable.support.messages import cut, shown
from cardtable_agents.training import checkpoints, log
from cardtable_agents.training.evaluate import ALONE
from cardtable_agents.training.folder import CHECKPOINTS, LOG, RUNS, RunFolder

DEEPEST = 4
"""How many folders may lie in one another above a run."""
LONGEST = 60
"""Characters of a column."""


@dataclass(frozen=True)
class Listed:
    """A run, as its log tells."""

    path: Path
    game: str
    """With its options."""
    learner: str
    state: str
    """`running`, `done`, `interrupted`, or what is wrong with its log."""
    steps: int
    seconds: float
    rates: Mapping[str, float]
    """Of the last evaluation."""


def find_runs(folder: Path) -> list[Listed]:
    """All runs in a folder or below it, by path; `AgentError` if there is no such folder."""
    if not folder.is_dir():
        raise AgentError(
            f"{folder}: no such folder; runs are listed from the folder that holds them: cardtable train --list DIR"
        )
    return [_listed(path) for path in _folders(folder, 0)]


def _folders(folder: Path, depth: int) -> Iterator[Path]:
    """The folders of runs: they hold a log, or a checkpoint of a run that has no log yet."""
    try:
        is_run = log.is_log(folder / LOG) or bool(checkpoints.paths(folder / CHECKPOINTS))
        inside = [] if is_run or depth == DEEPEST else list(os.scandir(folder))
    except OSError:  # it may not be read, or is gone
        return
    if is_run:
        yield folder
    for each in sorted(inside, key=lambda entry: entry.name):
        if each.is_dir(follow_symlinks=False):
            yield from _folders(Path(each.path), depth + 1)


def _listed(path: Path) -> Listed:
    """What the log of a run tells; a damaged one says so."""
    header = log.header(path / LOG) or {}
    settings = header.get("settings")
    settings = settings if isinstance(settings, dict) else {}
    try:
        lines, fault = log.read(path / LOG) if header else [], ""
    except (AgentError, OSError) as error:  # the folder may be moved at this moment
        lines, fault = [], cut(error, LONGEST)
    evaluations = [line["evaluation"] for line in lines if isinstance(line.get("evaluation"), dict)]
    return Listed(
        path,
        _game(settings),
        str(settings.get("learner", "sb3")) if settings else "",  # what all runs had before there was a choice
        fault or _state(path, lines),
        _last(lines, "steps"),
        _last(lines, "seconds"),
        evaluations[-1] if evaluations else {},
    )


def _game(settings: Mapping[str, Any]) -> str:
    options = settings.get("options")
    given = [f"{name}={shown(value)}" for name, value in options.items()] if isinstance(options, dict) else []
    return cut(" ".join([str(settings.get("game", "?")), *given]), LONGEST)


def _state(path: Path, lines: list[dict[str, Any]]) -> str:
    if files.is_locked(RunFolder(path).checkpoints / checkpoints.LOCK):
        return "running"
    return "done" if lines and lines[-1].get("done") else "interrupted"


def _last(lines: list[dict[str, Any]], name: str) -> Any:
    """The newest number of that name; 0 if there is none."""
    return next((line[name] for line in reversed(lines) if isinstance(line.get(name), int | float)), 0)


def table(folder: Path) -> str:
    """The runs in a folder as a table, or that there are none."""
    found = find_runs(folder) if folder != RUNS or folder.exists() else []  # the default is not there before the first run
    if not found:
        return f"no runs in {folder}"
    rows = [("run", "game", "learner", "state", "steps", "minutes", "last win rates")]
    for run in found:
        rates = ", ".join(_rate(name, rate) for name, rate in run.rates.items() if isinstance(rate, int | float))
        rows.append((str(run.path), run.game, run.learner, run.state, f"{run.steps:,}", f"{run.seconds / 60:.1f}", rates))
    return aligned(rows, "llllrrl", terminal_width())


def _rate(name: str, rate: float) -> str:
    return f"{name} {rate:.3f}" if name == ALONE else f"{cut(name)} {rate:.1%}"
