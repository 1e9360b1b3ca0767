"""`--minutes`: on a slow machine a run of tests is cut short, and says so."""

import subprocess
import sys
from pathlib import Path

CONFTEST = Path(__file__).with_name("conftest.py")
SLOW = """
import time
def test_first(): time.sleep(4)
def test_second(): raise AssertionError
"""


def run(folder, *arguments):
    (folder / "conftest.py").write_text(CONFTEST.read_text())
    (folder / "test_slow.py").write_text(SLOW)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "--rootdir", str(folder), *arguments, str(folder)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


def test_tests_that_would_begin_too_late_are_not_run_and_counted(tmp_path):
    found = run(tmp_path, "--minutes", "0.06")
    assert found.returncode == 0, found.stdout
    assert "1 passed, 1 skipped" in found.stdout
    assert "1 tests were NOT RUN" in found.stdout
    assert (tmp_path / ".pytest_cache" / "not-all-run").exists()


def test_without_a_limit_all_are_run_and_nothing_is_left_of_an_earlier_one(tmp_path):
    run(tmp_path, "--minutes", "0.06")
    found = run(tmp_path)
    assert found.returncode == 1
    assert "1 failed, 1 passed" in found.stdout
    assert not (tmp_path / ".pytest_cache" / "not-all-run").exists()
