"""The map of clauses: each of RULES.md has a test, each mark names a clause."""

import re
from pathlib import Path

import artisans_env
from artisans_env.env import GAME
from cardtable.audit import clause_names

RULES = Path(artisans_env.__file__).with_name("RULES.md").read_text(encoding="utf-8")
CLAUSES = set(re.findall(r"^- \*\*(ART-[\d.]+)\*\*", RULES, flags=re.MULTILINE))


def marked() -> set[str]:
    """Every clause that a test of this folder is marked with."""
    found = set()
    for path in Path(__file__).parent.glob("test_*.py"):
        for mark in re.findall(r"@pytest\.mark\.clause\(([^)]*)\)", path.read_text(encoding="utf-8")):
            found.update(re.findall(r'"([^"]+)"', mark))
    return found


def test_every_clause_has_a_test_and_every_mark_names_a_clause():
    assert len(CLAUSES) == 40
    assert marked() == CLAUSES


def test_random_play_counts_clauses_of_the_rules_only():
    assert set(clause_names(GAME)) <= CLAUSES
