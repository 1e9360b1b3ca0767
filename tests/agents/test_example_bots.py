"""The example bots play every game by the rules, better than chance; those whose tool is not installed are skipped."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from cardtable_agents.arena.match import Match

from cardtable.bots.check import check_bot
from cardtable.game.registry import find, game_ids
from cardtable.players.agent import Clocks

FOLDER = Path(__file__).resolve().parents[2] / "agents" / "examples" / "bots"
BOTS = ["python_bot.py", "javascript_bot.js", "c_bot.c"]
SALT = "5a17" * 8


def need(tool):
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    return tool


def command_of(bot, folder):
    """How an example is run; a program in C is compiled first, and may not have a single warning."""
    if bot.endswith(".py"):
        return f"'{sys.executable}' '{FOLDER / bot}'"
    if bot.endswith(".js"):
        return f"{need('node')} '{FOLDER / bot}'"
    program = folder / "c_bot"
    flags = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
    subprocess.run([need("cc"), *flags, "-o", str(program), str(FOLDER / bot)], check=True)
    return f"'{program}'"


def test_every_file_of_the_folder_is_tried_or_read():
    assert {path.name for path in FOLDER.iterdir() if path.is_file()} == {*BOTS, "README.md"}
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert all(f"`{bot}`" in page for bot in BOTS)


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("game_id", game_ids())
def test_an_example_passes_every_check(bot, game_id, tmp_path):
    game = find(game_id)
    found = list(check_bot(command_of(bot, tmp_path), game, game.variants, Clocks(per_move=60.0)))
    assert [each.found for each in found if each.fault] == []
    assert sum(each.tried.startswith("plays whole games") for each in found) == len(game.variants)
    assert "16 games at once" in found[0].found


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("game_id", game_ids())
def test_an_example_beats_random(bot, game_id, tmp_path):
    """50 % would be chance."""
    players = [f"cmd:{command_of(bot, tmp_path)}", "random"]
    games = Match(find(game_id), {}, players, seed=3, first=0, number=40, salt=SALT).play()
    won = sum(each.returns[0] > each.returns[1] for each in games)
    print(f"{bot} won {won} of {len(games)} games of {game_id}")
    assert won > 26


@pytest.mark.parametrize("bot", ["python_bot.py", "c_bot.c"])
def test_an_example_draws_the_same_with_the_same_seed(bot, tmp_path):
    command = command_of(bot, tmp_path)

    def actions(seed):
        players = [f"cmd:{command} {seed}", "random"]
        return [each.actions for each in Match("muster", {}, players, seed=3, first=0, number=4, salt=SALT).play()]

    assert actions(7) == actions(7) != actions(8)
