"""Weighted sums of rows of a matrix, compared with numpy."""

import numpy as np
import pytest

from cardtable.engine.jit import helper
from cardtable.engine.sums import COLUMNS, add_rows

pytestmark = pytest.mark.rules

ROWS = 23


@helper
def add(out, matrix, index, weight, start, count):
    add_rows(out, matrix, index, weight, start, count)


def numbers(width, entries, index_type, seed=0):
    """(matrix, index, weight): some rows are named several times, others never, none in order."""
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((ROWS, width)).astype(np.float32)
    return matrix, random.integers(0, ROWS, entries).astype(index_type), random.standard_normal(entries).astype(np.float32)


def expected_sum(out, matrix, index, weight, start, count):
    some = slice(start, start + count)
    return out + weight[some].astype(float) @ matrix[index[some]].astype(float)


@pytest.mark.parametrize("index_type", [np.int16, np.int32, np.int64])
@pytest.mark.parametrize("width", range(COLUMNS, 577, COLUMNS))
def test_sums_equal_those_of_numpy(width, index_type):
    """Of every width up to two of the widest blocks and one of the narrow ones, from the middle of the entries."""
    matrix, index, weight = numbers(width, 20, index_type)
    for start, count in ((0, 0), (7, 0), (20, 0), (0, 1), (19, 1), (3, 2), (4, 9), (0, 20)):
        out = np.linspace(-1, 1, width, dtype=np.float32)
        expected = expected_sum(out, matrix, index, weight, start, count)
        add(out, matrix, index, weight, start, count)
        np.testing.assert_allclose(out, expected, atol=1e-5)


@pytest.mark.parametrize("index_type", [np.int16, np.int32, np.int64])
def test_a_row_named_twice_counts_twice(index_type):
    matrix = np.arange(3 * COLUMNS, dtype=np.float32).reshape(3, COLUMNS)
    out = np.zeros(COLUMNS, np.float32)
    add(out, matrix, np.array([2, 0, 2], index_type), np.array([1, 10, 1], np.float32), 0, 3)
    np.testing.assert_array_equal(out, 2 * matrix[2] + 10 * matrix[0])


@pytest.mark.parametrize("width", [COLUMNS, 256, 320, 576])
def test_nothing_but_the_sum_is_written(width):
    """The row before, the row after, the matrix, the entries: all stay as they are."""
    matrix, index, weight = numbers(width, 6, np.int16)
    before = [each.copy() for each in (matrix, index, weight)]
    outs = np.full((3, width), 9, np.float32)
    add(outs[1], matrix, index, weight, 0, 6)
    assert (outs[[0, 2]] == 9).all()
    assert (outs[1] != 9).all()
    assert all(np.array_equal(each, kept) for each, kept in zip((matrix, index, weight), before, strict=True))


def test_rows_far_into_a_matrix_are_found():
    """The place of a number within the matrix does not fit in the type of the index."""
    number = 2**15
    matrix = np.zeros((number, COLUMNS), np.float32)
    matrix[-1], matrix[-2] = 1, 2
    out = np.zeros(COLUMNS, np.float32)
    add(out, matrix, np.array([number - 1, number - 2], np.int16), np.array([1, 3], np.float32), 0, 2)
    assert (out == 7).all()


def test_what_is_not_finite_stays_so():
    matrix = np.ones((2, COLUMNS), np.float32)
    matrix[0, 3], matrix[1, 5] = np.nan, np.inf
    out = np.zeros(COLUMNS, np.float32)
    add(out, matrix, np.array([0, 1], np.int16), np.array([0, 1], np.float32), 0, 2)
    assert np.flatnonzero(np.isnan(out)).tolist() == [3]
    assert np.flatnonzero(np.isinf(out)).tolist() == [5]
