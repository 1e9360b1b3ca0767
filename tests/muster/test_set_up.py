"""MUS-2: the deal and the places on the table."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from cardtable.engine import loops
from cardtable.engine.jit import as_games
from cardtable.errors import DealError

from .positions import BANNERS, CARDS, FULL_DECK, GAME, castle_space, column, fresh, hand, offered, pile, play, position

pytestmark = pytest.mark.rules

DECK = sorted(FULL_DECK.elements(), key=lambda card: (card[-1], card))


def deck_of(table):
    """The deck that a game was dealt from is the pile under both hands: what can be told of it after the deal."""
    return (tuple(sorted(hand(table, 0).elements())), tuple(sorted(hand(table, 1).elements())), tuple(pile(table)))


@pytest.mark.clause("MUS-2.1")
def test_the_deck_is_dealt_from_the_top():
    table = fresh()
    table.deal(0, deal={"deck": DECK})
    assert hand(table, 0) == Counter(DECK[:5])
    assert hand(table, 1) == Counter(DECK[5:10])
    assert pile(table) == DECK[10:]


@pytest.mark.clause("MUS-2.1")
def test_the_first_card_drawn_is_the_eleventh_of_the_deck():
    table = fresh()
    table.deal(0, deal={"deck": DECK})
    play(table, offered(table, "lay")[0], "draw from pile")
    assert hand(table, 0)[DECK[10]] >= 1
    assert pile(table) == DECK[11:]


@pytest.mark.clause("MUS-2.1")
@pytest.mark.parametrize("change", [["water 1"], []])
def test_a_deck_of_other_cards_is_refused(change):
    with pytest.raises(DealError, match="deck"):
        fresh().deal(0, deal={"deck": DECK[1:] + change * 2})


@pytest.mark.clause("MUS-2.1")
def test_player_0_starts():
    table = fresh()
    starters = set()
    for seed in range(8):
        table.deal(seed)
        starters.add(table.seat)
    assert starters == {0}


@pytest.mark.clause("MUS-2.1")
def test_hands_of_five_and_a_pile_of_thirty_seven():
    table = fresh()
    assert [hand(table, 0).total(), hand(table, 1).total(), len(pile(table))] == [5, 5, 37]


@pytest.mark.clause("MUS-2.1")
def test_a_seed_gives_one_deal_and_seeds_and_numbers_give_different_ones():
    table, deals = fresh(), []
    for seed, index in [(1, 0), (1, 0), (2, 0), (1, 1)]:
        table.deal(seed, index)
        deals.append(deck_of(table))
    assert deals[0] == deals[1]
    assert len(set(deals)) == 3


@cache
def many_deals():
    """470 dealt games."""
    blank = GAME.blank(GAME.parse_options({}), seed=7)
    lanes = as_games(np.repeat(blank, 470))
    loops.begin_many(lanes, blank, np.uint64(0), GAME.new_frame(470, 2, observe=False), GAME.new_scratch())
    return lanes


@pytest.mark.clause("MUS-2.1")
@pytest.mark.parametrize("place", [0, 18, 36])
def test_every_kind_of_card_comes_up_everywhere_in_the_pile(place):
    found = Counter(many_deals()["pile"][:, place].tolist())
    assert len(found) == 27
    assert 30 < found[CARDS.index("wizard/bridge")] < 75  # 50 expected


@pytest.mark.clause("MUS-2.1")
@pytest.mark.parametrize("seat", [0, 1])
def test_every_kind_of_card_comes_up_in_each_hand(seat):
    found = many_deals()["hand"][:, seat].sum(axis=0)
    assert found.sum() == 470 * 5
    assert found.min() > 20  # 50 expected of a kind with one card
    assert 200 < found[CARDS.index("wizard/bridge")] < 300  # 250 expected


@pytest.mark.clause("MUS-2.2")
def test_all_castle_spaces_and_columns_start_empty():
    table = fresh()
    assert all(castle_space(table, castle) == [] for castle in BANNERS)
    assert all(column(table, seat, castle) == [] for seat in (0, 1) for castle in BANNERS)


@pytest.mark.clause("MUS-2.2")
def test_a_castle_space_is_shared():
    table = position(hand="water 1", other_hand="sun 1")
    play(table, "lay water 1", "draw from pile", "lay sun 1")
    assert offered(table, "draw from water") == ["draw from water"]


@pytest.mark.clause("MUS-2.2")
def test_a_column_belongs_to_one_side():
    table = play(position(hand="water 1"), "play water 1 at water")
    assert (column(table, 0, "water"), column(table, 1, "water")) == (["water 1"], [])


@pytest.mark.clause("MUS-2.2")
@pytest.mark.parametrize("seat", [0, 1])
def test_both_players_see_all_cards_of_a_column(seat):
    table = position(columns={"water": "1, bridge, 3, cloud 4, wizard"})
    assert "1-B-3-cloud 4-W = 15" in table.text(seat)
