"""Deals that are given (MUR-2, 9.1, 10.1)."""

from collections import Counter

import pytest

from cardtable.errors import DealError
from murano_env.components import CREATIONS

from .positions import CIRCLE, RINGS, bench, hand, markets, open_game, phase, play, ring, selector, tiles

pytestmark = pytest.mark.rules


@pytest.mark.clause("MUR-2.1", "MUR-2.3", "MUR-2.5")
def test_every_part_of_the_set_up_can_be_given():
    deal = {
        "creations": list(CREATIONS),
        "advantages": ["free", "merchant", "expert", "gourmand"],
        "markets": ["yellow", "red", "blue", "green"],
        "selector": ["notch 7"],
        "ring": ["segment 11"],
    }
    table = open_game(deal=deal)
    assert tiles(table) == deal["advantages"]
    assert markets(table) == list("YRBG")
    assert (selector(table), ring(table)) == (7, 11)
    assert hand(table, 1) == list(CREATIONS[6:12])
    play(table, "turn selector", "take pair")
    assert Counter(bench(table)) == Counter(CIRCLE[8] + RINGS["A"][7])


@pytest.mark.clause("MUR-10.1")
def test_the_challenge_stack_can_be_given_the_first_card_is_revealed_first():
    cards = ["ring", "selector", "ring", "nothing", "red", "market"]
    table = open_game(1, deal={"challenge": cards})
    plain = table.state_dict()
    assert plain["challenge"][::-1] == cards
    assert sorted(plain["left_out"]) == ["blue", "green", "nothing", "yellow"]


@pytest.mark.clause("MUR-9.2", "MUR-11.1")
def test_advantages_can_be_given_as_the_options_draw_them():
    table = open_game(interactive=True, deal={"advantages": ["free", "dealer", "expert", "present"]})
    assert tiles(table)[1] == "dealer"
    table = open_game(advantages="first_game", deal={"advantages": ["merchant", "free", "gift", "present"]})
    assert tiles(table) == ["merchant", "free", "gift", "present"]


BASE = ["free", "merchant", "expert", "gourmand"]


@pytest.mark.parametrize(
    ("options", "deal", "said"),
    [
        ({}, {"creations": list(CREATIONS[1:])}, "deck 'creations' has the wrong contents: missing {'Ruby pendant': 1}"),
        ({}, {"creations": ["Vase", *CREATIONS[1:]]}, "too many {'Vase': 1}"),
        ({}, {"creations": "Vase"}, "is a list of cards, top first"),
        ({}, {"advantages": BASE[:3]}, "expected 4, all different"),
        ({}, {"advantages": [*BASE[:3], "free"]}, "expected 4, all different"),
        ({}, {"advantages": [*BASE[:3], "thief"]}, r"deck 'advantages'\[3\]: 'thief' is not one of present"),
        ({}, {"advantages": [*BASE[:3], "dealer"]}, "expected 0 interactive cards, found 1"),
        ({"interactive": True}, {"advantages": BASE}, "expected 1 interactive cards, found 0"),
        ({"interactive": True}, {"advantages": [*BASE[:2], "dealer", "collector"]}, "expected 1 interactive cards, found 2"),
        ({"advantages": [3, 4, 5, 6]}, {"advantages": BASE}, "the option `advantages` gives them already"),
        ({"expert_deck": True}, {"advantages": [*BASE[:3], "gift"]}, "gift is not in the draw under these options"),
        ({"grandmaster": True}, {"advantages": [*BASE[:3], "provident"]}, "provident is not in the draw"),
        ({"advantages": "first_game"}, {"advantages": BASE}, "they are present, gift, free, merchant"),
        ({}, {"markets": ["red", "red", "blue", "green"]}, "deck 'markets' has the wrong contents: missing {'yellow': 1}"),
        ({}, {"markets": ["red", "transparent", "blue", "green"]}, "'markets'.1.: 'transparent' is not one of red"),
        ({}, {"challenge": ["ring"] * 6}, "Challenge cards are for one player"),
        ({"players": 1}, {"challenge": ["ring", "ring", "red", "blue", "green"]}, "expected 6 cards, found 5"),
        ({"players": 1}, {"challenge": ["red", "ring", "red", "blue", "green", "market"]}, "there are only 1 cards 'red'"),
        ({"players": 1}, {"challenge": ["ring", "ring", "ring", "blue", "green", "market"]}, "there are only 2 cards 'ring'"),
        ({"players": 1}, {"challenge": ["fire", "ring", "red", "blue", "green", "market"]}, "'fire' is not one of red"),
        ({}, {"selector": []}, "selector: expected one entry, found 0"),
        ({}, {"selector": ["notch 1", "notch 2"]}, "selector: expected one entry, found 2"),
        ({}, {"selector": ["notch 12"]}, "'notch 12' is not one of notch 0"),
        ({}, {"selector": [3]}, "3 is not one of notch 0"),
        ({"grandmaster": True}, {"selector": ["notch 1"]}, "with grandmaster=True it starts on gap 11"),
        ({}, {"ring": ["segment 1", "segment 1"]}, "ring: expected one entry, found 2"),
        ({}, {"ring": ["notch 1"]}, "'notch 1' is not one of segment 0"),
        ({}, {"lira": [5, 5]}, "no deck is called 'lira'; decks: creations, advantages, markets, challenge, selector, ring"),
    ],
)
def test_impossible_deals_are_refused(options, deal, said):
    with pytest.raises(DealError, match=f"murano_v0: .*{said}"):
        open_game(deal=deal, **options)


@pytest.mark.clause("MUR-9.1")
def test_creations_are_given_to_packs_in_a_draft():
    table = open_game(draft=True, deal={"creations": list(CREATIONS)})
    assert phase(table) == "draft"
    assert table.state_dict()["pack"] == {"player_0": list(CREATIONS[:7]), "player_1": list(CREATIONS[7:14])}
