"""The command line."""

import json
import re

import pytest
from helpers import choice, open_table

from cardtable.audit import clause_names
from cardtable.cli.arguments import parse_option
from cardtable.cli.main import main
from cardtable.errors import OptionError
from cardtable.game.registry import find, game_ids
from cardtable.game.spec import spec_tables
from cardtable.replay import Replay


def test_games_lists_every_game(capsys):
    assert main(["games"]) == 0
    out = capsys.readouterr().out
    assert all(game_id in out for game_id in game_ids())


@pytest.mark.parametrize("game_id", game_ids())
def test_spec_prints_every_table(game_id, capsys):
    assert main(["spec", game_id.rpartition("_v")[0]]) == 0
    out = capsys.readouterr().out
    assert all(table in out for table in spec_tables(find(game_id)).values())


@pytest.mark.parametrize("game_id", game_ids())
def test_rules_prints_every_clause(game_id, capsys):
    game = find(game_id)
    assert main(["rules", game_id, "--all"]) == 0
    out = capsys.readouterr().out
    assert all(re.search(rf"\b{re.escape(clause.rpartition('-')[2])}\b", out) for clause in clause_names(game))
    assert out.startswith("# ")


@pytest.mark.parametrize("game_id", game_ids())
def test_random_sums_up_games(game_id, capsys):
    assert main(["random", game_id, "--games", "1500", "--seed", "3"]) == 0
    out = capsys.readouterr().out
    assert "1,500 random games" in out
    assert "player_1" in out


def test_audit_counts_clauses_under_options(capsys):
    assert main(["audit", "muster", "--games", "50", "-o", "max_turns=5", "--option", "streamlined=true"]) == 0
    out = capsys.readouterr().out
    assert "max_turns=5 streamlined=True: 50 games, " in out
    assert "100.0% cut off" in out
    assert re.search(r"^  MUS-6\.5 +50$", out, re.MULTILINE)


def test_audit_goes_through_all_variants(capsys):
    assert main(["audit", "murano", "--games", "2"]) == 0
    out = capsys.readouterr().out
    assert out.count(": 2 games, ") == len(find("murano").variants)
    assert "edition=example_edition.toml" in out


def test_signature_of_one_game_and_of_all(capsys):
    assert main(["signature", "muster", "--games", "1"]) == 0
    single = capsys.readouterr().out
    assert main(["signature", "--games", "1"]) == 0
    assert single in capsys.readouterr().out


def test_replay_verifies_and_shows_a_game(tmp_path, capsys):
    table = open_table(find("muster"), {})
    for _ in range(9):
        table.play(choice(table.mask, 0, len(table.history)))
    Replay.of(table).save(tmp_path / "game.json")
    assert main(["replay", str(tmp_path / "game.json"), "--moves"]) == 0
    out = capsys.readouterr().out
    assert "9 decisions, verified" in out
    assert table.game.actions.names[table.history[3]] in out
    data = json.loads((tmp_path / "game.json").read_text())
    data["moves"][4]["hash"] = "0"
    (tmp_path / "game.json").write_text(json.dumps(data))
    assert main(["replay", str(tmp_path / "game.json")]) == 2
    assert "diverges at step 4" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "chess"], "no game is called 'chess'"),
        (["random", "muster", "-o", "colour=red"], "unknown option 'colour'"),
        (["random", "muster", "-o", "max_turns=zero"], "max_turns='zero'"),
        (["random", "muster", "-o", "max_turns"], "write name=value"),
        (["random", "muster", "--seed", "-4"], "seed=-4"),
        (["replay", "missing.json"], "missing.json: cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, message, capsys):
    assert main(arguments) == 2
    err = capsys.readouterr().err
    assert message in err
    assert "Traceback" not in err


def test_argparse_refuses_nonsense_with_help(capsys):
    for arguments in (["fly"], [], ["random", "muster", "--games", "0"]):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 2
    with pytest.raises(SystemExit) as caught:
        main(["random", "--help"])
    assert caught.value.code == 0
    assert "max_turns=100" in capsys.readouterr().out


def test_option_values():
    assert parse_option("a=true") == ("a", True)
    assert parse_option("a=False") == ("a", False)
    assert parse_option("a=3") == ("a", 3)
    assert parse_option('a=["x", "y"]') == ("a", ["x", "y"])
    assert parse_option("a=draft") == ("a", "draft")
    with pytest.raises(OptionError):
        parse_option("=3")


def test_a_command_may_have_subcommands_with_arguments_of_their_own(monkeypatch, capsys):
    from cardtable.cli import main as cli
    from cardtable.cli.command import Command

    def run_one(args):
        """Do one."""
        print("one", args.what)

    def run_two(args):
        """Do two."""
        print("two", args.file, args.jobs)

    def add_two(parser):
        parser.add_argument("file")
        parser.add_argument("--jobs", type=int, default=1)

    two = Command("two", run_two, add_two)
    command = Command("one", run_one, lambda parser: parser.add_argument("what", nargs="?"), (two,))
    monkeypatch.setattr(cli, "all_commands", lambda: [command])
    assert main(["one", "three"]) == 0
    assert main(["one", "two", "file.toml", "--jobs", "3"]) == 0
    assert main(["one"]) == 0
    assert capsys.readouterr().out == "one three\ntwo file.toml 3\none None\n"
    with pytest.raises(SystemExit):
        main(["one", "two"])
    assert "usage: cardtable one two" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "one two" in capsys.readouterr().out
