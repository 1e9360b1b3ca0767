"""The command `cardtable train`: what it is asked for, and what it prints."""

import argparse
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from cardtable.cli.arguments import add_game, add_load, add_options, options_of
from cardtable.cli.command import Command
from cardtable_agents.training.sweep.command import add_sweep_arguments, sweep_command

if TYPE_CHECKING:
    from cardtable_agents.training.run import Run
    from cardtable_agents.training.settings import Settings


def settings_of(args: argparse.Namespace) -> "Settings":
    """The settings that the flags ask for; errors before anything is trained."""
    from cardtable.players.roster import load_module
    from cardtable_agents.training import flags
    from cardtable_agents.training.settings import settings_for

    for module in args.load:
        load_module(module)
    command = " ".join(["cardtable", *sys.argv[1:]])
    settings = settings_for(args.game, options_of(args), **flags.given(args), command=command)
    settings.require_players()
    return settings


def train_command(args: argparse.Namespace) -> None:
    """Train a policy by imitation and self-play; or list the runs in a folder."""
    from cardtable.errors import OptionError
    from cardtable_agents.training import listing, runs

    if args.list is not None:
        print(listing.table(args.list))
        return
    if args.game is None:
        raise OptionError("which game? cardtable train GAME; cardtable train --list shows the runs that there are")
    settings = settings_of(args)
    try:
        run = runs.complete(settings, args.out, resuming=args.resume, overwrite=args.overwrite, progress=True, begin=_announce)
    except KeyboardInterrupt:
        print("stopped; run the command with --resume and the same --out to continue from the newest checkpoint")
        raise
    _report(run)


def _announce(settings: "Settings", folder: Path) -> None:
    """Say what is trained, for how long, and where to."""
    ends = [f"{settings.minutes:g} minutes"] if settings.minutes else []
    ends += [f"{settings.steps:,} steps"] if settings.steps else []
    lines = [f"training {settings.game} for {' or '.join(ends)} into {folder}"]
    if settings.imitation_steps:
        lines.append(f"  imitation: {settings.imitation_steps:,} decisions as {settings.teacher} would make them, then")
    lines.append(f"  {_method(settings)}")
    if settings.advice:
        lines.append(f"  the policy receives the score that {settings.advice} gives to every legal action")
    lines.append("  Ctrl-C leaves a checkpoint; --resume continues from the newest one")
    print("\n".join(lines), flush=True)


def _method(settings: "Settings") -> str:
    """What learns, and against whom."""
    against = ", ".join(settings.opponents)
    if settings.learner == "sb3":
        return f"MaskablePPO on {settings.games} games at once" + (f", against {against}" if against else "")
    some = f"; {settings.opponent_share:.0%} of them against {against}" if against else ""
    threads = f"{settings.thread_number} thread{'s' if settings.thread_number > 1 else ''}"
    often = {1: "every", 2: "every other"}.get(settings.expert_interval, f"one of {settings.expert_interval}")
    expert = f"; {often} update learns from search:{settings.expert} by the network itself" if settings.expert else ""
    return f"PPO by self-play on {settings.games} games at once, {threads}{some}{expert}"


def _report(run: "Run") -> None:
    """Say where everything is, and what to do with it; draw the learning curve."""
    folder, alone = run.folder, run.options.num_players == 1
    for name, rate in run.rates.items():
        print(f"mean {name}: {rate:.3f}" if alone else f"against {name}: {rate:.1%}")
    print(f"policy: {folder.policy}, log: {folder.log}")
    print(_drawn(run))
    if folder.tensorboard.is_dir():
        print(f"tensorboard --logdir {folder.tensorboard}")
    if not alone:
        print(shlex.join(["cardtable", "arena", run.game.id, f"ppo:{folder.policy}", run.settings.evaluation_opponents[-1]]))


def _drawn(run: "Run") -> str:
    """Draw the learning curve; where it is, or how to get one."""
    from cardtable_agents.training import curves

    try:
        curves.draw(run.log, f"{run.game.title}: learning curve", run.folder.curve, 1 / run.options.num_players)
    except ImportError:
        return "no learning curve: pip install 'cardtable[train]'"
    return f"learning curve: {run.folder.curve}"


def add_arguments(train: argparse.ArgumentParser) -> None:
    """The arguments of the command; the settings have the defaults."""
    from cardtable_agents.training import flags
    from cardtable_agents.training.folder import RUNS

    train.usage = "%(prog)s GAME [--out DIR] [--resume | --overwrite] [-o NAME=VALUE] [--SETTING VALUE ...]"
    add_game(train, nargs="?")
    train.add_argument("--out", type=Path, metavar="DIR", help=f"folder of the run (default: a new one, {RUNS}/GAME)")
    train.add_argument(
        "--list",
        type=Path,
        nargs="?",
        const=RUNS,
        metavar="DIR",
        help=f"list the runs in a folder (default {RUNS}) and how far they are; nothing is trained",
    )
    existing = train.add_mutually_exclusive_group()
    existing.add_argument(
        "--resume", action="store_true", help="continue the run in the folder from its newest intact checkpoint"
    )
    existing.add_argument(
        "--overwrite", action="store_true", help="if the folder holds a run, remove its files and start again"
    )
    add_load(train)
    add_options(train)
    flags.add_flags(train)


SWEEP = Command("sweep", sweep_command, add_sweep_arguments)
COMMAND = Command("train", train_command, add_arguments, (SWEEP,))
