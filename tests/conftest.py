"""What all tests share: which game and variant a test runs on, and markers."""

import pytest


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "clause(*ids): the clauses of RULES.md that the test checks")
    config.addinivalue_line("markers", "rules: tests of rules code; run compiled, with bounds checks and in plain Python")
    config.addinivalue_line("markers", "proof: the engine against its reference, in CI size")
