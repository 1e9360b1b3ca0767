"""Decisions per second of every installed game, beside OpenSpiel, PettingZoo and the speed of memory, on one thread.

Every row counts decisions of players and is timed over what its loop must do, the choice of actions left out:

- turn by turn (AEC, PettingZoo's games likewise): random games are recorded beforehand, then played again;
  timed is `last()` + `step(action)` of every decision, not `reset`;
- batches: timed is `step`, which also deals the next game of a lane whose game ended; random legal actions are
  prepared between steps;
- play-outs: timed is `play_out`: random legal actions chosen inside the compiled loop, nothing observed;
- memory floor: timed is filling the arrays of observations and masks of a batch with zeros;
- OpenSpiel: recorded games played again from Python; timed is everything from `new_initial_state` to `returns`: at a
  decision the observation (`set_from`) and the mask (`legal_actions_mask`) written into numpy arrays, which is what a
  batch hands out too, at a chance node the list of outcomes that somebody who samples needs.

All rows are measured in turn, a short while each, in several rounds. A row's figure is the best of its rounds: other
processes only ever slow it down. Ratios hold within one run.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from itertools import cycle
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from cardtable import aec
from cardtable.batch import BatchEnv
from cardtable.game import Game
from cardtable.registry import find, game_ids

BATCHES = (1, 64, 1024, 4096, 16384)
RECORDED = 24  # games that turn-by-turn rows play over and over
PLAY_OUT_GAMES = 1024
FLOOR_ROWS = 1 << 16  # rows that one timing of the memory floor writes at least
STARTS = 3  # fresh processes for a start-up figure; the fastest counts
PACKAGES = ("cardtable", "numpy", "numba", "pettingzoo", "open_spiel", "rlcard", "pygame")

OPENSPIEL_GAMES = ("connect_four", "leduc_poker", "gin_rummy")
OPENSPIEL_YARDSTICK = "OpenSpiel connect_four"
PETTINGZOO_YARDSTICK = "PettingZoo connect_four_v3 raw"


class Tally(NamedTuple):
    """What one timing found."""

    decisions: int
    seconds: float


Unit = Callable[[], Tally]
"""A small piece of work that times itself."""


@dataclass
class Row:
    """One line of the table. Rates are decisions per second, one for each round."""

    what: str
    unit: Unit
    turn_by_turn: bool = False
    floor: str | None = None
    """The row that this one cannot be faster than."""
    plays: bool = True
    """False for the memory floor, which decides nothing."""
    rates: list[float] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """The best of all rounds."""
        return max(self.rates)

    def measure(self, seconds: float) -> None:
        """Repeat the unit until it has taken that long."""
        decisions, spent = 0, 0.0
        while spent < seconds:
            tally = self.unit()
            decisions += tally.decisions
            spent += tally.seconds
        self.rates.append(decisions / spent)


class StartUp(NamedTuple):
    """How long a fresh process takes to its first step."""

    what: str
    seconds: float


# ---- Turn by turn


def record_turns(env: Any, seed: int) -> list[int]:
    """The actions of a random game of a PettingZoo environment."""
    generator = np.random.default_rng(seed)
    actions: list[int] = []
    env.reset(seed=seed)
    while True:
        observation, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            return actions
        actions.append(int(generator.choice(np.flatnonzero(observation["action_mask"]))))
        env.step(actions[-1])


def turns(env: Any) -> Unit:
    """A game of a PettingZoo environment: `last()` + `step()` of every decision."""
    games = cycle([(seed, record_turns(env, seed)) for seed in range(RECORDED)])

    def play() -> Tally:
        seed, actions = next(games)
        env.reset(seed=seed)
        start = perf_counter()
        for action in actions:
            env.last()
            env.step(action)
        return Tally(len(actions), perf_counter() - start)

    return play


# ---- Batches


def steps(batch: BatchEnv) -> Unit:
    """One step of all games of a batch."""
    generator = np.random.default_rng(0)

    def play() -> Tally:
        actions = batch.random_actions(generator)
        start = perf_counter()
        batch.step(actions)
        return Tally(batch.num_games, perf_counter() - start)

    return play


def play_outs(game: Game) -> Unit:
    """A batch played to its end inside the compiled loop."""
    batch = BatchEnv(game, PLAY_OUT_GAMES, seed=0, observe=False)

    def play() -> Tally:
        start = perf_counter()
        decisions = batch.play_out()
        return Tally(decisions, perf_counter() - start)

    return play


def zeros(batch: BatchEnv) -> Unit:
    """Arrays like those of a batch, filled with zeros often enough to be timed."""
    observation, mask = np.empty_like(batch.frame.observation), np.empty_like(batch.frame.action_mask)
    repeats = max(1, FLOOR_ROWS // batch.num_games)

    def write() -> Tally:
        start = perf_counter()
        for _ in range(repeats):
            observation.fill(0)
            mask.fill(0)
        return Tally(repeats * batch.num_games, perf_counter() - start)

    return write


# ---- Rows of a game


def batch_rows(game: Game, num_games: int) -> Iterator[Row]:
    """A batch with observations and without, and what memory alone costs each."""
    for observe, contents in ((True, "observation + mask"), (False, "mask only")):
        batch = BatchEnv(game, num_games, seed=0, observe=observe)
        floor = f"{game.id} memory floor {num_games:,}, {contents}"
        yield Row(f"{game.id} batch {num_games:,}, {contents}", steps(batch), floor=floor)
        yield Row(floor, zeros(batch), plays=False)


def game_rows(game: Game, batches: Sequence[int]) -> Iterator[Row]:
    """Everything measured of one game, with its default options."""
    yield Row(f"{game.id} AEC raw", turns(aec.TableEnv(game)), turn_by_turn=True)
    yield Row(f"{game.id} AEC wrapped", turns(aec.env(game)), turn_by_turn=True)
    for num_games in batches:
        yield from batch_rows(game, num_games)
    yield Row(f"{game.id} play-outs, {PLAY_OUT_GAMES:,} games", play_outs(game))


# ---- Peers


def record_openspiel(game: Any, seed: int) -> list[int]:
    """The actions of a random game, chance included (it is uniform in the games measured)."""
    generator = np.random.default_rng(seed)
    state = game.new_initial_state()
    while not state.is_terminal():
        state.apply_action(int(generator.choice(state.legal_actions())))
    return [int(action) for action in state.history()]


def openspiel(name: str) -> Unit:
    """A game of OpenSpiel, driven from Python with mask and observation."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    view = make_observation(game)
    mask = np.zeros(game.num_distinct_actions(), np.int8)
    games = cycle([record_openspiel(game, seed) for seed in range(RECORDED)])

    def play() -> Tally:
        actions, decisions = next(games), 0
        start = perf_counter()
        state = game.new_initial_state()
        for action in actions:
            player = state.current_player()
            if player >= 0:
                view.set_from(state, player)
                mask[:] = state.legal_actions_mask(player)
                decisions += 1
            else:
                state.legal_actions()
            state.apply_action(action)
        state.returns()
        return Tally(decisions, perf_counter() - start)

    return play


