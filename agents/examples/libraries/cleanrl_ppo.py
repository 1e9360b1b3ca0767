"""Masked PPO in one file, on PyTorch and Gymnasium alone: python agents/examples/libraries/cleanrl_ppo.py --seconds 60

In the manner of CleanRL: everything that happens is here, top to bottom, to be read and changed. `gymnasium.make_vec` gives
many games at once, whose masks are in `infos`; with `SAME_STEP` a game that ends makes room for the next one in the same step.
"""

import argparse
from time import process_time

import gymnasium
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from torch import nn
from torch.distributions import Categorical

import cardtable  # noqa: F401  # registers the games

GAMES, DECISIONS = 256, 32
"""Games side by side, and the decisions in each from which an update learns."""
MINIBATCH, EPOCHS, WIDTH = 2048, 3, 128
LEARNING_RATE, CLIP, ENTROPY, VALUE_WEIGHT, GRADIENT = 1e-3, 0.2, 0.01, 0.5, 0.5
DECAY = 0.95
"""Of generalised advantages; rewards are not discounted, as games are won in the end or not at all."""


def network(inputs: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(inputs, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, outputs))


class Agent(nn.Module):
    """A policy that gives illegal actions no chance, and a value."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.actor, self.critic = network(inputs, outputs), network(inputs, 1)

    def policy(self, seen: torch.Tensor, mask: torch.Tensor) -> Categorical:
        """What actions are drawn from."""
        logits = self.actor(seen)
        return Categorical(logits=logits.masked_fill(mask == 0, torch.finfo(logits.dtype).min))

    def value(self, seen: torch.Tensor) -> torch.Tensor:
        """The return that is expected."""
        return self.critic(seen).squeeze(-1)


def make_games(game: str, number: int) -> gymnasium.vector.VectorEnv:
    """Games against random play; `opponents=…` names others."""
    return gymnasium.make_vec(f"cardtable/{game.title()}-v0", number, autoreset_mode=AutoresetMode.SAME_STEP)


def train(agent: Agent, envs: gymnasium.vector.VectorEnv, seconds: float) -> int:
    """Train for so many seconds of the processor; how many decisions that were."""
    optimizer = torch.optim.Adam(agent.parameters(), LEARNING_RATE)
    shape = (DECISIONS, GAMES)
    seen = torch.zeros((*shape, envs.single_observation_space.shape[0]))
    masks = torch.zeros((*shape, int(envs.single_action_space.n)), dtype=torch.int8)
    actions, chances = torch.zeros(shape, dtype=torch.int64), torch.zeros(shape)
    rewards, values, over = torch.zeros(shape), torch.zeros((DECISIONS + 1, GAMES)), torch.zeros(shape)
    observation, infos = envs.reset(seed=1)
    start, done = process_time(), 0
    while process_time() - start < seconds:
        with torch.no_grad():
            for step in range(DECISIONS):
                seen[step], masks[step] = torch.from_numpy(observation), torch.from_numpy(infos["action_mask"])
                policy = agent.policy(seen[step], masks[step])
                actions[step] = policy.sample()
                chances[step], values[step] = policy.log_prob(actions[step]), agent.value(seen[step])
                observation, paid, terminated, truncated, infos = envs.step(actions[step].numpy())
                rewards[step], over[step] = torch.from_numpy(paid), torch.from_numpy(terminated | truncated)
            values[DECISIONS] = agent.value(torch.from_numpy(observation))
            advantages = advantages_of(rewards, values, over)
        update(agent, optimizer, seen, masks, actions, chances, advantages, advantages + values[:-1])
        done += GAMES * DECISIONS
    return done


def advantages_of(rewards: torch.Tensor, values: torch.Tensor, over: torch.Tensor) -> torch.Tensor:
    """Generalised advantages, from the last decision back to the first; nothing is expected after the end of a game."""
    advantages, later = torch.zeros_like(rewards), torch.zeros(rewards.shape[1])
    for step in reversed(range(len(rewards))):
        surprise = rewards[step] + values[step + 1] * (1 - over[step]) - values[step]
        later = surprise + DECAY * (1 - over[step]) * later
        advantages[step] = later
    return advantages


def update(agent: Agent, optimizer: torch.optim.Optimizer, *rollout: torch.Tensor) -> None:
    """Learn from a rollout, some times over, in minibatches."""
    parts = [part.flatten(0, 1) for part in rollout]
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(parts[0])).split(MINIBATCH):
            seen, masks, actions, chances, advantages, returns = (part[rows] for part in parts)
            policy = agent.policy(seen, masks)
            ratio = (policy.log_prob(actions) - chances).exp()
            advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            gain = torch.min(ratio * advantages, ratio.clamp(1 - CLIP, 1 + CLIP) * advantages).mean()
            error = (agent.value(seen) - returns).square().mean()
            loss = VALUE_WEIGHT * error - gain - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), GRADIENT)
            optimizer.step()


@torch.no_grad()
def share_of_wins(agent: Agent, game: str, games: int) -> float:
    """The share of wins against random play in the first game of each lane, a draw as half a win."""
    envs, returns = make_games(game, games), np.full(games, np.nan)
    observation, infos = envs.reset(seed=2)
    while np.isnan(returns).any():
        policy = agent.policy(torch.from_numpy(observation), torch.from_numpy(infos["action_mask"]))
        observation, paid, terminated, truncated, infos = envs.step(policy.probs.argmax(dim=1).numpy())
        first = (terminated | truncated) & np.isnan(returns)
        returns[first] = paid[first]
    return (float(returns.mean()) + 1) / 2


def learn(game: str = "muster", seconds: float = 60.0, games: int = 500) -> tuple[float, float, float]:
    """Shares of wins against random play before and after training, and the seconds of the processor that training took."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    envs = make_games(game, GAMES)
    agent = Agent(envs.single_observation_space.shape[0], int(envs.single_action_space.n))
    before = share_of_wins(agent, game, games)
    start = process_time()
    decisions = train(agent, envs, seconds)
    taken = process_time() - start
    print(f"{decisions:,} decisions in {taken:.0f} s")
    return before, share_of_wins(agent, game, games), taken


def main() -> None:
    """Train against random opponents, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="muster")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--games", type=int, default=500, help="games of each measurement")
    args = parser.parse_args()
    before, after, _ = learn(args.game, args.seconds, args.games)
    print(f"wins against random play: {before:.1%} before, {after:.1%} after")


if __name__ == "__main__":
    main()
