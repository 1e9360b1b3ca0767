"""The command `cardtable arena`."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.cli.arguments import add_clocks, add_game, add_load, add_options, clocks_of, options_of, positive_integer
from cardtable.cli.command import Command

if TYPE_CHECKING:
    from cardtable_agents.arena.plan import Plan
    from cardtable_agents.arena.standings import Standing


def arena_command(args: argparse.Namespace) -> None:
    """Play agents against each other, and rate them."""
    from cardtable.players import keys
    from cardtable_agents.arena import tournament
    from cardtable_agents.arena.plan import make_plan

    plan = make_plan(args.game, options_of(args), args.agents, args.seed, args.load, clocks_of(args))
    if args.salt is not None:
        keys.checked_salt(args.salt)
    folder = args.out or plan.folder()
    tournament.prepare(plan)
    if hurried := tournament.by_the_clock(plan):
        print(f"{', '.join(hurried)}: by the clock, so these games cannot be repeated to the last action, nor elsewhere")
    try:
        _run(plan, args, folder)
    except KeyboardInterrupt:
        print("results so far; run the same command again to continue:")
        _report(plan, folder)
        raise
    _report(plan, folder)


def _run(plan: "Plan", args: argparse.Namespace, folder: Path) -> None:
    """Play, with a progress bar that starts where an earlier run ended."""
    from tqdm import tqdm

    from cardtable.engine.jit import cores
    from cardtable_agents.arena import tournament

    with tqdm(unit="game", desc=f"{plan.game} arena") as bar:

        def progress(done: int, total: int) -> None:
            if bar.total is None:
                bar.initial = bar.n = bar.last_print_n = done
            bar.total = total
            bar.update(done - bar.n)

        workers = args.workers or cores()
        tournament.run(plan, args.games, folder, workers=workers, replays=args.replays, salt=args.salt, progress=progress)


def _report(plan: "Plan", folder: Path) -> None:
    """Print the table and draw the picture of all games in the folder."""
    from cardtable.support.columns import terminal_width
    from cardtable_agents.arena import results, standings

    path = folder / results.RESULTS
    lines = results.read_results(path, plan).games
    if not lines:
        return
    rows, width = standings.standings(plan.labels, lines), terminal_width()
    print(standings.table(rows, width))
    if returns := standings.table_of_returns(plan.labels, lines, width):
        print(returns)
    print(f"games: {path}, {_draw(plan, rows, len(lines), folder / results.PICTURE)}")


def _draw(plan: "Plan", rows: "Sequence[Standing]", games: int, path: Path) -> str:
    """Draw the picture; say where it is, or why there is none."""
    from cardtable_agents.arena import plot

    seats = plan.checked()[1].num_players
    try:
        plot.draw(rows, _title(plan, games), 1 / (seats if seats > 1 else len(plan.agents)), path)
    except ImportError:
        return "no picture: pip install 'cardtable[arena]'"
    return f"picture: {path}"


def _title(plan: "Plan", games: int) -> str:
    """The game, and the options that are not the default; an edition is too long to show."""
    game = plan.checked()[0]
    usual = game.parse_options({}).to_dict()
    changed = {name: value for name, value in plan.options.items() if value != usual[name]}
    told = ", ".join("another edition" if isinstance(value, dict) else f"{name}={value}" for name, value in changed.items())
    return f"{game.title}{f' ({told})' if told else ''}: {games:,} games"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Game, agents, how many games, from which seed, in how many processes, where results go."""
    add_game(parser)
    parser.add_argument(
        "agents", nargs="+", metavar="AGENT", help="such as random, heuristic, search:400; `cardtable agents` lists them"
    )
    parser.add_argument("--games", type=positive_integer, default=1000, help="games per combination of agents (default 1000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the deals (default 1)")
    parser.add_argument(
        "--salt",
        metavar="HEX",
        help="source of the agents' random bits, to repeat an arena: `salt` in the header of its results (default: a new one)",
    )
    parser.add_argument("--workers", type=positive_integer, help="number of processes (default: one per core)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results go (default: a folder in runs/arena)")
    parser.add_argument("--replays", action="store_true", help="save a replay of every game")
    add_clocks(parser)
    add_load(parser)
    add_options(parser)


COMMAND = Command("arena", arena_command, add_arguments)
