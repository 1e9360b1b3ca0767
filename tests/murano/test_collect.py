"""Collect: the Selector, the pair, missing shards, shards over eight (MUR-4)."""

from collections import Counter

import pytest

from .positions import (
    STAGES,
    USE,
    bench,
    edition,
    lacking_red,
    legal,
    lira,
    phase,
    play,
    position,
    ring,
    selector,
    stage,
    warehouse,
    with_card,
    words,
)

pytestmark = pytest.mark.rules


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
