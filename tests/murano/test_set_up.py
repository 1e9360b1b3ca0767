"""The set-up (MUR-2)."""

import pytest

from murano_env.components import ADVANTAGES, CREATIONS

from .positions import RINGS, deals, hand, legal, lira, open_game, position

pytestmark = pytest.mark.rules


SET_UPS = [{"players": 1}, {"players": 2}, {"players": 3, "draft": True}, {"players": 4, "grandmaster": True}]


# ---- 2 Set-up


@pytest.mark.clause("MUR-2.1")
def test_selector_and_ring_stand_anywhere():
    games = deals(200)
    assert set(games["selector"]) == set(games["ring_offset"]) == set(range(12))
    assert len(set(zip(games["selector"], games["ring_offset"], strict=True))) > 80


@pytest.mark.clause("MUR-2.1")
@pytest.mark.parametrize("face", "AB")
def test_the_face_of_the_ring_is_an_option(face):
    shown = "".join(name[0].upper() for name in open_game(ring=face).state_dict()["ring"].values())
    assert shown == RINGS[face]


@pytest.mark.clause("MUR-2.2")
@pytest.mark.parametrize(("players", "size"), [(1, 6), (2, 6), (3, 5), (4, 5)])
def test_each_seat_gets_its_block_of_the_deck_the_first_card_in_position_1(players, size):
    cards = list(CREATIONS[::-1])
    table = open_game(players, deal={"creations": cards})
    for seat in range(players):
        assert hand(table, seat) == cards[seat * size : (seat + 1) * size]
    assert table.state_dict()["deck"][::-1] == cards[players * size :]


@pytest.mark.clause("MUR-2.2")
def test_the_creations_are_shuffled():
    hands = deals(200)["hand"]
    assert set(hands[:, 0, 0]) == set(hands[:, 1, 5]) == set(range(24))
    assert len({tuple(hand) for hand in hands[:, 0]}) == 200


@pytest.mark.clause("MUR-2.2")
def test_only_the_card_in_position_1_can_be_made():
    parts = {"step": "negotiated", "benches": {0: "RRYB"}}
    assert legal(position(hands={0: ["Vase", "Dolphin"]}, **parts), "make") == ["make replacing none"]
    assert legal(position(hands={0: ["Dolphin", "Vase"]}, **parts), "make") == []


@pytest.mark.clause("MUR-2.3")
def test_each_market_gets_one_of_the_four_colours_at_random():
    games = deals(150)
    assert games["warehouse"].tolist() == [[9, 9, 9, 9, 6]] * 150
    assert games["market"].sum(axis=1).tolist() == [[1, 1, 1, 1, 0]] * 150
    assert games["market"].sum(axis=2).tolist() == [[1, 1, 1, 1]] * 150
    assert len({tuple(shards) for shards in games["market"].argmax(axis=2)}) == 24


@pytest.mark.clause("MUR-2.4")
@pytest.mark.parametrize("options", SET_UPS, ids=str)
def test_each_player_has_4_lira_and_player_0_begins(options):
    table = open_game(**options)
    assert [lira(table, seat) for seat in range(options["players"])] == [4] * options["players"]
    assert table.seat == 0
    assert table.state_dict()["turn"] == "player_0"


@pytest.mark.clause("MUR-2.5")
def test_random_advantages_are_four_different_ones_of_the_first_sixteen():
    drawn = deals(250)["advantage"]
    assert all(len(set(cards)) == 4 for cards in drawn)
    assert all(set(drawn[:, tile]) == set(range(16)) for tile in range(4))


@pytest.mark.clause("MUR-2.5")
def test_a_first_game_has_the_cards_1_to_4_at_random_under_the_tiles():
    drawn = {tuple(cards) for cards in deals(200, advantages="first_game")["advantage"]}
    assert {frozenset(cards) for cards in drawn} == {frozenset(range(4))}
    assert len(drawn) == 24


@pytest.mark.clause("MUR-2.5")
def test_four_ids_are_the_cards_in_the_order_of_the_tiles():
    table = open_game(advantages=[12, 3, 16, 1])
    assert table.state_dict()["advantage"] == {
        "art": "repetition",
        "jewels": "free",
        "tableware": "visionary",
        "animals": "present",
    }


@pytest.mark.clause("MUR-2.5")
@pytest.mark.parametrize("options", [{}, {"grandmaster": True}, {"interactive": True}], ids=str)
def test_an_expert_deck_has_no_cards_1_and_2(options):
    drawn = {ADVANTAGES[card] for card in deals(120, expert_deck=True, **options)["advantage"].ravel()}
    assert not {"present", "gift"} & drawn
    assert "free" in drawn
