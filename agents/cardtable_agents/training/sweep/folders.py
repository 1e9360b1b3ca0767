"""The folder of a sweep: a folder for each run, what was asked of it, and how far it has got.

Beside a run's own files lies a record of the settings that it was begun with; its state is rewritten when the run has ended.
A run that is killed is thus begun or ended, never half of either, and a file that was changed meanwhile is noticed.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from cardtable.errors import AgentError
from cardtable.support import files
from cardtable.support.messages import shown
from cardtable_agents.training.folder import RunFolder
from cardtable_agents.training.settings import Settings
from cardtable_agents.training.sweep.plan import PlannedRun, Sweep

MARK, RECORD, LOCK = "sweep.json", "run.json", "sweep.lock"
FORMAT, RUN_FORMAT = "cardtable sweep 1", "cardtable sweep run 1"
LARGEST_RECORD = 1 << 20
"""Bytes; a usual one has 2,000."""
MAY_CHANGE = ("command", "threads")
"""Settings that do not change what a run learns, and that depend on how the sweep was started."""

NEW, BEGUN, DONE, FAILED = "new", "begun", "done", "failed"
STATES = (BEGUN, DONE, FAILED)
"""What a record can say; a run without one is new."""


@dataclass(frozen=True)
class Place:
    """A run of a sweep, its folder, and how far it has got."""

    run: PlannedRun
    path: Path
    state: str
    error: str = ""
    """Why it failed."""

    @property
    def resumable(self) -> bool:
        """Whether it was interrupted after its first checkpoint."""
        if self.state != BEGUN:
            return False
        try:
            RunFolder(self.path).require_run()
        except AgentError:
            return False
        return True


# ---- The sweep


@contextmanager
def alone(sweep: Sweep) -> Iterator[None]:
    """Make the folder, and keep other processes from training in it; `AgentError` if it holds anything but a sweep."""
    require_folder(sweep.out)
    sweep.out.mkdir(parents=True, exist_ok=True)
    try:
        with files.lock(sweep.out / LOCK):
            if not (sweep.out / MARK).exists():
                files.write_whole(sweep.out / MARK, json.dumps({"format": FORMAT, "file": str(sweep.file)}) + "\n")
            yield
    except files.Locked:
        raise AgentError(f"another process is training the sweep in {sweep.out}: wait for it, or choose another out") from None


def require_folder(out: Path) -> None:
    """`AgentError` if the folder holds anything but a sweep."""
    if not out.exists():
        return
    if not out.is_dir():
        raise AgentError(f"{out} is not a folder: choose another out")
    others = [path.name for path in out.iterdir() if path.name != LOCK and not path.name.endswith(files.PART)]
    if others and _read(out / MARK, FORMAT) is None:
        raise AgentError(f"{out} holds {shown(sorted(others)[0])}, and no sweep: choose another out")


def places(sweep: Sweep) -> list[Place]:
    """Every run with its folder and its state; `AgentError` if one was trained with other settings. Nothing is changed."""
    require_folder(sweep.out)
    names = sorted(path.name for path in sweep.out.iterdir() if path.is_dir()) if sweep.out.exists() else []
    known = {name.partition("-")[2]: name for name in names}
    return [_place(sweep, run, known) for run in sweep.runs]


def strangers(sweep: Sweep, found: list[Place]) -> list[str]:
    """Folders of runs that the file does not ask for (any more)."""
    ours = {place.path.name for place in found}
    inside = sweep.out.iterdir() if sweep.out.exists() else []
    return sorted(path.name for path in inside if (path / RECORD).exists() and path.name not in ours)


def _place(sweep: Sweep, run: PlannedRun, known: Mapping[str, str]) -> Place:
    """Where a run is. In a grid that has grown it may have another number than at first: the folder keeps the old one."""
    path = sweep.out / known.get(run.name.partition("-")[2], run.name)
    record = _read(path / RECORD, RUN_FORMAT)
    if record is None:
        if path.exists() and any(not each.name.endswith(files.PART) for each in path.iterdir()):
            raise AgentError(f"{path} holds files that no sweep wrote: move them away, or choose another out")
        return Place(run, path, NEW)
    state, recorded = record.get("state"), record.get("settings")
    if state not in STATES or not isinstance(recorded, dict):
        raise AgentError(f"{path / RECORD} is damaged: delete the folder to train the run again")
    if differs := _differences(sweep, run, recorded):
        raise AgentError(
            f"{path} was trained with other settings than {sweep.file} asks for now ({'; '.join(differs)}); nothing was "
            "changed: choose another out, or delete the folder"
        )
    return Place(_with_recorded_threads(sweep, run, recorded), path, state, str(record.get("error", "")))


def _differences(sweep: Sweep, run: PlannedRun, recorded: Mapping[str, Any]) -> list[str]:
    """The settings in which a run differs from its record. One that did not exist then matters only if it is given now."""
    given = {*sweep.shared, *run.values}
    return [
        f"{name}: there {shown(recorded.get(name))}, here {shown(value)}"
        for name, value in plain(run.settings).items()
        if name not in MAY_CHANGE and (name in recorded or name in given) and recorded.get(name) != value
    ]


def _with_recorded_threads(sweep: Sweep, run: PlannedRun, recorded: Mapping[str, Any]) -> PlannedRun:
    """The run with the threads it was begun with, unless the file says how many: so it learns the same when it is resumed."""
    if "threads" in {*sweep.shared, *run.values} or "threads" not in recorded:
        return run
    return replace(run, settings=replace(run.settings, threads=recorded["threads"]))


# ---- Records


def plain(settings: Settings) -> dict[str, Any]:
    """Settings as plain data."""
    found: dict[str, Any] = json.loads(json.dumps(asdict(settings), default=str))
    return found


def write_record(path: Path, settings: Settings, state: str, error: str = "") -> None:
    """Say how far a run has got, in a file that is written whole or not at all."""
    path.mkdir(parents=True, exist_ok=True)
    record = {"format": RUN_FORMAT, "state": state, "error": error, "settings": plain(settings)}
    files.write_whole(path / RECORD, json.dumps(record, indent=1) + "\n")


def _read(path: Path, wanted: str) -> dict[str, Any] | None:
    """A file of ours; None if there is none or it is not one."""
    try:
        found = json.loads(files.read_text(path, LARGEST_RECORD))
    except (FileNotFoundError, NotADirectoryError, ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) and found.get("format") == wanted else None
