"""Decisions per second of every installed game, beside other libraries and the speed of memory, in one run.

Every row counts decisions of players and is timed over what its loop must do, the choice of actions left out:

- turn by turn (AEC): random games are recorded beforehand, then played again; timed is `last()` + `step(action)` of
  every decision, not `reset`;
- batches: timed is `step`, which checks that actions are legal and deals the next game of a lane whose game ended;
- two threads: the same, each thread with a batch of its own;
- play-outs: timed is `play_out`: random legal actions chosen inside the compiled loop, nothing observed;
- SB3 VecEnv: timed is `action_masks` + `step`, counted are the learner's decisions; random opponents play between them;
- memory floor: timed is filling the arrays of observations and masks of a batch with zeros;
- other libraries: benchmarks/peers says of each how it is driven.

All rows are measured in turn, a short while each, in several rounds. A row's figure is the best of its rounds: other
processes only ever slow it down. Ratios hold within one run.
"""

import sys
from collections.abc import Sequence
from functools import partial
from itertools import chain, product

from tqdm import tqdm

from benchmarks import charts, ours, peers, report
from benchmarks.measure import Contestant, Row, measure_in_turn
from benchmarks.ours import AEC_RAW, AEC_WRAPPED, PLAY_OUTS, SB3, batch_kind, floor_kind, threads_kind
from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.game.registry import find

BATCHES = (1, 64, 1024, 4096, 16384)
QUICK_BATCHES = (1, 64)
ROUNDS, SECONDS = 12, 1.2
QUICK_ROUNDS, QUICK_SECONDS = 2, 0.002
YARDSTICK_BATCH = 1024
"""The batch that is compared with other libraries; the largest one if it is not measured."""


class Rates:
    """The figures of a run, to be looked up by setup and kind."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self.rows = rows
        self._rates = {row.what: row.value for row in rows}

    @property
    def setups(self) -> list[str]:
        """Every game with every set of options measured, in order."""
        return list(dict.fromkeys(row.details["setup"] for row in self.rows if "setup" in row.details))

    @property
    def games(self) -> list[str]:
        """The setups with default options."""
        return [setup for setup in self.setups if " " not in setup]

    @property
    def peers(self) -> list[Row]:
        """The rows of other libraries."""
        return [row for row in self.rows if "setup" not in row.details]

    def of(self, setup: str, kind: str) -> float:
        """Decisions per second; not a number where that was not measured."""
        return self._rates.get(f"{setup}: {kind}", float("nan"))


def cell(number: float) -> str:
    """A figure, or nothing."""
    return report.short(number) if number == number else ""


def times(ratio: float) -> str:
    """A ratio in two or three figures."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2f}"


# ---- Tables


def one_thread(rates: Rates, batches: Sequence[int]) -> report.Table:
    """Every setup: turn by turn, batches with observation and mask, play-outs."""
    kinds = [AEC_RAW, AEC_WRAPPED, *map(batch_kind, batches), PLAY_OUTS]
    heads = ["decisions/s", AEC_RAW, AEC_WRAPPED, *(f"batch {size:,}" for size in batches), PLAY_OUTS]
    return [heads, *([setup, *(cell(rates.of(setup, kind)) for kind in kinds)] for setup in rates.setups)]


def mask_only(rates: Rates, batches: Sequence[int]) -> report.Table:
    """Every setup: batches without observations."""
    kinds = [batch_kind(size, observe=False) for size in batches]
    heads = ["decisions/s, mask only", *(f"batch {size:,}" for size in batches)]
    return [heads, *([setup, *(cell(rates.of(setup, kind)) for kind in kinds)] for setup in rates.setups)]


def two_threads(rates: Rates, batches: Sequence[int]) -> report.Table:
    """Default options: decisions per second of two threads together, and how many times those of one."""

    def both(game: str, kind: str) -> str:
        threaded = rates.of(game, threads_kind(kind))
        return f"{cell(threaded)} ({threaded / rates.of(game, kind):.1f} ×)"

    lines = [["two threads, decisions/s", *(f"batch {size:,}" for size in batches), PLAY_OUTS]]
    for game, observe in product(rates.games, (True, False)):
        kinds = [batch_kind(size, observe=observe) for size in batches]
        name, last = (game, both(game, PLAY_OUTS)) if observe else (f"{game}, mask only", "")
        lines.append([name, *(both(game, kind) for kind in kinds), last])
    return lines


