"""The command line, `cardtable COMMAND`."""

import argparse
from collections.abc import Sequence

from cardtable.cli import commands, console, play
from cardtable.cli.command import Command, installed_commands
from cardtable.support import notices
from cardtable.version import __version__


def make_parser() -> argparse.ArgumentParser:
    """All commands with their arguments."""
    parser = argparse.ArgumentParser(prog="cardtable", description="Card games for reinforcement learning.")
    parser.add_argument("--version", action="version", version=f"cardtable {__version__}")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in all_commands():
        _add(command, subparsers.add_parser(command.name, help=command.run.__doc__, description=command.run.__doc__))
    return parser


def all_commands() -> list[Command]:
    """Our commands, then those of installed packages; one whose name is taken is left out, and that is said."""
    found = {command.name: command for command in (*commands.COMMANDS, play.COMMAND)}
    for command in installed_commands():
        if found.setdefault(command.name, command) is not command:
            where = command.run.__module__
            notices.say(f"the command {command.name!r} of {where} is left out: there is one of that name")
    return list(found.values())


def _add(command: Command, parser: argparse.ArgumentParser) -> None:
    parser.set_defaults(run=command.run)
    command.add_arguments(parser)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; `cardtable.cli.console` says how it ends."""

    def run() -> None:
        args = make_parser().parse_args(argv)
        args.run(args)

    return console.run("cardtable", run)
