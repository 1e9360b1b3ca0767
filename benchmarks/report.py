"""What every benchmark does with its rows: tables in text, a file of results, a picture, the published page."""

import argparse
import json
import os
import statistics
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.measure import Row
from cardtable.cli.arguments import positive_integer
from cardtable.errors import CardtableError, UnknownGame
from cardtable.game.registry import find, game_ids
from cardtable.support import files
from cardtable.support import machine as machines

FORMAT = "cardtable benchmark 1"
LARGEST_FILE = 1 << 24
"""Bytes of a file of results; ours have about 50,000."""
PAGE = Path(__file__).parent / "README.md"
PUBLISHED = Path(__file__).parent / "results"
"""Where the published results and pictures lie."""
PACKAGES = (
    *("cardtable", "numpy", "numba", "pettingzoo", "stable-baselines3", "torch"),
    *("open_spiel", "rlcard", "pygame", "pgx", "jax"),
)

Table = Sequence[Sequence[str]]
"""A heading and lines, all of the same length."""


# ---- Where and with what


def versions() -> dict[str, str]:
    """What was measured with what."""
    return machines.versions(PACKAGES)


def machine() -> dict[str, Any]:
    """What it ran on, and how busy that was with other work."""
    return {**machines.description(), "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None}


def result(benchmark: str, rows: Sequence[Row], ran_on: dict[str, Any], wanted: argparse.Namespace) -> dict[str, Any]:
    """Everything known, for a file that `compare` reads."""
    return {
        "format": FORMAT,
        "benchmark": benchmark,
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "settings": {name: value for name, value in vars(wanted).items() if name not in ("out", "write")},
        "versions": versions(),
        "machine": ran_on,
        "rows": [row.plain() for row in rows],
    }


# ---- Text


def short(number: float) -> str:
    """Three figures: `4.83 M`, `228 k`, `912`."""
    rounded = float(f"{number:.3g}")
    for size, letter in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if rounded >= size:
            return f"{rounded / size:g}{letter}"
    return f"{rounded:g}"


def markdown(table: Table) -> str:
    """A table with aligned columns, the first to the left."""
    widths = [max(len(cell) for cell in column) for column in zip(*table, strict=True)]
    ruler = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    lines = [
        " | ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))])
        for line in (table[0], ruler, *table[1:])
    ]
    return "\n".join(f"| {line} |" for line in lines)


def heading(results: dict[str, Any]) -> str:
    """Command, date, machine, versions and noise, a line each."""
    noise = [row["noise"] for row in results["rows"]]
    lines = [
        f"`python -m benchmarks.{results['benchmark']}`, {results['date'][:10]}: {_listed(results['settings'])}",
        _listed(results["machine"]),
        _listed(results["versions"]),
        f"noise: {statistics.median(noise):.1%} in the middle row, {max(noise):.1%} in the noisiest",
    ]
    return "\n".join(f"- {line}" for line in lines)


def _listed(facts: dict[str, Any]) -> str:
    words = {name: " ".join(map(str, value)) if isinstance(value, list) else value for name, value in facts.items()}
    return ", ".join(f"{name} {value}" for name, value in words.items() if value not in (None, "", False))


def between_markers(page: str, name: str, text: str) -> str:
    """The page with the text in place of what stood between the markers of that name."""
    start, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    before, opened, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not opened or not closed:
        raise ValueError(f"the page has no place for {name}: expected the lines {start.strip()} and {end}")
    return f"{before}{start}\n{text}\n\n{end}{after}"


# ---- Command line


def bare_parser(name: str, description: str) -> argparse.ArgumentParser:
    """A parser that explains a benchmark and understands nothing yet."""
    layout = argparse.RawDescriptionHelpFormatter
    return argparse.ArgumentParser(f"python -m benchmarks.{name}", description=description.strip(), formatter_class=layout)


def new_parser(name: str, description: str) -> argparse.ArgumentParser:
    """A parser with what all benchmarks of our games understand."""
    parser = bare_parser(name, description)
    add = parser.add_argument
    add("--games", nargs="+", default=game_ids(), metavar="GAME", help="games to measure (default: every installed one)")
    add("--out", type=Path, metavar="DIR", help=f"write {name}.json and the picture {name}.png to a folder")
    add_publishing(parser, "tables into benchmarks/README.md, file and picture into benchmarks/results")
    return parser


def add_publishing(parser: argparse.ArgumentParser, where: str) -> None:
    """Whether figures are published, or wanted at all."""
    parser.add_argument("--write", action="store_true", help=f"publish: {where}")
    quick = "a few seconds, to see that everything runs; the figures mean nothing"
    parser.add_argument("--quick", action="store_true", help=quick)


def refuse_quick_figures(parser: argparse.ArgumentParser, wanted: argparse.Namespace) -> None:
    """An error if figures that mean nothing are to be published."""
    if wanted.quick and wanted.write:
        parser.error("--quick with --write: figures that mean nothing are not published")


def add_rounds(parser: argparse.ArgumentParser, rounds: int, seconds: float) -> None:
    """How long to measure."""
    parser.add_argument(
        "--seconds", type=positive, default=seconds, help="time of each row, all rounds together (default: %(default)s)"
    )
    parser.add_argument(
        "--rounds", type=positive_integer, default=rounds, help="how often every row is measured (default: %(default)s)"
    )


def parse(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """What the user asked for, the games by their full ids."""
    wanted = parser.parse_args(arguments)
    try:
        wanted.games = [find(name).id for name in dict.fromkeys(wanted.games)]
    except UnknownGame as error:
        parser.error(str(error))
    refuse_quick_figures(parser, wanted)
    if wanted.out:
        require_room(wanted.out, parser.prog.rpartition(".")[2])
    return wanted


def require_room(folder: Path, benchmark: str) -> None:
    """Learn before anything is measured whether its results can be written; only earlier results may be overwritten."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{benchmark}.json"
    files.require_writable(path)
    if os.path.lexists(path) and not is_results(path):
        raise CardtableError(f"{path} exists and holds no results of a benchmark: move it away, or choose another --out")


def is_results(path: Path) -> bool:
    """Whether this is a file of results."""
    try:
        results = json.loads(files.read_text(path, LARGEST_FILE))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(results, dict) and results.get("format") == FORMAT


def positive(text: str) -> float:
    """The number in an argument; an error unless it is more than 0."""
    number = float(text)
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text}: expected a number above 0")
    return number


def finish(results: dict[str, Any], tables: str, draw: Callable[[Path], None], wanted: argparse.Namespace) -> None:
    """Print the tables, and write what the user asked for."""
    text = f"{heading(results)}\n\n{tables}"
    print(text)
    if wanted.out:
        save(results, draw, wanted.out)
    if wanted.write:
        save(results, draw, PUBLISHED)
        publish(results["benchmark"], text)


def publish(benchmark: str, text: str) -> None:
    """Put the tables of a benchmark and its pictures into the page."""
    pictures = [
        f"![{path.stem}]({path.relative_to(PAGE.parent).as_posix()})" for path in sorted(PUBLISHED.glob(f"{benchmark}*.png"))
    ]
    page = between_markers(PAGE.read_text(encoding="utf-8"), benchmark, "\n\n".join([text, *pictures]))
    files.write_whole(PAGE, page)


def as_json(results: dict[str, Any]) -> str:
    """The text of a file of results, a line for each row."""
    facts = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in results.items() if name != "rows"]
    rows = ",\n".join(json.dumps(row) for row in results["rows"])
    return "{\n" + ",\n".join(facts) + f',\n"rows": [\n{rows}\n]\n}}\n'


def save(results: dict[str, Any], draw: Callable[[Path], None], folder: Path) -> None:
    """Write the file of results and, where matplotlib is installed, the picture."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{results['benchmark']}.json"
    files.write_whole(path, as_json(results))
    try:
        draw(path.with_suffix(".png"))
    except ImportError:
        print(f"results: {path}; no picture: pip install 'cardtable[bench]'", file=sys.stderr)
    else:
        print(f"results: {path}, with a picture beside it", file=sys.stderr)
