"""SuperSuit's wrappers that can work with discrete actions and masks do, with `mask="info"`."""

import numpy as np
import pytest
from gymnasium import spaces

supersuit = pytest.importorskip("supersuit", reason="SuperSuit is not installed")

from cardtable.envs import wrappers  # noqa: E402
from cardtable.game.registry import game_ids  # noqa: E402

WORK = {
    "action_lambda_v1": lambda env: supersuit.action_lambda_v1(env, lambda action, space: action, lambda space: space),
    "agent_indicator_v0": supersuit.agent_indicator_v0,
    "clip_reward_v0": lambda env: supersuit.clip_reward_v0(env, -0.5, 0.5),
    "delay_observations_v0": lambda env: supersuit.delay_observations_v0(env, 1),
    "dtype_v0": lambda env: supersuit.dtype_v0(env, np.float16),
    "flatten_v0": supersuit.flatten_v0,
    "frame_stack_v1": lambda env: supersuit.frame_stack_v1(env, 3),
    "frame_stack_v2": lambda env: supersuit.frame_stack_v2(env, 3),
    "max_observation_v0": lambda env: supersuit.max_observation_v0(env, 2),
    "nan_noop_v0": lambda env: supersuit.nan_noop_v0(env, 0),
    "nan_random_v0": supersuit.nan_random_v0,
    "nan_zeros_v0": supersuit.nan_zeros_v0,
    "normalize_obs_v0": supersuit.normalize_obs_v0,
    "observation_lambda_v0": lambda env: supersuit.observation_lambda_v0(
        env, lambda seen, space: seen[:9], lambda space: spaces.Box(0.0, 1.0, (9,), np.float32)
    ),
    "pad_action_space_v0": supersuit.pad_action_space_v0,
    "pad_observations_v0": supersuit.pad_observations_v0,
    "reshape_v0": lambda env: supersuit.reshape_v0(env, (1, *env.observation_space(env.possible_agents[0]).shape)),
    "reward_lambda_v0": lambda env: supersuit.reward_lambda_v0(env, lambda reward: 2 * reward),
}
STEPS = 400
"""Enough for the first game of each kind to end."""


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("game_id", game_ids())
def test_wrappers_take_turn_based_environments(game_id, name):
    env, generator = WORK[name](wrappers.env(game_id, mask="info")), np.random.default_rng(1)
    env.reset(seed=3)
    for agent in env.agent_iter(STEPS):
        seen, _, terminated, truncated, info = env.last()
        over = terminated or truncated
        assert over or env.observation_space(agent).contains(seen)
        env.step(None if over else int(generator.choice(np.flatnonzero(info["action_mask"]))))


@pytest.mark.parametrize("name", WORK)
def test_wrappers_take_parallel_environments(name):
    env, generator = WORK[name](wrappers.parallel_env("muster", mask="info")), np.random.default_rng(1)
    _, infos = env.reset(seed=3)
    paid = {}
    while env.agents:
        masks = {agent: infos[agent]["action_mask"] for agent in env.agents}
        actions = {agent: int(generator.choice(np.flatnonzero(mask))) if mask.any() else 0 for agent, mask in masks.items()}
        seen, paid, *_, infos = env.step(actions)
        assert all(env.observation_space(agent).contains(each) for agent, each in seen.items())
    assert set(paid.values()) != {0}


def test_parallel_games_are_vectors_for_stable_baselines():
    pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
    vector = supersuit.pettingzoo_env_to_vec_env_v1(wrappers.parallel_env("muster", mask="info", illegal="lose"))
    envs = supersuit.concat_vec_envs_v1(vector, 2, base_class="stable_baselines3")
    assert envs.reset().shape == (4, 362)
    _, rewards, dones, _ = envs.step(np.zeros(4, np.int64))
    assert rewards.shape == dones.shape == (4,)
