"""Train OpenSpiel's PPO on any game for two, against random play: python agents/examples/libraries/openspiel_ppo.py

OpenSpiel's environments, one for each game side by side; PPO plays player 0 in all of them, and is asked once for all.
"""

import argparse
import random
import time
from typing import Any

import numpy as np
import pyspiel
import torch
from open_spiel.python import rl_environment
from open_spiel.python.pytorch.ppo import PPO, PPOAgent

import cardtable.envs.openspiel  # noqa: F401  # registers the games

LEARNER = 0


class Tables:
    """Environments in which player 0 learns and the others play at random; all stand at a decision of the learner."""

    def __init__(self, game: Any, number: int, seed: int) -> None:
        kind = rl_environment.ObservationType.OBSERVATION
        sampler = rl_environment.ChanceEventSampler(seed=seed)
        self.envs = [
            rl_environment.Environment(game, chance_event_sampler=sampler, observation_type=kind) for _ in range(number)
        ]
        self._random = random.Random(seed)
        self.steps = [self._go_on(env, env.reset()) for env in self.envs]

    def _go_on(self, env: Any, step: Any) -> Any:
        """Play the others up to a decision of the learner or the end."""
        while not step.last() and step.current_player() != LEARNER:
            step = env.step([self._random.choice(step.observations["legal_actions"][step.current_player()])])
        return step

    def play(self, actions: list[int]) -> tuple[list[float], list[bool]]:
        """Play an action of the learner in every game; its rewards, and which games ended. Those begin anew."""
        played = [self._go_on(env, env.step([action])) for env, action in zip(self.envs, actions, strict=True)]
        self.steps = [
            self._go_on(env, env.reset()) if step.last() else step for env, step in zip(self.envs, played, strict=True)
        ]
        return [step.rewards[LEARNER] for step in played], [step.last() for step in played]


def new_learner(game: Any, number: int) -> Any:
    """OpenSpiel's PPO for a game."""
    return PPO(
        input_shape=(game.observation_tensor_size(),),
        num_actions=game.num_distinct_actions(),
        num_players=game.num_players(),
        player_id=LEARNER,
        num_envs=number,
        steps_per_batch=128,
        num_minibatches=8,
        learning_rate=1e-3,
        gamma=1.0,
        agent_fn=PPOAgent,
    )


def train(learner: Any, tables: Tables, updates: int) -> None:
    """Play and learn, some times over."""
    for _ in range(updates):
        for _ in range(learner.steps_per_batch):
            chosen = learner.step(tables.steps)
            learner.post_step(*tables.play([each.action for each in chosen]))
        learner.learn(tables.steps)


def share_of_wins(learner: Any, tables: Tables, games: int) -> float:
    """How often the learner wins, a draw as half a win, in as many games of each environment."""
    left = np.full(len(tables.envs), -(-games // len(tables.envs)))
    returns: list[float] = []
    while left.any():
        rewards, ended = tables.play([each.action for each in learner.step(tables.steps, is_evaluation=True)])
        counted = np.array(ended) & (left > 0)
        returns += [reward for reward, counts in zip(rewards, counted, strict=True) if counts]
        left -= counted
    return (float(np.mean(returns)) + 1) / 2


def main() -> None:
    """Train, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="cardtable_muster", help="as pyspiel.load_game takes it")
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--games", type=int, default=320, help="games of each measurement")
    parser.add_argument("--tables", type=int, default=16, help="games side by side")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    torch.set_num_threads(1)
    game = pyspiel.load_game(args.game)
    learner = new_learner(game, args.tables)
    before = share_of_wins(learner, Tables(game, args.tables, args.seed), args.games)
    start = time.perf_counter()
    train(learner, Tables(game, args.tables, args.seed + 1), args.updates)
    taken = time.perf_counter() - start
    after = share_of_wins(learner, Tables(game, args.tables, args.seed), args.games)
    print(f"wins against random: {before:.1%} before, {after:.1%} after")
    print(f"{learner.total_steps_done:,} decisions in {taken:.0f} s")


if __name__ == "__main__":
    main()
