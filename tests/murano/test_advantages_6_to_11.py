"""The Advantage cards 6 to 11 (MUR-8): when each may be used and when not, its effect, its cost."""

from collections import Counter

import pytest

from .positions import (
    USE,
    bench,
    hand,
    legal,
    lira,
    markets,
    phase,
    play,
    position,
    selector,
    usable,
    warehouse,
    with_card,
    words,
)

pytestmark = pytest.mark.rules


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
