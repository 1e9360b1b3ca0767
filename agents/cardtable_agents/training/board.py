"""The numbers of a run for TensorBoard, if that is installed: no PyTorch and no TensorFlow is needed to write them.

The events follow from the log: whenever a run begins or is resumed, its earlier event files are replaced by one with what the
log holds. So TensorBoard shows nothing that a resumed run has taken back.
"""

import importlib.util
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

EVENTS = "events.out.tfevents.*"
"""The files that TensorBoard reads."""
NO_SCALARS = ("phase", "round", "steps", "demonstrations", "seconds", "done")
"""What lines of the log hold besides numbers worth drawing."""


class Board:
    """Writes the scalars of log lines to a folder, one at a time and at once: a kill loses nothing but a last line."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._start = 0.0

    def begin(self, lines: Sequence[Mapping[str, Any]], seconds: float) -> None:
        """Begin a file with the lines of the log so far, in place of earlier ones, when a run has taken so long."""
        if importlib.util.find_spec("tensorboard") is None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        for earlier in self._folder.glob(EVENTS):
            earlier.unlink()
        self._start = time.time() - seconds
        name = EVENTS.replace("*", f"{int(time.time()):010d}.{socket.gethostname()}.{os.getpid()}")
        self._file = (self._folder / name).open("wb")
        self._write(wall_time=self._start, file_version="brain.Event:2")
        self._write(wall_time=self._start, step=0, restart=True)  # a TensorBoard that is open forgets what it has read
        for line in lines:
            self.add(line)

    def add(self, line: Mapping[str, Any]) -> None:
        """Add the numbers of a line, at the number of decisions that had been learned from by then."""
        values = dict(_scalars(line))
        if self._file is not None and values:
            step = int(line.get("steps", 0)) + int(line.get("demonstrations", 0))
            self._write(wall_time=self._start + float(line.get("seconds", 0)), step=step, values=values)

    def _write(self, *, values: Mapping[str, float] | None = None, restart: bool = False, **event: Any) -> None:
        from tensorboard.compat.proto.event_pb2 import Event, SessionLog
        from tensorboard.compat.proto.summary_pb2 import Summary
        from tensorboard.summary.writer.record_writer import RecordWriter

        if values is not None:
            event["summary"] = Summary(value=[Summary.Value(tag=tag, simple_value=value) for tag, value in values.items()])
        if restart:
            event["session_log"] = SessionLog(status=SessionLog.START)
        assert self._file is not None
        RecordWriter(self._file).write(Event(**event).SerializeToString())
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def _scalars(line: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Name and value of each number of a line: `ppo/entropy`, `evaluation/heuristic`."""
    for name, value in line.items():
        if name == "evaluation" and isinstance(value, dict):
            yield from ((f"evaluation/{opponent}", float(rate)) for opponent, rate in value.items())
        elif name not in NO_SCALARS and isinstance(value, int | float):
            yield f"{line.get('phase')}/{name}", float(value)
