"""The learner: its network plays as numpy plays its policy, and learns by the settings of the run."""

import numpy as np
import pytest
import torch
from cardtable_agents.players.advice import Adviser
from cardtable_agents.training.clocks import Clocks
from cardtable_agents.training.environment import compose
from cardtable_agents.training.learner import Learner
from cardtable_agents.training.shaping import Potential
from small_runs import small

from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.game.registry import find, game_ids


def test_the_numpy_policy_is_that_of_the_network():
    env = LearnerVecEnv(find("muster"), 8, seed=1)
    learner = Learner(env, small())
    observation, masks = env.reset(), env.action_masks()
    expected, _ = learner.model.predict(observation, action_masks=masks, deterministic=True)
    assert learner.policy.best(observation, masks).tolist() == expected.tolist()


@pytest.mark.parametrize("game_id", game_ids())
def test_the_numpy_policy_of_an_advised_network_is_that_of_the_network(game_id):
    game = find(game_id)
    games, settings = LearnerVecEnv(game, 8, seed=1), small(game_id, advice="heuristic:2")
    env = compose(games, Potential(game, games.options, 0.0), Adviser("heuristic:2", game, games.options), Clocks())
    learner = Learner(env, settings)
    assert learner.policy.advice.trust == settings.trust
    with torch.no_grad():
        for parameter in learner.network.action_net.parameters():
            parameter.mul_(torch.rand_like(parameter) + 0.5)
    observation, masks = env.reset(), games.action_masks()
    expected, _ = learner.model.predict(observation, action_masks=masks, deterministic=True)
    played = learner.policy
    assert played.best(observation, masks).tolist() == expected.tolist()
    assert played.advice.agent == "heuristic:2"
    assert 0 < played.advice.trust != settings.trust


def test_the_settings_reach_the_algorithm():
    settings = small(
        layers=(32, 16),
        rollout=640,
        batch=64,
        epochs=2,
        clip=0.1,
        target_kl=0.5,
        entropy=0.02,
        value_weight=0.7,
        gradient=0.9,
        gamma=0.99,
        gae_lambda=0.8,
        games=8,
    )
    learner = Learner(LearnerVecEnv(find("muster"), 8, seed=1), settings)
    model = learner.model
    assert [layer.shape[0] for layer, _ in learner.policy.layers[:-1]] == [32, 16]
    assert (model.n_steps, model.batch_size, model.n_epochs) == (80, 64, 2)
    assert (model.gamma, model.gae_lambda, model.clip_range(1), model.target_kl) == (0.99, 0.8, 0.1, 0.5)
    assert (model.ent_coef, model.vf_coef, model.max_grad_norm) == (0.02, 0.7, 0.9)


def test_an_update_learns_at_its_rate_and_tells_how_it_went():
    env = LearnerVecEnv(find("muster"), 16, seed=1)
    learner = Learner(env, small())
    before = learner.policy
    told = learner.update(1e-3, only_value=False)
    assert learner.network.optimizer.param_groups[0]["lr"] == 1e-3
    assert (told["steps"], learner.steps) == (512, 512)
    assert {"steps_per_second", "return", "approx_kl", "entropy_loss", "value_loss"} <= told.keys()
    assert not np.array_equal(before.layers[0][0], learner.policy.layers[0][0])
    before = learner.policy
    learner.update(1e-5, only_value=True)
    assert learner.network.optimizer.param_groups[0]["lr"] == 1e-5
    assert learner.steps == 1024
    assert all(np.array_equal(one, two) for (one, _), (two, _) in zip(before.layers, learner.policy.layers, strict=True))
