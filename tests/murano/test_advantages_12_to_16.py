"""The Advantage cards 12 to 16, and all of them (MUR-8): when each may be used and when not, its effect, its cost."""

from collections import Counter

import pytest

from .positions import (
    USE,
    bench,
    legal,
    lira,
    markets,
    phase,
    play,
    position,
    ring,
    selector,
    usable,
    used,
    warehouse,
    with_card,
)

pytestmark = pytest.mark.rules

NO_SHARDS = ("", "", "", "")
FULL = ("RRR", "GGG", "YYY", "BBB")


# ---- 8.12 Repetition


@pytest.mark.clause("MUR-8.12")
@pytest.mark.parametrize("before", [[], ["turn selector"], ["turn selector", "take pair"]])
def test_repetition_takes_the_pair_twice_for_1_lira(before):
    table = with_card(12, selector=0)
    play(table, *before, USE)
    assert lira(table) == 3
    for action in ["turn selector", "take pair", "take pair"][len(before) :]:
        play(table, action)
    assert bench(table) == "RRGG"
    assert selector(table) == 1
    assert legal(table, "take pair", "turn selector") == []


@pytest.mark.clause("MUR-8.12")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"step": "start"}, True),
        ({"step": "taken", "lira": {0: 1}}, True),
        ({"lira": {0: 0}}, False),
        ({"step": "sold"}, False),
    ],
)
def test_the_cost_and_the_time_alone_decide_whether_repetition_can_be_used(parts, expected):
    assert usable(12, **parts) == expected


@pytest.mark.clause("MUR-8.12")
def test_repetition_is_used_once_a_turn():
    table = play(with_card(12, uses=2), USE)
    assert USE not in legal(table)
    play(table, "turn selector", "take pair", "take pair")
    assert USE not in legal(table)


@pytest.mark.clause("MUR-8.12", "MUR-7.2")
def test_the_ring_may_be_turned_between_the_takes():
    table = play(with_card(12, step="turned", selector=1), USE, "take pair", "turn ring", "take pair")
    assert bench(table) == "RGGG"  # segments 1 and 2: red, green


@pytest.mark.clause("MUR-8.12", "MUR-4.3")
def test_shards_over_eight_are_returned_after_each_take():
    table = with_card(12, step="turned", selector=1, benches={0: "YYYYYYYY"})
    play(table, USE, "take pair")
    assert len(bench(table)) == 10
    play(table, "give up yellow", "give up yellow", "take pair")
    assert (phase(table), bench(table)) == ("return", "RRGGYYYYYY")


@pytest.mark.clause("MUR-8.12", "MUR-4.2")
def test_each_take_is_from_the_warehouse_as_it_is_then():
    table = with_card(12, step="turned", selector=1, benches={1: "RRRRRRRR"}, markets=("R", "", "", ""))
    play(table, USE, "take pair")
    assert (phase(table), bench(table)) == ("turn", "RG")
    play(table, "take pair")
    assert (phase(table), bench(table)) == ("replace", "RGG")


@pytest.mark.clause("MUR-8.12", "MUR-3.2")
def test_negotiate_is_open_after_the_first_of_two_takes():
    table = play(with_card(12, step="turned"), USE, "take pair")
    assert {"take pair", "sell red", "exchange red at market 0"} <= set(legal(table))
    play(table, "sell red", "done")
    assert legal(table, "take") == []


# ---- 8.13 Traveller


@pytest.mark.clause("MUR-8.13")
def test_traveller_moves_a_shard_to_a_free_place_of_another_market():
    table = with_card(13, lira={0: 0}, markets=("RT", "GGG", "", "B"))
    play(table, USE)
    assert legal(table) == [
        "lift from market 0 red",
        "lift from market 0 transparent",
        "lift from market 1 green",
        "lift from market 3 blue",
    ]
    play(table, "lift from market 0 transparent")
    assert markets(table) == ["RT", "GGG", "", "B"]  # it stays until its goal is chosen
    assert legal(table) == ["choose market 2", "choose market 3"]
    play(table, "choose market 3")
    assert markets(table) == ["R", "GGG", "", "BT"]
    assert (phase(table), bench(table)) == ("turn", "")


@pytest.mark.clause("MUR-8.13")
def test_the_last_free_place_cannot_be_reached_from_its_own_market():
    table = play(with_card(13, markets=("RRR", "GGG", "YYY", "BB")), USE)
    assert legal(table) == ["lift from market 0 red", "lift from market 1 green", "lift from market 2 yellow"]
    play(table, "lift from market 1 green")
    assert legal(table) == ["choose market 3"]


