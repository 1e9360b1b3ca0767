"""The command `cardtable play`."""

import argparse
from pathlib import Path

from cardtable.cli.arguments import add_clocks, add_game, add_load, add_options, clocks_of, options_of
from cardtable.cli.command import Command
from cardtable.errors import OptionError
from cardtable.game.registry import find, game_ids


def play_command(args: argparse.Namespace) -> None:
    """Play against agents in the terminal, a new game or one that was left."""
    from cardtable.cli import terminal
    from cardtable.players import roster

    _require_a_game(args)
    game = find(args.game) if args.game else None
    for module in args.load:
        roster.load_module(module)
    rest = {"seat": args.seat, "hint": args.hint, "save": args.save, "overwrite": args.overwrite, "clocks": clocks_of(args)}
    if args.resume:
        terminal.resume(args.resume, args.against, game=game, **rest)
    elif game:
        terminal.play(game, options_of(args), args.against, seed=args.seed, **rest)


def _require_a_game(args: argparse.Namespace) -> None:
    """A new game is named; one that goes on brings what determines it."""
    if args.resume is None:
        if args.game is None:
            raise OptionError(f"play: no GAME is named: allowed: {', '.join(game_ids())}; or --resume FILE")
        return
    for name, given in (("--seed", args.seed is not None), ("--option", bool(args.option))):
        if given:
            raise OptionError(f"play: {name} does not go with --resume: the cards and options are those of {args.resume}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Game, opponents, seat, seed, who advises, where the replay goes."""
    add_game(parser, nargs="?")
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="FILE",
        help="continue the game of this replay, with its options (GAME may be left out); saved to a new file beside it",
    )
    parser.add_argument(
        "--against", nargs="+", default=["heuristic"], metavar="AGENT", help="the other players (default heuristic)"
    )
    parser.add_argument("--seat", type=int, default=0, help="your seat, from 0 (default 0)")
    parser.add_argument("--seed", type=int, help="seed of the deal (default: a new one)")
    parser.add_argument("--hint", metavar="AGENT", help="the agent that gives hints, on `h` (default search:400)")
    parser.add_argument(
        "--save",
        type=Path,
        metavar="FILE",
        help="where to save the replay (default: GAME-SEED.json, or GAME-SEED-2.json if that exists)",
    )
    parser.add_argument(
        "--overwrite", action="store_true", help="replace FILE if it exists; with --resume and no --save, the file resumed"
    )
    add_clocks(parser)
    add_load(parser)
    add_options(parser)


COMMAND = Command("play", play_command, add_arguments)
