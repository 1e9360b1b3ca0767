"""MUS-4.2 and MUS-4.3: play a Wizard, move a Wizard."""

import pytest

from .positions import BANNERS, castle_space, column, hand, offered, pile, play, position, seen, total

pytestmark = pytest.mark.rules

FIVE_COLUMNS = {"water": "1", "feather": "5", "cloud": "2, wizard", "sun": "1, bridge, 3"}


@pytest.mark.clause("MUS-4.2")
def test_a_wizard_can_be_played_on_every_own_column():
    table = position(hand="wizard/bridge", columns=FIVE_COLUMNS)
    assert offered(table, "wizard") == [f"wizard at {castle}" for castle in BANNERS]


@pytest.mark.clause("MUS-4.2")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(
    ("castle", "after"),
    [
        ("water", ["water 1", "wizard"]),
        ("feather", ["feather 5", "wizard"]),
        ("cloud", ["cloud 2", "wizard", "wizard"]),
        ("sun", ["sun 1", "bridge", "sun 3", "wizard"]),
        ("leaf", ["wizard"]),
    ],
)
def test_a_wizard_goes_on_any_card_or_none_or_a_wizard(castle, after, seat):
    table = play(position(hand="wizard/bridge, wizard/bridge", columns=FIVE_COLUMNS, seat=seat), f"wizard at {castle}")
    assert column(table, seat, castle) == after
    assert column(table, 1 - seat, castle) == []
    assert hand(table, seat)["wizard/bridge"] == 1


@pytest.mark.clause("MUS-4.2")
def test_without_the_card_no_wizard_is_played():
    table = position(hand="rainbow castle", other_hand="wizard/bridge")
    assert offered(table, "wizard") == []


@pytest.mark.clause("MUS-4.3")
def test_a_wizard_moves_to_every_other_own_column():
    table = position(columns=FIVE_COLUMNS)
    goals = ["water", "feather", "sun", "leaf"]
    assert offered(table, "move") == [f"move wizard from cloud to {castle}" for castle in goals]


@pytest.mark.clause("MUS-4.3")
@pytest.mark.parametrize("source", BANNERS)
def test_wizards_of_every_column_can_move_and_no_others(source):
    table = position(columns={source: "1, wizard"}, other_columns=dict.fromkeys(BANNERS, "wizard") | {source: ""})
    goals = [castle for castle in BANNERS if castle != source]
    assert offered(table, "move") == [f"move wizard from {source} to {castle}" for castle in goals]


@pytest.mark.clause("MUS-4.3")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("goal", ["water", "feather", "sun", "leaf"])
def test_moving_takes_the_top_wizard_and_puts_it_on_top(goal, seat):
    table = position(columns=FIVE_COLUMNS | {"cloud": "2, wizard, wizard"}, pile=["leaf 1"], seat=seat)
    before = column(table, seat, goal)
    play(table, f"move wizard from cloud to {goal}")
    assert column(table, seat, "cloud") == ["cloud 2", "wizard"]
    assert column(table, seat, goal) == [*before, "wizard"]


@pytest.mark.clause("MUS-4.3")
def test_the_strength_moves_along():
    table = play(position(columns={"cloud": "2, wizard", "sun": "1"}), "move wizard from cloud to sun")
    assert [total(table, 0, castle) for castle in ("cloud", "sun")] == [2, 7]


@pytest.mark.clause("MUS-4.3")
def test_a_wizard_moves_onto_a_wizard():
    table = play(position(columns={"cloud": "wizard", "sun": "wizard"}), "move wizard from cloud to sun")
    assert (column(table, 0, "cloud"), column(table, 0, "sun")) == ([], ["wizard", "wizard"])


@pytest.mark.clause("MUS-4.3")
def test_what_is_no_wizard_does_not_move():
    table = position(columns={"water": "1, bridge, 3"}, castles={"sun": "wizard/bridge"}, hand="wizard/bridge")
    assert offered(table, "move") == []


@pytest.mark.clause("MUS-4.3a")
@pytest.mark.parametrize("banner", BANNERS)
def test_then_the_top_card_of_the_pile_is_laid_on_its_castle_space(banner):
    table = position(columns={"cloud": "wizard"}, castles={banner: "1"}, pile=[f"{banner} 2", "feather 1"])
    play(table, "move wizard from cloud to sun")
    assert castle_space(table, banner) == [f"{banner} 1", f"{banner} 2"]
    assert sum(len(castle_space(table, castle)) for castle in BANNERS) == 2
    assert pile(table)[0] == "feather 1"


@pytest.mark.clause("MUS-4.3a")
def test_both_may_draw_the_card_turned_up_later():
    table = position(columns={"cloud": "wizard"}, pile=["water 2"])
    play(table, "move wizard from cloud to sun", "lay leaf 1")
    assert "draw from water" in table.legal_actions()
    play(table, "draw from pile", "lay leaf 2")
    assert "draw from water" in table.legal_actions()


@pytest.mark.clause("MUS-4.3b")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("card", ["wizard/bridge", "rainbow castle"])
def test_the_mover_chooses_the_castle_space_of_a_rainbow_card_turned_up(card, seat):
    table = position(columns={"cloud": "wizard"}, pile=[card], seat=seat)
    play(table, "move wizard from cloud to sun")
    assert table.seat == seat
    assert table.legal_actions() == [f"place on {castle}" for castle in BANNERS]


@pytest.mark.clause("MUS-4.3b")
@pytest.mark.parametrize("card", ["wizard/bridge", "rainbow castle"])
@pytest.mark.parametrize("castle", BANNERS)
def test_the_rainbow_card_goes_on_top_of_the_space_chosen(castle, card):
    table = position(columns={"cloud": "wizard"}, castles={castle: "1"}, pile=[card, "feather 5"])
    play(table, "move wizard from cloud to sun", f"place on {castle}")
    assert castle_space(table, castle) == [f"{castle} 1", card]
    assert sum(len(castle_space(table, each)) for each in BANNERS) == 2
    assert pile(table)[0] == "feather 5"
    assert (table.seat, offered(table, "place", "draw")) == (1, [])


@pytest.mark.clause("MUS-4.3b")
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("card", "other"), [("wizard/bridge", "rainbow castle"), ("rainbow castle", "wizard/bridge")])
def test_the_choice_comes_after_seeing_the_card(card, other, seat):
    table = play(position(columns={"cloud": "wizard"}, pile=[card]), "move wizard from cloud to sun")
    assert [seen(table, seat, f"turned_up[{each}]") for each in (card, other)] == [1, 0]


@pytest.mark.clause("MUS-4.3c")
@pytest.mark.parametrize("acts", [("water 1",), ("rainbow castle", "place on water")])
def test_after_moving_a_wizard_nothing_is_drawn(acts):
    table = position(columns={"cloud": "wizard"}, pile=[acts[0]])
    before, cards = hand(table, 0), len(pile(table))
    play(table, "move wizard from cloud to sun", *acts[1:])
    assert hand(table, 0) == before
    assert len(pile(table)) == cards - 1
    assert (table.seat, offered(table, "draw")) == (1, [])
