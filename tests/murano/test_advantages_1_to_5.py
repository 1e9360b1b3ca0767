"""The Advantage cards 1 to 5 (MUR-8): when each may be used and when not, its effect, its cost."""

from collections import Counter

import pytest

from .positions import USE, bench, edition, legal, lira, markets, phase, play, position, usable, warehouse, with_card

pytestmark = pytest.mark.rules

NO_SHARDS = ("", "", "", "")
FULL = ("RRR", "GGG", "YYY", "BBB")


# ---- 8.1, 8.2 Present, Gift


@pytest.mark.clause("MUR-8.1", "MUR-8.2")
@pytest.mark.parametrize(("card", "colours"), [(1, ["red", "green"]), (2, ["yellow", "blue"])])
def test_present_and_gift_bring_one_of_two_colours_for_nothing(card, colours):
    for colour in colours:
        table = with_card(card, lira={0: 0})
        stock = Counter(warehouse(table))
        play(table, USE)
        assert legal(table) == [f"take {each}" for each in colours]
        play(table, f"take {colour}")
        assert bench(table) == colour[0].upper()
        assert Counter(warehouse(table)) == stock - Counter(bench(table))
        assert (phase(table), lira(table)) == ("turn", 0)


@pytest.mark.clause("MUR-8.1", "MUR-8.2")
@pytest.mark.parametrize(("card", "gone", "left"), [(1, "R", "green"), (1, "G", "red"), (2, "Y", "blue"), (2, "B", "yellow")])
def test_present_and_gift_offer_what_the_warehouse_has(card, gone, left):
    table = with_card(card, benches={1: gone * 8}, markets=(gone * 2, "", "", ""))
    play(table, USE)
    assert legal(table) == [f"take {left}"]


@pytest.mark.clause("MUR-8.1", "MUR-8.2", "MUR-7.4")
@pytest.mark.parametrize(("card", "gone"), [(1, "RG"), (2, "YB")])
def test_present_and_gift_need_one_of_the_two_in_the_warehouse(card, gone):
    one, other = gone
    stacks = {"benches": {1: one * 8}, "markets": (one * 2, other * 3, other * 3, other * 3)}
    assert usable(card, **stacks)
    assert not usable(card, **{**stacks, "benches": {0: other, 1: one * 8}})


# ---- 8.3 Free


@pytest.mark.clause("MUR-8.3")
def test_free_is_a_buy_that_costs_nothing():
    table = with_card(3, step="taken", lira={0: 0}, markets=("RT", "", "Y", ""))
    play(table, USE)
    assert legal(table) == ["buy market 0", "buy market 2"]
    play(table, "buy market 0")
    assert (bench(table), lira(table)) == ("RT", 0)
    assert markets(table) == ["", "", "Y", ""]
    assert legal(table, "exchange", "buy", "sell") == []
    assert "end turn" in legal(table)


@pytest.mark.clause("MUR-8.3")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"step": "taken"}, True),
        ({"step": "start"}, False),
        ({"step": "turned"}, False),
        ({"step": "negotiated"}, False),
        ({"step": "passed"}, False),
        ({"step": "taken", "markets": NO_SHARDS}, False),
    ],
)
def test_free_needs_an_action_that_is_left_and_a_market_with_a_shard(parts, expected):
    assert usable(3, **parts) == expected


@pytest.mark.clause("MUR-8.3", "MUR-8.6")
def test_gourmand_follows_a_free_buy():
    table = position(advantages=[3, 6, 14, 7], works={0: ["Harlequin", "Earrings"]}, step="taken", lira={0: 0})
    play(table, USE, "buy market 1", "use jewels with jewels")
    assert bench(table) == "GT"


@pytest.mark.clause("MUR-8.3", "MUR-4.3")
def test_a_free_buy_over_eight_is_followed_by_returns():
    table = with_card(3, step="taken", benches={0: "RRRRRRRR"}, markets=("GGG", "", "", ""))
    play(table, USE, "buy market 0")
    assert (phase(table), len(bench(table))) == ("return", 11)


# ---- 8.4 Merchant


@pytest.mark.clause("MUR-8.4")
@pytest.mark.parametrize("sold", [["red"], ["red", "green", "red"]])
def test_merchant_is_a_sell_that_pays_4_lira(sold):
    table = with_card(4, step="taken", benches={0: "RRGB"})
    play(table, USE)
    assert legal(table) == ["sell red", "sell green", "sell blue"]
    play(table, *[f"sell {colour}" for colour in sold])
    assert lira(table) == 4
    play(table, "done")
    assert lira(table) == 8
    assert len(bench(table)) == 4 - len(sold)
    assert legal(table, "exchange", "buy", "sell") == []


@pytest.mark.clause("MUR-8.4")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"step": "taken", "benches": {0: "T"}}, True),
        ({"step": "taken", "benches": {1: "T"}}, False),
        ({"step": "turned", "benches": {0: "T"}}, False),
        ({"step": "negotiated", "benches": {0: "T"}}, False),
        ({"step": "passed", "benches": {0: "T"}}, False),
    ],
)
def test_merchant_needs_an_action_that_is_left_and_a_shard(parts, expected):
    assert usable(4, **parts) == expected


