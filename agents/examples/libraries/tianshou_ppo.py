"""PPO with Tianshou on many games at once: python agents/examples/libraries/tianshou_ppo.py --seconds 60

The parts are Tianshou's own: collectors over a vector environment, its PPO, its trainer; the actor masks its logits.
"""

import argparse
from time import process_time

import numpy as np
import torch
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import ProbabilisticActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.trainer import OnPolicyTrainerParams
from torch import nn

from cardtable.envs.tianshou import BatchVectorEnv

GAMES, DECISIONS = 256, 32
"""Games side by side, and the decisions in each from which an update learns."""
MINIBATCH, EPOCHS, WIDTH, LEARNING_RATE = 2048, 3, 128, 1e-3


def network(inputs: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(inputs, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, outputs))


class Actor(nn.Module):
    """Logits, of illegal actions so low that they have no chance."""

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.layers = network(inputs, outputs)

    def forward(self, obs: Batch, state: object = None, info: object = None) -> tuple[torch.Tensor, object]:
        """As Tianshou calls it."""
        logits = self.layers(torch.as_tensor(obs.obs))
        return logits.masked_fill(~torch.as_tensor(obs.mask), torch.finfo(logits.dtype).min), state


class Critic(nn.Module):
    """The return that is expected."""

    def __init__(self, inputs: int) -> None:
        super().__init__()
        self.layers = network(inputs, 1)

    def forward(self, obs: Batch, **_: object) -> torch.Tensor:
        """As Tianshou calls it."""
        return self.layers(torch.as_tensor(obs.obs))


def distribution(logits: torch.Tensor) -> torch.distributions.Categorical:
    """What actions are drawn from."""
    return torch.distributions.Categorical(logits=logits)


def new_algorithm(env: BatchVectorEnv) -> PPO:
    """PPO without discount, as games are won in the end or not at all."""
    inputs, outputs = env.observation_space[0]["obs"].shape[0], int(env.action_space[0].n)
    policy = ProbabilisticActorPolicy(
        actor=Actor(inputs, outputs),
        dist_fn=distribution,
        action_space=env.action_space[0],
        action_scaling=False,
        action_bound_method=None,
        deterministic_eval=True,
    )
    optimizer = AdamOptimizerFactory(lr=LEARNING_RATE)
    return PPO(policy=policy, critic=Critic(inputs), optim=optimizer, gamma=1.0, max_grad_norm=0.5, max_batchsize=MINIBATCH)


def train(algorithm: PPO, env: BatchVectorEnv, seconds: float) -> int:
    """Train for so many seconds of the processor; how many decisions that were."""
    collector = Collector(algorithm, env, VectorReplayBuffer(GAMES * DECISIONS, GAMES))
    epoch = OnPolicyTrainerParams(
        training_collector=collector,
        epoch_num_steps=GAMES * DECISIONS,
        collection_step_num_env_steps=GAMES * DECISIONS,
        update_step_num_repetitions=EPOCHS,
        batch_size=MINIBATCH,
        show_progress=False,
        verbose=False,
    )
    trainer = algorithm.create_trainer(epoch)
    trainer.reset()
    start, epochs = process_time(), 0
    while process_time() - start < seconds:
        trainer.execute_epoch()
        epochs += 1
    return epochs * GAMES * DECISIONS


def share_of_wins(algorithm: PPO, game: str, games: int) -> float:
    """The share of wins against random play, a draw as half a win."""
    env, returns = BatchVectorEnv(game, games, seed=2), np.zeros(games)
    playing, seen = np.arange(games), env.reset()[0]
    while len(playing):
        with torch.no_grad():
            actions = algorithm.policy(Batch(obs=seen, info=Batch())).act
        seen, returns[playing], terminated, truncated, _ = env.step(np.asarray(actions), playing)
        goes_on = ~(terminated | truncated)
        playing, seen = playing[goes_on], seen[goes_on]
    return (float(returns.mean()) + 1) / 2


def learn(game: str = "muster", seconds: float = 60.0, games: int = 500) -> tuple[float, float, float]:
    """Shares of wins against random play before and after training, and the seconds of the processor that training took."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    np.random.seed(1)
    env = BatchVectorEnv(game, GAMES, seed=1)
    algorithm = new_algorithm(env)
    before = share_of_wins(algorithm, game, games)
    start = process_time()
    decisions = train(algorithm, env, seconds)
    taken = process_time() - start
    print(f"{decisions:,} decisions in {taken:.0f} s")
    return before, share_of_wins(algorithm, game, games), taken


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
