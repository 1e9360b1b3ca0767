"""The learner: MaskablePPO with a network that suits two cores, and its policy as numpy plays it."""

from collections.abc import Callable

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn

from agents.policy import Policy
from cardtable.sb3 import LearnerVecEnv

LAYERS = (256, 256)
ROLLOUT = 16_384
"""Decisions between two updates, over all games."""
BATCH = 1024
EPOCHS = 4
CLIP = 0.2
TARGET_KL = 0.03
"""Updates stop early where they would lead too far from the policy that played."""
ENTROPY = 0.003
"""Small: a policy that a teacher has taught should not be talked out of what it knows."""
GAMMA = 1.0
"""A win counts the same however late: games end."""
LAMBDA = 0.95


def new_learner(env: LearnerVecEnv, rate: Callable[[float], float]) -> MaskablePPO:
    """A learner that knows nothing yet; chance comes from the global seeds of PyTorch and numpy."""
    torch.distributions.Distribution.set_default_validate_args(False)  # the mask is ours: checks cost a tenth of an update
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=rate,
        n_steps=max(ROLLOUT // env.num_envs, 1),
        batch_size=BATCH,
        n_epochs=EPOCHS,
        gamma=GAMMA,
        gae_lambda=LAMBDA,
        clip_range=CLIP,
        ent_coef=ENTROPY,
        target_kl=TARGET_KL,
        policy_kwargs={"net_arch": list(LAYERS), "activation_fn": nn.ReLU},
        device="cpu",
    )


def policy_of(network: MaskableActorCriticPolicy) -> Policy:
    """The network's policy for numpy; a copy."""
    modules = [*network.mlp_extractor.policy_net, network.action_net]
    return Policy([_numbers(layer) for layer in modules if isinstance(layer, nn.Linear)])


def _numbers(layer: nn.Linear) -> tuple[np.ndarray, np.ndarray]:
    return layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()
