"""Phase B, the end, scores and ties (ART-5, ART-6)."""

import pytest

from .positions import legal, phase, play, position, returns, row, scores

pytestmark = pytest.mark.rules

MASK = {"clay": (1, 1), "gold": (1, 1)}
"""Developed cards that the Mask requires: 6 points of levels."""


@pytest.mark.clause("ART-5.1")
def test_from_the_first_player_each_develops_one_level_of_one_material():
    table = position(players=3, phase="develop", seat=1, first=1, hands={1: "clay clay clay wood", 2: "gold", 0: "metal"})
    assert legal(table) == ["develop clay x1", "develop clay x2", "develop clay x3", "develop wood x1", "pass"]
    play(table, "develop clay x2")
    assert table.seat == 2
    play(table, "develop gold x1")
    assert table.seat == 0
    play(table, "develop metal x1")
    plain = table.state_dict()
    assert plain["round_number"] == 4
    assert plain["developed"]["player_1"]["clay"] == {"level 1": 2}
    assert plain["hand"]["player_1"] == {"clay": 1, "wood": 1}


@pytest.mark.clause("ART-5.1")
def test_the_next_level_follows_the_last():
    table = position(phase="develop", developed={0: {"clay": (3, 2)}}, hands={0: "clay clay"})
    play(table, "develop clay x1")
    assert table.state_dict()["developed"]["player_0"]["clay"] == {"level 1": 3, "level 2": 2, "level 3": 1}


@pytest.mark.clause("ART-5.2")
def test_level_1_takes_any_number():
    table = position(phase="develop", hands={0: "clay clay clay clay clay clay"})
    assert legal(table, "develop") == [f"develop clay x{count}" for count in range(1, 7)]


@pytest.mark.clause("ART-5.2")
@pytest.mark.parametrize(("levels", "most"), [((3,), 3), ((6, 2), 2), ((4, 3, 1), 1), ((1,), 1), ((6,), 5)])
def test_a_further_level_takes_no_more_than_the_one_before(levels, most):
    table = position(phase="develop", developed={0: {"clay": levels}}, hands={0: "clay clay clay clay clay wood"})
    assert legal(table, "develop clay") == [f"develop clay x{count}" for count in range(1, most + 1)]


@pytest.mark.clause("ART-5.2")
def test_level_4_is_the_last():
    table = position(phase="develop", developed={0: {"clay": (1, 1, 1, 1)}}, hands={0: "clay clay"})
    assert legal(table) == ["pass"]


@pytest.mark.clause("ART-5.3")
def test_nothing_need_be_developed():
    table = position(phase="develop", hands={0: "clay clay"})
    before = table.state_dict()["hand"]
    play(table, "pass")
    assert table.state_dict()["hand"] == before
    assert table.seat == 1


# ---- 6 The end


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
