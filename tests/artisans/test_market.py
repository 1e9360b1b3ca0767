"""Phase A: market, crafting, token (ART-4)."""

import pytest

from .positions import FULL, hand, legal, market, phase, play, position, row

pytestmark = pytest.mark.rules

CLAY_2_GOLD_2 = {"clay": (1, 1), "gold": (1, 1)}
"""Developed cards that the Mask requires."""


@pytest.mark.clause("ART-4.1")
def test_a_turn_is_one_visit_one_craft_or_the_token():
    table = position(developed={0: CLAY_2_GOLD_2}, row=["Mask"])
    kinds = {name.split()[0] for name in legal(table)}
    assert kinds == {"exchange", "craft", "take"}
    assert legal(table, "take") == ["take token"]
    play(table, legal(table, "exchange")[0])
    assert (phase(table), table.seat) == ("turn", 1)


@pytest.mark.clause("ART-4.1")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_turns_go_clockwise(players):
    table = position(players=players, seat=players - 1)
    play(table, legal(table, "exchange")[0])
    assert table.seat == 0


@pytest.mark.clause("ART-4.2")
def test_with_six_cards_a_hand_card_takes_the_place_of_the_market_card():
    table = position(hands={0: "metal metal metal metal metal textile"}, market="clay wood stone glass gold")
    play(table, "exchange slot 2 for metal")
    assert market(table) == "clay wood metal glass gold"
    assert hand(table, 0) == {"metal": 4, "textile": 1, "stone": 1}


@pytest.mark.clause("ART-4.2")
def test_the_card_put_down_differs_from_both_neighbours():
    table = position(hands={0: "wood wood glass glass metal metal"}, market="clay wood stone glass gold")
    assert legal(table, "exchange slot 2") == ["exchange slot 2 for metal"]
    assert legal(table, "exchange slot 0") == ["exchange slot 0 for glass", "exchange slot 0 for metal"]


@pytest.mark.clause("ART-4.2")
def test_the_market_is_a_circle():
    table = position(hands={0: "clay clay gold gold metal metal"}, market="clay wood stone glass gold")
    assert legal(table, "exchange slot 0") == ["exchange slot 0 for clay", "exchange slot 0 for metal"]
    assert legal(table, "exchange slot 4") == ["exchange slot 4 for gold", "exchange slot 4 for metal"]


@pytest.mark.clause("ART-4.2")
def test_an_empty_neighbour_restricts_nothing():
    table = position(hands={0: "clay clay clay gold gold gold"}, market="- wood - glass gold")
    assert legal(table, "exchange slot 1") == ["exchange slot 1 for clay", "exchange slot 1 for gold"]
    assert legal(table, "exchange slot 3") == ["exchange slot 3 for clay"]
    assert not legal(table, "exchange slot 0", "exchange slot 2")


@pytest.mark.clause("ART-4.2")
def test_the_material_taken_may_be_put_down():
    table = position(hands={0: "clay clay clay clay clay clay"}, market="clay wood stone glass gold")
    play(table, "exchange slot 0 for clay")
    assert market(table) == "clay wood stone glass gold"
    assert table.state_dict()["visits"]["player_0"] == 1


@pytest.mark.clause("ART-4.2")
def test_with_six_cards_nothing_is_just_taken():
    assert legal(position(), "take slot") == []


@pytest.mark.clause("ART-4.3")
def test_with_fewer_than_six_a_card_is_taken_and_its_slot_stays_empty():
    table = position(hands={0: "metal"}, market="clay wood - glass gold")
    assert legal(table) == ["take slot 0", "take slot 1", "take slot 3", "take slot 4", "take token"]
    play(table, "take slot 1")
    assert market(table) == "clay - - glass gold"
    assert hand(table, 0) == {"metal": 1, "wood": 1}


@pytest.mark.clause("ART-4.4")
def test_an_emptied_market_is_filled_at_once():
    table = position(hands={0: "metal"}, market="- wood - - -", pile="gold gold clay metal glass stone")
    play(table, "take slot 1")
    assert market(table) == "gold gold clay metal glass"


@pytest.mark.clause("ART-4.4")
def test_it_is_filled_also_when_only_last_actions_are_left():
    table = position(
        players=3, phase="last", first=0, seat=1, hands={1: "metal"}, market="- wood - - -", pile="gold gold clay metal glass"
    )
    play(table, "take slot 1")
    assert (phase(table), table.seat) == ("last", 2)
    assert market(table) == "gold gold clay metal glass"


