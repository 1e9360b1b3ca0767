"""Artisans with an ability (ART-8.5, 8.6, 8.8, 8.9)."""

import pytest

from .positions import MASK, hand, legal, market, open_game, pass_all, phase, play, position, row, scores

pytestmark = pytest.mark.rules


# ---- 8.5 Night worker


def night(**change):
    return position(
        **{"artisans": ["night_worker", "gold_lover"], "developed": {0: MASK, 1: MASK}, "row": ["Mask", "Seal"], **change}
    )


@pytest.mark.clause("ART-8.5")
def test_night_worker_goes_on_after_a_craft_with_a_visit():
    table = play(night(), "craft row 0")
    assert (phase(table), table.seat) == ("night", 0)
    assert {name.split()[0] for name in legal(table)} == {"exchange", "take", "pass"}
    assert "take token" in legal(table)
    play(table, legal(table, "exchange")[0])
    assert (phase(table), table.seat) == ("turn", 1)
    assert table.state_dict()["visits"]["player_0"] == 1


@pytest.mark.clause("ART-8.5")
def test_night_worker_may_take_a_card_and_the_emptied_market_is_filled():
    table = night(hands={0: "clay"}, market="- - gold - -", pile="wood wood clay clay metal stone")
    play(table, "craft row 0", "take slot 2")
    assert market(table) == "wood wood clay clay metal"
    assert (phase(table), table.seat) == ("turn", 1)


@pytest.mark.clause("ART-8.5")
def test_night_worker_may_take_the_token_after_the_craft():
    table = play(night(), "craft row 0", "take token")
    assert (phase(table), table.seat) == ("last", 1)
    assert table.state_dict()["first_player"] == "player_0"


@pytest.mark.clause("ART-8.5", "ART-9.3")
def test_night_worker_may_pass_after_the_craft_while_the_token_is_in_the_centre():
    table = play(night(), "craft row 0", "pass")
    assert (phase(table), table.seat) == ("turn", 1)
    assert table.state_dict()["token_taken"] is False


@pytest.mark.clause("ART-8.5")
def test_night_worker_in_the_last_action_crafts_then_visits_or_passes():
    for then in ("exchange slot 0 for clay", "pass"):
        table = night(phase="last", first=1)
        play(table, "craft row 0")
        assert (phase(table), table.seat) == ("night", 0)
        assert "take token" not in legal(table)
        play(table, then)
        assert phase(table) == "develop"
        assert table.state_dict()["visits"]["player_0"] == 0


@pytest.mark.clause("ART-8.5")
def test_night_worker_does_not_craft_after_a_visit_nor_twice():
    assert legal(night(visits={0: 1}), "craft") == []
    table = play(night(), "craft row 0")
    assert legal(table, "craft") == []
    table = play(night(phase="last", first=1, visits={0: 0}), "exchange slot 0 for clay")
    assert phase(table) == "develop"


@pytest.mark.clause("ART-8.5")
def test_night_worker_has_one_craft_at_the_end_and_nothing_after():
    table = play(night(month=12, phase="finish"), "craft row 0")
    assert (phase(table), table.seat) == ("finish", 1)


@pytest.mark.clause("ART-8.5")
def test_others_do_not_go_on_after_a_craft():
    table = play(night(seat=1), "craft row 0")
    assert (phase(table), table.seat) == ("turn", 0)


# ---- 8.6 Perfectionist


@pytest.mark.clause("ART-8.6")
@pytest.mark.parametrize(("levels", "most"), [((1,), 2), ((1, 2), 3), ((1, 2, 3), 4), ((6,), 5)])
def test_perfectionist_puts_one_card_more_than_the_level_before(levels, most):
    for artisan, limit in (("perfectionist", most), ("specialist", min(levels[-1], 5))):
        table = position(
            artisans=[artisan, "gold_lover"],
            phase="develop",
            developed={0: {"clay": levels}},
            hands={0: "clay clay clay clay clay"},
        )
        assert len(legal(table, "develop clay")) == limit


@pytest.mark.clause("ART-8.6")
def test_perfectionist_has_level_1_free_and_level_4_last():
    table = position(artisans=["perfectionist", "gold_lover"], phase="develop", hands={0: "clay clay"})
    assert legal(table) == ["develop clay x1", "develop clay x2", "pass"]
    table = position(
        artisans=["perfectionist", "gold_lover"], phase="develop", developed={0: {"clay": (1, 1, 1, 1)}}, hands={0: "clay clay"}
    )
    assert legal(table) == ["pass"]


