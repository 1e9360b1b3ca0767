"""The turn and its first step: what is open when, Collect, missing shards, shards over eight (MUR-3, MUR-4)."""

from collections import Counter

import pytest

from .positions import (
    STEPS,
    USE,
    bench,
    edition,
    legal,
    lira,
    phase,
    play,
    position,
    ring,
    selector,
    warehouse,
    with_card,
    words,
)

pytestmark = pytest.mark.rules

ANY_TIME_CARDS = [1, 2, 8, 9, 13, 15, 16, 17, 18, 19, 20]
STAGES = [*STEPS, "worked"]
"""The steps of a turn, and after a work."""


def stage(name):
    """What `position` needs for a stage."""
    if name != "worked":
        return {"step": name}
    return {"step": "negotiated", "state": {"works_made": 1}}


# ---- 3.1 The order of the steps


@pytest.mark.clause("MUR-3.1", "MUR-4.1")
def test_collect_negotiate_and_create_come_in_this_order():
    table = position(hands={0: ["Vase"]}, benches={0: "RRYB"}, selector=11, advantages=[9, 14, 6, 7])
    assert words(table) == {"turn", "reorder"}
    assert legal(table, "turn") == ["turn selector", "turn ring"]
    play(table, "turn selector")
    assert words(table) == {"take", "turn", "reorder"}
    assert legal(table, "turn") == ["turn ring"]
    play(table, "take pair")
    assert words(table) == {"exchange", "buy", "sell", "turn", "reorder"}
    play(table, "exchange transparent at market 0")
    assert words(table) == {"make", "end", "turn", "reorder"}
    play(table, "make replacing none")
    assert words(table) == {"end", "turn", "reorder"}


@pytest.mark.clause("MUR-3.1", "MUR-7.1", "MUR-7.2")
@pytest.mark.parametrize("name", STAGES)
def test_ring_and_order_can_be_paid_for_at_any_stage(name):
    table = with_card(16, benches={0: "R"}, **stage(name))
    before = legal(table)
    assert {"turn ring", "reorder to 2", "reorder to 5", USE} <= set(before)
    play(table, "turn ring", "reorder to 3", "turn ring", "reorder to 2")
    assert lira(table) == 0
    assert legal(table) == [action for action in before if not action.startswith(("turn ring", "reorder", "buy"))]


@pytest.mark.clause("MUR-3.1", "MUR-7.3", "MUR-9.0")
@pytest.mark.parametrize("name", STAGES)
@pytest.mark.parametrize("card", ANY_TIME_CARDS)
def test_cards_for_any_time_can_be_used_at_any_stage(card, name):
    assert USE in legal(with_card(card, benches={0: "RT", 1: "G"}, **stage(name)))


@pytest.mark.clause("MUR-3.1")
@pytest.mark.parametrize("name", STAGES)
def test_after_an_advantage_the_turn_goes_on_where_it_was(name):
    table = with_card(16, benches={0: "RG"}, **stage(name))
    before = legal(table)
    play(table, USE, "turn ring by 7")
    assert legal(table) == [action for action in before if action != USE]
    assert phase(table) == "turn"


@pytest.mark.clause("MUR-3.1")
def test_any_time_actions_are_for_the_player_whose_turn_it_is():
    table = with_card(16, works={1: ["Fruit dish"]}, step="negotiated")
    play(table, "end turn")
    assert table.seat == 1
    assert legal(table, "use") == []
    assert "turn ring" in legal(table)


# ---- 3.2 What is open


@pytest.mark.clause("MUR-3.2", "MUR-8.12")
@pytest.mark.parametrize(
    ("name", "is_open"),
    [("start", True), ("turned", True), ("taken", True), ("negotiated", False), ("passed", False), ("worked", False)],
)
def test_collect_is_open_until_the_first_action_or_the_pass(name, is_open):
    assert (USE in legal(with_card(12, **stage(name)))) == is_open


@pytest.mark.clause("MUR-3.2", "MUR-8.12")
@pytest.mark.parametrize("card", [3, 4, 5, 10])
def test_collect_is_closed_by_the_use_of_a_card_of_negotiate(card):
    table = position(
        advantages=[12, card, 14, 6], works={0: ["Harlequin", "Earrings"]}, step="taken", benches={0: "RR"}, lira={0: 3}
    )
    assert USE in legal(table)
    play(table, "use jewels with jewels")
    assert table.state_dict()["collect_closed"]
    assert USE not in legal(table)


