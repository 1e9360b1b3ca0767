"""The examples run as they stand, and learn."""

import os
import re
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "agents" / "examples"


def shares(script, *flags):
    """The win rates that a script prints."""
    command = [sys.executable, str(FOLDER / script), *flags]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}  # tests run in two processes
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=one_thread)
    return [float(share) for share in re.findall(r"([\d.]+)%", done.stdout)]


def test_the_plain_pettingzoo_loop_learns():
    """82 % of the last games were won when this was written, 50 % would be chance."""
    won = shares("plain_pettingzoo.py", "--games", "500")
    assert len(won) == 4
    assert won[-1] > 65


def test_the_plain_sb3_script_trains_on_the_learners_environment():
    before, after = shares("plain_sb3.py", "--steps", "16384", "--games", "100")
    assert 0 <= before <= 100
    assert 0 <= after <= 100
