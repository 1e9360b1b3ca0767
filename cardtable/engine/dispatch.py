"""The kernels that shared loops call. Which game's kernel that is, the record's type decides, at compile time.

Passing kernels as arguments or closing over them would keep numba from caching the loops on disk; overloads cache.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba.extending import overload

KERNELS = (
    "shuffle_decks",  # (game): put every deck in random order
    "set_up",  # (game): deal from the decks; the game stands at its first decision
    "legal",  # (game, actions) -> count: write the ids of all legal actions of the seat to act
    "apply",  # (game, action): play one legal action
    "is_over",  # (game) -> Ending
    "scores",  # (game, out): the score of each seat as things stand
    "returns",  # (game, out): the reward of each seat, as if the game ended now
    "observe",  # (game, seat, out): write what the seat sees
    "observe_hidden",  # (game, out): write what no seat sees
    "redeal_hidden",  # (game, seat): draw anew all that the seat cannot know
    "forget_hidden",  # (game, seat): put all that the seat cannot know into an order that tells nothing of it
    "derive",  # (game): fill in the fields that follow from others
    "check_fixed",  # (game) -> 0 if what stays the same through a game is possible, else the number of its fault
    "check",  # (game, counts) -> the same for what moves; `counts` is scratch, with room for a number for each kind of card
    "witness",  # (game, action, counts): count the clauses that this decision exercises
)
"""Every game provides these, under these names."""

_REGISTERED: dict[tuple[str, ...], dict[str, Callable[..., Any]]] = {}


def register(dtype: np.dtype, kernels: dict[str, Callable[..., Any]]) -> None:
    """Make `kernels` the ones for records of this dtype. Told apart by their field names."""
    names = dtype.names or ()
    missing, extra = set(KERNELS) - set(kernels), set(kernels) - set(KERNELS)
    if missing or extra:
        raise TypeError(f"a game provides exactly {KERNELS}; missing: {sorted(missing)}, unknown: {sorted(extra)}")
    if names in _REGISTERED and _REGISTERED[names] != kernels:
        raise TypeError(f"another game with the record fields {names} is registered already")
    _REGISTERED[names] = kernels


def kernels_of(fields: tuple[str, ...]) -> Mapping[str, Callable[..., Any]]:
    """The kernels for records with these fields, by name; none if they are of no game."""
    return _REGISTERED.get(fields, {})


def by_record_type(
    name: str, registered: Mapping[tuple[str, ...], Mapping[str, Callable[..., Any]]] = _REGISTERED
) -> Callable[..., Any]:
    """A function that calls the kernel of this name that is registered for the record's fields."""

    def call(game: Any, *args: Any) -> Any:
        return registered[game.dtype.names][name](game, *args)

    @overload(call)
    def choose(game: Any, *args: Any) -> Any:
        chosen = registered[tuple(game.fields)][name]

        def call_chosen(game: Any, *args: Any) -> Any:
            return chosen(game, *args)

        # Compiled functions are told apart by name and argument types, and those are the same for `scores` and `returns`.
        call_chosen.__qualname__ = f"{name}.{chosen.__module__}.{chosen.__qualname__}"
        return call_chosen

    return call


shuffle_decks = by_record_type("shuffle_decks")
set_up = by_record_type("set_up")
legal = by_record_type("legal")
apply = by_record_type("apply")
is_over = by_record_type("is_over")
scores = by_record_type("scores")
returns = by_record_type("returns")
observe = by_record_type("observe")
observe_hidden = by_record_type("observe_hidden")
redeal_hidden = by_record_type("redeal_hidden")
forget_hidden = by_record_type("forget_hidden")
derive = by_record_type("derive")
check_fixed = by_record_type("check_fixed")
check = by_record_type("check")
witness = by_record_type("witness")
