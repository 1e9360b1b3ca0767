"""MUS-4.5: build a Bridge."""

import pytest

from .positions import column, hand, offered, play, position, random_play, total

pytestmark = pytest.mark.rules

LADDER = ("cloud 1", "cloud 2", "cloud 3", "cloud 4", "cloud 5")
HAND = "wizard/bridge, water 2, water 3, water 4, water 5"


@pytest.mark.clause("MUS-4.5")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_bridge_and_the_banner_on_it_are_one_action(seat):
    table = position(hand="wizard/bridge, wizard/bridge, water 3", columns={"water": "1"}, seat=seat)
    play(table, "bridge to water 3 at water")
    assert column(table, seat, "water") == ["water 1", "bridge", "water 3"]
    assert column(table, 1 - seat, "water") == []
    assert (hand(table, seat)["wizard/bridge"], hand(table, seat)["water 3"]) == (1, 0)


@pytest.mark.clause("MUS-4.5")
@pytest.mark.parametrize(("own", "other"), [("wizard/bridge", "water 3"), ("water 3", "wizard/bridge")])
def test_a_bridge_takes_both_cards_from_the_own_hand(own, other):
    table = position(hand=f"{own}, sun 1, sun 5, leaf 1, leaf 5", other_hand=other, columns={"water": "1"})
    assert offered(table, "bridge") == []


@pytest.mark.clause("MUS-4.5")
def test_rulebook_example_one_bridge_three_is_five_and_two_cards_are_drawn():
    table = position(hand="water 3, wizard/bridge", columns={"water": "1"})
    play(table, "bridge to water 3 at water")
    assert total(table, 0, "water") == 5
    assert hand(table, 0).total() == 3
    play(table, "draw from pile", "draw from pile")
    assert (hand(table, 0).total(), table.seat) == (5, 1)


@pytest.mark.clause("MUS-4.5a", "MUS-4.5b")
@pytest.mark.parametrize("options", [{}, {"streamlined": True}, {"power_of_unity": True}])
@pytest.mark.parametrize(("top", "banner"), [(0, 2), (1, 3), (2, 4), (3, 5), (4, None), (5, None)])
def test_the_banner_is_two_above_the_card_under_the_bridge(top, banner, options):
    table = position(hand=HAND, columns={"water": ", ".join(LADDER[:top])}, **options)
    assert offered(table, "bridge") == ([f"bridge to water {banner} at water"] if banner else [])


@pytest.mark.clause("MUS-4.5a")
@pytest.mark.parametrize(("top", "stands_for"), [(1, 2), (2, 3), (3, 4)])
def test_the_bridge_stands_for_the_strength_between(top, stands_for):
    hands = {"hand": HAND, "other_hand": "sun 1, sun 2, sun 3, sun 4, sun 5"}
    table = position(**hands, columns={"water": ", ".join(LADDER[:top])}, castles={"water": "rainbow castle"})
    play(table, f"bridge to water {top + 2} at water", "draw from pile", "draw from pile")
    assert offered(table, "swap") == [f"swap sun {stands_for} into other water"]


@pytest.mark.clause("MUS-4.5b")
def test_on_an_empty_column_the_bridge_stands_for_one():
    table = position(hand="wizard/bridge, water 2", other_hand="water 1")
    play(table, "bridge to water 2 at water", "draw from pile", "draw from pile")
    assert column(table, 0, "water") == ["bridge", "water 2"]
    assert offered(table, "swap") == ["swap water 1 into other water"]


@pytest.mark.clause("MUS-4.5c")
@pytest.mark.parametrize(("space", "at_water"), [("", False), ("rainbow castle", True), ("rainbow castle, 1", False)])
def test_the_banner_on_a_bridge_fits_the_castle(space, at_water):
    table = position(hand="wizard/bridge, cloud 2, leaf 5, leaf 4, leaf 3", castles={"water": space})
    assert offered(table, "bridge") == ["bridge to cloud 2 at water"] * at_water + ["bridge to cloud 2 at cloud"]


@pytest.mark.clause("MUS-4.5c")
@pytest.mark.parametrize("pieces", ["wizard", "1, wizard", "cloud 1, cloud 2, wizard", "1, bridge, cloud 3, wizard"])
def test_a_bridge_cannot_go_on_a_wizard(pieces):
    table = position(hand=HAND, columns={"water": pieces})
    assert offered(table, "bridge") == []


@pytest.mark.clause("MUS-4.5c")
@pytest.mark.parametrize(("top", "sum_of_all"), [(0, 3), (1, 5), (2, 8), (3, 12)])
def test_a_bridge_counts_one_whatever_it_stands_for(top, sum_of_all):
    table = position(hand=HAND, columns={"water": ", ".join(LADDER[:top])})
    play(table, f"bridge to water {top + 2} at water")
    assert total(table, 0, "water") == sum_of_all


@pytest.mark.clause("MUS-4.5c")
def test_bridges_of_two_actions_can_follow_each_other():
    table = position(hand="wizard/bridge, water 5", columns={"water": "1, bridge, 3"})
    play(table, "bridge to water 5 at water")
    assert (column(table, 0, "water")[-3:], total(table, 0, "water")) == (["water 3", "bridge", "water 5"], 11)


@pytest.mark.clause("MUS-4.5c")
@pytest.mark.parametrize("seed", range(3))
def test_no_bridge_is_on_top_when_an_action_is_over(seed):
    for table in random_play(seed, 120, over_the_rainbow=True):
        columns = table.state_dict()["column"]
        assert not any(pieces and pieces[-1] == "bridge" for side in columns.values() for pieces in side.values())


@pytest.mark.clause("MUS-4.5", "MUS-4.5a")
def test_two_bridges_in_a_row_need_the_option():
    table = position(hand="wizard/bridge, wizard/bridge, water 4", columns={"water": "1"})
    assert "bridge to water 4 at water" not in table.legal_actions()
