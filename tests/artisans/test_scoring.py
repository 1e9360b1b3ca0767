"""The end, scores, bonuses of artisans, ties (ART-6, 8.1 to 8.4, 8.7)."""

import pytest

from .positions import MASK, legal, phase, play, position, returns, row, scores

pytestmark = pytest.mark.rules


@pytest.mark.clause("ART-6.1")
def test_after_round_12_each_crafts_one_more_whatever_was_done_in_the_round():
    table = position(
        month=12,
        phase="develop",
        seat=1,
        first=1,
        developed={0: MASK, 1: MASK},
        row=["Mask", "Mill"],
        visits={1: 3},
        crafted=[1],
    )
    play(table, "pass", "pass")
    assert (phase(table), table.seat) == ("finish", 1)
    assert legal(table) == ["craft row 0", "pass"]
    play(table, "craft row 0")
    assert table.seat == 0
    assert row(table) == [None, "Mill", None, None]
    assert legal(table) == ["pass"]
    play(table, "pass")
    assert table.ending
    assert phase(table) == "over"


@pytest.mark.clause("ART-6.1")
def test_the_row_is_not_filled_for_it():
    table = position(month=12, phase="develop", row=[None, "Mill"], deck_2=["Sail"])
    play(table, "pass", "pass")
    assert row(table) == [None, "Mill", None, None]


@pytest.mark.clause("ART-6.1")
def test_one_object_each():
    table = position(month=12, phase="finish", developed={0: {**MASK, "glass": (1, 1)}}, row=["Mask", "Mosaic"])
    assert legal(table, "craft") == ["craft row 0", "craft row 1"]
    play(table, "craft row 1")
    assert table.seat == 1


@pytest.mark.clause("ART-6.2")
def test_scores_are_levels_objects_and_bonus_and_hands_count_nothing():
    table = position(
        artisans=["gold_lover", "provident"],
        month=12,
        phase="over",
        developed={0: {"clay": (3, 2, 1), "gold": (2,)}, 1: {"wood": (1,)}},
        objects={0: ["Mask", "Oven"]},
        reserved="Mill",
    )
    assert scores(table) == [3 + 4 + 3 + 2 + 4 + 3 + 4, 1 - 6]


@pytest.mark.clause("ART-6.2")
def test_every_level_counts_its_number_for_each_card():
    table = position(artisans=["provident", "versatile"], phase="over", month=12, developed={0: {"stone": (6, 5, 4, 3)}})
    assert scores(table) == [6 + 10 + 12 + 12, 0]


@pytest.mark.clause("ART-6.3")
def test_the_highest_score_wins():
    table = position(players=3, phase="over", month=12, developed={0: {"clay": (2,)}, 1: {"clay": (3,)}, 2: {"clay": (1,)}})
    assert returns(table) == [-0.5, 1.0, -0.5]


@pytest.mark.clause("ART-6.3")
def test_equal_scores_go_to_more_objects():
    table = position(
        artisans=["provident", "opportunist"],
        phase="over",
        month=12,
        developed={0: {"clay": (6,)}, 1: {"clay": (3,)}},
        objects={1: ["Icon"]},
    )
    assert scores(table) == [6, 6]
    assert returns(table) == [-1, 1]


@pytest.mark.clause("ART-6.3")
def test_then_to_more_developed_cards():
    table = position(
        artisans=["provident", "opportunist"], phase="over", month=12, developed={0: {"clay": (2, 1)}, 1: {"clay": (4,)}}
    )
    assert scores(table) == [4, 4]
    assert returns(table) == [-1, 1]


@pytest.mark.clause("ART-6.3")
def test_then_the_win_is_shared_among_the_leaders_only():
    levels = {0: {"clay": (3,)}, 1: {"wood": (3,)}, 2: {"gold": (2,)}}
    table = position(players=3, phase="over", month=12, developed=levels)
    assert returns(table) == [0.25, 0.25, -0.5]
    table = position(phase="over", month=12)
    assert returns(table) == [0, 0]


@pytest.mark.clause("ART-6.3")
def test_objects_do_not_help_who_is_behind():
    table = position(
        players=3,
        artisans=["provident", "opportunist", "night_worker"],
        phase="over",
        month=12,
        developed={0: {"clay": (5,)}, 1: {"clay": (5,)}},
        objects={2: ["Icon"]},
    )
    assert returns(table) == [0.25, 0.25, -0.5]


@pytest.mark.clause("ART-6.3")
def test_a_reserved_object_is_none_of_the_objects():
    table = position(
        artisans=["provident", "opportunist"],
        phase="over",
        month=12,
        developed={0: {"clay": (6,)}, 1: {"wood": (3,)}},
        reserved="Icon",
    )
    assert scores(table) == [3, 3]
    assert returns(table) == [1, -1]  # by developed cards, not by objects


