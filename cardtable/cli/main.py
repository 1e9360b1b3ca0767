"""The command line, `cardtable COMMAND`."""

import argparse
import sys
from collections.abc import Sequence

from cardtable.cli import bot, commands, console, picture, play
from cardtable.cli.command import Command, installed_commands
from cardtable.support import notices
from cardtable.version import __version__


def make_parser() -> argparse.ArgumentParser:
    """All commands with their arguments."""
    parser = argparse.ArgumentParser(prog="cardtable", description="Card games for reinforcement learning.")
    parser.add_argument("--version", action="version", version=f"cardtable {__version__}")
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, command in _by_name().items():
        _add(command, subparsers.add_parser(name, help=command.run.__doc__, description=command.run.__doc__))
    return parser


def _by_name() -> dict[str, Command]:
    """Every command, and each of its subcommands after it, by the words that it is called with."""
    found = {}
    for command in all_commands():
        found[command.name] = command
        found |= {f"{command.name} {other.name}": other for other in command.subcommands}
    return found


def _words(argv: Sequence[str]) -> list[str]:
    """The arguments; the two words of a subcommand as one, as the parser knows it."""
    both = " ".join(argv[:2])
    return [both, *argv[2:]] if len(argv) > 1 and both in _by_name() else list(argv)


def all_commands() -> list[Command]:
    """Our commands, then those of installed packages; one whose name is taken is left out, and that is said."""
    found = {command.name: command for command in (*commands.COMMANDS, picture.COMMAND, play.COMMAND, bot.COMMAND)}
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
        args = make_parser().parse_args(_words(sys.argv[1:] if argv is None else argv))
        args.run(args)

    return console.run("cardtable", run)
