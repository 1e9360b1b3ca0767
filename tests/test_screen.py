"""What a terminal can show: width, characters, colours."""

import io
import re

import numpy as np
import pytest
from helpers import VARIANTS, open_table, variant_id

from cardtable.cli.choosing import choices_of, completions, listed
from cardtable.cli.screen import COLOURS, NARROWEST, Screen, as_ascii, painted
from cardtable.game.look import Sign, wrapped
from cardtable.game.registry import find, game_ids

POSITIONS, APART = 12, 5
WIDTHS = (40, 80, 120)
CODE = re.compile(r"\x1b\[\d+m")


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


class Ascii(Terminal):
    encoding = "ascii"


def positions(game_id, options):
    """Positions along a random game."""
    table, generator = open_table(find(game_id), dict(options), 3), np.random.default_rng(5)
    for number in range(POSITIONS * APART):
        if table.ending:
            break
        if number % APART == 0:
            yield table
        table.play(int(generator.choice(np.flatnonzero(table.mask))))


def page(table, width):
    """All that a person at the seat to act is shown."""
    agents = {seat: "search:400" for seat in range(table.players) if seat != table.seat}
    return "\n".join([table.text(table.seat, width=width, agents=agents), *listed(choices_of(table), width)])


@pytest.mark.parametrize(
    ("game_id", "options"), VARIANTS, ids=lambda value: value if isinstance(value, str) else variant_id(value)
)
def test_no_line_is_longer_than_the_window_and_nothing_is_lost(game_id, options, monkeypatch):
    pages = 0
    for table in positions(game_id, options):
        for width in WIDTHS:
            monkeypatch.setenv("COLUMNS", str(width))
            text = page(table, width)
            assert max(map(len, text.splitlines())) <= width
            assert Screen().shown(text) == text
            plain = Screen(ascii=True).shown(text)
            assert plain.isascii()
            assert [len(line) for line in plain.splitlines()] == [len(line) for line in text.splitlines()]
            colourful = Screen(colours=True).shown(text, table.game.legend)
            assert CODE.sub("", colourful) == text
            assert CODE.search(colourful)
            joined = " ".join(text.split())
            assert all(choice.name in joined for choice in choices_of(table))
            pages += 1
    assert pages > 2 * len(WIDTHS)


@pytest.mark.parametrize(
    ("stream", "environment", "expected"),
    [
        (Terminal(), {"TERM": "xterm"}, Screen(colours=True, window=True)),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": "1"}, Screen(window=True)),
        (Terminal(), {"TERM": "xterm", "NO_COLOR": ""}, Screen(colours=True, window=True)),
        (Terminal(), {"TERM": "dumb"}, Screen(window=True)),
        (Terminal(), {}, Screen(window=True)),
        (Ascii(), {"TERM": "xterm"}, Screen(ascii=True, colours=True, window=True)),
        (io.StringIO(), {"TERM": "xterm"}, Screen(ascii=True)),
    ],
)
def test_what_a_stream_can_show(stream, environment, expected):
    assert Screen.of(stream, environment) == expected


def test_the_window_is_asked_anew_and_has_a_least_width(monkeypatch):
    screen = Screen()
    for columns, width in ((20, NARROWEST), (90, 90)):
        monkeypatch.setenv("COLUMNS", str(columns))
        assert screen.width == width


def test_characters_that_cannot_be_shown_have_others_of_the_same_width():
    assert as_ascii("pile 3 · 2 × 5 – 7 … Glasbläser 中") == "pile 3 . 2 x 5 - 7 . Glasblaser ?"


def test_what_is_painted_is_painted_once():
    signs = [Sign("", "", {r"\bred\b": "red", "R+": "red"}), Sign("", "", {"red fish": "bold"})]
    assert painted("red fish RR", signs) == "\x1b[31mred\x1b[0m fish \x1b[31mRR\x1b[0m"


@pytest.mark.parametrize("game_id", game_ids())
def test_every_legend_uses_colours_that_there_are(game_id):
    legend = find(game_id).legend
    assert len(legend) > 5
    used = [colour for sign in legend for colour in sign.colours.values()]
    assert used
    assert set(used) <= set(COLOURS)


def test_shards_are_painted_letter_by_letter_and_nothing_else_is():
    shown = painted("market 0: RRG gives B (T), Ruby ring, RB of TOKEN", find("murano").legend)
    letters = re.findall(r"\x1b\[(\d+)m([RGYBT]+)\x1b", shown)
    assert [letters_ for _, letters_ in letters] == ["RR", "G", "B", "T", "R", "B"]
    assert len({code for code, letter in letters if letter in ("RR", "G", "B", "T")}) == 4


def test_long_lines_go_on_indented():
    assert wrapped(["  a bb ccc dddd", "short"], 10) == ["  a bb ccc", "      dddd", "short"]


def test_names_are_completed_in_any_case_and_with_any_spaces():
    names = ["play sun 1 at sun", "play sun 2 at sun", "lay sun 1", "draw from pile"]
    assert completions("", names) == names
    assert completions("PLAY  s", names) == names[:2]
    assert completions("play sun 1 ", names) == names[:1]
    assert completions("draw", names) == ["draw from pile"]
    assert completions("x", names) == []
