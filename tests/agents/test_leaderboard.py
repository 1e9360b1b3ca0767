"""The leaderboard: boards are written and read again, a check finds players that changed, and what is published still holds."""

import argparse
import json
from dataclasses import replace

import pytest
from cardtable_agents.arena import tournament
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.leaderboard import board as boards
from cardtable_agents.leaderboard import check, table
from cardtable_agents.leaderboard.command import add_arguments, leaderboard_command

from cardtable.errors import AgentError
from cardtable.game.registry import find, game_ids
from tools import publish_leaderboard

QUICK = ("random", "heuristic:1", "ppo")
"""Players whose games take no time."""
PUBLISHED = [board for game_id in game_ids() for board in boards.published(find(game_id))]


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    """A small board of Muster."""
    plan = make_plan("muster", {}, ["random", "heuristic:1"], publish_leaderboard.SEED)
    lines = tournament.run(plan, 40, tmp_path_factory.mktemp("board"), salt=publish_leaderboard.SALT)
    return publish_leaderboard.board_of(plan, lines, "a command")


def test_a_board_is_read_as_it_was_written(board, tmp_path):
    path = tmp_path / "muster_v0-2.json"
    path.write_text(boards.as_text(board))
    assert boards.read(path) == board
    assert len(board.lines()) == 40
    assert board.players == 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("cardtable leaderboard 1", "cardtable leaderboard 9"),
        ('["random", "heuristic:1"], "', '["random", "nobody"], "'),
        ("0", "z"),
        ("{", "["),
    ],
)
def test_damaged_boards_are_refused(board, tmp_path, old, new):
    path = tmp_path / "board.json"
    text = boards.as_text(board)
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(AgentError, match="not a leaderboard, or damaged"):
        boards.read(path)


def test_the_table_names_everybody_with_rating_wins_and_the_command(board):
    text = table.text(board)
    first, second = (row[0] for row in table.rows(board)[1:])
    assert (first, second) == ("heuristic:1", "random")
    assert "head to head" in text
    assert "made by: a command" in text
    assert "lost to a best response" in text


def test_a_check_plays_the_same_games_again(board):
    found = check.check(board, deals=3)
    assert (found.games, found.same, found.holds) == (6, 6, True)
    assert "the table holds: 6 of 6 games ended as published" in str(found)
    none = check.check(board, deals=3, among=["random"])
    assert none.games == 0
    assert str(none) == "not checked: no game was played again"


def test_a_few_games_that_ended_otherwise_are_no_proof():
    """Four of four may be chance, where a machine reckons otherwise; twelve of twelve are not."""
    assert check._fault("best", [1.0] * 4) == ""
    assert "best does better than published" in check._fault("best", [1.0] * 12)
    assert check._fault("best", []) == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--check", "--among", "random", "nobody"], "--among nobody: not on the leaderboard; its players: .*heuristic"),
        (["--check", "--among", "random"], "--among random: no game is among these players alone"),
        (["--among", "random", "heuristic"], "--among goes with --check"),
    ],
)
def test_a_check_of_nothing_is_no_check(arguments, message):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    with pytest.raises(AgentError, match=message):
        leaderboard_command(parser.parse_args(["muster", "--players", "2", *arguments]))


def test_a_check_finds_players_that_are_not_who_they_were(board):
    turned = replace(board, games={seating[::-1]: symbols for seating, symbols in board.games.items()})
    found = check.check(turned, deals=20)
    assert not found.holds
    assert any("heuristic:1 does better than published" in fault for fault in found.faults)
    other = replace(board, fingerprints=("another", *board.fingerprints[1:]))
    assert check.check(other, deals=1).changed == ("random",)


def test_best_responses_stay_with_the_player_that_they_beat(board):
    beaten = replace(board, exploited={"random": boards.Exploited(1.0, 0.99, 1.0, 1.0, 100)})
    assert publish_leaderboard.with_exploits(board, beaten, []).exploited == beaten.exploited
    assert "99.0% or more" in table.text(beaten)
    changed = replace(beaten, fingerprints=("another", *board.fingerprints[1:]))
    assert not publish_leaderboard.with_exploits(board, changed, []).exploited


def test_best_responses_are_added_to_boards_that_are_there(board, tmp_path, monkeypatch):
    monkeypatch.setattr(boards, "RESULTS", tmp_path)
    monkeypatch.setattr(publish_leaderboard, "PAGE", tmp_path / "page.md")
    (tmp_path / "page.md").write_text("before\n<!-- boards -->\n<!-- end of boards -->\nafter\n")
    place = tmp_path / "muster_v0-2.json"
    place.write_text(boards.as_text(board))
    found = {"game": board.game, "options": board.options, "agent": "random", "fingerprint": board.fingerprints[0]}
    found |= {"rate": 0.9, "interval": [0.8, 0.95], "minutes": 2.0, "games": 50}
    (tmp_path / "exploit.json").write_text(json.dumps(found))
    publish_leaderboard.main(["--page", "--exploits", str(tmp_path / "exploit.json")])
    assert boards.read(place) == replace(board, exploited={"random": boards.Exploited(0.9, 0.8, 0.95, 2.0, 50)})
    assert "80.0% or more (2 min)" in (tmp_path / "page.md").read_text()
    (tmp_path / "other.json").write_text(json.dumps(found | {"fingerprint": "another"}))
    before = place.read_text()
    with pytest.raises(AgentError, match=r"other\.json: no board has a row"):
        publish_leaderboard.main(["--page", "--exploits", str(tmp_path / "exploit.json"), str(tmp_path / "other.json")])
    assert place.read_text() == before


def test_no_board_is_an_error_that_says_what_there_is():
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    with pytest.raises(AgentError, match="no leaderboard of muster_v0 for 3 players; published: "):
        leaderboard_command(parser.parse_args(["muster", "--players", "3"]))


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda board: f"{board.game}-{board.players}")
def test_what_is_published_still_holds(published):
    found = check.check(published, deals=1, among=QUICK)
    assert found.holds, str(found)


def test_the_page_shows_what_is_published():
    assert publish_leaderboard.page(publish_leaderboard.published()) == publish_leaderboard.PAGE.read_text(encoding="utf-8")
