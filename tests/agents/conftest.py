"""What tests of agents share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from cardtable_agents.training import run
from small_runs import Counter

if TYPE_CHECKING:
    from chromium import Visit
    from playwright.sync_api import Browser


@pytest.fixture
def counter(monkeypatch):
    """Let runs have a learner that takes no time; its class, for tests that change it."""

    class Own(Counter):
        pass

    monkeypatch.setattr(run, "make_learner", Own)
    return Own


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """Chromium. Of a module, not of all: while Playwright runs, no test can run an event loop of its own."""
    from chromium import CHROMIUM, QUIET
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "CARDTABLE_NEEDS_BROWSER is set, but there is no chromium"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield launched
        launched.close()


@pytest.fixture
def visit(browser: "Browser") -> Iterator["Visit"]:
    """A page at a desk."""
    from chromium import visiting

    with visiting(browser) as made:
        yield made
