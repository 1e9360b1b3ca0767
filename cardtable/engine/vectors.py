"""Runs of small integers handled at once, by the vector instructions of the processor.

LLVM finds such runs by itself only where it can tell that what is written is not what is read. It cannot tell a record from
an observation, so kernels say it: they read vectors out of a record, compute with them, and put them into an observation as
shares. In plain Python a vector is a numpy array.

What is read and written must be there:

- A vector reads on behind its numbers, up to the next power of two. It is read from a field of a record, behind which
  there are at least `READ_BEYOND` bytes (of other fields, or of the filler at its end), or from the row of a constant table
  or another array, which has so many numbers itself. A vector that would read more than `READ_BEYOND` bytes on is not compiled.
- What spills zeros into `out` is followed by something that is written later, or by room for the zeros.

With `NUMBA_BOUNDSCHECK=1` and in plain Python every vector is looked at, and what is not there is an `IndexError`.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.datamodel.manager import DataModelManager
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload, register_model

from cardtable.engine.constants import READ_BEYOND
from cardtable.engine.intrinsics import ArrayType, Context, Intrinsic, Signature, TypingContext
from cardtable.engine.jit import CHECKED, either
from cardtable.types import Floats, Integers, Observation

FLOAT, DOUBLE, NUMBER, INDEX = ir.FloatType(), ir.DoubleType(), ir.IntType(32), ir.IntType(64)
FLOAT_BYTES = 4
SHORTEST = 8
OUT_OF_BOUNDS = "a vector is out of bounds"

StepsType: TypeAlias = "types.Float | types.Array[Any]"
"""The type that compiled code finds `Steps` to have."""
Steps = Floats | np.floating[Any] | float
"""What numbers are multiplied by: a step for each, or one for all."""


class Vector(types.Type):
    """The type of `size` integers in one value, followed by zeros up to a length that fills registers: LLVM takes
    values of other lengths apart, number by number, where they pass from one branch or round of a loop to the next.

    `run` is how many numbers are read for it."""

    def __init__(self, size: int) -> None:
        super().__init__(name=f"Vector({size})")
        self.size = size
        self.run = 1 << (size - 1).bit_length()
        self.length = max(SHORTEST, self.run)

    def bytes_behind(self, itemsize: int) -> int:
        """How many bytes are read behind the numbers."""
        return (self.run - self.size) * itemsize


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    """An LLVM vector of 32-bit numbers."""

    def __init__(self, manager: DataModelManager, kind: Vector) -> None:
        super().__init__(manager, kind, ir.VectorType(NUMBER, kind.length))  # type: ignore[no-untyped-call]


def _pointer(context: Context, builder: ir.IRBuilder, kind: ArrayType, array: ir.Value, start: ir.Value, size: int) -> ir.Value:
    """Where `size` numbers of a contiguous array begin; looks at its bounds where kernels do."""
    whole = context.make_array(kind)(context, builder, array)
    if CHECKED:
        _require_inside(context, builder, whole, start, ir.Constant(INDEX, size))
    run = ir.VectorType(context.get_data_type(kind.dtype), size)
    return builder.bitcast(builder.gep(whole.data, [start]), run.as_pointer())


def _require_inside(context: Context, builder: ir.IRBuilder, whole: cgutils.Structure, start: ir.Value, size: ir.Value) -> None:
    stop = builder.add(start, size)
    outside = builder.or_(builder.icmp_signed("<", start, ir.Constant(INDEX, 0)), builder.icmp_signed(">", stop, whole.nitems))
    with builder.if_then(outside, likely=False):
        context.call_conv.return_user_exc(builder, IndexError, (OUT_OF_BOUNDS,))


def _require_run(context: Context, builder: ir.IRBuilder, kind: ArrayType, array: ir.Value, numbers: Vector) -> None:
    """Look whether all that a vector reads is there: in the array itself, unless it is a field of a record.

    Fields are made by compiled code, without an object of Python behind them; constant tables, which have none either, cannot
    be written to.
    """
    whole = context.make_array(kind)(context, builder, array)
    is_field = builder.icmp_unsigned("==", whole.parent, ir.Constant(whole.parent.type, None))
    is_field = builder.and_(is_field, ir.Constant(ir.IntType(1), int(kind.mutable)))
    needed = builder.select(is_field, ir.Constant(INDEX, numbers.size), ir.Constant(INDEX, numbers.run))
    _require_inside(context, builder, whole, ir.Constant(INDEX, 0), needed)


def _load(context: Context, builder: ir.IRBuilder, kind: ArrayType, array: ir.Value, size: int) -> ir.Value:
    pointer = _pointer(context, builder, kind, array, ir.Constant(INDEX, 0), size)
    return builder.load(pointer, align=kind.dtype.bitwidth // 8)


def _resized(builder: ir.IRBuilder, numbers: ir.Value, length: int) -> ir.Value:
    """The first `length` of some numbers; zeros where there are no more."""
    given = numbers.type.count
    order = ir.Constant(ir.VectorType(NUMBER, length), [min(place, given) for place in range(length)])
    return builder.shuffle_vector(numbers, ir.Constant(numbers.type, None), order)


# ---- Reading


@intrinsic(prefer_literal=True)
def _read(_context: TypingContext, array: ArrayType, size: types.Type) -> Intrinsic:
    """One read of a whole run: several that add up to `size` numbers take three times as many instructions."""
    if not isinstance(size, types.IntegerLiteral):
        raise TypingError("the size of a vector is a constant")
    kind = Vector(size.literal_value)
    if kind.bytes_behind(array.dtype.bitwidth // 8) > READ_BEYOND:
        raise TypingError(_too_long(kind))
    wanted = ir.Constant(ir.VectorType(ir.IntType(1), kind.run), [place < kind.size for place in range(kind.run)])

    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        row = signature.args[0]
        if CHECKED:
            _require_run(context, builder, row, args[0], kind)
        first = _pointer(context, builder, row, args[0], ir.Constant(INDEX, 0), kind.size)
        run = ir.VectorType(context.get_data_type(row.dtype), kind.run)
        numbers = builder.load(builder.bitcast(first, run.as_pointer()), align=row.dtype.bitwidth // 8)
        wide = builder.sext(numbers, ir.VectorType(NUMBER, kind.run))
        return _resized(builder, builder.select(wanted, wide, ir.Constant(wide.type, None)), kind.length)

    return kind(array, size), generate


def _too_long(kind: Vector) -> str:
    return f"a vector of {kind.size} numbers reads {kind.run}: more than {READ_BEYOND} bytes on, which records do not have"


def _plain_read(array: Integers, size: int) -> Integers:
    kind = Vector(size)
    if kind.bytes_behind(array.itemsize) > READ_BEYOND:
        raise TypingError(_too_long(kind))
    if array.size < size or _readable(array) < kind.run * array.itemsize:
        raise IndexError(OUT_OF_BOUNDS)
    return np.ravel(array)[:size].astype(np.int32)


def _readable(array: Integers) -> int:
    """How many bytes can be read from where an array begins: to the end of its record, or of the array itself."""
    whole: Any = array.base
    while whole is not None and whole.dtype.names is None:
        whole = whole.base
    if whole is None:
        return array.nbytes
    whole = np.asarray(whole)
    return whole.ctypes.data + whole.nbytes - array.ctypes.data


vector = either(_read, _plain_read)
"""(array, size) -> the first `size` numbers of an int16 array, row by row; `size` is a constant.

