"""`python -m benchmarks.cost`: processor time of a million games of an arena, by game and pairing, for docs/scale.md.

One process plays, with everything that an arena does to a game: views, records forgotten, games played a second time to check
them, lines made. Hours on more cores are reckoned: processor time divided by cores.
"""

import argparse
import time
from collections.abc import Sequence

from cardtable_agents.arena import tournament
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.work import ArenaWork, Players, Task
from threadpoolctl import threadpool_limits

from benchmarks import report
from cardtable.game.registry import game_ids
from cardtable.players.keys import open_salt

PAIRINGS = (
    ("random", "random"),
    ("heuristic", "random"),
    ("heuristic", "heuristic"),
    ("ppo", "heuristic"),
    ("search:100", "heuristic"),
)
CORES = (10, 100, 1000)
MILLION = 1_000_000


def seconds_of_a_game(game: str, agents: Sequence[str], seconds: float) -> float:
    """Processor time of a game, measured for about so many seconds after a start that does not count."""
    plan = make_plan(game, {}, agents)
    tournament.prepare(plan)
    work, seatings = ArenaWork(Players(plan, open_salt("cost"))), tuple(plan.seatings()[0])
    number, first, spent = 1, 0, 0.0
    with threadpool_limits(1):
        work.play(Task(seatings, 0, 1))
        while spent < seconds / 2:
            task = Task(seatings, first, number)
            start = time.process_time()
            work.play(task)
            spent = time.process_time() - start
            number, first = number * 2, first + number
    return spent / task.games


def hours(seconds: float) -> str:
    """A time in words."""
    if seconds < 120:
        return f"{seconds:,.1f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost", description=__doc__)
    parser.add_argument("--seconds", type=float, default=4.0, help="time for each row (default 4)")
    parser.add_argument("--games", nargs="+", default=game_ids(), metavar="GAME", help="which games (default: all)")
    wanted = parser.parse_args(arguments)
    lines = [["game", "agents", "ms a game", "1 core", *(f"{cores:,} cores" for cores in CORES)]]
    for game in wanted.games:
        for agents in PAIRINGS:
            cost = seconds_of_a_game(game, agents, wanted.seconds)
            total = cost * MILLION
            lines.append(
                [game, " – ".join(agents), f"{1000 * cost:,.2f}", hours(total), *(hours(total / each) for each in CORES)]
            )
    print(report.markdown(lines))


if __name__ == "__main__":
    main()