@pytest.mark.clause("ART-8.6", "ART-6.2")
def test_perfectionist_scores_the_extra_card():
    table = position(
        artisans=["perfectionist", "gold_lover"], phase="develop", developed={0: {"clay": (1,)}}, hands={0: "clay clay"}
    )
    play(table, "develop clay x2")
    assert scores(table)[0] == 1 + 2 + 2


# ---- 8.8 Opportunist


def opportunist(**change):
    """The opportunist, player_1, is about to have a last action."""
    return position(**{"artisans": ["gold_lover", "opportunist"], "phase": "last", "first": 0, "seat": 1, **change})


@pytest.mark.clause("ART-8.8")
def test_opportunist_visits_twice_as_a_last_action():
    table = opportunist(hands={1: "clay clay clay clay clay metal"}, market="textile wood stone glass gold")
    play(table, "exchange slot 0 for clay")
    assert (phase(table), table.seat) == ("second", 1)
    assert legal(table, "craft", "take") == []
    play(table, "exchange slot 2 for metal")
    assert phase(table) == "develop"
    assert hand(table, 1) == {"clay": 4, "textile": 1, "stone": 1}


@pytest.mark.clause("ART-8.8")
def test_each_visit_is_for_the_hand_as_it_is_then():
    table = opportunist(hands={1: "clay clay clay clay clay"}, market="textile wood stone glass gold")
    assert legal(table, "exchange") == []
    play(table, "take slot 0")
    assert legal(table, "take") == []
    assert legal(table, "exchange")


@pytest.mark.clause("ART-8.8", "ART-4.4")
def test_the_market_is_filled_between_the_two_visits():
    table = opportunist(hands={1: "clay"}, market="- wood - - -", pile="gold gold metal metal glass stone")
    play(table, "take slot 1")
    assert (phase(table), market(table)) == ("second", "gold gold metal metal glass")
    play(table, "take slot 0")
    assert phase(table) == "develop"
    assert table.state_dict()["discard"] == {"gold": 1, "metal": 2, "glass": 1}


@pytest.mark.clause("ART-8.8", "ART-9.3")
def test_a_pass_ends_it_before_or_between():
    assert phase(play(opportunist(), "pass")) == "develop"
    table = play(opportunist(), "exchange slot 1 for textile")
    assert phase(play(table, "pass")) == "develop"


@pytest.mark.clause("ART-8.8")
def test_an_empty_market_leaves_the_pass_and_it_is_still_asked():
    table = opportunist(hands={1: "clay"}, market="- wood - - -", pile="")
    play(table, "take slot 1")
    assert phase(table) == "second"
    assert legal(table) == ["pass"]


@pytest.mark.clause("ART-8.8")
def test_a_craft_replaces_both_visits():
    table = play(opportunist(developed={1: MASK}, row=["Mask"]), "craft row 0")
    assert phase(table) == "develop"


@pytest.mark.clause("ART-8.8")
def test_opportunist_has_one_visit_in_ordinary_turns_and_none_after_taking_the_token():
    table = position(artisans=["opportunist", "gold_lover"])
    play(table, legal(table, "exchange")[0])
    assert (phase(table), table.seat) == ("turn", 1)
    table = play(position(artisans=["opportunist", "gold_lover"]), "take token")
    assert (phase(table), table.seat) == ("last", 1)
    play(table, legal(table, "exchange")[0])
    assert phase(table) == "develop"


@pytest.mark.clause("ART-8.8", "ART-4.9")
def test_the_two_visits_are_not_counted():
    table = opportunist(max_visits=1, visits={1: 1})
    play(table, legal(table, "exchange")[0], "pass")
    assert table.state_dict()["visits"]["player_1"] == 1


# ---- 8.9 Provident

DECK_1 = ["Lantern", "Icon", "Oven", "Seal", "Mosaic", "Mask", "Well", "Gate", "Mirror", "Mill"]


@pytest.mark.clause("ART-8.9")
def test_provident_is_asked_before_the_first_turn_of_round_1():
    table = open_game(3, ["gold_lover", "provident", "versatile"], deal={"deck_1": DECK_1})
    assert (phase(table), table.seat) == ("reserve", 1)
    assert legal(table) == ["reserve row 0", "reserve row 1", "reserve row 2", "reserve row 3", "pass"]
    play(table, "reserve row 1")
    assert (phase(table), table.seat) == ("turn", 0)
    assert table.state_dict()["reserved"] == "Icon"
    assert row(table) == ["Lantern", None, "Oven", "Seal"]