Compiled code reads on, up to the next power of two, and takes zeros for what it finds there (see above)."""


# ---- Computing


def _give_vectors(symbol: Callable[[Any, Any], Any], instruction: str) -> None:
    """Let an operator work on two vectors, by an instruction of LLVM."""

    def define(_context: TypingContext, first: Vector, second: Vector) -> Intrinsic:
        def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
            return getattr(builder, instruction)(*args)

        return first(first, second), generate

    combine: Any = intrinsic(define)

    @overload(symbol)
    def choose(first: Any, second: Any) -> Callable[[Any, Any], Any] | None:  # types here, values below: numba wants them alike
        if not isinstance(first, Vector) or first != second:
            return None

        def call(first: Any, second: Any) -> Any:
            return combine(first, second)

        call.__qualname__ = f"{symbol.__name__}_of_vectors"  # compiled functions are told apart by name and argument types
        return call


_give_vectors(operator.add, "add")
_give_vectors(operator.iadd, "add")
_give_vectors(operator.sub, "sub")


@intrinsic(prefer_literal=True)
def _shifted(_context: TypingContext, numbers: Vector, bits: types.IntegerLiteral) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        return builder.ashr(args[0], ir.Constant(args[0].type, [bits.literal_value] * numbers.length))

    return numbers(numbers, bits), generate


def _plain_shifted(numbers: Integers, bits: int) -> Integers:
    return numbers >> bits


shifted = either(_shifted, _plain_shifted)
"""(vector, bits) -> every number shifted to the right; `bits` is a constant."""


def _more_than_none(builder: ir.IRBuilder, numbers: ir.Value) -> ir.Value:
    return builder.icmp_signed(">", numbers, ir.Constant(numbers.type, None))


@intrinsic
def _positive(_context: TypingContext, numbers: Vector) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        return builder.select(_more_than_none(builder, args[0]), args[0], ir.Constant(args[0].type, None))

    return numbers(numbers), generate


def _plain_positive(numbers: Integers) -> Integers:
    return np.maximum(numbers, 0)


positive = either(_positive, _plain_positive)
"""(vector) -> the vector with 0 in place of numbers below 0."""


@intrinsic
def _at_most(_context: TypingContext, numbers: Vector, limits: Vector) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        return builder.select(builder.icmp_signed("<", *args), *args)

    return numbers(numbers, limits), generate


def _plain_at_most(numbers: Integers, limits: Integers) -> Integers:
    return np.minimum(numbers, limits)


at_most = either(_at_most, _plain_at_most)
"""(vector, limits) -> the vector with the limit, another vector's number, in place of numbers above it."""


