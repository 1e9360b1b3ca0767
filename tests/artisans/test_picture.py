"""The table as a picture: what a player must see is written on it, and nothing more (ART-9.1)."""

import pytest
from helpers import parts_of, words_of

from artisans_env.components import ARTISANS
from artisans_env.picture import EFFECTS

from .positions import DECK_1, FULL, MASK, open_game, position

pytestmark = pytest.mark.clause("ART-9.1")


def seen(table, seat=0):
    """The words on the picture that a seat sees."""
    return words_of(table.picture(seat))


def own_hand(table, seat=0):
    """What is written on the own hand."""
    words = seen(table, seat)
    return words[words.index(f"hand of player_{seat} (you)") + 1 :]


def test_the_own_hand_is_shown_with_its_free_places_and_the_others_as_backs():
    table = position(hands={0: "clay clay gold"}, players=3)
    assert own_hand(table) == ["clay", "clay", "gold", "free", "free", "free"]
    assert seen(table).count("?") == 12


def test_known_cards_of_other_hands_are_symbols():
    table = position(known={1: "clay gold"})
    assert seen(table).count("?") == 4
    assert "?" not in words_of(table.picture(None))


def test_the_market_is_a_circle_of_named_slots_around_the_token():
    words = seen(position(market="clay - stone glass gold"))
    start = words.index("first")
    assert words[start : start + 3] == ["first", "player", "token"]
    assert words[start + 3 : start + 12] == [
        "clay",
        "slot 0",
        "slot 1 empty",
        "stone",
        "slot 2",
        "glass",
        "slot 3",
        "gold",
        "slot 4",
    ]


@pytest.mark.clause("ART-3.3")
def test_a_token_that_is_taken_is_with_its_taker():
    table = position(phase="last", first=1)
    words = seen(table)
    assert words[words.index("token with") + 1] == "player_1"
    assert "token" not in parts_of(table.picture(0))
    assert "token" in parts_of(position().picture(0))


@pytest.mark.clause("ART-4.6")
def test_objects_show_points_and_requirements_with_ticks_for_levels_that_the_viewer_has():
    table = position(row=["Mask", None, "Well", "Gate"], developed={0: {"clay": (1, 1), "gold": (1,)}})
    words = seen(table)
    start = words.index("Mask")
    assert words[start : start + 5] == ["Mask", "4", "row 0", "clay 2 ✓", "gold 2"]
    assert "row 1 empty" in words
    assert "gold 2 ✓" in seen(position(row=["Mask"], developed={0: MASK}))
    assert not any("✓" in word for word in words_of(table.picture(None)))


@pytest.mark.clause("ART-2.2", "ART-3.1")
def test_decks_show_the_next_object_and_how_many_there_are():
    words = seen(open_game(deal={"deck_1": DECK_1}))
    start = words.index("deck 1: next of 6")
    assert words[start + 1] == DECK_1[4]
    assert words[words.index("deck 2") + 1] == "10 cards"
    assert not {*DECK_1[5:]} & {*words}


def test_pile_and_discard_are_counted():
    words = seen(position(discard="clay clay gold", pile="wood stone"))
    assert words[words.index("pile") + 1] == "2"
    start = words.index("discard: 3 cards")
    assert words[start : start + 3] == ["discard: 3 cards", "2", "1"]


def test_developed_cards_are_stacks_by_level():
    words = seen(position(developed={0: {"wood": (3, 2, 1)}, 1: {"gold": (4,)}}))
    assert [word for word in words if "×" in word] == ["×4", "I ×3", "II ×2", "III ×1"]


def test_one_point_and_one_card_are_no_points_and_cards():
    words = seen(position(developed={0: {"wood": (1,)}, 1: {"gold": (1,)}}, discard="clay"))
    assert "1 point" in words
    assert any(word.startswith("player_0 (you) · 1 point") for word in words)
    assert "discard: 1 card" in words
    assert not [word for word in words if "1 points" in word or "1 cards" in word]


