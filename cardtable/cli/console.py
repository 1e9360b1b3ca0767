"""How a command ends: with its result, or with one line on standard error and an exit code. All our command lines run here.

| code | |
| --- | --- |
| 0 | done |
| 2 | bad input, or the system refused (a full disk, a missing permission, no memory): one line says what and where |
| 130 | interrupted |
| 141 | the reader of the output has closed it (`cardtable rules muster | head`): no message, only the code |

Errors in our own code keep their traceback.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Literal, TextIO

from cardtable.errors import CardtableError

FAILED = 2
INTERRUPTED = 130
CLOSED = 141
"""What a shell reports of a program that was ended by a closed pipe."""
OUTPUT, ERROR = "standard output", "standard error"


def run(name: str, command: Callable[[], int | None]) -> int:
    """Run a command to its end; its exit code. `name` is what messages begin with."""
    with _named_streams():
        try:
            return _flushed(command)
        except CardtableError as error:
            return _end(f"{name}: {error}", FAILED)
        except KeyboardInterrupt:
            return _end(f"{name}: interrupted", INTERRUPTED)
        except MemoryError:
            return _end(f"{name}: not enough memory", FAILED)
        except OSError as error:
            if isinstance(error, BrokenPipeError) and error.filename in (OUTPUT, ERROR):
                return _end("", CLOSED)
            return _end(f"{name}: {_described(error)}", FAILED)


def _flushed(command: Callable[[], int | None]) -> int:
    """Run the command, and write what it has printed: at exit nothing is left that could fail."""
    try:
        code = command() or 0
    except SystemExit:  # argparse, after an error or a help text
        sys.stdout.flush()
        raise
    sys.stdout.flush()
    return code


def _described(error: OSError) -> str:
    """What went wrong, and with which file."""
    if error.strerror is None:
        return str(error) or type(error).__name__
    return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror


def _end(line: str, code: int) -> int:
    """Say why, if standard error is open."""
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        sys.stderr.write(f"{line}\n" if line else "")
        sys.stderr.flush()
    return code


# ---- Streams that say which one failed


class _Named:
    """A standard stream whose errors carry its name. Once it has failed it leads nowhere: Python would fail again at exit."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._failure: OSError | None = None
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a character is no reason to end

    def write(self, text: str) -> int:
        with self._naming():
            return self._stream.write(text)

    def flush(self) -> None:
        if self._failure:  # perhaps unheard: argparse passes over errors of printing
            raise self._failure
        with self._naming():
            self._stream.flush()

    @contextmanager
    def _naming(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            error.filename = self._name
            self._failure = error
            self._lead_nowhere()
            raise

    def _lead_nowhere(self) -> None:
        with suppress(OSError):  # a stream without a file behind it
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._stream.fileno())
            os.close(nowhere)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever a stream has
        return getattr(self._stream, name)


def _nowhere(mode: Literal["r", "w"]) -> TextIO:
    return open(os.devnull, mode, encoding="utf-8")  # open for as long as the process runs


@contextmanager
def _named_streams() -> Iterator[None]:
    before = sys.stdin, sys.stdout, sys.stderr
    if sys.stdin is None:  # closed by whoever started us, as the others may be
        sys.stdin = _nowhere("r")
    if hasattr(sys.stdin, "reconfigure"):
        sys.stdin.reconfigure(errors="replace")
    sys.stdout, sys.stderr = (
        _Named(stream or _nowhere("w"), name) for stream, name in ((sys.stdout, OUTPUT), (sys.stderr, ERROR))
    )
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
