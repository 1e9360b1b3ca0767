"""What all games share at the end: how a game ends, and what a win is worth."""

from enum import IntEnum

from cardtable.engine.jit import helper, kernel
from cardtable.types import Floats


class Ending(IntEnum):
    """Whether a game goes on, ended by its rules, or was cut off at a limit."""

    ONGOING = 0
    TERMINATED = 1
    TRUNCATED = 2


@helper
def as_number(ending: int) -> int:
    """An `Ending` for Python as a plain number: making an enum member takes longer than a step of the game."""
    return ending + 0


@kernel
def share_the_win(out: Floats, players: int) -> None:
    """Turn `out` from 1 for each seat that shares the win, 0 for the others, into zero-sum returns in [-1, 1].

    With n players and k winners: (n/k - 1)/(n - 1) for a winner, -1/(n - 1) for another; 0 for all if all win.
    """
    winners = 0  # counted, not added up in the precision of `out`: plain Python and compiled code divide the same numbers
    for seat in range(players):
        winners += 1 if out[seat] else 0
    for seat in range(players):
        out[seat] = (players / winners - 1) / (players - 1) if out[seat] else -1 / (players - 1)
