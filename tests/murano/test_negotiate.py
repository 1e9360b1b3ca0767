"""Negotiate: Exchange, Buy, Sell, and the pass (MUR-5)."""

from collections import Counter

import pytest

from .positions import (
    USE,
    bench,
    edition,
    end_turn,
    legal,
    lira,
    markets,
    phase,
    play,
    position,
    warehouse,
    with_card,
    words,
)

pytestmark = pytest.mark.rules

NO_SHARDS = ("", "", "", "")


def negotiations(table):
    return table.state_dict()["negotiations"]


@pytest.mark.clause("MUR-5.1", "MUR-5.2", "MUR-5.3")
@pytest.mark.parametrize("actions", [["exchange red at market 0"], ["buy market 0"], ["sell red", "done"]])
def test_exactly_one_action_is_done_in_a_turn(actions):
    table = position(step="taken", benches={0: "RRGG"}, lira={0: 9})
    play(table, *actions)
    assert negotiations(table) == 1
    assert legal(table, "exchange", "buy", "sell", "done") == []
    assert "end turn" in legal(table)


# ---- 5.1 Exchange


@pytest.mark.clause("MUR-5.1")
def test_a_shard_goes_to_a_market_and_the_coloured_shards_of_its_segments_come():
    table = position(step="taken", benches={0: "BB"})
    stock = Counter(warehouse(table))
    play(table, "exchange blue at market 0")  # its segments: T R G
    assert bench(table) == "RGB"
    assert markets(table) == ["RB", "G", "Y", "B"]
    assert Counter(warehouse(table)) == stock - Counter("RG")
    assert lira(table) == 4


@pytest.mark.clause("MUR-5.1")
def test_any_own_kind_can_be_exchanged_at_any_market_with_a_free_place():
    table = position(step="taken", benches={0: "GTT"}, markets=("RRR", "GG", "", "YBT"))
    assert legal(table, "exchange") == [
        f"exchange {kind} at market {market}" for kind in ("green", "transparent") for market in (1, 2)
    ]


@pytest.mark.clause("MUR-5.1")
def test_a_transparent_shard_can_be_put_there():
    table = play(position(step="taken", benches={0: "T"}), "exchange transparent at market 3")
    assert markets(table)[3] == "BT"
    assert bench(table) == "GB"


@pytest.mark.clause("MUR-5.1")
def test_what_the_warehouse_lacks_is_not_replaced():
    table = position(step="taken", benches={0: "B", 1: "RRRRRRRR"}, markets=("RR", "", "", ""))
    play(table, "exchange blue at market 0")
    assert (bench(table), phase(table)) == ("G", "turn")


@pytest.mark.clause("MUR-5.1")
def test_the_shard_that_is_put_there_does_not_come_back():
    table = position(step="taken", benches={0: "R", 1: "RRRRRRRR"}, markets=("R", "", "", ""))
    play(table, "exchange red at market 0")
    assert bench(table) == "G"
    assert markets(table)[0] == "RR"


@pytest.mark.clause("MUR-5.1")
@pytest.mark.parametrize(("in_markets", "came"), [("R", "R"), ("", "RR")])
def test_with_one_left_for_two_segments_one_comes(in_markets, came):
    two_reds = edition(rings={"A": "RRTTTTTTTTTT", "B": "T" * 12})
    table = position(step="taken", benches={0: "B", 1: "RRRRRRRR"}, markets=(in_markets, "", "", ""), edition=two_reds)
    play(table, "exchange blue at market 0")
    assert bench(table) == came


@pytest.mark.clause("MUR-5.1")
def test_an_exchange_is_legal_even_if_nothing_comes():
    table = position(step="taken", benches={0: "B"}, edition=edition(rings={"A": "T" * 12, "B": "T" * 12}))
    play(table, "exchange blue at market 2")
    assert (bench(table), negotiations(table)) == ("", 1)


# ---- 5.2 Buy


@pytest.mark.clause("MUR-5.2")
def test_a_buy_costs_2_lira_and_brings_all_shards_of_the_market():
    table = position(step="taken", benches={0: "B"}, lira={0: 2}, markets=("RRT", "G", "", "B"))
    stock = warehouse(table)
    play(table, "buy market 0")
    assert (bench(table), lira(table)) == ("RRBT", 0)
    assert markets(table) == ["", "G", "", "B"]
    assert warehouse(table) == stock


@pytest.mark.clause("MUR-5.2")
@pytest.mark.parametrize(("own", "possible"), [(0, False), (1, False), (2, True), (9, True)])
def test_only_who_has_2_lira_can_buy(own, possible):
    table = position(step="taken", benches={0: "B"}, lira={0: own})
    assert bool(legal(table, "buy")) == possible


@pytest.mark.clause("MUR-5.2")
def test_an_empty_market_cannot_be_bought():
    table = position(step="taken", markets=("", "T", "", "RGB"))
    assert legal(table, "buy") == ["buy market 1", "buy market 3"]


# ---- 5.3 Sell


