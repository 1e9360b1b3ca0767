"""`python -m benchmarks.simulations`: how many simulations a second tree search makes, by the evaluation and by a network.

Processor time of one core, at decisions along one game in which random moves are played.
"""

import argparse
import random
import time
from collections.abc import Iterator, Sequence

import numpy as np

from cardtable.game.registry import find, game_ids
from cardtable.players.roster import make_agent
from cardtable.players.views import Views, view_of
from cardtable.support.columns import aligned
from cardtable.table import Table

AGENTS = ("search:{}", "search:{}:net")
SALT = "5a17" * 8
SEED = 1


def views_of(game_id: str, number: int) -> list[Views]:
    """What the seats to act see at some decisions that are not forced."""
    return [views for views, _ in zip(_decisions(game_id), range(number), strict=False)]


def _decisions(game_id: str) -> Iterator[Views]:
    game = find(game_id)
    table, draw, games = Table(game, game.parse_options({})), random.Random(SEED), 1
    table.deal(SEED)
    while True:
        if table.ending:
            table.deal(SEED, games)
            games += 1
        if table.mask.sum() > 1:
            yield view_of(table, SALT)
        table.play(draw.choice(np.flatnonzero(table.mask).tolist()))


def seconds_of(name: str, views: Sequence[Views]) -> float:
    """Processor time of an agent for all decisions, compiled and warm."""
    agent = make_agent(name, views[0].game, views[0].options)
    agent.act(views[0])
    start = time.process_time()
    for each in views:
        agent.act(each)
    return time.process_time() - start


def main() -> None:
    """Measure and print."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m benchmarks.simulations", description=__doc__, formatter_class=layout)
    parser.add_argument("--simulations", type=int, default=400, help="a decision (default 400)")
    parser.add_argument("--decisions", type=int, default=60, help="of each game (default 60)")
    args = parser.parse_args()
    rows = [("game", "agent", "simulations/s", "µs each")]
    for game_id in game_ids():
        views = views_of(game_id, args.decisions)
        for name in (form.format(args.simulations) for form in AGENTS):
            number, seconds = args.simulations * len(views), seconds_of(name, views)
            rows.append((game_id, name, f"{number / seconds:,.0f}", f"{seconds / number * 1e6:.2f}"))
    print(aligned(rows, "llrr"))


if __name__ == "__main__":
    main()
