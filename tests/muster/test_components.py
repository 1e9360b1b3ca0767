"""MUS-1: what the game is made of."""

import pytest

from cardtable.errors import OptionError

from .positions import BANNERS, GAME, all_cards, column, fresh, hand, offered, play, position, random_play, total

pytestmark = pytest.mark.rules


@pytest.mark.clause("MUS-1.1")
def test_five_castles_in_a_row_one_for_each_banner():
    assert BANNERS == ("water", "feather", "cloud", "sun", "leaf")
    assert tuple(fresh().state_dict()["castle"]) == BANNERS


@pytest.mark.clause("MUS-1.1")
@pytest.mark.parametrize("players", [1, 3, 4])
def test_only_two_can_play(players):
    with pytest.raises(OptionError, match="num_players"):
        GAME.parse_options({"num_players": players})


@pytest.mark.clause("MUS-1.1")
def test_each_side_has_five_columns():
    state = fresh().state_dict()
    assert [tuple(state["column"][side]) for side in ("player_0", "player_1")] == [BANNERS, BANNERS]


@pytest.mark.clause("MUS-1.2")
@pytest.mark.parametrize("banner", BANNERS)
def test_a_banner_has_eight_cards(banner):
    cards = all_cards(fresh())
    assert {card: count for card, count in cards.items() if card.startswith(banner)} == {
        f"{banner} 1": 3,
        f"{banner} 2": 2,
        f"{banner} 3": 1,
        f"{banner} 4": 1,
        f"{banner} 5": 1,
    }


@pytest.mark.clause("MUS-1.2")
@pytest.mark.parametrize("strength", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("banner", BANNERS)
def test_a_banner_card_counts_its_strength(banner, strength):
    table = play(position(hand=f"{banner} {strength}"), f"play {banner} {strength} at {banner}")
    assert total(table, 0, banner) == strength


@pytest.mark.clause("MUS-1.3")
def test_five_wizard_bridge_cards():
    assert all_cards(fresh())["wizard/bridge"] == 5


@pytest.mark.clause("MUS-1.3")
def test_a_card_played_as_a_wizard_has_strength_six():
    table = play(position(hand="wizard/bridge", columns={"sun": "1"}), "wizard at sun")
    assert (column(table, 0, "sun"), total(table, 0, "sun")) == (["sun 1", "wizard"], 7)


@pytest.mark.clause("MUS-1.3")
def test_a_card_played_as_a_bridge_has_strength_one():
    table = play(position(hand="wizard/bridge, sun 4", columns={"sun": "2"}), "bridge to sun 4 at sun")
    assert (column(table, 0, "sun"), total(table, 0, "sun")) == (["sun 2", "bridge", "sun 4"], 7)


@pytest.mark.clause("MUS-1.3")
def test_a_wizard_stays_a_wizard_and_a_bridge_a_bridge():
    table = position(hand="water 2", columns={"water": "wizard", "sun": "1, bridge, 3"})
    assert offered(table, "bridge") == []
    assert not offered(table, "move wizard from sun")
    assert "play water 2 at water" not in table.legal_actions()


@pytest.mark.clause("MUS-1.3")
@pytest.mark.parametrize(("column_text", "card"), [("wizard", "water 1"), ("1, bridge, 3", "water 2")])
def test_back_in_hand_the_card_is_either_again(column_text, card):
    table = position(hand=f"{card}, cloud 2", columns={"water": column_text})
    play(table, f"swap {card} into own water", "lay leaf 1", "draw from pile")
    assert {"wizard at cloud", "bridge to cloud 2 at cloud", "lay wizard/bridge on cloud"} <= set(table.legal_actions())


@pytest.mark.clause("MUS-1.3")
def test_on_a_castle_space_the_card_is_neither_wizard_nor_bridge():
    table = position(hand="water 1, water 2", castles={"water": "wizard/bridge"})
    assert offered(table, "move", "swap", "bridge") == []
    assert [total(table, seat, "water") for seat in (0, 1)] == [0, 0]


@pytest.mark.clause("MUS-1.4")
def test_two_rainbow_castle_cards():
    assert all_cards(fresh())["rainbow castle"] == 2


@pytest.mark.clause("MUS-1.4")
def test_rainbow_cards_are_wizard_bridges_and_rainbow_castles():
    table = position(hand="wizard/bridge, rainbow castle")
    on_any_space = [f"lay {card} on {castle}" for card in ("wizard/bridge", "rainbow castle") for castle in BANNERS]
    assert [name for name in offered(table, "lay") if " on " in name] == on_any_space


@pytest.mark.clause("MUS-1.5")
def test_forty_seven_cards_in_all():
    assert all_cards(fresh()).total() == 47


@pytest.mark.clause("MUS-1.5")
@pytest.mark.parametrize("seed", range(3))
def test_no_card_is_lost_or_made_in_play(seed):
    deck = all_cards(fresh())
    assert all(all_cards(table) == deck for table in random_play(seed, 150, over_the_rainbow=True))


@pytest.mark.clause("MUS-1.3", "MUS-1.5")
def test_a_wizard_bridge_drawn_from_a_castle_space_is_a_hand_card():
    table = play(position(hand="leaf 1", castles={"sun": "wizard/bridge"}), "play leaf 1 at leaf", "draw from sun")
    assert hand(table, 0)["wizard/bridge"] == 1
