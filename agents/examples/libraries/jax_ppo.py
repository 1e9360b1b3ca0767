"""Train PPO on any game in JAX, the whole training in one compiled scan: python agents/examples/libraries/jax_ppo.py

Games, policy, advantages and updates are all inside one `jit`, in the manner of PureJaxRL; nothing but JAX is needed.
"""

import argparse
import time
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from cardtable.envs.jax import LearnerEnv, State, TimeStep

Parameters = Any
"""A pytree of arrays."""


@dataclass(frozen=True)
class Settings:
    """How to learn."""

    steps: int = 64
    """Decisions in each game between updates."""
    epochs: int = 4
    minibatches: int = 8
    hidden: int = 64
    learning_rate: float = 1e-3
    discount: float = 1.0
    trace: float = 0.95
    """λ of the generalised advantage estimates."""
    clip: float = 0.2
    entropy: float = 0.01
    value: float = 0.5
    """Weights in the loss."""


class Adam(NamedTuple):
    """Moments of the gradients, and how many there were."""

    mean: Parameters
    square: Parameters
    count: jax.Array


class Runner(NamedTuple):
    """All that training goes on from."""

    parameters: Parameters
    adam: Adam
    games: State
    seen: TimeStep


class Batch(NamedTuple):
    """Decisions of the learner, and what came of them."""

    observation: jax.Array
    mask: jax.Array
    action: jax.Array
    chance: jax.Array
    """Logarithm of the probability that the policy gave to the action."""
    value: jax.Array
    reward: jax.Array
    done: jax.Array


# ---- The policy


def new_parameters(env: LearnerEnv, settings: Settings, key: jax.Array) -> Parameters:
    """Two hidden layers, then a logit for each action and the value."""
    sizes = [env.observation_size, settings.hidden, settings.hidden, env.num_actions + 1]
    scales = [2**0.5, 2**0.5, 0.01]
    orthogonal = [jax.nn.initializers.orthogonal(scale) for scale in scales]
    keys = jax.random.split(key, len(scales))
    layers = zip(orthogonal, keys, sizes[:-1], sizes[1:], strict=True)
    return [(make(key, (inputs, outputs)), jnp.zeros(outputs)) for make, key, inputs, outputs in layers]


def policy(parameters: Parameters, observation: jax.Array, mask: jax.Array) -> tuple[jax.Array, jax.Array]:
    """(log-probabilities of the actions, value)."""
    *hidden, (weights, bias) = parameters
    activity = observation
    for inner_weights, inner_bias in hidden:
        activity = jnp.tanh(activity @ inner_weights + inner_bias)
    out = activity @ weights + bias
    return jax.nn.log_softmax(jnp.where(mask, out[..., :-1], -1e9)), out[..., -1]


# ---- Learning


def collect(env: LearnerEnv, settings: Settings, runner: Runner, key: jax.Array) -> tuple[Runner, Batch]:
    """Play some decisions in every game."""

    def decide(carried: tuple[State, TimeStep], key: jax.Array) -> tuple[tuple[State, TimeStep], Batch]:
        games, seen = carried
        chances, value = policy(runner.parameters, seen.observation, seen.mask)
        action = jax.random.categorical(key, chances)
        chance = jnp.take_along_axis(chances, action[:, None], axis=1)[:, 0]
        games, after = env.step(games, action)
        return (games, after), Batch(seen.observation, seen.mask, action, chance, value, after.reward, after.done)

    (games, seen), batch = jax.lax.scan(decide, (runner.games, runner.seen), jax.random.split(key, settings.steps))
    return runner._replace(games=games, seen=seen), batch


def advantages_of(settings: Settings, batch: Batch, last: jax.Array) -> jax.Array:
    """How much better than expected each decision turned out; `last` is the value after the last ones."""

    def back(carried: tuple[jax.Array, jax.Array], row: Batch) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
        advantage, following = carried
        discount = settings.discount * (1 - row.done)
        advantage = row.reward + discount * following - row.value + discount * settings.trace * advantage
        return (advantage, row.value), advantage

    return jax.lax.scan(back, (jnp.zeros_like(last), last), batch, reverse=True)[1]


def loss(parameters: Parameters, settings: Settings, batch: Batch, advantage: jax.Array) -> jax.Array:
    """PPO's loss of a minibatch."""
    chances, value = policy(parameters, batch.observation, batch.mask)
    chance = jnp.take_along_axis(chances, batch.action[:, None], axis=1)[:, 0]
    ratio, target = jnp.exp(chance - batch.chance), batch.value + advantage
    scaled = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    gain = jnp.minimum(ratio * scaled, jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip) * scaled).mean()
    entropy = -jnp.sum(jnp.where(batch.mask, jnp.exp(chances) * chances, 0), axis=1).mean()
    return -gain + settings.value * jnp.square(value - target).mean() - settings.entropy * entropy


