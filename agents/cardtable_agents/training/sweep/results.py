"""What the runs of a sweep have reached: a table, files of results, and the settings that did best."""

import csv
import io
import json
import math
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardtable.game.events import counted
from cardtable.support import files
from cardtable.support.columns import aligned
from cardtable_agents.arena.intervals import student_95, wilson
from cardtable_agents.training import log
from cardtable_agents.training.evaluate import ALONE, BY_SEARCH
from cardtable_agents.training.folder import RunFolder
from cardtable_agents.training.sweep import folders, form
from cardtable_agents.training.sweep.draws import Values
from cardtable_agents.training.sweep.folders import Place
from cardtable_agents.training.sweep.plan import Sweep

CSV, JSON, BEST, PICTURE = "results.csv", "results.json", "best.toml", "curves.png"
NOTHING = "–"


@dataclass(frozen=True)
class Point:
    """An evaluation of a run."""

    minutes: float
    steps: int
    rate: float
    """The win rate against the last opponent of the evaluation; in a game for one player the mean return."""


@dataclass(frozen=True)
class Outcome:
    """What a run has reached so far."""

    place: Place
    opponent: str
    """Of its last evaluation; `evaluate.ALONE` in a game for one player, empty before the first evaluation."""
    points: tuple[Point, ...]
    minutes: float
    steps: int

    @property
    def rate(self) -> float | None:
        """What the last evaluation measured; None before the first one."""
        return self.points[-1].rate if self.points else None

    @property
    def done(self) -> bool:
        """Whether the run has been trained to its end."""
        return self.place.state == folders.DONE and bool(self.points)


@dataclass(frozen=True)
class Row:
    """A combination: its runs, one per seed."""

    number: int
    values: Values
    outcomes: tuple[Outcome, ...]

    @property
    def rates(self) -> list[float]:
        """Of the seeds that are done."""
        return [outcome.rate for outcome in self.outcomes if outcome.done and outcome.rate is not None]

    @property
    def whole(self) -> bool:
        """Whether every seed is done."""
        return len(self.rates) == len(self.outcomes)

    @property
    def mean(self) -> float | None:
        """Over the seeds that are done; None if none is."""
        return sum(self.rates) / len(self.rates) if self.rates else None

    @property
    def best(self) -> Outcome:
        """The seed that did best."""
        return max(self.outcomes, key=lambda outcome: (outcome.done, outcome.rate if outcome.rate is not None else -math.inf))


# ---- From the logs


def outcome_of(place: Place) -> Outcome:
    """What the log of a run tells; a run that is still being trained has one, too."""
    path = RunFolder(place.path).log
    lines = log.read(path) if path.exists() else []
    evaluations = [line for line in lines if line.get("evaluation")]
    opponent = last_opponent(evaluations[-1]["evaluation"]) if evaluations else ""
    points = tuple(
        Point(line["seconds"] / 60, line.get("steps", 0), line["evaluation"][opponent])
        for line in evaluations
        if opponent in line["evaluation"]
    )
    minutes = max((line.get("seconds", 0.0) / 60 for line in lines), default=0.0)
    return Outcome(place, opponent, points, minutes, max((line.get("steps", 0) for line in lines), default=0))


def last_opponent(rates: Iterable[str]) -> str:
    """The last one that the network met by itself: runs that learn from search are compared with those that do not."""
    return next((name for name in reversed(list(rates)) if BY_SEARCH not in name), "")


def rows_of(sweep: Sweep, places: Sequence[Place]) -> list[Row]:
    """The combinations, the best mean first; those with seeds that are not done (or failed) come after all others."""
    outcomes = [outcome_of(place) for place in places]
    rows = [
        Row(number, values, tuple(each for each in outcomes if each.place.run.combination == number))
        for number, values in enumerate(sweep.combinations, start=1)
    ]
    return sorted(rows, key=lambda row: (not row.whole, row.mean is None, -(row.mean or 0.0), row.number))


