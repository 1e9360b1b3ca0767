"""Head to head: how each agent did against each other one at the same table."""

from collections.abc import Iterable, Sequence

import numpy as np

from cardtable.support.columns import aligned
from cardtable.types import Floats
from cardtable_agents.arena.contests import Contest, Pairs, pairs_of, sums_by_deal
from cardtable_agents.arena.intervals import by_deals

NEVER = "–"


def head_to_head(agents: Sequence[str], contests: Iterable[Contest]) -> Floats:
    """(n, n, 3): how often the agent of the row came before that of the column, and its 95 % interval; a draw is half.

    Not a number for two that have not met. At tables of more than two, both may have lost to a third: that is a draw.
    """
    pairs = pairs_of(agents, contests)
    matrix = np.full((len(agents), len(agents), 3), np.nan)
    for one, other in np.ndindex(len(agents), len(agents)):
        results, sizes = _by_deal(pairs, one, other)
        if one != other and len(sizes):
            matrix[one, other] = results.sum() / sizes.sum(), *by_deals(results, sizes)
    return matrix


def _by_deal(pairs: Pairs, one: int, other: int) -> tuple[Floats, Floats]:
    """The sum of the results of one agent against another in each deal in which they met, and how many they are."""
    same = (pairs.one == one) & (pairs.other == other)
    turned = (pairs.one == other) & (pairs.other == one)
    deals = np.concatenate([pairs.deal[same], pairs.deal[turned]])
    results = np.concatenate([pairs.result[same], 1 - pairs.result[turned]])
    met, which = np.unique(deals, return_inverse=True)
    return sums_by_deal(which, results, len(met))


def table(agents: Sequence[str], matrix: Floats, width: int | None = None) -> str:
    """The matrix as text: the row against the column."""
    rows = [["head to head", *agents]]
    for agent, line in zip(agents, matrix, strict=True):
        rows.append([agent, *(NEVER if np.isnan(rate) else f"{rate:.1%} ± {(high - low) / 2:.1%}" for rate, low, high in line)])
    return aligned(rows, "l" + "r" * len(agents), width)
