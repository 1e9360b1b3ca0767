"""What games between agents say about their strength: win rates with intervals, ratings, speed."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from cardtable.support.columns import aligned
from cardtable.types import Floats

Z_95 = 1.959964
"""How many standard deviations to each side hold 95 % of a normal distribution."""

ELO = 400 / math.log(10)
"""Points of rating for odds of e."""

FIT_ROUNDS = 1000
"""Steps of a fit at most; ten will usually do."""
SMALL_STEP = 1e-6
"""A step that moves no two agents farther apart (in logarithms of odds) is the last: each squares the error before it."""
PRIOR_DRAWS = 1.0
"""Draws between every two agents that a Bradley–Terry fit adds: without a loss a rating would be infinite."""


@dataclass(frozen=True)
class Contest:
    """One comparison: who took part, how the win was shared out (sums to 1), and the scores."""

    agents: tuple[str, ...]
    shares: tuple[float, ...]
    scores: tuple[float, ...]


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
    openskill: float | None = None
    forfeits: int = 0
    """Games given up: losses, whatever the scores were."""

    @property
    def rate(self) -> float:
        """The share of wins."""
        return self.won / self.entries if self.entries else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of wins."""
        return wilson(self.won, self.entries)


def wilson(won: float, entries: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share; of paired games, which vary less than independent ones, it is on the safe side."""
    if entries == 0:
        return 0.0, 1.0
    rate, weight = won / entries, Z_95**2 / entries
    middle = (rate + weight / 2) / (1 + weight)
    half = Z_95 / (1 + weight) * math.sqrt(rate * (1 - rate) / entries + weight / (4 * entries))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def shares_of(results: Sequence[float] | Sequence[tuple[float, float]]) -> tuple[float, ...]:
    """1 shared out among those with the best result."""
    best = max(results)
    winners = sum(result == best for result in results)
    return tuple(1 / winners if result == best else 0.0 for result in results)


def contests_of(lines: Iterable[dict[str, Any]]) -> list[Contest]:
    """The comparisons in the lines of a result file: one per game; of games for one, all agents on the same deal.

    Alone, the better return comes first, then the better score; whoever has forfeited comes last.
    """
    contests, alone = [], defaultdict(list)
    for line in lines:
        if len(line["agents"]) > 1:
            contests.append(Contest(tuple(line["agents"]), shares_of(line["returns"]), tuple(line["scores"])))
        else:
            result = line["returns"][0] if "forfeit" not in line else -math.inf
            alone[line["deal"]].append((line["agents"][0], result, line["scores"][0]))
    for entries in alone.values():
        agents, returns, scores = zip(*sorted(entries), strict=True)
        contests.append(Contest(agents, shares_of(list(zip(returns, scores, strict=True))), scores))
    return contests


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
    for agent, elo in bradley_terry(agents, contests).items():
        rows[agent].elo = elo
    for agent, rating in openskill_ratings(agents, contests).items():
        rows[agent].openskill = rating
    return sorted(rows.values(), key=lambda row: -row.elo)


def bradley_terry(agents: Sequence[str], contests: Iterable[Contest]) -> dict[str, float]:
    """Ratings of a Bradley–Terry fit to all pairs in all contests, on the scale of Elo, 0 on average.

    They do not depend on the order of games.
    """
    return dict(zip(agents, (ELO * _log_odds(_wins(agents, contests))).tolist(), strict=True))


def _wins(agents: Sequence[str], contests: Iterable[Contest]) -> Floats:
    """(n, n): how often each agent came before each other one; a draw is half a win for both."""
    place = {agent: number for number, agent in enumerate(agents)}
    wins = np.full((len(agents), len(agents)), PRIOR_DRAWS / 2)
    np.fill_diagonal(wins, 0)
    for contest in contests:
        for one, other in combinations(range(len(contest.agents)), 2):
            if contest.agents[one] != contest.agents[other]:
                a, b = place[contest.agents[one]], place[contest.agents[other]]
                lead = contest.shares[one] - contest.shares[other]
                wins[a, b] += 0.5 + 0.5 * np.sign(lead)
                wins[b, a] += 0.5 - 0.5 * np.sign(lead)
    return wins


def _log_odds(wins: Floats) -> Floats:
    """(n,): the logarithms of the strengths under which these wins are likeliest, 0 on average; by Newton's method.

    Minorisation, as textbooks and `choix.mm_pairwise` have it, needs thousands of rounds where agents are far apart.
    """
    games, strength = wins + wins.T, np.zeros(len(wins))
    for _ in range(FIT_ROUNDS if len(wins) > 1 else 0):
        chances = 1 / (1 + np.exp(strength - strength[:, None]))
        curvature = games * chances * (1 - chances)
        hessian = np.diag(curvature.sum(axis=1)) - curvature + 1 / len(wins)  # without the constant it is singular
        step = np.linalg.solve(hessian, (wins - games * chances).sum(axis=1))
        reach = np.ptp(step)
        strength += step / (1 + reach / 2)  # so damped, no step makes the wins less likely
        strength -= strength.mean()
        if reach < SMALL_STEP:
            break
    return strength


def openskill_ratings(agents: Sequence[str], contests: Iterable[Contest]) -> dict[str, float]:
    """Openskill's mean skill of each agent (25 to begin with); nothing where openskill is not installed."""
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        return {}
    model = PlackettLuce()
    ratings = {agent: model.rating(name=agent) for agent in agents}
    for contest in contests:
        if len(set(contest.agents)) == len(contest.agents) > 1:
            teams = [[ratings[agent]] for agent in contest.agents]
            rated = model.rate(teams, scores=list(contest.shares))
            ratings.update({agent: rating for agent, [rating] in zip(contest.agents, rated, strict=True)})
    return {agent: rating.mu for agent, rating in ratings.items()}


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
        f"{row.elo:+.0f}",
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
