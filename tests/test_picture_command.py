"""`cardtable picture`: what is drawn, for whom, and that no file is lost."""

import numpy as np
import pytest
from helpers import open_table

from cardtable.cli.main import main
from cardtable.game.registry import find, game_ids
from cardtable.replay import Replay
from cardtable.table import Table

PNG = b"\x89PNG\r\n\x1a\n"
DECISIONS = 9


@pytest.fixture
def played():
    table, generator = open_table(find("muster_v0"), {}), np.random.default_rng(4)
    for _ in range(DECISIONS):
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
    return table


@pytest.fixture
def replay(played, tmp_path):
    path = tmp_path / "game.json"
    Replay.of(played).save(path)
    return path


def picture(tmp_path, *arguments):
    """What the command writes."""
    out = tmp_path / "picture.svg"
    out.unlink(missing_ok=True)
    assert main(["picture", *map(str, arguments), "--out", str(out)]) == 0
    return out.read_text(encoding="utf-8")


@pytest.mark.parametrize("game_id", game_ids())
def test_a_new_game_is_drawn_as_the_seat_to_act_sees_it(game_id, tmp_path, capsys):
    table = Table(game_id)
    table.deal(5)
    assert picture(tmp_path, game_id, "--seed", 5) == table.picture(table.seat)
    assert "after 0 decisions, as player_0 sees it" in capsys.readouterr().out


def test_random_decisions_are_the_same_again(tmp_path):
    first = picture(tmp_path, "muster", "--step", 7)
    assert first == picture(tmp_path, "muster", "--step", 7)
    assert first != picture(tmp_path, "muster", "--step", 6)


def test_a_replay_is_drawn_at_any_step_from_any_seat(replay, played, tmp_path):
    assert picture(tmp_path, replay, "--open") == played.picture(None)
    assert picture(tmp_path, replay, "--seat", 1, "--theme", "dark") == played.picture(1, theme="dark")
    table = open_table(find("muster_v0"), {})
    for action in played.history[:4]:
        table.play(action)
    assert picture(tmp_path, replay, "--step", 4) == table.picture(table.seat)
    assert picture(tmp_path, replay, "--step", DECISIONS, "--seat", 0) == played.picture(0)


def test_options_of_the_game(tmp_path):
    assert "grandmaster" in picture(tmp_path, "murano", "-o", "grandmaster=true", "-o", "num_players=3")


def test_png_of_a_width(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "picture.png"
    assert main(["picture", "muster", "--out", str(out), "--width", "320"]) == 0
    content = out.read_bytes()
    assert content.startswith(PNG)
    assert int.from_bytes(content[16:20], "big") == 320


def test_a_file_that_exists_is_replaced_only_if_told(tmp_path, capsys):
    out = tmp_path / "picture.svg"
    out.write_text("mine")
    assert main(["picture", "muster", "--out", str(out)]) != 0
    assert "exists: choose another file, or overwrite it (--overwrite)" in capsys.readouterr().err
    assert out.read_text() == "mine"
    assert main(["picture", "muster", "--out", str(out), "--overwrite"]) == 0
    assert out.read_text().startswith("<svg")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["muster", "--out", "p.gif"], "the name of a picture ends with .svg or .png"),
        (["lost.json", "--out", "p.svg"], "'lost.json': there is no such replay"),
        (["chess", "--out", "p.svg"], "no game is called 'chess'"),
        (["muster", "--step", "100000", "--out", "p.svg"], "this random game is over after"),
        (["muster", "--seat", "7", "--out", "p.svg"], "seat=7: allowed: 0 to 1"),
        (["muster", "--width", "300", "--out", "p.svg"], "an SVG is as wide as it is shown"),
        (["muster", "--width", "5000", "--out", "p.png"], "--width 5000: allowed: 1 to 4000 pixels"),
        (["muster", "--out", "nowhere/p.svg"], "nowhere"),
    ],
    ids=str,
)
def test_what_cannot_be_drawn_is_refused_and_nothing_written(arguments, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["picture", *arguments]) != 0
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_seeds_and_options_are_not_for_replays(replay, tmp_path, capsys):
    assert main(["picture", str(replay), "--seed", "1", "--out", str(tmp_path / "p.svg")]) != 0
    assert "--seed and --option go with a GAME only" in capsys.readouterr().err
    assert main(["picture", str(replay), "--step", "99", "--out", str(tmp_path / "p.svg")]) != 0
    assert f"decisions=99: allowed: 0 to {DECISIONS}" in capsys.readouterr().err


def test_a_step_may_be_the_first_and_says_so(capsys):
    with pytest.raises(SystemExit):
        main(["picture", "muster", "--step", "-1", "--out", "p.svg"])
    assert "'-1': allowed: integers from 0 to 1,000,000,000" in capsys.readouterr().err
