"""A toy game beside a copy of the shared package: compiled in a moment, for tests of the cache and attacks on it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import cardtable

ROOT = Path(cardtable.__file__).resolve().parent.parent

CARDS = """
import numpy as np

POINTS = np.array([1, 2, 30])
"""
RULES = """
from cardtable.engine.jit import kernel
from toy_env.cards import POINTS

@kernel
def points(card):
    return POINTS[card]

@kernel
def total(first, second):
    return points(first) + points(second)
"""
PLAY = "from toy_env.rules import points, total; print(points(2), total(1, 2))"
PLAYED = "30 32\n"
"""What `PLAY` prints."""


def make_engine(folder: Path) -> Path:
    """A copy of the shared package beside the toy game, which declares its entry point."""
    shutil.copytree(ROOT / "cardtable", folder / "cardtable", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "toy_env").mkdir()
    (folder / "toy_env" / "__init__.py").touch()
    (folder / "toy_env" / "cards.py").write_text(CARDS)
    (folder / "toy_env" / "rules.py").write_text(RULES)
    info = folder / "toy_game-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-game\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cardtable.kernels]\ntoy = toy_env.cards\n")
    return folder


def environment(path: Path, **variables: str | None) -> dict[str, str]:
    """The environment of a process that imports from a folder; a variable that is None is taken out."""
    removed = ("NUMBA_DISABLE_JIT", "CARDTABLE_FALLBACK_CACHE")
    merged = {**os.environ, **dict.fromkeys(removed), "PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1", **variables}
    return {name: value for name, value in merged.items() if value is not None}


def run(code: str, path: Path, **variables: str | None) -> "subprocess.CompletedProcess[str]":
    """Run Python code in a new process that imports from a folder."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, env=environment(path, **variables), cwd=path, capture_output=True, text=True, check=False)
