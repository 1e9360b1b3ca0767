"""What a bot can do wrong: a reason for programs, a detail for people, and what it wrote."""

from cardtable.support.messages import cut

LATE = "late"
ENDED = "ended"
CLOSED = "closed"
TOO_LONG = "too long"
FLOOD = "flood"
NOT_STARTED = "not started"
NOT_JSON = "not JSON"
NOT_AN_ANSWER = "not an answer"
MISSING = "missing"
UNKNOWN_ACTION = "unknown action"
NOT_LEGAL = "not legal"
OUT_OF_TIME = "out of time"
TOO_MANY = "too many faults"

REASONS = (
    LATE,
    ENDED,
    CLOSED,
    TOO_LONG,
    FLOOD,
    NOT_STARTED,
    NOT_JSON,
    NOT_AN_ANSWER,
    MISSING,
    UNKNOWN_ACTION,
    NOT_LEGAL,
    OUT_OF_TIME,
    TOO_MANY,
)
"""All reasons, as they stand in `refused` messages and in results."""
OF_THE_PROCESS = (LATE, ENDED, CLOSED, TOO_LONG, FLOOD, NOT_STARTED)
"""Reasons after which the process cannot be talked to any more."""

LONGEST_DETAIL = 400
LONGEST_QUOTE = 200
"""Characters of a bot's line that are kept."""


class Fault(Exception):
    """A bot did something that the protocol does not allow."""

    def __init__(self, reason: str, detail: str, line: bytes = b"") -> None:
        """`line`: what the bot wrote, if that was at fault."""
        self.reason = reason
        self.detail = cut(printable(detail), LONGEST_DETAIL)
        self.line = quoted(line)
        super().__init__(f"{reason}: {self.detail}")

    def kept(self) -> "Fault":
        """The same without what led to it: a traceback would keep all that the bot has written."""
        kept = Fault(self.reason, self.detail)
        kept.line = self.line
        return kept

    @property
    def of_the_process(self) -> bool:
        """Whether another process is needed."""
        return self.reason in OF_THE_PROCESS


def quoted(line: bytes) -> str:
    """What a bot wrote, as a short text that can be shown."""
    return cut(printable(line[: 8 * LONGEST_QUOTE].decode(errors="replace")), LONGEST_QUOTE)


def printable(text: str) -> str:
    """A text in one line; what would move a terminal's cursor, or cannot be written at all, is shown as its code."""
    return "".join(each if each.isprintable() else each.encode("unicode_escape").decode() for each in text)