@pytest.mark.clause("ART-8.9", "ART-2.3")
def test_after_a_draft_too():
    table = play(open_game(2, "draft"), "choose gold_lover", "choose provident")
    assert (phase(table), table.seat) == ("reserve", 1)


@pytest.mark.clause("ART-8.9", "ART-9.3")
def test_reserving_nothing_is_asked_again_in_the_next_round():
    table = position(artisans=["provident", "gold_lover"], month=1, phase="reserve", row=["Mask"], first=1)
    play(table, "pass")
    assert (phase(table), table.seat) == ("turn", 1)
    play(table, "take token", "pass", "pass", "pass")
    assert (phase(table), table.seat) == ("reserve", 0)
    assert table.state_dict()["round_number"] == 2


@pytest.mark.clause("ART-8.9")
def test_the_place_is_filled_at_the_next_round_start():
    table = position(
        artisans=["provident", "gold_lover"], phase="reserve", row=["Mask", "Mill", "Well", "Gate"], deck_1=["Icon"]
    )
    play(table, "reserve row 2", "take token", "pass", "pass")
    assert row(table) == ["Mask", "Mill", None, "Gate"]
    play(table, "pass")
    assert row(table) == ["Mask", "Mill", "Icon", "Gate"]


@pytest.mark.clause("ART-8.9")
def test_not_asked_with_an_object_in_reserve_nor_of_an_empty_row():
    table = position(artisans=["provident", "gold_lover"], phase="develop", row=["Mask"], reserved="Mill")
    assert phase(play(table, "pass", "pass")) == "turn"
    table = position(artisans=["provident", "gold_lover"], phase="develop", deck_1=[], deck_2=[])
    assert phase(play(table, "pass", "pass")) == "turn"


@pytest.mark.clause("ART-8.9")
def test_only_the_provident_crafts_it():
    both = {"developed": {0: MASK, 1: MASK}, "reserved": "Mask"}
    assert legal(position(artisans=["provident", "gold_lover"], seat=0, **both), "craft") == ["craft reserved"]
    assert legal(position(artisans=["provident", "gold_lover"], seat=1, **both), "craft") == []


@pytest.mark.clause("ART-8.9", "ART-4.6")
@pytest.mark.parametrize("barred", [{"month": 2}, {"visits": {0: 1}}, {"crafted": [0]}, {"developed": {0: {"clay": (1, 1)}}}])
def test_crafting_it_is_bound_by_the_rules_of_crafting(barred):
    table = position(**{"artisans": ["provident", "gold_lover"], "developed": {0: MASK}, "reserved": "Mask", **barred})
    assert legal(table, "craft") == []


@pytest.mark.clause("ART-8.9")
def test_crafted_it_is_an_object_and_another_may_be_reserved():
    table = position(artisans=["provident", "gold_lover"], developed={0: MASK}, reserved="Mask", row=["Mill"])
    assert scores(table)[0] == 6 - 4
    play(table, "craft reserved")
    assert table.state_dict()["maker"]["Mask"] == "player_0"
    assert table.state_dict()["reserved"] is None
    assert scores(table)[0] == 6 + 4
    play(table, "take token", "pass", "pass", "pass")
    assert (phase(table), table.seat) == ("reserve", 0)


@pytest.mark.clause("ART-8.9", "ART-6.1")
def test_it_can_be_crafted_at_the_end():
    table = position(artisans=["provident", "gold_lover"], month=12, phase="finish", developed={0: MASK}, reserved="Mask")
    assert legal(table) == ["craft reserved", "pass"]
    play(table, "craft reserved", "pass")
    assert scores(table)[0] == 10


@pytest.mark.clause("ART-8.9", "ART-6.2")
def test_left_in_reserve_it_costs_its_points():
    table = position(artisans=["provident", "gold_lover"], month=12, phase="finish", reserved="Mill")
    pass_all(table, "over")
    assert scores(table) == [-6, 0]


@pytest.mark.clause("ART-8.9")
def test_it_cannot_be_given_back():
    table = position(artisans=["provident", "gold_lover"], reserved="Mill", row=["Mask"])
    assert not [name for name in legal(table) if "reserve" in name]
