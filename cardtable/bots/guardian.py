"""The parent of a bot's process: it ends the bot, and whatever that has started, when it is told to or when we have ended.

It is run as a program of its own, by its path: nothing here may import from cardtable, and starting it must be quick. Standard
input, output and errors are the bot's; orders come through the descriptor that the first argument names. The rest of the
arguments is the command.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import time
from types import FrameType
from typing import NoReturn

LEAVE = b"q"
"""The order to wait a little until the bot ends by itself. The end of the orders means: end it now."""
LEAVE_SECONDS = 1.0
TERMINATE_SECONDS = 0.1
"""How long a bot may take to end when it is asked to by SIGTERM, before it is killed."""
KILL_SECONDS = 3.0
LOOK_SECONDS = 1.0
"""How often to look whether our parent is still there: copies of it may hold the orders open."""
CANNOT_START = 127
"""The exit code of a command that could not be run, as shells have it."""
SIGNALLED = 128
"""The exit code of a bot that was ended by signal n is this plus n, as shells have it."""
PARENT_DEATH_SIGNAL = 1
CHILD_SUBREAPER = 36
"""Numbers of `prctl`: a signal at the death of the parent; to become the parent of orphaned descendants."""


def process_control(option: int, value: int) -> None:
    """Linux's `prctl`; nothing elsewhere."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class Guardian:
    """A bot's process, from its start to the end of its last descendant."""

    def __init__(self, orders: int, command: list[str]) -> None:
        self._orders = os.dup(orders)  # a low number, for `select`; and not the bot's
        os.close(orders)
        self._parent = os.getppid()
        self._stopped = False
        self.status: int | None = None
        """How the bot ended, as `os.waitpid` says it; None while it runs."""
        self._woken, wake = os.pipe()
        os.set_blocking(self._woken, False)
        os.set_blocking(wake, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._note)
        process_control(CHILD_SUBREAPER, 1)
        self.bot = os.fork()
        if self.bot == 0:
            become(command)
        nothing = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):  # the ends of the bot's pipes are the bot's alone
            os.dup2(nothing, stream)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._stopped |= number != signal.SIGCHLD

    def watch(self) -> None:
        """Until the bot has ended and all that it has started."""
        while not self._ended() and not self._stopped and os.getppid() == self._parent:
            if self._sleep(LOOK_SECONDS, self._orders):
                if os.read(self._orders, 1) == LEAVE:
                    self._wait(LEAVE_SECONDS)
                break
        self._end()

    def _ended(self) -> bool:
        """Whether the bot has ended; others that have, its orphans, are buried."""
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                if found[0] == self.bot:
                    self.status = found[1]
        return self.status is not None

    def _wait(self, seconds: float) -> None:
        """Until the bot has ended, at most so long."""
        deadline = time.monotonic() + seconds
        while not self._ended() and (left := deadline - time.monotonic()) > 0:
            self._sleep(left)

    def _sleep(self, seconds: float, *streams: int) -> bool:
        """Until a signal comes, at most so long; True if there is something in one of the streams."""
        ready, _, _ = select.select([self._woken, *streams], [], [], seconds)
        if self._woken in ready:
            os.read(self._woken, 1000)
        return any(stream in ready for stream in streams)

    def _end(self) -> None:
        """End the bot, then its process group, then on Linux whatever descendants are left."""
        if not self._ended():
            self._signal(signal.SIGTERM)
            self._wait(TERMINATE_SECONDS)
        self._signal(signal.SIGKILL)
        self._wait(KILL_SECONDS)
        deadline = time.monotonic() + KILL_SECONDS
        while time.monotonic() < deadline:  # killing one may bring us its children
            for child in children():
                with contextlib.suppress(OSError):
                    os.kill(child, signal.SIGKILL)
            try:
                os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            time.sleep(0.001)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(OSError):
            os.killpg(self.bot, number)


def become(command: list[str]) -> NoReturn:
    """Turn this process, a new one, into the bot."""
    try:
        os.setsid()
        process_control(PARENT_DEATH_SIGNAL, signal.SIGKILL)
        for number in (signal.SIGPIPE, signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
            signal.signal(number, signal.SIG_DFL)
        os.execvp(command[0], command)
    except BaseException as error:
        os.write(2, f"{command[0]}: {error}\n".encode(errors="replace"))
        os._exit(CANNOT_START)


def children() -> list[int]:
    """The processes whose parent we are now; on systems that do not say, none."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:
            return [int(child) for child in file.read().split()]
    except OSError:
        return []


def main() -> int:
    """Start the bot and watch it; its exit code."""
    guardian = Guardian(int(sys.argv[1]), sys.argv[2:])
    guardian.watch()
    if guardian.status is None:
        return SIGNALLED + signal.SIGKILL
    code = os.waitstatus_to_exitcode(guardian.status)
    return code if code >= 0 else SIGNALLED - code


if __name__ == "__main__":
    os._exit(main())
