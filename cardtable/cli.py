"""The command line, `cardtable COMMAND`; what has to do with agents (arena, play, train) comes from `agents`."""

import argparse
import importlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from cardtable import __version__, console, files
from cardtable.errors import CardtableError, OptionError
from cardtable.game import Game, agents_of
from cardtable.messages import shown
from cardtable.registry import find, game_ids

if TYPE_CHECKING:
    from cardtable.audit import Audit

BATCH = 1000
LARGEST_NUMBER = 10**9
"""Of games, decisions, processes: beyond what anybody can wait for."""


def parse_option(text: str) -> tuple[str, Any]:
    """`name=value` as (name, value); values are JSON (`true`, `3`, `["a"]`), anything else is a string."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise OptionError(f"option {shown(text)}: write name=value, for example max_turns=100")
    try:
        return name, json.loads(value.lower() if value.lower() in ("true", "false") else value)
    except ValueError:
        return name, value
    except RecursionError:
        raise OptionError(f"option {shown(text)}: deeper than any value of an option") from None


def options_of(args: argparse.Namespace) -> dict[str, Any]:
    """The game options given on the command line."""
    return dict(parse_option(text) for text in args.option)


def find_all(name: str | None) -> list[Game]:
    """The game of that name; every game if there is no name."""
    return [find(game_id) for game_id in ([name] if name else game_ids())]


def games_command(_: argparse.Namespace) -> None:
    """List the installed games."""
    for game in find_all(None):
        names = ", ".join(game.options.names())
        print(
            f"{game.id:<14} {game.title} · {game.actions.size} actions · {game.layout.size} observed numbers · options: {names}"
        )


def rules_command(args: argparse.Namespace) -> None:
    """Print the action, observation and option tables."""
    from cardtable.tables import spec_text

    print(spec_text(find(args.game)))


def compile_command(args: argparse.Namespace) -> None:
    """Compile games and all that plays them, and say where the compiled code is kept."""
    from agents import worlds
    from cardtable import audit, cache, jit

    games = [find(name) for name in args.games or game_ids()]
    if not jit.COMPILED:
        raise CardtableError("compile: NUMBA_DISABLE_JIT is set: there is nothing to compile")
    for game in games:
        audit.prepare(game)
        worlds.prepare_all(game)
    for name, compiled in jit.prepared.items():
        print(f"{name:<24} {'compiled' if compiled else 'there already'}")
    for folder in jit.store().folders():
        print(f"cache: {folder}")
    reason = cache.why_not_kept()
    if reason and any(jit.prepared.values()):
        raise CardtableError(f"compile: what was compiled is not kept where it should be: {reason}")
    if os.environ.get(cache.NAMED) and not reason:
        jit.store().share()


def random_command(args: argparse.Namespace) -> None:
    """Play random games and sum them up."""
    play_random(find(args.game), options_of(args), args.games, args.seed)


def play_random(game: Game, options: dict[str, Any], games: int, seed: int) -> None:
    """Play games to their ends inside the compiled loop; print lengths, results and speed."""
    from tqdm import tqdm

    from cardtable.batch import BatchEnv

    game.parse_options(options)
    game.prepare()
    lengths, scores, rewards, truncated = [], [], [], 0
    start = time.perf_counter()
    with tqdm(total=games, unit="game", desc=f"{game.id}, random play") as progress:
        for first in range(0, games, BATCH):
            batch = BatchEnv(game, min(BATCH, games - first), seed, first=first, observe=False, **options)
            batch.play_out(seed)
            lengths.append(batch.frame.episode_length.copy())
            scores.append(batch.frame.scores.copy())
            rewards.append(batch.frame.rewards.copy())
            truncated += int(batch.frame.truncated.sum())
            progress.update(batch.num_games)
    seconds = time.perf_counter() - start
    print_summary(game, np.concatenate(lengths), np.concatenate(scores), np.concatenate(rewards), truncated, seconds)


def print_summary(
    game: Game, lengths: np.ndarray, scores: np.ndarray, rewards: np.ndarray, truncated: int, seconds: float
) -> None:
    """The table that `random` prints."""
    games, decisions = len(lengths), int(lengths.sum())
    low, median, high = np.percentile(lengths, [5, 50, 95])
    speed = f"{decisions / seconds:,.0f} per second"
    print(f"{game.title}: {games:,} random games, {decisions:,} decisions in {seconds:.1f} s ({speed})")
    print(f"decisions per game: mean {lengths.mean():.1f}, median {median:.0f}, 5 % to 95 %: {low:.0f} to {high:.0f}")
    print(f"cut off: {truncated / games:.2%}")
    best = rewards.max(axis=1, keepdims=True)
    shared = (rewards == best).sum(axis=1)
    print(f"{'seat':<10} {'wins':>8} {'ties':>8} {'score':>8}")
    for seat, agent in enumerate(agents_of(scores.shape[1])):
        top = rewards[:, seat] == best[:, 0]
        wins, ties = (top & (shared == 1)).mean(), (top & (shared > 1)).mean()
        print(f"{agent:<10} {wins:>8.1%} {ties:>8.1%} {scores[:, seat].mean():>8.2f}")


def audit_command(args: argparse.Namespace) -> None:
    """Play random games with every position checked, and count the clauses that they exercise."""
    game, options = find(args.game), options_of(args)
    variants = [options] if options else [dict(variant) for variant in game.variants]
    counts: Counter[str] = Counter()
    for variant in variants:
        audited = audit_variant(game, variant, args.games, args.seed)
        counts.update(audited.clauses)
        length, share = audited.decisions / audited.games, audited.truncated / audited.games
        print(
            f"{describe_options(variant)}: {audited.games:,} games, {length:.1f} decisions each, {share:.1%} cut off",
            flush=True,
        )
    print("every position possible; clauses exercised:")
    print_clauses(counts)


def audit_variant(game: Game, options: dict[str, Any], games: int, seed: int) -> "Audit":
    """Audit games under some options, with a progress bar."""
    from tqdm import tqdm

    from cardtable.audit import audit

    with tqdm(total=games, unit="game", desc=f"{game.id}, random play, checked", leave=False) as progress:
        for audited in audit(game, options, games, seed):
            progress.update(audited.games - progress.n)
    return audited


def describe_options(options: dict[str, Any]) -> str:
    """Options as the command line takes them; an edition by its file's name."""
    plain = {name: value.name if isinstance(value, Path) else value for name, value in options.items()}
    return " ".join(f"{name}={value}" for name, value in plain.items()) or "default options"


