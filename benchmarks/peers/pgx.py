"""pgx on JAX, on one core of the CPU, at its best: one compiled `scan` deals a batch of games and plays recorded actions.

No game is dealt anew when it ends: that would cost a deal of every lane at every step. Instead the scan stops when half
of the games are over, and only decisions in living games count. States carry observation and mask, so both are computed
at every step.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.measure import Contestant, Row, Tally, Unit, if_installed

LIBRARY = "pgx"
GAMES = ("connect_four", "leduc_holdem", "backgammon", "sparrow_mahjong")
NUM_GAMES = 1024
MOST_STEPS = 64


@contextmanager
def one_core() -> Iterator[None]:
    """Threads that start in here stay on one core, where the system can say so."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)


def start_jax() -> Any:
    """JAX with its threads started, all on one core."""
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    with one_core():
        import jax

        jax.devices()
    return jax


def recorder(jax: Any, env: Any) -> Any:
    """A compiled function (deals, keys of steps) -> (actions, was the game alive) of random games, for every step and lane."""

    def choose(mask: Any, key: Any) -> Any:
        return jax.numpy.where(mask, jax.random.uniform(key, mask.shape), -1.0).argmax(axis=-1)

    def step(state: Any, key: Any) -> Any:
        action = choose(state.legal_action_mask, key)
        return jax.vmap(env.step)(state, action, jax.random.split(key, len(action))), (action, ~state.terminated)

    return jax.jit(lambda deals, keys: jax.lax.scan(step, jax.vmap(env.init)(deals), keys)[1])


def player(jax: Any, env: Any) -> Any:
    """A compiled function (deals, keys of steps, actions) -> the states after all steps."""

    def step(state: Any, turn: Any) -> Any:
        key, action = turn
        return jax.vmap(env.step)(state, action, jax.random.split(key, len(action))), None

    return jax.jit(lambda deals, keys, actions: jax.lax.scan(step, jax.vmap(env.init)(deals), (keys, actions))[0])


def replays(name: str) -> Unit:
    """A batch of recorded games played again."""
    jax = start_jax()
    import pgx

    env = pgx.make(name)
    deals = jax.random.split(jax.random.PRNGKey(0), NUM_GAMES)
    keys = jax.random.split(jax.random.PRNGKey(1), MOST_STEPS)
    actions, alive = recorder(jax, env)(deals, keys)
    living = np.asarray(alive).sum(axis=1)
    steps = int(np.count_nonzero(living * 2 > NUM_GAMES))
    decisions = int(living[:steps].sum())
    turns = (deals, keys[:steps], actions[:steps])
    play_again = player(jax, env).lower(*turns).compile()

    def play() -> Tally:
        start = perf_counter()
        jax.block_until_ready(play_again(*turns))
        return Tally(decisions, perf_counter() - start)

    return play


def contestants() -> Iterator[Contestant]:
    """A row for each game."""
    for name in GAMES:
        row = Row(f"{LIBRARY} {name}, batch {NUM_GAMES:,}", LIBRARY, ours=False)
        yield from if_installed(row, partial(replays, name))
