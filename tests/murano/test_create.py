"""Works, and what can be done at any time (MUR-6, MUR-7)."""

from collections import Counter
from itertools import combinations_with_replacement, product

import pytest

from .positions import (
    USE,
    bench,
    edition,
    edition_with_recipe,
    hand,
    legal,
    lira,
    phase,
    play,
    position,
    ring,
    used,
    warehouse,
    with_card,
    works,
)

pytestmark = pytest.mark.rules


def workshop(own, first=("Vase",), **parts):
    """About to make works, with this bench; Vase is RRYB."""
    return position(step="negotiated", benches={0: own}, hands={0: list(first)}, **parts)


# ---- 6.1 Shards


@pytest.mark.clause("MUR-6.1")
def test_the_four_shards_of_the_recipe_go_to_the_warehouse():
    table = workshop("RRRYBT")
    stock = Counter(warehouse(table))
    play(table, "make replacing none")
    assert bench(table) == "RT"
    assert Counter(warehouse(table)) == stock + Counter("RRYB")


@pytest.mark.clause("MUR-6.1")
@pytest.mark.parametrize("own", ["", "RYB", "RRY", "RRYGGGGG", "RYBGGG"])
def test_without_its_shards_a_card_cannot_be_made(own):
    assert legal(workshop(own), "make") == []


@pytest.mark.clause("MUR-6.1")
@pytest.mark.parametrize(
    ("own", "choices"),
    [
        ("RRYBT", ["none", "b", "y", "r"]),
        ("RRYT", ["b"]),
        ("RYBT", ["r"]),
        ("RRTT", ["yb"]),
        ("RYTT", ["rb"]),
        ("YBTT", ["rr"]),
        ("TTTT", ["rryb"]),
        ("RTTT", ["ryb"]),
        ("RRYTTT", ["b", "yb", "rb", "ryb", "rrb"]),
    ],
)
def test_transparent_shards_stand_for_colours_by_choice(own, choices):
    table = workshop(own)
    assert sorted(legal(table, "make")) == sorted(f"make replacing {choice}" for choice in choices)
    for choice in choices:
        table = play(workshop(own), f"make replacing {choice}")
        replaced = Counter("" if choice == "none" else choice.upper())
        assert Counter(bench(table)) == Counter(own) - (Counter("RRYB") - replaced) - Counter("T" * replaced.total())


COLOURS = "RGYB"


def choices_by_hand(recipe, own):
    """Every way to make a recipe, by trying all vectors."""
    needs, has = Counter(recipe), Counter(own)
    for vector in product(range(5), repeat=4):
        replaced = dict(zip(COLOURS, vector, strict=True))
        fits = all(replaced[colour] <= needs[colour] <= has[colour] + replaced[colour] for colour in COLOURS)
        if fits and sum(vector) <= has["T"]:
            yield "".join(colour.lower() * replaced[colour] for colour in COLOURS) or "none"


@pytest.mark.clause("MUR-6.1", "MUR-16")
def test_all_70_choices_of_transparent_shards_come_up_where_they_fit_and_nowhere_else():
    seen = set()
    for recipe in map("".join, combinations_with_replacement(COLOURS, 4)):
        content = edition_with_recipe("Vase", recipe)
        for coloured in (recipe, recipe[:3], recipe[2:], ""):
            own = coloured + "TTTT"
            table = workshop(own, edition=content)
            expected = [f"make replacing {choice}" for choice in choices_by_hand(recipe, own)]
            assert sorted(legal(table, "make")) == sorted(expected)
            seen.update(expected)
    assert len(seen) == 70


# ---- 6.2, 6.3 Money


@pytest.mark.clause("MUR-6.2")
@pytest.mark.parametrize(("rest", "paid"), [("", 8), ("R", 7), ("RT", 6), ("GGG", 5), ("GGGY", 4)])
def test_a_work_pays_1_lira_for_each_empty_place(rest, paid):
    table = play(workshop("RRYB" + rest), "make replacing none")
    assert lira(table) == 4 + paid


@pytest.mark.clause("MUR-6.2", "MUR-6.1")
def test_transparent_shards_cost_nothing_without_the_grandmasters_challenge():
    table = play(workshop("RTTT"), "make replacing ryb")
    assert lira(table) == 4 + 8


@pytest.mark.clause("MUR-6.3")
@pytest.mark.parametrize(("made", "paid"), [(0, 8), (1, 10), (2, 8), (3, 8)])
def test_the_second_work_of_a_turn_pays_2_lira_more_later_ones_nothing_more(made, paid):
    table = workshop("RRYB", works={0: ["Harlequin", "Parrot", "Canary"]}, state={"works_made": made})
    play(table, "make replacing none")
    assert lira(table) == 4 + paid


@pytest.mark.clause("MUR-6.3")
def test_several_works_can_be_made_in_a_turn():
    table = workshop("RRYBTTTT", ["Vase", "Dolphin"])
    play(table, "make replacing none", "make replacing gybb")
    assert lira(table) == 4 + 4 + (8 + 2)
    assert works(table) == ["Vase", "Dolphin"]


@pytest.mark.clause("MUR-6.3")
def test_a_card_that_is_made_lies_among_the_works_and_the_next_one_comes_to_position_1():
    table = workshop("RRYB", ["Vase", "Dolphin", "Parrot"])
    play(table, "make replacing none")
    assert hand(table)[:2] == ["Dolphin", "Parrot"]
    assert len(hand(table)) == 5
    assert works(table) == ["Vase"]


@pytest.mark.clause("MUR-6.3")
def test_the_bonus_is_for_the_second_work_of_this_turn_not_of_the_game():
    table = workshop("RRYB", works={0: ["Parrot"]})
    play(table, "make replacing none")
    assert lira(table) == 4 + 8


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
