"""Choices for a person: listed with numbers and what they do, found by what is typed, completed by Tab."""

import importlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from cardtable.game.look import packed, wrapped
from cardtable.table import Table

NUMBER_WIDTH = 3
GAP = 2
MOST_DIGITS = 9
"""Digits of a number that a person types."""


class Choice(NamedTuple):
    """A legal action, as a person sees it."""

    number: int
    action: int
    block: str
    name: str
    does: str

    def text(self) -> str:
        """Its number, its name, and what it does."""
        return f"{self.number:>{NUMBER_WIDTH}} {self.name}{f': {self.does}' if self.does else ''}"


def choices_of(table: Table) -> list[Choice]:
    """The legal actions of the seat to act, in the order of their ids."""
    game, view, actions = table.game, table.view(table.seat), table.game.actions
    return [
        Choice(
            number,
            action,
            actions.played(table.seat, action).block,
            actions.names[action],
            game.explain(view, table.options, action),
        )
        for number, action in enumerate(np.flatnonzero(table.mask).tolist(), start=1)
    ]


def listed(choices: Sequence[Choice], width: int) -> list[str]:
    """Choices as lines, those of one kind in as many columns as there is room for."""
    kinds = groupby(choices, key=lambda choice: choice.block)
    return [line for _, kind in kinds for line in _columns([choice.text() for choice in kind], width)]


def _columns(cells: Sequence[str], width: int) -> list[str]:
    cell_width = max(map(len, cells)) + GAP
    columns = (width + GAP) // cell_width
    if columns <= 1:
        return wrapped(cells, width)
    rows = [cells[start : start + columns] for start in range(0, len(cells), columns)]
    return ["".join(f"{cell:<{cell_width}}" for cell in row).rstrip() for row in rows]


def folded(choices: Sequence[Choice], width: int) -> list[str]:
    """Choices in as few lines as can be, without what they do: `5-8 sell red, green, yellow, blue`."""
    alike = groupby(choices, key=lambda choice: (choice.block, choice.name.rpartition(" ")[0]))
    return wrapped(packed([_together(list(group)) for _, group in alike], width), width)


def _together(choices: Sequence[Choice]) -> str:
    """Choices that differ in their last words, under their numbers."""
    first, last = choices[0], choices[-1]
    others = [choice.name.rpartition(" ")[2] for choice in choices[1:]]
    return f"{first.number}{f'-{last.number}' if others else ''} {', '.join([first.name, *others])}"


def meant(answer: str, choices: Sequence[Choice]) -> list[Choice]:
    """The choices that an answer may mean: by number, by name or its beginning; an empty one means any."""
    if answer.isdecimal():
        number = int(answer) if len(answer) <= MOST_DIGITS else 0
        return [choice for choice in choices if choice.number == number]
    exactly = [choice for choice in choices if _plain(choice.name) == _plain(answer)]
    return exactly or [choice for choice in choices if _plain(choice.name).startswith(_plain(answer))]


def completions(typed: str, names: Sequence[str]) -> list[str]:
    """The names that begin with what was typed, in any case and with any spaces."""
    start = _plain(typed) + (" " if typed.strip() and typed[-1:].isspace() else "")
    return [name for name in names if _plain(name).startswith(start)]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


@contextmanager
def completed_by_tab(names: Callable[[], Sequence[str]]) -> Iterator[None]:
    """Tab completes these names while a line is read, where the system can do that; afterwards all is as it was."""
    readline = _readline()
    if readline is None:
        yield
        return
    before = readline.get_completer(), readline.get_completer_delims()

    def complete(typed: str, state: int) -> str | None:
        found = completions(typed, names())
        return found[state] if state < len(found) else None

    readline.set_completer(complete)
    readline.set_completer_delims("")  # a name has spaces in it
    readline.parse_and_bind("bind ^I rl_complete" if "libedit" in (readline.__doc__ or "") else "tab: complete")
    try:
        yield
    finally:
        readline.set_completer(before[0])
        readline.set_completer_delims(before[1])


def _readline() -> Any:  # noqa: ANN401  # a module that not every system has
    try:
        return importlib.import_module("readline")
    except ImportError:
        return None
