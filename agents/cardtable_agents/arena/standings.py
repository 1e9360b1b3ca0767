"""What games between agents say about their strength: win rates with intervals, ratings, speed."""

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardtable.support.columns import aligned
from cardtable_agents.arena.contests import Contest, contests_of
from cardtable_agents.arena.intervals import Interval, by_deals
from cardtable_agents.arena.ratings import bradley_terry, openskill_ratings


@dataclass
class Standing:
    """An agent's row of the table."""

    agent: str
    entries: int = 0
    """Seats taken in games; alone at the table, deals compared with other agents."""
    won: float = 0.0
    """Wins; k agents that share a win have 1/k each."""
    score: float = 0.0
    """Sum of scores."""
    decisions: int = 0
    """Those whose time is known."""
    seconds: float = 0.0
    """Time used for them."""
    elo: float = 0.0
    elo_error: float = math.inf
    """Half of the 95 % interval of the rating."""
    openskill: float | None = None
    forfeits: int = 0
    """Games given up: losses, whatever the scores were."""
    interval: Interval = (0.0, 1.0)
    """The 95 % interval of the share of wins, judged by deals."""

    @property
    def rate(self) -> float:
        """The share of wins."""
        return self.won / self.entries if self.entries else math.nan


def standings(agents: Sequence[str], lines: Sequence[dict[str, Any]]) -> list[Standing]:
    """A row for each agent, the highest rating first. The order of the lines does not matter."""
    lines = sorted(lines, key=lambda line: (line["deal"], line["agents"]))
    rows = {agent: Standing(agent) for agent in agents}
    contests = contests_of(lines)
    for contest in contests:
        for agent, share, score in zip(contest.agents, contest.shares, contest.scores, strict=True):
            rows[agent].entries += 1
            rows[agent].won += share
            rows[agent].score += score
    for line in lines:
        if "seconds" in line:
            for agent, decisions, seconds in zip(line["agents"], line["decisions"], line["seconds"], strict=True):
                rows[agent].decisions += decisions
                rows[agent].seconds += seconds
        if "forfeit" in line:
            rows[line["agents"][line["forfeit"]["seat"]]].forfeits += 1
    for agent, shares in shares_by_deal(agents, contests).items():
        rows[agent].interval = interval_of(shares.values())
    for agent, (elo, error) in bradley_terry(agents, contests).items():
        rows[agent].elo, rows[agent].elo_error = elo, error
    for agent, rating in openskill_ratings(agents, contests).items():
        rows[agent].openskill = rating
    return sorted(rows.values(), key=lambda row: -row.elo)


def shares_by_deal(agents: Sequence[str], contests: Iterable[Contest]) -> dict[str, dict[int, list[float]]]:
    """Each agent's shares of wins, by deal."""
    found: dict[str, dict[int, list[float]]] = {agent: defaultdict(list) for agent in agents}
    for contest in contests:
        for agent, share in zip(contest.agents, contest.shares, strict=True):
            found[agent][contest.deal].append(share)
    return found


def interval_of(shares: Collection[Sequence[float]]) -> Interval:
    """The 95 % interval of the mean of shares of wins, which are given for each deal."""
    return by_deals(np.array([sum(each) for each in shares]), np.array([float(len(each)) for each in shares]))


def table(rows: Sequence[Standing], width: int | None = None) -> str:
    """The standings as text, in lines of at most that width if there is one; forfeits are a column only if there are any."""
    head = ["agent", "games", "win rate", "95 % interval", "score", "Elo", "openskill", "decisions/s", "ms/move", "seconds"]
    lines = [head, *map(_cells, rows)]
    if any(row.forfeits for row in rows):
        for line, cell in zip(lines, ["forfeits", *(f"{row.forfeits:,}" for row in rows)], strict=True):
            line.insert(2, cell)
    return aligned(lines, "l" + "r" * (len(head) - 1), width)


def _cells(row: Standing) -> list[str]:
    low, high = row.interval
    entries, seconds, decisions = max(row.entries, 1), max(row.seconds, 1e-9), max(row.decisions, 1)
    return [
        row.agent,
        f"{row.entries:,}",
        f"{row.rate:.1%}",
        f"{low:.1%} to {high:.1%}",
        f"{row.score / entries:.2f}",
        f"{row.elo:+.0f} ± {row.elo_error:.0f}" if math.isfinite(row.elo_error) else f"{row.elo:+.0f}",
        "–" if row.openskill is None else f"{row.openskill:.1f}",
        f"{row.decisions / seconds:,.0f}",
        f"{1000 * seconds / decisions:.3f}",
        f"{row.seconds:,.1f}",
    ]


def table_of_returns(agents: Sequence[str], lines: Iterable[dict[str, Any]], width: int | None = None) -> str:
    """How often each return came up in games for one, as text; nothing without such games."""
    counts: dict[str, Counter[float]] = {agent: Counter() for agent in agents}
    for line in lines:
        if len(line["agents"]) == 1:
            counts[line["agents"][0]][line["returns"][0]] += 1
    returns = sorted(set().union(*counts.values()))
    if not returns:
        return ""
    rows = [["return", *(f"{value:g}" for value in returns)]]
    for agent, count in counts.items():
        rows.append([agent, *(f"{count[value] / max(count.total(), 1):.1%}" for value in returns)])
    return aligned(rows, "l" + "r" * len(returns), width)
