"""The wheel: what is in it, and that it works where the repository is not and another package is called `agents`."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from test_snippets import snippets

import cardtable
from cardtable.game.registry import find
from cardtable.players.roster import prepare_agents
from cardtable.replay import Replay

ROOT = Path(cardtable.__file__).resolve().parent.parent
PACKAGES = {
    "artisans_env": ROOT / "artisans_env",
    "cardtable": ROOT / "cardtable",
    "cardtable_agents": ROOT / "agents" / "cardtable_agents",
    "murano_env": ROOT / "murano_env",
    "muster_env": ROOT / "muster_env",
}
PLAYERS = ("best", "cmd", "heuristic", "ppo", "random", "sb3", "search")
OFFLINE = ("Could not find a version that satisfies the requirement hatchling", "No matching distribution found for hatchling")

WITHOUT_THE_REPOSITORY = """
import os, sys
here = os.path.dirname(__file__)
ours = ("cardtable", "cardtable_agents")
sys.path[:] = [each for each in sys.path if each == here or not any(os.path.isdir(os.path.join(each, name)) for name in ours)]
"""
"""Python runs it as it starts: of all folders with our packages, only the one in which the wheel is installed stays."""


def pip(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel of this repository."""
    folder = tmp_path_factory.mktemp("wheel")
    done = pip("wheel", "--no-deps", "--wheel-dir", str(folder), str(ROOT))
    if done.returncode and any(reason in done.stdout + done.stderr for reason in OFFLINE):
        pytest.skip("the wheel is built by hatchling, which pip can neither find here nor fetch")
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def files(wheel) -> list[str]:
    """The names of all files in it."""
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def test_the_wheel_has_these_names_at_the_top(files):
    about = f"cardtable-{cardtable.__version__}.dist-info"
    assert {name.partition("/")[0] for name in files} == {*PACKAGES, about}
    assert not any({"agents", "tests", "tools", "examples", "benchmarks"} & set(name.split("/")) for name in files)


def test_the_wheel_holds_all_files_of_the_packages_and_no_other(files):
    expected = {
        f"{package}/{path.relative_to(folder).as_posix()}"
        for package, folder in PACKAGES.items()
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert {name for name in files if ".dist-info/" not in name} == expected


def test_rules_policies_and_marks_of_types_are_in_the_wheel(files):
    games = [package for package in PACKAGES if package.endswith("_env")]
    assert {f"{game}/RULES.md" for game in games} < set(files)
    assert {f"{package}/py.typed" for package in PACKAGES} < set(files)
    for game in games:
        policies = f"cardtable_agents/policies/{game.removesuffix('_env')}_v0"
        assert any(name.startswith(policies) and name.endswith(".safetensors") for name in files)


# ---- Installed, beside another package called `agents`


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """Where the wheel is installed."""
    folder = tmp_path_factory.mktemp("installed")
    done = pip("install", "--no-deps", "--target", str(folder), str(wheel))
    assert done.returncode == 0, done.stderr
    (folder / "sitecustomize.py").write_text(WITHOUT_THE_REPOSITORY)
    return folder


@pytest.fixture
def elsewhere(tmp_path) -> Path:
    """The folder that programs run in, so the first that they import from: in it is another package called `agents`."""
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "__init__.py").write_text("OURS = False\n")
    (tmp_path / "agents" / "players.py").write_text("raise ImportError('somebody asked for agents.players')\n")
    return tmp_path


def run(installed: Path, folder: Path, *arguments: str, typed: str = "") -> "subprocess.CompletedProcess[str]":
    """Run Python in a folder, with the wheel and without the repository. What is compiled is kept where it always is."""
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    done = subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, input=typed, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


WHERE = """
import agents, artisans_env, cardtable, cardtable_agents, murano_env, muster_env
from cardtable.game.registry import find, game_ids
from cardtable.players.roster import names
from cardtable_agents.players import heuristic
for each in (agents, artisans_env, cardtable, cardtable_agents, murano_env, muster_env):
    print(each.__file__)
print(*game_ids(), *names())
"""


def test_all_packages_are_those_of_the_wheel_and_agents_is_the_other_one(installed, elsewhere):
    other, *ours, found = run(installed, elsewhere, "-c", WHERE).stdout.splitlines()
    assert other == str(elsewhere / "agents" / "__init__.py")
    assert all(path.startswith(str(installed)) for path in ours)
    assert found.split() == ["artisans_v0", "murano_v0", "muster_v0", *PLAYERS]


@pytest.mark.parametrize(
    "code", [code for page, code in snippets() if page == "README.md"], ids=lambda code: code.strip().splitlines()[0]
)
def test_the_snippets_of_the_readme_run(installed, elsewhere, code):
    run(installed, elsewhere, "-W", "error", "-c", f"{code}\nimport agents; assert not agents.OURS")


@pytest.fixture(scope="module")
def prepared() -> None:
    """The repository has compiled Muster."""
    prepare_agents(find("muster"))


@pytest.mark.usefixtures("prepared")
def test_an_arena_is_played_with_what_the_repository_has_compiled(installed, elsewhere):
    command = "-m cardtable arena muster random heuristic --games 4 --workers 1 -o max_turns=20 --out results"
    done = run(installed, elsewhere, *command.split())
    assert "compiling" not in done.stderr
    assert "heuristic" in done.stdout
    assert len((elsewhere / "results" / "games.jsonl").read_text().splitlines()) >= 4


@pytest.mark.usefixtures("prepared")
def test_a_person_plays_from_the_terminal(installed, elsewhere):
    command = "-m cardtable play muster --against random --seed 7 --save game.json -o max_turns=20"
    done = run(installed, elsewhere, *command.split(), typed="1\n" * 100)
    assert "you are player_0" in done.stdout
    assert "compiling" not in done.stderr
    assert Replay.load(elsewhere / "game.json").verify().ending
