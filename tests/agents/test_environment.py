"""The environment of a run: opponents from a pool with past selves, advice behind observations, clocks."""

import time

import numpy as np
import pytest
from cardtable_agents.arena.match import Match
from cardtable_agents.players.advice import Adviser
from cardtable_agents.players.policy import SamplingAgent
from cardtable_agents.training.clocks import PARTS, Clocks
from cardtable_agents.training.environment import AdvisedObservations, TrainingPool, compose
from cardtable_agents.training.learner import Learner
from cardtable_agents.training.shaping import Potential
from helpers import SALT
from small_runs import small

from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.game.registry import find
from cardtable.players.pool import Pool, RandomOpponents
from cardtable.players.roster import make_agent

TABLES = [("muster", {}), ("artisans", {"num_players": 3}), ("murano", {"num_players": 1})]


@pytest.mark.parametrize(("game_id", "options"), TABLES, ids=str)
def test_observations_are_followed_by_advice_until_the_game_is_over(game_id, options):
    game, ended = find(game_id), 0
    games = LearnerVecEnv(game, 8, RandomOpponents(1), 1, **options)
    env = AdvisedObservations(games, games, Adviser("heuristic:2", game, games.options), Clocks())
    seen = env.reset()
    while ended < 4:
        assert env.observation_space.contains(seen[0])
        advice, masks = seen[:, game.layout.size :], games.action_masks()
        assert (advice.max(axis=1) == 1).all()
        assert (advice[~masks] == 0).all()
        seen, _, dones, infos = env.step(advice.argmax(axis=1))
        for lane in np.flatnonzero(dones):
            last = infos[lane]["terminal_observation"]
            assert env.observation_space.contains(last)
            assert (last[game.layout.size :] == 0).all()
            ended += 1


def test_only_what_is_asked_for_is_wrapped_around_the_games():
    game = find("muster")
    options = game.parse_options({})

    def parts(weight, adviser):
        games = LearnerVecEnv(game, 2, seed=1)
        env, found = compose(games, Potential(game, options, weight), adviser, Clocks()), []
        while env is not games:
            found.append(type(env).__name__)
            env = env.venv
        return found

    adviser = Adviser("heuristic:1", game, options)
    assert parts(0.0, None) == ["Timed"]
    assert parts(0.5, None) == ["Timed", "ShapedRewards"]
    assert parts(0.5, adviser) == ["Timed", "AdvisedObservations", "ShapedRewards"]


# ---- Opponents


def test_every_member_of_a_pool_plays_and_keeps_its_games():
    game = find("artisans")
    options = game.parse_options({"num_players": 4})
    asked = {}

    def member(name):
        agent = make_agent("random", game, options)
        act = agent.act
        agent.act = lambda views: (asked.setdefault(name, []).append(len(views)), act(views))[1]
        return agent

    pool = Pool(game, options, [member(name) for name in "abc"], seed=1)
    env = LearnerVecEnv(game, 30, pool, seed=1, num_players=4)
    env.reset()
    for _ in range(20):
        env.step(env.action_masks().argmax(axis=1))
    assert set(asked) == {"a", "b", "c"}
    assert min(map(sum, asked.values())) > 0.2 * sum(map(sum, asked.values()))


def test_the_learner_takes_the_place_of_its_oldest_past_self():
    game, run = find("muster"), small(opponents=("self", "random", "self"))
    first, second, third = (Learner(LearnerVecEnv(game, 4, seed=1), run).policy for _ in range(3))
    pool = TrainingPool(game, game.parse_options({}), run, Clocks())
    assert (pool.places, pool.past) == ([0, 2], [])
    pool.seat([])
    assert pool.past == []
    pool.add(first)
    assert pool.past == [first, first]
    pool.add(second)
    pool.add(third)
    assert pool.past == [second, third]
    seated = [getattr(member, "policy", None) for member in pool._pool.members]
    assert seated == [second, None, third]


def test_a_pool_without_past_selves_stays_as_it_is():
    game, run = find("muster"), small(opponents=("random",))
    pool = TrainingPool(game, game.parse_options({}), run, Clocks())
    pool.add(Learner(LearnerVecEnv(game, 4, seed=1), run).policy)
    assert pool.past == []


def test_past_selves_draw_their_actions_by_the_key():
    game = find("muster")
    options = game.parse_options({})
    agent = SamplingAgent(game, options, Learner(LearnerVecEnv(game, 4, seed=1), small()).policy)
    first, again, other = (
        Match(game, options, [agent] * 2, 1, 0, 1, salt).play()[0].actions for salt in (SALT, SALT, SALT[::-1])
    )
    assert first == again != other


# ---- Clocks


def test_what_a_part_spends_in_another_counts_for_that_other_alone():
    clocks = Clocks()
    with clocks.time("environment"):
        time.sleep(0.02)
        with clocks.time("opponents"):
            time.sleep(0.05)
        with clocks.time("advice"):
            time.sleep(0.03)
    assert clocks.seconds["opponents"] >= 0.05
    assert clocks.seconds["advice"] >= 0.03
    assert 0.02 <= clocks.seconds["environment"] < 0.05  # without the 0.08 inside
    before = dict(clocks.seconds)
    with pytest.raises(ZeroDivisionError), clocks.time("opponents"):
        time.sleep(0.01 + 1 // 0)
    with clocks.time("environment"):
        time.sleep(0.02)
    shares = clocks.shares(before, 0.1)
    assert list(shares) == [f"{part}_share" for part in PARTS]
    assert shares["advice_share"] == 0 <= shares["opponents_share"] < 0.1
    assert shares["environment_share"] >= 0.2
