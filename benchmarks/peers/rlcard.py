"""RLCard: timed is `step`, which hands out the observation, and its legal actions written into a mask; random choices between
steps and `reset` are left out."""

from collections.abc import Iterator
from functools import partial
from time import perf_counter

import numpy as np

from benchmarks.measure import Contestant, Row, Tally, Unit, if_installed

LIBRARY = "RLCard"
GAMES = ("leduc-holdem", "uno", "gin-rummy")


def games(name: str) -> Unit:
    """A random game."""
    import rlcard

    env = rlcard.make(name, config={"seed": 0})
    generator = np.random.default_rng(0)
    mask = np.zeros(env.num_actions, np.int8)

    def play() -> Tally:
        decisions, spent = 0, 0.0
        state, _ = env.reset()
        while not env.is_over():
            action = int(generator.choice(list(state["legal_actions"])))
            start = perf_counter()
            state, _ = env.step(action)
            mask[:] = 0
            mask[list(state["legal_actions"])] = 1
            spent += perf_counter() - start
            decisions += 1
        return Tally(decisions, spent)

    return play


def contestants() -> Iterator[Contestant]:
    """A row for each game."""
    for name in GAMES:
        yield from if_installed(Row(f"{LIBRARY} {name}", LIBRARY, ours=False), partial(games, name))
