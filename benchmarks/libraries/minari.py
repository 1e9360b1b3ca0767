"""Minari: datasets of our games, and behaviour cloning from one."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import minari
import numpy as np
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.processes import played_here
from cardtable_agents.data import dataset
from cardtable_agents.data import minari as ours
from examples.libraries.minari_cloning import clone, share_of_wins

from benchmarks.libraries import Learned, Library

NAME = "muster/heuristic-v0"
PLACE = "MINARI_DATASETS_PATH"
FIRST_GAMES = 32
GAMES_TO_LEARN_FROM = 600
GAMES_OF_A_SHARE = 400


@contextmanager
def made(games: int) -> Iterator[minari.MinariDataset]:
    """A dataset of heuristic against random play in a folder of its own."""
    before = os.environ.get(PLACE)
    with TemporaryDirectory() as name:
        os.environ[PLACE] = f"{name}/minari"
        try:
            plan = make_plan("muster", {}, ["heuristic", "random"])
            found = dataset.make(plan, games, Path(name) / "tables", lambda work, tasks: played_here(work, tasks, 1))
            ours.write(found, Path(name) / "tables", NAME)
            yield minari.load_dataset(NAME)
        finally:
            os.environ.pop(PLACE)
            if before is not None:
                os.environ[PLACE] = before


def rate(seconds: float) -> float:
    """Steps of the dataset made per second, games and all."""
    games, spent = FIRST_GAMES, 0.0
    while spent < seconds / 2:
        start = time.perf_counter()
        with made(games) as found:
            spent, steps, games = time.perf_counter() - start, int(found.total_steps), games * 2
    return steps / spent


def learn(seconds: float) -> Learned:
    """Clone the heuristic."""
    with made(GAMES_TO_LEARN_FROM) as found:
        weights = clone(found, seconds)
        env_id = found.env_spec.id
    before, after = (share_of_wins(env_id, each, GAMES_OF_A_SHARE) for each in (np.zeros_like(weights), weights))
    return Learned(before, after, GAMES_OF_A_SHARE, seconds)


LIBRARY = Library(
    name="Minari",
    package="minari",
    line="cardtable data muster heuristic random --minari muster/heuristic-v0",
    rate=rate,
    learn=learn,
)
