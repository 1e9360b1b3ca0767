"""The command `cardtable data`."""

import argparse
import hashlib
import json
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.cli.command import Command
from cardtable.errors import AgentError
from cardtable_agents.arena.command import add_games, plan_of, progress_bar

if TYPE_CHECKING:
    from cardtable_agents.arena.plan import Plan
    from cardtable_agents.data.dataset import Executor


def _require(package: str, extra: str) -> None:
    if find_spec(package) is None:
        raise AgentError(f"this needs {package}, which is not installed: pip install 'cardtable[{extra}]'")


def data_command(args: argparse.Namespace) -> None:
    """Play games and write them as tables: a row for each game and seat, and one for each decision."""
    _require("pyarrow", "data")
    if args.minari is not None:
        _require("minari", "minari")
        from cardtable_agents.data import minari

        minari.require_new(args.minari)
        if args.shard is not None:
            raise AgentError("--minari and --shard: give --minari to `cardtable data merge`, which puts the shards together")
    from cardtable_agents.arena import tournament
    from cardtable_agents.data import dataset

    plan = plan_of(args)
    folder = args.out or _folder(plan, args)
    tournament.prepare(plan)
    with progress_bar(f"{plan.game} data") as progress:
        made = dataset.make(
            plan,
            args.games,
            folder,
            _executor(plan, args),
            observations=args.observations,
            salt=args.salt,
            shard=args.shard.aligned if args.shard else None,
            progress=progress,
        )
    if args.shard is not None:
        print(f"shard {args.shard}: {folder}; cardtable data merge puts shards together")
        return
    print(f"tables: {', '.join(str(folder / f'{kind}.parquet') for kind in dataset.KINDS)}")
    if args.minari is not None:
        print(minari.write(made, folder, args.minari))


def _folder(plan: "Plan", args: argparse.Namespace) -> Path:
    """Where tables go if nothing else is said: the same for the same games."""
    text = json.dumps([plan.header(), args.games, args.observations], sort_keys=True)
    return Path("runs") / "data" / f"{plan.game}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def _executor(plan: "Plan", args: argparse.Namespace) -> "Executor":
    """Ray, or worker processes of this machine."""
    from cardtable.engine.jit import cores
    from cardtable_agents.arena.cluster import played_on_ray
    from cardtable_agents.arena.processes import played_here
    from cardtable_agents.arena.work import joined
    from cardtable_agents.data.tables import grain_of

    if args.ray is not None:
        return lambda work, tasks: played_on_ray(work, joined(tasks), plan, args.ray, grain_of(plan))
    return lambda work, tasks: played_here(work, tasks, args.workers or cores())


def merge_command(args: argparse.Namespace) -> None:
    """Put the shards of tables together: the same files as if one machine had made them."""
    _require("pyarrow", "data")
    from cardtable_agents.data import dataset

    if args.minari is not None:
        _require("minari", "minari")
        from cardtable_agents.data import minari

        minari.require_new(args.minari)
    made = dataset.merge(args.folders, args.out)
    print(f"tables: {', '.join(str(args.out / f'{kind}.parquet') for kind in dataset.KINDS)}")
    if args.minari is not None:
        print(minari.write(made, args.out, args.minari))


def _add_minari(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--minari",
        metavar="NAME-v0",
        help="also make a Minari dataset: what the first agent saw and did, from its own seat, as a single-agent environment",
    )


def add_merge_arguments(parser: argparse.ArgumentParser) -> None:
    """The folders of the shards, and where everything goes."""
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR", help="folders with shards of the same dataset")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the tables go")
    _add_minari(parser)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What an arena takes, and what the tables hold."""
    add_games(parser)
    parser.add_argument("--observations", action="store_true", help="what the seat to act observed, too, at every decision")
    _add_minari(parser)


MERGE = Command("merge", merge_command, add_merge_arguments)
COMMAND = Command("data", data_command, add_arguments, (MERGE,))
