"""Works: their shards, and what they pay (MUR-6)."""

from collections import Counter
from itertools import combinations_with_replacement, product

import pytest

from .positions import bench, edition_with_recipe, hand, legal, lira, play, warehouse, works, workshop

pytestmark = pytest.mark.rules


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
