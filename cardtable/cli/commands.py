"""The commands that need no agents: what is installed, rules and specification, random play, audits, replays."""

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from textwrap import indent
from typing import TYPE_CHECKING, Any

import numpy as np

from cardtable.cli import rules
from cardtable.cli.arguments import add_game, add_images, add_load, add_options, find_all, options_of, positive_integer
from cardtable.cli.command import Command
from cardtable.errors import CardtableError, OptionError, UnknownGame
from cardtable.game.game import Game, agents_of
from cardtable.game.registry import find, game_ids
from cardtable.support import notices
from cardtable.support.columns import aligned, terminal_width
from cardtable.types import Counts, Floats

if TYPE_CHECKING:
    from cardtable.audit import Audit
    from cardtable.table import Table

BATCH = 1000


def games_command(_: argparse.Namespace) -> None:
    """List the installed games."""
    rows, broken = [["game", "title", "actions", "observation size", "options"]], []
    for game_id in game_ids():
        try:
            game = find(game_id)
        except UnknownGame as error:
            broken.append(str(error))
            continue
        options = ", ".join(game.options.names())
        rows.append([game.id, game.title, str(game.actions.size), str(game.layout.size), options])
    print(aligned(rows, "llrrl", terminal_width()))
    for reason in broken:
        notices.say(reason)


def agents_command(args: argparse.Namespace) -> None:
    """List the agents that can be named where a command takes an AGENT."""
    from cardtable.players import roster

    for module in args.load:
        roster.load_module(module)
    print(roster.table())


def spec_command(args: argparse.Namespace) -> None:
    """Print the action, observation and option tables of a game."""
    from cardtable.game.spec import spec_text

    print(spec_text(find(args.game)))


def compile_command(args: argparse.Namespace) -> None:
    """Compile games and the agents that play them, and say where the compiled code is kept."""
    from cardtable import audit
    from cardtable.engine import homes, jit
    from cardtable.engine.store import share_home
    from cardtable.players.roster import prepare_agents

    games = [find(name) for name in args.games or game_ids()]
    if not jit.COMPILED:
        raise CardtableError("compile: NUMBA_DISABLE_JIT is set: there is nothing to compile")
    for game in games:
        audit.prepare(game)
        prepare_agents(game)
    print(aligned([(name, "compiled" if compiled else "already compiled") for name, compiled in jit.prepared.items()], "ll"))
    for home in homes.homes():
        print(f"cache: {home}")
    reason = homes.why_not_kept()
    if reason and any(jit.prepared.values()):
        raise CardtableError(f"compile: the compiled code could not be saved where it belongs: {reason}")
    if os.environ.get(homes.NAMED) and not reason:
        share_home()


def random_command(args: argparse.Namespace) -> None:
    """Play random games and print a summary."""
    play_random(find(args.game), options_of(args), args.games, args.seed)


def play_random(game: Game, options: dict[str, Any], games: int, seed: int) -> None:
    """Play games to their ends inside the compiled loop; print lengths, results and speed."""
    from tqdm import tqdm

    from cardtable.envs.batch import BatchEnv

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


def print_summary(game: Game, lengths: Counts, scores: Floats, rewards: Floats, truncated: int, seconds: float) -> None:
    """The table that `random` prints."""
    games, decisions = len(lengths), int(lengths.sum())
    low, median, high = np.percentile(lengths, [5, 50, 95])
    speed = f"{decisions / seconds:,.0f} per second"
    print(f"{game.title}: {games:,} random games, {decisions:,} decisions in {seconds:.1f} s ({speed})")
    print(f"decisions per game: mean {lengths.mean():.1f}, median {median:.0f}, 5 % to 95 %: {low:.0f} to {high:.0f}")
    print(f"cut off: {truncated / games:.2%}")
    best = rewards.max(axis=1, keepdims=True)
    shared = (rewards == best).sum(axis=1)
    rows = [["seat", "wins", "ties", "score"]]
    for seat, agent in enumerate(agents_of(scores.shape[1])):
        top = rewards[:, seat] == best[:, 0]
        wins, ties = (top & (shared == 1)).mean(), (top & (shared > 1)).mean()
        rows.append([agent, f"{wins:.1%}", f"{ties:.1%}", f"{scores[:, seat].mean():.2f}"])
    print(aligned(rows, "lrrr"))


def audit_command(args: argparse.Namespace) -> None:
    """Play random games, check every position, and count the clauses that come up."""
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
    print("every position is valid; clauses exercised:")
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
    print(indent(aligned([(name, f"{count:,}") for name, count in counts.items()], "lr"), "  "))


def signature_command(args: argparse.Namespace) -> None:
    """Print the signature of each game: a hash of everything that random games show and do."""
    from cardtable.audit import signature

    for game in find_all(args.game):
        print(f"{game.id} rules {game.rules_version}, {args.games} games per variant: {signature(game, args.games)}")


