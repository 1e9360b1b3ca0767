"""The command `cardtable bot`."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, BinaryIO

from cardtable.cli.arguments import add_game, add_load, add_options, options_of, seconds
from cardtable.cli.command import Command
from cardtable.errors import CardtableError, OptionError
from cardtable.game.registry import find
from cardtable.players.agent import Clocks
from cardtable.support.messages import shown

if TYPE_CHECKING:
    from cardtable.bots.check import Finding

LINES_OF_ERRORS = 5
"""Of what a bot that has ended wrote to standard error, the last ones."""


def bot_command(args: argparse.Namespace) -> None:
    """Let an agent play as a bot in arenas of others, or try a bot of your own (docs/protocol.md)."""
    if args.check is None:
        serve_agent(args)
    else:
        try_bot(args)


# ---- An agent as a bot


def serve_agent(args: argparse.Namespace) -> None:
    """Answer an arena on standard input and output."""
    from cardtable.players import roster

    if args.agent is None:
        raise OptionError("bot: no AGENT is named: `cardtable agents` lists them; or --check COMMAND to try a bot")
    if args.option:
        raise OptionError("bot: --option goes with --check only: an arena says in `hello` which options are played")
    with protected_output() as output, suppress(BrokenPipeError):  # an arena that is gone has nothing to be told
        from cardtable.bots.serving import serve

        for module in args.load:
            roster.load_module(module)
        roster.known(args.agent)  # before an arena says anything
        serve(find(args.game), args.agent, sys.stdin.buffer, output)


@contextmanager
def protected_output() -> Iterator[BinaryIO]:
    """Standard output for answers alone: what anything else prints goes to standard error meanwhile."""
    kept = os.dup(1)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    try:
        yield answers
    finally:
        with suppress(BrokenPipeError):
            answers.close()
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


# ---- A bot on trial


def try_bot(args: argparse.Namespace) -> None:
    """Print a line for every check, and under a fault what to do about it; `CardtableError` if there was one."""
    from cardtable.bots.check import check_bot, number_of_checks

    if args.agent is not None:
        raise OptionError(f"bot: --check tries a command, no AGENT: {shown(args.agent)} is one too many")
    game, options = find(args.game), options_of(args)
    variants = [options] if options else game.variants
    made = failed = 0
    for finding in check_bot(args.check, game, variants, Clocks(per_move=args.time_per_move)):
        print_finding(finding)
        made, failed = made + 1, failed + (finding.fault is not None)
    if failed:
        left = number_of_checks(variants) - made
        rest = f"; {left} more were not made" if left else ""
        raise CardtableError(f"bot: {failed} of {made} checks found a fault in {shown(args.check)}{rest}")
    print(f"all {made} checks passed: the bot plays {game.id}")


def print_finding(finding: "Finding") -> None:
    """One check, in a line; under a fault what the bot wrote, and what to do."""
    print(f"{'ok' if finding.fault is None else 'fault':7}{finding.tried}: {finding.found}", flush=True)
    if finding.fault is None:
        return
    if finding.fault.line:
        print(f"       it wrote: {finding.fault.line}")
    for line in finding.errors.splitlines()[-LINES_OF_ERRORS:]:
        print(f"       its standard error: {line}")
    print(f"       what to do: {finding.advice}", flush=True)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Game, agent; or the command that is tried."""
    add_game(parser)
    parser.add_argument(
        "agent", metavar="AGENT", nargs="?", help="the agent that plays, such as heuristic; an arena says with which options"
    )
    parser.add_argument(
        "--check", metavar="COMMAND", help='try a bot, such as "./mybot --level 3", and say what to do about each fault'
    )
    parser.add_argument(
        "--time-per-move",
        type=seconds,
        default=Clocks().per_move,
        metavar="S",
        help="with --check: seconds that an answer may take, or none (default 30)",
    )
    add_load(parser)
    add_options(parser, "; with --check (default: all variants in turn)")


COMMAND = Command("bot", bot_command, add_arguments)
