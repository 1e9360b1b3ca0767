"""What tests of agents share."""

import pytest
from cardtable_agents.training import run
from small_runs import Counter


@pytest.fixture
def counter(monkeypatch):
    """Let runs have a learner that takes no time; its class, for tests that change it."""

    class Own(Counter):
        pass

    monkeypatch.setattr(run, "make_learner", Own)
    return Own
