"""The commands `cardtable arena`, `cardtable play` and `cardtable train`. What they need is imported when they run."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.train_command import add_flags, train_command
from cardtable.cli import add_game, add_options, options_of, whole_number

if TYPE_CHECKING:
    from agents.plan import Plan
    from agents.standings import Standing

NewCommand = Callable[[str, Callable[[argparse.Namespace], None]], argparse.ArgumentParser]


def arena_command(args: argparse.Namespace) -> None:
    """Let agents play each other, and rate them."""
    from agents import arena, keys
    from agents.plan import make_plan

    plan = make_plan(args.game, options_of(args), args.agents, args.seed, args.load)
    if args.salt is not None:
        keys.checked_salt(args.salt)
    folder = args.out or plan.folder()
    arena.prepare(plan)
    try:
        _run(plan, args, folder)
    except KeyboardInterrupt:
        print("so far; the same command goes on from here:")
        _report(plan, folder)
        raise
    _report(plan, folder)


def _run(plan: "Plan", args: argparse.Namespace, folder: Path) -> None:
    """Play, with a progress bar that starts where an earlier run ended."""
    from tqdm import tqdm

    from agents import arena
    from cardtable.jit import cores

    with tqdm(unit="game", desc=f"{plan.game} arena") as bar:

        def progress(done: int, total: int) -> None:
            if bar.total is None:
                bar.initial = bar.n = bar.last_print_n = done
            bar.total = total
            bar.update(done - bar.n)

        workers = args.workers or cores()
        arena.run(plan, args.games, folder, workers=workers, replays=args.replays, salt=args.salt, progress=progress)


def _report(plan: "Plan", folder: Path) -> None:
    """Print the table and draw the picture of all games in the folder."""
    from agents import results, standings

    path = folder / results.RESULTS
    lines = results.read_results(path, plan).games
    if not lines:
        return
    rows = standings.standings(plan.labels, lines)
    print(standings.table(rows))
    if returns := standings.table_of_returns(plan.labels, lines):
        print(returns)
    print(f"games: {path}, {_draw(plan, rows, len(lines), folder / results.PICTURE)}")


def _draw(plan: "Plan", rows: "Sequence[Standing]", games: int, path: Path) -> str:
    """Draw the picture; say where it is, or why there is none."""
    from agents import plot

    seats = plan.checked()[1].num_players
    try:
        plot.draw(rows, _title(plan, games), 1 / (seats if seats > 1 else len(plan.agents)), path)
    except ImportError:
        return "no picture: pip install 'cardtable[arena]'"
    return f"picture: {path}"


def _title(plan: "Plan", games: int) -> str:
    """The game, and the options that are not as usual; an edition is too long to be told."""
    game = plan.checked()[0]
    usual = game.parse_options({}).to_dict()
    changed = {name: value for name, value in plan.options.items() if value != usual[name]}
    told = ", ".join("another edition" if isinstance(value, dict) else f"{name}={value}" for name, value in changed.items())
    return f"{game.title}{f' ({told})' if told else ''}: {games:,} games"


def play_command(args: argparse.Namespace) -> None:
    """Play against agents in the terminal."""
    from agents import roster, terminal
    from cardtable.registry import find

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


def add_commands(command: NewCommand) -> None:
    """Add the commands to the command line of `cardtable`."""
    arena = command("arena", arena_command)
    add_game(arena)
    arena.add_argument(
        "agents", nargs="+", metavar="AGENT", help="such as random, heuristic, search:400; `python -m agents` lists them"
    )
    arena.add_argument("--games", type=whole_number, default=1000, help="games of each line-up of agents (default 1000)")
    arena.add_argument("--seed", type=int, default=1, help="seed of the deals (default 1)")
    arena.add_argument(
        "--salt",
        metavar="HEX",
        help="where the agents' random bits come from, to play an arena again: `salt` in the header of its results "
        "(default: a new one)",
    )
    arena.add_argument("--workers", type=whole_number, help="processes (default: all cores)")
    arena.add_argument("--out", type=Path, metavar="DIR", help="where results go (default: a folder in runs/arena)")
    arena.add_argument("--replays", action="store_true", help="save a replay of every game")
    _add_load(arena)
    add_options(arena)
    play = command("play", play_command)
    add_game(play)
    play.add_argument(
        "--against", nargs="+", default=["heuristic"], metavar="AGENT", help="the other players (default heuristic)"
    )
    play.add_argument("--seat", type=int, default=0, help="your seat, from 0 (default 0)")
    play.add_argument("--seed", type=int, help="seed of the deal (default: a new one)")
    play.add_argument("--hint", metavar="AGENT", help="who answers `?` (default search:400)")
    play.add_argument(
        "--save", type=Path, metavar="FILE", help="where the replay goes (default: GAME-SEED.json, or a new name beside it)"
    )
    play.add_argument("--overwrite", action="store_true", help="replace FILE if it exists")
    _add_load(play)
    add_options(play)
    train = command("train", train_command)
    add_game(train)
    add_flags(train)
    _add_load(train)
    add_options(train)


def _add_load(described: argparse.ArgumentParser) -> None:
    described.add_argument(
        "--load",
        action="append",
        default=[],
        metavar="MODULE",
        help="a module or file.py that registers agents; may be repeated",
    )
