"""Behaviour cloning from a Minari dataset of ours, in numpy: a softmax over the legal actions, fitted to what was played.

cardtable data muster heuristic random --games 1000 --minari muster/heuristic-v0
python agents/examples/libraries/minari_cloning.py muster/heuristic-v0
"""

import argparse
import time
from collections.abc import Iterator
from typing import Any

import gymnasium
import minari
import numpy as np

from cardtable.types import Floats

BATCH = 512
RATE = 0.003


def batches(dataset: minari.MinariDataset, generator: np.random.Generator) -> Iterator[tuple[Any, Any, Any]]:
    """Observations, masks and actions, in random order, for ever."""
    episodes = list(dataset.iterate_episodes())
    seen = np.concatenate([each.observations["observation"][:-1] for each in episodes])
    masks = np.concatenate([each.observations["action_mask"][:-1] for each in episodes])
    actions = np.concatenate([each.actions for each in episodes])
    while True:
        rows = generator.integers(len(actions), size=BATCH)
        yield seen[rows], masks[rows], actions[rows]


def clone(dataset: minari.MinariDataset, seconds: float, seed: int = 0) -> Floats:
    """Weights (observation + 1, actions), fitted by Adam for about so many seconds."""
    env = dataset.recover_environment()
    weights = np.zeros((env.observation_space["observation"].shape[0] + 1, env.action_space.n), np.float32)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    start = time.monotonic()
    for step, (seen, masks, actions) in enumerate(batches(dataset, np.random.default_rng(seed)), start=1):
        inputs = np.hstack([seen, np.ones((len(seen), 1), np.float32)])
        logits = np.where(masks == 1, inputs @ weights, -np.inf)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        chances[np.arange(len(actions)), actions] -= 1
        gradient = inputs.T @ chances / len(actions)
        first += 0.1 * (gradient - first)
        second += 0.001 * (gradient**2 - second)
        size = np.sqrt(second / (1 - 0.999**step)) + 1e-8
        weights -= RATE * (first / (1 - 0.9**step)) / size
        if time.monotonic() - start > seconds:
            return weights
    raise AssertionError("batches never end")


def share_of_wins(env_id: str, weights: Floats, games: int, seed: int = 1) -> float:
    """How often the clone wins against random play; a draw is half a win."""
    envs = gymnasium.make_vec(env_id, 64)
    seen, infos = envs.reset(seed=seed)
    won: list[float] = []
    while len(won) < games:
        logits = seen @ weights[:-1] + weights[-1]
        logits += 1e-6 * np.random.default_rng(len(won)).random(logits.shape)
        actions = np.where(infos["action_mask"] == 1, logits, -np.inf).argmax(axis=1)
        seen, rewards, ended, cut_off, infos = envs.step(actions)
        won += ((rewards[ended | cut_off] + 1) / 2).tolist()
    return float(np.mean(won[:games]))


def main() -> None:
    """Clone, and play against random play."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dataset", help="the name of the dataset, such as muster/heuristic-v0")
    parser.add_argument("--seconds", type=float, default=20.0, help="time for training (default 20)")
    parser.add_argument("--games", type=int, default=400, help="games played before and after (default 400)")
    args = parser.parse_args()
    dataset = minari.load_dataset(args.dataset)
    env_id = dataset.env_spec.id
    weights = clone(dataset, args.seconds)
    before, after = (share_of_wins(env_id, each, args.games) for each in (np.zeros_like(weights), weights))
    print(f"share of wins against random play: {before:.1%} before, {after:.1%} after {args.seconds:.0f} s")


if __name__ == "__main__":
    main()
