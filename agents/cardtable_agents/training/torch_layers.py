"""Linear layers of PyTorch as those of a policy for numpy."""

from collections.abc import Iterable

from torch import nn

from cardtable_agents.players.policy import Layer


def layers_of(modules: Iterable[nn.Module]) -> list[Layer]:
    """Weights and biases of the linear layers among some modules; copies."""
    return [_numbers(layer) for layer in modules if isinstance(layer, nn.Linear)]


def _numbers(layer: nn.Linear) -> Layer:
    return layer.weight.detach().cpu().numpy().copy(), layer.bias.detach().cpu().numpy().copy()