def opponent_of(rows: Sequence[Row]) -> str:
    """Whom the runs were measured against; empty before the first evaluation."""
    return next((outcome.opponent for row in rows for outcome in row.outcomes if outcome.opponent), "")


# ---- Intervals


def interval(rates: Sequence[float], share: bool, games: int) -> tuple[float, float] | None:
    """The 95 % interval of the mean: Student's over several seeds, of one seed Wilson's over its games; None if there is none.

    `share` is whether the rates are shares from 0 to 1.
    """
    if len(rates) > 1:
        half = student_95(len(rates) - 1) * float(np.std(rates, ddof=1)) / math.sqrt(len(rates))
        low, high = float(np.mean(rates)) - half, float(np.mean(rates)) + half
        return (max(low, 0.0), min(high, 1.0)) if share else (low, high)
    return wilson(rates[0] * games, games) if rates and share else None


def _interval_of(row: Row) -> tuple[float, float] | None:
    first = row.outcomes[0]
    if len(row.rates) < min(len(row.outcomes), 2):  # one seed of several: an interval of another kind would only confuse
        return None
    return interval(row.rates, first.opponent != ALONE, first.place.run.settings.evaluation_games)


# ---- The table


def table(sweep: Sweep, rows: Sequence[Row], width: int | None = None) -> str:
    """The combinations as text: what differs, mean and interval, every seed; below it what the columns mean."""
    opponent = opponent_of(rows)
    measure = "return" if opponent == ALONE else "win rate"
    head = ["no.", *sweep.varied, measure, "95 % interval", *(f"seed {seed}" for seed in sweep.seeds), "steps", "minutes"]
    sides = "r" + "l" * len(sweep.varied) + "r" * (len(head) - 1 - len(sweep.varied))
    cells = [_cells(row, opponent) for row in rows]
    return f"{aligned([head, *cells], sides, width)}\n{_legend(sweep, rows, opponent)}"


def _cells(row: Row, opponent: str) -> list[str]:
    ends = _interval_of(row)
    trained = [outcome for outcome in row.outcomes if outcome.points]
    count = max(len(trained), 1)
    return [
        str(row.number),
        *(form.cell(value) for value in row.values.values()),
        rate_text(row.mean, opponent),
        f"{rate_text(ends[0], opponent)} to {rate_text(ends[1], opponent)}" if ends else NOTHING,
        *(_seed_cell(outcome, opponent) for outcome in row.outcomes),
        f"{sum(outcome.steps for outcome in trained) / count:,.0f}" if trained else NOTHING,
        f"{sum(outcome.minutes for outcome in trained) / count:.1f}" if trained else NOTHING,
    ]


def rate_text(rate: float | None, opponent: str) -> str:
    """A win rate, or a mean return, as text."""
    if rate is None:
        return NOTHING
    return f"{rate:.3f}" if opponent == ALONE else f"{rate:.1%}"


def _seed_cell(outcome: Outcome, opponent: str) -> str:
    """The rate of a seed; in brackets while it is not at its end."""
    if outcome.place.state == folders.FAILED:
        return "failed"
    told = rate_text(outcome.rate, opponent)
    return told if outcome.done or outcome.rate is None else f"({told})"


def _legend(sweep: Sweep, rows: Sequence[Row], opponent: str) -> str:
    if not opponent:
        return "no run has been evaluated yet"
    games = sweep.runs[0].settings.evaluation_games
    measured = "mean return" if opponent == ALONE else f"win rate against {opponent}"
    lines = [f"{measured} in the last evaluation ({games:,} games, the same deals for all); steps and minutes: mean over seeds"]
    if len(sweep.seeds) > 1:
        lines.append("95 % interval: Student's, of the mean over the seeds that are done")
    elif opponent != ALONE:
        lines.append("95 % interval: Wilson's, over the games of one seed: it does not tell how much seeds differ")
    if any(outcome.points and not outcome.done for row in rows for outcome in row.outcomes):
        lines.append("(in brackets: so far; only seeds that are done count in the mean)")
    for outcome in (outcome for row in rows for outcome in row.outcomes if outcome.place.state == folders.FAILED):
        lines.append(f"failed: {outcome.place.path}: {outcome.place.error}")
    return "\n".join(lines)


