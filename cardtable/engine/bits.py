"""Small sets as the bits of a number: k is in the set if bit k is 1. Loops over what is there need no branches for the rest."""

from collections.abc import Sequence

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from cardtable.engine.intrinsics import Context, Intrinsic, Signature, TypingContext
from cardtable.engine.jit import either, helper, kernel
from cardtable.types import Integers

WORD = 64
"""Bits of a number."""


def _plain_lowest(bits: int) -> int:
    return (int(bits) & -int(bits)).bit_length() - 1 if bits else 0


@intrinsic
def _lowest(_context: TypingContext, bits: types.Type) -> Intrinsic:
    """One instruction of the processor, which counts the zeros below the lowest 1."""

    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        zeros = builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))
        return builder.and_(zeros, ir.Constant(ir.IntType(WORD), WORD - 1))

    return types.int64(types.int64), generate


lowest = either(_lowest, _plain_lowest)
"""(bits) -> the least member of a set; 0 if the set is empty."""


@helper
def holds(bits: int, member: int) -> bool:
    """Whether a number is in the set."""
    return bits >> member & 1 == 1


@helper
def without_lowest(bits: int) -> int:
    """The set without its least member."""
    return bits & (bits - 1)


@kernel
def set_of(things: Integers, size: int) -> int:
    """The first `size` things of a list as a set."""
    members = 0
    for place in range(size):
        members |= 1 << int(things[place])
    return members
