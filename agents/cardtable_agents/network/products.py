"""Matrix products of the hidden layers: in float32 by kernels of our own or by numpy, or in bfloat16 by PyTorch where that is
installed and faster."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from cardtable.types import Floats
from cardtable_agents.network import matrices

FLOAT32, BFLOAT16 = "float32", "bfloat16"
PRECISIONS = (FLOAT32, BFLOAT16)
GAIN = 1.15
"""By how much bfloat16 must be faster to be chosen: it rounds products to three digits."""
TRIAL_ROWS, TRIALS = 512, 20
"""What is timed when the choice is made: about a tenth of a second."""

Product = Callable[[Floats, Floats, Floats], object]
"""(one, two, out): write the matrix product of two float32 matrices."""


def float32_product(one: Floats, two: Floats, out: Floats) -> None:
    """By numpy's BLAS. Numbers that are not finite are noticed in the gradient, which raises an error: no warning here."""
    with np.errstate(invalid="ignore", over="ignore"):
        np.dot(one, two, out=out)


class RegisterProduct:
    """By `matrices`, where the processor has the registers for it; for one thread at a time, as it keeps scratch arrays."""

    def __init__(self) -> None:
        self._scratch: dict[tuple[int, ...], Floats] = {}

    def __call__(self, one: Floats, two: Floats, out: Floats) -> None:
        """Write the product."""
        matrices.multiply(one, two if two.flags.c_contiguous else self._copied(two), out)

    def _copied(self, two: Floats) -> Floats:
        """A transpose as a matrix that lies in memory row by row."""
        if two.shape not in self._scratch:
            self._scratch[two.shape] = np.zeros(two.shape, np.float32)
        matrices.transpose(two.T, self._scratch[two.shape])
        return self._scratch[two.shape]


class BFloat16Product:
    """By PyTorch in bfloat16, rounded to it before and after; for one thread at a time, as it keeps scratch arrays."""

    def __init__(self) -> None:
        import torch

        self._torch: Any = torch
        self._scratch: dict[tuple[str, tuple[int, ...]], Any] = {}

    def __call__(self, one: Floats, two: Floats, out: Floats) -> None:
        """Write the product."""
        torch = self._torch
        result = self._empty("out", out.shape)
        torch.mm(self._rounded("one", one), self._rounded("two", two), out=result)
        torch.from_numpy(out).copy_(result)

    def _rounded(self, name: str, matrix: Floats) -> Any:
        """A matrix in bfloat16. One that is the transpose of what lies in memory stays that."""
        if not matrix.flags.c_contiguous:
            return self._rounded(name, matrix.T).T
        return self._empty(name, matrix.shape).copy_(self._torch.from_numpy(matrix))

    def _empty(self, name: str, shape: tuple[int, ...]) -> Any:
        if (name, shape) not in self._scratch:
            self._scratch[name, shape] = self._torch.empty(shape, dtype=self._torch.bfloat16)
        return self._scratch[name, shape]


def make_product(precision: str) -> Product:
    """The product of a precision."""
    if precision == BFLOAT16:
        return BFloat16Product()
    return RegisterProduct() if matrices.AVAILABLE else float32_product


@contextmanager
def one_thread_each(precision: str) -> Iterator[None]:
    """Keep matrix products in the thread that asks for them: threads of their own would wait for each other."""
    with _blas().limit(limits=1, user_api="blas"):
        if precision != BFLOAT16:
            yield
            return
        import torch

        threads = torch.get_num_threads()
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def has_torch() -> bool:
    """Whether PyTorch is installed."""
    return find_spec("torch") is not None


def faster_precision(width: int) -> str:
    """The precision that is faster on this machine for hidden layers of a width; float32 unless the other one clearly is."""
    if not has_torch():
        return FLOAT32
    with one_thread_each(BFLOAT16):
        seconds = {precision: _seconds(make_product(precision), width) for precision in PRECISIONS}
    return BFLOAT16 if seconds[BFLOAT16] * GAIN < seconds[FLOAT32] else FLOAT32


def _seconds(product: Product, width: int) -> float:
    """The shortest of several products."""
    random = np.random.default_rng(0)
    one = random.standard_normal((TRIAL_ROWS, width)).astype(np.float32)
    two = random.standard_normal((width, width)).astype(np.float32)
    out, taken = np.zeros((TRIAL_ROWS, width), np.float32), []
    for _ in range(TRIALS):
        start = time.perf_counter()
        product(one, two, out)
        taken.append(time.perf_counter() - start)
    return min(taken)
