"""What tests of agents share."""

from dataclasses import replace

import pytest
from small_runs import SHORT


@pytest.fixture
def short_command(monkeypatch):
    """Let `cardtable train` make rounds, updates and evaluations of a second."""
    from cardtable_agents.training import command

    settings_of = command.settings_of
    monkeypatch.setattr(command, "settings_of", lambda args: replace(settings_of(args), **SHORT))
