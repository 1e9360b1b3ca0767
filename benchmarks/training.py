"""How fast our learner learns, beside MaskablePPO of Stable-Baselines3 (sb3-contrib), in one run.

- Speed: decisions that are learned from per second of the whole loop: act, step, advantages, update. Hidden layers have
  the same sizes, and both learn by pure self-play. A unit of work is one update, and all rows of a game are measured in turn.
  `SB3` has the defaults of `cardtable train --learner sb3`; ours has its own defaults, in float32 and in bfloat16 (where
  PyTorch is installed), in one thread and in two; and in float32 with SB3's minibatch and epochs.
- Shares: where the time of an update goes; and beside it the time that a decision takes at least, by its arithmetic and the
  speed of matrix products measured in the same run.
- Learning: the win rate against `heuristic` by CPU-seconds and by decisions, both learners from nothing with the same
  CPU-minutes in one thread, evaluated on the same deals. Evaluations are not timed.
"""

import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from cardtable_agents.network.products import FLOAT32
from cardtable_agents.training.make import make_learner
from cardtable_agents.training.ppo import PPO
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from benchmarks import arithmetic, charts, compare, curves, report
from benchmarks.arithmetic import Work
from benchmarks.learners import (
    ALIKE_KIND,
    FULL,
    KINDS,
    ONE_THREAD,
    QUICK,
    STANDARD_KIND,
    TWO_THREADS,
    Kind,
    Trial,
    available,
)
from benchmarks.measure import Contestant, Row, measure_in_turn
from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.errors import UnknownGame
from cardtable.game.registry import find

ROUNDS, SECONDS = 5, 20.0
QUICK_ROUNDS, QUICK_SECONDS = 2, 0.01
PRODUCTS_SHARE = 0.1
"""How long matrix products are measured, compared with a learner: they vary less."""
LEARNED = "muster"
"""The game that is learned unless others are asked for."""
LEARNING = curves.Plan(minutes=10, seeds=2, games=1000, points=15)
QUICK_LEARNING = curves.Plan(minutes=0.004, seeds=1, games=4, points=3)
PARTS = ("environment", "opponents", "acting", "advantages", "learning", "optimizer")

PlainRow = Mapping[str, Any]
"""A row as files of results hold it."""


# ---- Measuring


def measure_game(game: str, kinds: Sequence[Kind], common: Mapping[str, Any], rounds: int, seconds: float) -> list[Row]:
    """The speed of all kinds of learners at a game, measured in turn after an update that is not timed."""
    trials = [(kind, Trial(make_learner(kind.settings(game, common)))) for kind in kinds]
    for _, trial in tqdm(trials, desc=f"preparing {game}", unit="row", file=sys.stderr):
        trial.learner.update(0.0)
    contestants = [Contestant(new_row(game, kind), trial) for kind, trial in trials]
    measure_in_turn(contestants, rounds, seconds)
    for (_, trial), contestant in zip(trials, contestants, strict=True):
        contestant.row.details |= trial.details()
        if isinstance(trial.learner, PPO):
            contestant.row.details["work"] = arithmetic.work_of(trial.learner).plain()
        trial.learner.close()
    return [contestant.row for contestant in contestants]


def new_row(game: str, kind: Kind) -> Row:
    """A row for a kind of learner at a game."""
    details = {"kind": kind.name, "threads": kind.threads, "precision": kind.precision}
    return Row(f"{game}: {kind.name}", game, ours=kind.ours, details=details)


# ---- Tables, from the rows of a file of results


class Speeds:
    """The rows of learners and products, to be looked up by game and kind."""

    def __init__(self, rows: Sequence[PlainRow]) -> None:
        self._rows = {(row["group"], row["kind"]): row for row in rows if "kind" in row}
        self.games = list(dict.fromkeys(game for game, _ in self._rows))
        self.products = {row["precision"]: row["value"] for row in rows if row["unit"] == "FLOP/s"}
        """Operations per second of matrix products, by precision."""

    def row(self, game: str, kind: Kind) -> PlainRow | None:
        """A row; None if it was not measured."""
        return self._rows.get((game, kind.name))

    def of(self, game: str, kind: Kind, figure: str = "value") -> float:
        """Decisions per second or, with that figure, per CPU-second; not a number where it was not measured."""
        row = self.row(game, kind)
        return float(row[figure]) if row else float("nan")

    def ratio(self, game: str, kind: Kind, other: Kind, figure: str = "value") -> float:
        """One kind's figure divided by another's."""
        return self.of(game, kind, figure) / self.of(game, other, figure)

    def kinds(self, kinds: Sequence[Kind]) -> list[Kind]:
        """Those that were measured."""
        return [kind for kind in kinds if any(self.row(game, kind) for game in self.games)]