def replay_command(args: argparse.Namespace) -> None:
    """Verify a replay and show it: where it ends, its moves, what happened, or step by step."""
    from cardtable.replay import load_verified

    if args.json and not args.events:
        raise OptionError("replay: --json goes with --events only")
    if args.overwrite and not args.html:
        raise OptionError("replay: --overwrite goes with --html only")
    if args.images is not None and not args.html:
        raise OptionError("replay: --images goes with --html only")
    replay, table = load_verified(args.file)
    if args.images is not None:
        table.show_images(args.images)
    end = table.text(args.seat)  # refuses a seat that there is not
    head = (
        f"{replay.game.id} rules {replay.game.rules_version}, options {replay.options}: {len(replay.moves)} decisions, verified"
    )
    if args.json:
        print_json_events(table, args.seat)
        return
    print(head)
    if args.html:
        from cardtable.cli.picture import write_page

        write_page(table, args.seat, Path(args.html), overwrite=args.overwrite)
        return
    if args.step:
        step_through_replay(table, args.seat)
        return
    if args.events:
        print_events(table, args.seat)
    else:
        if args.moves:
            print_moves(table, args.seat)
        print(end)
    print(f"result: {replay.result or 'not finished'}")


def print_moves(table: "Table", seat: int | None) -> None:
    """The moves of a game, one a line, as a seat may know them; None is a spectator."""
    names = [table.game.actions.names[action] for action in table.history]
    for step, name in enumerate(names if seat is None else table.moves_seen_by(seat)):
        print(f"{step:>4}  player_{table.movers[step]}  {name}")


def print_events(table: "Table", seat: int | None) -> None:
    """What a seat saw happen, a sentence a line; None is a spectator."""
    from cardtable.cli.telling import sentences

    for line in sentences(table.game, table.events(seat), seat):
        print(line)


def print_json_events(table: "Table", seat: int | None) -> None:
    """What a seat saw happen, a JSON object a line and nothing else; None is a spectator."""
    for event in table.events(seat):
        print(json.dumps(event))


def step_through_replay(table: "Table", seat: int | None) -> None:
    """Decision by decision, as the person at the keyboard asks."""
    from cardtable.cli import stepping

    stepping.step_through(table, seat, stepping.asker(), print)


# ---- Arguments


def add_games(parser: argparse.ArgumentParser) -> None:
    """The games to compile."""
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"games to compile: {', '.join(game_ids())} (default: all)")


def add_random_play(parser: argparse.ArgumentParser) -> None:
    """A game, how many of it, from which seed."""
    add_game(parser)
    parser.add_argument("--games", type=positive_integer, default=10_000, help="number of games (default 10000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the deals and of the random players (default 1)")
    add_options(parser)


def add_audit(parser: argparse.ArgumentParser) -> None:
    """The same, for each variant."""
    add_game(parser)
    parser.add_argument("--games", type=positive_integer, default=10_000, help="games per variant (default 10000)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the deals and of the random players (default 1)")
    add_options(parser, " (default: all variants in turn)")


def add_signature(parser: argparse.ArgumentParser) -> None:
    """A game, or none for all."""
    add_game(parser, nargs="?")
    parser.add_argument("--games", type=positive_integer, default=100, help="games per variant (default 100)")


def add_replay(parser: argparse.ArgumentParser) -> None:
    """A file, what is shown of it, and for whom."""
    parser.add_argument(
        "file", metavar="FILE", help="a replay, as TableEnv.replay().save(FILE), `play` or `arena --replays` write it"
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--moves", action="store_true", help="list every move, then the table at the end")
    shown.add_argument("--events", action="store_true", help="tell what happened, a sentence a line")
    shown.add_argument(
        "--step",
        action="store_true",
        help="step by step: Enter or right arrow next, b or left arrow back, g N to where N decisions have been made, q leave",
    )
    shown.add_argument("--html", metavar="OUT", help="write a page that shows it in pictures, step by step, to the file OUT")
    parser.add_argument(
        "--seat",
        type=int,
        metavar="N",
        help="as this seat saw it, from 0 (default: a spectator, who sees all moves and events)",
    )
    parser.add_argument("--overwrite", action="store_true", help="with --html: replace the file if it exists")
    parser.add_argument("--json", action="store_true", help="with --events: one JSON object a line, and nothing else")
    add_images(parser)


COMMANDS = (
    Command("games", games_command),
    Command("agents", agents_command, add_load),
    rules.COMMAND,
    Command("spec", spec_command, add_game),
    Command("compile", compile_command, add_games),
    Command("random", random_command, add_random_play),
    Command("audit", audit_command, add_audit),
    Command("signature", signature_command, add_signature),
    Command("replay", replay_command, add_replay),
)
