"""A training run on one page: settings, environment, imitation, rollouts and updates, evaluation, log, checkpoint, policy.

Each of these has a module of its own; here they meet. `runs.start` starts a run in a folder, `runs.resume` resumes one.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from stable_baselines3.common.utils import set_random_seed

from cardtable.envs.sb3 import LearnerVecEnv
from cardtable_agents.players.advice import Adviser
from cardtable_agents.training.checkpoints import Checkpoint
from cardtable_agents.training.clocks import Clocks
from cardtable_agents.training.environment import TrainingPool, compose
from cardtable_agents.training.evaluate import Evaluator
from cardtable_agents.training.folder import RunFolder
from cardtable_agents.training.imitation import Imitation
from cardtable_agents.training.learner import Learner
from cardtable_agents.training.log import Log
from cardtable_agents.training.progress import Progress, between
from cardtable_agents.training.saving import Saver
from cardtable_agents.training.settings import Settings
from cardtable_agents.training.shaping import Potential

Show = Callable[[str, float], None]
"""Called with the phase and how much of it is done, from 0 to 1."""


class Run:
    """A run in a folder, from its beginning or from a checkpoint."""

    def __init__(self, settings: Settings, folder: RunFolder, checkpoint: Checkpoint | None = None) -> None:
        self.settings, self.folder = settings, folder
        self.game, self.options = settings.parsed()
        first = checkpoint.about["next_game"] if checkpoint else 0  # deals that were not played before
        set_random_seed((settings.seed + first) % 2**32)
        self.clocks = Clocks()
        self.pool = TrainingPool(self.game, self.options, settings, self.clocks)
        self.potential = Potential(self.game, self.options, settings.shaping)
        self.adviser = Adviser(settings.advice, self.game, self.options) if settings.advice else None
        self.games = LearnerVecEnv(self.game, settings.games, self.pool, settings.seed, first=first, **settings.options)
        self.learner = Learner(compose(self.games, self.potential, self.adviser, self.clocks), settings, folder.tensorboard)
        self.progress = Progress(settings)
        self.evaluator = Evaluator(settings, self.progress)
        self.log = Log(folder.log)
        self.saver = Saver(settings, folder, self.games, self.pool, self.learner, self.progress, self.evaluator, self.log)
        if checkpoint:
            self.saver.restore(checkpoint)

    def train(self, show: Show = lambda phase, done: None) -> Path:
        """Train to the end; the path of the policy."""
        if self.progress.imitated < 1:
            self._imitate(show)
        if not self.pool.past:
            self.pool.add(self.learner.policy)
        while self.trained < 1:
            self._log(self._update())
            if self.evaluator.due:
                self.evaluate()
            if self.saver.due:
                self.save()
            show("ppo", self.trained)
        self.evaluate()
        self.save()
        return self.folder.policy

    @property
    def trained(self) -> float:
        """How much of PPO is done, from 0 to 1."""
        return self.progress.trained(self.learner.steps)

    # ---- Learning

    def _imitate(self, show: Show) -> None:
        """Learn from the teacher, round by round."""
        rounds = self.progress.rounds
        imitation = Imitation(self.settings, self.learner.network, self.potential, self.adviser, rounds)
        while self.progress.imitated < 1:
            agreed = imitation.round(between(self.settings.imitation_rate, self.progress.imitated))
            self.progress.rounds = imitation.rounds
            self._log({"phase": "imitation", "round": imitation.rounds, "agreed": round(agreed, 4)})
            if self.evaluator.due:
                self.evaluate()
            if self.saver.due:
                self.save()
            show("imitation", self.progress.imitated)
        imitation.finish()
        self.progress.imitation_seconds = self.progress.seconds
        self.evaluate()
        self.save()

    def _update(self) -> dict[str, Any]:
        """One rollout and what is learned from it; now and then the learner joins the pool. A line for the log."""
        before, start = dict(self.clocks.seconds), time.perf_counter()
        rate = between(self.settings.learning_rate, self.trained)
        only_value = self.settings.advice is not None and self.progress.updates < self.settings.critic_updates
        learned = self.learner.update(rate, only_value=only_value)
        shares = self.clocks.shares(before, time.perf_counter() - start)
        self.progress.updates += 1
        if self.progress.updates % self.settings.snapshot_updates == 0:
            self.pool.add(self.learner.policy)
        return {"phase": "ppo", **learned, **shares}

    # ---- Evaluating, logging, saving

    def evaluate(self) -> None:
        """Measure the policy against fixed opponents, and log how it does."""
        rates = self.evaluator.evaluate(self.learner.policy)
        self.learner.record({f"evaluation/{name}": rate for name, rate in rates.items()})
        self._log({"phase": self.progress.phase, "steps": self.learner.steps, "evaluation": rates})

    def save(self) -> None:
        """Write a checkpoint and the policy so far."""
        self.saver.save()

    def _log(self, line: Mapping[str, Any]) -> None:
        self.log.add({**line, "seconds": round(self.progress.seconds, 1)})
