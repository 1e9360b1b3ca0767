"""The table of libraries is united from several environments, says honestly who learns, and the page shows its rows."""

import importlib
import json
import re
import sys
import types
from pathlib import Path

import pytest

from benchmarks import cost, ecosystem
from benchmarks.libraries import Learned, Library, library_names
from benchmarks.libraries.__main__ import measured

ROOT = Path(__file__).parent.parent
ROW = {"name": "One", "package": "one", "version": "1", "line": "one()", "rate": 1234.5, "learned": None}


def test_rows_of_libraries_measured_now_replace_earlier_ones_and_no_others():
    earlier = [ROW, {**ROW, "package": "two", "name": "Two"}]
    newer = {**ROW, "rate": 2.0}
    assert ecosystem.united(earlier, [newer]) == [newer, earlier[1]]


@pytest.mark.parametrize(
    ("before", "after", "games", "word"),
    [(0.5, 0.9, 200, "yes"), (0.5, 0.55, 200, "no"), (0.5, 0.4, 1000, "no"), (0.5, 0.9, 4, "no")],
)
def test_learning_is_claimed_only_where_chance_does_not_give_it(before, after, games, word):
    assert ecosystem.learns({"before": before, "after": after, "games": games, "seconds": 3}).startswith(f"{word}: ")


def test_a_row_says_what_was_measured():
    learned = Learned(0.5, 0.8, 100, 1.0)
    library = Library("NumPy", "numpy", "line", rate=lambda seconds: 10 * seconds, learn=lambda seconds: learned)
    row = measured(library, 2.0, 1.0)
    assert (row["rate"], row["learned"]["after"]) == (20.0, 0.8)
    assert measured(library, 2.0, 0)["learned"] is None
    assert "| `line` |" in ecosystem.table([json.loads(json.dumps(row))])


def test_a_missing_library_is_skipped_with_a_line(monkeypatch, capsys):
    monkeypatch.setattr(
        ecosystem.subprocess, "run", lambda *_, **__: ecosystem.subprocess.CompletedProcess([], 3, "", "No module named x")
    )
    assert ecosystem.measure("x", ()) == []
    assert "skipped: x: No module named x" in capsys.readouterr().err


def test_unknown_libraries_are_refused_with_those_that_are_known(capsys):
    with pytest.raises(SystemExit):
        ecosystem.main(["nothing"])
    assert f"unknown: nothing; known: {', '.join(library_names())}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("extra", "library"),
    [
        ("jax", "jax"),
        ("openspiel", "pyspiel"),
        ("rllib", "ray"),
        ("sb3", "stable_baselines3"),
        ("tianshou", "tianshou"),
        ("torchrl", "tensordict"),
    ],
)
def test_a_module_whose_library_is_missing_names_the_extra_that_brings_it(extra, library, monkeypatch):
    for name in [library, *(each for each in sys.modules if each.startswith(f"{library}."))]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, f"cardtable.envs.{extra}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"{library}.* need pip install 'cardtable\[{extra}\]'") as caught:
        importlib.import_module(f"cardtable.envs.{extra}")
    assert caught.value.name.startswith(library)


def test_a_library_of_another_version_is_not_said_to_be_missing(monkeypatch):
    """What the version that is there does not have is told as Python tells it."""
    monkeypatch.setitem(sys.modules, "tianshou", types.ModuleType("tianshou"))
    monkeypatch.setitem(sys.modules, "tianshou.data", types.ModuleType("tianshou.data"))
    monkeypatch.delitem(sys.modules, "cardtable.envs.tianshou", raising=False)
    with pytest.raises(ImportError, match=r"^cannot import name 'Batch'"):
        importlib.import_module("cardtable.envs.tianshou")


def test_the_page_shows_the_published_rows():
    rows = ecosystem.published()
    assert not rows or ecosystem.page_text(rows) in ecosystem.PAGE.read_text(encoding="utf-8")


def pins():
    """The versions that everything is tested with: of each package those in the files of constraints."""
    found = {}
    for name in ("constraints.txt", "constraints-rllib.txt"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for package, version in re.findall(r"^([\w-]+)==(\S+)$", text, flags=re.MULTILINE):
            found.setdefault(package, []).append(version)
    return found


def test_the_versions_of_the_table_are_those_that_are_tested():
    rows = ecosystem.published()
    assert rows
    for row in rows:
        assert row["version"].partition("+")[0] == pins()[row["package"].replace("_", "-")][0], row["name"]


@pytest.mark.parametrize("page", sorted(ecosystem.PAGE.parent.glob("[!R]*.md")), ids=lambda page: page.stem)
def test_pages_say_which_versions_are_tested(page):
    told = re.findall(r"[Tt]ested with ([^\n]+)", page.read_text(encoding="utf-8"))
    assert len(told) == 1
    versions = re.findall(r"\d+\.\d+\.\d+", told[0])
    assert versions
    assert set(versions) <= {version for each in pins().values() for version in each}


def test_the_page_of_costs_shows_the_published_rows():
    results = cost.published()
    assert results
    assert cost.page_text(results) in cost.PAGE.read_text(encoding="utf-8")
    told = [(0.00026 * cost.MILLION, "4.3 min"), (119.9, "120 s"), (7199, "120 min"), (79140, "22 h"), (0.26, "0.26 s")]
    assert [cost.hours(seconds) for seconds, _ in told] == [words for _, words in told]


@pytest.mark.parametrize("wrong", [["--quick", "--write"], ["--games", "muster_v0", "--write"], ["--rounds", "0"]], ids=str)
def test_costs_that_mean_nothing_are_not_published(wrong, monkeypatch):
    monkeypatch.setattr(cost, "publish", None)
    monkeypatch.setattr(cost, "seconds_of_a_game", None)
    with pytest.raises(SystemExit):
        cost.main(wrong)
