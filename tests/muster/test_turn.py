"""MUS-3: one action, the refill, the other player."""

import pytest

from .positions import BANNERS, hand, offered, play, position, random_play

pytestmark = pytest.mark.rules

ONE_OF_EACH = {
    "hand": "water 1, water 2, wizard/bridge, rainbow castle, cloud 1",
    "columns": {"sun": "1, wizard"},
    "other_columns": {"cloud": "wizard"},
    "pile": ["feather 1"],
}


@pytest.mark.clause("MUS-3.1")
@pytest.mark.parametrize(
    ("action", "draws"),
    [
        ("play water 1 at water", 1),
        ("wizard at leaf", 1),
        ("move wizard from sun to leaf", 0),
        ("lay water 1", 1),
        ("lay wizard/bridge on leaf", 1),
        ("lay rainbow castle on leaf", 1),
        ("bridge to water 2 at water", 2),
        ("swap cloud 1 into other cloud", 0),
    ],
)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_turn_is_one_action_then_the_refill_then_the_other_moves(action, draws, seat):
    table = play(position(seat=seat, **ONE_OF_EACH), action)
    for _ in range(draws):
        assert table.seat == seat
        assert offered(table, "draw") == table.legal_actions() != []
        play(table, "draw from pile")
    assert table.seat == 1 - seat
    assert offered(table, "draw", "place") == []
    assert [hand(table, 0).total(), hand(table, 1).total()] == [5, 5]


@pytest.mark.clause("MUS-3.1")
@pytest.mark.parametrize("seed", range(3))
def test_hands_hold_five_at_the_start_of_every_turn(seed):
    turns = 0
    for table in random_play(seed, 200, over_the_rainbow=True):
        if not table.ending and offered(table, "lay"):
            turns += 1
            assert [hand(table, 0).total(), hand(table, 1).total()] == [5, 5]
    assert turns > 20


@pytest.mark.clause("MUS-3.1")
@pytest.mark.parametrize("seed", range(3))
def test_players_take_turns(seed):
    movers = [table.seat for table in random_play(seed, 120) if offered(table, "lay")]
    assert movers == [turn % 2 for turn in range(len(movers))]


@pytest.mark.clause("MUS-3.2")
def test_a_hand_that_fits_nowhere_can_still_be_laid():
    blocked = dict.fromkeys(BANNERS[:4], "wizard")
    table = position(hand="feather 1, cloud 1, cloud 5, rainbow castle, water 1", columns=blocked, pile=["sun 1"])
    assert offered(table, "play", "bridge", "wizard") == []
    assert offered(table, "lay feather", "lay cloud", "lay water") == [
        "lay water 1",
        "lay feather 1",
        "lay cloud 1",
        "lay cloud 5",
    ]


@pytest.mark.clause("MUS-3.2")
@pytest.mark.parametrize("seed", range(4))
def test_every_card_of_the_hand_can_be_laid_in_every_turn(seed):
    for table in random_play(seed, 60):
        if not table.ending and not offered(table, "draw", "place"):
            laid = {name.removeprefix("lay ").split(" on ")[0] for name in offered(table, "lay")}
            assert laid == set(hand(table, table.seat))
