"""Tables as plain text."""

import os
import subprocess
import sys

import pytest

from cardtable.support.columns import aligned, terminal_width

ROWS = [["agent", "games", "score"], ["ppo:/runs/a [1]/policy.safetensors", "1,234,567", "-0.50"], ["random", "8", "12.25"]]


def test_columns_are_as_wide_as_their_widest_cell_and_lines_end_with_text():
    assert aligned(ROWS, "lrr").splitlines() == [
        "agent                                   games  score",
        "ppo:/runs/a [1]/policy.safetensors  1,234,567  -0.50",
        "random                                      8  12.25",
    ]
    assert aligned([["a", ""], ["bb", "c"]], "ll") == "a\nbb  c"
    assert aligned([], "") == ""


def test_columns_that_do_not_fit_follow_below_beside_the_first_and_no_number_is_cut():
    rows = [["agent", "games", "score", "Elo"], ["a", "1,000", "-0.50", "+331"], ["random", "1,000", "12.25", "-786"]]
    whole = aligned(rows, "lrrr")
    assert aligned(rows, "lrrr", 26) == whole
    assert aligned(rows, "lrrr", 25).split("\n\n") == [
        "agent   games  score\na       1,000  -0.50\nrandom  1,000  12.25",
        "agent    Elo\na       +331\nrandom  -786",
    ]
    assert [len(block.splitlines()) for block in aligned(rows, "lrrr", 1).split("\n\n")] == [3, 3, 3]
    assert sorted(set(aligned(rows, "lrrr", 1).split())) == sorted(set(whole.split()))


@pytest.mark.parametrize("terminal", [True, False])
def test_the_width_is_that_of_a_terminal_and_none_of_a_pipe(terminal, monkeypatch):
    monkeypatch.setenv("COLUMNS", "72")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    assert terminal_width() == (72 if terminal else None)


@pytest.mark.parametrize("rows", [[["a", "b"], ["c"]], [["a"]], [["a", "b", "c"]]], ids=str)
def test_a_row_with_too_few_or_too_many_cells_is_a_mistake(rows):
    with pytest.raises(ValueError):
        aligned(rows, "lr")


@pytest.mark.parametrize("command", ["games", "agents"])
def test_piped_tables_are_plain_and_whole_however_narrow_the_terminal(command):
    """No colours, nothing cut, whatever the environment says of the terminal."""
    program = f"import sys; from cardtable.cli.main import main; sys.exit(main([{command!r}]))"
    outputs = []
    for terminal in ({"COLUMNS": "20", "TERM": "dumb"}, {"COLUMNS": "300", "FORCE_COLOR": "1", "TERM": "xterm-256color"}):
        environment = {**os.environ, **terminal}
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment)
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert "\x1b" not in outputs[0]
    assert "…" not in outputs[0]
    assert all(line == line.rstrip() for line in outputs[0].splitlines())
