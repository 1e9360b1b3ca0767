"""Observation vectors made of named pieces: name, place, shape, range and meaning of every number."""

from collections import namedtuple
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

from cardtable.game.actions import Span


@dataclass(frozen=True)
class Piece:
    """A named part of an observation: one number in [0, 1] for each combination of its axes, the last axis fastest."""

    name: str
    axes: tuple[Sequence[str], ...]
    meaning: str

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the piece; () for a single number."""
        return tuple(len(axis) for axis in self.axes)

    @property
    def size(self) -> int:
        """How many numbers the piece has."""
        return prod(len(axis) for axis in self.axes)


class Layout:
    """The pieces of a vector in order. `at` gives each piece's span and is a compile-time constant in kernels."""

    def __init__(self, *pieces: Piece) -> None:
        self.pieces = pieces
        spans, start = [], 0
        for piece in pieces:
            spans.append(Span(start, start + piece.size))
            start += piece.size
        self.size = start
        self.at: Any = namedtuple("At", [piece.name for piece in pieces])(*spans)

    def __getitem__(self, name: str) -> slice:
        """The slice of the vector that holds the piece: `vector[layout["own_hand"]]`."""
        span = getattr(self.at, name, None)
        if not isinstance(span, Span):
            raise KeyError(f"{name!r} is not one of {', '.join(piece.name for piece in self.pieces)}")
        return slice(*span)

    def labels(self) -> list[str]:
        """What each number of the vector is, in words: `own_hand[water 1]`."""
        return [
            f"{piece.name}[{', '.join(labels)}]" if labels else piece.name
            for piece in self.pieces
            for labels in product(*piece.axes)
        ]