def adam_step(settings: Settings, parameters: Parameters, adam: Adam, gradients: Parameters) -> tuple[Parameters, Adam]:
    """One step of Adam."""
    count = adam.count + 1
    mean = jax.tree.map(lambda old, new: 0.9 * old + 0.1 * new, adam.mean, gradients)
    square = jax.tree.map(lambda old, new: 0.999 * old + 0.001 * new**2, adam.square, gradients)
    rate = settings.learning_rate * jnp.sqrt(1 - 0.999**count) / (1 - 0.9**count)
    stepped = jax.tree.map(lambda old, m, s: old - rate * m / (jnp.sqrt(s) + 1e-5), parameters, mean, square)
    return stepped, Adam(mean, square, count)


def update(env: LearnerEnv, settings: Settings, runner: Runner, key: jax.Array) -> tuple[Runner, jax.Array]:
    """Collect decisions and learn from them; the mean return of the games that ended."""
    keys = jax.random.split(key, settings.epochs + 1)
    runner, batch = collect(env, settings, runner, keys[0])
    _, last = policy(runner.parameters, runner.seen.observation, runner.seen.mask)
    rows = (batch, advantages_of(settings, batch, last))
    rows = jax.tree.map(lambda each: each.reshape(-1, *each.shape[2:]), rows)

    def learn(carried: tuple[Parameters, Adam], places: jax.Array) -> tuple[tuple[Parameters, Adam], None]:
        parameters, adam = carried
        gradients = jax.grad(loss)(parameters, settings, *jax.tree.map(lambda each: each[places], rows))
        return adam_step(settings, parameters, adam, gradients), None

    number = settings.steps * env.num_games
    orders = jax.vmap(lambda key: jax.random.permutation(key, number))(keys[1:])
    carried, _ = jax.lax.scan(learn, (runner.parameters, runner.adam), orders.reshape(-1, number // settings.minibatches))
    ended = jnp.maximum(batch.done.sum(), 1)
    return runner._replace(parameters=carried[0], adam=carried[1]), batch.reward.sum() / ended


@partial(jax.jit, static_argnums=(0, 1))
def begin(env: LearnerEnv, settings: Settings, key: jax.Array) -> Runner:
    """New parameters and new games."""
    key, other = jax.random.split(key)
    parameters = new_parameters(env, settings, key)
    zeros = jax.tree.map(jnp.zeros_like, parameters)
    return Runner(parameters, Adam(zeros, zeros, jnp.zeros((), jnp.int32)), *env.reset(other))


@partial(jax.jit, static_argnums=(0, 1))
def train(env: LearnerEnv, settings: Settings, runner: Runner, keys: jax.Array) -> tuple[Runner, jax.Array]:
    """An update for each key; the mean return of each."""
    trained: tuple[Runner, jax.Array] = jax.lax.scan(partial(update, env, settings), runner, keys)
    return trained


# ---- Measuring


@partial(jax.jit, static_argnums=0)
def share_of_wins(env: LearnerEnv, parameters: Parameters, key: jax.Array) -> jax.Array:
    """How often the policy wins the first game of each row, a draw as half a win."""

    def unfinished(carried: Any) -> jax.Array:
        return ~carried[2].all()

    def decide(carried: Any) -> Any:
        games, seen, done, returns, key = carried
        key, own = jax.random.split(key)
        games, seen = env.step(games, jax.random.categorical(own, policy(parameters, seen.observation, seen.mask)[0]))
        return games, seen, done | seen.done, jnp.where(done, returns, seen.reward), key

    games, seen = env.reset(key)
    start = (games, seen, jnp.zeros(env.num_games, bool), jnp.zeros(env.num_games), key)
    return (jax.lax.while_loop(unfinished, decide, start)[3].mean() + 1) / 2


def main() -> None:
    """Train against random opponents or agents, and measure before and after."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="muster")
    parser.add_argument("--opponents", nargs="*", default=None, help="agents, such as heuristic; random play if left out")
    parser.add_argument("--games", type=int, default=128, help="games side by side")
    parser.add_argument("--updates", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    settings, key = Settings(), jax.random.key(args.seed)
    env = LearnerEnv(args.game, args.games, opponents=args.opponents)
    evaluation = LearnerEnv(args.game, 512, opponents=args.opponents)
    runner = begin(env, settings, key)
    print(f"before: {share_of_wins(evaluation, runner.parameters, jax.random.key(1)):.1%} wins")
    start = time.perf_counter()
    runner, returns = train(env, settings, runner, jax.random.split(key, args.updates))
    decisions = returns.size * settings.steps * args.games
    print(f"{decisions:,} decisions in {time.perf_counter() - start:.0f} s, compiling included; mean returns: {returns[-3:]}")
    print(f"after: {share_of_wins(evaluation, runner.parameters, jax.random.key(1)):.1%} wins")


if __name__ == "__main__":
    main()
