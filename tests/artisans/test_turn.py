"""Rounds and turns (ART-3)."""

import pytest

from .positions import FULL, legal, market, next_object, open_game, phase, play, position, row

pytestmark = pytest.mark.rules


def end_round(table):
    """Both players pass in phase B."""
    return play(table, "pass", "pass")


@pytest.mark.clause("ART-3.1")
def test_a_round_starts_with_row_market_and_token():
    table = position(
        month=3,
        phase="develop",
        row=["Mask", None, "Mill", None],
        deck_1=["Icon", "Oven", "Seal"],
        pile="metal metal gold gold clay wood",
        visits={0: 2, 1: 1},
        crafted=[1],
    )
    end_round(table)
    plain = table.state_dict()
    assert plain["round_number"] == 4
    assert row(table) == ["Mask", "Icon", "Mill", "Oven"]  # (b): the lowest place first
    assert plain["deck_1"][-1] == "Seal"  # (c)
    assert market(table) == "metal metal gold gold clay"  # (d)
    assert plain["token_taken"] is False  # (e)
    assert plain["visits"] == {"player_0": 0, "player_1": 0}
    assert plain["crafted"] == {"player_0": False, "player_1": False}
    assert phase(table) == "turn"


@pytest.mark.clause("ART-3.1")
def test_in_round_7_the_rest_of_deck_1_leaves_the_game():
    table = position(
        month=6, phase="develop", row=["Mask", None], deck_1=["Icon", "Oven", "Seal"], deck_2=["Sail", "Shrine", "Regalia"]
    )
    end_round(table)
    plain = table.state_dict()
    assert plain["removed"] == ["Seal", "Oven", "Icon"]
    assert plain["deck_1"] == []
    assert row(table) == ["Mask", "Sail", "Shrine", "Regalia"]
    assert plain["deck_2"] == []


@pytest.mark.clause("ART-3.1")
def test_deck_1_stays_before_round_7():
    table = position(month=5, phase="develop", row=["Mask", "Mill", "Well", "Gate"], deck_1=["Icon", "Oven"])
    end_round(table)
    assert table.state_dict()["removed"] == []
    assert table.state_dict()["deck_1"] == ["Oven", "Icon"]


@pytest.mark.clause("ART-3.2")
def test_the_row_stays_when_decks_change():
    table = position(month=6, phase="develop", row=["Mask", "Mill", "Well", "Gate"], deck_2=["Sail"])
    end_round(table)
    assert row(table) == ["Mask", "Mill", "Well", "Gate"]
    assert table.state_dict()["deck_2"] == ["Sail"]


@pytest.mark.clause("ART-3.2")
def test_deck_2_goes_on_in_the_middle_of_filling_the_row_when_deck_1_runs_out():
    table = position(
        month=4, phase="develop", row=["Mask", None, None, None], deck_1=["Icon"], deck_2=["Sail", "Shrine", "Regalia"]
    )
    end_round(table)
    assert row(table) == ["Mask", "Icon", "Sail", "Shrine"]
    assert next_object(table) == "Regalia"


@pytest.mark.clause("ART-3.2")
def test_the_last_card_of_deck_1_lets_deck_2_show_its_top():
    table = position(month=4, phase="develop", row=["Mask", "Mill", "Well", None], deck_1=["Icon"], deck_2=["Sail", "Shrine"])
    end_round(table)
    assert row(table)[3] == "Icon"
    assert next_object(table) == "Sail"


@pytest.mark.clause("ART-3.2")
def test_without_cards_places_stay_empty_and_nothing_is_turned_up():
    table = position(month=8, phase="develop", row=["Mask", None, None, None], deck_1=[], deck_2=["Sail"])
    end_round(table)
    assert row(table) == ["Mask", "Sail", None, None]
    assert next_object(table) is None


@pytest.mark.clause("ART-3.3")
def test_player_0_is_first_in_round_1_and_the_taker_of_the_token_from_then_on():
    table = open_game(3)
    assert table.state_dict()["first_player"] == "player_0"
    assert table.seat == 0
    play(table, legal(table, "exchange")[0], "take token")
    assert table.state_dict()["first_player"] == "player_1"
    play(table, "pass", "pass")
    assert (phase(table), table.seat) == ("develop", 1)
    play(table, "pass", "pass", "pass")
    assert (phase(table), table.seat) == ("turn", 1)
    assert table.state_dict()["token_taken"] is False
    assert table.state_dict()["first_player"] == "player_1"


@pytest.mark.clause("ART-3.3")
def test_the_taker_of_the_last_token_begins_the_crafting_at_the_end():
    table = position(players=3, month=12, seat=2, first=0, hands=dict.fromkeys(range(3), FULL))
    play(table, "take token", "pass", "pass", "pass", "pass", "pass")
    assert (phase(table), table.seat) == ("finish", 2)


@pytest.mark.clause("ART-3.4")
def test_phase_b_follows_phase_a():
    table = position(seat=1)
    play(table, "take token", "pass")
    assert phase(table) == "develop"
    play(table, "pass", "pass")
    assert phase(table) == "turn"
