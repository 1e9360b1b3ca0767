"""Hugging Face datasets: tables of our games, made and read again."""

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.processes import played_here
from cardtable_agents.data import dataset
from datasets import load_dataset

from benchmarks.libraries import Library

FIRST_GAMES = 32


def rows_of(games: int) -> int:
    """How many decisions are read of so many games of heuristic against random play, made for it."""
    with TemporaryDirectory() as name:
        plan, folder = make_plan("muster", {}, ["heuristic", "random"]), Path(name) / "tables"
        dataset.make(plan, games, folder, lambda work, tasks: played_here(work, tasks, 1))
        path = str(folder / "decisions.parquet")
        return len(load_dataset("parquet", data_files=path, split="train", cache_dir=f"{name}/cache"))


def rate(seconds: float) -> float:
    """Rows of decisions per second, games and all."""
    games, spent, rows = FIRST_GAMES, 0.0, 0
    while spent < seconds / 2:
        start = time.perf_counter()
        rows = rows_of(games)
        spent, games = time.perf_counter() - start, games * 2
    return rows / spent


LIBRARY = Library(
    name="Hugging Face",
    package="datasets",
    line='load_dataset("parquet", data_files="tables/decisions.parquet")',
    rate=rate,
)
