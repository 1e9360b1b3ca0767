"""What all tests share: which game and variant a test runs on, and markers."""

import time
from collections.abc import Callable

import pytest

OUT_OF_TIME = "would have begun after the minutes that were given"
NOT_ALL_RUN = "not-all-run"
"""A file in pytest's cache: the last run was cut short."""
BEGUN = pytest.StashKey[float]()
"""When the first test of this process began."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--size", type=float, default=1.0, help="multiplies the number of cases that long tests try (default 1)")
    about = "for slow machines: tests that would begin later are skipped, and counted at the end (default: all are run)"
    parser.addoption("--minutes", type=float, metavar="N", help=about)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    minutes, now = item.config.getoption("--minutes"), time.monotonic()
    if minutes is not None and now - item.config.stash.setdefault(BEGUN, now) > 60 * minutes:
        pytest.skip(OUT_OF_TIME)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    late = sum(OUT_OF_TIME in str(report.longrepr) for report in terminalreporter.stats.get("skipped", []))
    mark = config.rootpath / ".pytest_cache" / NOT_ALL_RUN
    mark.unlink(missing_ok=True)
    if late:
        terminalreporter.write_line(f"{late:,} tests were NOT RUN: they {OUT_OF_TIME} ({config.getoption('--minutes'):g})")
        mark.parent.mkdir(exist_ok=True)
        mark.write_text(f"{late}\n")


@pytest.fixture
def sized(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """How many cases a test tries: what it takes for a usual run, times `--size`; at least one."""
    factor = request.config.getoption("--size")
    return lambda number: max(1, round(number * factor))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "clause(*ids): the clauses of RULES.md that the test checks")
    config.addinivalue_line("markers", "rules: tests of rules code; run compiled, with bounds checks and in plain Python")
    config.addinivalue_line("markers", "proof: the engine against its reference, in CI size")
