"""Runs of small whole numbers handled at once, by the vector instructions of the processor.

LLVM finds such runs by itself only where it can tell that what is written is not what is read. It cannot tell a record from
an observation, so kernels say it: they read vectors out of a record, reckon with them, and put them into an observation as
shares. In plain Python a vector is a numpy array.

What is read and written must be there:

- A vector reads on behind its numbers, up to the next power of two. It is read from a field of a record, behind which
  there are at least `READ_BEYOND` bytes (of other fields, or of the filler at its end), or from the row of a constant table
  or another array, which has so many numbers itself. A vector that would read more than `READ_BEYOND` bytes on is not compiled.
- What spills zeros into `out` is followed by something that is written later, or by room for the zeros.

With `NUMBA_BOUNDSCHECK=1` and in plain Python every vector is looked at, and what is not there is an `IndexError`.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload, register_model

from cardtable.engine.constants import READ_BEYOND
from cardtable.engine.jit import CHECKED, COMPILED

FLOAT, DOUBLE, NUMBER, INDEX = ir.FloatType(), ir.DoubleType(), ir.IntType(32), ir.IntType(64)
FLOAT_BYTES = 4
SHORTEST = 8
OUT_OF_BOUNDS = "a vector is out of bounds"


Model: Any = models.PrimitiveModel  # has no types
get_or_insert_function: Any = cgutils.get_or_insert_function  # likewise


class Vector(types.Type):
    """The type of `size` whole numbers in one value, followed by zeros up to a length that fills registers: LLVM takes
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
class VectorModel(Model):  # type: ignore[misc]
    """An LLVM vector of 32-bit numbers."""

    def __init__(self, manager: Any, kind: Vector) -> None:
        super().__init__(manager, kind, ir.VectorType(NUMBER, kind.length))


def _pointer(context: Any, builder: Any, kind: Any, array: Any, start: Any, size: int) -> Any:
    """Where `size` numbers of a contiguous array begin; looks at its bounds where kernels do."""
    whole = context.make_array(kind)(context, builder, array)
    if CHECKED:
        _require_inside(context, builder, whole, start, ir.Constant(INDEX, size))
    run = ir.VectorType(context.get_data_type(kind.dtype), size)
    return builder.bitcast(builder.gep(whole.data, [start]), run.as_pointer())


def _require_inside(context: Any, builder: Any, whole: Any, start: Any, size: Any) -> None:
    stop = builder.add(start, size)
    outside = builder.or_(builder.icmp_signed("<", start, ir.Constant(INDEX, 0)), builder.icmp_signed(">", stop, whole.nitems))
    with builder.if_then(outside, likely=False):
        context.call_conv.return_user_exc(builder, IndexError, (OUT_OF_BOUNDS,))


def _require_run(context: Any, builder: Any, kind: Any, array: Any, numbers: Vector) -> None:
    """Look whether all that a vector reads is there: in the array itself, unless it is a field of a record.

    Fields are made by compiled code, without an object of Python behind them; constant tables, which have none either, cannot
    be written to.
    """
    whole = context.make_array(kind)(context, builder, array)
    is_field = builder.icmp_unsigned("==", whole.parent, ir.Constant(whole.parent.type, None))
    is_field = builder.and_(is_field, ir.Constant(ir.IntType(1), int(kind.mutable)))
    needed = builder.select(is_field, ir.Constant(INDEX, numbers.size), ir.Constant(INDEX, numbers.run))
    _require_inside(context, builder, whole, ir.Constant(INDEX, 0), needed)


