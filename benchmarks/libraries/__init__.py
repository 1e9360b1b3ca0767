"""Other libraries on our games: how each is called, how fast it plays, whether it learns."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Learned:
    """How a learner that a library has trained did against random play."""

    before: float
    """Share of wins before training (a draw is half a win)."""
    after: float
    """Share of wins after training."""
    games: int
    """Games that each share is of."""
    seconds: float
    """Time that training took."""


@dataclass(frozen=True)
class Library:
    """A library that plays our games."""

    name: str
    """As its authors write it."""
    package: str
    """Its distribution, whose version is reported."""
    line: str
    """What a user writes."""
    rate: Callable[[float], float]
    """Decisions per second of the path that is recommended, measured for about so many seconds."""
    learn: Callable[[float], Learned] | None = None
    """Train with the library for about so many seconds; None if there is nothing to learn with."""
