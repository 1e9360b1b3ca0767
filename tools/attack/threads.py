"""Threads that share what belongs to one: each call works or is refused as documented, and every game stays a position.

`python -m tools.attack.threads GAME THREADS SEED` attacks one game and prints what happened as JSON: a process of its own, so
that one that crashes is counted too.
"""

import json
import pickle
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from cardtable.envs.aec import TableEnv
from cardtable.envs.batch import BatchEnv
from cardtable.errors import Busy, CardtableError, IllegalAction, ResetNeeded, StateError
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.table import Table
from cardtable.types import Actions
from tools.attack.tally import Tally

ROOT = Path(__file__).resolve().parents[2]
LANES = 256
"""Games of the batch: a step takes long enough for threads to meet in it."""
SECONDS_A_THREAD = 0.25
PATIENCE = 600
"""Seconds after which a process hangs; a first one compiles."""
RARE = 0.02
"""How often a thread does something other than step."""

Call = Callable[[np.random.Generator], object]


def threads_on_a_batch(cases: int, seed: int) -> Tally:
    """So many threads on one batch, and on one environment, of every game."""
    tally = Tally(f"{cases} threads on one batch, on one environment: calls")
    for game_id in game_ids():
        command = [sys.executable, "-m", "tools.attack.threads", game_id, str(cases), str(seed)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)
        if done.returncode:
            tally.fail(f"{' '.join(command[2:])} ended with {done.returncode}: {done.stderr.strip()[-300:]}")
            continue
        told = json.loads(done.stdout.splitlines()[-1])
        tally.outcomes.update(told["outcomes"])
        for failure in told["failures"]:
            tally.fail(f"{game_id}, seed {seed}: {failure}")
    return tally


def attack_game(game: Game, threads: int, seed: int) -> Tally:
    """Both attacks on one game, in this process."""
    tally = Tally(game.id)
    batch, env = BatchEnv(game, LANES, seed), TableEnv(game)
    env.reset(seed=seed)
    run_together(batch_calls(batch), threads, seed, tally)
    examine_batch(batch, tally)
    run_together(env_calls(env), threads, seed, tally)
    examine_env(env, tally)
    return tally


def run_together(calls: list[tuple[float, Call]], threads: int, seed: int, tally: Tally) -> None:
    """Let threads make calls, each (how often, what), for a while; count how they end."""
    outcomes: list[Counter[str]] = [Counter() for _ in range(threads)]
    failures: list[str] = []
    deadline = time.monotonic() + SECONDS_A_THREAD * threads
    weights, choices = [weight for weight, _ in calls], [call for _, call in calls]

    def work(number: int) -> None:
        generator = np.random.default_rng([seed, number])
        while time.monotonic() < deadline and not failures:
            call = choices[int(generator.choice(len(calls), p=weights))]
            try:
                call(generator)
                outcomes[number]["worked"] += 1
            except Busy:
                outcomes[number]["refused as busy"] += 1
            except IllegalAction:
                outcomes[number]["refused as illegal by then"] += 1
            except ResetNeeded:
                outcomes[number]["refused as over by then"] += 1
            except Exception as error:
                failures.append(f"{type(error).__name__}: {error}")

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    tally.outcomes.update(sum(outcomes, Counter()))
    for failure in failures:
        tally.fail(failure)


# ---- One batch


def batch_calls(batch: BatchEnv) -> list[tuple[float, Call]]:
    """What threads do with a batch."""
    shared = np.zeros(LANES, np.int64)  # one array of actions, which all threads write into

    def chosen(generator: np.random.Generator) -> Actions:
        return (generator.random(batch.frame.action_mask.shape) * batch.frame.action_mask).argmax(axis=1)

    def step(generator: np.random.Generator) -> None:
        batch.step(chosen(generator))

    def step_shared(generator: np.random.Generator) -> None:
        shared[:] = chosen(generator)
        batch.step(shared)
        shared[generator.integers(LANES)] = generator.choice([-1, batch.game.actions.size, 2**40])

    return [
        (1 - 6 * RARE, step),
        (2 * RARE, step_shared),
        (RARE, lambda generator: batch.step(batch.random_actions(generator))),
        (RARE, lambda _: batch.records()),
        (RARE, lambda _: examine_copy(pickle.loads(pickle.dumps(batch)))),
        (RARE, lambda _: batch.reset()),
    ]


def examine_copy(batch: BatchEnv) -> None:
    """Raise what is wrong with the first games of a batch that nobody else knows."""
    fault = fault_of_lanes(batch, 4)
    if fault:
        raise AssertionError(fault)


def examine_batch(batch: BatchEnv, tally: Tally) -> None:
    """Count a batch whose games are positions, and whose frame shows them, as unharmed."""
    fault = fault_of_lanes(batch, LANES)
    if fault:
        tally.fail(fault)
    else:
        batch.step(batch.random_actions(np.random.default_rng(0)))
        tally.count("batch unharmed")


def fault_of_lanes(batch: BatchEnv, number: int) -> str | None:
    """What is wrong with one of the first games: no position, or not what the frame shows."""
    records, table = batch.records(), Table(batch.game, batch.options)
    for lane in range(number):
        try:
            table.load_state_bytes(batch.game.pack(records[lane : lane + 1]))
        except CardtableError as error:
            return f"lane {lane}: {error}"
        seen = (table.seat, table.mask.tobytes(), table.observation.tobytes())
        frame = batch.frame
        if seen != (frame.seat[lane], frame.action_mask[lane].tobytes(), frame.observation[lane].tobytes()):
            return f"lane {lane}: the frame does not show the game"
    return None


# ---- One environment


def env_calls(env: TableEnv) -> list[tuple[float, Call]]:
    """What threads do with an environment."""

    def step(generator: np.random.Generator) -> None:
        if env.table.ending:
            env.reset()
        legal = np.flatnonzero(env.observe(env.agent_selection)["action_mask"])
        env.step(int(generator.choice(legal)) if len(legal) else None)

    return [
        (1 - 4 * RARE, step),
        (RARE, lambda _: env.observe("player_1")),
        (RARE, lambda _: env.state()),
        (RARE, lambda _: env.state_hash()),
        (RARE, lambda _: pickle.loads(pickle.dumps(env)).state_hash()),
    ]


def examine_env(env: TableEnv, tally: Tally) -> None:
    """Count an environment whose game is a position that its history leads to as unharmed."""
    try:
        env.table.game.raise_fault(env.table.games, StateError)
        again = env.replay().verify()
        assert again.state_hash() == env.state_hash(), "the history does not lead to the state"
        assert (again.seat, again.mask.tobytes()) == (env.table.seat, env.table.mask.tobytes()), "the mask is of another state"
    except (AssertionError, CardtableError) as error:
        tally.fail(f"environment: {error}")
    else:
        tally.count("environment unharmed")


def main(arguments: list[str]) -> None:
    """Attack one game and say what happened."""
    tally: Any = attack_game(find(arguments[0]), int(arguments[1]), int(arguments[2]))
    print(json.dumps({"outcomes": tally.outcomes, "failures": tally.failures}))


if __name__ == "__main__":
    main(sys.argv[1:])
