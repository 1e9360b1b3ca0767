"""The learner: sb3-contrib's MaskablePPO, asked for one update at a time."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import configure
from stable_baselines3.common.vec_env import VecEnv
from torch import nn

from cardtable.engine.jit import cores
from cardtable_agents.players.policy import Policy
from cardtable_agents.training.networks import AdvisedNetwork, hold_policy, policy_of
from cardtable_agents.training.settings import Settings

LOGGED = ("approx_kl", "entropy_loss", "value_loss")
"""What the log records of an update, by the names of Stable-Baselines3."""


class Learner:
    """MaskablePPO with the settings of a run. It begins with random weights, by the seeds of PyTorch and numpy."""

    def __init__(self, env: VecEnv, settings: Settings, tensorboard: Path | None = None) -> None:
        torch.distributions.Distribution.set_default_validate_args(False)  # the mask is ours: checks cost a tenth of an update
        if settings.threads is not None:
            torch.set_num_threads(min(settings.threads, cores()))
        self._rate = settings.learning_rate[0]
        self.model = MaskablePPO(
            AdvisedNetwork if settings.advice else MaskableActorCriticPolicy,
            env,
            learning_rate=lambda _: self._rate,
            n_steps=max(settings.rollout // env.num_envs, 1),
            batch_size=settings.batch,
            n_epochs=settings.epochs,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            ent_coef=settings.entropy,
            vf_coef=settings.value_weight,
            max_grad_norm=settings.gradient,
            target_kl=settings.target_kl,
            policy_kwargs=_network_arguments(settings),
            device="cpu",
        )
        if tensorboard is not None:
            self.model.set_logger(configure(str(tensorboard), ["tensorboard"]))

    @property
    def network(self) -> MaskableActorCriticPolicy:
        """Policy and value, as PyTorch has them."""
        assert isinstance(self.model.policy, MaskableActorCriticPolicy)
        return self.model.policy

    @property
    def policy(self) -> Policy:
        """The policy so far, for numpy; a copy."""
        return policy_of(self.network)

    @property
    def steps(self) -> int:
        """Decisions that have been learned from."""
        return self.model.num_timesteps

    @steps.setter
    def steps(self, steps: int) -> None:
        self.model.num_timesteps = steps

    def update(self, rate: float, *, only_value: bool) -> dict[str, Any]:
        """Play one rollout and learn from it; what is worth logging."""
        start, self._rate = time.perf_counter(), rate
        hold_policy(self.network, hold=only_value)
        self.model.learn(1, reset_num_timesteps=False)
        seconds = time.perf_counter() - start
        learned = self.model.logger.name_to_value
        return {
            "steps": self.steps,
            "steps_per_second": round(self.model.n_steps * self.model.n_envs / seconds),
            "return": round(float(np.mean([each["r"] for each in self.model.ep_info_buffer or [{"r": 0}]])), 4),
            **{name: round(float(learned[f"train/{name}"]), 4) for name in LOGGED},
        }

    def record(self, numbers: Mapping[str, float]) -> None:
        """Give TensorBoard some more numbers."""
        for name, number in numbers.items():
            self.model.logger.record(name, number)


def _network_arguments(settings: Settings) -> dict[str, Any]:
    advised = {"adviser": settings.advice, "trust": settings.trust} if settings.advice else {}
    return {"net_arch": list(settings.layers), "activation_fn": nn.ReLU, **advised}
