"""Masked PPO in one file, in the manner of CleanRL: it learns with PyTorch and Gymnasium alone."""

import subprocess
import sys

import pytest

pytest.importorskip("torch", reason="PyTorch is not installed")

from examples.libraries import cleanrl_ppo


@pytest.mark.learns
def test_it_learns():
    before, after, _ = cleanrl_ppo.learn(seconds=15, games=300)
    assert before < 0.65
    assert after > 0.75


def test_it_needs_no_stable_baselines():
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('stable_baselines3', 'sb3_contrib')))\n"
        f"sys.argv = [{cleanrl_ppo.__file__!r}, '--seconds', '0.1', '--games', '4', '--game', 'artisans']\n"
        f"import runpy; runpy.run_path({cleanrl_ppo.__file__!r}, run_name='__main__')"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert "wins against random play" in done.stdout
