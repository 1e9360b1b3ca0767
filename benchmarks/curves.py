"""Learning curves: how well a learner plays against `heuristic` after so many seconds and so many decisions.

Seconds are those of the processor in updates alone: evaluations are not counted, and other processes count little. All
policies are evaluated on the same deals, which training does not see.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from cardtable_agents.arena.intervals import wilson
from cardtable_agents.training.evaluate import win_rate
from cardtable_agents.training.make import make_learner
from cardtable_agents.training.settings import Settings
from tqdm import tqdm

from benchmarks.charts import Curve, CurvePanel
from benchmarks.learners import OURS_NAME, STANDARD_KIND, Kind, Trial, available, learning_kinds
from benchmarks.measure import Row
from benchmarks.report import Table, short
from cardtable.game.game import Game
from cardtable.game.registry import find
from cardtable.players.roster import make_agent

OPPONENT = "heuristic"
UNIT = "win rate"
TIME_UNIT = "times SB3"
UNITS = (UNIT, TIME_UNIT)
"""Of all rows that learning makes."""


@dataclass(frozen=True)
class Plan:
    """How long learners learn, and how they are evaluated."""

    minutes: float
    """Of the processor, for each learner and seed."""
    seeds: int
    games: int
    """Games of each evaluation."""
    points: int
    """Evaluations: each after √2 times as long as the one before."""

    def marks(self) -> list[float]:
        """Seconds after which learners are evaluated."""
        return [60 * self.minutes / 2 ** (back / 2) for back in range(self.points - 1, -1, -1)]


@dataclass(frozen=True)
class Point:
    """How a policy did after some learning."""

    seconds: float
    decisions: float
    rate: float
    """The share of games won."""
    games: int

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's 95 % interval of the rate."""
        return wilson(self.rate * self.games, self.games)


Evaluate = Callable[[Any], float]
"""The win rate of a policy."""


# ---- Learning


def follow(trial: Trial, marks: Sequence[float], evaluate: Evaluate, games: int) -> list[Point]:
    """Let a learner learn; a point for each mark, at the end of the update that passes it."""
    points: list[Point] = []
    for mark in marks:
        if trial.cpu_seconds >= mark and points:  # one update passed two marks
            points.append(points[-1])
            continue
        while trial.cpu_seconds < mark:
            trial.update(trial.cpu_seconds / marks[-1])
        points.append(Point(trial.cpu_seconds, trial.decisions, evaluate(trial.learner.policy), games))
    return points


