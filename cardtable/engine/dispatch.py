"""The kernels that shared loops call. Which game's kernel that is, the record's type decides, at compile time.

Passing kernels as arguments or closing over them would keep numba from caching the loops on disk; overloads cache.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np
from numba.extending import overload

from cardtable.engine.kernels import Kernels
from cardtable.types import Header

_REGISTERED: dict[tuple[str, ...], Kernels[Any]] = {}


def register(dtype: np.dtype[np.void], kernels: Kernels[Any]) -> None:
    """Make `kernels` the ones for records of this dtype. Told apart by their field names."""
    names = dtype.names or ()
    if not isinstance(kernels, Kernels):
        raise TypeError(f"the kernels of a game are a `Kernels`, not a {type(kernels).__name__}")
    if names in _REGISTERED and _REGISTERED[names] != kernels:
        raise TypeError(f"another game with the record fields {names} is registered already")
    _REGISTERED[names] = kernels


def kernels_of(fields: tuple[str, ...]) -> Mapping[str, Callable[..., Any]]:
    """The kernels for records with these fields, by name; none if they are of no game."""
    kernels = _REGISTERED.get(fields)
    return vars(kernels) if kernels is not None else {}


def by_record_type(name: str, registered: Mapping[tuple[str, ...], object] = _REGISTERED) -> Callable[..., Any]:
    """A function that calls the kernel of this name that is registered for the record's fields."""

    def call(game: Any, *args: Any) -> Any:
        return getattr(registered[game.dtype.names], name)(game, *args)

    @overload(call)
    def choose(game: Any, *args: Any) -> Any:
        chosen = getattr(registered[tuple(game.fields)], name)

        def call_chosen(game: Any, *args: Any) -> Any:
            return chosen(game, *args)

        # Compiled functions are told apart by name and argument types, and those are the same for `scores` and `returns`.
        call_chosen.__qualname__ = f"{name}.{chosen.__module__}.{chosen.__qualname__}"
        return call_chosen

    return call


_OF_ANY_GAME = Kernels[Header](**{each.name: by_record_type(each.name) for each in fields(Kernels)})

shuffle_decks = _OF_ANY_GAME.shuffle_decks
set_up = _OF_ANY_GAME.set_up
legal = _OF_ANY_GAME.legal
apply = _OF_ANY_GAME.apply
is_over = _OF_ANY_GAME.is_over
scores = _OF_ANY_GAME.scores
returns = _OF_ANY_GAME.returns
observe = _OF_ANY_GAME.observe
observe_hidden = _OF_ANY_GAME.observe_hidden
redeal_hidden = _OF_ANY_GAME.redeal_hidden
forget_hidden = _OF_ANY_GAME.forget_hidden
derive = _OF_ANY_GAME.derive
check_fixed = _OF_ANY_GAME.check_fixed
check = _OF_ANY_GAME.check
witness = _OF_ANY_GAME.witness
