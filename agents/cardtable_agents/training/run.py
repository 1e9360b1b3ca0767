"""A training run on one page: imitation, updates, evaluation, log, checkpoint, policy.

Each of these has a module of its own; here they meet. What learns is a `Learner`, ours or another (`make`). `runs.start` starts
a run in a folder, `runs.resume` resumes one, `runs.complete` does all of it.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from cardtable_agents.network.optimizer import Diverged
from cardtable_agents.players.policy import Policy
from cardtable_agents.training import checkpoints
from cardtable_agents.training.board import Board
from cardtable_agents.training.checkpoints import Checkpoint
from cardtable_agents.training.evaluate import Evaluator
from cardtable_agents.training.folder import RunFolder
from cardtable_agents.training.log import Log
from cardtable_agents.training.make import make_learner
from cardtable_agents.training.progress import Progress, between
from cardtable_agents.training.saving import Saver
from cardtable_agents.training.settings import Settings

Show = Callable[[str, float], None]
"""Called with the phase and how much of it is done, from 0 to 1."""


class Run:
    """A run in a folder, from its beginning or from a checkpoint."""

    def __init__(self, settings: Settings, folder: RunFolder, checkpoint: Checkpoint | None = None) -> None:
        self.settings, self.folder = settings, folder
        self.game, self.options = settings.parsed()
        self.learner = make_learner(settings)
        self.progress = Progress(settings)
        self.evaluator = Evaluator(settings, self.progress)
        self.logbook = Log(folder.log)
        self.board = Board(folder.tensorboard)
        self.saver = Saver(settings, folder, self.learner, self.progress, self.evaluator, self.logbook)
        self.latest: dict[str, Any] = {}
        """What the learner said of its last rollout."""
        self.stopped = False
        if checkpoint:
            self.saver.restore(checkpoint)

    def train(self, show: Show = lambda phase, done: None) -> Path:
        """Train to the end, or until `stop`; the path of the policy. `Diverged` if there is no sense in going on."""
        self.board.begin(self.logbook.read(), self.progress.seconds)
        try:
            self._imitate(show)
            self._reinforce(show)
        except Diverged as error:
            raise Diverged(self._divergence(error)) from None
        finally:
            self.board.close()
            self.learner.close()
        return self.folder.policy

    def stop(self) -> None:
        """Let `train` end after the rollout that it is at: with a checkpoint from which the run can be resumed exactly."""
        self.stopped = True

    # ---- Learning

    def _imitate(self, show: Show) -> None:
        """Learn from the teacher, rollout by rollout."""
        if self.progress.imitation_over:
            return
        show("imitation", self.progress.imitated)
        while self.progress.imitated < 1:
            numbers = self.learner.imitate(between(self.settings.imitation_rate, self.progress.imitated))
            self.progress.rounds += 1
            self.progress.demonstrations += int(numbers["demonstrations"])
            self._log({"phase": "imitation", "round": self.progress.rounds, **numbers})
            show("imitation", self.progress.imitated)
            self._keep()
            if self.stopped:
                return
        self.learner.finish_imitation()
        self.progress.end_imitation()
        self.latest = {}
        self.evaluate()
        self.saver.save()

    def _reinforce(self, show: Show) -> None:
        """Learn from rollouts of its own to the end; then evaluate and save a last time."""
        if not self.stopped:
            show("ppo", self.trained)
        while self.trained < 1 and not self.stopped:
            searched = self.settings.searches_in(self.progress.updates)
            numbers = self.learner.improve(self.trained) if searched else self.learner.update(self.trained)
            self.progress.updates += 1
            self._log({"phase": "expert" if searched else "ppo", **numbers})
            show("ppo", self.trained)
            self._keep()
        if not self.stopped:
            self.evaluate()
            self._log({"phase": "ppo", "done": True})
        self.saver.save()

    @property
    def trained(self) -> float:
        """How much of reinforcement learning is done, from 0 to 1."""
        return self.progress.trained(self.learner.steps)

    # ---- Evaluating, logging, saving

    def _keep(self) -> None:
        """Evaluate and save, whichever is due."""
        if self.evaluator.due:
            self.evaluate()
        if self.saver.due:
            self.saver.save()

    def evaluate(self) -> None:
        """Measure the policy against fixed opponents, and log how it does."""
        self._log({"phase": self.progress.phase, "evaluation": self.evaluator.evaluate(self.learner.policy)})

    def save(self) -> None:
        """Write a checkpoint and the policy so far."""
        self.saver.save()

    def _log(self, numbers: Mapping[str, Any]) -> None:
        """Add a line to the log, and to TensorBoard; each says how far the run is."""
        line = {**numbers, **self.saver.where()}
        if "evaluation" not in line and "done" not in line:
            self.latest = line
        self.logbook.add(line)
        self.board.add(line)

    def _divergence(self, error: Diverged) -> str:
        """What to do about a run that has diverged."""
        kept = checkpoints.paths(self.folder.checkpoints)
        what, rate, more = f"round of imitation {self.progress.rounds + 1}", "imitation-rate", "--imitation-gradient"
        if self.progress.imitation_over:
            what, rate, more = f"update {self.progress.updates + 1}", "learning-rate", "--entropy and --gradient"
        return (
            f"{self.folder.path}: the run has diverged in {what}: {error}. Nothing of it was saved; the last good "
            f"checkpoint is {kept[-1] if kept else 'none'}. Try the same command with --resume and a lower --{rate} "
            f"({more} may change too)"
        )

    # ---- What came of it

    @property
    def policy(self) -> Policy:
        """The policy so far; a copy. Its file is `folder.policy`."""
        return self.learner.policy

    @property
    def path(self) -> Path:
        """The folder of the run."""
        return self.folder.path

    @property
    def rates(self) -> dict[str, float]:
        """The win rate against each opponent of the last evaluation; in a game for one player the mean return."""
        return dict(self.evaluator.rates)

    @property
    def log(self) -> list[dict[str, Any]]:
        """The lines of the log: rollouts and evaluations."""
        return self.logbook.read()
