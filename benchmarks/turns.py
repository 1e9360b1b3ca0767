"""PettingZoo environments turn by turn, ours and theirs: recorded random games played again."""

from itertools import cycle
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.measure import Tally, Unit

RECORDED = 24
"""Games that are played over and over."""


def record_turns(env: Any, seed: int) -> list[int]:
    """The actions of a random game of a PettingZoo environment."""
    generator = np.random.default_rng(seed)
    actions: list[int] = []
    env.reset(seed=seed)
    while True:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return actions
        actions.append(int(generator.choice(np.flatnonzero(observation["action_mask"]))))
        env.step(actions[-1])


def turns(env: Any) -> Unit:
    """A game of a PettingZoo environment: `last()` + `step()` of every decision."""
    games = cycle([(seed, record_turns(env, seed)) for seed in range(RECORDED)])

    def play() -> Tally:
        seed, actions = next(games)
        env.reset(seed=seed)
        start = perf_counter()
        for action in actions:
            env.last()
            env.step(action)
        return Tally(len(actions), perf_counter() - start)

    return play