@pytest.mark.clause("MUR-3.2", "MUR-8.12")
def test_the_second_take_lapses_when_collect_closes():
    for closing in ("sell red", "exchange red at market 0", "buy market 0"):
        table = with_card(12, step="taken", benches={0: "RR"})
        play(table, USE)
        assert "take pair" in legal(table)
        play(table, closing)
        if phase(table) == "sell":
            play(table, "done")
        assert "take pair" not in legal(table)


@pytest.mark.clause("MUR-3.2")
@pytest.mark.parametrize("card", [3, 4, 5, 10])
@pytest.mark.parametrize(
    ("name", "is_open"), [("start", False), ("turned", False), ("taken", True), ("passed", False), ("worked", False)]
)
def test_negotiate_is_open_from_the_first_take_until_the_first_work_or_the_pass(card, name, is_open):
    assert (USE in legal(with_card(card, benches={0: "RR"}, **stage(name)))) == is_open


@pytest.mark.clause("MUR-3.2", "MUR-8.10")
def test_negotiate_stays_open_after_the_action_for_privilege():
    table = with_card(10, step="negotiated", benches={0: "RR"})
    assert legal(table, "exchange", "buy", "sell") == []
    play(table, USE)
    assert words(table) >= {"exchange", "buy", "sell", "end"}


@pytest.mark.clause("MUR-3.2", "MUR-8.6", "MUR-8.7")
@pytest.mark.parametrize(("card", "name"), [(6, "bought"), (7, "sold")])
def test_gourmand_and_gambler_follow_the_action_until_the_first_work(card, name):
    table = with_card(card, step=name, hands={0: ["Vase"]}, benches={0: "RRYBG"})
    assert USE in legal(table)
    play(table, "make replacing none")
    assert USE not in legal(table)


# ---- 3.3 Works and the end of the turn


@pytest.mark.clause("MUR-3.3")
@pytest.mark.parametrize("name", STEPS)
def test_works_and_the_end_of_the_turn_are_open_from_the_first_action_or_the_pass(name):
    table = position(step=name, hands={0: ["Vase"]}, benches={0: "RRYB"})
    is_open = name in ("negotiated", "bought", "sold", "passed")
    assert bool(legal(table, "make")) == is_open
    assert bool(legal(table, "end turn")) == is_open


@pytest.mark.clause("MUR-3.3")
def test_nobody_has_to_make_a_work():
    table = position(step="negotiated", hands={0: ["Vase"]}, benches={0: "RRYB"})
    play(table, "end turn")
    assert (table.seat, bench(table), lira(table)) == (1, "RRYB", 4)


@pytest.mark.clause("MUR-3.3", "MUR-8.10")
def test_works_are_open_before_the_second_action_of_privilege_which_then_lapses():
    table = with_card(10, step="negotiated", hands={0: ["Vase"]}, benches={0: "RRYBG"})
    play(table, USE, "make replacing none")
    assert legal(table, "exchange", "buy", "sell") == []


# ---- 3.4 A choice under way


def lacking_red(own=""):
    """The Warehouse has no red shard and the pair has one."""
    return position(step="turned", selector=0, ring_offset=3, benches={0: own, 1: "RRRRRRRR"}, markets=("RR", "", "", ""))


FULL_BENCH = {0: "RRRGGGYY"}
CHOICES = {
    "replace": (lambda: play(lacking_red(), "take pair"), {"take", "done"}),
    "return": (lambda: play(position(step="turned", benches=FULL_BENCH), "take pair"), {"give"}),
    "sell": (lambda: play(position(step="taken", benches={0: "RRG"}), "sell red"), {"sell", "done"}),
    "present": (lambda: play(with_card(1, step="taken"), USE), {"take"}),
    "gift": (lambda: play(with_card(2, step="negotiated"), USE), {"take"}),
    "free": (lambda: play(with_card(3, step="taken"), USE), {"buy"}),
    "merchant": (lambda: play(with_card(4, step="taken", benches={0: "R"}), USE), {"sell"}),
    "expert": (lambda: play(with_card(5, step="taken", benches={0: "R"}), USE), {"exchange"}),
    "expert_picks": (
        lambda: play(with_card(5, step="taken", benches={0: "R"}), USE, "exchange red at market 0"),
        {"take", "done"},
    ),
    "magician": (lambda: play(with_card(8), USE), {"arrange"}),
    "traveller": (lambda: play(with_card(13), USE), {"lift"}),
    "traveller_goal": (lambda: play(with_card(13), USE, "lift from market 0 red"), {"choose"}),
    "opportunist": (lambda: play(with_card(15, benches={0: "R"}), USE), {"swap"}),
    "opportunist_again": (lambda: play(with_card(15, benches={0: "R"}), USE, "swap red for blue"), {"swap", "done"}),
    "visionary": (lambda: play(with_card(16), USE), {"turn"}),
    "authoritarian": (lambda: play(with_card(17, benches={1: "R"}), USE), {"neighbour"}),
    "dealer": (lambda: play(with_card(18, benches={0: "R"}), USE), {"neighbour"}),
    "clumsiness": (lambda: play(with_card(19, benches={0: "R"}), USE), {"give"}),
    "collector": (lambda: play(with_card(20, benches={0: "R", 1: "G"}), USE), {"give"}),
    "collector_partner": (lambda: play(with_card(20, benches={0: "R", 1: "G"}), USE, "give up red"), {"neighbour"}),
    "challenge": (
        lambda: play(
            position(players=1, step="negotiated", challenge=["market", "ring", *["nothing"] * 2, "red", "blue"]), "end turn"
        ),
        {"choose"},
    ),
}


