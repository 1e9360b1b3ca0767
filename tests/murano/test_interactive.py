"""The interactive cards of the Glass Festival."""

from collections import Counter

import pytest

from murano_env.components import ADVANTAGES

from .positions import USE, bench, deals, legal, lira, phase, play, used, warehouse, with_card

pytestmark = pytest.mark.rules


# ---- 9.0 When

INTERACTIVE = [17, 18, 19, 20]


@pytest.mark.clause("MUR-9.0")
@pytest.mark.parametrize("step", ["start", "turned", "taken", "negotiated", "bought", "sold", "passed"])
@pytest.mark.parametrize("card", INTERACTIVE)
def test_interactive_cards_can_be_used_at_any_time_in_ones_own_turn(card, step):
    assert USE in legal(with_card(card, step=step, benches={0: "R", 1: "G"}))
    assert USE in legal(with_card(card, turn=1, step=step, benches={0: "R", 1: "G"}))


# ---- 9.2 The draw


@pytest.mark.clause("MUR-9.2")
@pytest.mark.parametrize(
    ("options", "out"),
    [
        ({}, []),
        ({"draft": True}, []),
        ({"expert_deck": True}, ["present", "gift"]),
        ({"grandmaster": True}, ["provident"]),
        ({"grandmaster": True, "expert_deck": True}, ["present", "gift", "provident"]),
    ],
    ids=str,
)
def test_one_interactive_card_and_three_others_lie_at_random_under_the_tiles(options, out):
    drawn = deals(200, interactive=True, **options)["advantage"]
    assert ((drawn >= 16).sum(axis=1) == 1).all()
    assert all(len(set(cards)) == 4 for cards in drawn)
    assert {ADVANTAGES[card] for card in drawn.ravel()} == set(ADVANTAGES) - set(out)
    assert (drawn >= 16).sum(axis=0).min() > 20  # under every tile


# ---- 9.3 Authoritarian


@pytest.mark.clause("MUR-9.3")
def test_authoritarian_gives_1_lira_for_a_coloured_shard_of_another_player():
    table = with_card(17, players=3, benches={0: "R", 1: "GT", 2: "YYB"})
    play(table, USE)
    assert legal(table) == ["neighbour 1 green", "neighbour 2 yellow", "neighbour 2 blue"]
    play(table, "neighbour 2 yellow")
    assert [lira(table, seat) for seat in range(3)] == [3, 4, 5]
    assert [bench(table, seat) for seat in range(3)] == ["RY", "GT", "YB"]
    assert (phase(table), table.seat) == ("turn", 0)


@pytest.mark.clause("MUR-9.3")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"benches": {1: "G"}, "lira": {0: 1}}, True),
        ({"benches": {1: "G"}, "lira": {0: 0}}, False),
        ({"benches": {0: "G", 1: "TT"}}, False),
        ({"benches": {0: "G"}}, False),
    ],
)
def test_authoritarian_needs_a_lira_and_a_coloured_shard_elsewhere(parts, expected):
    assert (USE in legal(with_card(17, **parts))) == expected


@pytest.mark.clause("MUR-9.3", "MUR-4.3")
def test_the_user_of_authoritarian_may_have_to_return_a_shard():
    table = with_card(17, benches={0: "RRRRRRRR", 1: "G"})
    play(table, USE, "neighbour 1 green")
    assert (phase(table), table.seat) == ("return", 0)
    play(table, "give up green")
    assert bench(table) == "RRRRRRRR"


# ---- 9.4 Dealer


@pytest.mark.clause("MUR-9.4")
def test_dealer_takes_1_lira_and_gives_a_shard():
    table = with_card(18, players=3, benches={0: "RT"}, lira={1: 0, 2: 1})
    play(table, USE)
    assert legal(table) == ["neighbour 2 red", "neighbour 2 transparent"]
    play(table, "neighbour 2 transparent")
    assert [lira(table, seat) for seat in range(3)] == [5, 0, 0]
    assert [bench(table, seat) for seat in range(3)] == ["R", "", "T"]


@pytest.mark.clause("MUR-9.4")
@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"benches": {0: "T"}, "lira": {0: 0, 1: 1}}, True),
        ({"benches": {0: "T"}, "lira": {0: 9, 1: 0}}, False),
        ({"benches": {1: "T"}}, False),
    ],
)
def test_dealer_needs_a_shard_and_another_player_with_a_lira(parts, expected):
    assert (USE in legal(with_card(18, **parts))) == expected