def rate_table(speeds: Speeds, title: str, figure: str) -> report.Table:
    """Decisions of all kinds, and how many times as many as SB3's."""
    kinds = speeds.kinds(KINDS)

    def cell(game: str, kind: Kind) -> str:
        ratio = speeds.ratio(game, kind, STANDARD_KIND, figure)
        beside = "" if kind is STANDARD_KIND or ratio != ratio else f" ({_times(ratio)} ×)"
        return f"{report.short(speeds.of(game, kind, figure))}{beside}"

    return [[title, *(kind.name for kind in kinds)], *([game, *(cell(game, kind) for kind in kinds)] for game in speeds.games)]


def thread_table(speeds: Speeds) -> report.Table:
    """How many times as fast two threads are."""
    pairs = [(one, two) for one, two in zip(ONE_THREAD, TWO_THREADS, strict=True) if speeds.kinds([one, two]) == [one, two]]
    lines = [["two threads ÷ one", *(one.name for one, _ in pairs)]]
    lines += [[game, *(f"{speeds.ratio(game, two, one):.2f}" for one, two in pairs)] for game in speeds.games]
    return lines


def share_table(speeds: Speeds) -> report.Table:
    """Where the time goes. What a learner does not tell apart is in the rest: of SB3, all that PyTorch does."""
    lines = [["share of time", *PARTS, "rest"]]
    for game in speeds.games:
        for kind in speeds.kinds(KINDS):
            row = speeds.row(game, kind)
            assert row is not None
            shares = [row["shares"].get(part) for part in PARTS]
            rest = 1 - sum(share or 0.0 for share in shares)
            lines.append(
                [f"{game}: {kind.name}", *("" if share is None else f"{share:.1%}" for share in shares), f"{rest:.1%}"]
            )
    return lines


def bound_table(speeds: Speeds) -> report.Table:
    """The time that a decision takes at least, and the time that it takes."""
    heading = ["one thread", "inputs not 0", "legal actions", "kFLOP acting", "kFLOP learning", "µs at best", "µs", "reached"]
    lines = [heading]
    for game in speeds.games:
        for kind in speeds.kinds([ALIKE_KIND, *ONE_THREAD]):
            row = speeds.row(game, kind)
            assert row is not None
            work = Work(**row["work"])
            best = work.bound(speeds.products[FLOAT32], speeds.products[kind.precision])
            taken = 1 / row["value"]
            counts = [
                f"{work.inputs:.1f}",
                f"{work.actions:.1f}",
                *(f"{sum(each()) / 1e3:.0f}" for each in (work.acting, work.learning)),
            ]
            lines.append([f"{game}: {kind.name}", *counts, f"{1e6 * best:.2f}", f"{1e6 * taken:.2f}", f"{best / taken:.0%}"])
    return lines


def product_table(rows: Sequence[PlainRow]) -> report.Table:
    """The speed of matrix products."""
    found = [[row["what"], f"{row['value'] / 1e9:,.0f}"] for row in rows if row["unit"] == "FLOP/s"]
    return [["matrix products, one thread", "GFLOP/s"], *found]


def _times(ratio: float) -> str:
    return f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.1f}"


