"""`Kernels`: the functions that a game is made of, as shared loops call them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from cardtable.types import Actions, Counts, Floats, Header, Observation

State = TypeVar("State", bound=Header, contravariant=True)


@dataclass(frozen=True)
class Kernels(Generic[State]):
    """Every game provides these. `Kernels[State](…)`, with the `State` of the game's `types`, has mypy check them all.

    A kernel takes a record and integers, writes into what it is given, and allocates nothing.
    """

    shuffle_decks: Callable[[State], None]
    """(game): put every deck in random order."""
    set_up: Callable[[State], None]
    """(game): deal from the decks; the game stands at its first decision."""
    legal: Callable[[State, Actions], int]
    """(game, actions) -> count: write the ids of all legal actions of the seat to act."""
    apply: Callable[[State, int], None]
    """(game, action): play one legal action."""
    is_over: Callable[[State], int]
    """(game) -> `Ending`."""
    scores: Callable[[State, Floats], None]
    """(game, out): the score of each seat as things stand."""
    returns: Callable[[State, Floats], None]
    """(game, out): the reward of each seat, as if the game ended now."""
    observe: Callable[[State, int, Observation], None]
    """(game, seat, out): write what the seat sees."""
    observe_hidden: Callable[[State, Observation], None]
    """(game, out): write what no seat sees."""
    redeal_hidden: Callable[[State, int], None]
    """(game, seat): draw anew all that the seat cannot know."""
    forget_hidden: Callable[[State, int], None]
    """(game, seat): put all that the seat cannot know into an order that tells nothing of it."""
    derive: Callable[[State], None]
    """(game): fill in the fields that follow from others."""
    check_fixed: Callable[[State], int]
    """(game) -> 0 if what stays the same through a game is possible, else the number of its fault."""
    check: Callable[[State, Counts], int]
    """(game, counts) -> the same for what moves; `counts` is scratch, with room for a number for each kind of card."""
    witness: Callable[[State, int, Counts], None]
    """(game, action, counts): count the clauses that this decision exercises; `NOBODY` when the game is over."""
