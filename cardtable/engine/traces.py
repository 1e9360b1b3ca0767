"""Traces: all that stood on a table at every decision of a game, in one number. Another course of the game has another one."""

from collections.abc import Sequence

import numpy as np

from cardtable.engine import rng
from cardtable.engine.jit import kernel
from cardtable.types import Array, Bits, Counts

WORDS = (np.uint64, np.uint32, np.uint16, np.uint8)


@kernel
def fold_many(words: Array, lanes: Counts, places: Bits, traces: Bits) -> None:
    """Fold a row of unsigned integers into the trace of each of some lanes; `places` is a random number for each column."""
    for lane in lanes:
        total = np.uint64(0)
        for place in range(words.shape[1]):
            total ^= rng.mix(np.uint64(words[lane, place]) ^ places[place])
        traces[lane] = rng.mix(traces[lane] ^ total)


def words_of(rows: Array) -> Array:
    """(n, k): the rows of an array, not a copy, as unsigned integers, as wide as they can be read."""
    size = rows.itemsize * (rows.shape[1] if rows.ndim > 1 else 1)
    word = next(word for word in WORDS if size % np.dtype(word).itemsize == 0)
    return rows.view(np.uint8, np.ndarray).reshape(len(rows), size).view(word)


def new_places(words: Sequence[Array]) -> Bits:
    """A random number for each column."""
    return np.random.default_rng().integers(0, 2**64 - 1, max(each.shape[1] for each in words), np.uint64)


def prepare() -> None:
    """Compile for words of every width."""
    for word in WORDS:
        fold_many(np.zeros((1, 1), word), np.zeros(1, np.int64), np.zeros(1, np.uint64), np.zeros(1, np.uint64))