def print_clauses(counts: Mapping[str, int]) -> None:
    """How often each clause was exercised."""
    for name, count in counts.items():
        print(f"  {name:<10} {count:>12,}")


def signature_command(args: argparse.Namespace) -> None:
    """Print the signature of the rules, of each game."""
    from cardtable.audit import signature

    for game in find_all(args.game):
        print(f"{game.id} rules {game.rules_version}, {args.games} games a variant: {signature(game, args.games)}")


def replay_command(args: argparse.Namespace) -> None:
    """Verify a replay and show it."""
    from cardtable.replay import Replay

    replay = Replay.load(args.file)
    table = replay.verify()
    print(
        f"{replay.game.id} rules {replay.game.rules_version}, options {replay.options}: {len(replay.moves)} decisions, verified"
    )
    if args.moves:
        for step, move in enumerate(replay.moves):
            print(f"{step:>4}  player_{move['seat']}  {move['action']}")
    print(table.text())
    print(f"result: {replay.result or 'not finished'}")


def load_differ() -> Any:
    """The module that compares engine and reference; the references are part of the repository, not of the package."""
    folder = Path(__file__).resolve().parent.parent / "tests"
    if not (folder / "reference" / "differ.py").is_file():
        raise CardtableError(
            f"prove: the references are not in {folder}: they come with the repository, not with the installed package; "
            "run it in a clone, installed with `pip install --editable`"
        )
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    return importlib.import_module("reference.differ")


def prove_command(args: argparse.Namespace) -> None:
    """Play the engine against an independent reference of its rules, and stop where they differ."""
    from cardtable.replay import save_somewhere

    differ = load_differ()
    options = options_of(args)
    if options and not args.game:
        raise OptionError("prove: options are those of one game: name it, as in `cardtable prove muster -o max_turns=100`")
    files.require_writable(args.replay)
    for game in find_all(args.game):
        try:
            proof = prove_game(differ, game, [options] if options else None, args)
        except differ.Difference as difference:
            print(difference, file=sys.stderr)
            path = files.new_path(args.replay)
            save_somewhere(difference.replay, path, print)
            raise CardtableError(f"prove: engine and reference differ; replay written to {path}") from None
        print_proof(proof)
        never = [name for name, number in proof.clauses.items() if not number]
        if never and args.every_clause:
            raise CardtableError(f"prove: {game.id}: clauses that never came up: {', '.join(never)}")


