"""Stable-Baselines3: its vector environment over our games, and MaskablePPO of sb3-contrib on it."""

from time import process_time
from typing import Any

import torch
from examples.plain_sb3 import win_rate
from sb3_contrib import MaskablePPO

from benchmarks.libraries import Learned, Library
from benchmarks.measure import pace
from cardtable.envs.sb3 import LearnerVecEnv

GAMES, STEPS, EVALUATED = 256, 20, 500


def rate(seconds: float) -> float:
    """Decisions of the learner a second, the first legal one each time."""
    env = LearnerVecEnv("muster", GAMES, seed=1)
    env.reset()

    def play() -> int:
        for _ in range(STEPS):
            env.step(env.action_masks().argmax(axis=1))
        return GAMES * STEPS

    return pace(play, seconds)


def learn(seconds: float) -> Learned:
    """Train MaskablePPO against random play."""
    torch.set_num_threads(1)
    env, evaluated = LearnerVecEnv("muster", GAMES, seed=1), LearnerVecEnv("muster", GAMES, seed=2)
    model = MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=2048, n_epochs=3, gamma=1.0, learning_rate=1e-3, device="cpu")
    before, start = win_rate(model, evaluated, EVALUATED), process_time()

    def goes_on(*_: Any) -> bool:
        return process_time() - start < seconds

    model.learn(10**9, callback=goes_on)
    taken = process_time() - start
    return Learned(before, win_rate(model, evaluated, EVALUATED), EVALUATED, taken)


LIBRARY = Library("Stable-Baselines3", "stable-baselines3", 'LearnerVecEnv("muster", 256)', rate, learn)
