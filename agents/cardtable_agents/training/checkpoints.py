"""Checkpoints of a training run: everything it needs to continue, in files that are written whole or not at all."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from cardtable.errors import AgentError
from cardtable.support import files
from cardtable.support.messages import shown
from cardtable.types import Array
from cardtable_agents import weights
from cardtable_agents.network.optimizer import Diverged
from cardtable_agents.training.learners import State
from cardtable_agents.weights import WeightsError

FORMAT = "cardtable checkpoint 2"
FORMER = "cardtable checkpoint 1"
"""Of runs before there was a learner of our own: their settings mean something else now."""
NAME = "{number:09d}.safetensors"
LOCK = "lock"
COUNTS = ("rounds", "demonstrations", "updates", "steps", "lines")
"""Integers that say how far a run has got."""
SECONDS = ("seconds", "imitation_seconds")
"""Times that do."""
LARGEST_COUNT = 2**63 - 1
LARGEST_NUMBER = 1e9


@dataclass(frozen=True)
class Checkpoint:
    """What a run was, at a moment."""

    arrays: Mapping[str, Array]
    about: Mapping[str, Any]


def checkpoint_of(state: State, about: Mapping[str, Any]) -> Checkpoint:
    """The state of a learner, and plain data about where the run is."""
    arrays, learner = state
    return Checkpoint(arrays, {"format": FORMAT, "learner": learner, **about})


# ---- The folder


def paths(folder: Path) -> list[Path]:
    """The checkpoints of a folder, the newest last."""
    found = folder.iterdir() if folder.is_dir() else []
    return sorted((path for path in found if re.fullmatch(r"[0-9]{9,18}\.safetensors", path.name)), key=_number)


def _number(path: Path) -> int:
    return int(path.stem)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other processes from training in a folder; the system lets go of it if this one is killed."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with files.lock(folder / LOCK):
            files.remove_parts(folder, "*.safetensors")  # what a killed run was writing
            yield
    except files.Locked:
        raise AgentError(f"another process is training in {folder.parent}: stop it, or choose another folder") from None


def write(folder: Path, checkpoint: Checkpoint, kept: int) -> Path:
    """Add a checkpoint, then remove all but the newest `kept`; `Diverged` if its numbers say so: nothing has changed then."""
    try:
        _require_numbers(checkpoint.arrays)
    except WeightsError as error:
        raise Diverged(str(error)) from None
    folder.mkdir(parents=True, exist_ok=True)
    earlier = paths(folder)
    path = folder / NAME.format(number=_number(earlier[-1]) + 1 if earlier else 0)
    weights.save(path, checkpoint.arrays, checkpoint.about)
    for old in paths(folder)[:-kept]:
        old.unlink(missing_ok=True)
    return path


def newest(folder: Path, tell: Callable[[str], None]) -> Checkpoint | None:
    """The newest whole checkpoint of a folder, if there is one; `tell` is called with a line for each that is damaged."""
    for path in reversed(paths(folder)):
        try:
            return read(path)
        except WeightsError as error:
            tell(f"skipped: {error}")
    return None


def read(path: Path) -> Checkpoint:
    """The checkpoint of a file; `WeightsError` if it is damaged or not a checkpoint."""
    arrays, about = weights.load(path)
    try:
        _check_about(about)
        _require_numbers(arrays)
    except WeightsError as error:
        raise WeightsError(f"{path}: {error}") from None
    return Checkpoint(arrays, about)


def _check_about(about: Mapping[str, Any]) -> None:
    """Refuse what does not say how far a run has got."""

    def require(name: str, right: bool, allowed: str) -> None:
        if not right:
            raise WeightsError(f"its {name} is {shown(about.get(name))}, expected {allowed}")

    if about.get("format") == FORMER:
        raise WeightsError(f"its format is {FORMER!r}, of an earlier version, which cannot be resumed; expected {FORMAT!r}")
    require("format", about.get("format") == FORMAT, repr(FORMAT))
    for name in ("agreed", "learner"):
        require(name, isinstance(about.get(name), dict), "an object")
    require("imitation_over", isinstance(about.get("imitation_over"), bool), "true or false")
    for name in COUNTS:
        value = about.get(name)
        require(name, type(value) is int and 0 <= value <= LARGEST_COUNT, "an integer of at least 0")
    for name in SECONDS:
        require(name, _is_real(about.get(name)) and about[name] >= 0, "a number of at least 0")
    rates = about.get("rates")
    require("rates", isinstance(rates, dict) and all(map(_is_real, rates.values())), "an object of numbers")


def _is_real(number: object) -> bool:
    return (type(number) is float and isfinite(number)) or (type(number) is int and abs(number) <= LARGEST_COUNT)


def _require_numbers(arrays: Mapping[str, Array]) -> None:
    """Refuse numbers that only a diverged run leads to."""
    for name, array in arrays.items():
        if array.dtype.kind == "f" and not (np.abs(array) < LARGEST_NUMBER).all():  # NaN is not
            raise WeightsError(f"array {shown(name)} holds numbers that are not finite or exceed {LARGEST_NUMBER:.0e}")