def prove_game(differ: Any, game: Game, variants: list[dict[str, Any]] | None, args: argparse.Namespace) -> Any:
    """Compare one game with its reference; what was compared."""
    from tqdm import tqdm

    from cardtable.audit import prepare

    prepare(game)
    proof: Any = None
    start = time.perf_counter()
    with tqdm(total=args.decisions, unit="decision", desc=f"{game.id}, engine and reference") as progress:
        for proof in differ.prove(game, args.decisions, args.seed, variants, args.workers):
            progress.update(min(proof.decisions, args.decisions) - progress.n)
    seconds = time.perf_counter() - start
    print(f"{game.title}, rules {game.rules_version}, seed {args.seed}: {proof.games:,} games ({proof.summary()})")
    speed = f"{proof.decisions / seconds:,.0f} per second"
    print(f"{proof.decisions:,} decisions in {seconds:.0f} s ({speed}): no difference")
    return proof


def print_proof(proof: Any) -> None:
    """How often each set of options and each clause came up."""
    print("decisions under each set of options:")
    for options, decisions in proof.options.items():
        print(f"  {decisions:>12,}  {options}")
    rarest = min(proof.clauses, key=proof.clauses.get)
    never = sum(not number for number in proof.clauses.values())
    print(f"clauses exercised: {len(proof.clauses) - never} of {len(proof.clauses)}, {rarest} least often:")
    print_clauses(proof.clauses)


def whole_number(text: str) -> int:
    """A positive whole number, for argparse."""
    if not text.isdecimal() or not 1 <= len(text) <= len(str(LARGEST_NUMBER)) or not 1 <= int(text) <= LARGEST_NUMBER:
        raise argparse.ArgumentTypeError(f"{shown(text)}: allowed: integers from 1 to {LARGEST_NUMBER:,}")
    return int(text)


def add_game(described: argparse.ArgumentParser, **extra: Any) -> None:
    """An argument that names a game."""
    described.add_argument(
        "game", metavar="GAME", help=f"one of: {', '.join(game_ids())}; the version may be left out", **extra
    )


def add_options(described: argparse.ArgumentParser, default: str = "") -> None:
    """Arguments that give options of the game."""
    described.add_argument(
        "-o",
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"a game option, such as max_turns=100; may be repeated{default}",
    )


def make_parser() -> argparse.ArgumentParser:
    """All commands with their arguments."""
    from agents.commands import add_commands

    parser = argparse.ArgumentParser(prog="cardtable", description="Card games for reinforcement learning.")
    parser.add_argument("--version", action="version", version=f"cardtable {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], None]) -> argparse.ArgumentParser:
        described = commands.add_parser(name, help=run.__doc__, description=run.__doc__)
        described.set_defaults(run=run)
        return described

    command("games", games_command)
    add_game(command("rules", rules_command))
    compile_ = command("compile", compile_command)
    compile_.add_argument("games", nargs="*", metavar="GAME", help=f"some of: {', '.join(game_ids())} (default: all)")
    random = command("random", random_command)
    add_game(random)
    random.add_argument("--games", type=whole_number, default=10_000, help="how many games (default 10000)")
    random.add_argument("--seed", type=int, default=1, help="seed of the deals and of the random players (default 1)")
    add_options(random)
    audit = command("audit", audit_command)
    add_game(audit)
    audit.add_argument("--games", type=whole_number, default=10_000, help="games of each variant (default 10000)")
    audit.add_argument("--seed", type=int, default=1, help="seed of the deals and of the random players (default 1)")
    add_options(audit, " (default: all variants in turn)")
    signature = command("signature", signature_command)
    add_game(signature, nargs="?")
    signature.add_argument("--games", type=whole_number, default=100, help="games of each variant (default 100)")
    replay = command("replay", replay_command)
    replay.add_argument("file", metavar="FILE", help="a replay, as TableEnv.replay().save(FILE) writes it")
    replay.add_argument("--moves", action="store_true", help="list every move")
    prove = command("prove", prove_command)
    add_game(prove, nargs="?")
    prove.add_argument("--decisions", type=whole_number, default=100_000, help="how many decisions a game (default 100000)")
    prove.add_argument("--workers", type=whole_number, default=1, help="processes that share the games (default 1)")
    prove.add_argument("--seed", type=int, default=1, help="seed of the deals and of the players (default 1)")
    prove.add_argument(
        "--replay",
        type=Path,
        default=Path("difference.json"),
        metavar="FILE",
        help="where a difference is written (default difference.json); beside it if there is one already",
    )
    prove.add_argument("--every-clause", action="store_true", help="fail if a clause never came up")
    add_options(prove, " (default: all variants in turn)")
    add_commands(command)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; `cardtable.console` says how it ends."""

    def command() -> None:
        args = make_parser().parse_args(argv)
        args.run(args)

    return console.run("cardtable", command)
