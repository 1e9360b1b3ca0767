"""The command `cardtable play`."""

import argparse
from pathlib import Path

from cardtable.cli.arguments import add_game, add_load, add_options, options_of
from cardtable.cli.command import Command
from cardtable.game.registry import find


def play_command(args: argparse.Namespace) -> None:
    """Play against agents in the terminal."""
    from cardtable.cli import terminal
    from cardtable.players import roster

    for module in args.load:
        roster.load_module(module)
    terminal.play(
        find(args.game),
        options_of(args),
        args.against,
        seat=args.seat,
        seed=args.seed,
        hint=args.hint,
        save=args.save,
        overwrite=args.overwrite,
    )


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Game, opponents, seat, seed, who advises, where the replay goes."""
    add_game(parser)
    parser.add_argument(
        "--against", nargs="+", default=["heuristic"], metavar="AGENT", help="the other players (default heuristic)"
    )
    parser.add_argument("--seat", type=int, default=0, help="your seat, from 0 (default 0)")
    parser.add_argument("--seed", type=int, help="seed of the deal (default: a new one)")
    parser.add_argument("--hint", metavar="AGENT", help="the agent that answers `?` (default search:400)")
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="where to save the replay (default: GAME-SEED.json, or GAME-SEED-2.json if that exists)",
    )
    parser.add_argument("--overwrite", action="store_true", help="replace FILE if it exists")
    add_load(parser)
    add_options(parser)


COMMAND = Command("play", play_command, add_arguments)
