"""What a command is. Commands of other packages join by an entry point in the group `cardtable.commands`."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points

from cardtable.errors import CardtableError
from cardtable.support import plugins

GROUP = "cardtable.commands"


def _add_nothing(parser: argparse.ArgumentParser) -> None:
    """A command without arguments."""


@dataclass(frozen=True)
class Command:
    """A command `cardtable NAME`. What it needs beyond its arguments is imported when it runs."""

    name: str
    run: Callable[[argparse.Namespace], None]
    """Its docstring is the help text."""
    add_arguments: Callable[[argparse.ArgumentParser], None] = _add_nothing
    subcommands: tuple["Command", ...] = ()
    """Commands `cardtable NAME OTHER`, with arguments of their own: OTHER is then no argument of this one."""


def installed_commands() -> list[Command]:
    """The commands of installed packages, by name. One that cannot be loaded is there too, and says why when it is run."""
    return sorted((_command_of(point) for point in entry_points(group=GROUP)), key=lambda command: command.name)


def _command_of(point: EntryPoint) -> Command:
    try:
        return plugins.load(point, Command, CardtableError)
    except CardtableError as error:
        return _broken(point.name, f"the command {error}")


def _broken(name: str, reason: str) -> Command:
    def run(_: argparse.Namespace) -> None:
        """Cannot be loaded: run it to see why."""
        raise CardtableError(reason)

    return Command(name, run)
