"""The learning curve of a training run as a picture."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from cardtable_agents.arena.plot import write_picture
from cardtable_agents.training.evaluate import ALONE

INK = "#333333"
SHADE = "#e8eef5"


def draw(lines: Sequence[dict[str, Any]], title: str, path: Path, even: float = 0.5) -> None:
    """Write a PNG: win rates against each opponent over the minutes of the run; imitation is shaded.

    In a game for one player it is the mean return; the dotted line is what equal strength, or a return of nothing, would be.
    """
    from matplotlib.figure import Figure

    evaluations = [line for line in lines if "evaluation" in line]
    alone = any(ALONE in line["evaluation"] for line in evaluations)
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    imitation = [line["seconds"] / 60 for line in lines if line["phase"] == "imitation"]
    if imitation:
        axes.axvspan(0, max(imitation), color=SHADE, label="imitation")
    for name in dict.fromkeys(name for line in evaluations for name in line["evaluation"]):
        points = [(line["seconds"] / 60, line["evaluation"][name]) for line in evaluations if name in line["evaluation"]]
        axes.plot(*zip(*points, strict=True), marker="o", markersize=3, label=f"mean {name}" if alone else f"against {name}")
    axes.axhline(0.0 if alone else even, color=INK, linewidth=0.8, linestyle=":")
    axes.set_xlabel("minutes of training")
    axes.set_ylabel("mean return" if alone else "win rate")
    if not alone:
        axes.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    axes.set_title(title, fontsize=11, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="best", frameon=False)
    write_picture(figure, path)
