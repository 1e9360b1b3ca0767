"""The arithmetic of learning: the operations that a decision needs, and how fast this machine multiplies matrices.

Counted are multiplications and additions of the network's weights: inputs that are not zero in the first layer, all units of
hidden layers, legal actions and values in the last. Left out is what is small beside it, or waits for memory rather than for
arithmetic: biases, softmax, Adam, and what actions share. So the bound is a strict one.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from cardtable_agents.network.parameters import CHUNK
from cardtable_agents.network.products import BFLOAT16, FLOAT32, has_torch, make_product, one_thread_each
from cardtable_agents.training.ppo import PPO

from benchmarks.measure import Contestant, Row, Tally, Unit

REPEATS = 20
"""Products that are timed together."""


class Operations(NamedTuple):
    """Floating-point operations."""

    sparse: float
    """In the first and last layer, which look only at what is there: always in float32."""
    hidden: float
    """In hidden layers: matrix products, in the precision of the run."""

    def seconds(self, sparse_speed: float, hidden_speed: float) -> float:
        """The time they take at so many operations per second."""
        return self.sparse / sparse_speed + self.hidden / hidden_speed


@dataclass(frozen=True)
class Work:
    """What a decision asks of a network."""

    inputs: float
    """Inputs that are not zero, on average."""
    actions: float
    """Legal actions, on average."""
    layers: tuple[int, ...]
    seats: int
    epochs: int

    @property
    def first(self) -> float:
        """Weights of the first layer that are used."""
        return self.inputs * self.layers[0]

    @property
    def hidden(self) -> int:
        """Weights of the hidden layers."""
        return sum(before * after for before, after in pairwise(self.layers))

    @property
    def last(self) -> float:
        """Weights of the last layer that are used: those of legal actions and of a value for each seat."""
        return (self.actions + self.seats) * self.layers[-1]

    def acting(self) -> Operations:
        """Once forward: a multiplication and an addition for each weight."""
        return Operations(2 * (self.first + self.last), 2 * self.hidden)

    def learning(self) -> Operations:
        """Forward again and backward, in each epoch: by weights and by units, but in the first layer by weights alone."""
        sparse = 2 * (2 * self.first + 3 * self.last)
        return Operations(self.epochs * sparse, self.epochs * 2 * 3 * self.hidden)

    def bound(self, sparse_speed: float, hidden_speed: float) -> float:
        """Seconds that a decision takes at least, at so many operations per second."""
        return sum(each.seconds(sparse_speed, hidden_speed) for each in (self.acting(), self.learning()))

    def plain(self) -> dict[str, Any]:
        """For a file of results."""
        return asdict(self)


def work_of(learner: PPO) -> Work:
    """What a decision of the last rollout asked of a learner's network."""
    rollouts = [worker.rollout for worker in learner.crew.workers]
    number = sum(rollout.number for rollout in rollouts)
    inputs = sum(int(rollout.rows.first_input[rollout.number]) for rollout in rollouts)
    actions = sum(int(rollout.rows.first_action[rollout.number]) for rollout in rollouts)
    settings, seats = learner.settings, learner.options.num_players
    return Work(inputs / number, actions / number, settings.layers, seats, settings.epochs)


# ---- The speed of matrix products


def contestants(width: int) -> Iterator[Contestant]:
    """Products as hidden layers need them, in each precision that is installed."""
    size = f"{CHUNK} × {width} × {width}"
    yield Contestant(_row(f"{FLOAT32}, {size}", "numpy", FLOAT32), float_products(width))
    if has_torch():
        yield Contestant(_row(f"torch.mm {BFLOAT16}, {size}", "torch", BFLOAT16), torch_products(width))


def _row(what: str, group: str, precision: str) -> Row:
    return Row(what, group, ours=False, unit="FLOP/s", details={"precision": precision})


def float_products(width: int) -> Unit:
    """Matrix products in float32 as the learner makes them, in one thread; operations are counted."""
    random = np.random.default_rng(0)
    one, two = (random.standard_normal((rows, width)).astype(np.float32) for rows in (CHUNK, width))
    out = np.zeros((CHUNK, width), np.float32)
    return _timed(partial(make_product(FLOAT32), one, two, out), width, FLOAT32)


def torch_products(width: int) -> Unit:
    """Matrix products by PyTorch of what is in bfloat16 already, in one thread; operations are counted."""
    import torch

    one, two = (torch.randn(rows, width).to(torch.bfloat16) for rows in (CHUNK, width))
    out = torch.empty(CHUNK, width, dtype=torch.bfloat16)
    return _timed(partial(torch.mm, one, two, out=out), width, BFLOAT16)


def _timed(multiply: Callable[[], object], width: int, precision: str) -> Unit:
    """Many products of `CHUNK` rows with a square matrix as one unit."""

    def work() -> Tally:
        with one_thread_each(precision):
            start = perf_counter()
            for _ in range(REPEATS):
                multiply()
            return Tally(2 * CHUNK * width * width * REPEATS, perf_counter() - start)

    return work
