"""Win rates, intervals and ratings."""

import math
import random
from itertools import combinations

import pytest
from cardtable_agents.arena.contests import Contest, contests_of, shares_of
from cardtable_agents.arena.ratings import bradley_terry, openskill_ratings
from cardtable_agents.arena.standings import Standing, standings, table, table_of_returns


def line(agents, returns, deal=0, scores=None):
    return {
        "agents": agents,
        "deal": deal,
        "returns": returns,
        "scores": scores or returns,
        "decisions": [10] * len(agents),
        "seconds": [0.5] * len(agents),
    }


def test_a_win_is_shared_out_among_the_best():
    assert shares_of([1.0, -1.0]) == (1.0, 0.0)
    assert shares_of([0.0, 0.0]) == (0.5, 0.5)
    assert shares_of([0.25, -0.5, 0.25]) == (0.5, 0.0, 0.5)


def elos(agents, contests):
    return {agent: rating.elo for agent, rating in bradley_terry(agents, contests).items()}


def test_three_wins_to_one_are_191_points_of_elo():
    contests = [Contest(("a", "b"), (1.0, 0.0), (1, 0))] * 3000 + [Contest(("a", "b"), (0.0, 1.0), (0, 1))] * 1000
    ratings = bradley_terry(("a", "b"), contests)
    assert ratings["a"].elo - ratings["b"].elo == pytest.approx(190.8, abs=0.3)
    assert ratings["a"].elo + ratings["b"].elo == pytest.approx(0)


def test_a_fit_does_not_depend_on_order_and_knows_agents_that_never_met():
    generator = random.Random(1)
    strengths = {"a": 4.0, "b": 2.0, "c": 1.0}
    contests = []
    for one, other in (("a", "b"), ("b", "c")):
        for _ in range(4000):
            won = generator.random() < strengths[one] / (strengths[one] + strengths[other])
            contests.append(Contest((one, other), (float(won), float(not won)), (0, 0)))
    ratings = elos(("a", "b", "c"), contests)
    generator.shuffle(contests)
    assert elos(("a", "b", "c"), contests) == pytest.approx(ratings)
    assert ratings["a"] - ratings["c"] == pytest.approx(240.8, abs=25)


@pytest.mark.parametrize("gap", [0.5, 4.0, 12.0])
def test_a_fit_expects_as_many_wins_as_there_were_however_far_agents_are_apart(gap):
    """Where the likelihood is greatest, each agent's expected wins are its wins, half a draw with each other one added."""
    agents, games = ("a", "b", "c", "d"), 10_000
    won, contests = dict.fromkeys(agents, 0.5 * (len(agents) - 1)), []
    for (place, one), (rank, other) in combinations(enumerate(agents), 2):
        losses = round(games / (1 + math.exp(gap * (rank - place))))
        contests += [Contest((one, other), (0.0, 1.0), (0, 1))] * losses
        contests += [Contest((one, other), (1.0, 0.0), (1, 0))] * (games - losses)
        won[one] += games - losses
        won[other] += losses
    ratings = elos(agents, contests)
    for agent in agents:
        chances = [1 / (1 + 10 ** ((ratings[other] - ratings[agent]) / 400)) for other in agents if other != agent]
        assert sum(chances) * (games + 1) == pytest.approx(won[agent], abs=1e-6)
    assert sum(ratings.values()) == pytest.approx(0, abs=1e-6)


def test_agents_without_rivals_and_agents_that_always_draw_are_rated_0():
    assert bradley_terry((), []) == {}
    assert bradley_terry(("a",), []) == {"a": (0.0, 0.0)}
    assert elos(("a", "b"), [Contest(("a", "b"), (0.5, 0.5), (3, 3))]) == {"a": 0.0, "b": 0.0}


def test_openskill_ranks_the_winner_first():
    ratings = openskill_ratings(("a", "b", "c"), [Contest(("a", "b", "c"), (1.0, 0.0, 0.0), (3, 2, 1))] * 20)
    assert ratings["a"] > 25 > ratings["b"]


def test_standings_count_seats_draws_and_time():
    lines = [line(["a", "b"], [1.0, -1.0]), line(["b", "a"], [0.0, 0.0], scores=[4.0, 4.0])]
    first, second = standings(["b", "a"], lines)
    assert (first.agent, first.entries, first.won, first.rate) == ("a", 2, 1.5, 0.75)
    assert (second.agent, second.won, second.score) == ("b", 0.5, 3.0)
    assert (first.decisions, first.seconds) == (20, 1.0)
    text = table([first, second])
    assert "75.0%" in text
    assert "50.000" in text  # ms a move
    head, *lines = text.splitlines()
    assert {len(line) for line in lines} == {len(head)}  # the last column is aligned to the right


def test_columns_of_standings_stay_aligned_whatever_the_numbers():
    rows = [
        Standing("a" * 60, 123_456_789, 1.0, -1e9, 10**12, 1e-3, -12345.6, 3.0, 25.0),
        Standing("b", 1, 1.0, 2.0, 1, 500.0, 0.0, 12.3),
    ]
    head, *lines = table(rows).splitlines()
    assert {len(line) for line in lines} == {len(head)}
    assert [len(line.split()) for line in lines] == [14, 14]  # an interval and a rating are three words each


def test_games_for_one_are_compared_deal_by_deal():
    lines = [
        line(["a"], [1.0], 0, [30.0]),
        line(["b"], [-1.0], 0, [40.0]),
        line(["b"], [-1.0], 1, [9.0]),
        line(["a"], [-1.0], 1, [9.0]),
    ]
    assert contests_of(lines) == [
        Contest(("a", "b"), (1.0, 0.0), (30.0, 40.0), 0),
        Contest(("a", "b"), (0.5, 0.5), (9.0, 9.0), 1),
    ]
    assert standings(["a", "b"], lines)[0].won == 1.5


def test_returns_of_games_for_one_are_counted_by_agent():
    alone = [line(["a"], [1.0]), line(["a"], [0.25]), line(["a"], [0.25]), line(["a"], [-1.0]), line(["b"], [-1.0])]
    assert [row.split() for row in table_of_returns(["a", "b"], alone).splitlines()] == [
        ["return", "-1", "0.25", "1"],
        ["a", "25.0%", "50.0%", "25.0%"],
        ["b", "100.0%", "0.0%", "0.0%"],
    ]
    assert table_of_returns(["a", "b"], [line(["a", "b"], [1.0, -1.0])]) == ""
