"""Two files of results, row by row: what got better, what got worse, and whether that is more than noise.

A row is worse if it fell behind by more than its noise (from the best round to the middle one, the larger of both files,
3 % at least). The exit code is 1 if a row is worse by more than the limit, 2 if the files cannot be compared.

Where both files hold other libraries or the memory floor, the middle change of these rows says how much faster or slower the
machine was, and our rows are compared with that.
"""

import argparse
import json
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.measure import HIGHER
from cardtable.cli import console
from cardtable.support import files

LEAST_NOISE = 0.03
LIMIT = 0.10
NEEDED = ("what", "ours", "unit", "better", "value", "noise")
"""What must be known of a row."""
LEAST_CLOCKS = 3
"""Rows of the machine that make a clock."""


class Incomparable(ValueError):
    """The files are not results of the same benchmark."""


@dataclass(frozen=True)
class Change:
    """What became of a row. Ratios above 1 are better."""

    what: str
    unit: str
    old: float
    new: float
    ratio: float
    """New against old, the machine's own change taken out."""
    noise: float

    @property
    def verdict(self) -> str:
        """`better`, `worse` or nothing."""
        if self.ratio < 1 - self.noise:
            return "worse"
        return "better" if self.ratio > 1 / (1 - self.noise) else ""

    def past(self, limit: float) -> bool:
        """Is it worse by more than the limit, and more than noise?"""
        return self.verdict == "worse" and self.ratio < 1 - limit


def read(path: Path) -> dict[str, Any]:
    """A file of results."""
    try:
        results = json.loads(files.read_text(path, report.LARGEST_FILE))
    except (OSError, ValueError, RecursionError) as error:
        raise Incomparable(f"{path}: cannot be read: {error}") from None
    if not isinstance(results, dict) or results.get("format") != report.FORMAT:
        raise Incomparable(f"{path}: not a results file ({report.FORMAT})")
    rows = results.get("rows")
    if "benchmark" not in results or not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Incomparable(f"{path}: not a results file: it has no benchmark or no rows")
    for number, row in enumerate(rows):
        missing = [name for name in NEEDED if name not in row]
        if missing:
            raise Incomparable(f"{path}: row {number} has no {', '.join(missing)}")
    return results


def gain(old: dict[str, Any], new: dict[str, Any]) -> float:
    """How many times as good the new figure is."""
    better, worse = (new["value"], old["value"]) if old["better"] == HIGHER else (old["value"], new["value"])
    return better / worse if worse else 1.0


def pairs(old: dict[str, Any], new: dict[str, Any]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """The rows that both files hold."""
    if old["benchmark"] != new["benchmark"]:
        raise Incomparable(f"results of {old['benchmark']} and of {new['benchmark']}: expected the same benchmark")
    before = {row["what"]: row for row in old["rows"]}
    found = [(before[row["what"]], row) for row in new["rows"] if row["what"] in before]
    if not found:
        raise Incomparable("the files have no row in common")
    return found


def clock(old: dict[str, Any], new: dict[str, Any]) -> float:
    """How many times as fast the machine was in the new run; 1 where too few rows tell."""
    ratios = [gain(*pair) for pair in pairs(old, new) if not pair[0]["ours"]]
    return statistics.median(ratios) if len(ratios) >= LEAST_CLOCKS else 1.0


def changes(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    """What became of every row of ours."""
    speed = clock(old, new)
    return [
        Change(
            what=before["what"],
            unit=before["unit"],
            old=before["value"],
            new=after["value"],
            ratio=gain(before, after) / speed,
            noise=max(before["noise"], after["noise"], LEAST_NOISE),
        )
        for before, after in pairs(old, new)
        if before["ours"]
    ]


def table(found: Sequence[Change]) -> report.Table:
    """A line for each change."""
    lines = [["", "unit", "old", "new", "new ÷ old", "noise", ""]]
    for each in found:
        figures = [report.short(each.old), report.short(each.new), f"{each.ratio:.2f}", f"{each.noise:.0%}"]
        lines.append([each.what, each.unit, *figures, each.verdict])
    return lines


def summary(found: Sequence[Change], speed: float) -> str:
    """How many rows moved, on what clock."""
    counts = {verdict: sum(each.verdict == verdict for each in found) for verdict in ("better", "worse")}
    middle = statistics.median(each.ratio for each in found)
    return (
        f"{len(found)} rows: {counts['better']} better, {counts['worse']} worse, the others within noise; "
        f"middle row × {middle:.2f}. Machine × {speed:.2f}, taken out of the ratios; above 1 is better."
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, print, and say by the exit code whether something is worse past the limit."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m benchmarks.compare", description=__doc__, formatter_class=layout)
    parser.add_argument("old", type=Path, metavar="OLD.json", help="results before a change (a benchmark's --out writes them)")
    parser.add_argument("new", type=Path, metavar="NEW.json", help="results after it")
    parser.add_argument(
        "--limit", type=report.positive, default=LIMIT, help="share by which a row may be worse (default: %(default)s)"
    )
    parser.add_argument("--all", action="store_true", help="show rows within noise too")
    wanted = parser.parse_args(arguments)
    try:
        old, new = read(wanted.old), read(wanted.new)
        found = changes(old, new)
        speed = clock(old, new)
    except Incomparable as error:
        print(error, file=sys.stderr)
        return 2
    print(report.markdown(table([each for each in found if wanted.all or each.verdict])))
    print(f"\n{summary(found, speed)}")
    past = [each for each in found if each.past(wanted.limit)]
    for each in past:
        print(f"worse by more than {wanted.limit:.0%}: {each.what}: × {each.ratio:.2f}", file=sys.stderr)
    return 1 if past else 0


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.compare", main))
