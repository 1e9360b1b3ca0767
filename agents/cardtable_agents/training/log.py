"""The log of a training run: a file of JSON lines, a header first."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cardtable.errors import AgentError
from cardtable.support import files

FORMAT = "cardtable training 1"
FORMER_KEYS = {"exam": "evaluation"}
"""What logs of earlier versions call an entry of a line."""
LARGEST_FILE = 1 << 28
"""Bytes of a log; a run of days has about a million."""


class Log:
    """Lines are added at the end; a run that is resumed cuts off those that are newer than its checkpoint."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = 0

    def begin(self, header: Mapping[str, Any]) -> None:
        """Start the file; `AgentError` if there is one."""
        if self.path.exists():
            raise AgentError(f"{self.path} exists and will not be overwritten")
        files.write_whole(self.path, _line({"format": FORMAT, **header}))
        self.lines = 1

    def add(self, line: Mapping[str, Any]) -> None:
        """Add a line. An interruption leaves all earlier lines, and perhaps the beginning of this one."""
        try:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(_line(line))
        except OSError as error:
            raise type(error)(error.errno, error.strerror, str(self.path)) from None
        self.lines += 1

    def read(self) -> list[dict[str, Any]]:
        """The lines so far, without the header."""
        return read(self.path)

    def cut(self, lines: int) -> None:
        """Keep this many lines, or all complete ones if there are fewer."""
        kept = _whole_lines(self.path)[:lines] if self.path.exists() else []
        self.lines = len(kept)
        if kept:
            files.write_whole(self.path, "".join(kept))


def _line(plain: Mapping[str, Any]) -> str:
    return json.dumps(plain, default=str) + "\n"


def _whole_lines(path: Path) -> list[str]:
    """The lines of a file, without one at its end that was cut off."""
    try:
        text = files.read_text(path, LARGEST_FILE)
    except UnicodeDecodeError as error:
        raise AgentError(f"{path}: not a log of a training run: {error}") from None
    return [f"{line}\n" for line in text.split("\n")[:-1]]


def header(path: Path) -> dict[str, Any] | None:
    """What the log of a training run says of it at its beginning; None if this file is none."""
    try:
        found = json.loads(next(iter(_whole_lines(path)), ""))
    except (OSError, ValueError, RecursionError, AgentError):
        return None
    return found if isinstance(found, dict) and found.get("format") == FORMAT else None


def is_log(path: Path) -> bool:
    """Whether this file is the log of a training run."""
    return header(path) is not None


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a log without its header; one at its end that was cut off is left out.

    Entries have the names that they have now, whichever version wrote them.
    """
    lines: list[dict[str, Any]] = []
    for number, text in enumerate(_whole_lines(path)[1:], start=2):
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            line = None
        if not isinstance(line, dict):
            raise AgentError(f"{path}: line {number} is damaged")
        lines.append({_name(key): value for key, value in line.items()})
    return lines


def _name(key: str) -> str:
    return FORMER_KEYS.get(key, key)