@pytest.mark.clause("MUR-8.13", "MUR-7.4")
@pytest.mark.parametrize(
    ("there", "expected"),
    [(NO_SHARDS, False), (FULL, False), (("R", "", "", ""), True), (("RRR", "GGG", "YYY", ""), True)],
)
def test_traveller_needs_a_shard_and_a_free_place_elsewhere(there, expected):
    assert usable(13, markets=there) == expected


@pytest.mark.clause("MUR-8.13", "MUR-5.1")
def test_traveller_frees_a_place_for_an_exchange():
    table = with_card(13, step="taken", benches={0: "R"}, markets=("RRR", "", "", ""))
    assert "exchange red at market 0" not in legal(table)
    play(table, USE, "lift from market 0 red", "choose market 1", "exchange red at market 0")
    assert markets(table)[:2] == ["RRR", "R"]


# ---- 8.14 Quotation


def quotation(own="RRYB", first=("Vase",), **parts):
    """About to make works with Quotation under the tile of art."""
    return with_card(14, **{"step": "negotiated", "benches": {0: own}, "hands": {0: list(first)}, **parts})


@pytest.mark.clause("MUR-8.14")
def test_quotation_brings_2_lira_after_a_work_that_paid_8():
    table = quotation(uses=2)
    assert USE not in legal(table)
    play(table, "make replacing none", USE)
    assert lira(table) == 4 + 8 + 2
    assert USE not in legal(table)


@pytest.mark.clause("MUR-8.14")
@pytest.mark.parametrize("rest", ["G", "GG", "GGGG"])
def test_quotation_cannot_follow_a_work_that_paid_less(rest):
    table = play(quotation("RRYB" + rest), "make replacing none")
    assert USE not in legal(table)


@pytest.mark.clause("MUR-8.14", "MUR-6.3")
def test_the_2_lira_of_the_second_work_do_not_count():
    table = quotation("RRYBGG", state={"works_made": 1})
    play(table, "make replacing none")
    assert lira(table) == 4 + 6 + 2
    assert USE not in legal(table)
    table = quotation("RRYB", state={"works_made": 1})
    play(table, "make replacing none")
    assert lira(table) == 4 + 8 + 2
    assert USE in legal(table)


@pytest.mark.clause("MUR-8.14")
def test_the_next_work_takes_the_chance_away():
    table = quotation("RRYBG", state={"works_made": 1, "quotation": True})
    assert USE in legal(table)
    play(table, "make replacing none")
    assert lira(table) == 4 + 7 + 2
    assert USE not in legal(table)


@pytest.mark.clause("MUR-8.14")
def test_each_work_that_paid_8_has_a_quotation_of_its_own():
    table = quotation(uses=2, state={"works_made": 1, "quotation": True})
    play(table, USE, "make replacing none", USE)
    assert lira(table) == 4 + 2 + 8 + 2 + 2


@pytest.mark.clause("MUR-8.14", "MUR-7.3")
def test_a_work_may_be_set_aside_for_its_own_quotation():
    table = position(advantages=[14, 6, 7, 11], step="negotiated", hands={0: ["Harlequin"]}, benches={0: "RRGY"})
    play(table, "make replacing none", USE)
    assert lira(table) == 14
    assert used(table) == {"Harlequin"}


@pytest.mark.clause("MUR-8.14")
def test_quotation_is_open_after_the_last_card_of_the_hand():
    table = quotation(left={0: 1})
    play(table, "make replacing none", USE)
    assert lira(table) == 14


@pytest.mark.clause("MUR-8.14")
def test_quotation_is_over_with_the_turn():
    table = quotation(works={1: ["Paperweight"]})
    play(table, "make replacing none")
    assert USE in legal(table)
    play(table, "end turn")
    assert legal(table, "use") == []


@pytest.mark.clause("MUR-8.14", "MUR-11.5")
@pytest.mark.parametrize(("own", "choice", "expected"), [("RRYB", "none", True), ("RRYT", "b", False)])
def test_what_transparent_shards_cost_a_grandmaster_counts(own, choice, expected):
    table = quotation(own, grandmaster=True)
    play(table, f"make replacing {choice}")
    assert (USE in legal(table)) == expected


# ---- 8.15 Opportunist


