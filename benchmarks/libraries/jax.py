"""JAX: a compiled scan of random play, and PPO in one compiled scan."""

import time
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from examples.libraries.jax_ppo import Settings, begin, share_of_wins, train

from benchmarks.libraries import Learned, Library
from cardtable.envs.jax import LearnerEnv, State, TimeStep

GAMES = 256
"""Side by side."""
STEPS = 100
"""In one call."""
EVALUATED = 512
LEARNERS = 128
"""Games that are learned from side by side."""
UPDATES = 5
"""In one call."""


@partial(jax.jit, static_argnums=0)
def play(env: LearnerEnv, games: State, seen: TimeStep, key: jax.Array) -> tuple[State, TimeStep]:
    """Some steps of random play: of the legal actions the one that comes first after a random place."""

    def step(carried: tuple[State, TimeStep], key: jax.Array) -> Any:
        games, seen = carried
        places = jax.random.randint(key, (env.num_games, 1), 0, env.num_actions)
        behind = (jnp.arange(env.num_actions) - places) % env.num_actions
        return env.step(games, jnp.where(seen.mask, behind, env.num_actions).argmin(axis=1)), None

    result: tuple[State, TimeStep] = jax.lax.scan(step, (games, seen), jax.random.split(key, STEPS))[0]
    return result


def rate(seconds: float) -> float:
    """Decisions of the learner in random play against random play."""
    env, key = LearnerEnv("muster", GAMES), jax.random.key(0)
    seen = jax.block_until_ready(play(env, *env.reset(key), key))
    decisions, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        seen = jax.block_until_ready(play(env, *seen, key))
        decisions += GAMES * STEPS
    return decisions / (time.perf_counter() - start)


def learned(seconds: float) -> Learned:
    """PPO for Muster, against random play."""
    settings, key, own = Settings(), jax.random.key(0), jax.random.key(1)
    env, evaluation = LearnerEnv("muster", LEARNERS), LearnerEnv("muster", EVALUATED)
    runner = begin(env, settings, key)
    before = float(share_of_wins(evaluation, runner.parameters, own))
    start = time.perf_counter()
    while time.perf_counter() - start < seconds:
        key, other = jax.random.split(key)
        runner, _ = jax.block_until_ready(train(env, settings, runner, jax.random.split(other, UPDATES)))
    taken = time.perf_counter() - start
    return Learned(before, float(share_of_wins(evaluation, runner.parameters, own)), EVALUATED, taken)


LIBRARY = Library("JAX", "jax", 'cardtable.envs.jax.LearnerEnv("muster", 256)', rate, learned)
