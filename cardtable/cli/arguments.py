"""Arguments that several commands have, and what they are read into."""

import argparse
import json
from typing import Any

from cardtable.errors import OptionError
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.support.messages import shown

LARGEST_NUMBER = 10**9
"""Of games, decisions, processes: beyond what anybody can wait for."""


def parse_option(text: str) -> tuple[str, Any]:
    """`name=value` as (name, value); values are JSON (`true`, `3`, `["a"]`), anything else is a string."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise OptionError(f"option {shown(text)}: write name=value, for example max_turns=100")
    try:
        return name, json.loads(value.lower() if value.lower() in ("true", "false") else value)
    except ValueError:
        return name, value
    except RecursionError:
        raise OptionError(f"option {shown(text)}: nested too deeply for the value of an option") from None


def options_of(args: argparse.Namespace) -> dict[str, Any]:
    """The game options given on the command line."""
    return dict(parse_option(text) for text in args.option)


def find_all(name: str | None) -> list[Game]:
    """The game with that name; every game if no name is given."""
    return [find(game_id) for game_id in ([name] if name else game_ids())]


def positive_integer(text: str) -> int:
    """A positive integer, for argparse."""
    if not text.isdecimal() or not 1 <= len(text) <= len(str(LARGEST_NUMBER)) or not 1 <= int(text) <= LARGEST_NUMBER:
        raise argparse.ArgumentTypeError(f"{shown(text)}: allowed: integers from 1 to {LARGEST_NUMBER:,}")
    return int(text)


def add_game(described: argparse.ArgumentParser, nargs: str | None = None) -> None:
    """An argument that names a game."""
    described.add_argument(
        "game", metavar="GAME", help=f"one of: {', '.join(game_ids())}; the version is optional", nargs=nargs
    )


def add_options(described: argparse.ArgumentParser, default: str = "") -> None:
    """Arguments that give options of the game."""
    described.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"a game option, such as max_turns=100; may be repeated{default}",
    )


def add_load(described: argparse.ArgumentParser) -> None:
    """An argument that names modules that register agents."""
    described.add_argument(
        "--load",
        action="append",
        default=[],
        metavar="MODULE",
        help="a module or file.py that registers agents; may be repeated",
    )
