"""TorchRL: its collector with a random policy over `BatchEnv`, and its PPO."""

from examples.libraries import torchrl_ppo
from torchrl.collectors import Collector

from benchmarks.libraries import Learned, Library
from benchmarks.measure import pace
from cardtable.envs.torchrl import BatchEnv

GAMES, STEPS, EVALUATED = 256, 20, 500


def rate(seconds: float) -> float:
    """Decisions of the learner a second, as they come out of the collector."""
    env = BatchEnv("muster", GAMES, seed=1)
    collector = Collector(env, None, frames_per_batch=GAMES * STEPS, total_frames=-1)
    batches = iter(collector)
    found = pace(lambda: next(batches).numel(), seconds)
    collector.shutdown()
    return found


def learn(seconds: float) -> Learned:
    """Train its PPO against random play."""
    before, after, taken = torchrl_ppo.learn(seconds=seconds, games=EVALUATED)
    return Learned(before, after, EVALUATED, taken)


LIBRARY = Library("TorchRL", "torchrl", 'BatchEnv("muster", 256)', rate, learn)
