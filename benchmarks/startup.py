"""How long a fresh process takes until it plays: imports, the first reset, the first step, with kernels compiled and without.

- imports: what `cardtable` and a player of `cardtable_agents` cost, beside the libraries under them; none may load torch;
- warm: compiled kernels are on disk, as in every start but the first;
- cold: nothing is compiled yet, as in the first start of a version.

Timed is the inside of the process, without the start of Python itself. Processes are started in turn, in several rounds;
the fastest round counts. The cold start is measured once.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from tqdm import tqdm

from benchmarks import charts, report
from benchmarks.measure import LOWER, Row
from cardtable.cli import console
from cardtable.cli.arguments import positive_integer

ROUNDS = 5
MODULES = ("numpy", "numba", "pettingzoo", "cardtable", "cardtable_agents.players.search")
HEAVY = ("torch", "stable_baselines3", "matplotlib", "ray")
"""Libraries that must not be loaded before they are needed."""
TOTAL = "all"

LAPS = """
import json, sys
from time import perf_counter
start, laps = perf_counter(), {{}}
def lap(name):
    global start
    laps[name], start = perf_counter() - start, perf_counter()
{steps}
print(json.dumps([laps, [name for name in {heavy} if name in sys.modules]]))
"""
FIRST_STEPS = """
from cardtable.envs.aec import TableEnv
from cardtable.game.registry import find
game = find({game_id!r})
lap("import")
env = TableEnv(game)
env.reset(seed=0)
lap("first reset")
env.step(int(env.last()[0]["action_mask"].argmax()))
lap("first step")
"""


@dataclass
class Probe:
    """A program that times itself in a fresh process, and the rows that its laps go to."""

    name: str
    group: str
    steps: str
    rows: dict[str, Row] = field(default_factory=dict)

    def run(self, environment: dict[str, str]) -> None:
        """Start the program once; its laps are a round of its rows."""
        program = LAPS.format(steps=self.steps, heavy=HEAVY)
        done = subprocess.run(
            [sys.executable, "-c", program], env=os.environ | environment, stdout=subprocess.PIPE, text=True, check=True
        )
        laps, heavy = json.loads(done.stdout)
        for lap, seconds in (laps | {TOTAL: sum(laps.values())}).items():
            self._row(lap, heavy).rounds.append(seconds)

    def _row(self, lap: str, heavy: Sequence[str]) -> Row:
        details = {"probe": self.name, "lap": lap, "heavy": list(heavy)}
        new = Row(f"{self.name}: {lap}", self.group, unit="s", better=LOWER, details=details)
        return self.rows.setdefault(lap, new)

    def __str__(self) -> str:
        return self.name


def probes_of_imports() -> list[Probe]:
    """A probe for each module."""
    return [Probe(f"import {module}", "imports", f"import {module}\nlap('import')") for module in MODULES]


def probe_of(game_id: str, group: str) -> Probe:
    """From the first import to the first step of a game."""
    return Probe(f"{game_id}, {group}", group, FIRST_STEPS.format(game_id=game_id))


def measure(warm: Sequence[Probe], cold: Sequence[Probe], rounds: int) -> None:
    """Run the warm probes in turn, `rounds` times, then every cold one, in an empty cache of its own."""
    with tqdm(total=rounds * len(warm) + len(cold), unit="start", desc="starting", file=sys.stderr) as progress:

        def run(probe: Probe, environment: dict[str, str]) -> None:
            progress.set_postfix_str(str(probe))
            probe.run(environment)
            progress.update()

        for _ in range(rounds):
            for probe in warm:
                run(probe, {})
        for probe in cold:
            with tempfile.TemporaryDirectory() as folder:
                run(probe, {"CARDTABLE_CACHE": folder})


# ---- Report


def table(probes: Sequence[Probe], laps: Sequence[str], title: str) -> report.Table:
    """Seconds of each lap of each probe."""
    lines = [[title, *laps]]
    for probe in probes:
        lines.append([probe.name, *(f"{probe.rows[lap].value:.2f}" for lap in laps)])
    return lines


def imports_table(probes: Sequence[Probe]) -> report.Table:
    """Seconds of each import, and which heavy libraries it loads."""
    lines = [["seconds", "import", "heavy libraries loaded"]]
    for probe in probes:
        row = probe.rows[TOTAL]
        lines.append([probe.name, f"{row.value:.2f}", ", ".join(row.details["heavy"]) or "none"])
    return lines


def tables(imports: Sequence[Probe], starts: Sequence[Probe]) -> str:
    """Both tables, as text."""
    laps = ("import", "first reset", "first step", TOTAL)
    return f"{report.markdown(imports_table(imports))}\n\n{report.markdown(table(starts, laps, 'seconds'))}"


def bars(probes: Sequence[Probe]) -> list[charts.Bar]:
    """The whole time of every probe."""
    return [charts.Bar(probe.name, probe.group, probe.rows[TOTAL].value) for probe in probes]


# ---- Command line


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """What the user asked for."""
    parser = report.new_parser("startup", __doc__ or "")
    parser.add_argument(
        "--rounds", type=positive_integer, default=ROUNDS, help="warm starts of each kind (default: %(default)s)"
    )
    parser.add_argument("--no-cold", dest="cold", action="store_false", help="leave out the starts that compile")
    wanted = report.parse(parser, arguments)
    if wanted.quick:
        wanted.rounds, wanted.cold = 1, False
    return wanted


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and report."""
    wanted = parse(arguments)
    ran_on = report.machine()
    imports, warm = probes_of_imports(), [probe_of(game, "warm") for game in wanted.games]
    cold = [probe_of(game, "cold") for game in wanted.games] if wanted.cold else []
    measure([*imports, *warm], cold, wanted.rounds)
    probes = [*imports, *warm, *cold]
    rows = [row for probe in probes for row in probe.rows.values()]
    draw = partial(charts.draw_bars, bars(probes), "seconds from the first import (log scale)")
    report.finish(report.result("startup", rows, ran_on, wanted), tables(imports, [*warm, *cold]), draw, wanted)


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.startup", main))
