"""The commands `cardtable arena`, `cardtable play` and `cardtable train`. What they need is imported when they run."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agents.train_command import add_flags, train_command
from cardtable.cli import add_game, add_options, options_of, whole_number

if TYPE_CHECKING:
    from agents.arena import Plan
    from agents.standings import Standing

NewCommand = Callable[[str, Callable[[argparse.Namespace], None]], argparse.ArgumentParser]


def arena_command(args: argparse.Namespace) -> None:
    """Let agents play each other, and rate them."""
    from agents import arena

    plan = arena.checked_plan(arena.Plan(args.game, options_of(args), tuple(args.agents), args.seed, tuple(args.load)))
    folder = args.out or plan.folder()
    arena.prepare(plan)
    try:
        _run(plan, args.games, folder, args.workers or arena.usable_cores(), args.replays)
    except KeyboardInterrupt:
        print("so far; the same command goes on from here:")
        _report(plan, folder)
        raise
    _report(plan, folder)


def _run(plan: "Plan", games: int, folder: Path, workers: int, replays: bool) -> None:
    """Play, with a progress bar that starts where an earlier run ended."""
    from tqdm import tqdm

    from agents import arena

    with tqdm(unit="game", desc=f"{plan.game} arena") as bar:

        def progress(done: int, total: int) -> None:
            if bar.total is None:
                bar.initial = bar.n = bar.last_print_n = done
            bar.total = total
            bar.update(done - bar.n)

        arena.run(plan, games, folder, workers=workers, replays=replays, progress=progress)


def _report(plan: "Plan", folder: Path) -> None:
    """Print the table and draw the picture of all games in the folder."""
    from agents import arena, standings

    lines = arena.read_results(folder / arena.RESULTS, plan)
    if not lines:
        return
    rows = standings.standings(plan.agents, lines)
    print(standings.table(rows))
    if returns := standings.table_of_returns(plan.agents, lines):
        print(returns)
    drawn = _draw(plan, rows, len(lines), folder / "win_rates.png")
    print(f"games: {folder / arena.RESULTS}, {drawn}")


def _draw(plan: "Plan", rows: "Sequence[Standing]", games: int, path: Path) -> str:
    """Draw the picture; say where it is, or why there is none."""
    from agents import plot
    from cardtable.registry import find

    game = find(plan.game)
    seats = game.parse_options(plan.options).num_players
    changed = ", ".join(f"{name}={value}" for name, value in plan.options.items())
    title = f"{game.title}{f' ({changed})' if changed else ''}: {games:,} games"
    try:
        plot.draw(rows, title, 1 / (seats if seats > 1 else len(plan.agents)), path)
    except ImportError:
        return "no picture: pip install 'cardtable[arena]'"
    return f"picture: {path}"


def play_command(args: argparse.Namespace) -> None:
    """Play against agents in the terminal."""
    from agents import roster, terminal
    from cardtable.registry import find

    for module in args.load:
        roster.load_module(module)
    terminal.play(
        find(args.game), options_of(args), args.against, seat=args.seat, seed=args.seed, hint=args.hint, save=args.save
    )


def add_commands(command: NewCommand) -> None:
    """Add the commands to the command line of `cardtable`."""
    arena = command("arena", arena_command)
    add_game(arena)
    arena.add_argument(
        "agents", nargs="+", metavar="AGENT", help="such as random, heuristic, search:400; `python -m agents` lists them"
    )
    arena.add_argument("--games", type=whole_number, default=1000, help="games of each line-up of agents (default 1000)")
    arena.add_argument("--seed", type=int, default=1, help="seed of the deals and of the agents (default 1)")
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
    play.add_argument("--save", type=Path, metavar="FILE", help="where the replay goes (default: GAME-SEED.json)")
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
