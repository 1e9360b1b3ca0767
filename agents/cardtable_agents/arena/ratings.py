"""Ratings: one number for each agent's strength, with its error, from games of any number of agents."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from cardtable.types import Floats
from cardtable_agents.arena.contests import Contest, Pairs, pairs_of
from cardtable_agents.arena.intervals import student_95

ELO = 400 / math.log(10)
"""Points of rating for odds of e."""
FIT_ROUNDS = 1000
"""Steps of a fit at most; ten will usually do."""
SMALL_STEP = 1e-6
"""A step that moves no two agents farther apart (in logarithms of odds) is the last: each squares the error before it."""
PRIOR_DRAWS = 1.0
"""Draws between every two agents that a Bradley–Terry fit adds: without a loss a rating would be infinite."""


class Rating(NamedTuple):
    """An agent's strength on the scale of Elo, 0 on average."""

    elo: float
    error: float
    """Half of the 95 % interval; the average of all agents is taken as known."""


def bradley_terry(agents: Sequence[str], contests: Iterable[Contest]) -> dict[str, Rating]:
    """Ratings of a Bradley–Terry fit to all pairs in all contests. They do not depend on the order of games.

    Errors are those of deals, whose games and pairs may depend on each other: the spread of what each deal says of the fit (the
    sandwich estimate), as many standard errors as Student's distribution asks for. The draws that are added count as one deal
    for each pair, and so does one that went all one way, as in the intervals of wins.
    """
    pairs = pairs_of(agents, contests)
    wins, deals = _wins(len(agents), pairs), int(pairs.deal.max(initial=-1)) + 1
    strength = _log_odds(wins)
    errors = student_95(max(deals - 1, 1)) * np.sqrt(np.diag(_covariance(strength, wins, pairs, deals)))
    found = zip((ELO * strength).tolist(), (ELO * errors).tolist(), strict=True)
    return dict(zip(agents, map(Rating._make, found), strict=True))


def _wins(agents: int, pairs: Pairs) -> Floats:
    """(n, n): how often each agent came before each other one; a draw is half a win for both."""
    wins = np.full((agents, agents), PRIOR_DRAWS / 2)
    np.fill_diagonal(wins, 0)
    np.add.at(wins, (pairs.one, pairs.other), pairs.result)
    np.add.at(wins, (pairs.other, pairs.one), 1 - pairs.result)
    return wins


def _chances(strength: Floats) -> Floats:
    """(n, n): how likely each agent comes before each other one."""
    return 1 / (1 + np.exp(strength - strength[:, None]))


def _hessian(strength: Floats, games: Floats) -> Floats:
    """(n, n): the curvature of the likelihood, and a constant without which it would be singular."""
    chances = _chances(strength)
    curvature = games * chances * (1 - chances)
    return np.diag(curvature.sum(axis=1)) - curvature + 1 / len(games)


def _log_odds(wins: Floats) -> Floats:
    """(n,): the logarithms of the strengths under which these wins are likeliest, 0 on average; by Newton's method.

    Minorisation, as textbooks and `choix.mm_pairwise` have it, needs thousands of rounds where agents are far apart.
    """
    games, strength = wins + wins.T, np.zeros(len(wins))
    for _ in range(FIT_ROUNDS if len(wins) > 1 else 0):
        surplus = (wins - games * _chances(strength)).sum(axis=1)
        step = np.linalg.solve(_hessian(strength, games), surplus)
        reach = np.ptp(step)
        strength += step / (1 + reach / 2)  # so damped, no step makes the wins less likely
        strength -= strength.mean()
        if reach < SMALL_STEP:
            break
    return strength


def _covariance(strength: Floats, wins: Floats, pairs: Pairs, deals: int) -> Floats:
    """(n, n): how uncertain the strengths are, by what each deal has to say against them."""
    agents = len(strength)
    if agents < 2 or deals < 2:
        return np.full((agents, agents), math.inf if agents > 1 else 0.0)
    chances = _chances(strength)
    surplus = np.zeros((deals, agents))
    against = pairs.result - chances[pairs.one, pairs.other]
    np.add.at(surplus, (pairs.deal, pairs.one), against)
    np.add.at(surplus, (pairs.deal, pairs.other), -against)
    spread = surplus.T @ surplus * deals / (deals - 1) + _spread_of_prior(chances) + _spread_of_caution(wins, pairs)
    inverse = np.linalg.inv(_hessian(strength, wins + wins.T))
    found: Floats = inverse @ spread @ inverse
    return found


def _spread_of_prior(chances: Floats) -> Floats:
    """(n, n): what the draws that are added have to say against the strengths."""
    return _spread_of_pairs((PRIOR_DRAWS * (0.5 - chances)) ** 2)


def _spread_of_caution(wins: Floats, pairs: Pairs) -> Floats:
    """(n, n): what a deal between every two that have met would have to say that went all one way: few deals that happen to be
    alike prove nothing (`variances` adds the same)."""
    low, high = np.minimum(pairs.one, pairs.other), np.maximum(pairs.one, pairs.other)
    met = np.zeros_like(wins)
    one, other, _ = np.unique([low, high, pairs.deal], axis=1)
    np.add.at(met, (one, other), 1.0)
    games = wins + wins.T - PRIOR_DRAWS
    size = games / np.maximum(met + met.T, 1)
    rate = np.divide(wins - PRIOR_DRAWS / 2 + size / 2, games + size, out=np.zeros_like(wins), where=games > 0)
    return _spread_of_pairs(size**2 * rate * (1 - rate))


def _spread_of_pairs(squares: Floats) -> Floats:
    """(n, n): the spread of what pairs say, each by itself, from the squares of what they say."""
    np.fill_diagonal(squares, 0)
    spread: Floats = np.diag(squares.sum(axis=1)) - squares
    return spread


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
