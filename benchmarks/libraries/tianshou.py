"""Tianshou: its collector with a random policy over `BatchVectorEnv`, and its PPO."""

from examples.libraries import tianshou_ppo
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer

from benchmarks.libraries import Learned, Library
from benchmarks.measure import pace
from cardtable.envs.tianshou import BatchVectorEnv

GAMES, STEPS, EVALUATED = 256, 20, 500


def rate(seconds: float) -> float:
    """Decisions of the learner a second, as they come out of the collector."""
    env = BatchVectorEnv("muster", GAMES, seed=1)
    policy = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space[0])
    collector = Collector(policy, env, VectorReplayBuffer(GAMES * STEPS, GAMES))
    collector.reset()
    return pace(lambda: collector.collect(n_step=GAMES * STEPS).n_collected_steps, seconds)


def learn(seconds: float) -> Learned:
    """Train its PPO against random play."""
    before, after, taken = tianshou_ppo.learn(seconds=seconds, games=EVALUATED)
    return Learned(before, after, EVALUATED, taken)


LIBRARY = Library("Tianshou", "tianshou", 'BatchVectorEnv("muster", 256)', rate, learn)
