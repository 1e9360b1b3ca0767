"""Random streams."""

import numpy as np
import pytest

from cardtable.engine import rng

pytestmark = pytest.mark.rules


def next_state(state):
    """Compiled kernels hand back a Python int; the stream is 64 unsigned bits."""
    return np.uint64(rng.advance(state))


def test_the_stream_is_splitmix64():
    """The published outputs for the state 1234567."""
    state, numbers = np.uint64(1234567), []
    for _ in range(3):
        state = next_state(state)
        numbers.append(int(rng.mix(state)))
    assert numbers == [6457827717110365317, 3203168211198807973, 9817491932198370423]


def test_streams_of_neighbouring_seeds_and_games_differ():
    starts = {int(rng.stream(np.uint64(seed), np.uint64(number))) for seed in range(50) for number in range(50)}
    assert len(starts) == 2_500


@pytest.mark.parametrize("bound", [1, 2, 5, 47])
def test_draws_are_even(bound):
    state, counts, draws = np.uint64(5), np.zeros(bound), 20_000
    for _ in range(draws):
        state = next_state(state)
        counts[rng.below(state, bound)] += 1
    expected = draws / bound
    assert ((counts - expected) ** 2 / expected).sum() < 2 * bound + 20


def test_shuffles_are_even():
    """Every card comes to lie at every place about equally often."""
    from cardtable.game.registry import find, game_ids

    game = find(game_ids()[0])
    records = game.blank(game.parse_options({}), seed=3)
    places, rounds, size = np.zeros((5, 5)), 4_000, 5
    for _ in range(rounds):
        cards = np.arange(size, dtype=np.int16)
        rng.shuffle(records[0], cards, size)
        places[np.arange(size), cards] += 1
    assert abs(places - rounds / size).max() < 6 * np.sqrt(rounds / size)