@pytest.mark.clause("ART-4.4")
def test_emptied_by_the_very_last_action_it_just_closes():
    table = position(
        phase="last", first=0, seat=1, hands={1: "metal"}, market="- wood - - -", pile="gold gold clay metal glass"
    )
    play(table, "take slot 1")
    assert phase(table) == "develop"
    assert market(table) == "- - - - -"
    assert len(table.state_dict()["pile"]) == 5


@pytest.mark.clause("ART-4.4")
def test_an_exchange_never_empties_the_market():
    table = position(hands={0: FULL}, market="- metal - - -", pile="gold gold clay metal glass")
    play(table, "exchange slot 1 for clay")
    assert market(table) == "- clay - - -"


@pytest.mark.clause("ART-4.5")
def test_the_discard_is_shuffled_only_when_another_card_is_needed():
    table = position(hands={0: "metal"}, market="wood - - - -", pile="gold gold clay metal glass", discard="stone stone")
    play(table, "take slot 0")
    assert market(table) == "gold gold clay metal glass"
    assert table.state_dict()["discard"] == {"stone": 2}
    assert table.state_dict()["pile"] == []


@pytest.mark.clause("ART-4.5")
def test_the_discard_becomes_the_pile_in_the_middle_of_a_reveal():
    orders = set()
    for seed in range(12):
        table = position(
            seed=seed, hands={0: "metal"}, market="wood - - - -", pile="gold gold", discard="stone clay clay glass textile"
        )
        play(table, "take slot 0")
        assert market(table).startswith("gold gold ")
        shown, left = market(table).split()[2:], table.state_dict()["pile"]
        assert sorted(shown + left) == ["clay", "clay", "glass", "stone", "textile"]
        assert table.state_dict()["discard"] == {}
        orders.add(tuple(shown + left))
    assert len(orders) > 1


@pytest.mark.clause("ART-4.5")
def test_with_pile_and_discard_empty_slots_stay_empty():
    table = position(hands={0: "metal"}, market="wood - - - -", pile="gold", discard="stone")
    play(table, "take slot 0")
    assert market(table) == "gold stone - - -"


@pytest.mark.clause("ART-4.5")
def test_so_they_do_at_the_start_of_a_round_and_the_token_is_left():
    table = position(phase="develop", hands={0: "metal", 1: "metal"}, pile="", row=["Mask"])
    play(table, "pass", "pass")
    assert market(table) == "- - - - -"
    assert legal(table) == ["take token"]
    play(table, "take token")
    assert legal(table) == ["pass"]


@pytest.mark.clause("ART-4.6")
@pytest.mark.parametrize(("month", "allowed"), [(1, []), (2, []), (3, ["craft row 0"]), (12, ["craft row 0"])])
def test_no_crafting_in_rounds_1_and_2(month, allowed):
    assert legal(position(month=month, developed={0: CLAY_2_GOLD_2}, row=["Mask"]), "craft") == allowed


@pytest.mark.clause("ART-4.6")
def test_not_after_a_visit_in_the_same_round():
    table = position(developed={0: CLAY_2_GOLD_2, 1: CLAY_2_GOLD_2}, row=["Mask"])
    play(table, legal(table, "exchange")[0])
    assert legal(table, "craft") == ["craft row 0"]
    play(table, legal(table, "exchange")[0])
    assert legal(table, "craft") == []


@pytest.mark.clause("ART-4.6")
def test_one_object_per_player_and_round():
    assert legal(position(developed={0: CLAY_2_GOLD_2}, row=["Mask"], crafted=[0]), "craft") == []
    assert legal(position(developed={0: CLAY_2_GOLD_2}, row=["Mask"], crafted=[1]), "craft") == ["craft row 0"]


@pytest.mark.clause("ART-4.6")
@pytest.mark.parametrize(
    ("developed", "allowed"),
    [
        ({"clay": (1, 1), "gold": (1, 1)}, True),
        ({"clay": (3, 2, 1), "gold": (1, 1, 1, 1)}, True),
        ({"clay": (6,), "gold": (1, 1)}, False),
        ({"clay": (1, 1), "gold": (1,)}, False),
        ({"clay": (1, 1)}, False),
        ({}, False),
    ],
)
def test_every_material_is_developed_to_its_level(developed, allowed):
    assert (legal(position(developed={0: developed}, row=[None, "Mask"]), "craft") == ["craft row 1"]) == allowed


