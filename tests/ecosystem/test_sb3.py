"""Stable-Baselines3: its algorithms learn on `LearnerVecEnv`, with masks and without, and it makes our environments by id."""

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="Stable-Baselines3 is not installed")
pytest.importorskip("sb3_contrib", reason="sb3-contrib is not installed")

from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_util import make_vec_env

import cardtable  # noqa: F401  # registers the games
from benchmarks.libraries import sb3 as benchmark
from cardtable.envs.sb3 import LearnerVecEnv

LANES = 128


@pytest.mark.parametrize("name", ["Artisans", "Murano", "Muster"])
def test_games_are_made_by_id(name):
    envs = make_vec_env(f"cardtable/{name}-v0", n_envs=2, seed=1, env_kwargs={"opponents": "random"})
    seen = envs.reset()
    for _ in range(30):
        masks = np.stack(envs.env_method("action_masks"))
        seen, _, dones, infos = envs.step(masks.argmax(axis=1))
        assert seen.shape == (2, *envs.observation_space.shape)
    assert all("episode" in info for info, done in zip(infos, dones, strict=True) if done)


def legal_share(model):
    """How many of a model's choices are legal, where an illegal one loses."""
    env, found = LearnerVecEnv("muster", LANES, illegal="lose", seed=2), []
    seen = env.reset()
    for _ in range(15):
        actions, _ = model.predict(seen, deterministic=True)
        found.append(env.action_masks()[np.arange(LANES), actions])
        seen, *_ = env.step(actions)
    return float(np.mean(found))


@pytest.mark.learns
@pytest.mark.filterwarnings("ignore:The number of environments used is greater:UserWarning")
@pytest.mark.parametrize(
    ("algorithm", "settings", "steps"),
    [
        (PPO, {"n_steps": 16, "batch_size": 512, "n_epochs": 6, "gamma": 0.8, "learning_rate": 3e-3}, 40_000),
        (
            DQN,
            {
                "buffer_size": 40_000,
                "learning_starts": 2000,
                "train_freq": 1,
                "gradient_steps": 8,
                "batch_size": 256,
                "gamma": 0.8,
                "exploration_fraction": 0.3,
                "learning_rate": 1e-3,
            },
            40_000,
        ),
    ],
    ids=["PPO", "DQN"],
)
def test_algorithms_without_masks_learn_what_is_legal(algorithm, settings, steps):
    """At first two choices in a hundred are legal. A discount is what makes it worth while to lose later."""
    env = LearnerVecEnv("muster", LANES, illegal="lose", seed=1)
    model = algorithm("MlpPolicy", env, seed=1, device="cpu", **settings)
    before = legal_share(model)
    model.learn(steps)
    assert before < 0.15
    assert legal_share(model) > before + 0.25


@pytest.mark.learns
def test_its_masked_ppo_learns():
    """From 49 % to 93 % of 500 games against random play when this was written."""
    learned = benchmark.learn(15.0)
    assert learned.before < 0.65
    assert learned.after > 0.75
