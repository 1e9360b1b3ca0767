"""Ask the processor for memory that the next game of a batch will need, while the present one is played.

A batch does not fit into the first caches; without this a step mostly waits for the lines of its record and rows.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic, overload

from cardtable.engine.intrinsics import ArrayType, Context, Intrinsic, Signature, TypingContext
from cardtable.engine.jit import either, helper
from cardtable.types import Array, Records

LINE = 64
"""Bytes of a cache line."""

LARGE = 400
"""Bytes of a field that is not asked for whole: a step touches a card or two of the many that may lie there."""

FOR_WRITING, KEEP, DATA = 1, 3, 1
"""The arguments of LLVM's prefetch: the line will be written, should stay in all caches, and holds data."""


def _ignore(array: Array, row: int, offset: int) -> None:
    """Plain Python has no use for it."""


@intrinsic
def _fetch_line(_context: TypingContext, array: ArrayType, row: types.Type, offset: types.Type) -> Intrinsic:
    """Ask for the cache line `offset` bytes into a row of an array. A hint: no address is ever invalid."""

    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        data = context.make_array(signature.args[0])(context, builder, args[0])
        stride = builder.extract_value(data.strides, 0)
        start = builder.add(builder.ptrtoint(data.data, stride.type), builder.mul(args[1], stride))
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        address = builder.inttoptr(builder.add(start, args[2]), pointer)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(function, [address, *(ir.Constant(number, value) for value in (FOR_WRITING, KEEP, DATA))])
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


fetch_line = either(_fetch_line, _ignore)


@helper
def fetch_row(array: Array, row: int, size: int) -> None:
    """Ask for the first `size` bytes of a row."""
    for offset in range(0, size, LINE):
        fetch_line(array, row, offset)


def small_part(records: Records) -> int:
    """Bytes of a record without its large fields, which are the last ones."""
    return int(records.itemsize)


@overload(small_part)
def _small_part(records: Any) -> Callable[[Any], int]:  # a type here, an array below: numba wants them alike
    fields = records.dtype.fields.values()
    size = min((each.offset for each in fields if _bytes_of(each.type) > LARGE), default=records.dtype.size)

    def answer(records: Any) -> int:
        return size

    return answer


def _bytes_of(kind: Any) -> int:  # numba's stubs know no bitwidth
    """Bytes of a field."""
    return int(kind.nitems * kind.dtype.bitwidth if isinstance(kind, types.NestedArray) else kind.bitwidth) // 8


@helper
def fetch_record(records: Records, row: int) -> None:
    """Ask for what a step needs of a record."""
    fetch_row(records, row, small_part(records))
