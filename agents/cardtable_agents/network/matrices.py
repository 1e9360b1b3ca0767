"""Products of float32 matrices in registers, for processors with AVX-512.

What numpy's BLAS makes of such small matrices depends on how it was built and on which processors it knows: on new ones it has
been half as fast. Here a block of the result is kept in registers while all of its sum is added up. Nothing is packed
beforehand: matrices of this size lie in the cache.
"""

from collections.abc import Sequence

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic

from cardtable.engine.intrinsics import ArrayType, Context, Intrinsic, Signature, TypingContext
from cardtable.engine.jit import CHECKED, COMPILED, either, kernel
from cardtable.engine.sums import FLOAT_BYTES, INDEX, LANES, VECTOR, constant, multiply_add, spread, vectors
from cardtable.types import Floats

AVAILABLE = COMPILED and not CHECKED and bool(llvm.get_host_cpu_features().get("avx512f"))
"""Whether this processor has as many registers as blocks need."""
ROWS = (12, 4, 1)
"""Rows of a block: as many as there is room for in registers; then those that are left."""
BLOCK_COLUMNS = 2 * LANES
"""Columns of a block; the width of a result is a multiple of it."""
TILE = 16
"""Rows and columns that are transposed at once: a line of the cache has so many numbers."""


def _multiply_with_numpy(one: Floats, two: Floats, out: Floats) -> None:
    np.dot(one, two, out=out)


@intrinsic
def _multiply_in_registers(_context: TypingContext, one: ArrayType, two: ArrayType, out: ArrayType) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        arrays = [context.make_array(kind)(context, builder, each) for kind, each in zip(signature.args, args, strict=True)]
        left, right, result = (each.data for each in arrays)
        height, width = (builder.extract_value(arrays[2].shape, axis) for axis in range(2))
        count = builder.extract_value(arrays[0].shape, 1)
        steps = [builder.sdiv(builder.extract_value(arrays[0].strides, axis), constant(FLOAT_BYTES)) for axis in range(2)]
        panels = builder.sdiv(width, constant(BLOCK_COLUMNS))
        begin = constant(0)
        for size in ROWS:
            blocks = builder.sdiv(builder.sub(height, begin), constant(size))
            with cgutils.for_range(builder, blocks) as block, cgutils.for_range(builder, panels) as panel:
                row = builder.add(begin, builder.mul(block.index, constant(size)))
                column = builder.mul(panel.index, constant(BLOCK_COLUMNS))
                to = builder.gep(result, [builder.add(builder.mul(row, width), column)])
                of_row = builder.gep(left, [builder.mul(row, steps[0])])
                _multiply_block(builder, of_row, steps, builder.gep(right, [column]), to, width, count, size)
            begin = builder.add(begin, builder.mul(blocks, constant(size)))
        return context.get_dummy_value()

    return types.void(one, two, out), generate


def _multiply_block(
    builder: ir.IRBuilder,
    left: ir.Value,
    steps: Sequence[ir.Value],
    right: ir.Value,
    to: ir.Value,
    width: ir.Value,
    count: ir.Value,
    size: int,
) -> None:
    """A loop over the `count` terms of a sum, for `size` rows of a result; those of the left matrix are `steps` apart."""
    number = BLOCK_COLUMNS // LANES
    before, loop, after = builder.block, builder.append_basic_block("terms"), builder.append_basic_block("summed")
    builder.branch(loop)
    builder.position_at_end(loop)
    term = builder.phi(INDEX)
    sums = [[builder.phi(VECTOR) for _ in range(number)] for _ in range(size)]
    line = vectors(builder, builder.gep(right, [builder.mul(term, width)]), number)
    factors = [builder.load(each, align=FLOAT_BYTES) for each in line]
    entry = builder.gep(left, [builder.mul(term, steps[1])])
    added = []
    for row, totals in enumerate(sums):
        weight = spread(builder, builder.load(builder.gep(entry, [builder.mul(steps[0], constant(row))])))
        added.append([multiply_add(builder, factor, weight, total) for factor, total in zip(factors, totals, strict=True)])
    following = builder.add(term, constant(1))
    term.add_incoming(constant(0), before)
    term.add_incoming(following, loop)
    for totals, more in zip(sums, added, strict=True):
        for total, each in zip(totals, more, strict=True):
            total.add_incoming(ir.Constant(VECTOR, None), before)
            total.add_incoming(each, loop)
    builder.cbranch(builder.icmp_signed("<", following, count), loop, after)
    builder.position_at_end(after)
    for row, more in enumerate(added):
        for target, each in zip(
            vectors(builder, builder.gep(to, [builder.mul(width, constant(row))]), number), more, strict=True
        ):
            builder.store(each, target, align=FLOAT_BYTES)


_multiply = either(_multiply_in_registers, _multiply_with_numpy)


@kernel
def multiply(one: Floats, two: Floats, out: Floats) -> None:
    """Write the product of two matrices; `two` and `out` are contiguous, their width is a multiple of `BLOCK_COLUMNS`.

    `one` may be a transpose, and has at least one column.
    """
    _multiply(one, two, out)


@kernel
def transpose(matrix: Floats, out: Floats) -> None:
    """Write the transpose of a matrix, tile by tile: both are read and written in lines of the cache."""
    for top in range(0, matrix.shape[0], TILE):
        for left in range(0, matrix.shape[1], TILE):
            tile, turned = matrix[top : top + TILE, left : left + TILE], out[left : left + TILE, top : top + TILE]
            for column in range(tile.shape[1]):
                for row in range(tile.shape[0]):
                    turned[column, row] = tile[row, column]
