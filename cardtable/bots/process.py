"""A bot's process: started without a shell, written to and read from within limits of time and size, ended with its children.

Whatever the program does, a call here returns in time and the memory that it takes is bounded: what the bot has done wrong is
raised as a `Fault`.
"""

import contextlib
import math
import os
import select
import shlex
import shutil
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Sequence
from typing import IO

from cardtable.bots import guardian
from cardtable.bots.faults import CLOSED, ENDED, FLOOD, LATE, LONGEST_QUOTE, TOO_LONG, Fault, printable
from cardtable.errors import AgentError
from cardtable.support.messages import cut, shown

LONGEST_LINE = 1 << 20
"""Bytes of a line that a bot writes; of many games with much to say about each, a tenth."""
MOST_UNASKED = 1 << 20
"""Bytes that a bot may write without being asked, in all, before it is taken for one that does not stop."""
UNASKED_SECONDS = 1.0
"""How long it may go on with that, with pauses shorter than the next number."""
QUIET_SECONDS = 0.01
CHUNK = 1 << 16
"""Bytes that are read or written at a time: what a pipe holds."""
ERRORS_KEPT = 2_000
"""Bytes of standard error, the last ones, that are kept for messages."""
END_SECONDS = 10.0
"""How long ending may take; usually milliseconds, at most what the guardian's own limits add up to."""
MOMENT = 0.5
"""Seconds until it is known whether a bot that closes a pipe has ended; the guardian kills its children first."""
LONGEST_COMMAND = 10_000


def split_command(command: str) -> list[str]:
    """The words of a command as a shell would split them; `AgentError` if it is not one, or its program cannot be found."""
    try:
        words = shlex.split(command) if len(command) <= LONGEST_COMMAND else []
    except ValueError as error:
        raise AgentError(f"bot {shown(command)}: {str(error).lower()}") from None
    if not words or not words[0] or "\0" in command:
        raise AgentError(f"bot {shown(command)}: expected a command such as './mybot --level 3'")
    if shutil.which(words[0]) is None:
        raise AgentError(f"bot {shown(command)}: there is no program {shown(words[0])} that can be run")
    return words


