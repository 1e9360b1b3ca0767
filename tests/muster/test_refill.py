"""MUS-5: the refill."""

import pytest

from .positions import BANNERS, castle_space, hand, offered, pile, play, position

pytestmark = pytest.mark.rules


@pytest.mark.clause("MUS-5.1")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_card_from_the_pile_is_its_top_card(seat):
    table = position(hand="water 1", pile=["feather 5", "cloud 5"], seat=seat)
    play(table, "play water 1 at water", "draw from pile")
    assert (hand(table, seat)["feather 5"], hand(table, seat)["cloud 5"]) == (1, 0)
    assert pile(table)[0] == "cloud 5"


@pytest.mark.clause("MUS-5.1")
@pytest.mark.parametrize("castle", BANNERS)
def test_a_card_from_a_castle_space_is_its_top_card(castle):
    table = position(hand="wizard/bridge", castles={castle: "1, 5"})
    cards = len(pile(table))
    play(table, "wizard at water", f"draw from {castle}")
    assert hand(table, 0)[f"{castle} 5"] == 1
    assert (castle_space(table, castle), len(pile(table))) == ([f"{castle} 1"], cards)


@pytest.mark.clause("MUS-5.1")
def test_empty_castle_spaces_are_not_drawn_from():
    table = position(hand="water 1", castles={"sun": "1", "feather": "wizard/bridge"})
    assert offered(play(table, "play water 1 at water"), "draw") == ["draw from pile", "draw from feather", "draw from sun"]


@pytest.mark.clause("MUS-5.1")
@pytest.mark.parametrize(
    "sources",
    [("pile", "pile"), ("pile", "sun"), ("sun", "pile"), ("sun", "sun"), ("sun", "cloud"), ("cloud", "sun")],
)
def test_draws_come_from_any_mix_of_places(sources):
    table = position(hand="wizard/bridge, water 2", castles={"sun": "1, 2, 3", "cloud": "1"}, pile=["feather 1", "feather 2"])
    places = {"pile": ["feather 1", "feather 2"], "sun": ["sun 3", "sun 2"], "cloud": ["cloud 1"]}
    before = hand(table, 0)
    play(table, "bridge to water 2 at water", *(f"draw from {source}" for source in sources))
    drawn = [places[source].pop(0) for source in sources]
    assert sorted((hand(table, 0) - before).elements()) == sorted(drawn)


@pytest.mark.clause("MUS-5.1")
def test_a_castle_space_drawn_empty_is_no_longer_offered():
    table = position(hand="wizard/bridge, water 2", castles={"sun": "1"})
    play(table, "bridge to water 2 at water", "draw from sun")
    assert table.legal_actions() == ["draw from pile"]


@pytest.mark.clause("MUS-5.1")
def test_drawing_is_mandatory():
    table = play(position(hand="water 1, water 2", castles={"sun": "1"}), "play water 1 at water")
    assert table.legal_actions() == ["draw from pile", "draw from sun"]


@pytest.mark.clause("MUS-5.1")
@pytest.mark.parametrize("draws_due", [1, 2, 3, 4, 5])
def test_a_mover_draws_until_five(draws_due):
    table = position(draws_due=draws_due, over_the_rainbow=True)
    for drawn in range(draws_due):
        assert (table.seat, hand(table, 0).total()) == (0, 5 - draws_due + drawn)
        play(table, "draw from pile")
    assert (table.seat, hand(table, 0).total(), offered(table, "draw")) == (1, 5, [])


@pytest.mark.clause("MUS-5.2")
@pytest.mark.parametrize("cards", ["rainbow castle", "1, rainbow castle", "rainbow castle, rainbow castle"])
def test_a_rainbow_castle_cannot_be_drawn_nor_what_lies_under_it(cards):
    table = play(position(hand="sun 1", castles={"water": cards}), "play sun 1 at sun")
    assert table.legal_actions() == ["draw from pile"]


@pytest.mark.clause("MUS-5.2")
def test_what_lies_on_a_rainbow_castle_can_be_drawn_but_no_more():
    table = position(hand="wizard/bridge, sun 2", castles={"water": "1, rainbow castle, 2"})
    play(table, "bridge to sun 2 at sun")
    assert table.legal_actions() == ["draw from pile", "draw from water"]
    play(table, "draw from water")
    assert table.legal_actions() == ["draw from pile"]


@pytest.mark.clause("MUS-5.3")
@pytest.mark.parametrize(("action", "space"), [("lay water 1", "water"), ("lay rainbow castle on sun", "sun")])
def test_neither_the_card_laid_nor_what_lies_under_it_can_be_drawn(action, space):
    spaces = {"water": "2, 3", "sun": "2, 3", "cloud": "2"}
    table = play(position(hand="water 1, rainbow castle", castles=spaces), action)
    assert table.legal_actions() == [
        "draw from pile",
        *(f"draw from {castle}" for castle in ("water", "cloud", "sun") if castle != space),
    ]


@pytest.mark.clause("MUS-5.3")
def test_the_ban_ends_with_the_turn():
    table = position(hand="water 1", other_hand="sun 1", castles={"water": "2"})
    play(table, "lay water 1", "draw from pile")
    assert table.state_dict()["laid"] is None
    assert "draw from water" in offered(play(table, "play sun 1 at sun"), "draw")


@pytest.mark.clause("MUS-5.3")
@pytest.mark.parametrize("action", ["play water 1 at water", "wizard at sun"])
def test_what_was_not_laid_this_turn_can_be_drawn(action):
    table = play(position(hand="water 1, wizard/bridge", castles={"water": "2"}), action)
    assert "draw from water" in table.legal_actions()


@pytest.mark.clause("MUS-5.4")
def test_a_bridge_is_followed_by_two_draws():
    table = play(position(hand="wizard/bridge, water 2"), "bridge to water 2 at water", "draw from pile")
    assert (table.seat, hand(table, 0).total()) == (0, 4)
    play(table, "draw from pile")
    assert (table.seat, hand(table, 0).total()) == (1, 5)


@pytest.mark.clause("MUS-5.4", "MUS-7.3")
@pytest.mark.parametrize(("strength", "draws"), [(2, 2), (3, 3), (4, 4), (5, 5)])
def test_a_row_of_bridges_is_followed_by_a_draw_for_each_card(strength, draws):
    cards = "wizard/bridge, wizard/bridge, wizard/bridge, wizard/bridge"
    table = position(hand=f"{cards}, water {strength}", over_the_rainbow=True)
    play(table, f"bridge to water {strength} at water")
    assert (hand(table, 0).total(), table.state_dict()["draws_due"]) == (5 - draws, draws)
    play(table, *["draw from pile"] * draws)
    assert (table.seat, hand(table, 0).total()) == (1, 5)
