"""Runs of small whole numbers handled at once, by the vector instructions of the processor.

LLVM finds such runs by itself only where it can tell that what is written is not what is read. It cannot tell a record from
an observation, so kernels say it: they read vectors out of a record, reckon with them, and put them into an observation as
shares. In plain Python a vector is a numpy array.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.core.datamodel import models
from numba.extending import intrinsic, overload, register_model

from cardtable.jit import CHECKED, COMPILED

FLOAT, DOUBLE, NUMBER, INDEX = ir.FloatType(), ir.DoubleType(), ir.IntType(32), ir.IntType(64)
FLOAT_BYTES = 4


Model: Any = models.PrimitiveModel  # has no types


class Vector(types.Type):
    """The type of `size` whole numbers in one value."""

    def __init__(self, size: int) -> None:
        super().__init__(name=f"Vector({size})")
        self.size = size


@register_model(Vector)
class VectorModel(Model):  # type: ignore[misc]
    """An LLVM vector of 32-bit numbers."""

    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, ir.VectorType(NUMBER, kind.size))


def _pointer(context: Any, builder: Any, kind: Any, array: Any, start: Any, size: int) -> Any:
    """Where `size` numbers of a contiguous array begin; looks at its bounds where kernels do."""
    whole = context.make_array(kind)(context, builder, array)
    if CHECKED:
        stop = builder.add(start, ir.Constant(INDEX, size))
        outside = builder.or_(
            builder.icmp_signed("<", start, ir.Constant(INDEX, 0)), builder.icmp_signed(">", stop, whole.nitems)
        )
        with builder.if_then(outside, likely=False):
            context.call_conv.return_user_exc(builder, IndexError, ("a vector is out of bounds",))
    run = ir.VectorType(context.get_data_type(kind.dtype), size)
    return builder.bitcast(builder.gep(whole.data, [start]), run.as_pointer())


def _load(context: Any, builder: Any, kind: Any, array: Any, size: int) -> Any:
    pointer = _pointer(context, builder, kind, array, ir.Constant(INDEX, 0), size)
    return builder.load(pointer, align=kind.dtype.bitwidth // 8)


# ---- Reading


@intrinsic(prefer_literal=True)
def _read(_context: Any, array: Any, size: Any) -> Any:
    kind = Vector(size.literal_value)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers = _load(context, builder, signature.args[0], args[0], kind.size)
        return builder.sext(numbers, ir.VectorType(NUMBER, kind.size))

    return kind(array, size), generate


def _plain_read(array: np.ndarray, size: int) -> np.ndarray:
    return np.ravel(array)[:size].astype(np.int32)


vector: Any = _read if COMPILED else _plain_read
"""(array, size) -> the first `size` numbers of an int16 array, row by row; `size` is a constant."""


# ---- Reckoning


def _give_vectors(symbol: Any, instruction: str) -> None:
    """Let an operator work on two vectors, by an instruction of LLVM."""

    def define(_context: Any, first: Any, second: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(*args)

        return first(first, second), generate

    combine: Any = intrinsic(define)

    @overload(symbol)
    def choose(first: Any, second: Any) -> Any:
        if not isinstance(first, Vector) or first != second:
            return None

        def call(first: Any, second: Any) -> Any:
            return combine(first, second)

        return call


_give_vectors(operator.add, "add")
_give_vectors(operator.iadd, "add")
_give_vectors(operator.sub, "sub")


@intrinsic
def _positive(_context: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        nothing = ir.Constant(args[0].type, None)
        return builder.select(builder.icmp_signed(">", args[0], nothing), args[0], nothing)

    return numbers(numbers), generate


def _plain_positive(numbers: np.ndarray) -> np.ndarray:
    return np.maximum(numbers, 0)


positive: Any = _positive if COMPILED else _plain_positive
"""(vector) -> the vector with 0 in place of numbers below 0."""


@intrinsic
def _places(_context: Any, numbers: Any) -> Any:
    length = max(8, 1 << (numbers.size - 1).bit_length())  # a length for which the processor has an instruction

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        nothing = ir.Constant(args[0].type, None)
        order = ir.Constant(ir.VectorType(NUMBER, length), [min(place, numbers.size) for place in range(length)])
        wide = builder.shuffle_vector(args[0], nothing, order)
        found = builder.icmp_signed(">", wide, ir.Constant(wide.type, None))
        return builder.zext(builder.bitcast(found, ir.IntType(length)), INDEX) if length < 64 else builder.bitcast(found, INDEX)

    return types.int64(numbers), generate


def _plain_places(numbers: np.ndarray) -> int:
    return sum(1 << place for place, number in enumerate(numbers.tolist()) if number > 0)


places: Any = _places if COMPILED else _plain_places
"""(vector) -> the set of places, as bits, that hold more than 0; for up to 64 numbers."""


# ---- Writing


@intrinsic
def _write_shares(_context: Any, out: Any, start: Any, numbers: Any, steps: Any) -> Any:
    """In the precision of the steps: an array has one for each number, a float is the same for all."""
    scalar = isinstance(steps, types.Float)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if scalar:
            single = ir.VectorType(DOUBLE, 1)(ir.Undefined)
            first = builder.insert_element(single, args[3], ir.Constant(NUMBER, 0))
            scale = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(NUMBER, numbers.size), None))
        else:
            scale = _load(context, builder, signature.args[3], args[3], numbers.size)
        shares = builder.fmul(builder.sitofp(args[2], scale.type), scale)
        if scalar:
            shares = builder.fptrunc(shares, ir.VectorType(FLOAT, numbers.size))
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], numbers.size)
        builder.store(shares, pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, numbers, types.float64 if scalar else steps), generate


def _plain_write_shares(out: np.ndarray, start: int, numbers: np.ndarray, steps: Any) -> None:
    if isinstance(steps, np.ndarray):
        out[start : start + len(numbers)] = numbers.astype(np.float32) * steps[: len(numbers)]
    else:
        out[start : start + len(numbers)] = numbers * float(steps)


put_shares: Any = _write_shares if COMPILED else _plain_write_shares
"""(out, start, vector, steps): write numbers times steps to `out` from `start` on; `steps` is a float32 array or a float."""


@intrinsic(prefer_literal=True)
def _write_row(_context: Any, out: Any, start: Any, row: Any, size: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers = _load(context, builder, signature.args[2], args[2], size.literal_value)
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], size.literal_value)
        builder.store(numbers, pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, row, size), generate


def _plain_write_row(out: np.ndarray, start: int, row: np.ndarray, size: int) -> None:
    out[start : start + size] = row[:size]


put_row: Any = _write_row if COMPILED else _plain_write_row
"""(out, start, row, size): write the first `size` numbers of a row of a float32 table; `size` is a constant."""
