"""Advantages and outcomes, compared with a reference that goes through each game seat by seat."""

import numpy as np
import pytest
from cardtable_agents.training.advantages import write_advantages
from cardtable_agents.training.rollout import Rollout

LANES, STEPS = 5, 40


def random_rollout(seats, seed=0, lanes=LANES, steps=STEPS, *, shaped=False):
    """Seats in any order, several games in each lane, the last of them mostly unfinished."""
    random = np.random.default_rng(seed)
    rollout = Rollout(lanes, steps, 4, 4, seats, advised=False, demonstrated=False)
    number = len(rollout.rows.seat)
    rollout.rows.seat[:] = random.integers(0, seats, number)
    rollout.ends.done[: rollout.number] = random.random(rollout.number) < 0.1
    rollout.ends.reward[:] = random.standard_normal((number, seats))
    rollout.choices.value[:] = random.standard_normal((number, seats))
    if shaped:
        rollout.potential[:] = random.standard_normal((number, seats))
    return rollout


def games_of(rollout, lane):
    """The rows of each game of a lane, in order, and whether it came to its end."""
    game = []
    for row in range(lane, rollout.number, rollout.lanes):
        game.append(row)
        if rollout.ends.done[row]:
            yield game, True
            game = []
    if game:
        yield game, False


def value_for(rollout, row, seat):
    """What the network gives a seat in a row, whose values begin with the seat to act."""
    return float(rollout.choices.value[row, (seat - rollout.rows.seat[row]) % rollout.choices.value.shape[1]])


def after(rollout, lane, game, ended, seat):
    """(value, potential) for a seat of what comes after a game's rows."""
    if ended:
        return float(rollout.ends.reward[game[-1], seat]), 0.0
    last = rollout.number + lane
    return value_for(rollout, last, seat), float(rollout.potential[last, seat])


def reference(rollout, gamma, decay):
    """(advantages, outcomes) from the definition, one seat of one game at a time.

    A seat's own decisions are a chain: from each to the next it earns the difference of potentials, and after the last one
    comes what the game pays or what is expected of it. Its outcome in a row of another is that of its next decision, with
    what the potential changes until then.
    """
    seats = rollout.ends.reward.shape[1]
    advantage, outcome = np.zeros(rollout.number), np.zeros((rollout.number, seats))
    for lane in range(rollout.lanes):
        for game, ended in games_of(rollout, lane):
            for seat in range(seats):
                own = [row for row in game if rollout.rows.seat[row] == seat]
                end_value, end_potential = after(rollout, lane, game, ended, seat)
                values = [float(rollout.choices.value[row, 0]) for row in own] + [end_value]
                potentials = [float(rollout.potential[row, seat]) for row in own] + [end_potential]
                for place, row in enumerate(own):
                    advantage[row] = chain(values, potentials, place, gamma, decay, 1.0 if ended else gamma)
                for row in game:
                    following = [place for place, other in enumerate(own) if other >= row]
                    place = following[0] if following else len(own)
                    earned = values[place] + (advantage[own[place]] if following else 0)
                    change = potentials[place] - float(rollout.potential[row, seat])
                    outcome[row, (seat - rollout.rows.seat[row]) % seats] = earned + change
    return advantage, outcome


def chain(values, potentials, place, gamma, decay, last):
    """The sum of what surprises from a decision on, each one later weighing gamma × decay as much.

    What is expected later is discounted by gamma, what a game pays at its end (`last`) is not.
    """
    discounts = [gamma] * (len(values) - 2) + [last]
    return sum(
        (gamma * decay) ** (later - place)
        * (gamma * potentials[later + 1] - potentials[later] + discounts[later] * values[later + 1] - values[later])
        for later in range(place, len(values) - 1)
    )


def seat_of_value(rollout, row, seat):
    return (seat - rollout.rows.seat[row]) % rollout.ends.reward.shape[1]


@pytest.mark.parametrize("shaped", [False, True], ids=["plain", "shaped"])
@pytest.mark.parametrize("decay", [0.0, 0.95, 1.0])
@pytest.mark.parametrize("gamma", [1.0, 0.9])
@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_advantages_and_outcomes_equal_a_reference_by_seat(seats, gamma, decay, shaped):
    rollout = random_rollout(seats, shaped=shaped)
    lengths = [len(list(games_of(rollout, lane))) for lane in range(LANES)]
    assert min(lengths) > 1, "several games in every lane"
    write_advantages(rollout, gamma, decay)
    advantage, outcome = reference(rollout, gamma, decay)
    np.testing.assert_allclose(rollout.targets.advantage[: rollout.number], advantage, atol=2e-5)
    np.testing.assert_allclose(rollout.targets.outcome[: rollout.number], outcome, atol=2e-5)


