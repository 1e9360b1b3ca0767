"""What a command is. Commands of other packages join by an entry point in the group `cardtable.commands`."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points

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


def installed_commands() -> list[Command]:
    """The commands of installed packages, by name."""
    found = [point.load() for point in entry_points(group=GROUP)]
    assert all(isinstance(command, Command) for command in found)
    return sorted(found, key=lambda command: command.name)
