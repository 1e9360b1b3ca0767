"""Intervals, errors of ratings and the sequential test: right as often as they say, and narrower where deals share luck out."""

import numpy as np
import pytest
from cardtable_agents.arena import matrix
from cardtable_agents.arena.contests import Contest
from cardtable_agents.arena.intervals import by_deals, student_95, wilson
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.ratings import bradley_terry
from cardtable_agents.arena.sprt import BOUND, FEWEST_DEALS, Hypotheses, Test, expected, log_likelihood_ratios, verdict

from cardtable.errors import AgentError

Test.__test__ = False  # a test of agents, not one of ours


def pairs_of_games(generator, deals, gap, luck):
    """(deals, 2): wins of an agent that is ahead by `gap`, from both seats of deals that favour a seat by `luck`."""
    favour = generator.normal(0, luck, (deals, 1)) * [1, -1]
    return (generator.random((deals, 2)) < 1 / (1 + np.exp(-gap - favour))).astype(float)


def contests(wins):
    """Contests of a and b for the wins of a, from both seats."""
    shares = {1.0: (1.0, 0.0), 0.0: (0.0, 1.0)}
    return [Contest(("a", "b"), shares[won], (0, 0), deal) for deal, pair in enumerate(wins) for won in pair]


def test_wilson_intervals_are_those_of_the_textbook():
    assert wilson(50, 100) == pytest.approx((0.4038, 0.5962), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(10, 10) == pytest.approx((0.7225, 1.0), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("gap", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("luck", [0.0, 1.0, 4.0])
@pytest.mark.parametrize("deals", [10, 60, 300])
def test_intervals_by_deals_hold_the_truth_in_nineteen_cases_of_twenty(gap, luck, deals):
    generator, rounds, held, width, old_width = np.random.default_rng(1), 600, 0, 0.0, 0.0
    truth = pairs_of_games(generator, 400_000, gap, luck).mean()
    for _ in range(rounds):
        wins = pairs_of_games(generator, deals, gap, luck).sum(axis=1)
        low, high = by_deals(wins, np.full(deals, 2.0))
        held += low <= truth <= high
        width += high - low
        old_low, old_high = wilson(wins.sum(), 2 * deals)
        old_width += old_high - old_low
    assert held / rounds > 0.95 - 3.1 * np.sqrt(0.95 * 0.05 / rounds)
    if deals == 300:
        assert width < 1.02 * old_width
    if deals == 300 and luck == 4.0 and gap < 4.0:
        assert width < 0.7 * old_width  # luck that both share out is no uncertainty


def test_a_few_deals_that_are_alike_prove_little():
    ones, twos = np.ones(5), np.full(5, 2.0)
    low, high = by_deals(ones, twos)  # all shared out
    assert low < 0.35
    assert high > 0.65
    low, high = by_deals(twos, twos)  # all won
    assert low < 0.5
    assert high == 1.0
    assert by_deals(np.zeros(0), np.zeros(0)) == (0.0, 1.0)
    assert by_deals(np.array([2.0]), np.array([2.0])) == wilson(1, 1)


@pytest.mark.parametrize("luck", [0.0, 4.0])
@pytest.mark.parametrize("deals", [3, 10, 120])
def test_errors_of_ratings_hold_the_truth_in_nineteen_cases_of_twenty(luck, deals):
    generator, rounds, held = np.random.default_rng(2), 300, 0
    rate = pairs_of_games(generator, 400_000, 0.5, luck).mean()
    truth = 200 * np.log10(rate / (1 - rate))  # half of the difference: 0 on average
    errors = []
    for _ in range(rounds):
        rating = bradley_terry(("a", "b"), contests(pairs_of_games(generator, deals, 0.5, luck)))["a"]
        held += abs(rating.elo - truth) <= rating.error
        errors.append(rating.error)
    assert held / rounds > 0.95 - 3.1 * np.sqrt(0.95 * 0.05 / rounds)
    if deals == 120:
        assert np.median(errors) < (25 if luck == 0.0 else 16)


def test_ratings_of_a_few_deals_that_are_alike_are_as_unsure_as_their_intervals():
    shared = bradley_terry(("a", "b"), contests(np.tile([1.0, 0.0], (5, 1))))  # each wins from the same seat
    assert shared["a"].elo == pytest.approx(0)
    assert shared["a"].error > 50
    seats = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    lost = [
        Contest(each, tuple(float(agent == each[0]) for agent in each), (0,) * 3, deal)
        for deal in range(10)
        for each in seats[:2]
    ]
    assert min(rating.error for rating in bradley_terry(("a", "b", "c"), lost).values()) > 20  # c never wins, always alike


def test_a_rating_without_a_loss_or_of_one_deal_has_a_wide_error():
    sure = bradley_terry(("a", "b"), contests(np.ones((50, 2))))
    assert sure["a"].error > 80
    assert bradley_terry(("a", "b"), contests(np.ones((1, 2))))["a"].error == np.inf


@pytest.mark.parametrize("luck", [0.0, 4.0])
@pytest.mark.parametrize("true", [0.0, 60.0])
def test_a_sequential_test_is_wrong_in_one_case_of_twenty_at_most(true, luck):
    generator, hypotheses, rounds, most = np.random.default_rng(3), Hypotheses(0, 60), 300, 1500
    gap = _gap(true, luck)
    wrong = clear = 0
    for _ in range(rounds):
        ratios = log_likelihood_ratios(hypotheses, pairs_of_games(generator, most, gap, luck).sum(axis=1), np.full(most, 2.0))
        past = ratios[np.abs(ratios) >= BOUND]
        clear += len(past) > 0
        wrong += len(past) > 0 and (past[0] > 0) != (true == 60.0)
    assert clear > 0.98 * rounds
    assert wrong / rounds < 0.05 + 3.1 * np.sqrt(0.95 * 0.05 / rounds)


def _gap(elo, luck):
    """The gap that makes an agent's mean result that of a lead of so many points of Elo."""
    favour = np.random.default_rng(4).normal(0, luck, 20_000)
    gaps = np.linspace(-1, 6, 2001)
    means = [np.mean(1 / (1 + np.exp(-gap - favour))) for gap in gaps]
    return float(np.interp(expected(elo), means, gaps))


def test_a_verdict_counts_whole_deals_up_to_the_first_gap_and_stays_what_it_was():
    hypotheses = Hypotheses(0, 100)
    lines = contests(np.ones((FEWEST_DEALS + 50, 2)))
    found = verdict(hypotheses, ("a", "b"), lines, 2)
    assert (found.clear, found.deals) == (True, FEWEST_DEALS)
    assert "ahead by 100 Elo, not 0" in str(found)
    assert verdict(hypotheses, ("b", "a"), lines, 2).ratio < 0
    gap = [contest for number, contest in enumerate(lines) if number != 7]  # a game of deal 3 is missing
    assert verdict(hypotheses, ("a", "b"), gap, 2) == verdict(hypotheses, ("a", "b"), lines[:6], 2)
    assert "not clear yet: 3 deals" in str(verdict(hypotheses, ("a", "b"), gap, 2))


@pytest.mark.parametrize("elos", [(10, 0), (5, 5), (0, 5000), (float("nan"), 1)])
def test_hypotheses_that_cannot_be_are_refused(elos):
    with pytest.raises(AgentError, match="the smaller one first"):
        Hypotheses(*elos)


def test_a_sequential_test_is_of_two_agents():
    with pytest.raises(AgentError, match="--sprt compares two agents; these are 3"):
        Test(make_plan("muster", {}, ["random", "random", "random"]), (0, 10))


def test_head_to_head_counts_who_came_before_whom():
    played = [Contest(("a", "b"), (1.0, 0.0), (0, 0), 0), Contest(("b", "a"), (0.5, 0.5), (0, 0), 0)]
    met = matrix.head_to_head(("a", "b", "c"), played)
    assert met[0, 1, 0] == 0.75
    assert met[1, 0, 0] == 0.25
    assert np.isnan(met[0, 0]).all()
    assert np.isnan(met[2, 1]).all()
    assert met[0, 1, 1] == pytest.approx(1 - met[1, 0, 2])
    assert "75.0%" in matrix.table(("a", "b", "c"), met)


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.7062), (2, 4.30265), (4, 2.77645), (9, 2.26216), (200, 1.97190)])
def test_students_quantiles_are_those_of_the_tables(freedom, quantile):
    assert student_95(freedom) == pytest.approx(quantile, rel=1e-4)
