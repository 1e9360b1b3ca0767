"""What is measured of a game of ours: turn by turn, batches, threads, play-outs, Stable-Baselines3, the memory floor."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from benchmarks.measure import Contestant, Row, Tally, Unit, if_installed
from benchmarks.turns import turns
from cardtable.engine import random_play
from cardtable.envs import aec, wrappers
from cardtable.envs.batch import BatchEnv
from cardtable.game.game import Game

THREADS = 2
THREADED_DECISIONS = 1 << 14
"""Decisions of each thread in one timing."""
PLAY_OUT_GAMES = 1024
FLOOR_ROWS = 1 << 16
"""Rows that one timing of the memory floor writes at least."""
SB3_GAMES = 256
"""Lanes of the VecEnv: what a learner on one core uses."""

HEAVIEST: Mapping[str, Mapping[str, Any]] = {
    "artisans_v0": {"num_players": 4, "artisans": ["provident", "perfectionist", "specialist", "compulsive_collector"]},
    "murano_v0": {"num_players": 4, "draft": True, "interactive": True},
    "muster_v0": {"streamlined": True},
}
"""The options with the slowest batches: `python -m benchmarks.scaling` shows the cost of all. Those of Muster cost the same
but for noise; its row is there to show that."""

AEC_RAW = "AEC raw"
AEC_WRAPPED = "AEC wrapped"
PLAY_OUTS = "play-outs"
SB3 = f"SB3 VecEnv {SB3_GAMES:,}"


@dataclass(frozen=True)
class Setup:
    """A game with options."""

    game: Game
    options: Mapping[str, Any]

    @property
    def name(self) -> str:
        """Game and options in a few words: `murano_v0`, `murano_v0 num_players=4 draft`."""
        changed = [name if value is True else f"{name}={_word(value)}" for name, value in self.options.items()]
        return " ".join([self.game.id, *changed])

    def batch(self, num_games: int, *, observe: bool = True, first: int = 0) -> BatchEnv:
        """A batch of this game, dealt."""
        return BatchEnv(self.game, num_games, seed=0, observe=observe, first=first, **self.options)

    def row(self, kind: str, *, ours: bool = True, **details: Any) -> Row:
        """A row without rounds yet."""
        return Row(f"{self.name}: {kind}", self.game.id, ours=ours, details={"setup": self.name, "kind": kind, **details})


def _word(value: Any) -> str:
    """The value of an option in a word."""
    if isinstance(value, list | tuple):
        return "+".join(map(str, value))
    return value.stem if isinstance(value, Path) else str(value)


def setups(game: Game) -> list[Setup]:
    """The default options first, then every other player count, then the heaviest options."""
    default = game.parse_options({}).num_players
    counts = [count for count in game.player_counts if count != default]
    chosen: list[Mapping[str, Any]] = [{}, *({"num_players": count} for count in counts)]
    if game.id in HEAVIEST:
        chosen.append(HEAVIEST[game.id])
    return [Setup(game, options) for options in chosen]


# ---- What is timed


def steps(batch: BatchEnv) -> Unit:
    """One step of all games of a batch."""
    generator = np.random.default_rng(0)

    def play() -> Tally:
        actions = batch.random_actions(generator)
        start = perf_counter()
        batch.step(actions)
        return Tally(batch.num_games, perf_counter() - start)

    return play


def play_outs(batch: BatchEnv) -> Unit:
    """A batch played to its end inside the compiled loop."""

    def play() -> Tally:
        start = perf_counter()
        decisions = batch.play_out()
        return Tally(decisions, perf_counter() - start)

    return play


def side_by_side(units: Sequence[Unit]) -> Unit:
    """Units in as many threads, each repeated for a while: all that was decided, in the mean time of a thread."""
    threads = ThreadPoolExecutor(len(units))

    def repeat(unit: Unit) -> Tally:
        decided, spent = 0, 0.0
        while decided < THREADED_DECISIONS:
            tally = unit()
            decided += tally.decisions
            spent += tally.seconds
        return Tally(decided, spent)

    def play() -> Tally:
        tallies = list(threads.map(repeat, units))
        return Tally(sum(tally.decisions for tally in tallies), sum(tally.seconds for tally in tallies) / len(tallies))

    return play


def zeros(batch: BatchEnv) -> Unit:
    """Arrays like those of a batch, filled with zeros often enough to be timed."""
    observation, mask = np.empty_like(batch.frame.observation), np.empty_like(batch.frame.action_mask)
    num_games = len(mask)
    repeats = max(1, FLOOR_ROWS // num_games)

    def write() -> Tally:
        start = perf_counter()
        for _ in range(repeats):
            observation.fill(0)
            mask.fill(0)
        return Tally(repeats * num_games, perf_counter() - start)

    return write


def learner_steps(setup: Setup) -> Unit:
    """One step of a VecEnv: the learner's random actions, then its opponents', until it is its turn again, everywhere."""
    from cardtable.envs.sb3 import LearnerVecEnv

    env = LearnerVecEnv(setup.game, SB3_GAMES, seed=0, **setup.options)
    env.reset()
    generator = np.random.default_rng(0)
    actions = np.zeros(SB3_GAMES, np.int64)

    def play() -> Tally:
        start = perf_counter()
        masks = env.action_masks()
        spent = perf_counter() - start
        random_play.choose_many(masks.view(np.int8), generator.random(SB3_GAMES), actions)
        start = perf_counter()
        env.step(actions)
        return Tally(SB3_GAMES, spent + perf_counter() - start)

    return play


# ---- Rows


def batch_kind(num_games: int, *, observe: bool = True) -> str:
    """The name of a batch row."""
    return f"batch {num_games:,}, {'observation + mask' if observe else 'mask only'}"


def floor_kind(num_games: int) -> str:
    """The name of a memory floor row."""
    return f"memory floor {num_games:,}"


def threads_kind(kind: str) -> str:
    """The name of a row in several threads."""
    return f"{kind}, {THREADS} threads"


def main_contestants(setup: Setup, batches: Sequence[int]) -> Iterator[Contestant]:
    """What is measured of every setup: turn by turn, batches with observations and without, play-outs."""
    yield Contestant(setup.row(AEC_RAW), turns(aec.TableEnv(setup.game, **setup.options)))
    yield Contestant(setup.row(AEC_WRAPPED), turns(wrappers.env(setup.game, **setup.options)))
    for num_games, observe in product(batches, (True, False)):
        row = setup.row(batch_kind(num_games, observe=observe), num_games=num_games)
        yield Contestant(row, steps(setup.batch(num_games, observe=observe)))
    yield Contestant(setup.row(PLAY_OUTS), play_outs(setup.batch(PLAY_OUT_GAMES, observe=False)))


def threaded_contestants(setup: Setup, batches: Sequence[int]) -> Iterator[Contestant]:
    """The same batches and play-outs in several threads, each with a batch of its own."""
    for num_games, observe in product(batches, (True, False)):
        row = setup.row(threads_kind(batch_kind(num_games, observe=observe)), num_games=num_games)
        lanes = [setup.batch(num_games, observe=observe, first=thread * num_games) for thread in range(THREADS)]
        yield Contestant(row, side_by_side([steps(batch) for batch in lanes]))
    lanes = [setup.batch(PLAY_OUT_GAMES, observe=False, first=thread * PLAY_OUT_GAMES) for thread in range(THREADS)]
    yield Contestant(setup.row(threads_kind(PLAY_OUTS)), side_by_side([play_outs(batch) for batch in lanes]))


def floor_contestants(setup: Setup, batches: Sequence[int]) -> Iterator[Contestant]:
    """What a step of a batch cannot be faster than."""
    for num_games in batches:
        yield Contestant(setup.row(floor_kind(num_games), ours=False, num_games=num_games), zeros(setup.batch(num_games)))


def learner_contestants(setup: Setup) -> Iterator[Contestant]:
    """A VecEnv of Stable-Baselines3, where that is installed."""
    yield from if_installed(setup.row(SB3), partial(learner_steps, setup))


def contestants(game: Game, batches: Sequence[int]) -> Iterator[Contestant]:
    """Everything measured of a game: the default options in full, others in what every setup shows."""
    default, *others = setups(game)
    yield from main_contestants(default, batches)
    yield from threaded_contestants(default, batches)
    yield from floor_contestants(default, batches)
    yield from learner_contestants(default)
    for setup in others:
        yield from main_contestants(setup, batches)
