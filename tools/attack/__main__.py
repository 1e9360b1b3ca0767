"""`python -m tools.attack [ATTACK …]`: run attacks, print a row for each, exit with 1 if one of them got through."""

import argparse
import importlib
import sys
from collections.abc import Callable

from cardtable.cli import console
from tools.attack.tally import HEADER, Tally

ATTACKS: dict[str, tuple[str, int]] = {
    "damaged_policies": ("tools.attack.policies", 200),
    "damaged_checkpoints": ("tools.attack.policies", 200),
    "damaged_replays": ("tools.attack.replays", 200),
    "damaged_results": ("tools.attack.results", 200),
    "damaged_cache": ("tools.attack.cache", 200),
    "killed_arenas": ("tools.attack.results", 20),
    "killed_trainings": ("tools.attack.policies", 20),
    "killed_saves": ("tools.attack.replays", 20),
    "forged_states": ("tools.attack.states", 100_000),
    "threads_on_a_batch": ("tools.attack.threads", 8),
}
"""Name of the function -> (its module, how many cases it tries if nothing is said)."""


def attack(name: str) -> Callable[[int, int], Tally]:
    """The function (cases, seed) -> tally of this name."""
    function: Callable[[int, int], Tally] = getattr(importlib.import_module(ATTACKS[name][0]), name)
    return function


def main() -> int:
    """Run the attacks that are named, or all of them."""
    parser = argparse.ArgumentParser(prog="python -m tools.attack", description="Attack what docs/reliability.md promises.")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=f"some of: {', '.join(ATTACKS)} (default: all)")
    parser.add_argument("--cases", type=int, help="how many cases (default: those of the table in docs/reliability.md)")
    parser.add_argument("--seed", type=int, default=1, help="what the cases are drawn from (default 1)")
    args = parser.parse_args()
    if unknown := [name for name in args.attacks if name not in ATTACKS]:
        parser.error(f"no attack is called {unknown[0]!r}; attacks: {', '.join(ATTACKS)}")
    print(HEADER)
    failed = False
    for name in args.attacks or ATTACKS:
        cases = args.cases or ATTACKS[name][1]
        print(f"{name}: {cases:,} cases ...", file=sys.stderr, flush=True)
        tally = attack(name)(cases, args.seed)
        print(tally.report(), flush=True)
        failed |= bool(tally.failures)
    return int(failed)


if __name__ == "__main__":
    sys.exit(console.run("python -m tools.attack", main))
