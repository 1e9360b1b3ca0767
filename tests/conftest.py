"""What all tests share: which game and variant a test runs on, and markers."""

from collections.abc import Callable

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--size", type=float, default=1.0, help="multiplies the number of cases that long tests try (default 1)")


@pytest.fixture
def sized(request: pytest.FixtureRequest) -> Callable[[int], int]:
    """How many cases a test tries: what it takes for a usual run, times `--size`; at least one."""
    factor = request.config.getoption("--size")
    return lambda number: max(1, round(number * factor))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "clause(*ids): the clauses of RULES.md that the test checks")
    config.addinivalue_line("markers", "rules: tests of rules code; run compiled, with bounds checks and in plain Python")
    config.addinivalue_line("markers", "proof: the engine against its reference, in CI size")
