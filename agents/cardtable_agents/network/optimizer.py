"""Adam over the flat vector of a network, each thread a slice of it."""

from math import isfinite, sqrt

import numpy as np

from cardtable.errors import AgentError
from cardtable_agents.network import kernels
from cardtable_agents.network.parameters import Shape, Vector

DECAY_MEAN, DECAY_SQUARE = 0.9, 0.999
"""How much of the means of gradients and of their squares stays at each step: the usual values."""
TINY = 1e-5
"""Keeps steps small where gradients are: as in other implementations of PPO."""


class Diverged(AgentError):
    """Learning has gone wrong: numbers are not finite, or an update has moved the policy too far."""


class Adam:
    """The moments of all parameters, and the number of steps."""

    def __init__(self, shape: Shape) -> None:
        self.mean, self.square, self.steps = Vector(shape), Vector(shape), 0

    def scale(self, squares: float, max_norm: float) -> float:
        """What a gradient with this squared norm is multiplied by so that its norm is at most `max_norm`; `Diverged`."""
        if not isfinite(squares):
            raise Diverged(f"the gradient of step {self.steps + 1:,} is not finite")
        return min(1.0, max_norm / (sqrt(squares) + 1e-8))

    def begin_step(self) -> None:
        """Count a step: once, before the slices are stepped."""
        self.steps += 1

    def step(self, part: slice, parameters: Vector, gradient: Vector, rate: float, scale: float) -> None:
        """Move a slice of the parameters; the slice of the gradient is 0 then."""
        kernels.adam(
            parameters.flat[part],
            gradient.flat[part],
            self.mean.flat[part],
            self.square.flat[part],
            np.float32(rate),
            np.float32(1 - DECAY_MEAN),
            np.float32(1 - DECAY_SQUARE),
            np.float32(TINY),
            np.float32(1 / (1 - DECAY_MEAN**self.steps)),
            np.float32(1 / (1 - DECAY_SQUARE**self.steps)),
            np.float32(scale),
        )

    def reset(self) -> None:
        """Forget all moments: what is learned next has another loss."""
        self.mean.flat[:] = 0
        self.square.flat[:] = 0
        self.steps = 0
