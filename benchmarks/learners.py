"""The learners that `benchmarks.training` compares, and an update as a unit of work that times itself.

Both learn by pure self-play from nothing, with hidden layers of the same sizes. In ours every seat learns. MaskablePPO plays
one seat of each game against its newest self: the cheapest opponents that make it self-play.
"""

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter, process_time
from typing import Any

from cardtable_agents.network.products import BFLOAT16, FLOAT32, faster_precision, has_torch
from cardtable_agents.training.learners import Learner
from cardtable_agents.training.make import require_learner
from cardtable_agents.training.settings import SB3, SELF, STANDARD, Settings, settings_for

from benchmarks.measure import Tally
from cardtable.engine.jit import cores
from cardtable.errors import AgentError

SHARE = "_share"
"""How the names of shares of time end in the numbers of an update."""

FULL: Mapping[str, Any] = {"layers": (256, 256)}
QUICK: Mapping[str, Any] = {"layers": (64, 64), "games": 32, "rollout": 512, "batch": 128}
"""Settings of all learners: those that figures are published of, and those of a run of seconds."""


@dataclass(frozen=True)
class Kind:
    """A learner with settings of its own."""

    name: str
    learner: Mapping[str, Any]
    """Settings in which kinds differ."""

    @property
    def ours(self) -> bool:
        """Whether it is our learner."""
        return self.learner.get("learner") != SB3

    @property
    def threads(self) -> int:
        """Threads that it learns in."""
        return int(self.learner["threads"])

    @property
    def precision(self) -> str:
        """Of matrix products in hidden layers, as it was asked for."""
        return str(self.learner.get("precision", FLOAT32))

    def settings(self, game: str, common: Mapping[str, Any], seed: int = 1) -> Settings:
        """The settings for a game; `common` ones come first."""
        return settings_for(game, seed=seed, **{**self.learner, **common})


def _ours(name: str, precision: str, threads: int = 1, **further: Any) -> Kind:
    alone = {"imitation_steps": 0, "opponents": ()}
    return Kind(name, {"precision": precision, "threads": threads, **alone, **further})


STANDARD_KIND = Kind("SB3", {"learner": SB3, "threads": 1, "opponents": (SELF,), "snapshot_updates": 1})
ALIKE_KIND = _ours("float32, SB3's epochs", FLOAT32, batch=1024, epochs=STANDARD["epochs"])
"""Ours with the minibatch and the epochs of SB3."""
ONE_THREAD = (_ours(FLOAT32, FLOAT32), _ours(BFLOAT16, BFLOAT16))
TWO_THREADS = (_ours("float32, 2 threads", FLOAT32, 2), _ours("bfloat16, 2 threads", BFLOAT16, 2))
KINDS = (STANDARD_KIND, ALIKE_KIND, *ONE_THREAD, *TWO_THREADS)
"""What speed is measured of."""
OURS_NAME = "cardtable"


def learning_kinds(common: Mapping[str, Any]) -> tuple[Kind, Kind]:
    """What learns side by side: SB3, and ours in the precision that is faster here, chosen once for all runs."""
    return STANDARD_KIND, _ours(OURS_NAME, faster_precision(max(common["layers"])))


def available(kinds: tuple[Kind, ...]) -> Iterator[Kind]:
    """The kinds that can be measured on this machine, and a line for each that cannot."""
    for kind in kinds:
        reason = _missing(kind)
        if reason:
            print(f"skipped: {kind.name}: {reason}", file=sys.stderr)
        else:
            yield kind


def _missing(kind: Kind) -> str:
    """Why a kind cannot be measured; nothing if it can."""
    if kind.precision == BFLOAT16 and not has_torch():
        return "PyTorch is not installed"
    if kind.threads > cores():
        return f"{kind.threads} threads on {cores()} cores"
    try:
        require_learner(kind.settings("muster", {}))
    except AgentError as error:
        return str(error)
    return ""


@dataclass
class Trial:
    """A learner, timed update by update: a `Unit`."""

    learner: Learner
    updates: int = 0
    decisions: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    """Of all threads of this process."""
    parts: dict[str, float] = field(default_factory=dict)
    """Seconds that each part of an update took, as the learner tells it."""

    def __call__(self) -> Tally:
        """One update at the first rates of the learner's schedule."""
        return self.update(0.0)

    def update(self, done: float) -> Tally:
        """One update: act, step, advantages, learn."""
        before, start, cpu_start = self.learner.steps, perf_counter(), process_time()
        numbers = self.learner.update(done)
        tally = Tally(self.learner.steps - before, perf_counter() - start)
        self.updates += 1
        self.decisions += tally.decisions
        self.seconds += tally.seconds
        self.cpu_seconds += process_time() - cpu_start
        for name, share in numbers.items():
            if name.endswith(SHARE):
                part = name.removesuffix(SHARE)
                self.parts[part] = self.parts.get(part, 0.0) + share * tally.seconds
        return tally

    @property
    def shares(self) -> dict[str, float]:
        """The share of all time that each part took; none before the first update."""
        return {part: seconds / self.seconds for part, seconds in self.parts.items()}

    def details(self) -> dict[str, Any]:
        """What a row says of it besides its rate."""
        return {
            "updates": self.updates,
            "cores_used": round(self.cpu_seconds / self.seconds, 3),
            "decisions_per_cpu_second": self.decisions / self.cpu_seconds,
            "shares": {part: round(share, 4) for part, share in self.shares.items()},
        }
