"""`Inputs`: the first layer of many rows. What most rows have goes through a product of matrices, the rest entry by entry.

An entry costs a row of weights from the cache for two operations a number. A product keeps weights in registers for many rows,
so it is four times as fast for each number, zeros included: worth it for inputs that a quarter of all rows have.
"""

import numpy as np

from cardtable.engine.rows import INPUT, Rows
from cardtable.types import Counts, Floats, Integers
from cardtable_agents.network import kernels
from cardtable_agents.network.products import FLOAT32, make_product

COMMON = 0.25
"""The share of rows that have a common input, at least."""


class Inputs:
    """Room for the inputs of so many rows. Which are common is chosen anew for each rollout: at first only one is."""

    def __init__(self, inputs: int, units: int, most: int) -> None:
        self._most, self._units = most, units
        self._product = make_product(FLOAT32)
        self._first: Counts = np.zeros(most + 1, np.int64)
        self._column: Integers = np.zeros(most * inputs + 1, INPUT)
        self._value = _floats(most * inputs + 1)
        self._every: Counts = np.arange(most)
        self._place: Counts = np.zeros(inputs, np.int64)
        self._set_common(np.zeros(1, np.int64))

    def choose_common(self, rows: Rows, number: int) -> None:
        """Choose what the first `number` rows have in common; the result depends on nothing else."""
        having = np.bincount(rows.input[: rows.first_input[number]], minlength=len(self._place))
        common = np.flatnonzero(having >= COMMON * number)
        self._set_common(common if len(common) else np.array([having.argmax()]))

    def _set_common(self, common: Counts) -> None:
        self.common = common
        """Inputs that go through a product of matrices: at least one, as a product has a column."""
        self._place[:] = len(common)  # of all others: a column that is not used
        self._place[common] = np.arange(len(common))
        self._dense = _floats(self._most, len(common) + 1)
        self._weight, self._gradient = _floats(len(common), self._units), _floats(len(common), self._units)

    def forward(self, which: Counts, rows: Rows, weight: Floats, bias: Floats, out: Floats) -> None:
        """Write the first hidden layer of some rows."""
        kernels.split_inputs(which, rows, self._place, self._dense, self._first, self._column, self._value)
        kernels.copy_rows(self.common, weight, self._weight)
        self._product(self._dense_of(len(which)), self._weight, out)
        kernels.add_inputs(self._first, self._column, self._value, weight, bias, out)

    def backward(self, slopes: Floats, gradient: Floats, columns: tuple[Counts, Integers, Floats]) -> None:
        """Add the gradient by the weights, of the rows that were last taken forward; `columns` as in `add_transposed`."""
        self._product(self._dense_of(len(slopes)).T, slopes, self._gradient)
        kernels.add_to_rows(self.common, self._gradient, gradient)
        every = self._every[: len(slopes)]
        kernels.add_transposed(every, self._first, self._column, self._value, slopes, gradient, *columns)

    def _dense_of(self, rows: int) -> Floats:
        """The common inputs of the first rows."""
        return self._dense[:rows, : len(self.common)]


def _floats(*shape: int) -> Floats:
    return np.zeros(shape, np.float32)
