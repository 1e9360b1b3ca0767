"""The table as text: what a seat sees, and nothing more (MUS-8.1)."""

import pytest

from .positions import CARDS, play, position

pytestmark = [pytest.mark.rules, pytest.mark.clause("MUS-8.1")]


def line(text, start):
    """The line that begins so."""
    return next(each for each in text.splitlines() if each.startswith(start))


@pytest.mark.parametrize("seat", [0, 1])
def test_the_own_hand_is_shown_and_the_other_is_not(seat):
    table = position(
        hand="water 1, water 1, water 2, sun 3, rainbow castle",
        other_hand="cloud 5, cloud 4, cloud 3, cloud 2, wizard/bridge",
        seat=seat,
    )
    own, other = table.text(seat), table.text(1 - seat)
    assert line(own, "your hand") == f"your hand, player_{seat}: water 1 x2, water 2, sun 3, rainbow castle"
    assert line(own, "their hand") == f"their hand, player_{1 - seat}: 5 unknown"
    assert line(other, "your hand") == f"your hand, player_{1 - seat}: cloud 2, cloud 3, cloud 4, cloud 5, wizard/bridge"
    assert "cloud" not in own
    assert "water 1" not in other


@pytest.mark.clause("MUS-8.2")
@pytest.mark.parametrize("seat", [0, 1])
def test_known_cards_of_the_other_hand_are_shown(seat):
    table = position(hand="water 1", other_hand="cloud 5, cloud 1, cloud 1", other_known="cloud 5, cloud 1", seat=seat)
    assert line(table.text(seat), "their hand") == f"their hand, player_{1 - seat}: cloud 1, cloud 5, 3 unknown"


def test_in_the_refill_the_other_hand_is_smaller():
    table = play(position(hand="wizard/bridge, water 2"), "bridge to water 2 at water")
    assert line(table.text(1), "their hand") == "their hand, player_0: 3 unknown"
    assert line(table.text(0), "their hand") == "their hand, player_1: 5 unknown"


@pytest.mark.parametrize("seat", [0, 1])
def test_columns_are_shown_with_the_own_side_below(seat):
    table = position(columns={"water": "1, bridge, 3"}, other_columns={"sun": "cloud 4, wizard"}, seat=seat)
    text = table.text(seat)
    assert "1-B-3 = 5" in line(text, f"player_{seat}")
    assert "cloud 4-W = 10" in line(text, f"player_{1 - seat}")
    assert text.index(f"\nplayer_{1 - seat}") < text.index("\nspace") < text.index(f"\nplayer_{seat}")
    assert text.split().count("yours") == text.split().count("theirs") == 1
    assert text.index("yours") < text.index("theirs")


def test_castle_spaces_are_shown_top_first():
    table = position(castles={"water": "1, 2, 3, 4, 5", "sun": "rainbow castle, wizard/bridge"})
    assert line(table.text(0), "space").split() == [
        "space",
        "5,",
        "4,",
        "3,",
        "2",
        "more",
        "·",
        "·",
        "wizard/bridge,",
        "rainbow",
        "castle",
        "·",
    ]


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ({}, "player_0 takes an action"),
        ({"seat": 1}, "player_1 takes an action"),
        ({"draws_due": 2}, "player_0 draws (2 due)"),
        ({"turned_up": "rainbow castle"}, "player_0 places the turned-up rainbow castle"),
        ({"turn": 4, "max_turns": 4}, "game over"),
    ],
)
def test_the_first_line_says_who_decides_what(parts, status):
    first = position(**parts).text(0).splitlines()[0]
    assert first.endswith(status)


def test_turn_and_pile_are_shown():
    assert position(turn=4, max_turns=9, pile_size=12).text(0).startswith("Muster · turn 5 of at most 9 · pile 12 ·")


def test_the_last_moves_are_shown_but_not_what_was_drawn():
    table = position(hand="sun 1", pile=["water 5"])
    play(table, "play sun 1 at sun", "draw from pile")
    assert line(table.text(1), "last moves") == "last moves: player_0: play sun 1 at sun, draw from pile"
    assert "water 5" in table.text(0)
    assert "water 5" not in table.text(1)


def test_a_person_is_called_you_and_the_others_by_their_agents():
    table = position(hand="sun 1", pile=["water 5"])
    play(table, "play sun 1 at sun")
    text = table.text(0, agents={1: "heuristic"})
    assert text.splitlines()[0].endswith("you draw (1 due)")
    assert "last moves: you: play sun 1 at sun" in text
    assert "1 = 1" in line(text, "you ")
    assert "their hand, heuristic (player_1): " in text
    assert "player_0" not in text


def test_a_narrow_window_has_the_castles_below_each_other():
    table = position(columns={"water": "1, bridge, 3"}, castles={"sun": "1, 2, 3, 4, 5"})
    text = table.text(0, width=40)
    assert text.index("WATER: yours") < text.index("1-B-3 = 5") < text.index("FEATHER: nobody's")
    assert "5, 4 more" in text


def test_without_a_seat_the_text_is_for_the_seat_to_act():
    table = position(seat=1)
    assert table.text() == table.text(1) != table.text(0)


def test_nothing_but_the_own_hand_is_named_at_the_start():
    own, other = "water 1, water 2, water 3, water 4, water 5", "sun 1, sun 2, sun 3, sun 4, sun 5"
    text = position(hand=own, other_hand=other).text(0)
    assert [card for card in CARDS if card in text] == own.split(", ")
