"""Every clause of RULES.md has a test, and every mark names a clause."""

import ast
import re
from pathlib import Path

import muster_env
from muster_env.clauses import Clause

RULES = Path(muster_env.__file__).parent / "RULES.md"
HERE = Path(__file__).parent


def clauses_of_the_rules():
    """The ids that begin a list item of RULES.md, in order."""
    return re.findall(r"^- \*\*(MUS-[0-9.]+[a-z]?)\*\*", RULES.read_text(encoding="utf-8"), flags=re.MULTILINE)


def marked_clauses():
    """The ids in all `clause(…)` marks of the tests here."""
    for path in sorted(HERE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "clause":
                for argument in node.args:
                    yield ast.literal_eval(argument)


def test_every_clause_has_a_test():
    marked = set(marked_clauses())
    assert [clause for clause in clauses_of_the_rules() if clause not in marked] == []


def test_every_mark_names_a_clause():
    assert sorted(set(marked_clauses()) - set(clauses_of_the_rules())) == []


def test_no_clause_is_given_twice():
    clauses = clauses_of_the_rules()
    assert len(clauses) == len(set(clauses)) == 48


def test_the_clauses_counted_in_audits_are_those_of_the_rules():
    names = [clause.name.replace("_", "-", 1).replace("_", ".") for clause in Clause]
    assert sorted(set(names) - set(clauses_of_the_rules())) == []
