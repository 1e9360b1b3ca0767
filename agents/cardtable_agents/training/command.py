"""The command `cardtable train`: flags, what it prints, and its progress bar."""

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardtable.cli.arguments import add_game, add_load, add_options, options_of, positive_integer
from cardtable.cli.command import Command

if TYPE_CHECKING:
    from cardtable_agents.training.settings import Settings
    from cardtable_agents.training.train import Run


def settings_of(args: argparse.Namespace) -> "Settings":
    """The settings that the flags ask for; errors before anything is trained."""
    from cardtable.players.roster import load_module
    from cardtable_agents.training.settings import settings_for

    for module in args.load:
        load_module(module)
    settings = settings_for(
        args.game,
        options_of(args),
        seed=args.seed,
        steps=args.steps,
        minutes=args.minutes,
        threads=args.threads,
        games=args.games,
        opponents=args.opponents,
        shaping=args.shaping,
        advice=args.advice,
        teacher=args.imitate,
        imitation_steps=args.imitation_steps,
        command=" ".join(["cardtable", *sys.argv[1:]]),
    )
    settings.require_players()
    return settings


def train_command(args: argparse.Namespace) -> None:
    """Train a policy: first by imitation, then by MaskablePPO."""
    from cardtable.errors import AgentError

    try:
        from cardtable_agents.training import checkpoints, runs
        from cardtable_agents.training.folder import RunFolder
    except ImportError as error:
        raise AgentError(f"training needs packages that are not installed ({error}): pip install 'cardtable[train]'") from None
    settings, folder = settings_of(args), RunFolder(args.out)
    if args.resume:
        folder.require_run()
    else:
        folder.require_room(overwrite=args.overwrite)
    print(_announcement(settings, args.out))
    with checkpoints.alone(folder.checkpoints):
        run = runs.resume(settings, args.out) if args.resume else runs.start(settings, args.out, overwrite=args.overwrite)
        try:
            _train(run)
        except KeyboardInterrupt:
            run.save()
            print(f"\nstopped; the policy so far and a checkpoint are in {args.out}; run the command with --resume to continue")
            raise
    _report(run)


def _announcement(settings: "Settings", folder: Path) -> str:
    ends = [f"{settings.minutes:g} minutes"] if settings.minutes else []
    ends += [f"{settings.steps:,} steps"] if settings.steps else []
    lines = [f"training {settings.game} for {' or '.join(ends)} into {folder}"]
    if settings.imitation_steps:
        lines.append(f"  imitation: {settings.imitation_steps:,} decisions as {settings.teacher} would make them, then")
    against = f", against {', '.join(settings.opponents)}" if settings.opponents else ""
    lines.append(f"  MaskablePPO on {settings.games} games at once{against}")
    if settings.advice:
        lines.append(f"  the policy receives the score that {settings.advice} gives to every legal action")
    lines.append("  Ctrl-C leaves a checkpoint; --resume continues from the newest one")
    return "\n".join(lines)


def _train(run: "Run") -> None:
    """Train with a bar for each phase that shows the latest win rates."""
    from tqdm import tqdm

    bars: dict[str, Any] = {}

    def show(phase: str, done: float) -> None:
        if phase not in bars:
            for earlier in bars.values():
                earlier.close()
            form = "{desc:<9} {percentage:3.0f} %|{bar:20}| {elapsed}<{remaining}{postfix}"
            bars[phase] = tqdm(total=1.0, desc=phase, bar_format=form)
        rates = {name: f"{rate:.0%}" for name, rate in run.evaluator.rates.items()}
        bars[phase].set_postfix({**rates, **({"steps": f"{run.learner.steps:,}"} if phase == "ppo" else {})}, refresh=False)
        bars[phase].update(done - bars[phase].n)

    try:
        run.train(show)
    finally:
        for bar in bars.values():
            bar.close()


def _report(run: "Run") -> None:
    """Say where everything is, and what to do with it; draw the learning curve."""
    from cardtable_agents.training import curves, log

    folder = run.folder
    for name, rate in run.evaluator.rates.items():
        print(f"against {name}: {rate:.1%}" if run.options.num_players > 1 else f"mean {name}: {rate:.3f}")
    print(f"policy: {folder.policy}, curve: {folder.curve}, log: {folder.log}")
    print(f"tensorboard --logdir {folder.tensorboard}")
    print(f"cardtable arena {run.game.id} ppo:{folder.policy} {run.settings.evaluation_opponents[-1]}")
    curves.draw(log.read(folder.log), f"{run.game.title}: learning curve", folder.curve)


def add_arguments(train: argparse.ArgumentParser) -> None:
    """The flags of the command; the settings have the defaults."""
    add_game(train)
    train.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder of the run")
    train.add_argument("--steps", type=positive_integer, help="number of decisions that the learner makes in PPO")
    train.add_argument("--minutes", type=positive, help="time limit in minutes, imitation included (default 10)")
    train.add_argument("--seed", type=int, help="seed of deals, network and agents (default 1)")
    train.add_argument("--games", type=positive_integer, help="games played at once (default 256)")
    train.add_argument(
        "--opponents",
        nargs="+",
        metavar="AGENT",
        help="the pool of opponents; self is a past version of the learner (default random heuristic heuristic self)",
    )
    train.add_argument("--imitate", metavar="AGENT", help="the teacher (default heuristic); search:N is stronger and slower")
    train.add_argument(
        "--imitation-steps",
        type=count,
        metavar="N",
        help="decisions to imitate (default 400,000; at most half of the minutes); 0 skips imitation",
    )
    train.add_argument(
        "--shaping",
        type=share,
        metavar="X",
        help="reward shaping: how much each move is rewarded for the change it makes to the value of the position "
        "(default 0: only results count)",
    )
    train.add_argument("--guidance", dest="shaping", type=share, help=argparse.SUPPRESS)  # what --shaping was called at first
    train.add_argument(
        "--advice",
        metavar="AGENT",
        help="an agent (heuristic or heuristic:N) whose score of every legal action the policy receives: it starts by "
        "following the adviser, and learns where to deviate (default: none)",
    )
    train.add_argument(
        "--threads", type=positive_integer, help="PyTorch threads, at most one per core (default: PyTorch decides)"
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


def positive(text: str) -> float:
    """A number above 0, for argparse."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text}: allowed: numbers above 0")
    return value


def share(text: str) -> float:
    """A number from 0 to 1, for argparse."""
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text}: allowed: numbers from 0 to 1")
    return value


def count(text: str) -> int:
    """An integer from 0, for argparse."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text}: allowed: integers from 0")
    return value


COMMAND = Command("train", train_command, add_arguments)
