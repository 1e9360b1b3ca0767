"""Proximal policy optimisation by self-play, on one page: rollout, advantages, loss, step, in this order.

Every seat of every game learns. Each thread plays its share of the games into a rollout, and computes its share of the
gradient of every minibatch; the shares are added up, and Adam takes a step with the sum. What is played, computed and
differentiated lies in modules of its own: `worker` and `selfplay` (games), `advantages`, `network.kernels` (loss, gradients,
Adam). The same seed, threads and precision learn the same, bit for bit, on the same machine.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from typing import Any

import numpy as np

from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.types import Array
from cardtable_agents.network import kernels
from cardtable_agents.network.kernels import Loss
from cardtable_agents.network.network import prepare
from cardtable_agents.network.optimizer import Adam, Diverged
from cardtable_agents.network.products import make_product, one_thread_each
from cardtable_agents.players.policy import Policy
from cardtable_agents.training import barrier, states
from cardtable_agents.training.beginnings import chosen_precision, first_network, policy_of, require_same_precision
from cardtable_agents.training.crew import Crew
from cardtable_agents.training.learners import State
from cardtable_agents.training.progress import between
from cardtable_agents.training.settings import Settings
from cardtable_agents.training.worker import PARTS, Worker

IMITATION, REINFORCEMENT, EXPERT = range(3)
"""What the order of rows is drawn for."""
MEANS = {
    "entropy": kernels.ENTROPY,
    "value_error": kernels.VALUE_ERROR,
    "kl": kernels.KL,
    "clipped": kernels.CLIPPED,
    "agreed": kernels.AGREED,
}
"""Means over all rows that the log holds."""


class PPO:
    """The learner of a run: a network, its optimizer, and workers that play and differentiate."""

    def __init__(self, settings: Settings, game: Game, options: Options) -> None:
        prepare()
        barrier.prepare()
        self.settings, self.game, self.options = settings, game, options
        self.precision = chosen_precision(settings)
        self.network = first_network(settings, game, options)
        self.optimizer = Adam(self.network.shape)
        threads = settings.thread_number
        self.crew = Crew(
            [Worker(self.network, settings, game, options, each, threads, self.precision) for each in range(threads)]
        )
        self.steps = self.updates = self.imitations = 0
        self._optimizer_seconds = 0.0

    # ---- Reinforcement learning

    def update(self, done: float) -> dict[str, float]:
        """Play a rollout, and learn from it; numbers for the log. `done` (0 to 1) sets the rates."""
        settings, start = self.settings, time.perf_counter()
        rate, entropy = between(settings.learning_rate, done), between(settings.entropy, done)
        with one_thread_each(self.precision):
            self._keep_past_selves()
            self.crew.run(Worker.play)
            self.crew.run(Worker.estimate_advantages)
            self._normalise_advantages()
            loss = Loss(np.float32(settings.clip), np.float32(entropy), np.float32(settings.value_weight), imitation=False)
            for epoch in range(settings.epochs):
                self._learn((REINFORCEMENT, self.updates, epoch), loss, settings.batch, rate, settings.gradient)
        return self._updated(start)

    def _normalise_advantages(self) -> None:
        """Mean 0 and deviation 1 over the whole rollout, so that steps are as long in even games as in decided ones."""
        every = [worker.advantages for worker in self.crew.workers]
        number = sum(map(len, every))
        mean = sum(float(each.sum(dtype=np.float64)) for each in every) / number
        deviation = np.sqrt(sum(float(np.square(each - mean, dtype=np.float64).sum()) for each in every) / number)
        for advantages in every:
            advantages -= np.float32(mean)
            advantages /= np.float32(deviation + 1e-8)
            if self._only_values:
                advantages[:] = 0

    def _learn(self, seed: tuple[int, ...], loss: Loss, batch: int, rate: float, max_norm: float) -> None:
        """One pass over the rollout in minibatches of about `batch` rows, a step of the optimizer after each."""
        workers = self.crew.workers
        share = max(batch // len(workers), 1)
        starts = range(0, workers[0].rollout.number - share + 1, share)

        def learn(worker: Worker) -> None:
            worker.shuffle((self.settings.seed, *seed, worker.number))
            for start in takewhile(lambda _: worker.wanted, starts):
                worker.learn(start, share, loss, scale=1 / (share * len(workers)))
                self._step(worker, rate, max_norm)

        self.crew.run(learn)

    def _step(self, worker: Worker, rate: float, max_norm: float) -> None:
        """A worker's part of a step: in its slice of the parameters, add up the gradients of all and let Adam move them."""
        crew = self.crew
        crew.barrier.wait(worker.number)  # the gradients are there
        start = time.perf_counter()
        gradient = crew.workers[0].passes.gradient
        worker.add_up([other.passes.gradient for other in crew.workers])
        if worker.number == 0:
            self.optimizer.begin_step()
        crew.barrier.wait(worker.number)  # their sum, and its norm
        scale = self.optimizer.scale(sum(each.squares for each in crew.workers), max_norm)
        self.optimizer.step(worker.slice, self.network.parameters, gradient, rate, scale)
        crew.barrier.wait(worker.number)  # the parameters
        self.network.refresh(worker.actions)
        crew.barrier.wait(worker.number)  # the last layer
        if worker.number == 0:
            self._optimizer_seconds += time.perf_counter() - start

    @property
    def _only_values(self) -> bool:
        """Whether the policy is held: an advised one knows what its adviser does, and an untrained value would spoil that."""
        return self.settings.advice is not None and self.updates < self.settings.critic_updates

    @property
    def past(self) -> Sequence[Policy]:
        """Past selves that sit in the pools of opponents, the oldest first: the same in all threads."""
        return self.crew.workers[0].pool.past

    def _keep_past_selves(self) -> None:
        """Now and then the policy takes the place of the oldest past self in the pools; at first it takes all such places."""
        if self.crew.workers[0].pool.places and self.updates % self.settings.snapshot_updates == 0:
            policy = self.policy
            for worker in self.crew.workers:
                worker.pool.add(policy)

    # ---- Imitation

    def imitate(self, rate: float) -> dict[str, float]:
        """Play a rollout with a teacher, and learn to decide as it would and how such games end; numbers for the log."""
        start, student_share = time.perf_counter(), self.settings.student_share if self.imitations else 0.0
        self._learn_targets(lambda worker: worker.demonstrate(student_share), (IMITATION, self.imitations), rate)
        self.imitations += 1
        numbers = self._numbers(time.perf_counter() - start)
        return {"demonstrations": sum(worker.rollout.number for worker in self.crew.workers), **numbers}

    def _learn_targets(self, demonstrate: Callable[[Worker], None], seed: tuple[int, int], rate: float) -> None:
        """Play a rollout in which every decision is told what should be played; learn that, and how such games end."""
        settings = self.settings
        loss = Loss(np.float32(0), np.float32(0), np.float32(settings.imitation_value_weight), imitation=True)
        with one_thread_each(self.precision):
            self.crew.run(demonstrate)
            self.crew.run(Worker.estimate_advantages)  # for how games end: values learn that in imitation too
            for epoch in range(settings.imitation_epochs):
                self._learn((*seed, epoch), loss, settings.imitation_batch, rate, settings.imitation_gradient)

    # ---- Expert iteration

    def improve(self, done: float) -> dict[str, float]:
        """Play a rollout in which the network's own search is asked, and learn to decide as it would; numbers for the log."""
        start, policy = time.perf_counter(), self.policy
        rate = between(self.settings.learning_rate, done)
        self._learn_targets(lambda worker: worker.search(policy), (EXPERT, self.updates), rate)
        return self._updated(start)

    def _updated(self, start: float) -> dict[str, float]:
        """Count an update that began then; numbers for the log."""
        self.updates += 1
        self.steps += sum(worker.rollout.number for worker in self.crew.workers)
        return self._numbers(time.perf_counter() - start)

    def finish_imitation(self) -> None:
        """Make the policy surer of its preferences: it has learned to hedge as its teacher does; to play, it must decide.

        The optimizer forgets: what comes next has another loss.
        """
        for part in ("action.weight", "action.bias", "feature.weight", "trust"):
            self.network.parameters[part][:] *= self.settings.sharpness
        self.network.refresh()
        self.optimizer.reset()

    # ---- What came of it

    @property
    def policy(self) -> Policy:
        """The policy so far; a copy."""
        return policy_of(self.network, self.settings.advice)

    def _numbers(self, seconds: float) -> dict[str, float]:
        """What is worth logging of a rollout and what was learned from it; `Diverged` if it has gone wrong."""
        sums = np.sum([worker.stats() for worker in self.crew.workers], axis=0)
        learned = max(float(sums[kernels.LEARNED]), 1.0)
        means = {name: float(sums[number]) / learned for name, number in MEANS.items()}
        if not means["kl"] <= self.settings.largest_kl:  # NaN is not
            raise Diverged(f"an update moved the policy by {means['kl']:.3g} nats, allowed: {self.settings.largest_kl:g}")
        games, cut_off, forced = np.sum([worker.rollout.ends.counts for worker in self.crew.workers], axis=0).tolist()
        played = sum(worker.rollout.number for worker in self.crew.workers)
        spent = [worker.clocks.take() for worker in self.crew.workers]
        parts = {part: sum(each[part] for each in spent) / len(spent) for part in PARTS}
        parts["optimizer"], self._optimizer_seconds = self._optimizer_seconds, 0.0
        shares = {f"{part}_share": round(taken / seconds, 3) for part, taken in parts.items()}
        return {
            "steps_per_second": round(played / seconds),
            **{name: round(mean, 5) for name, mean in means.items()},
            "games": games,
            "cut_off": cut_off,
            "forced": forced,
            **shares,
        }

    # ---- Checkpoints

    def state(self) -> State:
        """All that the learner needs to go on exactly where it is: there are no random streams besides the games' own."""
        about = {
            "precision": self.precision,
            "optimizer_steps": self.optimizer.steps,
            "updates": self.updates,
            "imitations": self.imitations,
            "steps": self.steps,
        }
        return {**self._arrays(), **states.arrays_of(self.past)}, about

    def _arrays(self) -> dict[str, Array]:
        """Parameters, moments and games: no copies."""
        return {
            "parameters": self.network.parameters.flat,
            "optimizer.exp_avg": self.optimizer.mean.flat,
            "optimizer.exp_avg_sq": self.optimizer.square.flat,
            **{f"games.{number}": states.bytes_of(each.games.records) for number, each in enumerate(self.crew.workers)},
        }

    def restore(self, arrays: Mapping[str, Array], about: Mapping[str, Any]) -> None:
        """Go on where `state` was called; `WeightsError` if that was another learner's state, and nothing has changed then."""
        own, like = self._arrays(), self.policy
        past = len(self.crew.workers[0].pool.places) if any(name.startswith("past.") for name in arrays) else 0
        states.require_fit(arrays, {**own, **states.arrays_of([like] * past)})
        states.require_squares(arrays["optimizer.exp_avg_sq"])
        states.require_games({name: arrays[name] for name in own if name.startswith("games.")}, self.game, self.options)
        states.require_about(about, ("optimizer_steps", "updates", "imitations", "steps"))
        require_same_precision(about["precision"])
        for name, array in own.items():
            array[:] = arrays[name]
        self.network.refresh()
        self.optimizer.steps, self.updates = about["optimizer_steps"], about["updates"]
        self.imitations, self.steps = about["imitations"], about["steps"]
        self._set_precision(about["precision"])
        seated = states.past_of(arrays, like, past)
        for worker in self.crew.workers:
            worker.pool.seat(seated)

    def _set_precision(self, precision: str) -> None:
        """Compute matrix products in another precision from now on."""
        self.precision = precision
        for worker in self.crew.workers:
            worker.passes.product = make_product(precision)

    def close(self) -> None:
        """Let threads go; one that still plays, after an interrupt or an error elsewhere, stops after its step."""
        for worker in self.crew.workers:
            worker.wanted = False
        self.crew.close()
        for worker in self.crew.workers:
            worker.close()