# ---- The best


def best_settings(sweep: Sweep, row: Row) -> Values:
    """The settings of a combination, as the file gives them."""
    return {**sweep.shared, **row.values}


def advice(sweep: Sweep, rows: Sequence[Row]) -> str:
    """What to do with the best combination; empty if no seed of any is done."""
    row = rows[0]
    if row.mean is None:
        return ""
    settings, policy = best_settings(sweep, row), RunFolder(row.best.place.path).policy
    opponent = opponent_of(rows)
    against = [] if opponent == ALONE else [opponent]
    options = form.option_words(sweep.options)
    again = shlex.join(["cardtable", "arena", sweep.game, f"ppo:{policy}", *against, "--seed", "2", *options])
    lines = [f"best: no. {row.number}, as TOML ({sweep.out / BEST}):"]
    lines += [f"    {line}".rstrip() for line in form.toml(sweep.game, sweep.options, settings).splitlines()]
    lines += ["as flags:", f"    {form.command_line(sweep.game, sweep.options, settings)} --out DIR"]
    return "\n".join([*lines, _caution(rows), f"    {again}"])


def _caution(rows: Sequence[Row]) -> str:
    """What the figure of the best one is not."""
    combinations = counted(sum(row.mean is not None for row in rows), "combination")
    seeds = counted(len(rows[0].rates), "seed")
    return (
        f"note: the best of {combinations}, and of its {seeds}, was chosen on these deals, so its figure flatters it; "
        "measure it on other deals (and train it with other seeds):"
    )


# ---- Files


def write_files(sweep: Sweep, rows: Sequence[Row]) -> None:
    """Write results as CSV, a line per run, and as JSON, and the best settings as TOML."""
    files.write_whole(sweep.out / CSV, _csv(sweep, rows))
    files.write_whole(sweep.out / JSON, json.dumps(_plain(sweep, rows), indent=1) + "\n")
    if rows[0].mean is not None:
        files.write_whole(sweep.out / BEST, form.toml(sweep.game, sweep.options, best_settings(sweep, rows[0])))


def _csv(sweep: Sweep, rows: Sequence[Row]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["combination", *sweep.varied, "seed", "state", "opponent", "rate", "steps", "minutes", "folder"])
    for row in rows:
        for outcome in row.outcomes:
            values = [form.short(value) for value in row.values.values()]
            rate = "" if outcome.rate is None else outcome.rate
            place, reached = outcome.place, [outcome.opponent, rate, outcome.steps, round(outcome.minutes, 3)]
            writer.writerow([row.number, *values, place.run.seed, place.state, *reached, place.path.name])
    return text.getvalue()


def _plain(sweep: Sweep, rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "format": "cardtable sweep results 1",
        "game": sweep.game,
        "options": dict(sweep.options),
        "settings": sweep.shared,
        "opponent": opponent_of(rows),
        "combinations": [
            {
                "number": row.number,
                "values": row.values,
                "mean": row.mean,
                "interval_95": _interval_of(row),
                "runs": [_plain_run(outcome) for outcome in row.outcomes],
            }
            for row in rows
        ],
    }


def _plain_run(outcome: Outcome) -> dict[str, Any]:
    place = outcome.place
    return {
        "seed": place.run.seed,
        "folder": place.path.name,
        "state": place.state,
        "error": place.error,
        "rate": outcome.rate,
        "steps": outcome.steps,
        "minutes": outcome.minutes,
        "curve": [[point.minutes, point.steps, point.rate] for point in outcome.points],
    }
