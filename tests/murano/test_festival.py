"""The Glass Festival: the draft and the interactive cards (MUR-9)."""

from collections import Counter

import pytest

from murano_env.components import ADVANTAGES, CREATIONS

from .positions import USE, bench, deals, hand, legal, lira, markets, open_game, phase, play, used, warehouse, with_card

pytestmark = pytest.mark.rules


# ---- 9.0 When

INTERACTIVE = [17, 18, 19, 20]


@pytest.mark.clause("MUR-9.0")
@pytest.mark.parametrize("step", ["start", "turned", "taken", "negotiated", "bought", "sold", "passed"])
@pytest.mark.parametrize("card", INTERACTIVE)
def test_interactive_cards_can_be_used_at_any_time_in_ones_own_turn(card, step):
    assert USE in legal(with_card(card, step=step, benches={0: "R", 1: "G"}))
    assert USE in legal(with_card(card, turn=1, step=step, benches={0: "R", 1: "G"}))


# ---- 9.1 The draft


def packs(table):
    return list(table.state_dict()["pack"].values())


def draft_first(table):
    """Every seat keeps the first card of its pack."""
    while phase(table) == "draft":
        play(table, f"draft card {CREATIONS.index(packs(table)[table.seat][0])}")
    return table


@pytest.mark.clause("MUR-9.1")
@pytest.mark.parametrize(
    ("players", "grandmaster", "dealt", "kept"),
    [(2, False, 7, 6), (3, False, 6, 5), (4, False, 6, 5), (2, True, 8, 7), (3, True, 7, 6)],
)
def test_one_card_more_than_a_hand_is_dealt_and_the_last_of_each_pack_goes_to_the_box(players, grandmaster, dealt, kept):
    table = open_game(players, draft=True, grandmaster=grandmaster, deal={"creations": list(CREATIONS)})
    assert packs(table) == [list(CREATIONS[dealt * seat : dealt * (seat + 1)]) for seat in range(players)]
    draft_first(table)
    assert len(table.history) == players * kept
    assert [len(hand(table, seat)) for seat in range(players)] == [kept] * players
    plain = table.state_dict()
    assert len(plain["box"]) == players
    assert packs(table) == [[]] * players
    everywhere = [*plain["deck"], *plain["box"], *[card for seat in range(players) for card in hand(table, seat)]]
    assert sorted(everywhere) == sorted(CREATIONS)


@pytest.mark.clause("MUR-9.1")
def test_seats_pick_in_their_order_and_packs_move_to_the_left_when_all_have():
    table = open_game(3, draft=True, deal={"creations": list(CREATIONS)})
    before = packs(table)
    assert legal(table) == [f"draft card {card}" for card in range(6)]
    play(table, "draft card 2")
    assert table.seat == 1
    assert packs(table)[1:] == before[1:]
    assert legal(table) == [f"draft card {card}" for card in range(6, 12)]
    play(table, "draft card 6")
    assert table.seat == 2
    play(table, "draft card 17")
    assert table.seat == 0
    left = [[card for card in pack if CREATIONS.index(card) not in (2, 6, 17)] for pack in before]
    assert packs(table) == [left[2], left[0], left[1]]
    assert legal(table) == [f"draft card {card}" for card in range(12, 17)]


@pytest.mark.clause("MUR-9.1", "MUR-2.2")
def test_the_card_kept_first_is_in_position_1():
    table = open_game(2, draft=True, deal={"creations": list(CREATIONS)})
    play(table, "draft card 6", "draft card 7", "draft card 13", "draft card 0")
    assert hand(table) == [CREATIONS[6], CREATIONS[13]]
    assert hand(table, 1) == [CREATIONS[7], CREATIONS[0]]
    first = hand(table)
    assert hand(draft_first(table))[:2] == first


@pytest.mark.clause("MUR-9.1")
def test_the_box_gets_the_card_that_is_left_in_each_pack():
    table = open_game(2, draft=True, deal={"creations": list(CREATIONS)})
    for _ in range(6):  # each keeps the largest number there is
        for _ in range(2):
            play(table, legal(table)[-1])
    assert set(table.state_dict()["box"]) == {CREATIONS[0], CREATIONS[7]}


@pytest.mark.clause("MUR-9.1")
@pytest.mark.parametrize("options", [{}, {"interactive": True}, {"grandmaster": True}], ids=str)
def test_all_other_parts_of_the_set_up_are_done_before_the_draft(options):
    table = open_game(2, draft=True, **options)
    plain = table.state_dict()
    assert phase(table) == "draft"
    assert sorted(markets(table)) == sorted("RGYB")
    assert lira(table) == 4
    before = {name: plain[name] for name in ("selector", "ring_offset", "advantage", "market", "gap_lira", "owl")}
    after = draft_first(table).state_dict()
    assert {name: after[name] for name in before} == before
    assert (after["phase"], after["seat"], after["turn"]) == ("turn", 0, "player_0")


@pytest.mark.clause("MUR-9.1")
def test_nothing_but_a_card_can_be_chosen_in_the_draft():
    assert legal(open_game(4, draft=True)) == legal(open_game(4, draft=True), "draft card")
    assert len(legal(open_game(4, draft=True))) == 6


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
    table = with_card(18, players=3, benches={0: "RT"}, lira={1: 0, 2: 2})
    play(table, USE)
    assert legal(table) == ["neighbour 2 red", "neighbour 2 transparent"]
    play(table, "neighbour 2 transparent")
    assert [lira(table, seat) for seat in range(3)] == [5, 0, 1]
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
