"""Action spaces: ordered named blocks of ids, and a readable name for every id."""

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import Any, NamedTuple

from cardtable.errors import IllegalAction
from cardtable.support.messages import shown


class Span(NamedTuple):
    """A range of ids: start included, stop excluded."""

    start: int
    stop: int


@dataclass(frozen=True)
class Block:
    """A block of actions of one kind: one id for each combination of its axes, the last axis fastest.

    `pattern` is the notation with one `{}` per axis: `"play {} at {}"`.
    """

    name: str
    pattern: str
    axes: tuple[Sequence[str], ...]
    meaning: str
    secret: bool = False
    """Whether the other players see only that such an action was played, not which one."""

    @property
    def size(self) -> int:
        """How many ids the block has."""
        return prod(len(axis) for axis in self.axes)

    def names(self) -> list[str]:
        """The notation of every id of the block, in order."""
        return [self.pattern.format(*labels) for labels in product(*self.axes)]


class Played(NamedTuple):
    """An action taken apart: who played it, its block, and the label on each axis of the block."""

    seat: int
    block: str
    labels: tuple[str, ...]


class ActionSpace:
    """All actions of a game. `at` gives each block's span by name and is a compile-time constant in kernels."""

    def __init__(self, *blocks: Block) -> None:
        self.blocks = blocks
        self.names = [name for block in blocks for name in block.names()]
        self.size = len(self.names)
        self.at: Any = self._spans()
        if len(set(self.names)) != self.size:
            raise TypeError("two actions share a name")

    def _spans(self) -> tuple[Span, ...]:
        spans, start = [], 0
        for block in self.blocks:
            spans.append(Span(start, start + block.size))
            start += block.size
        return namedtuple("At", [block.name for block in self.blocks])(*spans)

    @cached_property
    def _ids(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def name_of(self, action: int) -> str:
        """The notation of an action id."""
        if not 0 <= action < self.size:
            raise IllegalAction(f"action {shown(action)} does not exist; ids are 0 to {self.size - 1}")
        return self.names[action]

    def played(self, seat: int, action: int) -> Played:
        """An action of a seat taken apart."""
        return Played(seat, *self._parts[action])

    @cached_property
    def _parts(self) -> list[tuple[str, tuple[str, ...]]]:
        return [(block.name, labels) for block in self.blocks for labels in product(*block.axes)]

    def name_for_others(self, action: int) -> str:
        """What the other players see of an action: its notation, or for a secret one `"draft card ?"`."""
        for block, span in zip(self.blocks, self.at, strict=True):
            if block.secret and span.start <= action < span.stop:
                return block.pattern.format(*"?" * len(block.axes))
        return self.name_of(action)

    def id_of(self, name: str) -> int:
        """The id of an action in notation; spaces at the ends and upper case do not matter."""
        found = self._ids.get(name) if isinstance(name, str) else None
        if found is None and isinstance(name, str):
            found = self._ids.get(" ".join(name.lower().split()))
        if found is None:
            patterns = "; ".join(f"'{block.pattern}'" for block in self.blocks)
            raise IllegalAction(f"no action is called {shown(name)}; actions look like {patterns}")
        return found
