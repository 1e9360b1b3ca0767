"""Decks and artisans put in place of the shuffled ones (ART-2.2, 2.3)."""

import pytest

from artisans_env.components import BUILT_IN_EDITION
from cardtable.errors import DealError

from .positions import DECK_1, DECK_2, open_game

pytestmark = pytest.mark.rules


@pytest.mark.parametrize("decks", [("deck_1",), ("deck_2",), ("deck_1", "deck_2"), ("deck_2", "deck_1")])
def test_either_deck_or_both_can_be_given(decks):
    given = {"deck_1": DECK_1, "deck_2": DECK_2}
    for seed in range(10):
        plain = open_game(seed=seed, deal={name: given[name] for name in decks}).state_dict()
        dealt = {"deck_1": [*plain["row"].values(), *plain["deck_1"][::-1]], "deck_2": plain["deck_2"][::-1]}
        assert all(dealt[name] == given[name] for name in decks)


@pytest.mark.parametrize(("first", "replaced"), [("Mask", "Sail"), ("Mirror", "Astrolabe"), ("Mill", "Pavilion")])
def test_a_deck_may_hold_the_first_object_of_the_edition_wherever_that_was_dealt(first, replaced):
    """It has the number 0, which also stands in the unused places of the box."""
    objects = sorted(BUILT_IN_EDITION.plain()["object"], key=lambda each: each["name"] != first)
    decks = {"deck_1": DECK_1, "deck_2": [first if each == replaced else each for each in DECK_2]}
    for seed in range(40):
        for name, deck in decks.items():
            plain = open_game(seed=seed, edition={"object": objects}, deal={name: deck}).state_dict()
            dealt = {"deck_1": [*plain["row"].values(), *plain["deck_1"][::-1]], "deck_2": plain["deck_2"][::-1]}
            assert dealt[name] == deck


@pytest.mark.parametrize(
    ("deal", "said"),
    [
        ({"deck_1": DECK_1[1:]}, "by points: 4 of 3, 3 of 4, 2 of 5, 1 of 6"),
        ({"deck_1": ["Icon", *DECK_1[1:]]}, "expected different objects"),
        ({"deck_1": ["Spoon", *DECK_1[1:]]}, r"deck 'deck_1'\[0\]: 'Spoon' is not one of Lantern"),
        ({"deck_1": DECK_2}, "expected different objects"),
        ({"deck_1": DECK_1, "deck_2": ["Mask", *DECK_2[1:]]}, "is in deck 'deck_1' already"),
        ({"artisans": ["sculptor", "provident"]}, "only with the option artisans='random'"),
    ],
)
def test_impossible_decks_are_refused(deal, said):
    with pytest.raises(DealError, match=f"artisans_v0: .*{said}"):
        open_game(deal=deal)


@pytest.mark.clause("ART-2.3")
def test_random_artisans_can_be_injected():
    names = ["provident", "opportunist", "sculptor"]
    table = open_game(3, "random", deal={"artisans": names})
    assert list(table.state_dict()["artisan"].values()) == names
    for wrong in (names[:2], ["sculptor", "sculptor", "versatile"]):
        with pytest.raises(DealError, match="expected 3, all different"):
            open_game(3, "random", deal={"artisans": wrong})
