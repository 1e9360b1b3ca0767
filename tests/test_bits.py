"""Sets as bits, lists of offers, runs of numbers written at once."""

import numpy as np
import pytest
from numba.core.errors import TypingError

from cardtable.engine.bits import holds, lowest, without_lowest
from cardtable.engine.jit import CHECKED, COMPILED, as_games, helper, kernel
from cardtable.engine.offers import offer, offer_run, offer_set
from cardtable.engine.vectors import (
    at_most,
    marks,
    places,
    put_row,
    put_shares,
    put_zeros,
    shifted,
    spill_shares,
    total,
    vector,
)
from cardtable.game.record import Field, Record

pytestmark = pytest.mark.rules

FEW, MORE, ODD, MANY = 5, 6, 27, 64
BEHIND = 8
"""Numbers that lie behind those of a vector, and are read with them."""


def with_others_behind(numbers):
    """The same numbers, followed by others."""
    return np.append(numbers, np.full(BEHIND, 77, np.int16))


@helper
def lowest_of(bits):
    return lowest(bits)


@helper
def few_places(counts):
    return places(vector(counts, FEW))


@helper
def odd_places(counts):
    return places(vector(counts, ODD))


@helper
def share(out, start, counts, steps):
    put_shares(out, start, vector(counts, ODD), steps)


@helper
def share_marks(out, start, counts, step):
    put_shares(out, start, marks(vector(counts, ODD)), step)


@helper
def spill(out, start, counts, steps):
    spill_shares(out, start, vector(counts, ODD), steps)


@helper
def total_of(counts):
    return total(vector(counts, ODD))


@helper
def share_at_most(out, counts, limits):
    put_shares(out, 0, at_most(vector(counts, ODD), vector(limits, ODD)), np.float32(1))


@helper
def share_halves(out, counts):
    put_shares(out, 0, shifted(vector(counts, ODD), 1), np.float32(1))


@helper
def clear(out, start):
    put_zeros(out, start, FEW)


@helper
def copy(out, start, row):
    put_row(out, start, row, FEW)


@pytest.mark.parametrize(("bits", "least"), [(1, 0), (0b101000, 3), (1 << 62, 62), (0, 0)])
def test_the_lowest_member_of_a_set(bits, least):
    assert lowest_of(bits) == least


def test_members_are_taken_one_by_one():
    bits, members = 0b1001_0110, []
    while bits:
        members.append(int(lowest_of(bits)))
        assert holds(bits, members[-1])
        bits = without_lowest(bits)
    assert members == [1, 2, 4, 7]


@pytest.mark.parametrize(("find", "size"), [(few_places, FEW), (odd_places, ODD)])
def test_places_are_those_that_hold_more_than_nothing(find, size):
    generator = np.random.default_rng(size)
    for _ in range(100):
        counts = generator.integers(-1, 3, MANY).astype(np.int16)
        assert find(counts) == sum(1 << place for place in range(size) if counts[place] > 0)


def test_shares_are_counts_times_steps_and_nothing_else_is_written():
    generator = np.random.default_rng(0)
    counts = generator.integers(-300, 300, ODD).astype(np.int16)
    steps = generator.random(ODD).astype(np.float32)
    out = np.full(ODD + 4, 9, np.float32)
    share(out, 2, with_others_behind(counts), steps)
    np.testing.assert_array_equal(out[2:-2], counts.astype(np.float32) * steps)
    assert (out[[0, 1, -2, -1]] == 9).all()


def test_shares_of_a_table_go_row_by_row():
    counts = np.arange(36, dtype=np.int16).reshape(4, 9)
    out = np.zeros(ODD, np.float32)
    share(out, 0, counts, np.ones(ODD, np.float32))
    np.testing.assert_array_equal(out, np.arange(ODD))


@pytest.mark.parametrize("step", [np.float32(1 / 3), 1 / 3])
def test_one_step_may_serve_all_numbers_in_its_own_precision(step):
    counts = np.arange(ODD, dtype=np.int16)
    out = np.zeros(ODD, np.float32)
    share(out, 0, with_others_behind(counts), step)
    np.testing.assert_array_equal(out, (counts.astype(np.asarray(step).dtype) * step).astype(np.float32))


def test_marks_are_1_where_there_is_more_than_nothing():
    counts = np.random.default_rng(0).integers(-2, 3, ODD).astype(np.int16)
    out = np.zeros(ODD, np.float32)
    share_marks(out, 0, with_others_behind(counts), np.float32(1))
    np.testing.assert_array_equal(out, counts > 0)


def test_shares_that_spill_are_followed_by_zeros_up_to_a_power_of_two():
    counts, steps = np.arange(1, ODD + 1, dtype=np.int16), np.ones(ODD, np.float32)
    out = np.full(40, 9, np.float32)
    spill(out, 2, with_others_behind(counts), steps)
    np.testing.assert_array_equal(out, [9, 9, *counts, *[0] * (32 - ODD), *[9] * (40 - 2 - 32)])


