"""What agents make of every action: scores for a policy, distributions for a student."""

import numpy as np
import pytest
from cardtable_agents.players.advice import REACH, Adviser
from cardtable_agents.players.targets import target_distribution
from helpers import VARIANTS, variant_id, views_along_a_game

from cardtable.errors import AgentError
from cardtable.game.registry import find, game_ids
from cardtable.players.roster import make_agent


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_an_adviser_scores_the_best_action_1_others_less_and_illegal_ones_0(game_id, options):
    game = find(game_id)
    adviser = Adviser("heuristic", game, game.parse_options(options))
    for views in views_along_a_game(game, options):
        seen, values = adviser.seen(views)[0], adviser.agent.rate(views)[0]
        observation, scores = np.split(seen, [game.layout.size])
        assert np.array_equal(observation, views.observation[0])
        assert (np.isfinite(values) == (views.mask[0] == 1)).all()
        assert (scores == 1).tolist() == (values == values.max()).tolist()
        assert scores == pytest.approx(np.maximum(1 - (values.max() - values) / REACH, 0))
        assert np.flatnonzero(values == values.max()).tolist() == adviser.agent.act(views).tolist()


def test_only_the_heuristic_can_be_an_adviser():
    game = find("muster")
    for name in ("random", "search:8", "ppo", "", "nobody"):
        with pytest.raises(AgentError, match=f"agent '{name}' gives no advice; allowed: heuristic, heuristic:N"):
            Adviser(name, game, game.parse_options({}))


# ---- Distributions for a student


@pytest.mark.parametrize("game_id", game_ids())
@pytest.mark.parametrize("name", ["random", "heuristic:2", "search:30"])
def test_a_target_distribution_is_over_legal_actions_and_likes_best_what_the_teacher_plays(game_id, name):
    game = find(game_id)
    teacher = make_agent(name, game)
    for views in views_along_a_game(game):
        target = target_distribution(teacher, views)[0]
        assert target.sum() == pytest.approx(1, abs=1e-5)
        assert (target >= 0).all()
        assert not target[views.mask[0] == 0].any()
        assert target[teacher.act(views)[0]] == target.max()


def test_other_agents_give_everything_to_the_action_that_they_play():
    game = find("muster")
    for views in views_along_a_game(game):
        assert sorted(target_distribution(make_agent("random", game), views)[0])[-2:] == [0, 1]


@pytest.mark.parametrize("name", ["heuristic", "search:50"])
def test_a_target_distribution_tells_of_other_good_actions(name):
    game = find("muster")
    targets = [target_distribution(make_agent(name, game), views)[0] for views in views_along_a_game(game)]
    assert sum((target > 0.01).sum() > 1 for target in targets) > len(targets) / 4