def curve_of(settings: Settings, plan: Plan) -> list[Point]:
    """The learning curve of a learner that begins with nothing."""
    game, options = settings.parsed()
    opponent = make_agent(OPPONENT, game, options)
    seats = options.num_players
    games = -(-plan.games // seats) * seats  # as many from every seat
    learner = make_learner(settings)
    try:
        return follow(Trial(learner), plan.marks(), lambda policy: win_rate(game, options, policy, opponent, plan.games), games)
    finally:
        learner.close()


def warm_up(settings: Settings) -> None:
    """One update that nobody times: kernels are compiled or read from the cache."""
    learner = make_learner(settings)
    learner.update(0.0)
    learner.close()


def measure(names: Sequence[str], plan: Plan, common: Mapping[str, Any]) -> list[Row]:
    """The learning curves of all games: rows with the curves of all seeds in their details."""
    kinds = list(available(learning_kinds(common))) if names else []
    rows = []
    with tqdm(total=len(names) * len(kinds) * plan.seeds, unit="run", desc="learning", file=sys.stderr) as progress:
        for name in names:
            for kind in kinds:
                warm_up(kind.settings(name, common))
                curves = []
                for seed in range(1, plan.seeds + 1):
                    progress.set_postfix_str(f"{name}: {kind.name}", refresh=True)
                    curves.append(curve_of(kind.settings(name, common, seed), plan))
                    progress.update()
                rows.append(row_of(find(name), kind, curves))
    return rows + [row for name in names for row in time_rows(rows, name)]


# ---- Rows


def pooled(curves: Sequence[Sequence[Point]]) -> list[Point]:
    """One curve of all seeds: the games of all of them at each mark, after the mean of their seconds and decisions."""
    return [
        Point(
            sum(each.seconds for each in points) / len(points),
            sum(each.decisions for each in points) / len(points),
            sum(each.rate * each.games for each in points) / sum(each.games for each in points),
            sum(each.games for each in points),
        )
        for points in zip(*curves, strict=True)
    ]


def row_of(game: Game, kind: Kind, curves: Sequence[Sequence[Point]]) -> Row:
    """The win rate at the end, its noise half of the interval; the curves are kept."""
    last = pooled(curves)[-1]
    low, high = last.interval
    details = {
        "learner": kind.name,
        "precision": kind.precision,
        "interval": [low, high],
        "curves": [[[point.seconds, point.decisions, point.rate, point.games] for point in curve] for curve in curves],
    }
    what = f"{game.id}: {kind.name} against {OPPONENT} at the end"
    margin = (high - low) / 2 / max(last.rate, high)
    return Row(what, game.id, ours=kind.ours, unit=UNIT, rounds=[last.rate], margin=margin, details=details)


def curves_in(details: Mapping[str, Any]) -> list[list[Point]]:
    """The curves that the details of a row, or a row of a file of results, hold."""
    return [[Point(*point) for point in curve] for curve in details["curves"]]


def reached(curve: Sequence[Point], rate: float) -> Point | None:
    """The first point from which on a learner is at least that good; None if it is not so at the end."""
    found = None
    for point in reversed(curve):
        if point.rate < rate:
            break
        found = point
    return found


def time_rows(rows: Sequence[Row], game: str) -> list[Row]:
    """How many times as long SB3 takes to what it reaches at the end, if ours reaches that."""
    both = _both([row.plain() for row in rows], game)
    if both is None:
        return []
    theirs, ours = both
    there = reached(ours, theirs[-1].rate)
    if there is None:
        return []
    what = f"{game}: time to equal strength, SB3 ÷ {OURS_NAME}"
    return [Row(what, game, unit=TIME_UNIT, rounds=[theirs[-1].seconds / there.seconds])]


def _curves(rows: Iterable[Mapping[str, Any]], game: str) -> dict[str, list[Point]]:
    """The pooled curve of each learner of a game, from plain rows."""
    return {row["learner"]: pooled(curves_in(row)) for row in rows if row["unit"] == UNIT and row["group"] == game}


def _both(rows: Iterable[Mapping[str, Any]], game: str) -> tuple[list[Point], list[Point]] | None:
    """The pooled curves of SB3 and of ours, from plain rows; None if one is missing."""
    found = _curves(rows, game)
    if STANDARD_KIND.name not in found or OURS_NAME not in found:
        return None
    return found[STANDARD_KIND.name], found[OURS_NAME]


# ---- Text and pictures, from the rows of a file of results


def games_in(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The games that were learned."""
    return list(dict.fromkeys(row["group"] for row in rows if row["unit"] == UNIT))


def table(rows: Sequence[Mapping[str, Any]], game: str) -> Table:
    """The curves of a game, a line for each mark, from each learner's first evaluation to its last."""
    found = _curves(rows, game)
    lines = [[game, *(f"{name}: {word}" for name in found for word in ("CPU-s", "decisions", "win rate"))]]
    for number, points in enumerate(zip(*found.values(), strict=True), start=1):
        lines.append([str(number), *(cell for point in points for cell in _cells(point))])
    return lines


def _cells(point: Point) -> tuple[str, str, str]:
    return f"{point.seconds:,.1f}", short(point.decisions), _in_words(point)


def headline(rows: Sequence[Mapping[str, Any]], game: str) -> str:
    """When ours is as good as SB3 at its end; nothing if only one of them was measured."""
    both = _both(rows, game)
    if both is None:
        return ""
    theirs, ours = both
    end, there = theirs[-1], reached(ours, theirs[-1].rate)
    text = f"**{game}**: SB3 wins {_in_words(end)} after {_after(end)}. "
    if there is None:
        return f"{text}Ours does not reach that: {_in_words(ours[-1])} after {_after(ours[-1])}."
    ratio = end.seconds / there.seconds
    return (
        f"{text}Ours has won at least as often since {_after(there)} ({_in_words(there)}): 1/{ratio:.1f} of the time. "
        f"At its end, after {_after(ours[-1])}, it wins {_in_words(ours[-1])}."
    )


def _in_words(point: Point) -> str:
    low, high = point.interval
    return f"{point.rate:.1%} [{100 * low:.1f}, {100 * high:.1f}]"


def _after(point: Point) -> str:
    return f"{point.seconds:,.0f} CPU-seconds, {short(point.decisions)} decisions"


def panels(rows: Sequence[Mapping[str, Any]], game: str) -> list[CurvePanel]:
    """The curves of a game by seconds and by decisions, with their intervals."""
    found = {name: _distinct(curve) for name, curve in _curves(rows, game).items()}
    by_seconds = [_drawn(name, points, [point.seconds for point in points]) for name, points in found.items()]
    by_decisions = [_drawn(name, points, [point.decisions for point in points]) for name, points in found.items()]
    title = f"{game}: wins against {OPPONENT}"
    return [
        CurvePanel(title, "CPU-seconds of learning, one thread", by_seconds),
        CurvePanel(title, "decisions learned from", by_decisions),
    ]


def _drawn(name: str, points: Sequence[Point], x: Sequence[float]) -> Curve:
    lows, highs = zip(*(point.interval for point in points), strict=True)
    return Curve(name, x, [point.rate for point in points], lows, highs)


def _distinct(points: Sequence[Point]) -> list[Point]:
    """Points without those that are there twice."""
    return [points[0], *(after for before, after in pairwise(points) if after.seconds > before.seconds)]
