"""Train sb3-contrib's MaskablePPO on any game, in plain Stable-Baselines3: python agents/examples/plain_sb3.py --steps 200000

`cardtable train` does more (a teacher, opponents that grow, checkpoints); this is all it takes.
"""

import argparse
from typing import Any

import numpy as np
from sb3_contrib import MaskablePPO

from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.game.registry import find


def win_rate(model: MaskablePPO, env: LearnerVecEnv, games: int) -> float:
    """The share of wins in the first games that end, a draw as half a win."""
    returns: list[float] = []
    observation: Any = env.reset()
    while len(returns) < games:
        actions, _ = model.predict(observation, action_masks=env.action_masks())
        observation, rewards, dones, _ = env.step(actions)
        returns += rewards[dones].tolist()
    return (float(np.mean(returns)) + 1) / 2


def main() -> None:
    """Train against random opponents, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="muster")
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--games", type=int, default=500, help="games of each measurement")
    args = parser.parse_args()
    game = find(args.game)
    env = LearnerVecEnv(game, num_games=128, seed=1)  # opponents=… plays the other seats; at random if left out
    evaluation = LearnerVecEnv(game, num_games=128, seed=2)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=2048, n_epochs=4, gamma=1.0, seed=1, device="cpu")
    print(f"before: {win_rate(model, evaluation, args.games):.1%} wins against random")
    model.learn(args.steps)
    print(f"after {model.num_timesteps:,} steps: {win_rate(model, evaluation, args.games):.1%}")


if __name__ == "__main__":
    main()
