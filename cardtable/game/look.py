"""How the table as text is looked at: from which seat, in how wide a window, under which names; and what its signs mean."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import NamedTuple

from cardtable.game.events import YOU, second_person
from cardtable.game.record import SEATS

INDENT = "    "
"""What the further lines of a line that was too long begin with."""
BETWEEN = "   "
"""What stands between cells of a line."""


class Sign(NamedTuple):
    """A line of the legend: what is written on the table, and what it means."""

    shown: str
    meaning: str
    colours: Mapping[str, str] = {}
    """Regular expression -> the colour of what matches it, where there are colours. They only repeat what the words say."""


@dataclass(frozen=True)
class Look:
    """Who looks at the table, and how."""

    seat: int
    moves: Sequence[tuple[int, str]] = ()
    """The last moves: who made them, and their names as the seat may know them."""
    width: int | None = None
    """Characters in a line; None: as many as there are."""
    height: int | None = None
    """Lines that there is room for; None: as many as there are. A game that can say less then leaves out what it can."""
    agents: Mapping[int, str] | None = field(default=None)
    """Given if a person sits at the seat, who is called "you": the names of the agents at the other seats."""

    @property
    def is_person(self) -> bool:
        """Whether the seat is called "you", and a legend is at hand."""
        return self.agents is not None

    @property
    def own(self) -> str:
        """The seat by its name in a view: `player_0`."""
        return SEATS[self.seat]

    def name(self, side: str) -> str:
        """What a player is called in a sentence: `you`, `player_1`."""
        return YOU if self.is_person and side == self.own else side

    def title(self, side: str) -> str:
        """What stands above the things of a player: `you (player_0)`, `heuristic (player_1)`."""
        agent = (self.agents or {}).get(SEATS.index(side), "")
        called = YOU if self.name(side) == YOU else agent
        return f"{called} ({side})" if called else side

    def sentence(self, side: str, words: str) -> str:
        """What a player does: `you take an action`, of `takes an action`."""
        name, (verb, _, rest) = self.name(side), words.partition(" ")
        return f"{name} {second_person(verb) if name == YOU else verb} {rest}".rstrip()

    def last_moves(self) -> list[str]:
        """The last moves by who made them, in a line; none if there are none."""
        turns = groupby(self.moves, key=lambda move: move[0])
        told = [f"{self.name(SEATS[seat])}: {', '.join(name for _, name in moves)}" for seat, moves in turns]
        return [f"last moves: {'; '.join(told)}"] if told else []

    def fits(self, lines: Iterable[str]) -> bool:
        """Whether no line is too long."""
        return self.width is None or all(len(line) <= self.width for line in lines)

    def text(self, lines: Iterable[str]) -> str:
        """Lines as a text, those that are too long as several."""
        return "\n".join(self._wrapped(lines))

    def has_room(self, lines: Iterable[str]) -> bool:
        """Whether there are not too many lines."""
        return self.height is None or len(self._wrapped(lines)) <= self.height

    def _wrapped(self, lines: Iterable[str]) -> list[str]:
        return list(lines) if self.width is None else wrapped(lines, self.width)


def wrapped(lines: Iterable[str], width: int, indent: str = INDENT) -> list[str]:
    """Lines of at most that width. What a line begins with is kept; what follows of a long one is indented further."""
    found = []
    for line in lines:
        before = line[: len(line) - len(line.lstrip())]
        parts = textwrap.wrap(line.strip(), width, initial_indent=before, subsequent_indent=before + indent)
        found += [line.rstrip()] if len(line.rstrip()) <= width else parts
    return found


def packed(cells: Iterable[str], width: int | None, indent: str = "") -> list[str]:
    """Cells one after another, as many in a line as there is room for; a line for each where there is no width."""
    lines: list[str] = []
    for cell in cells:
        if width is not None and lines and len(lines[-1]) + len(BETWEEN) + len(cell) <= width:
            lines[-1] += BETWEEN + cell
        else:
            lines.append(indent + cell)
    return lines
