"""The log of a training run: a file of JSON lines, a header first."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FORMAT = "cardtable training 1"


class Log:
    """Lines are added at the end; a run that is resumed cuts off those that its checkpoint does not know of."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines = 0

    def begin(self, header: Mapping[str, Any]) -> None:
        """Start the file."""
        self.path.write_text("", encoding="utf-8")
        self.lines = 0
        self.add({"format": FORMAT, **header})

    def add(self, line: Mapping[str, Any]) -> None:
        """Add a line."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, default=str) + "\n")
        self.lines += 1

    def cut(self, lines: int) -> None:
        """Keep so many lines."""
        kept = self.path.read_text(encoding="utf-8").splitlines(keepends=True)[:lines] if self.path.exists() else []
        self.path.write_text("".join(kept), encoding="utf-8")
        self.lines = lines


def read(path: Path) -> list[dict[str, Any]]:
    """The lines of a log without its header; one that was cut off is left out."""
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()[1:]]
