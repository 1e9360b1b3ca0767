"""Masked PPO in one file, in the manner of CleanRL, on PyTorch and Gymnasium alone."""

import gymnasium
from examples.libraries import cleanrl_ppo
from gymnasium.vector import AutoresetMode

from benchmarks.libraries import Learned, Library
from benchmarks.measure import pace

GAMES, STEPS, EVALUATED = 256, 20, 500


def rate(seconds: float) -> float:
    """Decisions of the learner a second, the first legal one each time."""
    envs = gymnasium.make_vec("cardtable/Muster-v0", GAMES, autoreset_mode=AutoresetMode.SAME_STEP)
    state = [envs.reset(seed=1)[1]]

    def play() -> int:
        for _ in range(STEPS):
            *_, state[0] = envs.step(state[0]["action_mask"].argmax(axis=1))
        return GAMES * STEPS

    return pace(play, seconds)


def learn(seconds: float) -> Learned:
    """Train it against random play."""
    before, after, taken = cleanrl_ppo.learn(seconds=seconds, games=EVALUATED)
    return Learned(before, after, EVALUATED, taken)


LIBRARY = Library("CleanRL style", "torch", 'make_vec("cardtable/Muster-v0", 256, autoreset_mode="SAME_STEP")', rate, learn)
