"""Gymnasium: many games as one vector environment, the learner's actions drawn at random."""

import gymnasium

import cardtable  # noqa: F401  # registers the games
from benchmarks.libraries import Library
from benchmarks.measure import pace

GAMES, STEPS = 256, 20


def rate(seconds: float) -> float:
    """Decisions of the learner a second."""
    envs = gymnasium.make_vec("cardtable/Muster-v0", GAMES)
    envs.reset(seed=1)

    def play() -> int:
        for _ in range(STEPS):
            envs.step(envs.action_space.sample())
        return GAMES * STEPS

    return pace(play, seconds)


LIBRARY = Library("Gymnasium", "gymnasium", 'gymnasium.make_vec("cardtable/Muster-v0", 256)', rate)
