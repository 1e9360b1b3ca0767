"""Weighted sums of rows of a matrix: what the first layer of a network does with the few inputs that are not zero.

LLVM would write the sum back to memory after every row, as it cannot tell that the matrix is not what is written. `add_rows`
keeps it in registers: a block of columns at a time, all rows of the sum for each block.
"""

from collections.abc import Sequence

import llvmlite.binding as llvm
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from cardtable.engine.intrinsics import ArrayType, Context, Intrinsic, Signature, TypingContext
from cardtable.engine.jit import CHECKED, COMPILED, either, helper
from cardtable.types import Floats, Integers

LANES = 16
"""Numbers in a vector of the machine, or in several that stand for one."""
COLUMNS = 64
"""The width of a matrix is a multiple of this."""
FLOAT_BYTES = 4
INDEX, FLOAT, NUMBER = ir.IntType(64), ir.FloatType(), ir.IntType(32)
VECTOR = ir.VectorType(FLOAT, LANES)
BLOCKS = (256, COLUMNS) if COMPILED and llvm.get_host_cpu_features().get("avx512f") else (COLUMNS,)
"""Columns that are summed at once, as many as there is room for in registers; then those that are left."""


def _add_rows_one_by_one(out: Floats, matrix: Floats, index: Integers, weight: Floats, start: int, count: int) -> None:
    for k in range(start, start + count):
        for column in range(out.shape[0]):
            out[column] += weight[k] * matrix[index[k], column]


def constant(number: int) -> ir.Constant:
    """An integer that addresses are computed with."""
    return ir.Constant(INDEX, number)


def _as_index(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    return builder.sext(number, INDEX) if number.type.width < INDEX.width else number


def vectors(builder: ir.IRBuilder, row: ir.Value, number: int) -> list[ir.Value]:
    """Pointers to a number of vectors, one after the other."""
    places = [builder.gep(row, [constant(each * LANES)]) for each in range(number)]
    return [builder.bitcast(place, VECTOR.as_pointer()) for place in places]


def spread(builder: ir.IRBuilder, number: ir.Value) -> ir.Value:
    """A vector of one number again and again."""
    nothing = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(nothing, number, ir.Constant(NUMBER, 0))
    return builder.shuffle_vector(first, nothing, ir.Constant(ir.VectorType(NUMBER, LANES), [0] * LANES))


def multiply_add(builder: ir.IRBuilder, one: ir.Value, two: ir.Value, total: ir.Value) -> ir.Value:
    """one * two + total, of vectors."""
    kind, name = ir.FunctionType(VECTOR, [VECTOR] * 3), f"llvm.fmuladd.v{LANES}f32"
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), [one, two, total])


@intrinsic
def _add_rows_in_registers(
    _context: TypingContext,
    out: ArrayType,
    matrix: ArrayType,
    index: ArrayType,
    weight: ArrayType,
    start: types.Type,
    count: types.Type,
) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        arrays = [
            context.make_array(kind)(context, builder, each) for kind, each in zip(signature.args, args[:4], strict=False)
        ]
        to, rows, places, weights = (each.data for each in arrays)
        width = builder.extract_value(arrays[0].shape, 0)
        begin = constant(0)
        for size in BLOCKS:
            blocks = builder.sdiv(builder.sub(width, begin), constant(size))
            with cgutils.for_range(builder, blocks) as block:
                column = builder.add(begin, builder.mul(block.index, constant(size)))
                _add_block(builder, builder.gep(to, [column]), rows, places, weights, width, column, args[4], args[5], size)
            begin = builder.add(begin, builder.mul(blocks, constant(size)))
        return context.get_dummy_value()

    return types.void(out, matrix, index, weight, types.int64, types.int64), generate


def _add_block(
    builder: ir.IRBuilder,
    to: ir.Value,
    rows: ir.Value,
    places: ir.Value,
    weights: ir.Value,
    width: ir.Value,
    column: ir.Value,
    start: ir.Value,
    count: ir.Value,
    size: int,
) -> None:
    """A loop over the rows of the sum that keeps `size` columns of it in registers."""
    number = size // LANES
    targets = vectors(builder, to, number)
    first = [builder.load(each, align=FLOAT_BYTES) for each in targets]
    before, loop, after = builder.block, builder.append_basic_block("rows"), builder.append_basic_block("summed")
    builder.cbranch(builder.icmp_signed(">", count, constant(0)), loop, after)
    builder.position_at_end(loop)
    each = builder.phi(INDEX)
    each.add_incoming(constant(0), before)
    sums = [builder.phi(VECTOR) for _ in range(number)]
    for total, begun in zip(sums, first, strict=True):
        total.add_incoming(begun, before)
    entry = builder.add(each, start)
    place = _as_index(builder, builder.load(builder.gep(places, [entry])))
    weight = spread(builder, builder.load(builder.gep(weights, [entry])))
    row = builder.gep(rows, [builder.add(builder.mul(place, width), column)])
    added = [
        multiply_add(builder, builder.load(numbers, align=FLOAT_BYTES), weight, total)
        for numbers, total in zip(vectors(builder, row, number), sums, strict=True)
    ]
    following = builder.add(each, constant(1))
    each.add_incoming(following, loop)
    for total, more in zip(sums, added, strict=True):
        total.add_incoming(more, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
    builder.position_at_end(after)
    ends = []
    for begun, more in zip(first, added, strict=True):  # all of them before anything else: so LLVM wants it
        total = builder.phi(VECTOR)
        total.add_incoming(begun, before)
        total.add_incoming(more, loop)
        ends.append(total)
    for target, total in zip(targets, ends, strict=True):
        builder.store(total, target, align=FLOAT_BYTES)


add_rows = helper(_add_rows_one_by_one) if CHECKED else either(_add_rows_in_registers, _add_rows_one_by_one)
"""(out, matrix, index, weight, start, count): out += the sum of weight[k] * matrix[index[k]] for `count` k from `start` on.

`out` has the width of the matrix, a multiple of `COLUMNS`; all arrays are contiguous, floats are float32."""
