"""A sequential test of two agents: play until it is clear which of two differences in strength is the likelier one.

`--sprt ELO0 ELO1` asks whether the first agent is ahead of the second by ELO1 points or more, or only by ELO0 or less. After
each deal, with all its seatings, the logarithm of the likelihood ratio of the two answers is looked at; past a bound it is
clear. Deals are the unit (for two players this is the pentanomial test of chess engines): their mean results are taken as
normal, with the variance that they show. If one of the two is true, the other is found in one case of twenty at most.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from cardtable.errors import AgentError
from cardtable.types import Floats
from cardtable_agents.arena.contests import Contest, contests_of, pairs_of, sums_by_deal
from cardtable_agents.arena.intervals import variances
from cardtable_agents.arena.plan import Plan
from cardtable_agents.arena.results import Line

ERROR = 0.05
"""The share of wrong answers that is accepted, on either side."""
BOUND = math.log((1 - ERROR) / ERROR)
FEWEST_DEALS = 100
"""Deals before the first look: fewer do not tell how far results spread."""
LARGEST_ELO = 1000.0


@dataclass(frozen=True)
class Hypotheses:
    """Two differences in strength, in points of Elo, for the first agent against the second."""

    elo0: float
    elo1: float

    def __post_init__(self) -> None:
        if not -LARGEST_ELO <= self.elo0 < self.elo1 <= LARGEST_ELO:
            raise AgentError(
                f"--sprt {self.elo0:g} {self.elo1:g}: expected two differences in Elo, the smaller one first, from "
                f"-{LARGEST_ELO:g} to {LARGEST_ELO:g}"
            )


@dataclass(frozen=True)
class Verdict:
    """What the deals so far say of two hypotheses."""

    hypotheses: Hypotheses
    deals: int
    """Deals looked at: up to the first one that made it clear."""
    ratio: float
    """The logarithm of how much likelier the second hypothesis is than the first."""

    @property
    def clear(self) -> bool:
        """Whether the test is over."""
        return abs(self.ratio) >= BOUND

    def __str__(self) -> str:
        about = f"{self.deals:,} deals, log-likelihood ratio {self.ratio:+.2f} of ±{BOUND:.2f}"
        if not self.clear:
            return f"SPRT: not clear yet: {about}"
        answer = f"ahead by {self.hypotheses.elo1:g} Elo, not {self.hypotheses.elo0:g}"
        if self.ratio < 0:
            answer = f"ahead by {self.hypotheses.elo0:g} Elo, not {self.hypotheses.elo1:g}"
        return f"SPRT: {answer}: {about}"


class Test:
    """The sequential test of a plan for two agents."""

    def __init__(self, plan: Plan, elos: Sequence[float]) -> None:
        self.hypotheses = Hypotheses(*elos)
        self.agents = plan.labels
        if len(self.agents) != 2:
            raise AgentError(f"--sprt compares two agents; these are {len(self.agents)}: {', '.join(self.agents)}")
        self.seatings = len(plan.seatings()[0])

    def verdict(self, lines: Sequence[Line]) -> Verdict:
        """What the lines of games so far say."""
        return verdict(self.hypotheses, self.agents, contests_of(lines), self.seatings)


def expected(elo: float) -> float:
    """The mean result of an agent that is ahead by so much: 1 for a win, 0.5 for a draw."""
    return 1 / (1 + 10 ** (-elo / 400))


def verdict(hypotheses: Hypotheses, agents: Sequence[str], contests: Sequence[Contest], seatings: int) -> Verdict:
    """What the contests of two agents say, deal by deal in the order of their numbers, up to the first gap.

    A deal counts when all its seatings have been played.
    """
    results, sizes = _complete_deals(agents, contests, seatings)
    if len(results) < FEWEST_DEALS:
        return Verdict(hypotheses, len(results), 0.0)
    ratios = log_likelihood_ratios(hypotheses, results, sizes)
    clear = np.flatnonzero(np.abs(ratios) >= BOUND)
    last = int(clear[0]) if len(clear) else len(ratios) - 1
    return Verdict(hypotheses, FEWEST_DEALS + last, float(ratios[last]))


def log_likelihood_ratios(hypotheses: Hypotheses, results: Floats, sizes: Floats) -> Floats:
    """How much likelier the second hypothesis is after `FEWEST_DEALS` deals and after each later one, if means are normal.

    The arrays have an entry for each deal: the sum of its results, and how many they are.
    """
    low, high = expected(hypotheses.elo0), expected(hypotheses.elo1)
    means = results.cumsum() / sizes.cumsum()
    ratios: Floats = (high - low) * (means[1:] - (low + high) / 2) / variances(results, sizes)
    return ratios[FEWEST_DEALS - 2 :]


def _complete_deals(agents: Sequence[str], contests: Sequence[Contest], seatings: int) -> tuple[Floats, Floats]:
    """The first agent's sum of results against the second, and how many they are, of each deal up to the first gap."""
    contests = [contest for contest in contests if len(contest.agents) > 1]  # alone, one of the two may not have played yet
    played = np.bincount([contest.deal for contest in contests], minlength=1)
    gaps = np.flatnonzero(played < seatings)
    complete = int(gaps[0]) if len(gaps) else len(played)
    pairs = pairs_of(agents, [contest for contest in contests if contest.deal < complete])
    results = np.where(pairs.one == 0, pairs.result, 1 - pairs.result)
    return sums_by_deal(pairs.deal, results, complete)