def _load(context: Any, builder: Any, kind: Any, array: Any, size: int) -> Any:
    pointer = _pointer(context, builder, kind, array, ir.Constant(INDEX, 0), size)
    return builder.load(pointer, align=kind.dtype.bitwidth // 8)


def _resized(builder: Any, numbers: Any, length: int) -> Any:
    """The first `length` of some numbers; zeros where there are no more."""
    given = numbers.type.count
    order = ir.Constant(ir.VectorType(NUMBER, length), [min(place, given) for place in range(length)])
    return builder.shuffle_vector(numbers, ir.Constant(numbers.type, None), order)


# ---- Reading


@intrinsic(prefer_literal=True)
def _read(_context: Any, array: Any, size: Any) -> Any:
    """One read of a whole run: several that add up to `size` numbers take three times as many instructions."""
    if not isinstance(size, types.IntegerLiteral):
        raise TypingError("the size of a vector is a constant")
    kind = Vector(size.literal_value)
    if kind.bytes_behind(array.dtype.bitwidth // 8) > READ_BEYOND:
        raise TypingError(_too_long(kind))
    wanted = ir.Constant(ir.VectorType(ir.IntType(1), kind.run), [place < kind.size for place in range(kind.run)])

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
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


def _plain_read(array: np.ndarray, size: int) -> np.ndarray:
    kind = Vector(size)
    if kind.bytes_behind(array.itemsize) > READ_BEYOND:
        raise TypingError(_too_long(kind))
    if array.size < size or _readable(array) < kind.run * array.itemsize:
        raise IndexError(OUT_OF_BOUNDS)
    return np.ravel(array)[:size].astype(np.int32)


def _readable(array: np.ndarray) -> int:
    """How many bytes can be read from where an array begins: to the end of its record, or of the array itself."""
    whole: Any = array.base
    while whole is not None and whole.dtype.names is None:
        whole = whole.base
    if whole is None:
        return array.nbytes
    whole = np.asarray(whole)
    return whole.ctypes.data + whole.nbytes - array.ctypes.data


vector: Any = _read if COMPILED else _plain_read
"""(array, size) -> the first `size` numbers of an int16 array, row by row; `size` is a constant.

Compiled code reads on, up to the next power of two, and takes zeros for what it finds there (see above)."""


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

        call.__qualname__ = f"{symbol.__name__}_of_vectors"  # compiled functions are told apart by name and argument types
        return call


_give_vectors(operator.add, "add")
_give_vectors(operator.iadd, "add")
_give_vectors(operator.sub, "sub")


@intrinsic(prefer_literal=True)
def _shifted(_context: Any, numbers: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ashr(args[0], ir.Constant(args[0].type, [bits.literal_value] * numbers.length))

    return numbers(numbers, bits), generate


def _plain_shifted(numbers: np.ndarray, bits: int) -> np.ndarray:
    return numbers >> bits


shifted: Any = _shifted if COMPILED else _plain_shifted
"""(vector, bits) -> every number shifted to the right; `bits` is a constant."""


def _more_than_none(builder: Any, numbers: Any) -> Any:
    return builder.icmp_signed(">", numbers, ir.Constant(numbers.type, None))


@intrinsic
def _positive(_context: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(_more_than_none(builder, args[0]), args[0], ir.Constant(args[0].type, None))

    return numbers(numbers), generate


def _plain_positive(numbers: np.ndarray) -> np.ndarray:
    return np.maximum(numbers, 0)


positive: Any = _positive if COMPILED else _plain_positive
"""(vector) -> the vector with 0 in place of numbers below 0."""


@intrinsic
def _at_most(_context: Any, numbers: Any, limits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.icmp_signed("<", *args), *args)

    return numbers(numbers, limits), generate


at_most: Any = _at_most if COMPILED else np.minimum
"""(vector, limits) -> the vector with the limit, another vector's number, in place of numbers above it."""


@intrinsic
def _total(_context: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        name = f"llvm.vector.reduce.add.v{numbers.length}i{NUMBER.width}"
        function = get_or_insert_function(builder.module, ir.FunctionType(NUMBER, [args[0].type]), name)
        return builder.sext(builder.call(function, args), INDEX)

    return types.int64(numbers), generate


def _plain_total(numbers: np.ndarray) -> int:
    return int(numbers.sum())


total: Any = _total if COMPILED else _plain_total
"""(vector) -> the sum of its numbers."""


@intrinsic
def _marks(_context: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.zext(_more_than_none(builder, args[0]), args[0].type)

    return numbers(numbers), generate


def _plain_marks(numbers: np.ndarray) -> np.ndarray:
    return (numbers > 0).astype(np.int32)


marks: Any = _marks if COMPILED else _plain_marks
"""(vector) -> 1 in place of numbers above 0, 0 in place of the others."""


@intrinsic
def _places(_context: Any, numbers: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        found = builder.bitcast(_more_than_none(builder, args[0]), ir.IntType(numbers.length))
        return builder.zext(found, INDEX) if numbers.length < INDEX.width else found

    return types.int64(numbers), generate


def _plain_places(numbers: np.ndarray) -> int:
    return sum(1 << place for place, number in enumerate(numbers.tolist()) if number > 0)


places: Any = _places if COMPILED else _plain_places
"""(vector) -> the set of places, as bits, that hold more than 0; for up to 64 numbers."""


# ---- Writing


def shares_of(most: int, scale: int) -> np.ndarray:
    """A table of 0 … `most` as shares of a scale; numbers beyond the scale are shown as its limit."""
    return np.minimum(np.arange(most + 1) / scale, 1).astype(np.float32)


def _shares(context: Any, builder: Any, numbers: Any, count: Any, steps: Any, step: Any) -> Any:
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
def _write_shares(_context: Any, out: Any, start: Any, numbers: Any, steps: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        shares = _shares(context, builder, numbers, args[2], steps, args[3])
        pointer = _pointer(context, builder, out, args[0], args[1], numbers.size)
        builder.store(_resized(builder, shares, numbers.size), pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, numbers, steps), generate


def _plain_require(out: np.ndarray, start: int, size: int) -> None:
    """Numpy takes the part of a slice that is there; compiled code takes it whole."""
    if start < 0 or start + size > len(out):
        raise IndexError(OUT_OF_BOUNDS)


def _plain_write_shares(out: np.ndarray, start: int, numbers: np.ndarray, steps: Any) -> None:
    _plain_require(out, start, len(numbers))
    if isinstance(steps, float):
        out[start : start + len(numbers)] = numbers * float(steps)
    else:
        out[start : start + len(numbers)] = numbers.astype(np.float32) * np.ravel(steps)[: len(numbers)]


put_shares: Any = _write_shares if COMPILED else _plain_write_shares
"""(out, start, vector, steps): write numbers times steps to `out` from `start` on; `steps` is a float32 array with a step for
each number, or one float for all, of either precision."""


@intrinsic
def _spill_shares(_context: Any, out: Any, start: Any, numbers: Any, steps: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        shares = _shares(context, builder, numbers, args[2], steps, args[3])
        pointer = _pointer(context, builder, out, args[0], args[1], numbers.length)
        builder.store(shares, pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, numbers, steps), generate


def _plain_spill_shares(out: np.ndarray, start: int, numbers: np.ndarray, steps: Any) -> None:
    length = Vector(len(numbers)).length
    _plain_require(out, start, length)
    _plain_write_shares(out, start, numbers, steps)
    out[start + len(numbers) : start + length] = 0


spill_shares: Any = _spill_shares if COMPILED else _plain_spill_shares
"""Like `put_shares`, but registers are written as they are, with the zeros that fill them up: half the instructions. For an
observation that is written from front to back: what comes next is written over the zeros."""


@intrinsic(prefer_literal=True)
def _write_row(_context: Any, out: Any, start: Any, row: Any, size: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        numbers = _load(context, builder, signature.args[2], args[2], size.literal_value)
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], size.literal_value)
        builder.store(numbers, pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, row, size), generate


def _plain_write_row(out: np.ndarray, start: int, row: np.ndarray, size: int) -> None:
    _plain_require(out, start, size)
    _plain_require(row, 0, size)
    out[start : start + size] = row[:size]


put_row: Any = _write_row if COMPILED else _plain_write_row
"""(out, start, row, size): write the first `size` numbers of a row of a float32 table; `size` is a constant."""


@intrinsic(prefer_literal=True)
def _write_zeros(_context: Any, out: Any, start: Any, size: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = _pointer(context, builder, signature.args[0], args[0], args[1], size.literal_value)
        builder.store(ir.Constant(pointer.type.pointee, None), pointer, align=FLOAT_BYTES)
        return context.get_dummy_value()

    return types.void(out, types.int64, size), generate


def _plain_write_zeros(out: np.ndarray, start: int, size: int) -> None:
    _plain_require(out, start, size)
    out[start : start + size] = 0


put_zeros: Any = _write_zeros if COMPILED else _plain_write_zeros
"""(out, start, size): write that many zeros; `size` is a constant."""