def pettingzoo_connect_four() -> Unit:
    """PettingZoo's connect four without wrappers."""
    from pettingzoo.classic import connect_four_v3

    return turns(connect_four_v3.raw_env())


def pettingzoo_connect_four_wrapped() -> Unit:
    """PettingZoo's connect four as its users get it."""
    from pettingzoo.classic import connect_four_v3

    return turns(connect_four_v3.env())


def pettingzoo_leduc() -> Unit:
    """PettingZoo's Leduc hold'em, which RLCard plays."""
    from pettingzoo.classic import leduc_holdem_v4

    return turns(leduc_holdem_v4.raw_env())


def peer_rows() -> Iterator[Row]:
    """Other libraries, as far as they are installed."""
    for name in OPENSPIEL_GAMES:
        yield from optional_row(f"OpenSpiel {name}", partial(openspiel, name))
    yield from optional_row(PETTINGZOO_YARDSTICK, pettingzoo_connect_four, turn_by_turn=True)
    yield from optional_row("PettingZoo connect_four_v3 wrapped", pettingzoo_connect_four_wrapped, turn_by_turn=True)
    yield from optional_row("PettingZoo leduc_holdem_v4 raw", pettingzoo_leduc, turn_by_turn=True)


def optional_row(what: str, make: Callable[[], Unit], *, turn_by_turn: bool = False) -> Iterator[Row]:
    """The row of a peer, or a line that says what is missing."""
    try:
        yield Row(what, make(), turn_by_turn=turn_by_turn)
    except ImportError as error:
        print(f"skipped: {what}: not installed ({error})", file=sys.stderr)


# ---- Start-up

FIRST_STEP = """
from time import perf_counter
start = perf_counter()
from cardtable.aec import TableEnv
from cardtable.registry import find
env = TableEnv(find({game_id!r}))
env.reset(seed=0)
env.step(int(env.last()[0]["action_mask"].argmax()))
print(perf_counter() - start)
"""


