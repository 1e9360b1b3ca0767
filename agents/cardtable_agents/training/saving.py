"""What a run leaves in its folder: checkpoints to resume it from, the policy so far, and the header of its log."""

from dataclasses import asdict
from typing import Any

from cardtable.support import machine
from cardtable_agents.players import policy
from cardtable_agents.training import checkpoints, log
from cardtable_agents.training.checkpoints import Checkpoint
from cardtable_agents.training.evaluate import Evaluator
from cardtable_agents.training.folder import RunFolder
from cardtable_agents.training.learners import Learner
from cardtable_agents.training.log import Log
from cardtable_agents.training.progress import Progress
from cardtable_agents.training.settings import Settings

PACKAGES = ("cardtable", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")
"""Those whose versions a log names."""


class Saver:
    """Saves the parts of a run that change, and restores them."""

    def __init__(
        self,
        settings: Settings,
        folder: RunFolder,
        learner: Learner,
        progress: Progress,
        evaluator: Evaluator,
        logbook: Log,
    ) -> None:
        self._settings, self._folder, self._learner = settings, folder, learner
        self._progress, self._evaluator, self._log = progress, evaluator, logbook
        self._game = settings.parsed()[0]
        self._fixed = settings.fixed()  # as files are now: they may be replaced while the run goes on
        self._due = 0.0

    @property
    def due(self) -> bool:
        """Whether it is time to save."""
        return self._progress.seconds > self._due

    def begin(self) -> None:
        """Write a first checkpoint, then a log: a run that is killed can be resumed from its first moment."""
        self._save_checkpoint(lines=1)
        self._log.begin(self._header())

    def save(self) -> None:
        """Write a checkpoint, and the policy so far."""
        self._due = self._progress.seconds + self._settings.checkpoint_interval
        self._save_checkpoint(self._log.lines)
        policy.save(self._folder.policy, self._game, self._learner.policy, self._origin())

    def restore(self, checkpoint: Checkpoint) -> None:
        """Continue where a checkpoint was written; the log is cut to what it was then. `WeightsError` if it does not fit."""
        about = checkpoint.about
        self._learner.restore(checkpoint.arrays, about["learner"])
        self._progress.restore(about)
        self._evaluator.restore(about["rates"])
        self._due = self._progress.seconds + self._settings.checkpoint_interval
        self._log.cut(about["lines"])
        if self._log.lines:
            self._note_platform()
        else:
            self._log.begin(self._header())

    def _save_checkpoint(self, lines: int) -> None:
        """Write a checkpoint that belongs to this many lines of the log."""
        about = {
            "agreed": self._fixed,
            **self._progress.to_dict(),
            "steps": self._learner.steps,
            "rates": self._evaluator.rates,
            "lines": lines,
        }
        checkpoint = checkpoints.checkpoint_of(self._learner.state(), about)
        checkpoints.write(self._folder.checkpoints, checkpoint, self._settings.checkpoints_kept)

    def _header(self) -> dict[str, Any]:
        """What a reader of the log must know: settings, game, and what the run began on."""
        return {"settings": asdict(self._settings), **policy.fits(self._game), **_platform()}

    def _note_platform(self) -> None:
        """Add a line to the log if the run goes on with another machine or other versions than it had last."""
        known = [log.header(self._folder.log) or {}, *(line["resumed"] for line in self._log.read() if "resumed" in line)][-1]
        if any(known.get(name) != value for name, value in _platform().items()):
            self._log.add({"phase": self._progress.phase, "resumed": _platform(), **self.where()})

    def where(self) -> dict[str, Any]:
        """How far the run is, as lines of the log say it."""
        seconds = round(self._progress.seconds, 1)
        return {"steps": self._learner.steps, "demonstrations": self._progress.demonstrations, "seconds": seconds}

    def _origin(self) -> dict[str, Any]:
        """How the policy was made, for its file."""
        settings = self._settings
        return {
            "options": self._fixed["options"],
            "seed": settings.seed,
            "command": settings.command,
            "learner": settings.learner,
            "imitated": [settings.teacher, self._progress.demonstrations],
            "steps": self._learner.steps,
            "seconds": round(self._progress.seconds),
            "exam": self._evaluator.rates,  # the name that evaluations have in policy files
        }


def _platform() -> dict[str, Any]:
    """What a run goes on with: machine and versions."""
    return {"machine": machine.description(), "versions": machine.versions(PACKAGES)}