@intrinsic
def _total(_context: TypingContext, numbers: Vector) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        name = f"llvm.vector.reduce.add.v{numbers.length}i{NUMBER.width}"
        function = cgutils.get_or_insert_function(builder.module, ir.FunctionType(NUMBER, [args[0].type]), name)
        return builder.sext(builder.call(function, args), INDEX)

    return types.int64(numbers), generate


def _plain_total(numbers: Integers) -> int:
    return int(numbers.sum())


total = either(_total, _plain_total)
"""(vector) -> the sum of its numbers."""


@intrinsic
def _marks(_context: TypingContext, numbers: Vector) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        return builder.zext(_more_than_none(builder, args[0]), args[0].type)

    return numbers(numbers), generate


def _plain_marks(numbers: Integers) -> Integers:
    return (numbers > 0).astype(np.int32)


marks = either(_marks, _plain_marks)
"""(vector) -> 1 in place of numbers above 0, 0 in place of the others."""


@intrinsic
def _places(_context: TypingContext, numbers: Vector) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        found = builder.bitcast(_more_than_none(builder, args[0]), ir.IntType(numbers.length))
        return builder.zext(found, INDEX) if numbers.length < INDEX.width else found

    return types.int64(numbers), generate


def _plain_places(numbers: Integers) -> int:
    return sum(1 << place for place, number in enumerate(numbers.tolist()) if number > 0)


places = either(_places, _plain_places)
"""(vector) -> the set of places, as bits, that hold more than 0; for up to 64 numbers."""


# ---- Writing


def shares_of(most: int, scale: int) -> Observation:
    """A table of 0 … `most` as shares of a scale; numbers beyond the scale are shown as its limit."""
    return np.minimum(np.arange(most + 1) / scale, 1).astype(np.float32)