@pytest.mark.clause("MUR-3.4")
@pytest.mark.parametrize("name", CHOICES)
def test_while_a_choice_is_under_way_nothing_else_is_open(name):
    start, expected = CHOICES[name]
    table = start()
    assert phase(table) == name
    assert words(table) == expected
    assert {"turn ring", "turn selector", "take pair"}.isdisjoint(legal(table))


# ---- 4.1 Selector and pair


@pytest.mark.clause("MUR-4.1")
@pytest.mark.parametrize(("before", "after"), [(0, 1), (6, 7), (11, 0)])
def test_the_selector_is_turned_one_notch_clockwise_and_then_the_pair_is_taken(before, after):
    table = position(selector=before)
    play(table, "turn selector")
    assert selector(table) == after
    assert bench(table) == ""
    stock = Counter(warehouse(table))
    play(table, "take pair")
    assert len(bench(table)) == 2
    assert Counter(warehouse(table)) == stock - Counter(bench(table))
    assert legal(table, "take pair", "turn selector") == []


@pytest.mark.clause("MUR-4.1", "MUR-7.2")
def test_the_ring_may_be_turned_before_the_selector_and_before_the_take():
    table = position(selector=0)
    play(table, "turn ring", "turn selector", "turn ring", "turn ring", "take pair")
    assert ring(table) == 3
    assert bench(table) == "GY"  # notch 1 faces segment 4
    assert lira(table) == 1


# ---- 4.2 Missing shards


@pytest.mark.clause("MUR-4.2")
def test_for_a_missing_shard_any_kind_of_the_warehouse_may_be_chosen_or_none():
    table = play(lacking_red(), "take pair")
    assert bench(table) == "T"  # what is there has been taken
    assert legal(table) == ["take green", "take yellow", "take blue", "take transparent", "done"]
    play(table, "take transparent")
    assert bench(table) == "TT"
    assert phase(table) == "turn"
    table = play(lacking_red(), "take pair", "done")
    assert bench(table) == "T"
    assert "take pair" not in legal(table)


@pytest.mark.clause("MUR-4.2")
def test_each_missing_shard_is_a_decision_of_its_own():
    table = position(
        step="turned", selector=0, ring_offset=1, benches={1: "RRRRRRRR"}, markets=("RR", "", "", "")
    )  # notch 0 faces segment 1: red and red
    play(table, "take pair")
    assert (bench(table), phase(table)) == ("", "replace")
    play(table, "take blue")
    assert (bench(table), phase(table)) == ("B", "replace")
    play(table, "done")
    assert (bench(table), phase(table)) == ("B", "turn")


@pytest.mark.clause("MUR-4.2")
def test_of_a_pair_of_one_colour_with_one_left_one_is_taken_and_one_is_missing():
    table = position(step="turned", selector=0, ring_offset=1, benches={1: "RRRRRRRR"}, markets=("R", "", "", ""))
    play(table, "take pair")
    assert (bench(table), phase(table)) == ("R", "replace")
    assert "take red" not in legal(table)
    play(table, "take green")
    assert (bench(table), phase(table)) == ("RG", "turn")


@pytest.mark.clause("MUR-4.2")
def test_what_the_first_replacement_took_is_not_there_for_the_second():
    table = position(step="turned", selector=0, ring_offset=1, benches={1: "RRRRRRRR", 0: "TTTTT"}, markets=("RR", "", "", ""))
    play(table, "take pair", "take transparent")
    assert "take transparent" not in legal(table)
    play(table, "take yellow")
    assert bench(table) == "YTTTTTT"