@pytest.mark.clause("MUR-8.15")
def test_opportunist_exchanges_up_to_two_shards_with_the_warehouse_for_1_lira_in_all():
    table = with_card(15, benches={0: "RT"})
    stock = Counter(warehouse(table))
    play(table, USE)
    assert lira(table) == 3
    assert legal(table) == [
        *[f"swap red for {colour}" for colour in ("green", "yellow", "blue")],
        *[f"swap transparent for {colour}" for colour in ("red", "green", "yellow", "blue")],
    ]
    play(table, "swap transparent for blue")
    assert (phase(table), bench(table)) == ("opportunist_again", "RB")
    play(table, "swap blue for green")
    assert (phase(table), bench(table), lira(table)) == ("turn", "RG", 3)
    assert Counter(warehouse(table)) == stock + Counter("T") - Counter("G")


@pytest.mark.clause("MUR-8.15")
def test_the_second_exchange_may_be_left_out():
    table = play(with_card(15, benches={0: "R"}), USE, "swap red for blue", "done")
    assert (phase(table), bench(table), lira(table)) == ("turn", "B", 3)


@pytest.mark.clause("MUR-8.15")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"benches": {0: "R"}}, True),
        ({"benches": {0: "T"}, "lira": {0: 1}}, True),
        ({"benches": {0: "R"}, "lira": {0: 0}}, False),
        ({"benches": {0: ""}}, False),
    ],
)
def test_opportunist_needs_a_lira_and_a_shard(parts, expected):
    assert usable(15, **parts) == expected


ALMOST_EMPTY = {
    "players": 4,
    "benches": {0: "RRRRRRRR", 1: "GGGGGGGG", 2: "YYYYYYYY", 3: "BBBBBBBB"},
    "markets": ("GGY", "YBB", "TTT", "TTT"),
}
"""Two red shards are all that the Warehouse has."""


@pytest.mark.clause("MUR-8.15", "MUR-7.4")
def test_opportunist_needs_a_coloured_shard_of_another_kind_in_the_warehouse():
    assert warehouse(with_card(15, **ALMOST_EMPTY)) == "RR"
    assert not usable(15, **ALMOST_EMPTY)
    assert usable(15, turn=1, **ALMOST_EMPTY)


@pytest.mark.clause("MUR-8.15", "MUR-16.1")
def test_done_is_asked_even_if_no_second_exchange_is_possible():
    benches = {0: "TRRRRRRR", 1: "GGGGGGGG", 2: "YYYYYYYY", 3: "BBBBBBBB"}
    table = with_card(15, players=4, benches=benches, markets=("GGY", "YBB", "RTT", "RTT"))
    assert warehouse(table) == "RT"
    play(table, USE)
    assert legal(table) == ["swap transparent for red"]
    play(table, "swap transparent for red")
    assert legal(table) == ["done"]


@pytest.mark.clause("MUR-8.15")
def test_a_shard_that_was_returned_can_be_taken_back_by_the_second_exchange():
    table = play(with_card(15, benches={0: "R"}), USE, "swap red for blue", "swap blue for red")
    assert bench(table) == "R"


# ---- 8.16 Visionary


@pytest.mark.clause("MUR-8.16")
@pytest.mark.parametrize("steps", range(1, 12))
def test_visionary_turns_the_ring_to_any_other_position_for_nothing(steps):
    table = with_card(16, ring_offset=5, lira={0: 0})
    play(table, USE)
    assert legal(table) == [f"turn ring by {number}" for number in range(1, 12)]
    play(table, f"turn ring by {steps}")
    assert (ring(table), lira(table), phase(table)) == ((5 + steps) % 12, 0, "turn")


@pytest.mark.clause("MUR-8.16", "MUR-4.1")
def test_visionary_changes_the_pair_that_is_taken():
    table = play(with_card(16, step="turned", selector=0), USE, "turn ring by 4", "take pair")
    assert bench(table) == "RY"


# ---- All cards


@pytest.mark.clause("MUR-7.3")
@pytest.mark.parametrize("card", range(1, 21))
def test_every_card_can_be_used_in_some_position(card):
    steps = {6: "bought", 7: "sold", 10: "taken", 3: "taken", 4: "taken", 5: "taken", 14: "negotiated"}
    state = {"works_made": 1, "quotation": True} if card == 14 else {}
    table = with_card(card, step=steps.get(card, "start"), benches={0: "RT", 1: "G"}, state=state)
    assert legal(table, "use") == [USE]
    play(table, USE)
    assert used(table) == {"Harlequin"}
    assert legal(table, "use") == []
