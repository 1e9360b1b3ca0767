"""The table as text: what a seat sees (ART-9.1)."""

import pytest

from .positions import open_game, pass_all, play, position

pytestmark = pytest.mark.rules


def test_the_text_shows_the_table_as_a_seat_sees_it():
    table = position(
        players=3,
        artisans=["night_worker", "provident", "gold_lover"],
        seat=2,
        hands={0: "clay clay gold", 1: "wood", 2: "metal"},
        known={0: "clay"},
        market="clay - gold gold metal",
        row=["Mask", None, "Mill"],
        reserved="Icon",
        objects={2: ["Oven"]},
        developed={2: {"clay": (2, 1)}, 0: {"clay": (1, 1), "gold": (1, 1)}},
        visits={2: 4},
        crafted=[2],
    )
    text = table.text(2)
    for line in (
        "Artisans (a reconstruction) · round 3 of 12 · token in the centre · player_2 may visit the market, craft",
        "market  0: clay   1: ·   2: gold   3: gold   4: metal   (slot 4 is next to slot 0)",
        "you lack gold 2; levels reached by player_0",
        "reserved by player_1  Icon",
        "player_2 · gold_lover · score 7 · 4 of 12 visits · crafted this round",
        "  developed (cards at levels 1 to 4): clay 2-1",
        "  objects: Oven · your hand: metal",
        "  objects: none · hand: 2 unknown, clay",
    ):
        assert line in text, f"{line}\n{text}"
    assert "you have the levels" in table.text(0)
    play(table, "take token")
    assert "player_2 has the token · player_0 has a last action" in table.text(2)
    assert "last moves: player_2: take token" in table.text(2)


def test_a_person_is_called_you_and_the_others_by_their_agents():
    table = position(artisans=["provident", "gold_lover"], reserved="Icon", first=0)
    play(table, "take token")
    text = table.text(0, agents={1: "heuristic"})
    for words in ("you have the token", "reserved by you", "you (player_0) · provident", "heuristic (player_1) · gold_lover"):
        assert words in text, f"{words}\n{text}"
    assert "last moves: you: take token" in text
    assert "you have a last action" in table.text(1, agents={0: "heuristic"})


def test_the_text_of_a_draft_and_of_the_end():
    assert "no artisan yet" in open_game(2, "draft").text()
    assert "game over" in pass_all(position(month=12, phase="finish"), "over").text()
