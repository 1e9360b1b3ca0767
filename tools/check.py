"""`make check`: what finds most mistakes in under two minutes, before a commit. `make test` is the whole of it.

Lint, format, types, import graph, symmetry of the games, and in plain Python the rule tests of the games that changed: those
with uncommitted changes or, if there are none, those of the last commit. A change of what the games share is one of all games.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GAMES = ("artisans", "murano", "muster")
SHARED = (
    "cardtable/engine/",
    "cardtable/game/",
    "cardtable/support/",
    "cardtable/errors.py",
    "cardtable/lanes.py",
    "cardtable/table.py",
    "cardtable/types.py",
    "tests/conftest.py",
    "tests/helpers.py",
)
"""What the rules of all games stand on."""
BORDERS = ("tests/test_imports.py", "tests/test_symmetry.py", "tests/test_clauses.py")
PLAIN = {"NUMBA_DISABLE_JIT": "1"}


def changed_files() -> list[str]:
    """Files with uncommitted changes; if there are none, those of the last commit."""
    uncommitted = _git("diff", "--name-only", "HEAD") + _git("ls-files", "--others", "--exclude-standard")
    return uncommitted or _git("diff", "--name-only", "HEAD~1", "HEAD")


def _git(*arguments: str) -> list[str]:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def games_of(files: Sequence[str]) -> list[str]:
    """The games whose rule tests a change of these files calls for."""
    if any(file.startswith(SHARED) for file in files):
        return list(GAMES)
    return [game for game in GAMES if any(file.startswith((f"{game}_env/", f"tests/{game}/")) for file in files)]


def run(name: str, command: Sequence[str], environment: Mapping[str, str] | None = None) -> bool:
    """Run a check and say how long it took; whether it passed."""
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **(environment or {})}
    )
    passed = done.returncode == 0
    print(f"{name:<44} {'passed' if passed else 'FAILED'} {time.perf_counter() - start:6.1f} s", flush=True)
    if not passed:
        print(done.stdout[-20_000:], done.stderr[-5_000:], sep="\n")
    return passed


def main() -> int:
    """Run the checks; 1 if one has failed."""
    parser = argparse.ArgumentParser(prog="python -m tools.check", description=__doc__)
    parser.add_argument(
        "games",
        nargs="*",
        choices=[*GAMES, []],
        metavar="GAME",
        help="games whose rules are tested (default: those that changed)",
    )
    games = parser.parse_args().games or games_of(changed_files())
    python = [sys.executable, "-m"]
    passed = [
        run("lint", [*python, "ruff", "check", "."]),
        run("format", [*python, "ruff", "format", "--check", "."]),
        run("types", [*python, "mypy"]),
        run("import graph, symmetry, clauses", [*python, "pytest", "-q", *BORDERS], PLAIN),
    ]
    if games:
        folders = [f"tests/{game}" for game in games]
        passed.append(run(f"rules of {', '.join(games)}", [*python, "pytest", "-q", "-m", "rules", *folders], PLAIN))
    else:
        print("rules                                        of no game have changed")
    print("make check: passed" if all(passed) else "make check: FAILED")
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
