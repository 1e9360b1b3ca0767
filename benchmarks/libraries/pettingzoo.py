"""PettingZoo: one game at a time, every seat's actions drawn at random."""

import numpy as np

import cardtable
from benchmarks.libraries import Library
from benchmarks.measure import pace


def rate(seconds: float) -> float:
    """Decisions of all seats a second."""
    env, generator = cardtable.make("muster"), np.random.default_rng(1)
    env.reset(seed=1)

    def play() -> int:
        env.reset()
        decisions = 0
        for _ in env.agent_iter():
            seen, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                env.step(None)
                continue
            legal = np.flatnonzero(seen["action_mask"])
            env.step(int(legal[generator.integers(len(legal))]))
            decisions += 1
        return decisions

    return pace(play, seconds)


LIBRARY = Library("PettingZoo", "pettingzoo", "muster_v0.env()", rate)