def test_artisans_are_shown_with_their_effects():
    words = seen(position(artisans=["specialist", "gold_lover"]))
    text = " ".join(words)
    assert EFFECTS["specialist"] in text
    assert EFFECTS["gold_lover"] in text
    assert {"Specialist", "Gold lover"} <= {*words}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_player_has_a_place_with_score_and_marks(players):
    words = seen(position(players=players, first=1, visits={1: 2}, objects={1: ["Mask"]}, developed={1: MASK}))
    assert [word for word in words if word in ("player_1", "player_2", "player_3")] == [
        f"player_{n}" for n in range(1, players)
    ]
    assert "first player · 2 of 12 visits" in " ".join(words)
    assert "objects: Mask 4" in words
    assert any(word.startswith("player_0 (you) · 0 points") for word in words)


@pytest.mark.clause("ART-2.3")
def test_in_the_draft_the_artisans_left_are_on_offer():
    table = open_game(artisans="draft")
    assert headline(table) == "player_0 (you) chooses an artisan"
    assert {f"choose:{artisan}" for artisan in ARTISANS} <= parts_of(table.picture(0))
    table.play(table.game.actions.id_of("choose sculptor"))
    assert "choose:sculptor" not in parts_of(table.picture(1))
    assert "choose:provident" in parts_of(table.picture(1))


def headline(table, seat=0):
    """Whose decision it is, and which."""
    return seen(table, seat)[1]


@pytest.mark.clause("ART-8.9")
def test_a_reserved_object_lies_with_the_provident():
    parts = {"artisans": ["provident", "specialist"], "reserved": "Well"}
    assert "reserved: Well (wood 1, stone 3)" in seen(position(**parts))
    assert "craft_reserved" in parts_of(position(**parts).picture(0))
    assert "reserved: Well (wood 1, stone 3)" in " ".join(seen(position(**parts), seat=1))
    assert "craft_reserved" not in parts_of(position(**parts).picture(1))


@pytest.mark.clause("ART-5.1")
def test_when_materials_are_developed_cards_say_how_many():
    table = position(phase="develop", hands={0: "clay clay gold"})
    assert own_hand(table)[:6] == ["clay", "develop 1", "clay", "develop 2", "gold", "develop 1"]
    assert "exchange:*:clay|develop:clay:2" in parts_of(table.picture(0))
    assert own_hand(position(hands={0: "clay"}))[:2] == ["clay", "free"]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, "player_0 (you) may visit the market, craft, or take the token"),
        ({"phase": "last", "first": 1}, "player_0 (you) has a last action"),
        ({"phase": "develop"}, "player_0 (you) may develop a material"),
        ({"phase": "finish", "month": 12}, "player_0 (you) may craft one more object"),
    ],
)
def test_the_headline_says_who_decides_what(parts, expected):
    assert headline(position(**parts)) == expected
    assert headline(position(**parts), seat=1) == expected.replace(" (you)", "")


@pytest.mark.clause("ART-6.2", "ART-6.3")
def test_the_end_is_reckoned_up():
    table = position(
        phase="finish",
        month=12,
        seat=1,
        artisans=["gold_lover", "specialist"],
        developed={0: MASK, 1: {"wood": (2,)}},
        objects={0: ["Mask"]},
    )
    table.play(table.game.actions.id_of("pass"))
    words = seen(table)
    assert words[1] == "game over: player_0 (you) wins with 14 points"
    start = words.index("reckoning")
    assert words[start + 1 : start + 6] == ["levels", "objects", "bonus", "reserved", "score"]
    assert words[start + 6 : start + 18] == ["player_0 (you)", "6", "4", "4", "0", "14", "player_1", "2", "0", "0", "0", "2"]


@pytest.mark.clause("ART-6.3")
@pytest.mark.parametrize(
    ("developed", "expected"),
    [
        ({0: {"wood": (2,)}, 1: {"gold": (2,)}}, "player_0 (you) and player_1 share the win with 2 points"),
        ({0: {"wood": (3,)}, 1: {"gold": (1, 1)}}, "player_0 (you) wins with 3 points, and more developed cards"),
    ],
)
def test_ties_are_explained(developed, expected):
    table = position(phase="finish", month=12, seat=1, first=0, developed=developed)
    table.play(table.game.actions.id_of("pass"))
    assert headline(table) == f"game over: {expected}"


@pytest.mark.clause("ART-1.4")
def test_the_built_in_edition_is_called_a_reconstruction():
    assert seen(position(hands={0: FULL}))[0] == "Artisans (a reconstruction) · round 3 of 12"
