"""The command `cardtable bot`."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO

from cardtable.cli.arguments import add_game, add_load, add_options
from cardtable.cli.command import Command
from cardtable.errors import OptionError
from cardtable.game.registry import find


def bot_command(args: argparse.Namespace) -> None:
    """Let an agent play as a bot in an arena of others (docs/protocol.md)."""
    from cardtable.players import roster

    if args.agent is None:
        raise OptionError("bot: no AGENT is named: `cardtable agents` lists them; or --check COMMAND to try a bot")
    if args.option:
        raise OptionError("bot: --option goes with --check only: an arena says in `hello` which options are played")
    with protected_output() as output, suppress(BrokenPipeError):  # an arena that is gone has nothing to be told
        from cardtable.bots.serving import serve

        for module in args.load:
            roster.load_module(module)
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


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Game, agent."""
    add_game(parser)
    parser.add_argument("agent", metavar="AGENT", help="the agent that plays, such as heuristic or search:400", nargs="?")
    add_load(parser)
    add_options(parser)


COMMAND = Command("bot", bot_command, add_arguments)