class BotProcess:
    """A program that runs, with its pipes. One thread at a time."""

    def __init__(self, command: str | Sequence[str]) -> None:
        """Start it; `AgentError` if there is no such program. That it ends at once is found when it is read from."""
        if os.name != "posix":
            raise AgentError("bots need a POSIX system such as Linux or macOS: on Windows, run cardtable in WSL")
        self.command = split_command(command) if isinstance(command, str) else list(command)
        orders, self._orders = os.pipe()
        try:
            self._guardian = subprocess.Popen(
                [sys.executable, "-I", "-S", guardian.__file__, str(orders), *self.command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                pass_fds=[orders],
                start_new_session=True,
            )
        except OSError as error:
            os.close(self._orders)
            raise AgentError(f"bot {shown(shlex.join(self.command))}: cannot be started: {error}") from None
        finally:
            os.close(orders)
        self._input, self._output, self._errors = _pipes_of(self._guardian)
        for stream in _pipes_of(self._guardian):
            os.set_blocking(stream.fileno(), False)
        self._poll = select.poll()
        self._poll.register(self._output, select.POLLIN)
        self._poll.register(self._errors, select.POLLIN)
        self._waiting = bytearray()  # what the bot has not been able to read yet
        self._read = bytearray()  # what it wrote and nobody has looked at
        self._searched = 0  # how much of that has no end of a line in it
        self._unasked = 0  # bytes that nobody asked for
        self._said = bytearray()  # the end of its standard error
        self._deaf = math.inf  # when it is known why it has closed its input
        self._finish = weakref.finalize(self, _end, self._guardian, self._orders, os.getpid())

    # ---- Talking

    def send(self, line: bytes) -> None:
        """Write a line, as far as the bot takes it now; the rest goes while we wait for an answer. Never blocks."""
        self._waiting += line
        self._write()

    def receive(self, seconds: float | None) -> bytes:
        """The next line that the bot writes, without its end; `Fault` if there is none in time, or none that can be taken."""
        deadline = math.inf if seconds is None else time.monotonic() + seconds
        while (line := self._next_line()) is None:
            self._wait(deadline)
        return line

    def drop_unasked(self) -> bytes:
        """Forget what the bot has written without being asked, and return its beginning; `Fault` if it does not stop."""
        first = chunk = bytes(self._read) or _some_of(self._output) or b""
        self._read.clear()
        self._searched = 0
        deadline = time.monotonic() + UNASKED_SECONDS
        while chunk:
            self._unasked += len(chunk)
            if self._unasked > MOST_UNASKED or time.monotonic() > deadline:
                raise Fault(FLOOD, f"it goes on writing without being asked: {self._unasked:,} bytes", first)
            self._poll.poll(1000 * QUIET_SECONDS)
            chunk = _some_of(self._output) or b""
        return first

    @property
    def errors(self) -> str:
        """The end of what the bot has written to standard error, as a text that can be shown."""
        return "\n".join(printable(line) for line in self._said.decode(errors="replace").splitlines())

    def _next_line(self) -> bytes | None:
        end = self._read.find(b"\n", self._searched)
        if 0 <= end <= LONGEST_LINE:
            line = bytes(self._read[:end])
            del self._read[: end + 1]
            self._searched = 0
            return line
        if len(self._read) > LONGEST_LINE:
            raise Fault(TOO_LONG, f"a line of more than {LONGEST_LINE:,} bytes", bytes(self._read[:CHUNK]))
        self._searched = len(self._read)
        return None

    def _wait(self, deadline: float) -> None:
        """Write what waits, and read once; `Fault` if there was nothing to read until the deadline."""
        left = max(min(deadline, self._deaf) - time.monotonic(), 0)
        ready = {stream for stream, _ in self._poll.poll(None if left == math.inf else left * 1000)}
        if self._errors.fileno() in ready:
            self._listen()
        if self._input.fileno() in ready:
            self._write()
        if self._output.fileno() in ready:
            self._hear()
        elif left == 0 and self._deaf < deadline:
            raise Fault(CLOSED, "it has closed its input")
        elif left == 0:
            raise Fault(LATE, "no answer in time", bytes(self._read[:CHUNK]))

    def _write(self) -> None:
        """Write as much of what waits as the bot takes now."""
        try:
            while self._waiting and (written := self._input.write(memoryview(self._waiting)[:CHUNK])):
                del self._waiting[:written]
        except (BrokenPipeError, ValueError):
            self._deaf = min(self._deaf, time.monotonic() + MOMENT)
            self._waiting.clear()
        if self._waiting:
            self._poll.register(self._input, select.POLLOUT)
        else:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._input)

    def _hear(self) -> None:
        """Read what the bot has written; `Fault` if it will write nothing more."""
        chunk = _some_of(self._output)
        if chunk:
            self._read += chunk
        elif chunk is not None:
            raise self._silence()

    def _silence(self) -> Fault:
        """Why there is nothing more to read."""
        try:
            code = self._guardian.wait(MOMENT)
        except subprocess.TimeoutExpired:
            return Fault(CLOSED, "it has closed its output")
        self._listen()
        last = (self.errors.splitlines() or [""])[-1]
        said = f"; its last words: {cut(last, LONGEST_QUOTE)}" if last else ""
        return Fault(ENDED, _how_it_ended(code) + said, bytes(self._read[:CHUNK]))

    def _listen(self) -> None:
        """Read standard error, of which the end is kept."""
        chunk = _some_of(self._errors)
        if chunk:
            self._said += chunk
            del self._said[:-ERRORS_KEPT]
        elif chunk is not None:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._errors)

    # ---- Ending

    def close(self) -> None:
        """Close the bot's input, which ends it; one that is still there a second later is ended as `end` does it."""
        if self._finish.alive:
            self._write()
            self._input.close()
            with contextlib.suppress(BrokenPipeError):
                os.write(self._orders, guardian.LEAVE)
        self._finish()

    def end(self) -> None:
        """End the bot and all that it has started. It need not be called: what is forgotten, or left by us, is ended too."""
        self._finish()


def _pipes_of(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    """Its standard input, output and errors."""
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


def _some_of(stream: IO[bytes]) -> bytes | None:
    """What can be read now: nothing at the end of the stream, None if there may be more later."""
    return stream.read(CHUNK)


def _how_it_ended(code: int) -> str:
    if code == guardian.CANNOT_START:
        return "it could not be started, or ended with exit code 127"
    if code <= guardian.SIGNALLED:
        return f"it ended with exit code {code}"
    with contextlib.suppress(ValueError):
        return f"it was ended by {signal.Signals(code - guardian.SIGNALLED).name}"
    return f"it ended with exit code {code}"


def _end(process: subprocess.Popen[bytes], orders: int, owner: int) -> None:
    """Have the guardian end the bot, and wait for it; a copy of our process that has a copy of its pipes leaves it alone."""
    if os.getpid() != owner:
        return
    os.close(orders)
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:  # somebody has stopped it
        process.kill()
        process.wait()
    for stream in _pipes_of(process):
        stream.close()
