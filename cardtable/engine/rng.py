"""Random streams: one 64-bit integer per game, kept in the game's record (SplitMix64).

A game's course depends on its seed, its number and the actions alone, so every draw comes from the record.
"""

import numpy as np

from cardtable.engine.jit import kernel, wrapping_kernel
from cardtable.types import Floats, Header, Integers

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)
SHIFT_30, SHIFT_27, SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)
HALF = np.uint64(32)


@wrapping_kernel
def mix(bits: np.uint64) -> np.uint64:
    """Scatter 64 bits: nearby inputs give unrelated outputs."""
    bits = (bits ^ (bits >> SHIFT_30)) * MIX_1
    bits = (bits ^ (bits >> SHIFT_27)) * MIX_2
    return bits ^ (bits >> SHIFT_31)


@wrapping_kernel
def stream(seed: np.uint64, number: np.uint64) -> np.uint64:
    """Where the stream `number` of `seed` starts."""
    return mix(mix(seed + GOLDEN) ^ (number * GOLDEN))


@wrapping_kernel
def advance(state: np.uint64) -> np.uint64:
    """The next state of a stream."""
    return state + GOLDEN


@wrapping_kernel
def below(state: np.uint64, bound: int) -> int:
    """The number in 0 … bound-1 that a stream in this state stands for (bias below bound / 2**32)."""
    return int(((mix(state) >> HALF) * np.uint64(bound)) >> HALF)


@wrapping_kernel
def fold(trace: np.uint64, value: int) -> np.uint64:
    """A running hash of the numbers that went in."""
    return (trace ^ np.uint64(value)) * MIX_1 + GOLDEN


@kernel
def draw(game: Header, bound: int) -> int:
    """A number in 0 … bound-1 from the game's own stream."""
    game.rng = advance(game.rng)
    return below(game.rng, bound)


@kernel
def shuffle(game: Header, cards: Integers, size: int) -> None:
    """Put the first `size` entries of `cards` in random order."""
    for last in range(size - 1, 0, -1):
        other = draw(game, last + 1)
        card = cards[last]
        cards[last] = cards[other]
        cards[other] = card


def chances(seed: int, *numbers: Integers) -> Floats:
    """A random number in [0, 1) for each row of some columns of integers, the same for the same seed and row."""
    bits = np.full(len(numbers[0]), seed, np.uint64)
    with np.errstate(over="ignore"):
        for column in numbers:
            bits = (bits + column.astype(np.uint64) + np.uint64(1)) * GOLDEN
            bits = (bits ^ (bits >> SHIFT_30)) * MIX_1  # as `mix`, which takes one number
            bits = (bits ^ (bits >> SHIFT_27)) * MIX_2
            bits ^= bits >> SHIFT_31
    return (bits >> np.uint64(11)) * 2.0**-53
