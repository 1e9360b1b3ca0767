"""The attacks on results that docs/reliability.md reports on, in a small size."""

import os

import pytest
from cardtable_agents.arena import results

from tools.attack.results import damaged_results, killed_arenas


def test_damaged_results_are_refused_or_harmless(sized):
    tally = damaged_results(sized(60), seed=2)
    assert tally.failures == []
    assert tally.outcomes["refused"] >= tally.tried / 2
    assert tally.tried == sized(60)


def test_the_attack_finds_lines_that_are_not_checked(monkeypatch):
    monkeypatch.setattr(results, "_check", lambda text, header_digest: "0" * 16)
    assert damaged_results(40, seed=2).failures


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_killed_arenas_go_on(sized):
    tally = killed_arenas(sized(1), seed=2)
    assert tally.failures == []
    assert tally.tried == sized(1)
