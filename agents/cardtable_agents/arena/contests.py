"""Contests: what the lines of a file of results compare, deal by deal."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from cardtable.types import Counts, Floats


@dataclass(frozen=True)
class Contest:
    """One comparison: who took part, how the win was shared out (sums to 1), the scores, and the deal that was played."""

    agents: tuple[str, ...]
    shares: tuple[float, ...]
    scores: tuple[float, ...]
    deal: int = 0
    """Contests of one deal, played from every seat and by everybody, are not independent of each other."""


@dataclass(frozen=True)
class Pairs:
    """All comparisons of two agents at one table; arrays have an entry for each."""

    one: Counts
    """The numbers of the agents, in the order that they were asked for."""
    other: Counts
    result: Floats
    """1 if `one` came before `other`, 0 if it came after, 0.5 on a draw."""
    deal: Counts
    """From 0, without gaps."""


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
            shares = shares_of(line["returns"])
            contests.append(Contest(tuple(line["agents"]), shares, tuple(line["scores"]), line["deal"]))
        else:
            result = line["returns"][0] if "forfeit" not in line else -math.inf
            alone[line["deal"]].append((line["agents"][0], result, line["scores"][0]))
    for deal, entries in alone.items():
        agents, returns, scores = zip(*sorted(entries), strict=True)
        contests.append(Contest(agents, shares_of(list(zip(returns, scores, strict=True))), scores, deal))
    return contests


def pairs_of(agents: Sequence[str], contests: Iterable[Contest]) -> Pairs:
    """Every two different agents of every contest, compared by their shares of the win."""
    place = {agent: number for number, agent in enumerate(agents)}
    found = [
        (place[a], place[b], 0.5 + 0.5 * np.sign(contest.shares[one] - contest.shares[other]), contest.deal)
        for contest in contests
        for (one, a), (other, b) in combinations(enumerate(contest.agents), 2)
        if a != b
    ]
    one, other, result, deal = np.array(found, float).reshape(-1, 4).T
    return Pairs(one.astype(np.int64), other.astype(np.int64), result, np.unique(deal, return_inverse=True)[1])


def sums_by_deal(deal: Counts, results: Floats, deals: int) -> tuple[Floats, Floats]:
    """The sum of the results of each deal, and how many they are."""
    sums, sizes = np.zeros(deals), np.zeros(deals)
    np.add.at(sums, deal, results)
    np.add.at(sizes, deal, 1.0)
    return sums, sizes
