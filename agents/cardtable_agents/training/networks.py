"""The networks that are trained, as PyTorch has them, and their policies as numpy plays them."""

from collections.abc import Callable
from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.torch_layers import MlpExtractor
from torch import nn

from cardtable.types import Floats
from cardtable_agents.players.policy import Advice, Policy


class AdvisedExtractor(MlpExtractor):
    """Layers over the observation; the advice behind it is handed on."""

    def __init__(self, features: int, actions: int, **settings: Any) -> None:
        super().__init__(features - actions, **settings)
        self.inputs = features - actions

    def forward_actor(self, features: torch.Tensor) -> torch.Tensor:
        """The output of the policy's layers for the observation, and the advice."""
        return torch.cat([self.policy_net(features[:, : self.inputs]), features[:, self.inputs :]], dim=1)

    def forward_critic(self, features: torch.Tensor) -> torch.Tensor:
        """The output of the value's layers for the observation."""
        latent: torch.Tensor = self.value_net(features[:, : self.inputs])
        return latent


class AdvisedLogits(nn.Linear):
    """The last layer: the network's own logits plus the advice times the trust in it, which is learned too."""

    def __init__(self, own: nn.Linear, trust: float) -> None:
        super().__init__(own.in_features, own.out_features)
        self.weight, self.bias = own.weight, own.bias
        self.scale = trust
        self.trust = nn.Parameter(torch.ones(1))  # times the scale: a learning rate suits numbers around 1

    def forward(self, latent: torch.Tensor) -> torch.Tensor:
        """Add both."""
        return super().forward(latent[:, : self.in_features]) + self.scale * self.trust * latent[:, self.in_features :]


class AdvisedNetwork(MaskableActorCriticPolicy):
    """A network that begins by following advice, and learns what to change about it (residual policy learning)."""

    def __init__(self, *args: Any, adviser: str, trust: float, **settings: Any) -> None:
        self._initial_trust = trust
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
        self.action_net = AdvisedLogits(self.action_net, self._initial_trust)
        learned = self.parameters()
        self.optimizer = self.optimizer_class(learned, lr=lr_schedule(1), **self.optimizer_kwargs)  # type: ignore[call-arg]


def hold_policy(network: MaskableActorCriticPolicy, *, hold: bool) -> None:
    """Let updates change only the value of the network, or value and policy."""
    for part in (network.mlp_extractor.policy_net, network.action_net):
        part.requires_grad_(not hold)


def policy_of(network: MaskableActorCriticPolicy) -> Policy:
    """The network's policy for numpy; a copy."""
    modules = [*network.mlp_extractor.policy_net, network.action_net]
    return Policy([_numbers(layer) for layer in modules if isinstance(layer, nn.Linear)], advice_of(network))


def advice_of(network: MaskableActorCriticPolicy) -> Advice | None:
    """Which adviser the network's policy asks, and how much it trusts the answer."""
    if not isinstance(network, AdvisedNetwork):
        return None
    assert isinstance(network.action_net, AdvisedLogits)
    return Advice(network.adviser, network.action_net.scale * network.action_net.trust.item())


def _numbers(layer: nn.Linear) -> tuple[Floats, Floats]:
    return layer.weight.detach().numpy().copy(), layer.bias.detach().numpy().copy()