def test_a_total_leaves_out_what_lies_behind():
    counts = np.random.default_rng(0).integers(-300, 300, ODD).astype(np.int16)
    assert total_of(with_others_behind(counts)) == counts.sum()


def test_numbers_above_their_limits_become_the_limits():
    generator = np.random.default_rng(0)
    counts, limits = (generator.integers(-2, 3, ODD).astype(np.int16) for _ in range(2))
    out = np.zeros(ODD, np.float32)
    share_at_most(out, with_others_behind(counts), with_others_behind(limits))
    np.testing.assert_array_equal(out, np.minimum(counts, limits))


def test_shifted_numbers_keep_their_signs():
    counts = np.arange(-5, ODD - 5, dtype=np.int16)
    out = np.zeros(ODD, np.float32)
    share_halves(out, with_others_behind(counts))
    np.testing.assert_array_equal(out, counts // 2)


def test_zeros_are_written_and_nothing_else():
    out = np.full(FEW + 2, 9, np.float32)
    clear(out, 1)
    np.testing.assert_array_equal(out, [9, *[0] * FEW, 9])


def test_a_row_is_copied():
    out = np.zeros(FEW + 2, np.float32)
    copy(out, 1, np.arange(1, FEW + 1, dtype=np.float32))
    np.testing.assert_array_equal(out, [0, 1, 2, 3, 4, 5, 0])


# ---- What is not there

WATCHED = pytest.mark.skipif(COMPILED and not CHECKED, reason="without NUMBA_BOUNDSCHECK=1 nothing is looked at")
LONG_ROWS, SHORT_ROWS = np.ones((3, 8), np.int16), np.ones((3, FEW), np.int16)
RECORD = Record.of(
    Field("first", np.int16, "", high=9, axes=(tuple("abcde"),)), Field("last", np.int16, "", axes=(tuple("abcde"),))
)
assert list(RECORD.dtype.names or ())[-2:] == ["last", "filler"]


@kernel
def total_of_long_row(row):
    return total(vector(LONG_ROWS[row], FEW))


@kernel
def total_of_short_row(row):
    return total(vector(SHORT_ROWS[row], FEW))


@kernel
def total_of_last_field(games):
    game = games[0]
    return total(vector(game.last, FEW))


@kernel
def total_of_more_than_the_field(games):
    game = games[0]
    return total(vector(game.last, MORE))


@kernel
def total_of_too_many(counts):
    return total(vector(counts, 33))


def test_rows_as_long_as_vectors_read_can_be_read():
    assert [total_of_long_row(row) for row in range(3)] == [FEW] * 3


@WATCHED
def test_rows_shorter_than_vectors_read_are_found():
    """The last of them is followed by what is not the table's."""
    with pytest.raises(IndexError, match="a vector is out of bounds"):
        total_of_short_row(2)


@WATCHED
def test_arrays_shorter_than_vectors_read_are_found():
    assert total_of(np.ones(32, np.int16)) == ODD
    with pytest.raises(IndexError, match="a vector is out of bounds"):
        total_of(np.ones(31, np.int16))


def test_behind_the_last_field_of_a_record_there_is_enough_for_a_vector():
    games = RECORD.blank()
    games["last"] = 2
    assert total_of_last_field(as_games(games)) == 2 * FEW


@WATCHED
def test_vectors_longer_than_a_field_are_found():
    with pytest.raises(IndexError, match="a vector is out of bounds"):
        total_of_more_than_the_field(as_games(RECORD.blank()))


def test_vectors_that_read_on_for_longer_than_records_do_are_not_compiled():
    with pytest.raises(TypingError, match="a vector of 33 numbers reads 64: more than 32 bytes on"):
        total_of_too_many(np.ones(MANY, np.int16))


@WATCHED
@pytest.mark.parametrize("start", [-1, 9])
def test_numbers_written_beyond_an_observation_are_found(start):
    out, counts = np.zeros(ODD + 8, np.float32), np.ones(MANY, np.int16)
    for write in (
        lambda: share(out, start, counts, np.ones(ODD, np.float32)),
        lambda: spill(out, min(start, 4), counts, np.ones(ODD, np.float32)),
        lambda: clear(out, start if start < 0 else ODD + 4),
        lambda: copy(out, start if start < 0 else ODD + 4, np.ones(FEW, np.float32)),
        lambda: copy(out, 0, np.ones(FEW - 1, np.float32)),
    ):
        with pytest.raises(IndexError, match="a vector is out of bounds"):
            write()


def test_what_is_not_allowed_is_not_counted():
    actions = np.zeros(MANY, np.int64)
    count = offer(11, True, actions, 0)
    count = offer(12, False, actions, count)
    count = offer_run(20, 3, actions, count)
    count = offer_set(0b1010, FEW, np.arange(100, 100 + MANY), actions, count)
    assert actions[:count].tolist() == [11, 20, 21, 22, 101, 103]
