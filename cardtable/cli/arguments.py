"""Arguments that several commands have, and what they are read into."""

import argparse
import json
from contextlib import suppress
from typing import Any

from cardtable.errors import OptionError
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.players.agent import LONGEST_TIME, Clocks
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


NO_LIMIT = "none"


def seconds(text: str) -> float | None:
    """A time limit, for argparse: seconds, or none."""
    if text.lower() == NO_LIMIT:
        return None
    with suppress(ValueError):
        if 0 < (number := float(text)) <= LONGEST_TIME:
            return number
    raise argparse.ArgumentTypeError(f"{shown(text)}: allowed: seconds above 0 up to {LONGEST_TIME:,.0f}, or none")


def add_clocks(described: argparse.ArgumentParser) -> None:
    """Arguments that say how long bots may take."""
    usual = Clocks()
    for name, default in (("move", usual.per_move), ("game", usual.per_game)):
        described.add_argument(
            f"--time-per-{name}",
            type=seconds,
            default=argparse.SUPPRESS,
            metavar="S",
            help=f"seconds that a bot (cmd:COMMAND) may take for a {name}, or none (default {default or NO_LIMIT})",
        )


def clocks_of(args: argparse.Namespace) -> Clocks | None:
    """The clocks given on the command line; None if there are none."""
    given = {name: vars(args)[f"time_{name}"] for name in ("per_move", "per_game") if f"time_{name}" in args}
    return Clocks(**given) if given else None


def add_images(parser: argparse.ArgumentParser) -> None:
    """Where images of cards come from: replays hold none."""
    parser.add_argument("--images", metavar="FILE", help="with the images of the edition file that the replay was played with")
