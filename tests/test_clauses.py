"""The map of clauses: each clause of a RULES.md has a test, each mark names a clause, and random play counts clauses."""

import importlib
import re
from pathlib import Path

import pytest

from cardtable.audit import clause_names
from cardtable.game.registry import find, game_ids

NAMES = [game_id.rpartition("_v")[0] for game_id in game_ids()]


def clauses(name: str) -> list[str]:
    """The ids in a game's RULES.md: list items that begin with one in bold."""
    package = importlib.import_module(f"{name}_env")
    assert package.__file__ is not None
    rules = Path(package.__file__).with_name("RULES.md").read_text(encoding="utf-8")
    return re.findall(r"^- \*\*([A-Z]{3}-[\d.]+[a-z]?)\*\*", rules, flags=re.MULTILINE)


def marked(name: str) -> set[str]:
    """Every clause that a test of the game is marked with."""
    found = set()
    for path in (Path(__file__).parent / name).glob("test_*.py"):
        for mark in re.findall(r"@pytest\.mark\.clause\(([^)]*)\)", path.read_text(encoding="utf-8")):
            found.update(re.findall(r'"([^"]+)"', mark))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_every_clause_has_a_test_and_every_mark_names_a_clause(name):
    written = clauses(name)
    assert len(written) == len(set(written)) >= 40
    assert marked(name) == set(written)


@pytest.mark.parametrize("name", NAMES)
def test_random_play_counts_clauses_of_the_rules_only(name):
    assert set(clause_names(find(name))) <= set(clauses(name))
