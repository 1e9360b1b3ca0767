"""What bots cost: a step with what a seat sees and saw happen, and decisions by the protocol of docs/protocol.md.

    python -m benchmarks.bots [--games muster …] [--decisions 1000] [--rounds 3]

A step is `table.play`, `table.view` and `table.events` since the last step, in random games; its time is that of the processor.
By the protocol, a bot that answers at once (`benchmarks/instant_bot.py`) plays all seats of 64 games side by side, to their
ends. It and we take turns, so a decision takes what both compute for it. That processor time is printed beside the rate, and is
all that counts on a machine that has other work to do. The best of the rounds counts. Not a part of `make bench`.
"""

import argparse
import os
import random
import resource
import shlex
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from cardtable_agents.arena.match import Match
from cardtable_agents.players.command import CommandAgent

from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.table import Table

BOT = Path(__file__).with_name("instant_bot.py")
BATCH = 64
"""Games side by side."""
MOST_DECISIONS = 300
"""Decisions of a game before the next one is dealt: a table remembers all that happened."""
MICROSECOND = 1e-6
WANTS = ((), ("view",), ("events",), ("view", "events"), ("observation", "mask"))
"""What the bot wants with each ask."""


def step_cost(game: Game, players: int, decisions: int, seed: int) -> float:
    """Processor time of a step with view and events, in seconds."""
    table, draw = Table(game, {"num_players": players}), random.Random(seed)
    table.deal(seed)
    known, computed = 0, 0.0
    for number in range(decisions):
        if table.ending or table.length == MOST_DECISIONS:
            table.deal(seed, number)
            known = 0
        seat, action = table.seat, draw.choice(np.flatnonzero(table.mask).tolist())
        begun = time.process_time()
        table.play(action)
        table.view(seat)
        events = table.events(seat, known)
        computed += time.process_time() - begun
        known += len(events)
    return computed / decisions


class Rate(NamedTuple):
    """What a match by the protocol took for a decision, in seconds."""

    passed: float
    ours: float
    """Processor time of our process."""
    of_the_bot: float
    """Processor time of the bot and of what guards it, their start included."""


def protocol_rate(game: Game, wants: tuple[str, ...], seed: int) -> Rate:
    """A match of a bot against itself, in all seats of a batch of games."""
    options = game.parse_options({})
    agent = CommandAgent(game, options, shlex.join([sys.executable, str(BOT), *wants]))
    agent.prepare()
    match = Match(game, options, [agent] * options.num_players, seed, 0, BATCH)
    passed, ours, children = time.perf_counter(), time.process_time(), _of_children()
    decisions = sum(sum(played.decisions) for played in match.play())
    passed, ours = time.perf_counter() - passed, time.process_time() - ours
    agent.close()
    return Rate(passed / decisions, ours / decisions, (_of_children() - children) / decisions)


def _of_children() -> float:
    """Processor time of all processes that have been started and are gone."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measure(games: list[Game], decisions: int, rounds: int) -> None:
    """Measure and print."""
    print("a step with view and events, µs of processor time")
    for game in games:
        for players in game.player_counts:
            step_cost(game, players, 1, seed=0)  # loads what was compiled
            best = min(step_cost(game, players, decisions, seed) for seed in range(rounds))
            print(f"  {game.id:<12} {players} players  {best / MICROSECOND:6.0f}")
    print(f"decisions a second by the protocol, {BATCH} games at once (µs of processor time: ours + the bot's)")
    for game in games:
        for wants in WANTS:
            found = [protocol_rate(game, wants, seed) for seed in range(rounds)]
            rate, each = 1 / min(each.passed for each in found), min(found, key=lambda each: each.ours + each.of_the_bot)
            computed = f"{each.ours / MICROSECOND:.0f} + {each.of_the_bot / MICROSECOND:.0f}"
            print(f"  {game.id:<12} {' and '.join(wants) or 'nothing':<21} {rate:8,.0f}  ({computed})")
    print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


def main() -> None:
    """Measure some games, or all that are installed."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m benchmarks.bots", description=__doc__, formatter_class=layout)
    parser.add_argument("--games", nargs="+", metavar="GAME", default=game_ids(), help="games to measure (default: all)")
    parser.add_argument("--decisions", type=positive_integer, default=1000, help="steps in a round (default %(default)s)")
    parser.add_argument("--rounds", type=positive_integer, default=3, help="the best one counts (default %(default)s)")
    args = parser.parse_args()
    measure([find(name) for name in args.games], args.decisions, args.rounds)


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.bots", main))
