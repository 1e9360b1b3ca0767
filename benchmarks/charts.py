"""The pictures of the benchmarks. Matplotlib is imported when something is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cardtable_agents.arena.plot import write_picture

from benchmarks.report import short

COLOURS = ("#4878a8", "#c98a3c", "#6a9a58", "#a85858", "#7f6aa6", "#4fa3a3", "#8a8a8a")
INK = "#333333"


@dataclass(frozen=True)
class Bar:
    """A bar; bars of a group have one colour."""

    name: str
    group: str
    value: float


@dataclass(frozen=True)
class Line:
    """A line through points."""

    name: str
    x: Sequence[float]
    y: Sequence[float]


@dataclass(frozen=True)
class Panel:
    """Some lines in one picture."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    x_scale: str = "linear"
    y_scale: str = "linear"


@dataclass(frozen=True)
class Curve:
    """Rates by what was spent on them, and the interval around each."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]


@dataclass(frozen=True)
class CurvePanel:
    """Some curves of rates in one picture."""

    title: str
    x_label: str
    curves: Sequence[Curve]


@dataclass(frozen=True)
class Span:
    """A share of wins with its interval; spans of a group have one colour."""

    name: str
    group: int
    value: float
    low: float
    high: float
    even: float
    """What an equal player would win."""


def draw_spans(spans: Sequence[Span], title: str, path: Path) -> None:
    """Write a PNG: a line for each share, its interval, and a mark where it would be even."""
    from matplotlib.figure import Figure

    groups = sorted({span.group for span in spans})
    colours = dict(zip(groups, COLOURS, strict=False))
    figure = Figure(figsize=(9, 1.2 + 0.24 * len(spans)), layout="constrained")
    axes = figure.subplots()
    for place, span in zip(range(len(spans), 0, -1), spans, strict=True):
        axes.plot([span.low, span.high], [place, place], color=colours[span.group], linewidth=2)
        axes.plot([span.value], [place], "o", color=colours[span.group], markersize=5)
        axes.plot([span.even], [place], "|", color=INK, markersize=9)
    axes.set_yticks(range(len(spans), 0, -1), [span.name for span in spans], fontsize=8)
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    _finish(figure, [axes], [title], path)


def draw_bars(bars: Sequence[Bar], title: str, path: Path) -> None:
    """Write a PNG: a horizontal bar for each figure, on a log scale, in the order given."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    groups = list(dict.fromkeys(bar.group for bar in bars))
    colours = dict(zip(groups, COLOURS, strict=False))
    figure = Figure(figsize=(9, 1.2 + 0.24 * len(bars)), layout="constrained")
    axes = figure.subplots()
    places = range(len(bars), 0, -1)
    axes.barh(places, [bar.value for bar in bars], height=0.72, color=[colours[bar.group] for bar in bars])
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(lambda value, _: short(value))
    axes.xaxis.set_minor_formatter("")
    axes.set_xlim(min(bar.value for bar in bars) / 2, max(bar.value for bar in bars) * 3)
    for place, bar in zip(places, bars, strict=True):
        axes.text(bar.value * 1.06, place, short(bar.value), va="center", color=INK, fontsize=8)
    axes.set_yticks(places, [bar.name for bar in bars], fontsize=8)
    axes.margins(y=0.01)
    axes.legend(handles=[Patch(color=colours[group], label=group) for group in groups], fontsize=8, frameon=False)
    _finish(figure, [axes], [title], path)


def draw_lines(panels: Sequence[Panel], path: Path) -> None:
    """Write a PNG: panels of lines beside each other."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5 * len(panels), 3.8), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, panel in zip(all_axes, panels, strict=True):
        for line, colour in zip(panel.lines, COLOURS, strict=False):
            axes.plot(line.x, line.y, marker="o", markersize=4, color=colour, label=line.name)
        axes.set_xscale(panel.x_scale, **({"base": 2} if panel.x_scale == "log" else {}))
        axes.set_xticks(sorted({x for line in panel.lines for x in line.x}))
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.tick_params(axis="x", labelsize=8)
        axes.set_yscale(panel.y_scale)
        if panel.y_scale == "linear":
            axes.set_ylim(0, 1.25 * max(y for line in panel.lines for y in line.y))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
        axes.yaxis.set_minor_formatter(lambda value, _: f"{value:,.0f}" if f"{value:.0e}"[0] in "125" else "")
        axes.set_xlabel(panel.x_label)
        axes.set_ylabel(panel.y_label)
        axes.legend(fontsize=8, frameon=False)
    _finish(figure, list(all_axes), [panel.title for panel in panels], path)


def draw_curves(panels: Sequence[CurvePanel], path: Path) -> None:
    """Write a PNG: panels of rates with bands around them, each on a log axis of its own and all on the same percentages."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.5 * len(panels), 3.8), layout="constrained")
    all_axes = figure.subplots(1, len(panels), squeeze=False, sharey=True)[0]
    for axes, panel in zip(all_axes, panels, strict=True):
        for curve, colour in zip(panel.curves, COLOURS, strict=False):
            axes.plot(curve.x, curve.y, marker="o", markersize=3, color=colour, label=curve.name)
            axes.fill_between(curve.x, curve.low, curve.high, color=colour, alpha=0.2, linewidth=0)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda value, _: short(value))
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
        axes.set_ylim(bottom=0)
        axes.set_xlabel(panel.x_label)
        axes.legend(fontsize=8, frameon=False, loc="upper left")
    _finish(figure, list(all_axes), [panel.title for panel in panels], path)


def _finish(figure: Any, all_axes: Sequence[Any], titles: Sequence[str], path: Path) -> None:
    for axes, title in zip(all_axes, titles, strict=True):
        axes.set_title(title, fontsize=11, loc="left")
        axes.spines[["top", "right"]].set_visible(False)
    write_picture(figure, path)
