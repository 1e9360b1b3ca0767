"""A board as text: ratings, wins, head to head, who each player is and how exploitable."""

import math

from cardtable.support.columns import aligned
from cardtable_agents.arena import matrix
from cardtable_agents.arena.intervals import Interval
from cardtable_agents.arena.ratings import Rating, bradley_terry
from cardtable_agents.arena.standings import interval_of, shares_by_deal, table_of_returns
from cardtable_agents.leaderboard.board import Board

HEAD = ("player", "Elo", "wins", "95 % interval", "score", "ms/move", "lost to a best response", "content")
LONGEST_HASH = 10


def shares(board: Board) -> dict[str, tuple[float, Interval]]:
    """Each agent's share of wins, with its 95 % interval."""
    return {
        agent: (sum(map(sum, deals.values())) / max(sum(map(len, deals.values())), 1), interval_of(deals.values()))
        for agent, deals in shares_by_deal(board.agents, board.contests()).items()
    }


def rows(board: Board) -> list[list[str]]:
    """The cells of the table, the highest rating first, under a head."""
    ratings, won = bradley_terry(board.agents, board.contests()), shares(board)
    hashes = dict(zip(board.agents, board.fingerprints, strict=True))
    order = sorted(board.agents, key=lambda agent: -ratings[agent].elo)
    return [list(HEAD), *(_cells(board, agent, ratings[agent], *won[agent], hashes[agent]) for agent in order)]


def _cells(board: Board, agent: str, rating: Rating, rate: float, interval: Interval, content: str) -> list[str]:
    found = board.exploited.get(agent)
    return [
        agent,
        f"{rating.elo:+.0f} ± {rating.error:.0f}" if math.isfinite(rating.error) else f"{rating.elo:+.0f}",
        f"{rate:.1%}",
        f"{interval[0]:.1%} to {interval[1]:.1%}",
        f"{board.scores[agent]:.2f}",
        f"{board.milliseconds[agent]:.3g}",
        f"{found.low:.1%} or more ({found.minutes:g} min)" if found else "–",
        content.split()[0][:LONGEST_HASH] if content else "–",
    ]


def text(board: Board, width: int | None = None) -> str:
    """The board for a terminal."""
    listed = rows(board)
    parts = [title(board), aligned(listed, "l" + "r" * (len(HEAD) - 1), width)]
    if board.players == 1:
        parts.append(table_of_returns(board.agents, board.lines(), width))
    else:
        order = [row[0] for row in listed[1:]]
        parts.append(matrix.table(order, matrix.head_to_head(order, board.contests()), width))
    parts.append(f"made by: {board.command}")
    return "\n\n".join(parts)


def title(board: Board) -> str:
    """What was played, when, with what."""
    games = sum(map(len, board.games.values()))
    players = "one player" if board.players == 1 else f"{board.players} players"
    return (
        f"{board.game}, {players}: {games:,} games, seed {board.seed}, cardtable {board.version}, rules {board.rules}, "
        f"{board.date}, {board.machine}"
    )