def _shares(
    context: Context, builder: ir.IRBuilder, numbers: Vector, count: ir.Value, steps: StepsType, step: ir.Value
) -> ir.Value:
    """Numbers times steps, in the precision of the steps: an array has one for each number, a float is the same for all."""
    if isinstance(steps, types.Float):
        single = ir.VectorType(step.type, 1)(ir.Undefined)
        first = builder.insert_element(single, step, ir.Constant(NUMBER, 0))
        scale = builder.shuffle_vector(first, first, ir.Constant(ir.VectorType(NUMBER, numbers.length), None))
    else:
        scale = _resized(builder, _load(context, builder, steps, step, numbers.size), numbers.length)
    shares = builder.fmul(builder.sitofp(count, scale.type), scale)
    return builder.fptrunc(shares, ir.VectorType(FLOAT, numbers.length)) if scale.type.element == DOUBLE else shares


@intrinsic
def _write_shares(_context: TypingContext, out: ArrayType, start: types.Type, numbers: Vector, steps: StepsType) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        shares = _shares(context, builder, numbers, args[2], steps, args[3])
        pointer = _pointer(context, builder, out, args[0], args[1], numbers.size)
        builder.store(_resized(builder, shares, numbers.size), pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, numbers, steps), generate


def _plain_require(out: Floats, start: int, size: int) -> None:
    """Numpy takes the part of a slice that is there; compiled code takes it whole."""
    if start < 0 or start + size > len(out):
        raise IndexError(OUT_OF_BOUNDS)


def _plain_write_shares(out: Observation, start: int, numbers: Integers, steps: Steps) -> None:
    _plain_require(out, start, len(numbers))
    if isinstance(steps, float):
        out[start : start + len(numbers)] = numbers * float(steps)
    else:
        out[start : start + len(numbers)] = numbers.astype(np.float32) * np.ravel(steps)[: len(numbers)]


put_shares = either(_write_shares, _plain_write_shares)
"""(out, start, vector, steps): write numbers times steps to `out` from `start` on; `steps` is a float32 array with a step for
each number, or one float for all, of either precision."""


@intrinsic
def _spill_shares(_context: TypingContext, out: ArrayType, start: types.Type, numbers: Vector, steps: StepsType) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        shares = _shares(context, builder, numbers, args[2], steps, args[3])
        pointer = _pointer(context, builder, out, args[0], args[1], numbers.length)
        builder.store(shares, pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, numbers, steps), generate


def _plain_spill_shares(out: Observation, start: int, numbers: Integers, steps: Steps) -> None:
    length = Vector(len(numbers)).length
    _plain_require(out, start, length)
    _plain_write_shares(out, start, numbers, steps)
    out[start + len(numbers) : start + length] = 0


spill_shares = either(_spill_shares, _plain_spill_shares)
"""Like `put_shares`, but registers are written as they are, with the zeros that fill them up: half the instructions. For an
observation that is written from front to back: what comes next is written over the zeros."""


@intrinsic(prefer_literal=True)
def _write_row(
    _context: TypingContext, out: ArrayType, start: types.Type, row: ArrayType, size: types.IntegerLiteral
) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        numbers = _load(context, builder, signature.args[2], args[2], size.literal_value)
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], size.literal_value)
        builder.store(numbers, pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, row, size), generate


def _plain_write_row(out: Observation, start: int, row: Floats, size: int) -> None:
    _plain_require(out, start, size)
    _plain_require(row, 0, size)
    out[start : start + size] = row[:size]


put_row = either(_write_row, _plain_write_row)
"""(out, start, row, size): write the first `size` numbers of a row of a float32 table; `size` is a constant."""


@intrinsic(prefer_literal=True)
def _write_zeros(_context: TypingContext, out: ArrayType, start: types.Type, size: types.IntegerLiteral) -> Intrinsic:
    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], size.literal_value)
        builder.store(ir.Constant(pointer.type.pointee, None), pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, size), generate


def _plain_write_zeros(out: Observation, start: int, size: int) -> None:
    _plain_require(out, start, size)
    out[start : start + size] = 0


put_zeros = either(_write_zeros, _plain_write_zeros)
"""(out, start, size): write that many zeros; `size` is a constant."""
