"""The command `cardtable train`: flags, what it says, and its progress bar."""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cardtable.cli.arguments import options_of, positive_integer
from cardtable.cli.command import Command

if TYPE_CHECKING:
    from cardtable_agents.training.training import Settings, Training

MINUTES = 10.0
"""How long a run takes if nothing is said."""
IMITATION_STEPS = 400_000
TEACHER = "heuristic"
POOL = ("random", "heuristic", "heuristic", "self")
POOL_WITHOUT_TEACHER = ("random", "self", "self", "self")


def settings_of(args: argparse.Namespace) -> "Settings":
    """What the flags ask for; errors where it cannot be, before anything is trained."""
    from cardtable.game.game import checked_seed
    from cardtable.game.registry import find
    from cardtable.players.roster import load_module, make_agent
    from cardtable_agents.evaluations.evaluation import has_evaluation
    from cardtable_agents.players.advice import Adviser
    from cardtable_agents.training.training import SELF, Settings

    for module in args.load:
        load_module(module)
    game = find(args.game)
    options = game.parse_options(options_of(args))
    checked_seed(args.seed)
    taught = has_evaluation(game)
    teacher = args.imitate or (TEACHER if taught else "random")
    opponents = tuple(args.opponents or (POOL if taught else POOL_WITHOUT_TEACHER))
    steps = args.imitation_steps
    if steps is None:
        steps = IMITATION_STEPS if args.imitate or (taught and not args.advice) else 0
    if args.advice:
        Adviser(args.advice, game, options)
    for name in {teacher, *opponents} - {SELF}:
        make_agent(name, game, options)
    return Settings(
        game=game.id,
        options=options_of(args),
        opponents=opponents if options.num_players > 1 else (),
        teacher=teacher,
        imitation_steps=steps,
        steps=args.steps,
        minutes=args.minutes if args.minutes or args.steps else MINUTES,
        seed=args.seed,
        games=args.games,
        guidance=args.guidance,
        advice=args.advice,
        exams=("random", TEACHER) if taught else ("random",),
        command=" ".join(["cardtable", *sys.argv[1:]]),
    )


def train_command(args: argparse.Namespace) -> None:
    """Train a policy: first by imitation, then by MaskablePPO."""
    from cardtable.engine.jit import cores
    from cardtable.errors import AgentError

    try:
        import torch

        from cardtable_agents.training import checkpoints
        from cardtable_agents.training import training as runs
    except ImportError as error:
        raise AgentError(f"training needs more than is installed ({error}): pip install 'cardtable[train]'") from None
    settings = settings_of(args)
    if args.threads:
        torch.set_num_threads(min(args.threads, cores()))
    folder, overwrite = args.out, args.overwrite
    if args.resume:
        runs.require_run(folder)
    else:
        runs.require_room(folder, overwrite=overwrite)
    print(_announcement(settings, folder))
    with checkpoints.alone(folder / runs.CHECKPOINTS):
        training = runs.resume(settings, folder) if args.resume else runs.start(settings, folder, overwrite=overwrite)
        try:
            _run(training)
        except KeyboardInterrupt:
            training.keep()
            print(f"\nstopped; the policy so far and a checkpoint are in {folder}; the same command with --resume goes on")
            raise
    _report(training)


def _announcement(settings: "Settings", folder: Path) -> str:
    ends = [f"{settings.minutes:g} minutes"] if settings.minutes else []
    ends += [f"{settings.steps:,} steps"] if settings.steps else []
    lines = [f"training {settings.game} for {' or '.join(ends)} into {folder}"]
    if settings.imitation_steps:
        lines.append(f"  imitation: {settings.imitation_steps:,} decisions as {settings.teacher} would take them, then")
    against = f", against {', '.join(settings.opponents)}" if settings.opponents else ""
    lines.append(f"  MaskablePPO on {settings.games} games at once{against}")
    if settings.advice:
        lines.append(f"  the policy hears at every decision how good {settings.advice} finds each action")
    lines.append("  Ctrl-C leaves a checkpoint; --resume goes on from the newest one")
    return "\n".join(lines)


