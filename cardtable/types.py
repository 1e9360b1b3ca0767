"""Types of what kernels, environments and players work on: arrays by what they hold, and what the record of every game has.

They are for readers, editors and mypy: compiled code does not look at annotations. The fields of one game's record are in its
own `types` module, which `tools/make_types.py` writes.
"""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Records = npt.NDArray[np.void]
"""Games, one record each."""
Actions = npt.NDArray[np.int64]
"""Ids of actions."""
Mask = npt.NDArray[np.int8]
"""1 where an action is legal, else 0: (A,), or (n, A) for n games."""
Observation = npt.NDArray[np.float32]
"""What seats see, in [0, 1]: (D,), or (n, D) for n games."""
Seats = npt.NDArray[np.int8]
"""A seat for each of n games."""
Flags = npt.NDArray[np.bool_]
"""True or false, for each of n games."""
Counts = npt.NDArray[np.int64]
"""How often, how many, which place: integers that are not fields of a record."""
Integers = npt.NDArray[np.integer[Any]]
"""Integers of any width, such as cards in a field of a record."""
Floats = npt.NDArray[np.floating[Any]]
"""Scores, returns, values: real numbers of any precision."""
Bits = npt.NDArray[np.uint64]
"""Random bits and hashes."""
Array = npt.NDArray[Any]
"""An array of anything: where the dtype is what is asked for, or checked."""


class Header(Protocol):
    """The fields that the record of every game begins with: what shared kernels may read and write."""

    seed: np.uint64
    index: np.uint64
    rng: np.uint64
    length: int
    num_players: int
    seat: int
