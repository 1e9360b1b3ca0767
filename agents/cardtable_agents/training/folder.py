"""The folder of a run: what is in it, and that nothing in it is overwritten by accident."""

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from cardtable.errors import AgentError
from cardtable.support import files
from cardtable_agents.training import checkpoints, log

POLICY, LOG, CURVE = "policy.safetensors", "log.jsonl", "learning_curve.png"
FILES = (POLICY, LOG, CURVE)
"""The files that a run writes."""
CHECKPOINTS, TENSORBOARD = "checkpoints", "tensorboard"
"""The folders that it fills."""


RUNS = Path("runs")
"""Where runs are put whose folder is not named."""


def new_folder(name: str, runs: Path = RUNS) -> Path:
    """Make a folder for a run: `runs/NAME`, or the first of `runs/NAME-2`, … that is not there yet."""
    while True:
        path = files.new_path(runs / name)
        try:
            path.mkdir(parents=True)
        except FileExistsError:  # another process was faster
            continue
        return path


@dataclass(frozen=True)
class RunFolder:
    """The folder of a run."""

    path: Path

    @property
    def policy(self) -> Path:
        """The policy so far, ready to play."""
        return self.path / POLICY

    @property
    def log(self) -> Path:
        """A header, then a line for each round of imitation, each update and each evaluation."""
        return self.path / LOG

    @property
    def curve(self) -> Path:
        """The learning curve, drawn at the end."""
        return self.path / CURVE

    @property
    def checkpoints(self) -> Path:
        """The folder of checkpoints."""
        return self.path / CHECKPOINTS

    @property
    def tensorboard(self) -> Path:
        """The folder that TensorBoard reads."""
        return self.path / TENSORBOARD

    # ---- What may be done here

    def require_run(self) -> None:
        """`AgentError` if there is no run to resume."""
        if not checkpoints.paths(self.checkpoints):
            raise AgentError(f"{self.path} holds no training run to resume: start one without --resume")

    def require_room(self, *, overwrite: bool = False) -> None:
        """`AgentError` if a new run would overwrite anything but a run that is to be overwritten, or cannot have its folder."""
        for place in (self.path, *self.path.parents):
            if place.exists() and not place.is_dir():
                raise AgentError(f"{place} is not a folder: choose another one")
        found = [name for name in FILES if os.path.lexists(self.path / name)]
        found += [f"{CHECKPOINTS}/{path.name}" for path in checkpoints.paths(self.checkpoints)]
        if not found:
            return
        if not self._holds_run():
            raise AgentError(
                f"{self.path} holds {', '.join(found)}, not written by a training run: move it away, or choose another folder"
            )
        if not overwrite:
            raise AgentError(
                f"{self.path} holds a training run: resume it, overwrite it (--overwrite), or choose another folder"
            )

    def _holds_run(self) -> bool:
        """Whether a run wrote what is here: its log or a checkpoint says so."""
        told: list[str] = []
        found = log.is_log(self.log) or checkpoints.newest(self.checkpoints, told.append) is not None
        return found or any(checkpoints.FORMER in each for each in told)

    # ---- Making it

    def missing(self) -> list[Path]:
        """The folders that have to be made for a run, the innermost first."""
        return [place for place in (self.checkpoints, self.path, *self.path.parents) if not place.exists()]

    @contextmanager
    def removed_if_nothing_begins(self, made: Sequence[Path]) -> Iterator[None]:
        """If the block fails, remove those of some folders, the innermost first, that hold nothing but our lock."""
        try:
            yield
        except BaseException:
            with suppress(OSError):  # what cannot be removed is no reason to hide why the run has failed
                if self.checkpoints in made and [each.name for each in self.checkpoints.iterdir()] == [checkpoints.LOCK]:
                    (self.checkpoints / checkpoints.LOCK).unlink()
                for place in made:
                    place.rmdir()
            raise

    # ---- Overwriting

    @contextmanager
    def set_aside(self) -> Iterator[None]:
        """Move what an earlier run wrote into a subfolder; delete it after the block, or restore it if the block fails."""
        earlier = self._written()
        if not earlier:
            yield
            return
        aside = Path(tempfile.mkdtemp(prefix="earlier-", dir=self.path))
        for path in earlier:
            _move(path, aside / path.relative_to(self.path))
        try:
            yield
        except BaseException:
            for path in self._written():
                path.unlink()
            for path in earlier:
                _move(aside / path.relative_to(self.path), path)
            shutil.rmtree(aside)
            raise
        shutil.rmtree(aside)

    def _written(self) -> list[Path]:
        """The files of a run that are here."""
        found = [*(self.path / name for name in FILES), *self.tensorboard.glob("events.out.tfevents.*")]
        return [path for path in [*found, *checkpoints.paths(self.checkpoints)] if os.path.lexists(path)]


def _move(path: Path, target: Path) -> None:
    target.parent.mkdir(exist_ok=True)
    path.rename(target)