def _run(training: "Training") -> None:
    """Train with a bar for each phase, showing win rates in short matches."""
    from tqdm import tqdm

    bars: dict[str, Any] = {}

    def progress(phase: str, done: float, shown: Mapping[str, Any]) -> None:
        if phase not in bars:
            for earlier in bars.values():
                earlier.close()
            form = "{desc:<9} {percentage:3.0f} %|{bar:20}| {elapsed}<{remaining}{postfix}"
            bars[phase] = tqdm(total=1.0, desc=phase, bar_format=form)
        bars[phase].set_postfix(shown, refresh=False)
        bars[phase].update(done - bars[phase].n)

    try:
        training.run(progress)
    finally:
        for bar in bars.values():
            bar.close()


def _report(training: "Training") -> None:
    """Say where everything is, and what to do with it; draw the learning curve."""
    from cardtable_agents.training import curves, log
    from cardtable_agents.training.training import CURVE_FILE, POLICY_FILE, TENSORBOARD

    settings, folder = training.settings, training.folder
    for name, rate in training.rates.items():
        print(f"against {name}: {rate:.1%}" if training.options.num_players > 1 else f"mean {name}: {rate:.3f}")
    path = folder / POLICY_FILE
    print(f"policy: {path}, curve: {folder / CURVE_FILE}, log: {training.log.path}")
    print(f"tensorboard --logdir {folder / TENSORBOARD}")
    rival = settings.exams[-1]
    print(f"cardtable arena {settings.game} ppo:{path} {rival}")
    curves.draw(log.read(training.log.path), f"{training.game.title}: learning curve", folder / CURVE_FILE)


def add_arguments(train: argparse.ArgumentParser) -> None:
    """The flags of the command."""
    train.add_argument("--out", type=Path, required=True, metavar="DIR", help="the folder of the run")
    train.add_argument("--steps", type=positive_integer, help="decisions of the learner in PPO")
    train.add_argument("--minutes", type=positive, help=f"how long it takes, imitation included (default {MINUTES:g})")
    train.add_argument("--seed", type=int, default=1, help="seed of deals, network and agents (default 1)")
    train.add_argument("--games", type=positive_integer, default=256, help="games at once (default 256)")
    train.add_argument(
        "--opponents",
        nargs="+",
        metavar="AGENT",
        help=f"the pool, a place each; self is a past self (default {' '.join(POOL)})",
    )
    train.add_argument("--imitate", metavar="AGENT", help=f"the teacher (default {TEACHER}); search:N is stronger and slower")
    train.add_argument(
        "--imitation-steps",
        type=count,
        metavar="N",
        help=f"decisions to imitate (default {IMITATION_STEPS:,}; at most half of the minutes); 0: none",
    )
    train.add_argument(
        "--guidance",
        type=share,
        default=0.0,
        metavar="X",
        help="how much each move is paid for what it changes in the value of the position (default 0: only results count)",
    )
    train.add_argument(
        "--advice",
        metavar="AGENT",
        help="an agent (heuristic or heuristic:N) that tells the policy at every decision how good it finds each action: the "
        "policy begins there and learns what to change (default: none)",
    )
    train.add_argument(
        "--threads", type=positive_integer, help="threads of PyTorch, at most one a core (default: its own choice)"
    )
    existing = train.add_mutually_exclusive_group()
    existing.add_argument(
        "--resume", action="store_true", help="go on with the run in the folder, from its newest whole checkpoint"
    )
    existing.add_argument(
        "--overwrite", action="store_true", help="begin anew if the folder holds a run; what it wrote is removed"
    )


def positive(text: str) -> float:
    """A number above 0, for argparse."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not a number above 0")
    return value


def share(text: str) -> float:
    """A number from 0 to 1, for argparse."""
    value = float(text)
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 0 to 1")
    return value


def count(text: str) -> int:
    """A whole number from 0, for argparse."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is less than 0")
    return value


COMMAND = Command("train", train_command, add_arguments)
