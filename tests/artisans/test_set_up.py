"""The set-up (ART-2)."""

from collections import Counter

import pytest

from artisans_env.components import ARTISANS, BUILT_IN_EDITION, MATERIALS
from artisans_env.env import GAME

from .positions import DECK_1, DECK_2, legal, next_object, open_game, phase, play, row

pytestmark = pytest.mark.rules


@pytest.mark.clause("ART-2.1")
def test_six_cards_each_one_at_a_time_then_five_to_the_market():
    cards = [MATERIALS[number % 7] for number in range(18 * 7)]
    plain = open_game(3, deal={"materials": cards}).state_dict()
    for seat in range(3):
        assert Counter(plain["hand"][f"player_{seat}"]) == Counter(cards[seat:18:3])
    assert list(plain["market"].values()) == cards[18:23]
    assert plain["pile"] == cards[23:][::-1]
    assert plain["token_taken"] is False


@pytest.mark.clause("ART-2.2")
def test_decks_are_made_up_by_points_and_four_go_to_the_box():
    points = {each.name: each.points for each in BUILT_IN_EDITION.objects}
    for seed in range(20):
        plain = open_game(seed=seed).state_dict()
        first = [*plain["deck_1"], *plain["row"].values()]
        assert Counter(points[name] for name in first) == {3: 4, 4: 3, 5: 2, 6: 1}
        assert Counter(points[name] for name in plain["deck_2"]) == {4: 1, 5: 2, 6: 3, 7: 4}
        assert Counter(points[name] for name in plain["box"]) == {3: 1, 4: 1, 5: 1, 6: 1}
        assert sorted([*first, *plain["deck_2"], *plain["box"]]) == sorted(points)


@pytest.mark.clause("ART-2.2")
def test_the_row_is_the_top_of_deck_1_and_the_next_card_is_turned_up():
    table = open_game(deal={"deck_1": DECK_1, "deck_2": DECK_2})
    assert row(table) == DECK_1[:4]
    assert table.state_dict()["deck_1"] == DECK_1[4:][::-1]
    assert table.state_dict()["deck_2"] == DECK_2[::-1]
    assert next_object(table) == "Mosaic"


@pytest.mark.clause("ART-2.3")
def test_artisans_are_drafted_from_player_0_clockwise():
    table = open_game(3, "draft")
    assert legal(table) == [f"choose {name}" for name in ARTISANS]
    play(table, "choose sculptor")
    assert table.seat == 1
    assert legal(table) == [f"choose {name}" for name in ARTISANS if name != "sculptor"]
    play(table, "choose gold_lover", "choose specialist")
    assert table.state_dict()["artisan"] == {"player_0": "sculptor", "player_1": "gold_lover", "player_2": "specialist"}
    assert (phase(table), table.seat) == ("turn", 0)


@pytest.mark.clause("ART-2.3")
def test_random_artisans_are_all_different_and_nothing_is_asked():
    seen = Counter()
    for seed in range(60):
        table = open_game(4, "random", seed=seed)
        names = list(table.state_dict()["artisan"].values())
        assert len(set(names)) == 4
        assert phase(table) in ("turn", "reserve")
        seen.update(names)
    assert set(seen) == set(ARTISANS)


@pytest.mark.clause("ART-2.3")
def test_assigned_artisans_sit_where_they_are_told():
    table = open_game(2, ["opportunist", "night_worker"])
    assert table.state_dict()["artisan"] == {"player_0": "opportunist", "player_1": "night_worker"}
    assert phase(table) == "turn"


@pytest.mark.clause("ART-2.4")
def test_hands_market_and_row_are_dealt_before_artisans_are_chosen():
    plain = open_game(2, "draft").state_dict()
    assert plain["phase"] == "draft"
    assert all(sum(hand.values()) == 6 for hand in plain["hand"].values())
    assert all(plain["market"].values())
    assert all(plain["row"].values())


def test_absent_seats_stay_blank():
    plain = open_game(2).state_dict()
    assert set(plain["hand"]) == {"player_0", "player_1"}
    assert GAME.state.fault(open_game(2).record) is None