@pytest.mark.clause("MUR-5.3")
@pytest.mark.parametrize("sold", ["R", "RR", "RGT", "RRGT"])
def test_any_number_of_shards_are_sold_for_1_lira_in_all(sold):
    names = {"R": "red", "G": "green", "T": "transparent"}
    table = position(step="taken", benches={0: "RRGT"})
    stock = Counter(warehouse(table))
    for letter in sold:
        play(table, f"sell {names[letter]}")
        assert (phase(table), lira(table)) == ("sell", 4)
        assert "done" in legal(table)
    play(table, "done")
    assert (phase(table), lira(table)) == ("turn", 5)
    assert Counter(bench(table)) == Counter("RRGT") - Counter(sold)
    assert Counter(warehouse(table)) == stock + Counter(sold)


@pytest.mark.clause("MUR-5.3", "MUR-16.1")
def test_done_is_asked_even_if_the_workbench_is_empty():
    table = play(position(step="taken", benches={0: "G"}), "sell green")
    assert legal(table) == ["done"]


@pytest.mark.clause("MUR-5.3")
def test_at_least_one_shard_is_sold_and_only_kinds_that_are_there():
    table = position(step="taken", benches={0: "GT"})
    assert legal(table, "sell", "done") == ["sell green", "sell transparent"]
    play(table, "sell transparent")
    assert legal(table) == ["done", "sell green"]


# ---- 5.4 The pass


@pytest.mark.clause("MUR-5.4")
@pytest.mark.parametrize(
    ("own", "money", "there", "may_pass"),
    [
        ("", 1, ("R", "G", "Y", "B"), True),
        ("", 0, NO_SHARDS, True),
        ("", 9, NO_SHARDS, True),
        ("", 2, ("R", "G", "Y", "B"), False),
        ("R", 0, NO_SHARDS, False),
        ("T", 0, ("RRR", "GGG", "YYY", "BBB"), False),
    ],
)
def test_a_pass_is_open_only_if_no_action_is_possible(own, money, there, may_pass):
    table = position(step="taken", benches={0: own}, lira={0: money}, markets=there)
    assert ("done" in legal(table)) == may_pass
    assert bool(legal(table, "exchange", "buy", "sell")) != may_pass


@pytest.mark.clause("MUR-5.4")
@pytest.mark.parametrize("name", ["start", "turned"])
def test_there_is_no_pass_before_the_take(name):
    assert "done" not in legal(position(step=name, lira={0: 0}))


@pytest.mark.clause("MUR-5.4")
@pytest.mark.parametrize("card", [1, 3])
def test_no_advantage_has_to_be_used_to_avoid_a_pass(card):
    table = with_card(card, step="taken", lira={0: 0})
    assert legal(table) == ["done", USE]


@pytest.mark.clause("MUR-5.4", "MUR-3.3")
def test_a_pass_closes_collect_and_negotiate_and_opens_the_rest():
    table = position(
        step="taken",
        lira={0: 1},
        hands={0: ["Vase"]},
        advantages=[12, 10, 3, 1],
        works={0: ["Harlequin", "Earrings", "Tumbler", "Parrot"]},
    )
    assert words(table) == {"done", "turn", "reorder", "use"}
    play(table, "done")
    assert phase(table) == "turn"
    assert legal(table) == ["reorder to 2", "turn ring", "use animals with animals", "end turn"]
    assert lira(table) == 1


@pytest.mark.clause("MUR-5.4")
def test_shards_that_come_after_the_pass_cannot_be_negotiated_but_made_into_a_work():
    table = with_card(1, uses=2, step="passed", hands={0: ["Ruby pendant"]}, benches={0: "RR"})
    play(table, USE, "take red", USE, "take green")
    assert legal(table, "exchange", "sell", "buy", "done", "take") == []
    play(table, "make replacing none")
    assert lira(table) == 12


@pytest.mark.clause("MUR-5.4", "MUR-8.10")
def test_a_second_action_that_is_not_possible_just_lapses():
    table = with_card(10, step="negotiated", lira={0: 1})
    play(table, USE)
    assert lira(table) == 0
    assert legal(table) == ["end turn"]


@pytest.mark.clause("MUR-5.4", "MUR-8.10")
def test_privilege_before_the_first_action_does_not_take_the_pass_away():
    table = with_card(10, step="taken", lira={0: 2}, markets=NO_SHARDS)
    play(table, USE)
    assert legal(table, "done", "end") == ["done"]
    play(table, "done")
    assert legal(table, "done", "end") == ["end turn"]


@pytest.mark.clause("MUR-5.4", "MUR-4.2")
def test_a_pass_in_play():
    parts = {"benches": {1: "RRRRRRRR"}, "markets": ("RR", "", "", ""), "lira": {0: 1}}
    table = play(position(step="turned", selector=0, ring_offset=1, **parts), "take pair", "done", "done", "done")
    assert table.state_dict()["passed"]
    end_turn(table)
    assert table.seat == 1
