"""Expert iteration: what search makes of the network's own probabilities, and what the network learns of it."""

import numpy as np
import pytest
from cardtable_agents.players import network_search
from cardtable_agents.players.search import network_of, search_by
from cardtable_agents.players.tree import root_edges
from cardtable_agents.training import runs
from cardtable_agents.training.expert import Expert, write_improved
from cardtable_agents.training.ppo import PPO
from cardtable_agents.training.settings import settings_for
from helpers import SALT, open_table, views_along_a_game
from muster.positions import position
from small_runs import small

from cardtable.errors import AgentError, OptionError
from cardtable.game.registry import find
from cardtable.players.views import view_of


def learner(game="muster_v0", options=None, **changes):
    settings = small(game, options, **{"expert": 12, "opponents": (), "imitation_steps": 0, **changes})
    return PPO(settings, *settings.parsed())


def expert_of(ppo, simulations=12, sharpness=8.0):
    expert = Expert(ppo.game, simulations, sharpness)
    expert.follow(ppo.policy)
    return expert


def probabilities(ppo, views):
    """What the network itself would play."""
    logits = ppo.policy.logits(views.observation, views.mask)
    shares = np.exp(logits - logits.max())
    return shares / shares.sum()


@pytest.mark.parametrize(("game", "options"), [("muster_v0", {}), ("artisans_v0", {"num_players": 3}), ("murano_v0", {})])
def test_targets_are_over_legal_actions_and_follow_the_formula(game, options):
    """The network's probability times exp(sharpness × value); every action has one simulation more, of the position's value."""
    ppo = learner(game, options)
    expert, search = expert_of(ppo), search_by(ppo.policy, ppo.game, ppo.options, 12)
    for views in views_along_a_game(ppo.game, options):
        if views.mask.sum() == 1:
            continue
        (target,) = expert.targets(views)
        search.consider(views, 0)
        edges, tree = root_edges(search.tree), search.tree
        values = (tree.total[edges] + tree.total[edges].sum() / 12) / (tree.visits[edges] + 1)
        expected = np.zeros_like(target)
        expected[tree.action[edges]] = probabilities(ppo, views)[0, tree.action[edges]] * np.exp(8.0 * values)
        assert target == pytest.approx(expected / expected.sum(), rel=1e-3, abs=1e-6)
        assert not target[views.mask[0] == 0].any()


def test_where_search_finds_nothing_the_target_is_what_the_network_plays():
    ppo = learner()
    expert, table = expert_of(ppo, sharpness=1e-9), open_table(ppo.game, {})
    views = view_of(table, SALT)
    assert expert.targets(views) == pytest.approx(probabilities(ppo, views), rel=1e-3)


def test_an_action_that_wins_becomes_likelier():
    """Two castles each; the Wizard wins the fifth, and the last card of the pile ends the game."""
    table = position(
        hand="wizard/bridge, water 1, water 1, feather 1, feather 1",
        columns={"water": "3, 4", "feather": "3, 4"},
        other_columns={"cloud": "3, 4", "sun": "3, 4", "leaf": "2"},
        pile_size=1,
    )
    ppo, views = learner(), view_of(table, SALT)
    (target,), (before,) = expert_of(ppo, 400).targets(views), probabilities(ppo, views)
    winning = table.game.actions.names.index("wizard at leaf")
    assert target.argmax() == winning
    assert target[winning] > 5 * before[winning]


def test_an_action_that_nobody_tried_keeps_its_share():
    """With one simulation, all actions but one have the value of the position."""
    ppo = learner()
    views = view_of(open_table(ppo.game, {}), SALT)
    search = search_by(ppo.policy, ppo.game, ppo.options, 1)
    search.consider(views, 0)
    target, own = np.zeros(ppo.game.actions.size, np.float32), probabilities(ppo, views)[0]
    write_improved(search.tree, 8.0, target)
    legal = np.flatnonzero(views.mask[0])
    assert target[legal] / target[legal].sum() == pytest.approx(own[legal], rel=1e-3)


def test_the_network_in_the_tree_is_that_of_the_learner():
    """Probabilities and values of the learner's own rows, as it noted them when it chose, are what the search is guided by."""
    ppo = learner()
    ppo.update(0.0)
    worker = ppo.crew.workers[0]
    inference, walk = network_of(ppo.policy), network_search.new_walk(ppo.game)
    games, rollout = worker.games.records.copy(), worker.rollout
    worker.rollout.begin()
    worker._show(0)
    worker.passes.choose(rollout.which(0), rollout.rows, rollout.choices, worker._actions)
    for lane in range(len(games)):
        network_search.infer(games[lane : lane + 1], inference, walk.actions)
        first, stop = rollout.rows.first_action[lane : lane + 2]
        assert inference.log_probability[: stop - first] == pytest.approx(rollout.choices.log_probability[first:stop], abs=1e-5)
        assert inference.value == pytest.approx(rollout.choices.value[lane], abs=1e-5)


# ---- Learning


def test_the_network_comes_to_agree_with_its_search():
    ppo = learner(expert=24, rollout=2048, learning_rate=(3e-3, 3e-3), student_share=0.0)
    numbers = [ppo.improve(0.0) for _ in range(6)]
    assert numbers[-1]["agreed"] > numbers[0]["agreed"]
    assert (ppo.updates, ppo.steps) == (6, 6 * 2048)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_learner_that_is_restored_improves_to_the_bit_as_the_one_that_went_on(threads):
    first, second = (learner(threads=threads) for _ in range(2))
    first.improve(0.0)
    first.update(0.1)
    arrays, about = first.state()
    second.restore({name: array.copy() for name, array in arrays.items()}, about)
    for ppo in (first, second):
        ppo.improve(0.2)
        ppo.update(0.3)
    assert np.array_equal(first.network.parameters.flat, second.network.parameters.flat)
    for ppo in (first, second):
        ppo.close()


def test_a_run_learns_from_search_in_turn_with_ppo_and_evaluates_both(tmp_path):
    run = runs.start(small(steps=512 * 3, expert=8, expert_interval=2, evaluation_opponents=("random",)), tmp_path)
    run.train()
    learned = [line["phase"] for line in run.log if "evaluation" not in line and "done" not in line]
    assert learned == ["expert", "ppo", "expert"]
    assert set(run.rates) == {"random", "random by search:8"}


# ---- What does not go together


def test_settings_that_search_cannot_have_are_refused():
    with pytest.raises(OptionError, match=r"expert=8: a search asks the network alone; leave out advice='heuristic'"):
        small(expert=8, advice="heuristic")
    with pytest.raises(OptionError, match=r"expert=8: a search counts results alone; leave out score_weight=0.05"):
        small(expert=8, score_weight=0.05)
    with pytest.raises(OptionError, match=r"expert=100001: allowed: at most 100000 simulations"):
        small(expert=100_001)
    with pytest.raises(OptionError, match=r"^expert=8: learner='sb3' does not do this"):
        settings_for("muster", learner="sb3", expert=8)
    with pytest.raises(OptionError, match="imitation_batch=8192: allowed: at most"):
        small(expert=8, imitation_batch=8192)
    with pytest.raises(AgentError, match="values for 2 players, expected 3"):
        search_by(learner().policy, find("murano"), find("murano").parse_options({"num_players": 3}), 4)
