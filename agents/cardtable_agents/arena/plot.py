"""The standings of an arena as a picture."""

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cardtable.support import files
from cardtable.types import Floats
from cardtable_agents.arena.standings import Standing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH = 150
BAR = "#4878a8"
INK = "#333333"
SHARES = "RdBu"
"""Colours of shares from 0 to 1: told apart by those who do not tell red from green."""


def draw(rows: Sequence[Standing], title: str, even: float, path: Path) -> None:
    """Write a PNG: a bar with its 95 % interval for each agent's win rate; `even` is the rate of equal agents."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 1.4 + 0.5 * len(rows)), layout="constrained")
    axes = figure.subplots()
    rows = list(reversed(rows))
    rates = [row.rate for row in rows]
    below = [max(row.rate - row.interval[0], 0) for row in rows]
    above = [max(row.interval[1] - row.rate, 0) for row in rows]
    axes.barh(range(len(rows)), rates, xerr=[below, above], height=0.6, color=BAR, ecolor=INK, capsize=4)
    axes.axvline(even, color=INK, linewidth=0.8, linestyle=":")
    for place, row in enumerate(rows):
        axes.text(1.02, place, f"{row.rate:.1%}   {row.elo:+.0f} Elo", va="center", ha="left", color=INK, fontsize=9)
    axes.set_yticks(range(len(rows)), [row.agent for row in rows])
    axes.set_xlim(0, 1)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_xlabel("win rate, with 95 % interval")
    axes.set_title(title, fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    write_picture(figure, path)


def draw_matrix(agents: Sequence[str], matrix: Floats, title: str, path: Path) -> None:
    """Write a PNG: how often the agent of each row came before that of each column."""
    from matplotlib.figure import Figure

    size = 1.8 + 0.8 * len(agents)
    figure = Figure(figsize=(size + 1.2, size), layout="constrained")
    axes = figure.subplots()
    axes.imshow(matrix[:, :, 0], cmap=SHARES, vmin=-0.5, vmax=1.5)  # pale: there is text on it
    for row, column in np.argwhere(~np.isnan(matrix[:, :, 0])):
        rate, low, high = matrix[row, column]
        axes.text(column, row, f"{rate:.0%}\n±{(high - low) / 2:.0%}", va="center", ha="center", color=INK, fontsize=8)
    axes.set_xticks(range(len(agents)), agents, rotation=30, ha="right")
    axes.set_yticks(range(len(agents)), agents)
    axes.set_title(f"{title}\nwins of the row against the column", fontsize=10, loc="left")
    axes.spines[:].set_visible(False)
    write_picture(figure, path)


def write_picture(figure: "Figure", path: Path) -> None:
    """Write a figure of matplotlib as a PNG."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png", dpi=DOTS_PER_INCH)
    files.write_whole(path, picture.getvalue())
