"""A replay, decision by decision, in the terminal: `cardtable replay FILE --step`.

Commands are lines of text. At a terminal a key stands for a line; elsewhere, and where keys cannot be read one by one (on
Windows), lines are read.
"""

import importlib
import os
import select
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from cardtable.cli import telling
from cardtable.cli.screen import Screen
from cardtable.game.events import decisions
from cardtable.game.look import wrapped
from cardtable.replay import rewound
from cardtable.support.columns import terminal_width
from cardtable.support.messages import shown
from cardtable.table import Table

HELP = (
    "Enter or the right arrow shows the next decision, b or the left arrow goes back one, "
    "g N goes to where N decisions have been made, q leaves."
)
PROMPT = "> "
RIGHT, LEFT = ("\x1b[c", "\x1boc"), ("\x1b[d", "\x1bod")
"""What terminals send for the arrows, in lower case."""
NEXT, BACK, LEAVE = ("", "n", *RIGHT), ("b", *LEFT), ("q", "\x04")
MOST_DIGITS = 9
"""Digits of a number that a person types."""
REST_OF_A_KEY = 0.05
"""Seconds in which all bytes of one key arrive."""

Ask = Callable[[str], str]
Say = Callable[[str], None]


class Stepper:
    """A game that has been played, at one of its decisions, as a seat saw it; None is a spectator, who sees all events."""

    def __init__(self, played: Table, seat: int | None) -> None:
        self._played, self._seat = played, seat
        self._parts = decisions(played.events(seat))
        self.last = len(played.history)
        self._table = rewound(played, 0)

    @property
    def at(self) -> int:
        """How many decisions have been made."""
        return len(self._table.history)

    def go(self, decisions: int) -> None:
        """Go to where so many decisions have been made, from 0 to `last`."""
        if decisions < self.at:
            self._table = rewound(self._played, decisions)
        for action in self._played.history[self.at : decisions]:
            self._table.play(action)

    def page(self, width: int | None = None, height: int | None = None) -> str:
        """Where we are, the table as the seat (a spectator: the seat to act) sees it, and what happened in this step.

        If a window of `height` lines cannot hold that and the prompt, some games leave out what is needed least.
        """
        head = f"after {self.at} of {self.last} decisions"
        told = telling.story(self._table.game, self._parts[self.at], self._seat)
        beside = len([head, *(told if width is None else wrapped(told, width)), PROMPT])
        room = None if height is None else max(height - beside, 0)
        return "\n".join(["", head, self._table.text(self._seat, width=width, height=room), *told])


def step_through(played: Table, seat: int | None, ask: Ask, say: Say) -> None:
    """Show a game that has been played, as the person asks, until the person leaves. A window gets lines of its width."""
    stepper, screen = Stepper(played, seat), Screen.of(sys.stdout)

    def show(text: str) -> None:
        say(screen.shown(text, played.game.legend) if screen.window else text)

    show(HELP)
    show(stepper.page(terminal_width(), _under_the_help(screen)))
    while True:
        try:
            line = " ".join(ask(PROMPT).lower().split())
        except EOFError:
            show("")
            return
        if line in LEAVE:
            return
        show(_answer(stepper, line, terminal_width(), screen.height))


def _under_the_help(screen: Screen) -> int | None:
    """How many lines are left for the first page, so that a newcomer sees the keys, too."""
    return None if screen.height is None else screen.height - len(wrapped([HELP], screen.width))


def _answer(stepper: Stepper, line: str, width: int | None, height: int | None) -> str:
    """Do what a line says; what there is to see now, or why it cannot be done."""
    wanted = _wanted(stepper, line)
    if wanted is None:
        return f"{shown(line)}: {HELP}"
    if wanted < 0 and line in BACK:
        return "this is the start of the game"
    if wanted > stepper.last and line in NEXT:
        return "this is the end of the replay"
    if not 0 <= wanted <= stepper.last:
        return f"{shown(line)}: allowed: g 0 to g {stepper.last}"
    stepper.go(wanted)
    return stepper.page(width, height)


def _wanted(stepper: Stepper, line: str) -> int | None:
    """After how many decisions a line asks to be; None if it asks for nothing that we know."""
    if line in NEXT:
        return stepper.at + 1
    if line in BACK:
        return stepper.at - 1
    number = line.removeprefix("g").strip()
    if not line.startswith("g") or not (number.isascii() and number.isdecimal()):
        return None
    return int(number[: MOST_DIGITS + 1])  # a longer one is too large as well


# ---- Keys


def asker() -> Ask:
    """Reads keys if a person sits at a terminal that can send them, else lines."""
    if sys.stdin.isatty() and sys.stdout.isatty() and _module("termios") is not None:
        return key_reader(sys.stdin.fileno(), input)
    return input


def key_reader(descriptor: int, ask_line: Ask) -> Ask:
    """Reads a key from a terminal, and after `g` the rest of the line; what it returns is the line that the key stands for."""

    def ask(prompt: str) -> str:
        print(prompt, end="", flush=True)
        with _keys_at_once(descriptor):
            key = _key(descriptor)
        if key == "g":
            return f"g {ask_line('go to decision: ')}"
        print()
        return "" if key == " " else key

    return ask


def _key(descriptor: int) -> str:
    """The next key in lower case: a character, or the sequence of an arrow; `EOFError` if the terminal is gone."""
    pressed = os.read(descriptor, 1)
    if not pressed:
        raise EOFError
    if pressed == b"\x1b" or pressed[0] >= 0x80:  # the first byte of several
        while select.select([descriptor], [], [], REST_OF_A_KEY)[0]:
            more = os.read(descriptor, 1)
            pressed += more
            if not more or (more.isalpha() and pressed != b"\x1bO") or more == b"~":
                break
    return pressed.decode("utf-8", "replace").lower()


@contextmanager
def _keys_at_once(descriptor: int) -> Iterator[None]:
    """Keys come as they are pressed and are not shown; afterwards the terminal is as it was, whatever ends the waiting."""
    termios, tty = _module("termios"), _module("tty")
    before = termios.tcgetattr(descriptor)

    def at_once(*signalled: object) -> None:
        tty.setcbreak(descriptor, termios.TCSADRAIN)

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)  # as a shell reports it, after what must be done before

    with _heard(signal.SIGTERM, end), _heard(signal.SIGCONT, at_once):  # a shell takes the terminal back while we are stopped
        try:
            at_once()
            yield
        finally:
            termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


@contextmanager
def _heard(number: int, then: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """What a signal does in here."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals go to the main thread
        return
    before = signal.signal(number, then)
    try:
        yield
    finally:
        signal.signal(number, before)


def _module(name: str) -> Any:  # noqa: ANN401  # a module that not every system has
    try:
        return importlib.import_module(name)
    except ImportError:
        return None
