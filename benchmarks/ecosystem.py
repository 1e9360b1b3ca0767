"""Every library that plays our games: how many decisions it takes in a second, and whether it learns.

Each library is measured in a process of its own, and left out with a line if it is not installed. Libraries that cannot
live in one environment are measured in several: a run replaces the rows of those that it has measured, and keeps the others.
`make ecosystem` makes the environments. A library learns if, after training, it wins more against random play than chance
would give it.
"""

import json
import subprocess
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cardtable_agents.arena.standings import wilson

from benchmarks import report
from benchmarks.libraries import NOT_INSTALLED, library_names
from cardtable.cli import console
from cardtable.errors import CardtableError
from cardtable.support import files

FORMAT = "cardtable ecosystem 1"
RESULTS = report.PUBLISHED / "ecosystem.json"
PAGE = Path(__file__).parent.parent / "docs" / "libraries" / "README.md"
LARGEST_FILE = 1 << 20
QUICK = ("--seconds", "0.2", "--learning", "0")
HEAD = ("library", "version", "line", "decisions/s", "learns: wins against random, before → after")

Measured = dict[str, Any]
"""A row of the table: what a process of `benchmarks.libraries` prints."""


def measure(name: str, further: Sequence[str]) -> list[Measured]:
    """The rows of a library, measured in a process of its own; none if it is not installed."""
    command = [sys.executable, "-m", "benchmarks.libraries", name, *further]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    told = done.stderr.strip().splitlines()
    if done.returncode == NOT_INSTALLED:
        print(f"skipped: {name}: {told[-1] if told else 'not installed'}", file=sys.stderr)
        return []
    if done.returncode:
        raise CardtableError(f"{name}: {' '.join(command[1:])} ended with {done.returncode}:\n" + "\n".join(told[-20:]))
    return [{**json.loads(line), **_when()} for line in done.stdout.splitlines() if line.startswith("{")]


def _when() -> dict[str, Any]:
    return {"date": datetime.now(UTC).date().isoformat(), "processor": report.machine()["processor"]}


def united(earlier: Iterable[Measured], rows: Sequence[Measured]) -> list[Measured]:
    """The rows of earlier runs, those of the libraries that were measured now replaced."""
    again = {row["package"] for row in rows}
    return sorted([*rows, *(row for row in earlier if row["package"] not in again)], key=lambda row: row["name"].lower())


def learns(learned: dict[str, Any] | None) -> str:
    """Whether a library has learned, and the wins that say so; by intervals that do not meet."""
    if learned is None:
        return "–"
    before, after, games = learned["before"], learned["after"], learned["games"]
    better = wilson(after * games, games)[0] > wilson(before * games, games)[1]
    shares = f"{before:.0%} → {after:.0%} of {games:,} games in {learned['seconds']:.0f} s"
    return f"{'yes' if better else 'no'}: {shares}"


def table(rows: Sequence[Measured]) -> str:
    """The rows as a table in Markdown."""
    lines = [
        [
            row["name"],
            f"{row['package']} {row['version']}",
            f"`{row['line']}`",
            report.short(row["rate"]),
            learns(row["learned"]),
        ]
        for row in rows
    ]
    return report.markdown([HEAD, *lines])


def published() -> list[Measured]:
    """The rows of earlier runs."""
    if not RESULTS.exists():
        return []
    results = json.loads(files.read_text(RESULTS, LARGEST_FILE))
    if results.get("format") != FORMAT:
        raise CardtableError(f"{RESULTS}: not results of this benchmark")
    return list(results["rows"])


def publish(rows: Sequence[Measured]) -> None:
    """Write rows and page."""
    lines = ",\n".join(json.dumps(row) for row in rows)
    files.write_whole(RESULTS, f'{{"format": {json.dumps(FORMAT)}, "rows": [\n{lines}\n]}}\n')
    page = report.between_markers(PAGE.read_text(encoding="utf-8"), "ecosystem", page_text(rows))
    files.write_whole(PAGE, page)


def page_text(rows: Sequence[Measured]) -> str:
    """The table, and how it was made."""
    processors = ", ".join(dict.fromkeys(row["processor"] for row in rows))
    dates = sorted({row["date"] for row in rows})
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return f"`make ecosystem-publish`, {when}, {processors}\n\n{table(rows)}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the libraries that are named, or all."""
    parser = report.bare_parser("ecosystem", __doc__ or "")
    parser.add_argument("libraries", nargs="*", metavar="LIBRARY", help=f"of {', '.join(library_names())} (default: all)")
    report.add_publishing(parser, "the table into docs/libraries/README.md, its rows into benchmarks/results")
    wanted = parser.parse_args(arguments)
    if unknown := sorted(set(wanted.libraries) - set(library_names())):
        parser.error(f"unknown: {', '.join(unknown)}; known: {', '.join(library_names())}")
    report.refuse_quick_figures(parser, wanted)
    rows: list[Measured] = []
    for name in wanted.libraries or library_names():
        found = measure(name, QUICK if wanted.quick else ())
        rows += found
        for row in found:
            print(f"{row['name']}: {report.short(row['rate'])} decisions/s; learns: {learns(row['learned'])}", flush=True)
    if wanted.write:
        publish(united(published(), rows))
    print(table(rows))


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.ecosystem", main))
