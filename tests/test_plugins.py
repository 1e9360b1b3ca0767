"""Games, players and commands of other packages join by entry point; a broken one is named and breaks nothing else."""

import importlib

import pytest

import cardtable
from cardtable.cli.main import main
from cardtable.errors import AgentError, UnknownGame
from cardtable.game import registry
from cardtable.players import roster

STRANGER = '''
from cardtable import Agent, find
from cardtable.cli.command import Command


class First(Agent):
    about = "the first legal action"

    def act(self, views):
        return views.mask.argmax(axis=1)


def greet(args):
    """Say hello."""
    print("hello")


GREET = Command("greet", greet)
GAMES = Command("games", greet)
MUSTER = find("muster")
NUMBER = 3
'''


def forget():
    registry._points.cache_clear()
    roster._installed.cache_clear()


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Install a package with these lines of entry points."""

    def put(*lines):
        (tmp_path / "stranger_of_tests.py").write_text(STRANGER)
        (tmp_path / "broken_of_tests.py").write_text("import no_such_library\n")
        about = tmp_path / "stranger-1.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n")
        (about / "entry_points.txt").write_text("\n".join(lines))
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        forget()

    forget()
    yield put
    monkeypatch.undo()
    forget()


def test_a_player_joins(install):
    install("[cardtable.players]", "first = stranger_of_tests:First")
    env = cardtable.make("muster")
    env.reset(seed=1)
    assert cardtable.make_agent("first", "muster").choose(env) == env.last()[0]["action_mask"].argmax()
    assert "the first legal action" in roster.table()


def test_a_command_joins(install, capsys):
    install("[cardtable.commands]", "greet = stranger_of_tests:GREET")
    assert main(["greet"]) == 0
    assert capsys.readouterr().out == "hello\n"


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("broken_of_tests:X", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_library'"),
        ("stranger_of_tests:ABSENT", "cannot be loaded: AttributeError: "),
        ("no_such_module:X", "cannot be loaded: ModuleNotFoundError: "),
        ("stranger_of_tests:NUMBER", "is a int, not a "),
    ],
)
class TestBroken:
    def test_command(self, install, capsys, value, reason):
        install("[cardtable.commands]", f"boom = {value}")
        with pytest.raises(SystemExit, match="0"):
            main(["--help"])
        assert "Cannot be loaded: run it to see why." in " ".join(capsys.readouterr().out.split())
        assert main(["boom"]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"cardtable: the command 'boom' ({value} of stranger) {reason}")
        assert said.count("\n") == 1

    def test_player(self, install, value, reason):
        install("[cardtable.players]", f"boom = {value}")
        row = next(line for line in roster.table().splitlines() if line.startswith("boom"))
        assert f"'boom' ({value} of stranger) {reason}" in row
        with pytest.raises(AgentError, match="boom"):
            cardtable.make_agent("boom", "muster")
        cardtable.make_agent("random", "muster")

    def test_game(self, install, capsys, value, reason):
        install("[cardtable.games]", f"boom_v0 = {value}")
        assert main(["games"]) == 0
        said = capsys.readouterr()
        assert "muster_v0" in said.out
        assert said.err.startswith(f"cardtable: 'boom_v0' ({value} of stranger) {reason}")
        with pytest.raises(UnknownGame, match="boom_v0"):
            cardtable.make("boom")


def test_a_command_does_not_take_the_name_of_another(install, capsys):
    install("[cardtable.commands]", "games = stranger_of_tests:GAMES")
    assert main(["games"]) == 0
    said = capsys.readouterr()
    assert "muster_v0" in said.out
    assert said.err == "cardtable: the command 'games' of stranger_of_tests is left out: there is one of that name\n"


def test_a_class_that_is_no_agent_is_no_player(install):
    install("[cardtable.players]", "boom = stranger_of_tests:Command")
    with pytest.raises(AgentError, match="not a class of agents"):
        cardtable.make_agent("boom", "muster")


def test_a_game_is_called_as_its_entry_point(install):
    install("[cardtable.games]", "whist_v0 = stranger_of_tests:MUSTER")
    with pytest.raises(UnknownGame, match=r"'whist_v0' .* leads to a game that calls itself 'muster_v0'"):
        cardtable.find("whist_v0")


def test_a_name_without_a_version_is_the_latest_by_number(install):
    install("[cardtable.games]", *(f"whist_v{version} = stranger_of_tests:MUSTER" for version in (2, 9, 10)))
    with pytest.raises(UnknownGame, match="the entry point 'whist_v10'"):
        cardtable.find("whist")
