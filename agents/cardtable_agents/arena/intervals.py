"""95 % intervals of shares of wins. Games of one deal depend on each other, so what is counted are deals."""

import functools
import math

import numpy as np

from cardtable.types import Floats

Z_95 = 1.959964
"""How many standard deviations to each side hold 95 % of a normal distribution."""
ANGLES = 100_001
"""Points of the integral behind Student's distribution: five digits of its quantiles."""

Interval = tuple[float, float]


def wilson(won: float, entries: float, deviations: float = Z_95) -> Interval:
    """Wilson's interval of a share of independent entries, so many standard deviations to each side."""
    if entries == 0:
        return 0.0, 1.0
    rate, weight = won / entries, deviations**2 / entries
    middle = (rate + weight / 2) / (1 + weight)
    half = deviations / (1 + weight) * math.sqrt(rate * (1 - rate) / entries + weight / (4 * entries))
    return max(middle - half, 0.0), min(middle + half, 1.0)


def by_deals(won: Floats, entries: Floats) -> Interval:
    """The 95 % interval of a share of wins; the arrays have an entry for each deal.

    A deal that is good for one seat is won by whoever sits there, so the games of a deal often share their wins out, and the
    share varies less than that of as many independent games. The spread over deals tells by how much; Wilson's interval is
    that of as many independent games as would spread as far.
    """
    deals, games, wins = len(won), float(entries.sum()), float(won.sum())
    if deals < 2:
        return wilson(wins / max(games, 1) * deals, deals)
    rate, deviations = wins / games, student_95(deals - 1)
    if rate in (0.0, 1.0):
        return wilson(rate * deals, deals, deviations)
    independent = rate * (1 - rate) / float(variances(won, entries)[-1])
    return wilson(rate * independent, independent, deviations)


def variances(won: Floats, entries: Floats) -> Floats:
    """The variance of the share of wins in the first deals, for two deals and every larger number; by its spread over deals.

    One deal is added that went all one way: few deals that happen to be alike prove nothing.
    """
    deals = np.arange(1, len(won) + 1)
    games, wins = entries.cumsum(), won.cumsum()
    rate, size = wins / games, games / deals
    spread = (won**2).cumsum() - 2 * rate * (won * entries).cumsum() + rate**2 * (entries**2).cumsum()
    cautious = (wins + size / 2) / (games + size)
    added = size**2 * cautious * (1 - cautious)
    found: Floats = (spread[1:].clip(0) * deals[1:] / deals[:-1] + added[1:]) / games[1:] ** 2
    return found


@functools.cache
def student_95(freedom: int) -> float:
    """How many standard errors to each side hold 95 % of Student's distribution.

    With t = √n · tan φ its density becomes cosⁿ⁻¹ φ: the quantile is where the integral from 0 reaches 95 % of its whole.
    """
    angles = np.linspace(0, math.pi / 2, ANGLES)
    heights = np.cos(angles) ** (freedom - 1)
    areas = np.concatenate([[0.0], np.cumsum((heights[1:] + heights[:-1]) / 2)])
    return math.sqrt(freedom) * math.tan(float(np.interp(0.95, areas / areas[-1], angles)))