@pytest.mark.clause("MUR-8.4", "MUR-8.7")
def test_gambler_follows_a_merchants_sell():
    table = position(advantages=[4, 7, 14, 6], works={0: ["Harlequin", "Earrings"]}, step="taken", benches={0: "R"})
    play(table, USE, "sell red", "done", "use jewels with jewels")
    assert (bench(table), lira(table)) == ("T", 8)


@pytest.mark.clause("MUR-8.4", "MUR-8.10")
def test_a_sell_after_a_merchants_pays_1_lira_again():
    table = position(advantages=[4, 10, 14, 6], works={0: ["Harlequin", "Earrings"]}, step="taken", benches={0: "RR"})
    play(table, USE, "sell red", "done", "use jewels with jewels", "sell red", "done")
    assert lira(table) == 4 + 4 - 1 + 1


# ---- 8.5 Expert


def expert(**parts):
    """Expert has been used; with ring face B and offset 0 market 0 is connected with T T R, market 1 with G T Y."""
    return play(with_card(5, **{"step": "taken", "benches": {0: "B"}, "ring": "B", **parts}), USE)


@pytest.mark.clause("MUR-8.5")
def test_expert_picks_as_many_of_the_connected_shards_as_wanted():
    table = play(expert(), "exchange blue at market 1")
    assert markets(table)[1] == "GB"
    assert (phase(table), bench(table)) == ("expert_picks", "")
    assert legal(table) == ["take green", "take yellow", "take transparent", "done"]
    play(table, "take transparent")
    assert legal(table) == ["take green", "take yellow", "done"]
    play(table, "take yellow", "done")
    assert (phase(table), bench(table)) == ("turn", "YT")
    assert legal(table, "exchange", "buy", "sell") == []


@pytest.mark.clause("MUR-8.5")
def test_expert_takes_one_transparent_shard_at_most():
    table = play(expert(), "exchange blue at market 0")
    assert legal(table) == ["take red", "take transparent", "done"]
    play(table, "take transparent")
    assert legal(table) == ["take red", "done"]


@pytest.mark.clause("MUR-8.5")
def test_expert_picks_each_segment_once():
    table = play(expert(edition=edition(rings={"A": "T" * 12, "B": "RRYTTTTTTTTT"})), "exchange blue at market 0")
    play(table, "take red")
    assert legal(table) == ["take red", "take yellow", "done"]
    play(table, "take red")
    assert legal(table) == ["take yellow", "done"]


@pytest.mark.clause("MUR-8.5")
def test_expert_may_be_done_without_a_pick():
    table = play(expert(), "exchange blue at market 1", "done")
    assert (phase(table), bench(table)) == ("turn", "")
    assert "end turn" in legal(table)


@pytest.mark.clause("MUR-8.5", "MUR-16.1")
def test_expert_is_asked_for_done_when_nothing_is_left_to_pick():
    table = play(expert(), "exchange blue at market 1", "take green", "take yellow", "take transparent")
    assert legal(table) == ["done"]


@pytest.mark.clause("MUR-8.5")
def test_expert_picks_only_what_the_warehouse_has():
    table = play(expert(benches={0: "B", 1: "GGGGGGGG"}, markets=("GG", "", "", "")), "exchange blue at market 1")
    assert legal(table) == ["take yellow", "take transparent", "done"]
    table = play(expert(benches={0: "B", 1: "TTTTTT"}), "exchange blue at market 1")
    assert legal(table) == ["take green", "take yellow", "done"]


@pytest.mark.clause("MUR-8.5")
def test_a_transparent_shard_that_was_put_on_the_market_is_not_in_the_warehouse():
    table = play(expert(benches={0: "TTTTTT"}), "exchange transparent at market 0")
    assert legal(table) == ["take red", "done"]


@pytest.mark.clause("MUR-8.5", "MUR-4.3")
def test_an_expert_returns_shards_over_eight_after_the_picks():
    table = play(expert(benches={0: "BBBBBBBB"}), "exchange blue at market 1", "take green", "take yellow")
    assert (phase(table), len(bench(table))) == ("expert_picks", 9)
    play(table, "take transparent", "done")
    assert (phase(table), len(bench(table))) == ("return", 10)
    play(table, "give up blue", "give up blue")
    assert bench(table) == "GYBBBBBT"


@pytest.mark.clause("MUR-8.5")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"step": "taken", "benches": {0: "B"}}, True),
        ({"step": "taken", "benches": {0: ""}}, False),
        ({"step": "taken", "benches": {0: "B"}, "markets": FULL}, False),
        ({"step": "turned", "benches": {0: "B"}}, False),
        ({"step": "negotiated", "benches": {0: "B"}}, False),
        ({"step": "passed", "benches": {0: "B"}}, False),
    ],
)
def test_expert_needs_an_action_that_is_left_and_an_exchange_that_is_possible(parts, expected):
    assert usable(5, **parts) == expected


@pytest.mark.clause("MUR-8.5")
def test_an_ordinary_exchange_under_the_same_tile_brings_all_colours_and_no_choice():
    table = play(with_card(5, step="taken", benches={0: "B"}, ring="B"), "exchange blue at market 1")
    assert (phase(table), bench(table)) == ("turn", "GY")
