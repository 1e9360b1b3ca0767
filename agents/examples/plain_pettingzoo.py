"""Learn from a plain PettingZoo loop: python agents/examples/plain_pettingzoo.py --games 300

A player of Muster chooses among legal actions by a table of preferences, one number an action, which REINFORCE adjusts
after every game: no library beyond numpy and PettingZoo.
"""

import argparse

import numpy as np
from pettingzoo import AECEnv

from muster_env import muster_v0

RATE = 0.1


def choose(preferences: np.ndarray, mask: np.ndarray, generator: np.random.Generator) -> tuple[int, np.ndarray]:
    """A legal action by softmax of preferences, and the chances of all actions."""
    chances = np.where(mask, np.exp(preferences), 0.0)
    chances /= chances.sum()
    return int(generator.choice(len(chances), p=chances)), chances


def play(env: AECEnv, seed: int, tables: dict[str, np.ndarray], generator: np.random.Generator) -> dict[str, float]:
    """One game; who has a table in `tables` learns from its result. The return of each player."""
    env.reset(seed=seed)
    slopes = {agent: np.zeros_like(table) for agent, table in tables.items()}
    returns = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, _ = env.last()
        returns[agent] += reward
        if termination or truncation:
            env.step(None)
            continue
        mask = observation["action_mask"]
        action, chances = choose(tables.get(agent, np.zeros(len(mask))), mask, generator)
        if agent in slopes:
            slopes[agent] -= chances
            slopes[agent][action] += 1
        env.step(action)
    for agent, slope in slopes.items():
        tables[agent] += RATE * returns[agent] * slope
    return returns


def main() -> None:
    """Let player_0 learn against a random player_1; print the share of wins as it grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    env = muster_v0.env()
    generator = np.random.default_rng(args.seed)
    tables = {"player_0": np.zeros(env.action_space("player_0").n)}
    returns = [play(env, args.seed + number, tables, generator)["player_0"] for number in range(args.games)]
    for part in np.array_split(np.array(returns), 4):
        print(f"{(part.mean() + 1) / 2:.1%} wins in {len(part)} games")


if __name__ == "__main__":
    main()
