"""Play the engine against an independent reference of its rules, and stop where they differ.

    python -m tools.prove muster --decisions 1000000 --workers 2

The references are in `tools/reference`: the rules once more, in plain Python.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from tqdm import tqdm

from cardtable.audit import prepare
from cardtable.cli import console
from cardtable.cli.arguments import add_game, add_options, find_all, options_of, positive_integer
from cardtable.cli.commands import print_clauses
from cardtable.errors import CardtableError, OptionError
from cardtable.game.game import Game
from cardtable.replay import save_somewhere
from cardtable.support import files
from tools.reference import differ


def run(args: argparse.Namespace) -> None:
    """Play the engine against an independent reference of its rules, and stop where they differ."""
    options = options_of(args)
    if options and not args.game:
        raise OptionError(
            "prove: options are those of one game: name it, as in `python -m tools.prove muster -o max_turns=100`"
        )
    files.require_writable(args.replay)
    for game in find_all(args.game):
        try:
            proof = prove_game(game, [options] if options else None, args)
        except differ.Difference as difference:
            print(difference, file=sys.stderr)
            path = files.new_path(args.replay)
            save_somewhere(difference.replay, path, print)
            raise CardtableError(f"prove: engine and reference differ; replay written to {path}") from None
        print_proof(proof)
        never = [name for name, number in proof.clauses.items() if not number]
        if never and args.every_clause:
            raise CardtableError(f"prove: {game.id}: clauses that never came up: {', '.join(never)}")


def prove_game(game: Game, variants: list[dict[str, Any]] | None, args: argparse.Namespace) -> Any:
    """Compare one game with its reference; what was compared."""
    prepare(game)
    proof: Any = None
    start = time.perf_counter()
    with tqdm(total=args.decisions, unit="decision", desc=f"{game.id}, engine and reference") as progress:
        for proof in differ.prove(game, args.decisions, args.seed, variants, args.workers):
            progress.update(min(proof.decisions, args.decisions) - progress.n)
    seconds = time.perf_counter() - start
    print(f"{game.title}, rules {game.rules_version}, seed {args.seed}: {proof.games:,} games ({proof.summary()})")
    speed = f"{proof.decisions / seconds:,.0f} per second"
    print(f"{proof.decisions:,} decisions in {seconds:.0f} s ({speed}): no difference")
    return proof


def print_proof(proof: Any) -> None:
    """How often each set of options and each clause came up."""
    print("decisions under each set of options:")
    for options, decisions in proof.options.items():
        print(f"  {decisions:>12,}  {options}")
    rarest = min(proof.clauses, key=proof.clauses.get)
    never = sum(not number for number in proof.clauses.values())
    print(f"clauses exercised: {len(proof.clauses) - never} of {len(proof.clauses)}, {rarest} least often:")
    print_clauses(proof.clauses)


def make_parser() -> argparse.ArgumentParser:
    """The arguments."""
    parser = argparse.ArgumentParser(prog="python -m tools.prove", description="Compare the engine with its references.")
    add_game(parser, nargs="?")
    parser.add_argument(
        "--decisions", type=positive_integer, default=100_000, help="how many decisions a game (default 100000)"
    )
    parser.add_argument("--workers", type=positive_integer, default=1, help="processes that share the games (default 1)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the deals and of the players (default 1)")
    parser.add_argument(
        "--replay",
        type=Path,
        default=Path("difference.json"),
        metavar="FILE",
        help="where a difference is written (default difference.json); beside it if there is one already",
    )
    parser.add_argument("--every-clause", action="store_true", help="fail if a clause never came up")
    add_options(parser, " (default: all variants in turn)")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Compare; the exit code."""
    return console.run("python -m tools.prove", lambda: run(make_parser().parse_args(argv)))


if __name__ == "__main__":
    sys.exit(main())