def first_step(game: Game, environment: dict[str, str] | None = None) -> float:
    """Seconds that a fresh process takes from its first import to its first step."""
    program = FIRST_STEP.format(game_id=game.id)
    done = subprocess.run(
        [sys.executable, "-c", program], env={**os.environ, **(environment or {})}, capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def warm_start(game: Game) -> StartUp:
    """Start-up with compiled kernels on disk."""
    return StartUp(f"{game.id} import to first step", min(first_step(game) for _ in range(STARTS)))


def cold_start(game: Game) -> StartUp:
    """Start-up with nothing compiled yet."""
    with tempfile.TemporaryDirectory() as folder:
        return StartUp(f"{game.id} import to first step, compiling", first_step(game, {"CARDTABLE_CACHE": folder}))


# ---- Report

HEADING = ("", "decisions/s", f"÷ {OPENSPIEL_YARDSTICK}", f"÷ {PETTINGZOO_YARDSTICK}", "time ÷ floor")


def ratio(rate: float, yardstick: float | None) -> str:
    """How many times as fast; empty where there is nothing to compare with."""
    return f"{rate / yardstick:,.2f}" if yardstick else ""


def cells(row: Row, rates: dict[str, float]) -> list[str]:
    """A line of the table."""
    return [
        row.what,
        f"{row.rate:,.0f}",
        ratio(row.rate, rates.get(OPENSPIEL_YARDSTICK)) if row.plays else "",
        ratio(row.rate, rates.get(PETTINGZOO_YARDSTICK)) if row.turn_by_turn else "",
        ratio(rates[row.floor], row.rate) if row.floor else "",
    ]


def table(rows: Sequence[Row]) -> list[list[str]]:
    """The heading and a line for each row."""
    rates = {row.what: row.rate for row in rows}
    return [list(HEADING), *(cells(row, rates) for row in rows)]


def as_text(lines: Sequence[Sequence[str]]) -> str:
    """The table in aligned columns."""
    widths = [max(len(cell) for cell in column) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))])
        for line in lines
    )


def as_markdown(lines: Sequence[Sequence[str]]) -> str:
    """The table as GitHub shows it."""
    ruler = ["---", *["--:"] * (len(lines[0]) - 1)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (lines[0], ruler, *lines[1:]))


def versions() -> dict[str, str]:
    """What was measured with what."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """What it ran on."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": platform.processor(),
        "cpus": os.cpu_count(),
    }


def report(rows: Sequence[Row], starts: Sequence[StartUp]) -> dict[str, Any]:
    """Everything, for `--json`."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "machine": machine(),
        "rows": [
            {
                "what": row.what,
                "decisions_per_second": row.rate,
                "rounds": row.rates,
                "turn_by_turn": row.turn_by_turn,
                "floor": row.floor,
            }
            for row in rows
        ],
        "start_up": [start._asdict() for start in starts],
    }


def print_report(rows: Sequence[Row], starts: Sequence[StartUp], *, markdown: bool) -> None:
    """Date, machine, versions, the table, start-up times."""
    print(datetime.now(UTC).date(), *(f"{key} {value}" for key, value in machine().items() if value), sep=", ")
    print(*(f"{package} {number}" for package, number in versions().items()), sep=", ", end="\n\n")
    print(as_markdown(table(rows)) if markdown else as_text(table(rows)), end="\n\n")
    for start in starts:
        print(f"{'- ' if markdown else ''}{start.what}: {start.seconds:.2f} s")


# ---- Command line


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """What the user asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").strip(), formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--games", nargs="+", default=game_ids(), metavar="GAME", help="games to measure (default: every installed one)")
    add("--batch", nargs="+", type=int, default=list(BATCHES), metavar="N", help=f"batch sizes (default: {BATCHES})")
    add("--seconds", type=float, default=1.5, help="time for each row, all rounds together (default: %(default)s)")
    add("--rounds", type=int, default=15, help="how often every row is measured; the best counts (default: %(default)s)")
    add("--peers", action=argparse.BooleanOptionalAction, default=True, help="OpenSpiel and PettingZoo in the same run")
    add("--cold", action="store_true", help="also time the first start ever, compilation included (about a minute a game)")
    add("--markdown", action="store_true", help="print the table as markdown")
    add("--json", type=Path, metavar="FILE", help="write versions, machine and every round of every row to a file")
    parsed = parser.parse_args(arguments)
    if parsed.rounds < 1 or parsed.seconds <= 0 or min(parsed.batch) < 1:
        parser.error("--rounds and --batch are whole numbers from 1, --seconds is more than 0")
    return parsed


def measure_all(rows: Sequence[Row], rounds: int, seconds: float) -> None:
    """Measure every row in turn, `rounds` times, for `seconds` in all."""
    with tqdm(total=rounds * len(rows), unit="row", file=sys.stderr) as progress:
        for _ in range(rounds):
            for row in rows:
                progress.set_description(row.what)
                row.measure(seconds / rounds)
                progress.update()


def main() -> None:
    """Measure and report."""
    wanted = parse_arguments()
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    games = [find(name) for name in wanted.games]
    rows = [row for game in games for row in game_rows(game, wanted.batch)]
    rows += peer_rows() if wanted.peers else []
    measure_all(rows, wanted.rounds, wanted.seconds)
    starts = [warm_start(game) for game in games]
    starts += [cold_start(game) for game in games] if wanted.cold else []
    print_report(rows, starts, markdown=wanted.markdown)
    if wanted.json:
        wanted.json.write_text(json.dumps(report(rows, starts), indent=2) + "\n")


if __name__ == "__main__":
    main()
