"""MUS-4.1: play a banner."""

import pytest

from .positions import BANNERS, column, hand, offered, play, position, total

pytestmark = pytest.mark.rules

LADDER = ("cloud 1", "cloud 2", "cloud 3", "cloud 4", "cloud 5")


def column_up_to(top):
    """A column whose top card has this strength, without water cards."""
    return ", ".join(LADDER[:top])


@pytest.mark.clause("MUS-4.1")
def test_a_banner_played_leaves_the_hand_and_lies_in_the_own_column():
    table = play(position(hand="water 4, water 2"), "play water 4 at water")
    assert column(table, 0, "water") == ["water 4"]
    assert column(table, 1, "water") == []
    assert hand(table, 0)["water 4"] == 0
    assert hand(table, 0)["water 2"] == 1


@pytest.mark.clause("MUS-4.1")
def test_only_cards_in_the_own_hand_can_be_played():
    table = position(hand="water 1, feather 1, cloud 1, sun 1, sun 2", other_hand="water 2, water 3")
    assert offered(table, "play water") == ["play water 1 at water"]


@pytest.mark.clause("MUS-4.1")
def test_the_other_side_does_not_bear_on_the_own_column():
    table = position(hand="water 1", other_columns={"water": "4, wizard"})
    assert "play water 1 at water" in table.legal_actions()


@pytest.mark.clause("MUS-4.1", "MUS-4.1a")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("banner", BANNERS)
def test_a_banner_goes_under_its_own_castle_alone(banner, seat):
    table = position(hand=f"{banner} 1", seat=seat)
    assert offered(table, f"play {banner} 1") == [f"play {banner} 1 at {banner}"]


@pytest.mark.clause("MUS-4.1a")
@pytest.mark.parametrize("castle", BANNERS)
def test_any_banner_goes_under_a_castle_whose_top_card_is_a_rainbow_castle(castle):
    table = position(hand="water 1, feather 1, cloud 1, sun 1, leaf 1", castles={castle: "rainbow castle"})
    assert [name for name in offered(table, "play") if name.endswith(f"at {castle}")] == [
        f"play {banner} 1 at {castle}" for banner in BANNERS
    ]
    assert len(offered(table, "play")) == 9


@pytest.mark.clause("MUS-4.1a")
@pytest.mark.parametrize("cover", ["1", "wizard/bridge"])
def test_a_covered_rainbow_castle_is_not_wild(cover):
    table = position(hand="cloud 1", castles={"water": f"rainbow castle, {cover}"})
    assert offered(table, "play cloud 1") == ["play cloud 1 at cloud"]


@pytest.mark.clause("MUS-4.1a")
def test_only_the_icon_when_played_counts():
    table = position(hand="water 2, cloud 2", columns={"water": "cloud 1"})
    assert offered(table, "play water 2", "play cloud 2") == ["play water 2 at water", "play cloud 2 at cloud"]


@pytest.mark.clause("MUS-4.1a", "MUS-4.1c", "MUS-4.1d")
def test_a_wild_castle_does_not_lift_the_strengths():
    cards = "sun 1, sun 2, sun 3, sun 4, sun 5"
    table = position(hand=cards, columns={"water": "cloud 2, cloud 3"}, castles={"water": "rainbow castle"})
    assert [name for name in offered(table, "play") if name.endswith("at water")] == [
        "play sun 3 at water",
        "play sun 4 at water",
    ]


@pytest.mark.clause("MUS-4.1b")
def test_a_banner_goes_on_top():
    table = play(position(hand="water 2", columns={"water": "1, 1"}), "play water 2 at water")
    assert (column(table, 0, "water"), total(table, 0, "water")) == (["water 1", "water 1", "water 2"], 4)


@pytest.mark.clause("MUS-4.1c", "MUS-4.1d")
@pytest.mark.parametrize("strength", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("top", [1, 2, 3, 4, 5])
def test_a_banner_has_the_strength_of_the_top_card_or_one_more(top, strength):
    table = position(hand=f"water {strength}", columns={"water": column_up_to(top)})
    assert bool(offered(table, f"play water {strength}")) == (strength in (top, top + 1))


@pytest.mark.clause("MUS-4.1d")
@pytest.mark.parametrize("strength", [1, 2, 3, 4, 5])
def test_an_empty_column_takes_any_strength(strength):
    table = play(position(hand=f"water {strength}"), f"play water {strength} at water")
    assert column(table, 0, "water") == [f"water {strength}"]


@pytest.mark.clause("MUS-4.1c")
@pytest.mark.parametrize(("top", "fits"), [(0, True), (1, True), (2, True), (3, False), (4, False), (5, False)])
def test_rulebook_example_a_two_on_an_empty_place_a_one_or_a_two(top, fits):
    table = position(hand="water 2", columns={"water": column_up_to(top)})
    assert bool(offered(table, "play water 2")) == fits


@pytest.mark.clause("MUS-4.1d")
@pytest.mark.parametrize(("top", "fits"), [(0, True), (1, False), (2, True)])
def test_rulebook_example_a_three_on_an_empty_place_or_a_two(top, fits):
    table = position(hand="water 3", columns={"water": column_up_to(top)})
    assert bool(offered(table, "play water 3")) == fits


@pytest.mark.clause("MUS-4.1c")
@pytest.mark.parametrize("pieces", ["wizard", "1, wizard", "cloud 5, wizard", "1, wizard, wizard"])
@pytest.mark.parametrize("options", [{}, {"streamlined": True}])
def test_no_banner_is_played_on_a_wizard(pieces, options):
    cards = "water 1, water 2, water 3, water 4, water 5"
    table = position(hand=cards, columns={"water": pieces}, castles={"water": "rainbow castle"}, **options)
    assert [name for name in offered(table, "play") if name.endswith("at water")] == []


@pytest.mark.clause("MUS-4.1c", "MUS-4.1d")
def test_on_a_built_bridge_the_banner_above_it_counts():
    table = position(hand="water 2, water 4", columns={"water": "1, bridge, 3"})
    assert offered(table, "play water") == ["play water 4 at water"]
