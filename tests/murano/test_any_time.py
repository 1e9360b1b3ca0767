"""What can be done any time in one's own turn (MUR-7)."""

import pytest

from .positions import USE, edition, hand, legal, lira, phase, play, position, ring, used, with_card, works, workshop

pytestmark = pytest.mark.rules


# ---- 7.1 Reorder


@pytest.mark.clause("MUR-7.1")
@pytest.mark.parametrize("place", [2, 3, 6])
def test_for_1_lira_the_first_card_moves_to_another_position(place):
    table = position(hands={0: ["Vase"]})
    before = hand(table)
    play(table, f"reorder to {place}")
    assert hand(table) == [*before[1:place], "Vase", *before[place:]]
    assert lira(table) == 3


@pytest.mark.clause("MUR-7.1")
@pytest.mark.parametrize(("left", "places"), [(1, []), (2, [2]), (4, [2, 3, 4]), (6, [2, 3, 4, 5, 6])])
def test_reordering_needs_two_cards_and_a_position_of_the_hand(left, places):
    assert legal(position(left={0: left}), "reorder") == [f"reorder to {place}" for place in places]


@pytest.mark.clause("MUR-7.1", "MUR-7.2")
def test_reordering_and_turning_the_ring_need_a_lira():
    assert legal(position(lira={0: 0}), "reorder", "turn ring") == []
    assert len(legal(position(lira={0: 1}), "reorder", "turn ring")) == 6


@pytest.mark.clause("MUR-7.1")
def test_a_card_that_comes_to_position_1_can_be_made_at_once():
    table = workshop("RRYB", ["Dolphin", "Vase"])
    assert legal(table, "make") == []
    play(table, "reorder to 2", "make replacing none")
    assert works(table) == ["Vase"]


# ---- 7.2 The Ring


@pytest.mark.clause("MUR-7.2")
def test_the_ring_turns_one_step_for_1_lira_as_often_as_wanted():
    table = position(ring_offset=10, lira={0: 3})
    for money, offset in ((2, 11), (1, 0), (0, 1)):
        play(table, "turn ring")
        assert (lira(table), ring(table)) == (money, offset)
    assert "turn ring" not in legal(table)


# ---- 7.3, 7.4 Advantages

TILES = {"advantages": [16, 8, 13, 1]}


@pytest.mark.clause("MUR-7.3")
@pytest.mark.parametrize(
    ("work", "actions"),
    [
        ("Harlequin", ["use art with art"]),
        ("Ruby pendant", ["use art with art+jewels", "use jewels with jewels+art"]),
        ("Rooster jug", ["use tableware with tableware+animals", "use animals with animals+tableware"]),
        ("Dolphin", ["use animals with animals"]),
    ],
)
def test_a_category_of_a_work_names_the_tile(work, actions):
    table = position(works={0: [work]}, **TILES)
    assert legal(table, "use") == actions
    for action in actions:
        again = play(position(works={0: [work]}, **TILES), action)
        assert used(again) == {work}
        assert (
            phase(again)
            == {"art": "visionary", "jewels": "magician", "tableware": "traveller", "animals": "present"}[action.split()[1]]
        )


@pytest.mark.clause("MUR-7.3")
def test_a_work_with_two_categories_is_used_once_in_all():
    table = position(works={0: ["Ruby pendant"]}, **TILES)
    play(table, "use art with art+jewels", "turn ring by 1")
    assert legal(table, "use") == []


@pytest.mark.clause("MUR-7.3")
def test_without_a_work_or_with_works_of_others_no_advantage_can_be_used():
    assert legal(position(works={1: ["Harlequin"]}, **TILES), "use") == []
    assert legal(position(works={0: ["Harlequin"]}, used=["Harlequin"], **TILES), "use") == []


@pytest.mark.clause("MUR-7.3")
def test_of_works_alike_the_one_made_first_is_set_aside():
    for order in (["Harlequin", "Millefiori"], ["Millefiori", "Harlequin"]):
        table = play(position(works={0: ["Ruby pendant", *order]}, **TILES), USE, "turn ring by 1")
        assert used(table) == {order[0]}
        play(table, USE)
        assert used(table) == set(order)


@pytest.mark.clause("MUR-7.3")
def test_works_of_one_category_and_of_two_are_told_apart():
    table = position(works={0: ["Harlequin", "Ruby pendant", "Red fish"]}, **TILES)
    assert legal(table, "use art") == ["use art with art", "use art with art+jewels", "use art with art+animals"]
    play(table, "use art with art+animals")
    assert used(table) == {"Red fish"}


@pytest.mark.clause("MUR-7.3")
def test_several_uses_may_follow_each_other_also_of_one_tile():
    table = with_card(16, uses=3)
    play(table, USE, "turn ring by 2", USE, "turn ring by 5", USE, "turn ring by 11")
    assert ring(table) == (2 + 5 + 11) % 12


@pytest.mark.clause("MUR-7.3")
def test_a_work_of_this_turn_can_be_used_at_once():
    table = position(step="negotiated", benches={0: "RRYB"}, hands={0: ["Vase"]}, **TILES)
    play(table, "make replacing none", "use tableware with tableware")
    assert phase(table) == "traveller"


@pytest.mark.clause("MUR-7.3", "MUR-12.2")
def test_a_work_set_aside_still_counts_as_completed():
    table = play(with_card(16), USE, "turn ring by 1")
    assert works(table) == ["Harlequin"]
    assert int(table.record.works_size[0]) == 1


@pytest.mark.clause("MUR-7.3")
def test_the_work_is_set_aside_before_the_choice():
    assert used(play(with_card(1), USE)) == {"Harlequin"}


@pytest.mark.clause("MUR-7.4")
@pytest.mark.parametrize(
    ("card", "parts", "usable"),
    [
        (3, {"step": "taken"}, True),
        (3, {"step": "turned"}, False),  # not open
        (3, {"step": "taken", "markets": ("", "", "", "")}, False),  # no choice
        (10, {"step": "taken", "lira": {0: 1}}, True),
        (10, {"step": "taken", "lira": {0: 0}}, False),  # no cost
        (15, {"benches": {0: "R"}, "lira": {0: 1}}, True),
        (15, {"benches": {0: "R"}, "lira": {0: 0}}, False),
        (15, {"benches": {0: ""}}, False),
        (12, {"step": "taken", "benches": {0: "R"}, "lira": {0: 1}}, True),
    ],
)
def test_an_advantage_needs_its_time_its_cost_and_a_choice_for_each_step(card, parts, usable):
    assert (USE in legal(with_card(card, **parts))) == usable


@pytest.mark.clause("MUR-7.4", "MUR-8.5")
def test_steps_that_are_optional_do_not_matter():
    transparent = edition(rings={"A": "T" * 12, "B": "T" * 12})
    table = with_card(5, step="taken", benches={0: "R", 1: "TTTTTT"}, edition=transparent)
    assert USE in legal(table)
    play(table, USE, "exchange red at market 0")
    assert legal(table) == ["done"]
