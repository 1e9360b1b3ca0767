"""The command `cardtable arena`."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.cli.arguments import add_clocks, add_game, add_load, add_options, clocks_of, options_of, positive_integer
from cardtable.cli.command import Command
from cardtable_agents.arena.shards import shard

if TYPE_CHECKING:
    from cardtable.types import Floats
    from cardtable_agents.arena.plan import Plan
    from cardtable_agents.arena.results import Line
    from cardtable_agents.arena.sprt import Test
    from cardtable_agents.arena.standings import Standing
    from cardtable_agents.arena.tournament import Executor

RAY_HERE = ""
"""What `--ray` without an address is read as."""


def arena_command(args: argparse.Namespace) -> None:
    """Play agents against each other, and rate them."""
    from cardtable_agents.arena import tournament
    from cardtable_agents.arena.sprt import Test

    plan = plan_of(args)
    test = Test(plan, args.sprt) if args.sprt else None
    folder = args.out or plan.folder()
    tournament.prepare(plan)
    if hurried := tournament.by_the_clock(plan):
        print(f"{', '.join(hurried)}: by the clock, so these games cannot be repeated to the last action, nor elsewhere")
    try:
        _run(plan, args, folder, test)
    except KeyboardInterrupt:
        print("results so far; run the same command again to continue:")
        _report(plan, folder, test)
        raise
    _report(plan, folder, test)


def plan_of(args: argparse.Namespace) -> "Plan":
    """What the arguments ask for; errors where it cannot be played, before anything is."""
    from cardtable.errors import AgentError
    from cardtable.players import keys
    from cardtable_agents.arena.plan import make_plan

    if args.ray is not None:
        from cardtable_agents.arena.cluster import require_cluster

        require_cluster(args.ray)
    if args.salt is not None:
        keys.checked_salt(args.salt)
    elif args.shard is not None:
        raise AgentError(
            f"--shard {args.shard} needs --salt, the same for all shards; here is a new one: --salt {keys.new_salt()}"
        )
    if args.shard is not None and getattr(args, "sprt", None) is not None:
        raise AgentError(f"--sprt with --shard {args.shard}: a test looks at all deals in turn; leave one of the two out")
    if args.shard is not None and args.out is None:
        raise AgentError(f"--shard {args.shard} needs --out, a folder of its own for each shard")
    return make_plan(args.game, options_of(args), args.agents, args.seed, args.load, clocks_of(args))


def _run(plan: "Plan", args: argparse.Namespace, folder: Path, test: "Test | None") -> None:
    """Play, with a progress bar that starts where an earlier run ended; until a test is over, if there is one."""
    from cardtable.engine.jit import cores
    from cardtable_agents.arena import tournament

    def enough(lines: "Sequence[Line]") -> bool:
        return test is not None and test.verdict(lines).clear

    with progress_bar(f"{plan.game} arena") as progress:
        tournament.run(
            plan,
            args.games,
            folder,
            workers=args.workers or cores(),
            replays=args.replays,
            salt=args.salt,
            progress=progress,
            executor=_executor(plan, args),
            shard=args.shard or range,
            enough=enough,
        )


def _executor(plan: "Plan", args: argparse.Namespace) -> "Executor | None":
    """Ray, if it is asked for."""
    if args.ray is None:
        return None
    from cardtable_agents.arena.cluster import played_on_ray

    return lambda work, tasks: played_on_ray(work, tasks, plan, args.ray)


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """What shows (games so far, games in all), from where an earlier run ended."""
    from tqdm import tqdm

    with tqdm(unit="game", desc=title) as bar:

        def progress(done: int, total: int) -> None:
            if bar.total is None:
                bar.initial = bar.n = bar.last_print_n = done
            bar.total = total
            bar.update(done - bar.n)

        yield progress


def _report(plan: "Plan", folder: Path, test: "Test | None" = None) -> None:
    """Print the tables and draw the pictures of all games in the folder."""
    from cardtable.support.columns import terminal_width
    from cardtable_agents.arena import matrix, results, standings
    from cardtable_agents.arena.contests import contests_of

    path = folder / results.RESULTS
    lines = results.read_results(path, plan).games
    if not lines:
        return
    rows, width = standings.standings(plan.labels, lines), terminal_width()
    print(standings.table(rows, width))
    if returns := standings.table_of_returns(plan.labels, lines, width):
        print(returns)
    met = matrix.head_to_head([row.agent for row in rows], contests_of(lines))
    if len(rows) > 2:
        print(matrix.table([row.agent for row in rows], met, width))
    if test is not None:
        print(test.verdict(lines))
    print(f"games: {path}, {_draw(plan, rows, met, len(lines), folder)}")


def _draw(plan: "Plan", rows: "Sequence[Standing]", met: "Floats", games: int, folder: Path) -> str:
    """Draw the pictures; say where they are, or why there are none."""
    from cardtable_agents.arena import plot, results

    seats, title, drawn = plan.checked()[1].num_players, _title(plan, games), [folder / results.PICTURE]
    try:
        plot.draw(rows, title, 1 / (seats if seats > 1 else len(plan.agents)), drawn[0])
        if len(rows) > 2:
            drawn.append(folder / results.MATRIX)
            plot.draw_matrix([row.agent for row in rows], met, title, drawn[1])
    except ImportError:
        return "no picture: pip install 'cardtable[arena]'"
    return f"pictures: {', '.join(map(str, drawn))}" if len(drawn) > 1 else f"picture: {drawn[0]}"


def _title(plan: "Plan", games: int) -> str:
    """The game, and the options that are not the default; an edition is too long to show."""
    game = plan.checked()[0]
    usual = game.parse_options({}).to_dict()
    changed = {name: value for name, value in plan.options.items() if value != usual[name]}
    told = ", ".join("another edition" if isinstance(value, dict) else f"{name}={value}" for name, value in changed.items())
    return f"{game.title}{f' ({told})' if told else ''}: {games:,} games"


def merge_command(args: argparse.Namespace) -> None:
    """Put the results of shards together: the same file as if one machine had played them all."""
    from cardtable_agents.arena.merge import merge, told

    merged = merge(args.folders, args.out, args.games, allow_gaps=args.gaps)
    doubles = f", {merged.doubles:,} of them in more than one folder" if merged.doubles else ""
    print(f"{merged.games:,} games of {len(args.folders)} folders{doubles}")
    if merged.gaps:
        print(f"missing: {told(merged.gaps)}")
    _report(merged.plan, args.out)


def add_merge_arguments(parser: argparse.ArgumentParser) -> None:
    """The folders of the shards, and where everything goes."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="folders with results of the same plan and salt")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where all of the results go")
    parser.add_argument(
        "--games",
        type=positive_integer,
        help="how many games each combination of agents must have (default: all deals up to the last one there is)",
    )
    parser.add_argument("--gaps", action="store_true", help="merge what there is even if games are missing")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Game, agents, how many games, from which seed, played where, where results go."""
    add_games(parser)
    parser.add_argument("--replays", action="store_true", help="save a replay of every game")
    parser.add_argument(
        "--sprt",
        nargs=2,
        type=float,
        metavar=("ELO0", "ELO1"),
        help="of two agents: end when it is clear whether the first is ahead by ELO1 points or only by ELO0 (--games at most)",
    )


def add_games(parser: argparse.ArgumentParser) -> None:
    """Arguments that say which games are played, and by which processes or machines."""
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
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--workers", type=positive_integer, help="number of processes (default: one per core)")
    where.add_argument(
        "--ray",
        nargs="?",
        const=RAY_HERE,
        metavar="HOST:PORT",
        help="play on a Ray cluster: that of the address, or of RAY_ADDRESS, or one of this machine alone; docs/scale.md",
    )
    parser.add_argument("--shard", type=shard, metavar="I/N", help="play only part I of N, for `merge`; needs --salt and --out")
    parser.add_argument("--out", type=Path, metavar="DIR", help="where results go (default: a folder in runs/)")
    add_clocks(parser)
    add_load(parser)
    add_options(parser)


MERGE = Command("merge", merge_command, add_merge_arguments)
COMMAND = Command("arena", arena_command, add_arguments, (MERGE,))
