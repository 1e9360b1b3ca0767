"""What a decision costs as batches, tables and options grow, and what a game costs in memory.

- batches: nanoseconds per decision of `step`, observation and mask included, on one thread;
- players and options: the same, in batches of 1,024 games;
- memory: bytes that a batch holds for each of its games.

Rows are measured in turn, game by game, in several rounds; the best round counts.
"""

import sys
import tracemalloc
from collections.abc import Sequence
from functools import partial

from benchmarks import charts, report
from benchmarks.measure import LOWER, Contestant, Row, measure_in_turn
from benchmarks.ours import Setup, batch_kind, steps
from cardtable.cli import console
from cardtable.game.game import Game
from cardtable.game.registry import find

SIZES = tuple(4**power for power in range(9))
QUICK_SIZES = (1, 16)
OPTION_GAMES = 1024
"""Games in the batches that compare players and options."""
MEMORY_GAMES = 4096
ROUNDS, SECONDS = 8, 0.8
QUICK_ROUNDS, QUICK_SECONDS = 2, 0.002
NANO = 1e9


def contestant(setup: Setup, num_games: int) -> Contestant:
    """A batch with observation and mask."""
    return Contestant(setup.row(batch_kind(num_games), num_games=num_games), steps(setup.batch(num_games)))


def option_sets(game: Game) -> list[Setup]:
    """Every player count, then every other set of options that the tests of the game go through."""
    counts = [Setup(game, {"num_players": count}) for count in game.player_counts]
    others = [Setup(game, options) for options in game.variants if set(options) - {"num_players"}]
    return [*counts, *others]


def memory(setup: Setup) -> Row:
    """Bytes per game of a batch: what Python and numpy have allocated for it."""
    tracemalloc.start()
    batch = setup.batch(MEMORY_GAMES)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    parts = {
        "record": setup.game.state.dtype.itemsize,
        "observation": batch.frame.observation[0].nbytes,
        "mask": batch.frame.action_mask[0].nbytes,
        "final observation": batch.frame.final_observation[0].nbytes,
    }
    details = {"setup": setup.name, "kind": "memory", "parts": parts}
    return Row(
        f"{setup.name}: memory",
        setup.game.id,
        unit="bytes",
        better=LOWER,
        rounds=[held / MEMORY_GAMES],
        margin=0.0,
        details=details,
    )


def measure_game(game: Game, sizes: Sequence[int], rounds: int, seconds: float) -> list[Row]:
    """All rows of a game."""
    print(f"{game.id}: batches, players, options, memory", file=sys.stderr)
    default = Setup(game, {})
    contestants = [contestant(default, size) for size in sizes]
    contestants += [contestant(setup, OPTION_GAMES) for setup in option_sets(game)]
    measure_in_turn(contestants, rounds, seconds)
    return [*(each.row for each in contestants), memory(default)]


# ---- Report


def cost(row: Row) -> float:
    """Nanoseconds per decision."""
    return NANO / row.value


def batch_rows(rows: Sequence[Row], game: Game) -> list[Row]:
    """The rows of growing batches."""
    return [row for row in rows if row.details["setup"] == game.id and "num_games" in row.details]


def option_rows(rows: Sequence[Row], game: Game) -> dict[str, Row]:
    """The rows of player counts and other options, by setup."""
    wanted = {setup.name for setup in option_sets(game)}
    return {row.details["setup"]: row for row in rows if row.details["setup"] in wanted}


def batch_table(rows: Sequence[Row], games: Sequence[Game], sizes: Sequence[int]) -> report.Table:
    """A line for each size, a column for each game."""
    costs = {(row.group, row.details["num_games"]): cost(row) for game in games for row in batch_rows(rows, game)}
    lines = [["ns per decision", *(game.id for game in games)]]
    for size in sizes:
        lines.append([f"batch {size:,}", *(f"{costs[game.id, size]:,.0f}" for game in games)])
    return lines


def option_table(rows: Sequence[Row], games: Sequence[Game]) -> report.Table:
    """A line for each set of options."""
    lines = [[f"batch {OPTION_GAMES:,}", "ns per decision"]]
    for game in games:
        lines += [[setup, f"{cost(row):,.0f}"] for setup, row in option_rows(rows, game).items()]
    return lines


def memory_table(rows: Sequence[Row]) -> report.Table:
    """A line for each game."""
    held = [row for row in rows if row.details["kind"] == "memory"]
    parts = list(held[0].details["parts"])
    lines = [["bytes per game", "in all", *parts]]
    for row in held:
        lines.append([row.group, f"{row.value:,.0f}", *(f"{row.details['parts'][part]:,}" for part in parts)])
    return lines


def panels(rows: Sequence[Row], games: Sequence[Game], sizes: Sequence[int]) -> list[charts.Panel]:
    """What the picture shows: the cost of a decision by size of the batch, and by players."""
    grown = [charts.Line(game.id, sizes, [cost(row) for row in batch_rows(rows, game)]) for game in games]
    seated = []
    for game in games:
        counts, found = game.player_counts, option_rows(rows, game)
        costs = [cost(found[Setup(game, {"num_players": count}).name]) for count in counts]
        seated.append(charts.Line(game.id, counts, costs))
    return [
        charts.Panel("Cost of a decision", "games in the batch", "nanoseconds", grown, x_scale="log", y_scale="log"),
        charts.Panel(f"The same by players, batch of {OPTION_GAMES:,}", "players", "nanoseconds", seated),
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and report."""
    parser = report.new_parser("scaling", __doc__ or "")
    report.add_rounds(parser, ROUNDS, SECONDS)
    wanted = report.parse(parser, arguments)
    sizes = SIZES
    if wanted.quick:
        sizes, wanted.rounds, wanted.seconds = QUICK_SIZES, QUICK_ROUNDS, QUICK_SECONDS
    ran_on = report.machine()
    games = [find(name) for name in wanted.games]
    rows = [row for game in games for row in measure_game(game, sizes, wanted.rounds, wanted.seconds)]
    tables = [batch_table(rows, games, sizes), option_table(rows, games), memory_table(rows)]
    text = "\n\n".join(map(report.markdown, tables))
    draw = partial(charts.draw_lines, panels(rows, games, sizes))
    report.finish(report.result("scaling", rows, ran_on, wanted), text, draw, wanted)


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.scaling", main))
