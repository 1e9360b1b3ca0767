"""The table as a picture: what a player must see is written on it, and nothing more (MUS-8.1)."""

import pytest
from helpers import parts_of, words_of

from .positions import play, position

pytestmark = pytest.mark.clause("MUS-8.1")


def seen(table, seat=0):
    """The words on the picture that a seat sees."""
    return words_of(table.picture(seat))


def between(words, first, last):
    """The words that are drawn between two others."""
    return words[words.index(first) + 1 : words.index(last)]


def headline(table, seat=0):
    """Whose decision it is, and which."""
    return seen(table, seat)[1]


def hand_words(table, viewer, of, last=None):
    """What is written on the cards of a hand."""
    words = seen(table, viewer)
    start = next(number for number, word in enumerate(words) if word.startswith(f"hand of player_{of}")) + 1
    return words[start:] if last is None else words[start : start + last]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_own_hand_is_shown_as_faces_and_the_other_as_backs(seat):
    table = position(hand="water 1, water 5, sun 3, rainbow castle, wizard/bridge", other_hand="cloud 5, cloud 4", seat=seat)
    assert hand_words(table, seat, seat) == (
        [
            "1",
            "water",
            "soldier",
            "5",
            "water",
            "leader",
            "3",
            "sun",
            "knight",
            "6",
            "Wizard",
            "1",
            "Bridge",
            "Rainbow",
            "Castle",
        ]
    )
    assert hand_words(table, seat, 1 - seat, last=5) == ["?"] * 5
    assert hand_words(table, 1 - seat, seat, last=5) == ["?"] * 5


@pytest.mark.clause("MUS-8.2")
def test_known_cards_of_the_other_hand_are_faces():
    table = position(hand="water 1", other_hand="cloud 5, wizard/bridge", other_known="cloud 5, wizard/bridge")
    assert hand_words(table, 0, 1, last=7) == ["5", "cloud", "Wizard /", "Bridge", "?", "?", "?"]


@pytest.mark.parametrize("seat", [0, 1])
def test_columns_lie_on_both_sides_of_the_board_the_own_below(seat):
    table = position(columns={"water": "1, bridge, 3"}, other_columns={"sun": "cloud 4, wizard"}, seat=seat)
    words = seen(table, seat)
    above, below = words[: words.index("WATER")], words[words.index("LEAF") :]
    assert above[-13:] == ["no cards", "no cards", "no cards", "4", "cloud", "6", "Wizard", "no cards", *above[-5:]]
    assert above[-5:] == ["strength 0", "strength 0", "strength 0", "strength 10", "strength 0"]
    start = below.index("strength 5")
    assert below[start + 5 : start + 11] == ["1", "water", "1", "Bridge", "3", "water"]


@pytest.mark.clause("MUS-6.2", "MUS-6.3")
def test_who_holds_a_castle_is_written_on_it():
    table = position(columns={"water": "1", "sun": "1, 1", "leaf": "1"}, other_columns={"cloud": "5", "sun": "2", "leaf": "1"})
    holders = ("yours", "theirs", "nobody's", "yours by cards")
    assert [word for word in seen(table) if word in holders] == ["yours", "nobody's", "theirs", "yours by cards", "nobody's"]
    named = [word for word in words_of(table.picture(None)) if word.startswith(("player_0's", "player_1's", "nobody's"))]
    assert named == ["player_0's", "nobody's", "player_1's", "player_0's by cards", "nobody's"]


def test_castle_spaces_show_their_top_card_and_what_is_under_it():
    table = position(castles={"water": "1, 2, 3, 4, 5", "feather": "rainbow castle, wizard/bridge", "cloud": "rainbow castle"})
    words = seen(table)
    assert between(words, "WATER", "FEATHER")[:3] == ["5", "water", "under 4, 3, +2"]
    assert between(words, "FEATHER", "CLOUD")[:3] == ["Wizard /", "Bridge", "under castle"]
    assert between(words, "CLOUD", "SUN")[:2] == ["Rainbow", "Castle"]
    assert between(words, "SUN", "LEAF")[0] == "empty space"


def test_pile_turn_and_options_are_written():
    words = seen(position(pile_size=12, turn=4, max_turns=9, power_of_unity=True, over_the_rainbow=True))
    assert words[0] == "Muster · turn 5 of at most 9 · rules power of unity, over the rainbow"
    assert words[words.index("pile") + 1] == "12"
    assert seen(position())[0].endswith("rules as printed")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, "player_0 (you) takes an action"),
        ({"seat": 1}, "player_1 takes an action"),
        ({"draws_due": 2}, "player_0 (you) draws (2 due)"),
        ({"turned_up": "rainbow castle"}, "player_0 (you) places the turned-up rainbow castle"),
    ],
)
def test_the_headline_says_who_decides_what(parts, expected):
    assert headline(position(**parts)) == expected


@pytest.mark.clause("MUS-4.3b")
def test_a_turned_up_card_lies_at_the_side_until_it_is_placed():
    table = position(turned_up="rainbow castle")
    assert "turned" in seen(table)
    assert "place" in parts_of(table.picture(0))
    assert "turned" not in seen(play(table, "place on sun"))


@pytest.mark.clause("MUS-6.1", "MUS-6.4")
@pytest.mark.parametrize(
    ("columns", "others", "expected"),
    [
        ({"water": "1", "sun": "1"}, {"leaf": "1"}, "player_0 (you) wins 2 castles to 1"),
        ({"water": "1"}, {"leaf": "1", "cloud": "1"}, "player_1 wins 2 castles to 1"),
        ({"water": "1"}, {"leaf": "1"}, "a draw, 1 castles each"),
    ],
)
def test_the_end_is_reckoned_up(columns, others, expected):
    table = position(hand="cloud 2", columns=columns, other_columns=others, pile_size=1)
    assert headline(play(table, "lay cloud 2", "draw from pile")) == f"game over (pile empty): {expected}"


@pytest.mark.clause("MUS-6.5")
def test_a_game_that_is_cut_off_says_so():
    assert headline(position(turn=4, max_turns=4, columns={"sun": "1"})).startswith(
        "game over (cut off): player_0 (you) wins 1"
    )


def test_spectators_see_both_hands():
    words = words_of(position(hand="water 1, water 2", other_hand="cloud 5, cloud 4").picture(None))
    assert "?" not in words
    assert not any("(you)" in word for word in words)
    start = words.index("hand of player_1")
    assert {"5", "4", "cloud"} <= set(words[start : start + 11])


def test_a_long_column_makes_the_picture_higher():
    usual, long = position(), position(columns={"sun": "1, 1, 1, 2, 2, 3, wizard, wizard"})
    heights = [float(table.picture(0).partition('height="')[2].partition('"')[0]) for table in (usual, long)]
    assert heights[0] < heights[1]


@pytest.mark.clause("MUS-1.3")
def test_both_halves_of_a_wizard_bridge_can_be_clicked():
    assert {"wizard|lay_wizard", "bridge|lay_wizard"} <= parts_of(position(hand="wizard/bridge").picture(0))


def test_wizards_and_bridges_in_columns_can_be_clicked_to_swap_and_own_wizards_to_move():
    table = position(columns={"sun": "1, bridge, 3, wizard"}, other_columns={"leaf": "1, wizard"})
    parts = parts_of(table.picture(0))
    assert {"swap:*:own:sun", "swap:*:other:leaf"} <= parts
    assert any(part.startswith("swap:*:own:sun|move:from sun to water") for part in parts)
