"""Train RLlib's PPO on any game: python agents/examples/libraries/rllib_ppo.py --runners 2 --out policy.safetensors

The policy that it writes plays in the arena: cardtable arena muster ppo:policy.safetensors heuristic
"""

import argparse
import math
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import ray
import torch
from cardtable_agents.training.evaluate import win_rate
from cardtable_agents.training.rllib import export, network_of, policy_of
from ray.rllib.algorithms.algorithm import Algorithm

from cardtable.envs.rllib import config
from cardtable.game.registry import find
from cardtable.players.roster import make_agent

STORE = 500_000_000
"""Bytes of the memory through which runners hand over what they have played; a batch of ours has about 35 million."""


@contextmanager
def local_ray(cpus: int) -> Iterator[None]:
    """Ray on this machine, as small as it gets: no dashboard, and nothing about its use is sent to anybody."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    quiet = {"include_dashboard": False, "logging_level": "error", "log_to_driver": False}
    ray.init("local", num_cpus=cpus, object_store_memory=STORE, **quiet)
    try:
        yield
    finally:
        ray.shutdown()


def wins(algorithm: Algorithm, opponent: str, games: int) -> float:
    """The share of wins of the best action by the network, with an agent at all other seats."""
    network = network_of(algorithm)
    game = find(network.model_config["game"])
    options = game.parse_options({})
    return win_rate(game, options, policy_of(network), make_agent(opponent, game, options), games)


def learn(
    game: str, opponents: Sequence[str], *, runners: int, seconds: float, games: int, out: Path | None = None
) -> tuple[float, float, float]:
    """(share of wins against random before training, after it, seconds that it took)."""
    torch.set_num_threads(1)  # for layers this small, several are hardly faster, and much slower on a busy machine
    settings = config(game, opponents=opponents).env_runners(num_env_runners=runners).debugging(seed=1)
    algorithm = settings.build_algo()
    before, start = wins(algorithm, "random", games), time.perf_counter()
    while (elapsed := time.perf_counter() - start) < seconds:
        result = algorithm.train()["env_runners"]
        steps, mean = result["num_env_steps_sampled_lifetime"], result.get("episode_return_mean", math.nan)
        print(f"{elapsed:4.0f} s, {steps:9,.0f} decisions, mean return {mean:+.2f}", flush=True)
    after = wins(algorithm, "random", games)
    if out:
        export(algorithm, out)
    algorithm.stop()
    return before, after, elapsed


def main() -> None:
    """Train, measure before and after, and write the policy if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="muster")
    parser.add_argument("--opponents", nargs="+", default=["random"], help="agents at the other seats: random heuristic")
    parser.add_argument("--runners", type=int, default=0, help="processes that play; with 0, the learner plays itself")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--games", type=int, default=400, help="games of each measurement")
    parser.add_argument("--out", type=Path, help="where the policy is written")
    args = parser.parse_args()
    with local_ray(max(1, args.runners)):
        before, after, seconds = learn(
            args.game, args.opponents, runners=args.runners, seconds=args.seconds, games=args.games, out=args.out
        )
    print(f"wins against random: {before:.1%} before, {after:.1%} after {seconds:.0f} seconds")


if __name__ == "__main__":
    main()
