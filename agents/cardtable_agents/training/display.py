"""How a run is doing, while it goes on: one line that is written again and again, or in a file a line now and then."""

import shutil
import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from cardtable_agents.training.run import Run

BAR = 16
"""Characters of the bar."""
REDRAWN = 0.2
"""Seconds between two versions of the line in a terminal, at least: readers need no more."""
REPEATED = 30.0
"""Seconds between two lines where there is no terminal."""


class Display:
    """Shows phase, share done, time left, decisions a second, win rates, entropy and error of the value."""

    def __init__(self, run: "Run", stream: TextIO | None = None) -> None:
        self._run, self._stream = run, stream if stream is not None else sys.stderr
        self._terminal = self._stream.isatty()
        self._due = 0.0
        self._phase = ""
        self._length = 0

    def __call__(self, phase: str, done: float) -> None:
        """Show that so much of a phase is done, if it is time to."""
        now = time.monotonic()
        if phase == self._phase and done < 1 and now < self._due:
            return
        self._due = now + (REDRAWN if self._terminal else REPEATED)
        line = describe(self._run, phase, done)
        if not self._terminal:
            print(line, file=self._stream, flush=True)
        else:
            self._redraw(line, new=phase != self._phase)
        self._phase = phase

    def _redraw(self, line: str, *, new: bool) -> None:
        """Write the line over the last one, or below it in a new phase."""
        line = line[: max(shutil.get_terminal_size().columns - 1, 20)]
        if new and self._phase:
            self._stream.write("\n")
            self._length = 0
        self._stream.write("\r" + line.ljust(self._length))
        self._stream.flush()
        self._length = len(line)

    def close(self) -> None:
        """End the line, so that what is printed next has its own."""
        if self._terminal and self._phase:
            print(file=self._stream, flush=True)
            self._phase, self._length = "", 0


def describe(run: "Run", phase: str, done: float) -> str:
    """A line about a run that has done so much of a phase."""
    full = int(done * BAR)
    parts = [
        f"{phase:<9} {done:4.0%} [{'#' * full}{'.' * (BAR - full)}]",
        _time_left(run.progress.seconds_left(run.learner.steps)),
    ]
    parts += [f"{run.latest['steps_per_second']:,.0f}/s"] if "steps_per_second" in run.latest else []
    parts += [_rate(run, name, rate) for name, rate in run.rates.items()]
    names = {"agreed": "agreed {:.0%}", "entropy": "entropy {:.2f}", "value_error": "value error {:.3f}"}
    if phase != "imitation":
        del names["agreed"]
    parts += [form.format(run.latest[name]) for name, form in names.items() if name in run.latest]
    return "  ".join(filter(None, parts))


def _rate(run: "Run", name: str, rate: float) -> str:
    return f"{name} {rate:.0%}" if run.options.num_players > 1 else f"{name} {rate:.3f}"


def _time_left(seconds: float | None) -> str:
    """A time as people write it; nothing if it is not known."""
    if seconds is None:
        return ""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} left" if hours else f"{minutes}:{rest:02} left"
