"""The sixteen Advantage cards (MUR-8): when each may be used and when not, its effect, its cost, the rules next to it."""

from collections import Counter

import pytest

from .positions import (
    USE,
    bench,
    edition,
    hand,
    legal,
    lira,
    markets,
    phase,
    play,
    position,
    ring,
    selector,
    used,
    warehouse,
    with_card,
    words,
)

pytestmark = pytest.mark.rules

NO_SHARDS = ("", "", "", "")
FULL = ("RRR", "GGG", "YYY", "BBB")


def usable(card, **parts):
    """Whether a card can be used in a position."""
    return USE in legal(with_card(card, **parts))


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


# ---- 8.6, 8.7 Gourmand, Gambler

FOLLOW_UPS = [(6, "bought"), (7, "sold")]


@pytest.mark.clause("MUR-8.6", "MUR-8.7")
@pytest.mark.parametrize(("card", "step"), FOLLOW_UPS)
def test_gourmand_and_gambler_bring_a_transparent_shard_once(card, step):
    table = with_card(card, uses=2, step=step, lira={0: 0})
    stock = Counter(warehouse(table))
    play(table, USE)
    assert (bench(table), lira(table), phase(table)) == ("T", 0, "turn")
    assert Counter(warehouse(table)) == stock - Counter("T")
    assert USE not in legal(table)


@pytest.mark.clause("MUR-8.6", "MUR-8.7")
@pytest.mark.parametrize("step", ["start", "turned", "taken", "negotiated", "bought", "sold", "passed"])
@pytest.mark.parametrize(("card", "after"), FOLLOW_UPS)
def test_gourmand_follows_a_buy_and_gambler_a_sell_and_nothing_else(card, after, step):
    assert usable(card, step=step) == (step == after)


@pytest.mark.clause("MUR-8.6", "MUR-8.7", "MUR-7.4")
@pytest.mark.parametrize(("card", "step"), FOLLOW_UPS)
def test_gourmand_and_gambler_need_a_transparent_shard_in_the_warehouse(card, step):
    assert usable(card, step=step, benches={1: "TTTTT"})
    assert not usable(card, step=step, benches={1: "TTTTTT"})


@pytest.mark.clause("MUR-8.6", "MUR-8.7")
@pytest.mark.parametrize(("card", "step"), FOLLOW_UPS)
def test_what_is_open_at_any_time_may_come_between(card, step):
    table = with_card(card, step=step)
    play(table, "turn ring", "reorder to 2")
    assert USE in legal(table)


@pytest.mark.clause("MUR-8.6", "MUR-4.3")
def test_the_shards_over_eight_of_the_buy_are_returned_first():
    table = with_card(6, step="taken", benches={0: "GGGGGGGG"})
    play(table, "buy market 0")
    assert legal(table) == ["give up red", "give up green"]
    play(table, "give up green", USE)
    assert (phase(table), bench(table)) == ("return", "RGGGGGGGT")


@pytest.mark.clause("MUR-8.7")
def test_gambler_may_take_a_transparent_shard_that_was_just_sold():
    table = with_card(7, step="taken", benches={0: "RT", 1: "TTTTT"})
    play(table, "sell red", "sell transparent", "done", USE)
    assert bench(table) == "T"


@pytest.mark.clause("MUR-8.7")
def test_gambler_waits_until_the_sell_is_done():
    table = with_card(7, step="taken", benches={0: "RR"})
    play(table, "sell red")
    assert legal(table) == ["done", "sell red"]


@pytest.mark.clause("MUR-8.6", "MUR-8.7", "MUR-8.10")
@pytest.mark.parametrize("card", [6, 7])
def test_the_next_action_takes_the_chance_away_and_may_bring_it_anew(card):
    action = {6: ["buy market 0"], 7: ["sell red", "done"]}[card]
    works = ["Earrings", "Harlequin", "Millefiori"]
    table = position(
        advantages=[card, 10, 14, 11], works={0: works}, step="taken", benches={0: "RR"}, markets=("R", "", "", ""), lira={0: 9}
    )
    play(table, "use jewels with jewels", *action)
    assert USE in legal(table)
    play(table, "exchange red at market 1")
    assert USE not in legal(table)
    table = position(
        advantages=[card, 10, 14, 11],
        works={0: works},
        step="taken",
        benches={0: "RR"},
        markets=("R", "B", "", ""),
        lira={0: 9},
    )
    second = {6: ["buy market 1"], 7: ["sell red", "done"]}[card]
    play(table, *action, "use jewels with jewels")
    play(table, USE)  # Privilege between does not matter
    assert USE not in legal(table)
    play(table, *second, USE)
    assert bench(table).count("T") == 2


