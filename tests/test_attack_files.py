"""The attacks on files, with few cases: `python -m tools.attack` runs them in the size of docs/reliability.md."""

import os

import pytest

from tools.attack.policies import damaged_checkpoints, damaged_policies, killed_trainings
from tools.attack.replays import damaged_replays, killed_saves

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")


@pytest.mark.parametrize("attack", [damaged_policies, damaged_replays], ids=lambda attack: attack.__name__)
def test_damaged_files_are_refused_or_harmless(attack):
    tally = attack(40, seed=3)
    assert tally.failures == []
    assert tally.tried == 40
    assert tally.outcomes["refused"] > 20


def test_damaged_checkpoints_are_refused_or_harmless():
    tally = damaged_checkpoints(20, seed=3)
    assert tally.failures == []
    assert tally.outcomes["refused"] > 10


@needs_fork
@pytest.mark.parametrize("attack", [killed_saves, killed_trainings], ids=lambda attack: attack.__name__)
def test_kills_lose_nothing(attack):
    tally = attack(3, seed=3)
    assert tally.failures == []
    assert tally.tried == 3
