"""Generalised advantage estimation, each seat by itself: from one of its decisions to the next, whoever plays in between."""

import numpy as np

from cardtable.engine.jit import kernel
from cardtable.types import Flags, Floats, Seats
from cardtable_agents.training.rollout import Rollout

ZERO = np.float32(0)


@kernel
def estimate(
    lanes: int,
    steps: int,
    seat: Seats,
    done: Flags,
    reward: Floats,
    value: Floats,
    potential: Floats,
    gamma: np.float32,
    gae_lambda: np.float32,
    advantage: Floats,
    outcome: Floats,
    scratch: Floats,
) -> None:
    """Write the advantage of each decision, and what the values of its position should have been.

    Backwards through each lane, for every seat: the discounted value of its next decision, the advantage of it, its outcome
    (advantage plus value), and its potential. After the end of a game the next value is the reward. At the end of the rollout
    it is the value that the network gives the seat in the row after the last. The outcome of a seat that is not to act is that
    of its next decision. Values are counted from the seat to act, rewards and potentials from the first seat.
    `scratch` is (4, P).
    """
    seats = reward.shape[1]
    next_value, next_advantage, next_outcome, next_potential = scratch[0], scratch[1], scratch[2], scratch[3]
    for lane in range(lanes):
        last = steps * lanes + lane
        for each in range(seats):
            next_outcome[each] = value[last, (each - seat[last]) % seats]
            next_value[each] = gamma * next_outcome[each]
            next_advantage[each] = ZERO
            next_potential[each] = potential[last, each]
        for step in range(steps - 1, -1, -1):
            row = step * lanes + lane
            if done[row]:
                for each in range(seats):
                    next_value[each] = reward[row, each]
                    next_outcome[each] = reward[row, each]
                    next_advantage[each] = ZERO
                    next_potential[each] = ZERO
            mover = seat[row]
            gain = gamma * next_potential[mover] - potential[row, mover]
            delta = gain + next_value[mover] - value[row, 0]
            advantage[row] = delta + gamma * gae_lambda * next_advantage[mover]
            next_value[mover] = gamma * value[row, 0]
            next_advantage[mover] = advantage[row]
            next_outcome[mover] = advantage[row] + value[row, 0]
            next_potential[mover] = potential[row, mover]
            for each in range(seats):
                outcome[row, (each - mover) % seats] = next_outcome[each] + next_potential[each] - potential[row, each]


def write_advantages(rollout: Rollout, gamma: float, gae_lambda: float) -> None:
    """Write advantages and outcomes of a rollout whose values are known, those after its last decisions too."""
    rows, ends, targets = rollout.rows, rollout.ends, rollout.targets
    scratch = np.zeros((4, ends.reward.shape[1]), np.float32)
    estimate(
        rollout.lanes,
        rollout.steps,
        rows.seat,
        ends.done,
        ends.reward,
        rollout.choices.value,
        rollout.potential,
        np.float32(gamma),
        np.float32(gae_lambda),
        targets.advantage,
        targets.outcome,
        scratch,
    )
