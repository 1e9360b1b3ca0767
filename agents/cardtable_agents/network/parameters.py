"""The parameters of a network: one flat vector, and a view of it for each layer."""

from dataclasses import dataclass
from math import prod

import numpy as np

from cardtable.types import Array, Floats

CHUNK = 512
"""Rows that are learned from at once: enough for matrix products, few enough to stay in the cache."""
USED_INPUTS = 0.2
"""The share of inputs that are not zero, about: the first layer begins with weights as large as that asks for."""
FIRST_LOGITS = 0.01
"""The size of the last layer's first weights: an untrained policy plays nearly at random."""


@dataclass(frozen=True)
class Shape:
    """How large a network is."""

    inputs: int
    layers: tuple[int, ...]
    """Units of the hidden layers."""
    actions: int
    seats: int
    """Values: that of the seat to act, then those of the seats after it, in turn."""
    features: int = 0
    """What actions have in common; 0: every action is learned by itself."""
    advised: bool = False
    """Whether scores of an adviser are added to the logits, times a trust that is learned."""

    def parts(self) -> dict[str, tuple[int, ...]]:
        """The shape of each part of the vector, by name and in order."""
        last = self.layers[-1]
        found: dict[str, tuple[int, ...]] = {"input.weight": (self.inputs, self.layers[0]), "input.bias": (self.layers[0],)}
        for number, (before, after) in enumerate(zip(self.layers, self.layers[1:], strict=False)):
            found |= {f"hidden.{number}.weight": (before, after), f"hidden.{number}.bias": (after,)}
        found |= {"action.weight": (self.actions, last), "action.bias": (self.actions,)}
        found |= {"feature.weight": (self.features, last)}
        found |= {"value.weight": (self.seats, last), "value.bias": (self.seats,), "trust": (int(self.advised),)}
        return found

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return sum(map(prod, self.parts().values()))


class Vector:
    """A flat vector of a network's shape, and its parts: parameters, gradients, moments."""

    def __init__(self, shape: Shape) -> None:
        self.flat: Floats = np.zeros(shape.size, np.float32)
        self._parts: dict[str, Floats] = {}
        start = 0
        for name, each in shape.parts().items():
            self._parts[name] = self.flat[start : start + prod(each)].reshape(each)
            start += prod(each)

    def __getitem__(self, name: str) -> Floats:
        """A part, by name: a view."""
        return self._parts[name]


def first_parameters(shape: Shape, seed: int, trust: float = 0.0) -> Vector:
    """Random parameters of an untrained network."""
    random, vector = np.random.default_rng(seed), Vector(shape)
    scale = 1 / np.sqrt(shape.inputs * USED_INPUTS)
    vector["input.weight"][:] = random.standard_normal(vector["input.weight"].shape) * scale
    for number in range(len(shape.layers) - 1):
        weight = vector[f"hidden.{number}.weight"]
        weight[:] = _orthogonal(random, *weight.shape) * np.sqrt(2)
    for name in ("action.weight", "value.weight"):
        vector[name][:] = random.standard_normal(vector[name].shape) * FIRST_LOGITS
    vector["trust"][:] = trust
    return vector


def _orthogonal(random: np.random.Generator, rows: int, columns: int) -> Array:
    """Rows or columns that are orthogonal, whichever are fewer: what enters a layer keeps its size."""
    found, triangle = np.linalg.qr(random.standard_normal((max(rows, columns), min(rows, columns))))
    found *= np.sign(np.diag(triangle))
    return found if rows >= columns else found.T