@pytest.mark.parametrize("seats", [1, 2, 4])
def test_nothing_is_written_after_the_last_decisions(seats):
    rollout = random_rollout(seats)
    rollout.targets.advantage[:], rollout.targets.outcome[:] = 9, 9
    write_advantages(rollout, 1.0, 0.95)
    assert (rollout.targets.advantage[rollout.number :] == 9).all()
    assert (rollout.targets.outcome[rollout.number :] == 9).all()


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_without_discount_and_decay_all_seats_should_have_expected_what_the_game_paid(seats):
    """Whoever acts: every row of a finished game has the game's returns as outcomes."""
    rollout, seen = random_rollout(seats), 0
    write_advantages(rollout, 1.0, 1.0)
    for lane in range(LANES):
        for game, ended in games_of(rollout, lane):
            for row in game if ended else []:
                for seat in range(seats):
                    found = rollout.targets.outcome[row, seat_of_value(rollout, row, seat)]
                    assert found == pytest.approx(rollout.ends.reward[game[-1], seat], abs=2e-5)
                    seen += 1
    assert seen > 100


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
def test_shaped_rewards_add_up_to_the_return_minus_the_first_potential(seats):
    rollout, seen = random_rollout(seats, shaped=True), 0
    write_advantages(rollout, 1.0, 1.0)
    for lane in range(LANES):
        for game, ended in games_of(rollout, lane):
            for row in game if ended else []:
                for seat in range(seats):
                    found = rollout.targets.outcome[row, seat_of_value(rollout, row, seat)]
                    expected = rollout.ends.reward[game[-1], seat] - rollout.potential[row, seat]
                    assert found == pytest.approx(expected, abs=2e-5)
                    seen += 1
    assert seen > 100


def test_shaping_does_not_change_advantages_of_values_that_allow_for_it():
    """Values that are lower by the potential have the same surprises: shaping alone leads nowhere else."""
    plain, shaped = random_rollout(3), random_rollout(3, shaped=True)
    for row in range(len(shaped.rows.seat)):
        for seat in range(3):
            place = seat_of_value(shaped, row, seat)
            shaped.choices.value[row, place] = plain.choices.value[row, place] - shaped.potential[row, seat]
    plain.rows.seat[:], plain.ends.done[:], plain.ends.reward[:] = shaped.rows.seat, shaped.ends.done, shaped.ends.reward
    write_advantages(plain, 1.0, 0.9)
    write_advantages(shaped, 1.0, 0.9)
    np.testing.assert_allclose(shaped.targets.advantage, plain.targets.advantage, atol=2e-5)


def test_a_small_game_by_hand():
    """Seat 0, seat 1, seat 0; then seat 1 wins. Values of seat 0: 0.5, then 0.2; of seat 1: 0.1."""
    rollout = Rollout(1, 3, 4, 4, 2, advised=False, demonstrated=False)
    rollout.rows.seat[:] = [0, 1, 0, 1]
    rollout.choices.value[:, 0] = [0.5, 0.1, 0.2, 7]
    rollout.choices.value[:, 1] = 5  # what a seat expects when another acts is not what it learns from
    rollout.ends.done[2], rollout.ends.reward[2] = True, (-1, 1)
    write_advantages(rollout, 1.0, 0.5)
    np.testing.assert_allclose(rollout.targets.advantage[:3], [-0.3 + 0.5 * -1.2, 0.9, -1.2], rtol=1e-6)
    np.testing.assert_allclose(rollout.targets.outcome[:3], [[-0.4, 1], [1, -1], [-1, 1]], rtol=1e-6)


def test_lanes_do_not_touch_each_other():
    together = random_rollout(2)
    write_advantages(together, 0.99, 0.95)
    for lane in range(LANES):
        alone = random_rollout(2, lanes=1)
        rows = slice(lane, None, LANES)
        alone.rows.seat[:], alone.ends.done[:] = together.rows.seat[rows], together.ends.done[rows]
        alone.ends.reward[:], alone.choices.value[:] = together.ends.reward[rows], together.choices.value[rows]
        write_advantages(alone, 0.99, 0.95)
        np.testing.assert_array_equal(alone.targets.advantage[:STEPS], together.targets.advantage[rows][:STEPS])
        np.testing.assert_array_equal(alone.targets.outcome[:STEPS], together.targets.outcome[rows][:STEPS])