@pytest.mark.clause("MUR-4.2")
def test_a_transparent_shard_can_be_missing_too():
    table = position(step="turned", selector=0, benches={1: "TTTTTT"})
    play(table, "take pair")
    assert (bench(table), phase(table)) == ("R", "replace")
    assert legal(table) == ["take red", "take green", "take yellow", "take blue", "done"]


# ---- 4.3 Shards over eight


@pytest.mark.clause("MUR-4.3", "MUR-1.1")
@pytest.mark.parametrize(("before", "returned"), [("RRRGGG", 0), ("RRRGGGY", 1), ("RRRGGGYY", 2)])
def test_shards_over_eight_are_returned_one_decision_each(before, returned):
    table = position(step="turned", selector=0, benches={0: before})
    play(table, "take pair")
    for _ in range(returned):
        assert phase(table) == "return"
        assert legal(table) == [f"give up {kind}" for kind in ("red", "green", "yellow", "transparent")]
        stock = Counter(warehouse(table))
        play(table, "give up green")
        assert Counter(warehouse(table)) == stock + Counter("G")
    assert phase(table) == "turn"
    assert len(bench(table)) == 8


@pytest.mark.clause("MUR-4.3", "MUR-4.2")
def test_they_are_counted_when_the_pair_and_its_replacements_are_complete():
    table = play(lacking_red(own="GGGGGGGG"), "take pair")
    assert (phase(table), len(bench(table))) == ("replace", 9)
    play(table, "take blue")
    assert (phase(table), bench(table)) == ("return", "GGGGGGGGBT")
    play(table, "give up blue", "give up transparent")
    assert (phase(table), bench(table)) == ("turn", "GGGGGGGG")


@pytest.mark.clause("MUR-4.3", "MUR-5.2")
def test_up_to_eleven_may_lie_there_after_a_buy():
    table = position(step="taken", benches={0: "GGGGGGGG"}, markets=("RYT", "", "", ""))
    play(table, "buy market 0")
    assert (phase(table), bench(table)) == ("return", "RGGGGGGGGYT")
    play(table, "give up green", "give up green", "give up green")
    assert (phase(table), bench(table)) == ("turn", "RGGGGGYT")


@pytest.mark.clause("MUR-4.3", "MUR-5.1")
def test_they_are_counted_after_all_of_an_exchange():
    table = position(step="taken", benches={0: "GGGGGGGG"}, edition=edition(rings={"A": "RYBTTTTTTTTT", "B": "T" * 12}))
    play(table, "exchange green at market 0")
    assert (phase(table), bench(table)) == ("return", "RGGGGGGGYB")
    play(table, "give up red", "give up green")
    assert (phase(table), bench(table)) == ("turn", "GGGGGGYB")


@pytest.mark.clause("MUR-4.3", "MUR-8.1", "MUR-8.2", "MUR-8.6", "MUR-8.7", "MUR-9.3")
@pytest.mark.parametrize(
    ("card", "name", "answer"),
    [
        (1, "taken", ["take red"]),
        (2, "taken", ["take blue"]),
        (6, "bought", []),
        (7, "sold", []),
        (17, "start", ["neighbour 1 blue"]),
    ],
)
def test_a_card_that_brings_a_ninth_shard_is_followed_by_a_return(card, name, answer):
    table = with_card(card, step=name, benches={0: "GGGGGGGG", 1: "B"})
    play(table, USE, *answer)
    assert (phase(table), table.seat, len(bench(table))) == ("return", 0, 9)
    play(table, "give up green")
    assert (phase(table), len(bench(table))) == ("turn", 8)


@pytest.mark.clause("MUR-4.3", "MUR-9.4")
@pytest.mark.parametrize("name", STAGES)
def test_another_player_returns_in_the_middle_of_the_turn_and_the_turn_goes_on(name):
    table = with_card(18, players=3, benches={0: "RG", 2: "YYYYBBBB"}, **stage(name))
    before = legal(table)
    play(table, USE, "neighbour 2 red")
    assert (phase(table), table.seat) == ("return", 2)
    assert legal(table) == ["give up red", "give up yellow", "give up blue"]
    play(table, "give up yellow")
    assert (phase(table), table.seat) == ("turn", 0)
    assert bench(table, 2) == "RYYYBBBB"
    gone = {action for action in before if action.split()[:2] in (["exchange", "red"], ["sell", "red"])} | {USE}
    assert legal(table) == [action for action in before if action not in gone]


@pytest.mark.clause("MUR-4.3")
def test_a_full_workbench_never_forbids_a_take():
    table = position(step="start", benches={0: "GGGGYYYY"})
    play(table, "turn selector", "take pair", "give up green", "give up green")
    assert {"exchange", "buy", "sell"} <= words(table)
    assert len(bench(table)) == 8
