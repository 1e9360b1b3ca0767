"""RLlib on Ray: PPO against opponents, with one runner and with two."""

import time
from collections.abc import Callable

import torch
from examples.libraries.rllib_ppo import learn, local_ray
from ray.rllib.execution.rollout_ops import synchronous_parallel_sample

from benchmarks.libraries import Learned, Library
from cardtable.envs.rllib import config

GAMES = 400
"""Of each evaluation."""
WARM_UP = 2
"""Samples that are not counted: the first compile, load and allocate."""


def rate_of(runners: int) -> Callable[[float], float]:
    """Measures how many decisions the runners play and hand over to the learner in a second."""

    def rate(seconds: float) -> float:
        torch.set_num_threads(1)
        with local_ray(runners):
            algorithm = config("muster").env_runners(num_env_runners=runners).build_algo()
            decisions, start = 0, 0.0
            for number in range(10**9):
                if number == WARM_UP:
                    decisions, start = 0, time.perf_counter()
                elif number > WARM_UP and time.perf_counter() - start > seconds:
                    break
                episodes = synchronous_parallel_sample(worker_set=algorithm.env_runner_group, _uses_new_env_runners=True)
                decisions += sum(map(len, episodes))
            elapsed = time.perf_counter() - start
            algorithm.stop()
        return decisions / elapsed

    return rate


def learned(seconds: float) -> Learned:
    """PPO for Muster, with two runners."""
    with local_ray(2):
        before, after, taken = learn("muster", ["random"], runners=2, seconds=seconds, games=GAMES)
    return Learned(before, after, GAMES, taken)


LIBRARIES = [
    Library("RLlib, 1 runner", "ray", 'cardtable.envs.rllib.config("muster", opponents=…)', rate_of(1)),
    Library("RLlib, 2 runners", "ray", 'config("muster", opponents=…).env_runners(num_env_runners=2)', rate_of(2), learned),
]
