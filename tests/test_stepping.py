"""Replays told and stepped through on the command line."""

import io
import json
import os
import signal
import sys
import threading
from pathlib import Path

import pytest
from helpers import choice, open_table, variant_id
from muster.positions import FULL_DECK

from cardtable.cli import stepping
from cardtable.cli.main import main
from cardtable.errors import OptionError
from cardtable.game.registry import find
from cardtable.replay import Replay, rewound
from cardtable.table import Table

DECISIONS = 12
DECK = sorted(FULL_DECK.elements())
KEYS = {
    b"\n": "\n",
    b" ": "",
    b"b": "b",
    b"Q": "q",
    b"g": "g 7",
    b"\x1b[C": "\x1b[c",
    b"\x1bOD": "\x1bod",
    b"\x1b": "\x1b",
}
"""What a terminal sends -> the line that it stands for."""


@pytest.fixture
def table():
    table = open_table(find("muster"), {})
    for _ in range(DECISIONS):
        table.play(choice(table.mask, 0, len(table.history)))
    return table


@pytest.fixture
def path(table, tmp_path):
    Replay.of(table).save(tmp_path / "game.json")
    return str(tmp_path / "game.json")


# ---- Events


@pytest.mark.parametrize("seat", [None, 0, 1])
def test_events_are_told_as_the_seat_saw_them(seat, table, path, capsys):
    chosen = [] if seat is None else ["--seat", str(seat)]
    assert main(["replay", path, "--events", *chosen]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(f"{DECISIONS} decisions, verified")
    assert lines[1:-1] == [table.game.events.sentence(event, seat) for event in table.events(seat)]
    assert lines[-1] == "result: not finished"
    assert main(["replay", path, "--events", "--json", *chosen]) == 0
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == table.events(seat)


def test_moves_and_the_table_are_shown_as_the_seat_sees_them(table, path, capsys):
    for seat in range(2):
        assert main(["replay", path, "--moves", "--seat", str(seat)]) == 0
        assert table.text(seat) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--json"], "--json goes with --events only"),
        (["--step", "--json"], "--json goes with --events only"),
        (["--events", "--seat", "2"], "muster_v0: seat=2: allowed: 0 to 1"),
        (["--step", "--seat", "-1"], "muster_v0: seat=-1: allowed: 0 to 1"),
    ],
)
def test_bad_arguments_are_refused_in_a_line(arguments, message, path, capsys):
    assert main(["replay", path, *arguments]) == 2
    out, error = capsys.readouterr()
    assert message in error
    assert error.count("\n") == 1
    assert not out


@pytest.mark.parametrize("how", ["--events", "--step"])
def test_a_damaged_file_is_refused_before_anything_is_told(how, path, capsys):
    data = json.loads(Path(path).read_text(encoding="utf-8"))
    data["moves"][4]["hash"] = "0"
    Path(path).write_text(json.dumps(data), encoding="utf-8")
    assert main(["replay", path, how]) == 2
    out, error = capsys.readouterr()
    assert "game.json: muster_v0: the replay diverges at step 4" in error
    assert not out


# ---- Steps


def stepped(table, *lines, seat=0):
    """What is said after each line."""
    said, script = [], iter(lines)

    def ask(prompt):
        try:
            return next(script)
        except StopIteration:
            raise EOFError from None

    stepping.step_through(table, seat, ask, said.append)
    return said[2:]


def where(page):
    return int(page.split()[1])


def test_steps_go_forth_back_and_anywhere(table):
    pages = stepped(table, "", "\x1b[C", "n", "b", "\x1b[D", "g 12", " G  3 ", "g0", "q", "never")
    assert [where(page) for page in pages] == [1, 2, 3, 2, 1, 12, 3, 0]


def test_a_page_is_the_table_and_what_happened(table):
    for decisions in range(1, DECISIONS + 1):
        (page,) = stepped(table, f"g {decisions}", "q", seat=1)
        assert rewound(table, decisions).text(1) in page
    told = "\n".join(stepped(table, *[""] * DECISIONS, "q", seat=1))
    assert "player_0 plays " in told
    assert "player_0 draws a hidden card from the pile" in told


def test_steps_beyond_the_ends_and_unknown_lines_are_explained(table):
    said = stepped(table, "b", "g 13", "g " + "9" * 5000, "g -1", "g", "fly", "x" * 5000, "g 12", "", "q")
    assert said[0] == "this is the start of the game"
    assert said[1] == "'g 13': allowed: g 0 to g 12"
    assert "allowed: g 0 to g 12" in said[2]
    assert all(stepping.HELP in line for line in said[3:7])
    assert said[8] == "this is the end of the replay"
    assert max(map(len, [said[2], *said[3:7]])) < 400


class Window(io.StringIO):
    """A terminal, as far as its size is asked for."""

    encoding = "utf-8"

    def isatty(self):
        return True


