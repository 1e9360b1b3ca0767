"""PPO with TorchRL on many games at once: python agents/examples/libraries/torchrl_ppo.py --seconds 60

The parts are TorchRL's own: a collector, an actor over `MaskedCategorical`, generalised advantages, the clipped loss.
"""

import argparse
from time import process_time

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import LazyTensorStorage, SamplerWithoutReplacement, TensorDictReplayBuffer
from torchrl.envs import ExplorationType, set_exploration_type
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from cardtable.envs.torchrl import BatchEnv

GAMES, DECISIONS = 256, 32
"""Games side by side, and the decisions in each from which an update learns."""
MINIBATCH, EPOCHS, WIDTH = 2048, 3, 128
LEARNING_RATE, ENTROPY, GRADIENT = 1e-3, 0.01, 0.5
DECAY = 0.95
"""Of generalised advantages; rewards are not discounted, as games are won in the end or not at all."""


def network(inputs: int, outputs: int) -> nn.Sequential:
    """Two hidden layers."""
    return nn.Sequential(nn.Linear(inputs, WIDTH), nn.Tanh(), nn.Linear(WIDTH, WIDTH), nn.Tanh(), nn.Linear(WIDTH, outputs))


def new_actor(env: BatchEnv) -> ProbabilisticActor:
    """A policy that gives illegal actions no chance."""
    inputs, outputs = env.observation_spec["observation"].shape[-1], env.action_spec.space.n
    logits = TensorDictModule(network(inputs, outputs), in_keys=["observation"], out_keys=["logits"])
    return ProbabilisticActor(
        logits,
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


def train(actor: ProbabilisticActor, env: BatchEnv, seconds: float) -> int:
    """Train for so many seconds of the processor; how many decisions that were."""
    critic = ValueOperator(network(env.observation_spec["observation"].shape[-1], 1), in_keys=["observation"])
    advantages = GAE(gamma=1.0, lmbda=DECAY, value_network=critic, average_gae=True)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=ENTROPY, normalize_advantage=False)
    optimizer = torch.optim.Adam(loss.parameters(), LEARNING_RATE)
    decisions = GAMES * DECISIONS
    shuffled = SamplerWithoutReplacement()
    buffer = TensorDictReplayBuffer(storage=LazyTensorStorage(decisions), sampler=shuffled, batch_size=MINIBATCH)
    collector = Collector(env, actor, frames_per_batch=decisions, total_frames=-1, auto_register_policy_transforms=False)
    start, done = process_time(), 0
    for rollout in collector:
        for _ in range(EPOCHS):
            with torch.no_grad():
                advantages(rollout)
            buffer.extend(rollout.reshape(-1))
            for _ in range(decisions // MINIBATCH):
                losses = loss(buffer.sample())
                sum(losses[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), GRADIENT)
                optimizer.step()
                optimizer.zero_grad()
        done += decisions
        if process_time() - start > seconds:
            break
    collector.shutdown(close_env=False)
    return done


@torch.no_grad()
def share_of_wins(actor: ProbabilisticActor, game: str, games: int) -> float:
    """The share of wins against random play, a draw as half a win."""
    env = BatchEnv(game, games, seed=2)
    with set_exploration_type(ExplorationType.DETERMINISTIC):
        played = env.rollout(100_000, actor, break_when_any_done=False, break_when_all_done=True)
    return (played["next", "reward"][:, -1].mean().item() + 1) / 2


def learn(game: str = "muster", seconds: float = 60.0, games: int = 500) -> tuple[float, float, float]:
    """Shares of wins against random play before and after training, and the seconds of the processor that training took."""
    torch.set_num_threads(1)
    torch.manual_seed(1)
    env = BatchEnv(game, GAMES, seed=1)
    actor = new_actor(env)
    before = share_of_wins(actor, game, games)
    start = process_time()
    decisions = train(actor, env, seconds)
    taken = process_time() - start
    print(f"{decisions:,} decisions in {taken:.0f} s")
    return before, share_of_wins(actor, game, games), taken


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
