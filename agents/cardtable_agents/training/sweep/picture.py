"""The learning curves of a sweep as a picture."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardtable.support.messages import cut
from cardtable.types import Floats
from cardtable_agents.arena.plot import write_picture
from cardtable_agents.training.evaluate import ALONE
from cardtable_agents.training.sweep import form
from cardtable_agents.training.sweep.results import Outcome, Point, Row, opponent_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK = "#333333"
GREY = "#bbbbbb"
MOST_COLOURS = 7
"""Combinations that are told apart by colour, the best; the others are grey."""
LINE = 0.2
"""Inches of a line of the legend."""
LONGEST_LABEL = 110
"""Characters of one."""
SAMPLES = 200
"""Points of a mean curve."""

Axis = Callable[[Point], float]


def draw(rows: Sequence[Row], title: str, even: float | None, by_steps: bool, path: Path) -> None:
    """Write a PNG: the mean over seeds for each combination, in a band from the lowest seed to the highest.

    `even` is the win rate of equal players, None in a game for one; `by_steps` puts steps below in place of minutes.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5 + LINE * min(len(rows), MOST_COLOURS + 1)), layout="constrained")
    axes = figure.subplots()
    _plot(axes, rows, (lambda point: point.steps) if by_steps else (lambda point: point.minutes))
    if axes.lines:
        figure.legend(loc="outside lower left", frameon=False, fontsize=8)
    if even is not None:
        axes.axhline(even, color=INK, linewidth=0.8, linestyle=":")
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel("decisions learned from" if by_steps else "minutes of training")
    opponent = opponent_of(rows)
    axes.set_ylabel("mean return" if opponent == ALONE else f"win rate against {opponent}")
    axes.set_title(title, fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    write_picture(figure, path)


def _plot(axes: "Axes", rows: Sequence[Row], axis: Axis) -> None:
    """The curve of each combination: the best in colours, the others in grey."""
    for place, row in enumerate(rows):
        curve = mean_curve(row.outcomes, axis)
        if curve is None:
            continue
        at, mean, low, high = curve
        if place < MOST_COLOURS:
            axes.fill_between(at, low, high, color=f"C{place}", alpha=0.15, linewidth=0)
            axes.plot(at, mean, color=f"C{place}", label=_label(row), zorder=3)
        else:
            axes.plot(at, mean, color=GREY, linewidth=0.8, label="others" if place == MOST_COLOURS else None)


def mean_curve(outcomes: Sequence[Outcome], axis: Axis) -> tuple[Floats, Floats, Floats, Floats] | None:
    """(where, mean, lowest, highest) over the seeds that are done (if none is, over all), where each has points.

    Between two evaluations of a seed its rate is taken to change evenly. None if there is nothing to draw.
    """
    chosen = [outcome for outcome in outcomes if outcome.done] or [outcome for outcome in outcomes if outcome.points]
    curves = [{axis(point): point.rate for point in outcome.points} for outcome in chosen]
    if not curves:
        return None
    first, last = max(min(curve) for curve in curves), min(max(curve) for curve in curves)
    if first > last:  # seeds that have no time in common: one has ended before another was evaluated
        return None
    at = np.linspace(first, last, SAMPLES)
    rates = np.array([np.interp(at, sorted(curve), [curve[each] for each in sorted(curve)]) for curve in curves])
    return at, rates.mean(axis=0), rates.min(axis=0), rates.max(axis=0)


def _label(row: Row) -> str:
    told = ", ".join(f"{name} {form.cell(value)}" for name, value in row.values.items())
    return cut(f"no. {row.number}{f': {told}' if told else ''}", LONGEST_LABEL)
