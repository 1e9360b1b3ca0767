"""How things are timed: units that time themselves, measured in turn over several rounds."""

import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, NamedTuple

from tqdm import tqdm


class Tally(NamedTuple):
    """What one timing found."""

    decisions: int
    seconds: float


Unit = Callable[[], Tally]
"""A small piece of work that times itself."""

HIGHER = "higher"
LOWER = "lower"

ONCE = 0.1
"""The noise that is assumed of a figure measured once."""


@dataclass
class Row:
    """One figure of a result, with every round it was measured in."""

    what: str
    group: str
    """Whose figure it is: the id of one of our games, or the name of another library."""
    ours: bool = True
    """False for what our code cannot change, other libraries and the memory floor: it tells how fast the machine was."""
    unit: str = "decisions/s"
    better: str = HIGHER
    rounds: list[float] = field(default_factory=list)
    margin: float | None = None
    """The noise where something other than the rounds tells it, such as a confidence interval."""
    details: dict[str, Any] = field(default_factory=dict)
    """What else is known of it: the setup, the size of the batch."""

    @property
    def value(self) -> float:
        """The best of all rounds: other processes only ever slow a round down."""
        return max(self.rounds) if self.better == HIGHER else min(self.rounds)

    @property
    def median(self) -> float:
        """The middle of all rounds."""
        return statistics.median(self.rounds)

    @property
    def noise(self) -> float:
        """How far the middle round is from the best one, as a share of the best one; or the margin, if there is one."""
        if self.margin is not None:
            return self.margin
        if len(self.rounds) == 1:
            return ONCE
        return abs(self.median - self.value) / self.value if self.value else 0.0

    def plain(self) -> dict[str, Any]:
        """The row for a file of results."""
        return {
            "what": self.what,
            "group": self.group,
            "ours": self.ours,
            "unit": self.unit,
            "better": self.better,
            "value": self.value,
            "median": self.median,
            "noise": self.noise,
            "rounds": [float(f"{each:.5g}") for each in self.rounds],
            **self.details,
        }


@dataclass
class Contestant:
    """A row and the work that is timed for it."""

    row: Row
    work: Unit

    def measure(self, seconds: float) -> None:
        """Add a round: repeat the work until it has taken that long."""
        decisions, spent = 0, 0.0
        while spent < seconds:
            tally = self.work()
            decisions += tally.decisions
            spent += tally.seconds
        self.row.rounds.append(decisions / spent)


def pace(work: Callable[[], int], seconds: float) -> float:
    """Decisions per second of work that tells how many it has made, repeated for about so long after a first time."""
    work()
    start, decisions = perf_counter(), 0
    while perf_counter() - start < seconds:
        decisions += work()
    return decisions / (perf_counter() - start)


def if_installed(row: Row, make: Callable[[], Unit]) -> Iterator[Contestant]:
    """A contestant that needs a library, or a line that says what is missing."""
    try:
        yield Contestant(row, make())
    except ImportError as error:
        print(f"skipped: {row.what}: not installed ({error})", file=sys.stderr)


def measure_in_turn(contestants: Sequence[Contestant], rounds: int, seconds: float) -> None:
    """Measure everybody in turn, `rounds` times, for `seconds` in all, so that a busy moment of the machine hits all alike."""
    with tqdm(total=rounds * len(contestants), unit="row", desc="measuring", file=sys.stderr) as progress:
        for _ in range(rounds):
            for contestant in contestants:
                progress.set_postfix_str(contestant.row.what, refresh=False)
                contestant.measure(seconds / rounds)
                progress.update()
