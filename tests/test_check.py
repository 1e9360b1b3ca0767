"""`make check` tests the rules of the games that a change is about."""

import pytest

from tools.check import GAMES, games_of


@pytest.mark.parametrize(
    ("file", "games"),
    [
        ("muster_env/rules/swaps.py", ["muster"]),
        ("tests/murano/test_turn.py", ["murano"]),
        ("cardtable/engine/loops.py", [*GAMES]),
        ("cardtable/support/plain.py", [*GAMES]),
        ("cardtable/types.py", [*GAMES]),
        ("cardtable/envs/sb3.py", []),
        ("docs/agents.md", []),
    ],
)
def test_a_change_calls_for_the_rules_of_its_games(file, games):
    assert games_of([file]) == games
    assert games_of(["README.md", file]) == games


def test_changes_of_two_games_call_for_both():
    assert games_of(["muster_env/env.py", "artisans_env/env.py"]) == ["artisans", "muster"]