@pytest.mark.clause("ART-4.6")
def test_the_object_is_kept_nothing_is_spent_and_the_row_not_filled():
    table = position(developed={0: CLAY_2_GOLD_2}, row=["Mask", "Mill"], deck_1=["Icon"])
    before = table.state_dict()
    play(table, "craft row 0")
    after = table.state_dict()
    assert after["maker"]["Mask"] == "player_0"
    assert row(table) == [None, "Mill", None, None]
    for same in ("developed", "hand", "market", "deck_1", "pile"):
        assert after[same] == before[same]
    assert (phase(table), table.seat) == ("turn", 1)


@pytest.mark.clause("ART-4.6")
def test_in_later_turns_who_crafted_may_visit_or_take_the_token():
    table = position(developed={0: CLAY_2_GOLD_2}, row=["Mask", "Mosaic"])
    play(table, "craft row 0", legal(table, "exchange")[0])
    assert {name.split()[0] for name in legal(table)} == {"exchange", "take"}


@pytest.mark.clause("ART-4.7")
def test_the_token_can_be_taken_in_the_first_turn_and_gives_the_others_one_last_action():
    table = position(players=4, seat=2, first=1, month=1)
    play(table, "take token")
    for seat in (3, 0, 1):
        assert (phase(table), table.seat) == ("last", seat)
        assert "pass" in legal(table)
        assert "take token" not in legal(table)
        play(table, legal(table, "exchange")[0])
    assert (phase(table), table.seat) == ("develop", 2)


@pytest.mark.clause("ART-4.7")
def test_a_last_action_may_be_a_craft_if_the_player_has_not_visited():
    table = position(phase="last", first=0, seat=1, developed={1: CLAY_2_GOLD_2}, row=["Mask"])
    assert legal(table, "craft") == ["craft row 0"]
    play(table, "craft row 0")
    assert phase(table) == "develop"
    for barred in ({"visits": {1: 1}}, {"crafted": [1]}, {"month": 2}):
        table = position(phase="last", first=0, seat=1, developed={1: CLAY_2_GOLD_2}, row=["Mask"], **barred)
        assert legal(table, "craft") == []
        assert "pass" in legal(table)
        assert legal(table, "exchange")


@pytest.mark.clause("ART-4.7")
def test_nobody_passes_before_the_token_is_taken():
    assert "pass" not in legal(position())
    assert "pass" not in legal(position(hands={0: ""}))


@pytest.mark.clause("ART-4.7")
def test_a_last_visit_with_fewer_than_six_cards():
    table = position(phase="last", first=0, seat=1, hands={1: "clay"}, market="clay - - glass gold")
    assert legal(table) == ["take slot 0", "take slot 3", "take slot 4", "pass"]


@pytest.mark.clause("ART-4.8")
def test_what_is_left_in_the_market_is_discarded():
    table = position(phase="last", first=0, seat=1, market="clay wood - clay gold", discard="clay metal")
    play(table, "pass")
    assert table.state_dict()["discard"] == {"clay": 3, "wood": 1, "gold": 1, "metal": 1}
    assert market(table) == "- - - - -"


@pytest.mark.clause("ART-4.9")
def test_after_max_visits_the_token_must_be_taken():
    table = position(max_visits=2, visits={0: 1})
    assert legal(table, "exchange")
    play(table, legal(table, "exchange")[0], legal(table, "exchange")[0])
    assert table.seat == 0
    assert legal(table) == ["take token"]


@pytest.mark.clause("ART-4.9")
def test_last_actions_are_neither_counted_nor_barred():
    table = position(players=3, max_visits=1, visits={0: 1, 1: 1}, seat=0)
    play(table, "take token")
    assert legal(table, "exchange")
    play(table, legal(table, "exchange")[0])
    assert table.state_dict()["visits"]["player_1"] == 1


@pytest.mark.clause("ART-4.9")
def test_visits_are_counted_anew_each_round():
    table = position(phase="develop", visits={0: 12, 1: 3}, pile="gold gold clay metal glass")
    play(table, "pass", "pass")
    assert legal(table, "exchange")


@pytest.mark.clause("ART-4.9")
def test_every_game_ends_even_with_few_visits_or_many():
    for visits in (1, 30):
        table = position(max_visits=visits)
        for _ in range(2 * visits):
            if legal(table, "exchange"):
                play(table, legal(table, "exchange")[0])
        assert legal(table) == ["take token"]