def test_pages_are_as_wide_as_the_window(table, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Window())
    monkeypatch.setenv("TERM", "dumb")
    for width in (40, 80):
        monkeypatch.setenv("COLUMNS", str(width))
        pages = stepped(table, *[""] * DECISIONS, "fly", "q")
        assert max(len(line) for page in pages for line in page.splitlines()) <= width
        assert "player_0" in pages[-2]


@pytest.mark.parametrize("options", find("murano").variants, ids=variant_id)
def test_pages_of_murano_fit_a_window_of_80_by_24(options, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Window())
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    played = open_table(find("murano"), dict(options), 3)
    while not played.ending and played.length < 60:
        played.play(choice(played.mask, 0, played.length))
    for page in stepped(played, *[""] * played.length, "q", seat=played.players - 1):
        blank, *lines = page.splitlines()
        assert blank == ""
        assert lines[0].startswith("after ")
        assert len([*lines, stepping.PROMPT]) <= 24, page


@pytest.mark.parametrize("options", find("murano").variants, ids=variant_id)
def test_a_window_of_80_by_24_begins_with_the_keys(options, monkeypatch):
    monkeypatch.setattr(sys, "stdout", Window())
    monkeypatch.setenv("TERM", "dumb")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    said = []
    stepping.step_through(open_table(find("murano"), dict(options), 3), 0, lambda prompt: "q", said.append)
    lines = "\n".join([*said, stepping.PROMPT]).splitlines()
    assert lines[0].startswith("Enter or the right arrow")
    assert len(lines) <= 24


def test_lines_are_read_where_there_is_no_terminal(path, monkeypatch, capsys):
    for lines in ("\ng 5\nq\n", "\ng 5\n"):
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        assert main(["replay", path, "--step", "--seat", "1"]) == 0
        out = capsys.readouterr().out
        assert "after 0 of 12 decisions" in out
        assert "after 5 of 12 decisions" in out


def test_lines_are_read_where_keys_cannot_be(monkeypatch):
    monkeypatch.setattr(sys, "stdin", type("Terminal", (), {"isatty": lambda self: True})())
    monkeypatch.setattr(sys, "stdout", type("Terminal", (), {"isatty": lambda self: True})())
    monkeypatch.setattr(stepping, "_module", lambda name: None)
    assert stepping.asker() is input


@pytest.fixture
def terminal():
    pytest.importorskip("termios")
    ours, theirs = os.openpty()
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def test_a_key_stands_for_a_line_and_the_terminal_is_as_before(terminal):
    import termios

    ours, theirs = terminal
    before = termios.tcgetattr(theirs)
    ask = stepping.key_reader(theirs, lambda prompt: "7")
    for pressed, line in KEYS.items():
        threading.Timer(0.1, os.write, (ours, pressed)).start()  # when the terminal waits for a key
        assert ask("> ") == line
        assert termios.tcgetattr(theirs) == before


def test_the_terminal_is_as_before_after_an_interrupt(terminal, monkeypatch):
    import termios

    _, theirs = terminal
    before = termios.tcgetattr(theirs)

    def interrupted(descriptor):
        assert termios.tcgetattr(descriptor) != before
        raise KeyboardInterrupt

    monkeypatch.setattr(stepping, "_key", interrupted)
    with pytest.raises(KeyboardInterrupt):
        stepping.key_reader(theirs, input)("> ")
    assert termios.tcgetattr(theirs) == before


def test_keys_are_read_at_once_again_after_a_stop(terminal, monkeypatch):
    """A shell gives itself the terminal back while we are stopped (Ctrl-Z), and leaves it so when we go on (`fg`)."""
    import termios

    _, theirs = terminal
    before = termios.tcgetattr(theirs)

    def stopped(descriptor):
        at_once = termios.tcgetattr(descriptor)
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)
        os.kill(os.getpid(), signal.SIGCONT)
        assert termios.tcgetattr(descriptor) == at_once
        return "q"

    monkeypatch.setattr(stepping, "_key", stopped)
    assert stepping.key_reader(theirs, input)("> ") == "q"
    assert termios.tcgetattr(theirs) == before


# ---- Tables after so many decisions


@pytest.mark.parametrize("decisions", [-1, DECISIONS + 1, True, 1.5, "1"])
def test_a_table_is_rewound_to_decisions_that_were_made(decisions, table):
    with pytest.raises(OptionError, match="allowed: 0 to 12"):
        rewound(table, decisions)


@pytest.mark.parametrize("start", ["decks", "state"])
def test_a_table_is_rewound_to_its_own_start(start):
    table = Table("muster")
    table.deal(3, 2, {"deck": DECK})
    if start == "state":
        table.play(int(table.mask.argmax()))
        table.load_state_dict(table.state_dict())
    first, origin = table.state_hash(), table.start
    table.play(int(table.mask.argmax()))
    earlier = rewound(table, 0)
    assert earlier.state_hash() == first
    assert earlier.start == origin
    assert len(table.history) == 1