# ---- 8.1 to 8.4, 8.7 Bonuses of artisans


def bonus(table, seat=0):
    return int(table.record.bonus[seat])


def end_bonus(artisan, objects=(), developed=None):
    """The bonus of an artisan at the end of a game."""
    other = "gold_lover" if artisan != "gold_lover" else "opportunist"
    levels = {0: developed or {}}
    return bonus(position(artisans=[artisan, other], phase="over", month=12, objects={0: objects}, developed=levels))


def craft_mask(artisan):
    """The table after a Mask was crafted in play, and the bonus before."""
    other = "provident" if artisan != "provident" else "opportunist"
    table = position(artisans=[artisan, other], developed={0: MASK}, row=["Mask"])
    before = bonus(table)
    play(table, "craft row 0")
    return bonus(table) - before


@pytest.mark.clause("ART-8.1")
@pytest.mark.parametrize(("objects", "points"), [([], 0), (["Oven"], 0), (["Mask"], 4), (["Mask", "Icon", "Oven"], 8)])
def test_gold_lover_scores_objects_that_require_gold(objects, points):
    assert end_bonus("gold_lover", objects) == points


@pytest.mark.clause("ART-8.1")
def test_gold_lover_scores_as_soon_as_the_object_is_crafted():
    assert craft_mask("gold_lover") == 4


@pytest.mark.clause("ART-8.2")
@pytest.mark.parametrize(
    ("objects", "points"), [(["Mask"], 0), (["Icon"], 3), (["Seal"], 3), (["Well"], 3), (["Well", "Gate", "Oven"], 6)]
)
def test_sculptor_scores_wood_or_stone_once_an_object(objects, points):
    assert end_bonus("sculptor", objects) == points


@pytest.mark.clause("ART-8.2")
def test_sculptor_scores_in_play():
    table = position(artisans=["sculptor", "provident"], developed={0: {"gold": (1,), "wood": (1, 1)}}, row=[None, "Icon"])
    play(table, "craft row 1")
    assert bonus(table) == 3
    assert craft_mask("sculptor") == 0


@pytest.mark.clause("ART-8.3")
@pytest.mark.parametrize(
    ("objects", "points"), [([], 0), (["Mask"], 4), (["Mask", "Oven"], 6), (["Puppet theatre", "Reliquary"], 14)]
)
def test_versatile_scores_different_materials_of_own_objects(objects, points):
    assert end_bonus("versatile", objects) == points


@pytest.mark.clause("ART-8.3")
def test_versatile_scores_in_play_what_is_new():
    table = position(
        artisans=["versatile", "provident"], developed={0: {**MASK, "metal": (1,)}}, objects={0: ["Mask"]}, row=["Oven"]
    )
    play(table, "craft row 0")
    assert bonus(table) == 6


@pytest.mark.clause("ART-8.4")
@pytest.mark.parametrize(
    ("developed", "points"),
    [({"clay": (1, 1, 1)}, 0), ({"clay": (1, 1, 1, 1)}, 5), ({"clay": (2, 2, 2, 2), "gold": (1, 1, 1, 1), "wood": (6,)}, 10)],
)
def test_specialist_scores_materials_at_level_4(developed, points):
    assert end_bonus("specialist", developed=developed) == points


@pytest.mark.clause("ART-8.4")
def test_specialist_scores_when_level_4_is_developed():
    table = position(
        artisans=["specialist", "provident"], phase="develop", developed={0: {"clay": (1, 1, 1)}}, hands={0: "clay clay"}
    )
    play(table, "develop clay x1")
    assert bonus(table) == 5
    assert scores(table)[0] == 1 + 2 + 3 + 4 + 5


@pytest.mark.clause("ART-8.7")
@pytest.mark.parametrize(("objects", "points"), [([], 0), (["Mask"], 2), (["Mask", "Oven", "Mill"], 6)])
def test_compulsive_collector_scores_every_object(objects, points):
    assert end_bonus("compulsive_collector", objects) == points


@pytest.mark.clause("ART-8.7")
def test_compulsive_collector_scores_in_play():
    assert craft_mask("compulsive_collector") == 2


@pytest.mark.clause("ART-8.1", "ART-8.2", "ART-8.3", "ART-8.4", "ART-8.7")
@pytest.mark.parametrize("artisan", ["night_worker", "perfectionist", "opportunist", "provident"])
def test_the_others_have_no_bonus(artisan):
    assert end_bonus(artisan, ["Mask", "Well"], {"clay": (1, 1, 1, 1)}) == 0


@pytest.mark.clause("ART-6.1", "ART-8.1")
def test_a_bonus_counts_for_the_object_crafted_at_the_end():
    table = position(artisans=["gold_lover", "provident"], month=12, phase="finish", developed={0: MASK}, row=["Mask"])
    play(table, "craft row 0")
    assert scores(table)[0] == 6 + 4 + 4