# ---- 8.8 Magician


@pytest.mark.clause("MUR-8.8")
def test_magician_puts_the_hand_in_any_order_and_gains_1_lira_at_once():
    table = with_card(8)
    old = hand(table)
    play(table, USE)
    assert (phase(table), lira(table)) == ("magician", 5)
    assert legal(table) == [f"arrange {place}" for place in range(1, 6)]
    play(table, "arrange 4", "arrange 1")
    assert legal(table) == ["arrange 2", "arrange 3", "arrange 5"]
    assert hand(table) == old
    play(table, "arrange 5", "arrange 2")
    assert phase(table) == "turn"
    assert hand(table) == [old[3], old[0], old[4], old[1], old[2]]
    assert lira(table) == 5


@pytest.mark.clause("MUR-8.8")
def test_the_old_order_may_be_kept():
    table = with_card(8)
    old = hand(table)
    play(table, USE, "arrange 1", "arrange 2", "arrange 3", "arrange 4")
    assert hand(table) == old


@pytest.mark.clause("MUR-8.8")
def test_nothing_is_left_of_the_picks_when_the_hand_is_ordered():
    table = play(with_card(8), USE, "arrange 4", "arrange 3", "arrange 2", "arrange 1")
    assert table.state_dict()["arranged"] == []
    table.load_state_bytes(table.state_bytes())
    assert phase(table) == "turn"


@pytest.mark.clause("MUR-8.8", "MUR-16.1")
def test_with_two_cards_there_is_one_pick_and_the_last_card_follows():
    table = with_card(8, left={0: 2})
    old = hand(table)
    play(table, USE)
    assert legal(table) == ["arrange 1", "arrange 2"]
    play(table, "arrange 2")
    assert (phase(table), hand(table)) == ("turn", old[::-1])


@pytest.mark.clause("MUR-8.8")
@pytest.mark.parametrize("left", [0, 1])
def test_with_fewer_than_two_cards_magician_brings_only_the_lira(left):
    table = with_card(8, left={0: left}, step="negotiated")
    play(table, USE)
    assert (phase(table), lira(table)) == ("turn", 5)


@pytest.mark.clause("MUR-8.8", "MUR-6.1")
def test_a_card_that_magician_brings_to_position_1_can_be_made():
    table = with_card(8, step="negotiated", hands={0: ["Dolphin", "Vase"]}, benches={0: "RRYB"})
    play(table, USE, "arrange 2", "arrange 1", "arrange 3", "arrange 4", "make replacing none")
    assert "Vase" not in hand(table)


# ---- 8.9 Favouritism


@pytest.mark.clause("MUR-8.9")
def test_favouritism_gives_3_lira_for_a_transparent_shard():
    table = with_card(9, uses=3, benches={0: "RTT"})
    stock = Counter(warehouse(table))
    play(table, USE)
    assert (bench(table), lira(table), phase(table)) == ("RT", 7, "turn")
    assert Counter(warehouse(table)) == stock + Counter("T")
    play(table, USE)
    assert (bench(table), lira(table)) == ("R", 10)
    assert USE not in legal(table)


@pytest.mark.clause("MUR-8.9")
def test_favouritism_needs_a_transparent_shard_of_ones_own():
    assert not usable(9, benches={0: "RGYB", 1: "TT"})


@pytest.mark.clause("MUR-8.9", "MUR-5.2")
def test_the_lira_of_favouritism_can_be_spent_at_once():
    table = with_card(9, step="taken", benches={0: "T"}, lira={0: 0})
    assert legal(table, "buy") == []
    play(table, USE, "buy market 0")
    assert lira(table) == 1


# ---- 8.10 Privilege


@pytest.mark.clause("MUR-8.10")
def test_privilege_allows_two_actions_for_1_lira_also_two_alike():
    table = with_card(10, step="taken", benches={0: "RRR"})
    play(table, USE)
    assert lira(table) == 3
    play(table, "sell red", "done")
    assert {"exchange", "buy", "sell", "end"} <= words(table)
    play(table, "sell red", "done")
    assert legal(table, "exchange", "buy", "sell") == []
    assert lira(table) == 5