def above_floor(rates: Rates, batches: Sequence[int]) -> report.Table:
    """Default options: the time of a step as a multiple of the time that writing its output takes."""
    lines = [["time ÷ memory floor", *(f"batch {size:,}" for size in batches)]]
    for game in rates.games:
        multiples = [rates.of(game, floor_kind(size)) / rates.of(game, batch_kind(size)) for size in batches]
        lines.append([game, *(f"{multiple:.2f}" for multiple in multiples)])
    return lines


def learners(rates: Rates) -> report.Table:
    """Default options: steps of a VecEnv."""
    return [["learner's decisions/s", SB3], *([game, cell(rates.of(game, SB3))] for game in rates.games)]


def beside_peers(rates: Rates, batches: Sequence[int]) -> report.Table:
    """Other libraries, and how many times as many decisions our games make in the same time."""
    size = yardstick(batches)
    against = {AEC_RAW: AEC_RAW, AEC_WRAPPED: AEC_WRAPPED, f"batch {size:,}": batch_kind(size)}
    lines = [["", "decisions/s", *(f"{words} ÷ it" for words in against)]]
    for peer in rates.peers:
        ratios = [" / ".join(times(rates.of(game, kind) / peer.value) for game in rates.games) for kind in against.values()]
        lines.append([peer.what, cell(peer.value), *ratios])
    return lines


def yardstick(batches: Sequence[int]) -> int:
    """The batch size that is compared with other libraries."""
    return YARDSTICK_BATCH if YARDSTICK_BATCH in batches else max(batches)


def tables(rates: Rates, batches: Sequence[int]) -> str:
    """All tables, as text."""
    parts = [
        "**One thread, observation and mask.**",
        report.markdown(one_thread(rates, batches)),
        report.markdown(mask_only(rates, batches)),
        "**Default options.**",
        report.markdown(two_threads(rates, batches)),
        report.markdown(above_floor(rates, batches)),
        report.markdown(learners(rates)),
    ]
    if rates.peers:
        parts.append(f"**Other libraries**, and how many times as many decisions {' / '.join(rates.games)} make.")
        parts.append(report.markdown(beside_peers(rates, batches)))
    return "\n\n".join(parts)


# ---- Picture


def bars(rates: Rates, batches: Sequence[int]) -> list[charts.Bar]:
    """What the picture shows: our games with default options, then the other libraries."""
    size = yardstick(batches)
    shown = {PLAY_OUTS: PLAY_OUTS, batch_kind(size): f"batch {size:,}", AEC_RAW: AEC_RAW, AEC_WRAPPED: AEC_WRAPPED}
    own = [
        charts.Bar(f"{game} {words}", "cardtable", rates.of(game, kind))
        for game in rates.games
        for kind, words in shown.items()
    ]
    return own + [charts.Bar(peer.what, peer.group, peer.value) for peer in rates.peers]


# ---- Command line


def gather(games: Sequence[str], batches: Sequence[int], libraries: Sequence[str]) -> list[Contestant]:
    """Everything that is to be measured, ready to run: games dealt, turns recorded, peers compiled."""
    own = (contestant for name in games for contestant in ours.contestants(find(name), batches))
    return list(tqdm(chain(own, peers.contestants(libraries)), desc="preparing", unit="row", file=sys.stderr))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and report."""
    parser = report.new_parser("throughput", __doc__ or "")
    parser.add_argument(
        "--batch",
        nargs="+",
        type=positive_integer,
        default=list(BATCHES),
        metavar="N",
        help=f"batch sizes (default: {BATCHES})",
    )
    report.add_rounds(parser, ROUNDS, SECONDS)
    names = list(peers.MODULES)
    parser.add_argument(
        "--peers",
        nargs="*",
        choices=names,
        default=names,
        help="other libraries, each if installed (default: all); none: our games only",
    )
    wanted = report.parse(parser, arguments)
    if wanted.quick:
        wanted.batch, wanted.rounds, wanted.seconds = list(QUICK_BATCHES), QUICK_ROUNDS, QUICK_SECONDS
    ran_on = report.machine()
    contestants = gather(wanted.games, wanted.batch, wanted.peers)
    measure_in_turn(contestants, wanted.rounds, wanted.seconds)
    rows = [contestant.row for contestant in contestants]
    rates = Rates(rows)
    draw = partial(charts.draw_bars, bars(rates, wanted.batch), "decisions per second, one thread (log scale)")
    report.finish(report.result("throughput", rows, ran_on, wanted), tables(rates, wanted.batch), draw, wanted)


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.throughput", main))
