"""The learner: MaskablePPO with a network that suits two cores, and its policy as numpy plays it."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import MlpExtractor
from torch import nn

from cardtable.envs.sb3 import LearnerVecEnv
from cardtable_agents.players.policy import Advice, Policy

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


TRUST = 30.0
"""How much advice counts at first: of two actions, one that is worse by `advice.REACH` is played e ** -TRUST times as often."""


class AdvisedExtractor(MlpExtractor):
    """Layers that see the observation; the advice behind it is handed on."""

    def __init__(self, features: int, actions: int, **settings: Any) -> None:
        super().__init__(features - actions, **settings)
        self.inputs = features - actions

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """What the policy's layers make of the observation, and the advice."""
        return torch.cat([self.policy_net(features[:, : self.inputs]), features[:, self.inputs :]], dim=1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """What the value's layers make of the observation."""
        return self.value_net(features[:, : self.inputs])


class AdvisedLogits(nn.Linear):
    """The last layer: the network's own logits and, by so much trust, which is learned too, the advice."""

    def __init__(self, own: nn.Linear) -> None:
        super().__init__(own.in_features, own.out_features)
        self.weight, self.bias = own.weight, own.bias
        self.trust = nn.Parameter(torch.ones(1))  # times TRUST: a learning rate suits numbers around 1

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        """Add both."""
        return super().forward(latent[:, : self.in_features]) + TRUST * self.trust * latent[:, self.in_features :]


class AdvisedNetwork(MaskableActorCriticPolicy):
    """A network that begins by following advice, and learns what to change about it (residual policy learning)."""

    def __init__(self, *args: Any, adviser: str, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.adviser = adviser

    def _build_mlp_extractor(self) -> None:
        self.mlp_extractor = AdvisedExtractor(
            self.features_dim,
            int(self.action_space.n),  # type: ignore[attr-defined]  # a Discrete
            net_arch=self.net_arch,
            activation_fn=self.activation_fn,
            device=self.device,
        )

    def _build(self, lr_schedule: Callable[[float], float]) -> None:
        super()._build(lr_schedule)
        assert isinstance(self.action_net, nn.Linear)
        self.action_net = AdvisedLogits(self.action_net)
        learned = self.parameters()
        self.optimizer = self.optimizer_class(learned, lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]


def new_learner(env: LearnerVecEnv, rate: Callable[[float], float], adviser: str | None = None) -> MaskablePPO:
    """A learner that knows nothing yet but what an adviser, if any, says; chance comes from the seeds of PyTorch and numpy."""
    torch.distributions.Distribution.set_default_validate_args(False)  # the mask is ours: checks cost a tenth of an update
    return MaskablePPO(
        AdvisedNetwork if adviser else MaskableActorCriticPolicy,
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
        policy_kwargs={"net_arch": list(LAYERS), "activation_fn": nn.ReLU, **({"adviser": adviser} if adviser else {})},
        device="cpu",
    )


def hold_policy(network: MaskableActorCriticPolicy, *, hold: bool) -> None:
    """Let updates leave the policy as it is, and change only what the network thinks of positions; or let them change both."""
    for part in (network.mlp_extractor.policy_net, network.action_net):
        part.requires_grad_(not hold)


def policy_of(network: MaskableActorCriticPolicy) -> Policy:
    """The network's policy for numpy; a copy."""
    modules = [*network.mlp_extractor.policy_net, network.action_net]
    return Policy([_numbers(layer) for layer in modules if isinstance(layer, nn.Linear)], advice_of(network))


def advice_of(network: MaskableActorCriticPolicy) -> Advice | None:
    """Whom the network's policy asks, and how much it trusts the answer."""
    if not isinstance(network, AdvisedNetwork):
        return None
    assert isinstance(network.action_net, AdvisedLogits)
    return Advice(network.adviser, TRUST * network.action_net.trust.item())


def _numbers(layer: nn.Linear) -> tuple[np.ndarray, np.ndarray]:
    return layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()
