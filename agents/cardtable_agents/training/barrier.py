"""`Barrier`: threads wait for each other without the GIL and without going to sleep, for waits of microseconds.

Waking a sleeping thread costs some hundred microseconds, three or four times in every minibatch: as much as the optimizer's
own work. A thread that waits here looks at a number until it changes; if that takes long, it sleeps between looks.
"""

import time
from collections.abc import Sequence

import numpy as np
from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic

from cardtable.engine.intrinsics import ArrayType, Context, Intrinsic, Signature, TypingContext
from cardtable.engine.jit import compile_once, either, kernel
from cardtable.types import Counts

LOOKS = 20_000
"""Looks at a number before a thread sleeps: tens of microseconds, more than a balanced wait takes."""
NAP = 50e-6
"""Seconds of sleep between looks, when another thread takes long."""
ALIGNMENT = 8
"""Bytes of a number."""
APART = 8
"""Numbers between those of two threads: each has a cache line of its own."""


class Broken(Exception):
    """Another thread has given up: nobody will come."""


def _look(arrived: Counts, place: int) -> int:
    """The number in plain Python."""
    return int(arrived[place])


@intrinsic
def _look_again(_context: TypingContext, arrived: ArrayType, place: types.Type) -> Intrinsic:
    """The number as it is in memory at this moment: compiled code may otherwise read it once and for all."""

    def generate(context: Context, builder: ir.IRBuilder, signature: Signature, args: Sequence[ir.Value]) -> ir.Value:
        data = context.make_array(signature.args[0])(context, builder, args[0])
        return builder.load_atomic(builder.gep(data.data, [args[1]]), "acquire", ALIGNMENT)

    return types.int64(arrived, types.int64), generate


look = either(_look_again, _look)


@kernel
def wait_for(arrived: Counts, number: int) -> bool:
    """Look until every thread has arrived for the `number`-th time; False if that takes long."""
    for place in range(0, arrived.shape[0], APART):
        looks = 0
        while look(arrived, place) < number:
            looks += 1
            if looks == LOOKS:
                return False
    return True


class Barrier:
    """Where so many threads wait for each other."""

    def __init__(self, threads: int) -> None:
        self._arrived: Counts = np.zeros(threads * APART, np.int64)
        self._broken = False

    def wait(self, thread: int) -> None:
        """Wait until every thread has come here as often as this one; `Broken` if one has given up."""
        place = thread * APART
        self._arrived[place] += 1  # an aligned number: others see it old or new
        number = int(self._arrived[place])
        while not wait_for(self._arrived, number):
            if self._broken:
                raise Broken
            time.sleep(NAP)

    def break_up(self) -> None:
        """Let nobody wait for long any more."""
        self._broken = True

    def begin(self) -> None:
        """All threads begin anew; none may be waiting."""
        self._arrived[:] = 0
        self._broken = False


def prepare() -> None:
    """Compile what waits, if no cache has it yet."""
    compile_once("barrier", lambda: Barrier(1).wait(0), __name__)