def tables(rows: Sequence[PlainRow], plan: curves.Plan) -> str:
    """All tables, as text."""
    speeds = Speeds(rows)
    parts = [
        "**Speed**, and how many times that of SB3.",
        report.markdown(rate_table(speeds, "learner decisions/s", "value")),
        report.markdown(rate_table(speeds, "learner decisions per CPU-second", "decisions_per_cpu_second")),
    ]
    if speeds.kinds(TWO_THREADS):
        parts.append(report.markdown(thread_table(speeds)))
    parts += ["**Where the time goes**, and how long the arithmetic alone would take."]
    parts += [report.markdown(each) for each in (share_table(speeds), product_table(rows), bound_table(speeds))]
    if games := curves.games_in(rows):
        parts.append(
            f"**Learning**: wins against `{curves.OPPONENT}`, with 95 % intervals; seeds: {plan.seeds}, "
            f"games of each evaluation: {plan.games:,}."
        )
    for game in games:
        parts += [each for each in (curves.headline(rows, game), report.markdown(curves.table(rows, game))) if each]
    return "\n\n".join(parts)


# ---- Pictures


def draw(rows: Sequence[PlainRow], path: Path) -> None:
    """A picture of the speeds; and one of the curves of each game, its id added to the name of the file."""
    bars = [charts.Bar(row["what"], "cardtable" if row["ours"] else "SB3", row["value"]) for row in rows if "kind" in row]
    charts.draw_bars(bars, "decisions learned from per second (log scale)", path)
    for game in curves.games_in(rows):
        charts.draw_curves(curves.panels(rows, game), path.with_stem(f"{path.stem}-{game}"))


# ---- Command line


KEPT = ("minutes", "seeds", "evaluation")
"""What a file of results says of its learning curves."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and report."""
    parser = report.new_parser("training", __doc__ or "")
    report.add_rounds(parser, ROUNDS, SECONDS)
    add = parser.add_argument
    add("--learn", nargs="*", default=[LEARNED], metavar="GAME", help=f"games to learn (default: {LEARNED}); none: speed only")
    add("--minutes", type=report.positive, default=LEARNING.minutes, help="CPU-minutes of each learner (default: %(default)s)")
    add("--seeds", type=positive_integer, default=LEARNING.seeds, metavar="N", help="seeds of each (default: %(default)s)")
    add(
        "--evaluation",
        type=positive_integer,
        default=LEARNING.games,
        metavar="N",
        help=f"games against {curves.OPPONENT} of each evaluation (default: %(default)s)",
    )
    add(
        "--curves", type=Path, metavar="FILE", help="take the learning curves of an earlier training.json, in place of learning"
    )
    wanted = report.parse(parser, arguments)
    kept = compare.read(wanted.curves) if wanted.curves else None
    try:
        wanted.learn = [find(name).id for name in dict.fromkeys(wanted.learn)]
    except UnknownGame as error:
        parser.error(str(error))
    plan, common = curves.Plan(wanted.minutes, wanted.seeds, wanted.evaluation, LEARNING.points), FULL
    if wanted.quick:
        plan, common, wanted.rounds, wanted.seconds = QUICK_LEARNING, QUICK, QUICK_ROUNDS, QUICK_SECONDS
        wanted.minutes, wanted.seeds, wanted.evaluation = plan.minutes, plan.seeds, plan.games
    if kept is not None:
        wanted.learn, (wanted.minutes, wanted.seeds, wanted.evaluation) = [], (kept["settings"][name] for name in KEPT)
        plan = curves.Plan(wanted.minutes, wanted.seeds, wanted.evaluation, LEARNING.points)
        wanted.curves = wanted.curves.name
    ran_on = report.machine()
    with threadpool_limits(1, "blas"):  # rows of one thread are of one thread, whatever libraries would like
        rows = measure_all(wanted.games, wanted.learn, common, plan, wanted.rounds, wanted.seconds)
    results = report.result("training", rows, ran_on, wanted)
    results["rows"] += [row for row in kept["rows"] if row["unit"] in curves.UNITS] if kept else []
    report.finish(results, tables(results["rows"], plan), partial(draw, results["rows"]), wanted)


def measure_all(
    games: Sequence[str], learned: Sequence[str], common: Mapping[str, Any], plan: curves.Plan, rounds: int, seconds: float
) -> list[Row]:
    """Speed game by game, matrix products after each, then learning."""
    kinds, products, rows = list(available(KINDS)), list(arithmetic.contestants(max(common["layers"]))), []
    for game in games:
        rows += measure_game(game, kinds, common, rounds, seconds)
        measure_in_turn(products, rounds, PRODUCTS_SHARE * seconds)
    return rows + [product.row for product in products] + curves.measure(learned, plan, common)


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.training", main))