@pytest.mark.clause("MUR-9.4", "MUR-4.3")
def test_the_other_player_of_dealer_may_have_to_return_a_shard_and_chooses_it():
    table = with_card(18, uses=2, benches={0: "RR", 1: "GGGGGGGG"})
    stock = Counter(warehouse(table))
    play(table, USE, "neighbour 1 red")
    assert (phase(table), table.seat, table.state_dict()["turn"]) == ("return", 1, "player_0")
    assert legal(table) == ["give up red", "give up green"]
    play(table, "give up red")
    assert (phase(table), table.seat) == ("turn", 0)
    assert Counter(warehouse(table)) == stock + Counter("R")
    play(table, USE, "neighbour 1 red", "give up green")
    assert bench(table, 1) == "RGGGGGGG"


# ---- 9.5 Clumsiness


@pytest.mark.clause("MUR-9.5")
@pytest.mark.parametrize("turn", range(4))
def test_clumsiness_asks_the_user_first_then_the_others_in_turn_order(turn):
    table = with_card(19, players=4, turn=turn, benches=dict.fromkeys(range(4), "RGT"), lira=dict.fromkeys(range(4), 0))
    stock = Counter(warehouse(table))
    play(table, USE)
    for steps in range(4):
        assert table.seat == (turn + steps) % 4
        assert legal(table) == ["give up red", "give up green", "give up transparent"]
        play(table, ["give up red", "give up green", "give up transparent"][steps % 3])
    assert (phase(table), table.seat) == ("turn", turn)
    assert Counter(warehouse(table)) == stock + Counter("RGTR")
    assert [lira(table, seat) for seat in range(4)] == [0] * 4


@pytest.mark.clause("MUR-9.5")
def test_those_without_a_shard_are_passed_over():
    table = play(with_card(19, players=4, benches={0: "R", 2: "G"}), USE)
    assert table.seat == 0
    play(table, "give up red")
    assert table.seat == 2
    play(table, "give up green")
    assert (phase(table), table.seat) == ("turn", 0)


@pytest.mark.clause("MUR-9.5")
def test_clumsiness_can_be_used_by_a_player_without_a_shard():
    table = play(with_card(19, players=3, turn=1, benches={0: "R"}), USE)
    assert (phase(table), table.seat) == ("clumsiness", 0)
    play(table, "give up red")
    assert (phase(table), table.seat) == ("turn", 1)


@pytest.mark.clause("MUR-9.5", "MUR-16.1")
def test_the_last_to_be_asked_may_be_the_user_alone():
    table = play(with_card(19, benches={0: "R"}), USE)
    assert legal(table) == ["give up red"]
    play(table, "give up red")
    assert (phase(table), table.seat) == ("turn", 0)


@pytest.mark.clause("MUR-9.5")
def test_clumsiness_needs_a_shard_somewhere():
    assert USE not in legal(with_card(19))
    assert USE in legal(with_card(19, benches={1: "T"}))


@pytest.mark.clause("MUR-9.5", "MUR-3.1")
def test_the_turn_goes_on_after_clumsiness():
    table = with_card(19, players=2, step="taken", benches={0: "RG", 1: "YY"})
    play(table, USE, "give up red", "give up yellow", "sell green", "done", "end turn")
    assert table.seat == 1


# ---- 9.6 Collector


@pytest.mark.clause("MUR-9.6")
def test_collector_exchanges_an_own_shard_for_one_of_another_player():
    table = with_card(20, players=3, benches={0: "RT", 1: "RG", 2: "T"})
    play(table, USE)
    assert legal(table) == ["give up red", "give up transparent"]
    play(table, "give up red")
    assert bench(table) == "RT"  # it stays until the other shard is chosen
    assert legal(table) == ["neighbour 1 green", "neighbour 2 transparent"]
    play(table, "neighbour 2 transparent")
    assert [bench(table, seat) for seat in range(3)] == ["TT", "RG", "R"]
    assert [lira(table, seat) for seat in range(3)] == [4, 4, 4]
    assert used(table) == {"Harlequin"}


@pytest.mark.clause("MUR-9.6")
def test_only_own_kinds_with_a_partner_are_offered():
    table = play(with_card(20, benches={0: "RG", 1: "RRR"}), USE)
    assert legal(table) == ["give up green"]


@pytest.mark.clause("MUR-9.6", "MUR-7.4")
@pytest.mark.parametrize(
    ("own", "other", "expected"), [("R", "G", True), ("R", "T", True), ("R", "RR", False), ("", "RG", False), ("RG", "", False)]
)
def test_collector_needs_two_different_kinds(own, other, expected):
    assert (USE in legal(with_card(20, benches={0: own, 1: other}, lira={0: 0}))) == expected


@pytest.mark.clause("MUR-9.6", "MUR-4.3")
def test_a_collection_never_makes_a_workbench_too_full():
    table = with_card(20, benches={0: "RRRRRRRR", 1: "GGGGGGGG"})
    play(table, USE, "give up red", "neighbour 1 green")
    assert (phase(table), bench(table), bench(table, 1)) == ("turn", "RRRRRRRG", "RGGGGGGG")
