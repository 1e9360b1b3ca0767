"""`python -m benchmarks.cost`: processor time of a million games of an arena, by game and pairing, for docs/scale.md.

One process plays, with everything that an arena does to a game: views, records forgotten, games played a second time to check
them, lines made. The same games are played in several rounds, of which the best counts: other work on the machine only ever
slows a round down. Hours on more cores are computed: processor time divided by cores.
"""

import json
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cardtable_agents.arena import tournament
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.work import ArenaWork, Players, Task
from threadpoolctl import threadpool_limits

from benchmarks import report
from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.errors import CardtableError
from cardtable.game.registry import find, game_ids
from cardtable.players.keys import open_salt
from cardtable.support import files

PAIRINGS = (
    ("random", "random"),
    ("heuristic", "random"),
    ("heuristic", "heuristic"),
    ("ppo", "heuristic"),
    ("search:100", "heuristic"),
)
CORES = (10, 100, 1000)
MILLION = 1_000_000
QUICK = 0.02
FORMAT = "cardtable cost 1"
RESULTS = report.PUBLISHED / "cost.json"
PAGE = Path(__file__).parent.parent / "docs" / "scale.md"
LARGEST_FILE = 1 << 20


def seconds_of_a_game(game: str, agents: Sequence[str], seconds: float, rounds: int) -> float:
    """Processor time of a game in the best of some rounds of about so many seconds, after a start that does not count."""
    plan = make_plan(game, {}, agents)
    tournament.prepare(plan)
    work, seatings = ArenaWork(Players(plan, open_salt("cost"))), tuple(plan.seatings()[0])

    def spent(task: Task) -> float:
        start = time.process_time()
        work.play(task)
        return time.process_time() - start

    with threadpool_limits(1):
        work.play(Task(seatings, 0, 1))
        task = Task(seatings, 1, 1)
        while (first := spent(task)) < seconds / 2:
            task = Task(seatings, 1, task.number * 2)
        best = min([first, *(spent(task) for _ in range(rounds - 1))])
    return best / task.games


def two_digits(value: float) -> str:
    """A number with two digits: more are not known."""
    return f"{float(f'{value:.2g}'):,g}"


def hours(seconds: float) -> str:
    """A time in words."""
    if seconds < 120:
        return f"{two_digits(seconds)} s"
    return f"{two_digits(seconds / 60)} min" if seconds < 7200 else f"{two_digits(seconds / 3600)} h"


def table(rows: Sequence[dict[str, Any]]) -> str:
    """The rows as a table in Markdown."""
    lines = [["game", "agents", "ms a game", "a million on 1 core", *(f"{cores:,} cores" for cores in CORES)]]
    for row in rows:
        total = row["seconds"] * MILLION
        lines.append(
            [
                find(row["game"]).title,
                " – ".join(row["agents"]),
                two_digits(1000 * row["seconds"]),
                hours(total),
                *(hours(total / each) for each in CORES),
            ]
        )
    return report.markdown(lines)


def page_text(results: dict[str, Any]) -> str:
    """The table, and how it was made."""
    command = f"python -m benchmarks.cost --seconds {results['seconds']:g} --rounds {results['rounds']} --write"
    what = "Processor time of one process, two players, default options"
    return f"{what}: `{command}`, {results['date']}, {results['processor']}.\n\n{table(results['rows'])}"


def published() -> dict[str, Any] | None:
    """The results that the page shows."""
    if not RESULTS.exists():
        return None
    results: dict[str, Any] = json.loads(files.read_text(RESULTS, LARGEST_FILE))
    if results.get("format") != FORMAT:
        raise CardtableError(f"{RESULTS}: not results of this benchmark")
    return results


def publish(results: dict[str, Any]) -> None:
    """Write results and page."""
    files.write_whole(RESULTS, json.dumps(results, indent=1) + "\n")
    files.write_whole(PAGE, report.between_markers(PAGE.read_text(encoding="utf-8"), "cost", page_text(results)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = report.bare_parser("cost", __doc__ or "")
    parser.add_argument(
        "--seconds", type=report.positive, default=2.0, help="processor time of each round of a row (default: %(default)s)"
    )
    parser.add_argument("--rounds", type=positive_integer, default=3, help="of each row (default: %(default)s)")
    parser.add_argument("--games", nargs="+", default=game_ids(), metavar="GAME", help="which games (default: all)")
    report.add_publishing(parser, "the table into docs/scale.md, its rows into benchmarks/results")
    wanted = parser.parse_args(arguments)
    report.refuse_quick_figures(parser, wanted)
    if wanted.write and wanted.games != game_ids():
        parser.error("--games with --write: the table is of all games")
    seconds, rounds = (QUICK, 1) if wanted.quick else (wanted.seconds, wanted.rounds)
    rows = []
    for game in wanted.games:
        for agents in PAIRINGS:
            found = seconds_of_a_game(game, agents, seconds, rounds)
            rows.append({"game": game, "agents": agents, "seconds": float(f"{found:.4g}")})
            print(f"{game}: {' – '.join(agents)}: {1000 * found:.3g} ms a game", file=sys.stderr, flush=True)
    when = {"date": datetime.now(UTC).date().isoformat(), "processor": report.machine()["processor"]}
    results = {"format": FORMAT, **when, "seconds": seconds, "rounds": rounds, "rows": rows}
    if wanted.write:
        publish(results)
    print(table(rows))


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.cost", main))