@pytest.mark.clause("MUR-8.10")
def test_two_exchanges_at_one_market_with_the_ring_turned_between():
    table = with_card(10, step="taken", benches={0: "BB"})
    play(table, USE, "exchange blue at market 0", "turn ring", "exchange blue at market 0")
    assert bench(table) == "RRGG"  # T R G, then R G T
    assert markets(table)[0] == "RBB"


@pytest.mark.clause("MUR-8.10")
def test_privilege_is_used_once_a_turn():
    table = with_card(10, uses=2, step="taken", benches={0: "RRR"})
    play(table, USE)
    assert USE not in legal(table)
    play(table, "sell red", "done")
    assert USE not in legal(table)


@pytest.mark.clause("MUR-8.10")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"step": "taken"}, True),
        ({"step": "negotiated"}, True),
        ({"step": "negotiated", "benches": {0: ""}, "lira": {0: 1}}, True),  # nothing could follow
        ({"step": "taken", "lira": {0: 0}}, False),
        ({"step": "start"}, False),
        ({"step": "turned"}, False),
        ({"step": "passed"}, False),
        ({"step": "negotiated", "state": {"works_made": 1}}, False),
    ],
)
def test_the_cost_and_the_time_alone_decide_whether_privilege_can_be_used(parts, expected):
    assert usable(10, **{"benches": {0: "R"}, **parts}) == expected


@pytest.mark.clause("MUR-8.10", "MUR-3.3")
def test_privilege_before_the_first_action_does_not_open_the_end_of_the_turn():
    table = with_card(10, step="taken", benches={0: "RRYB"}, hands={0: ["Vase"]})
    play(table, USE)
    assert legal(table, "make", "end", "take", "done") == []


@pytest.mark.clause("MUR-8.10")
def test_the_second_action_may_be_left_out_and_is_gone_in_the_next_turn():
    table = with_card(10, step="negotiated", benches={0: "RR", 1: "GG"})
    play(table, USE, "end turn", "turn selector", "take pair", "sell green", "done")
    assert legal(table, "exchange", "buy", "sell") == []


@pytest.mark.clause("MUR-8.10", "MUR-8.3", "MUR-8.4", "MUR-8.5")
@pytest.mark.parametrize(
    ("card", "steps"),
    [
        (3, [["buy market 0"], ["buy market 1"]]),
        (4, [["sell red", "done"], ["sell red", "sell red", "done"]]),
        (5, [["exchange red at market 0", "done"], ["exchange red at market 0", "take red", "done"]]),
    ],
)
def test_each_of_the_two_actions_may_have_a_card_of_its_own(card, steps):
    works = ["Earrings", "Harlequin", "Millefiori", "Paperweight"]
    table = position(advantages=[card, 10, 14, 11], works={0: works}, step="taken", benches={0: "RRRR"})
    play(table, "use jewels with jewels", USE, *steps[0])
    assert USE in legal(table)
    play(table, USE, *steps[1])
    assert USE not in legal(table)
    assert lira(table) == 3 + (8 if card == 4 else 0)


# ---- 8.11 Provident


@pytest.mark.clause("MUR-8.11")
def test_provident_leaves_the_selector_and_gains_1_lira():
    table = with_card(11, selector=1)
    play(table, USE)
    assert (selector(table), lira(table)) == (1, 5)
    assert legal(table, "turn selector") == []
    play(table, "take pair")
    assert bench(table) == "RG"  # notch 1: green, segment 1: red


@pytest.mark.clause("MUR-8.11")
@pytest.mark.parametrize("step", ["turned", "taken", "negotiated", "passed"])
def test_provident_is_too_late_once_the_selector_is_turned(step):
    assert usable(11, step="start")
    assert not usable(11, step=step)


@pytest.mark.clause("MUR-8.11")
def test_provident_comes_once_a_turn():
    table = play(with_card(11, uses=2), USE)
    assert USE not in legal(table)


@pytest.mark.clause("MUR-8.11", "MUR-8.12")
def test_provident_goes_with_repetition():
    table = position(advantages=[11, 12, 14, 6], works={0: ["Harlequin", "Earrings"]}, selector=1)
    play(table, USE, "use jewels with jewels", "take pair", "take pair")
    assert (bench(table), lira(table), selector(table)) == ("RRGG", 4, 1)


@pytest.mark.clause("MUR-8.11", "MUR-10.1")
def test_provident_can_be_used_in_solo():
    assert usable(11, players=1)


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
