"""A leaderboard of the agents: every two play each other on the same deals from both seats, by the arena.

An agent that cannot play a game, because it has no evaluation or no trained policy for it, is left out with a line that
says why. Games already played by the same sources are not played again (`cardtable arena` keeps them in runs/arena).
"""

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from cardtable_agents.arena import plot, tournament
from cardtable_agents.arena.command import progress_bar
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.standings import Standing, standings

from benchmarks import report
from benchmarks.measure import Row
from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.engine.jit import cores
from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.registry import find
from cardtable.players import roster

AGENTS = ("random", "heuristic", "search:100", "ppo")
GAMES_A_PAIR = 200
QUICK_AGENTS = ("random", "heuristic")
QUICK_GAMES = 4
SEED = 1


def entrants(game: Game, names: Sequence[str]) -> list[str]:
    """The agents that can play the game; who cannot is named with the reason."""
    able = []
    for name in names:
        try:
            roster.make_agent(name, game, game.parse_options({}))
        except (AgentError, ImportError) as error:
            print(f"{game.id}: left out: {name}: {error}", file=sys.stderr)
        else:
            able.append(name)
    return able


def leaderboard(game: Game, names: Sequence[str], games: int, workers: int) -> list[Standing]:
    """Everybody against everybody, with default options; the best first."""
    plan = make_plan(game.id, {}, names, SEED)
    tournament.prepare(plan)
    with progress_bar(game.id) as progress:
        lines = tournament.run(plan, games, plan.folder(), workers=workers, progress=progress)
    return standings(plan.labels, lines)


# ---- Report


def row_of(game: Game, standing: Standing) -> Row:
    """A standing for the file of results; its noise is half of the interval."""
    low, high = standing.interval
    details = {
        "agent": standing.agent,
        "games": standing.entries,
        "interval": [low, high],
        "elo": standing.elo,
        "seconds_per_move": standing.seconds / max(standing.decisions, 1),
    }
    margin = (high - low) / 2 / max(standing.rate, low, high)
    return Row(f"{game.id}: {standing.agent}", game.id, unit="win rate", rounds=[standing.rate], margin=margin, details=details)


def table(game: Game, board: Sequence[Standing]) -> report.Table:
    """The leaderboard of a game."""
    lines = [[game.id, "games", "win rate", "95 % interval", "Elo", "ms/move"]]
    for row in board:
        low, high = row.interval
        speed = 1000 * row.seconds / max(row.decisions, 1)
        lines.append(
            [row.agent, f"{row.entries:,}", f"{row.rate:.1%}", f"{low:.1%} to {high:.1%}", f"{row.elo:+.0f}", f"{speed:.3f}"]
        )
    return lines


def draw(boards: dict[Game, list[Standing]], path: Path) -> None:
    """A picture for each game, its id added to the name of the file."""
    for game, board in boards.items():
        players = game.parse_options({}).num_players
        plot.draw(
            board, f"{game.title}: {board[0].entries:,} games each", 1 / players, path.with_stem(f"{path.stem}-{game.id}")
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Play and report."""
    parser = report.new_parser("strength", __doc__ or "")
    parser.add_argument(
        "--agents", nargs="+", default=list(AGENTS), metavar="AGENT", help=f"who plays (default: {' '.join(AGENTS)})"
    )
    parser.add_argument(
        "--pair", type=positive_integer, default=GAMES_A_PAIR, metavar="N", help="games of every two (default: %(default)s)"
    )
    parser.add_argument("--workers", type=positive_integer, default=cores(), help="processes (default: all cores)")
    wanted = report.parse(parser, arguments)
    if wanted.quick:
        wanted.agents, wanted.pair, wanted.workers = list(QUICK_AGENTS), QUICK_GAMES, 1
    ran_on = report.machine()
    boards = {}
    for game in map(find, wanted.games):
        names = entrants(game, list(dict.fromkeys(wanted.agents)))
        if len(names) > 1:
            boards[game] = leaderboard(game, names, wanted.pair, wanted.workers)
    if not boards:
        parser.error(f"--agents {' '.join(wanted.agents)}: there are no two that can play the same game")
    rows = [row_of(game, standing) for game, board in boards.items() for standing in board]
    text = "\n\n".join(report.markdown(table(game, board)) for game, board in boards.items())
    report.finish(report.result("strength", rows, ran_on, wanted), text, partial(draw, boards), wanted)


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.strength", main))
