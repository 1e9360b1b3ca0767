"""The draft of the Glass Festival."""

import pytest

from murano_env.components import CREATIONS

from .positions import hand, legal, lira, markets, open_game, phase, play

pytestmark = pytest.mark.rules


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
