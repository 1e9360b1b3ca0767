"""MUS-4.4: lay a card on a castle space."""

import pytest

from .positions import BANNERS, CARDS, castle_space, hand, offered, play, position, total

pytestmark = pytest.mark.rules


@pytest.mark.clause("MUS-4.4")
@pytest.mark.parametrize("card", [card for card in CARDS if card[-1].isdigit()])
def test_a_banner_card_is_laid_on_its_own_castle_space(card):
    banner = card.split()[0]
    table = position(hand=card, castles={banner: "wizard/bridge"})
    assert offered(table, f"lay {card}") == [f"lay {card}"]
    play(table, f"lay {card}")
    assert castle_space(table, banner) == ["wizard/bridge", card]
    assert sum(len(castle_space(table, castle)) for castle in BANNERS) == 2
    assert hand(table, 0).total() == 4


@pytest.mark.clause("MUS-4.4")
@pytest.mark.parametrize("card", ["wizard/bridge", "rainbow castle"])
@pytest.mark.parametrize("castle", BANNERS)
def test_a_rainbow_card_is_laid_on_any_castle_space(castle, card):
    table = position(hand=card, castles={castle: "1"})
    assert len(offered(table, f"lay {card}")) == 5
    play(table, f"lay {card} on {castle}")
    assert castle_space(table, castle) == [f"{castle} 1", card]
    assert hand(table, 0)[card] == 0


@pytest.mark.clause("MUS-4.4")
def test_only_cards_in_hand_can_be_laid():
    table = position(hand="water 1, feather 2, cloud 3, sun 4, leaf 5", other_hand="wizard/bridge, rainbow castle")
    assert offered(table, "lay") == ["lay water 1", "lay feather 2", "lay cloud 3", "lay sun 4", "lay leaf 5"]


@pytest.mark.clause("MUS-4.4a")
@pytest.mark.parametrize(
    ("action", "space"),
    [("lay water 1", "water"), ("lay wizard/bridge on sun", "sun"), ("lay wizard/bridge on water", "water")],
)
def test_the_card_just_laid_cannot_be_drawn_back(action, space):
    spaces = {"water": "2", "sun": "2"}
    table = play(position(hand="water 1, wizard/bridge", castles=spaces), action)
    assert offered(table, "draw") == ["draw from pile", *(f"draw from {castle}" for castle in spaces if castle != space)]


@pytest.mark.clause("MUS-4.4a")
def test_the_other_player_may_draw_it_in_the_next_turn():
    table = position(hand="water 1", other_hand="sun 1")
    play(table, "lay water 1", "draw from pile", "lay sun 1", "draw from water")
    assert hand(table, 1)["water 1"] == 1
    assert castle_space(table, "water") == []


@pytest.mark.clause("MUS-4.4a")
def test_the_same_player_may_draw_it_in_a_later_turn():
    table = position(hand="water 1, cloud 1", other_hand="sun 1")
    play(table, "lay water 1", "draw from pile", "lay sun 1", "draw from pile", "play cloud 1 at cloud")
    assert offered(table, "draw from") == ["draw from pile", "draw from water", "draw from sun"]


@pytest.mark.clause("MUS-4.4b")
def test_a_wizard_bridge_card_on_a_castle_space_is_only_a_card_to_draw():
    table = position(hand="cloud 1, water 1", castles={"water": "wizard/bridge"})
    assert offered(table, "swap", "move", "bridge", "wizard") == []
    assert "play cloud 1 at water" not in table.legal_actions()
    assert [total(table, seat, "water") for seat in (0, 1)] == [0, 0]
    assert "draw from water" in offered(play(table, "play cloud 1 at cloud"), "draw")


@pytest.mark.clause("MUS-4.4b")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_rainbow_castle_is_wild_for_both_sides(seat):
    table = position(hand="cloud 1", castles={"water": "rainbow castle"}, seat=seat)
    assert "play cloud 1 at water" in table.legal_actions()


@pytest.mark.clause("MUS-4.4b")
def test_laying_a_rainbow_castle_makes_the_castle_wild():
    table = position(hand="rainbow castle", other_hand="cloud 1")
    play(table, "lay rainbow castle on water", "draw from pile")
    assert offered(table, "play cloud 1") == ["play cloud 1 at water", "play cloud 1 at cloud"]


@pytest.mark.clause("MUS-4.4b")
@pytest.mark.parametrize("cover", ["water 1", "wizard/bridge"])
def test_covering_it_ends_the_effect(cover):
    table = position(hand=cover, other_hand="cloud 1", castles={"water": "rainbow castle"})
    play(table, f"lay {cover}" + (" on water" if cover == "wizard/bridge" else ""), "draw from pile")
    assert offered(table, "play cloud 1") == ["play cloud 1 at cloud"]


@pytest.mark.clause("MUS-4.4b")
@pytest.mark.parametrize("cover", ["1", "wizard/bridge"])
def test_drawing_the_cover_restores_the_effect(cover):
    table = position(hand="sun 1", other_hand="cloud 1", castles={"water": f"rainbow castle, {cover}"})
    play(table, "play sun 1 at sun", "draw from water")
    assert offered(table, "play cloud 1") == ["play cloud 1 at water", "play cloud 1 at cloud"]


@pytest.mark.clause("MUS-4.4b")
def test_a_banner_card_turned_up_covers_a_rainbow_castle():
    table = position(other_hand="cloud 1", columns={"sun": "wizard"}, castles={"water": "rainbow castle"}, pile=["water 1"])
    play(table, "move wizard from sun to leaf")
    assert offered(table, "play cloud 1") == ["play cloud 1 at cloud"]


@pytest.mark.clause("MUS-4.4b")
@pytest.mark.parametrize(("card", "wild"), [("wizard/bridge", False), ("rainbow castle", True)])
def test_a_rainbow_card_turned_up_covers_and_makes_wild(card, wild):
    castles = {"water": "rainbow castle", "feather": "1"}
    table = position(other_hand="cloud 1", columns={"sun": "wizard"}, castles=castles, pile=[card])
    play(table, "move wizard from sun to leaf", "place on feather")
    assert ("play cloud 1 at feather" in table.legal_actions()) == wild
    table = position(other_hand="cloud 1", columns={"sun": "wizard"}, castles=castles, pile=[card])
    play(table, "move wizard from sun to leaf", "place on water")
    assert ("play cloud 1 at water" in table.legal_actions()) == wild


@pytest.mark.clause("MUS-4.4b")
def test_a_banner_is_laid_on_its_own_space_though_another_is_wild():
    table = play(position(hand="cloud 1", castles={"water": "rainbow castle"}), "lay cloud 1")
    assert (castle_space(table, "cloud"), castle_space(table, "water")) == (["cloud 1"], ["rainbow castle"])


@pytest.mark.clause("MUS-4.4b")
def test_two_rainbow_castles_can_be_stacked():
    table = position(hand="rainbow castle", other_hand="cloud 1", castles={"water": "1, rainbow castle"})
    play(table, "lay rainbow castle on water", "draw from pile")
    assert castle_space(table, "water") == ["water 1", "rainbow castle", "rainbow castle"]
    assert "play cloud 1 at water" in table.legal_actions()


@pytest.mark.clause("MUS-4.4b")
@pytest.mark.parametrize("cards", ["1, rainbow castle", "1, rainbow castle, rainbow castle"])
def test_what_lies_under_a_rainbow_castle_is_out_of_reach(cards):
    table = play(position(hand="sun 1", castles={"water": cards}), "play sun 1 at sun")
    assert offered(table, "draw") == ["draw from pile"]
