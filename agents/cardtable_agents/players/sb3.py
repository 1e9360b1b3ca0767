"""`sb3:PATH`: a model that Stable-Baselines3 or sb3-contrib has saved. It needs neither of them, nor PyTorch, to play.

A saved model is a zip with pickles in it, and `Model.load` runs whatever they ask for. Nothing here does: of the file, the
weights of the policy are read as numbers (`cardtable_agents.tensors`), and the names of its parts as text.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.support import files
from cardtable.support.messages import cut, shown
from cardtable.types import Array, Floats
from cardtable_agents import tensors
from cardtable_agents.players.policy import MOST_LAYERS, Layer, NetworkAgent, Policy
from cardtable_agents.weights import LONGEST_PATH

LARGEST = 1 << 27
"""Bytes of the largest file that is read, and of what is unpacked of it. A model with the usual layers has half a million."""
WEIGHTS, SETTINGS = "policy.pth", "data"
"""The files in the zip that are read."""

Activation = Callable[[Floats], object]
"""What is between two layers, in place."""


def _leaky(latent: Floats) -> None:
    np.multiply(latent, np.where(latent < 0, 0.01, 1.0), out=latent)


def _exponential(latent: Floats) -> None:
    latent[:] = np.where(latent < 0, np.expm1(np.minimum(latent, 0)), latent)


ACTIVATIONS: Mapping[str, Activation] = {
    "Tanh": lambda latent: np.tanh(latent, out=latent),
    "ReLU": lambda latent: np.maximum(latent, 0, out=latent),
    "LeakyReLU": _leaky,
    "ELU": _exponential,
}
"""By the names of PyTorch's classes, with their usual parameters."""


@dataclass(frozen=True)
class Kind:
    """A kind of policy that Stable-Baselines3 saves: how its tensors are called, and where its class is from."""

    hidden: str
    """What the tensors of its layers are called, before their numbers."""
    last: str | None
    """What its last layer is called, if not as the others."""
    activation: str
    """What is between its layers if the settings do not say."""
    modules: tuple[str, ...]


ACTOR = Kind(
    "mlp_extractor.policy_net",
    "action_net",
    "Tanh",
    ("stable_baselines3.common.policies", "sb3_contrib.common.maskable.policies"),
)
VALUES = Kind("q_net.q_net", None, "ReLU", ("stable_baselines3.dqn.policies",))
KINDS = {"PPO, A2C, MaskablePPO": ACTOR, "DQN": VALUES}
"""The algorithms whose models can be played."""
IGNORED = ("mlp_extractor.value_net.", "value_net.", "q_net_target.")
"""What the tensors are called that do not choose actions."""
HARMLESS = {
    "activation_fn",
    "net_arch",
    "ortho_init",
    "optimizer_class",
    "optimizer_kwargs",
    "normalize_images",
    "share_features_extractor",
    "use_sde",
}
"""Settings of a policy that are known, or make no difference to its choices."""


@dataclass(frozen=True)
class ActivatedPolicy(Policy):
    """A policy with an activation of its own between its layers."""

    activation: str = "ReLU"

    def _activate(self, latent: Floats) -> None:
        ACTIVATIONS[self.activation](latent)


class StableBaselinesAgent(NetworkAgent):
    """Plays the legal action with the largest logit (or value, if it is a DQN) of a saved model."""

    about = "a model saved by Stable-Baselines3 or sb3-contrib: MaskablePPO, PPO, A2C or DQN with the usual layers"
    takes = "PATH"

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        if not argument:
            raise AgentError("agent 'sb3': expected the file of a saved model after a colon: sb3:model.zip")
        content = _read(Path(argument))
        super().__init__(game, options, _policy(content, game, f"model {cut(argument, LONGEST_PATH)}"))
        self.argument = argument
        self._fingerprint = hashlib.sha256(content).hexdigest()[:16]

    def fingerprint(self) -> str:
        """A hash of the file, as it was loaded."""
        return self._fingerprint


def _read(path: Path) -> bytes:
    where = f"model {cut(path, LONGEST_PATH)}"
    try:
        return files.read_bytes(path, LARGEST)
    except files.FileTooLarge:
        raise AgentError(f"{where}: too large; allowed: at most {LARGEST:,} bytes") from None
    except (OSError, ValueError) as error:  # a path may hold a null byte
        raise AgentError(f"{where}: cannot be read: {getattr(error, 'strerror', None) or cut(error)}") from None


def _policy(content: bytes, game: Game, where: str) -> Policy:
    try:
        archive = tensors.open_zip(content)
        settings = _parsed(tensors.read_entry(archive, SETTINGS, LARGEST))
        arrays = tensors.read_tensors(tensors.read_entry(archive, WEIGHTS, LARGEST))
    except tensors.TensorsError as error:
        raise AgentError(f"{where}: not a model of Stable-Baselines3: {error}") from None
    kind = _kind(arrays, where)
    activation = _activation(settings, kind, where)
    policy = ActivatedPolicy(_layers(arrays, kind, game, where), activation=activation)
    if fault := policy.fault():
        raise AgentError(f"{where}: {fault}")
    return policy


# ---- The settings, as text


def _parsed(content: bytes) -> dict[str, Any]:
    """The settings. What is not plain data in them is a pickle, written as text: it stays text."""
    try:
        settings = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise tensors.TensorsError(f"{SETTINGS!r} is not JSON: {cut(error)}") from None
    if not isinstance(settings, dict):
        raise tensors.TensorsError(f"{SETTINGS!r} is not an object")
    return settings


def _activation(settings: Mapping[str, Any], kind: Kind, where: str) -> str:
    """The name of what is between the layers; `AgentError` if the policy is not one of the library's own."""
    policy_class, given = settings.get("policy_class"), settings.get("policy_kwargs") or {}
    module = policy_class.get("__module__") if isinstance(policy_class, dict) else None
    if module not in kind.modules:
        raise AgentError(f"{where}: its policy is from {shown(module)}; allowed: {', '.join(kind.modules)}")
    names = {name for name in given if not name.startswith(":")} if isinstance(given, dict) else {shown(given)}
    if names - HARMLESS:
        raise AgentError(
            f"{where}: its policy was made with {', '.join(sorted(map(shown, names - HARMLESS)))}; allowed: "
            f"{', '.join(sorted(HARMLESS))}"
        )
    if "activation_fn" not in names:
        return kind.activation
    found = re.fullmatch(r"<class 'torch\.nn\.modules\.activation\.(\w+)'>", str(given["activation_fn"]))
    if not found or found[1] not in ACTIVATIONS:
        raise AgentError(f"{where}: its activation is {shown(given['activation_fn'])}; allowed: {', '.join(ACTIVATIONS)}")
    return found[1]


# ---- The weights


def _kind(arrays: Mapping[str, Array], where: str) -> Kind:
    for kind in KINDS.values():
        if f"{kind.last or f'{kind.hidden}.0'}.weight" in arrays:
            return kind
    raise AgentError(f"{where}: expected the tensors of {' or '.join(KINDS)}, found {shown(list(arrays))}")


def _layers(arrays: Mapping[str, Array], kind: Kind, game: Game, where: str) -> list[Layer]:
    """The layers that choose actions, in double precision, if they lead from the game's observations to its actions."""
    used = {name: array for name, array in arrays.items() if not name.startswith(IGNORED)}
    hidden = len([name for name in used if name.startswith(f"{kind.hidden}.")]) // 2
    parts = [f"{kind.hidden}.{2 * number}" for number in range(hidden)] + ([kind.last] if kind.last else [])
    expected = {f"{part}.{each}" for part in parts for each in ("weight", "bias")}
    if expected != set(used) or not 0 < len(parts) <= MOST_LAYERS:
        strange = sorted(expected ^ set(used))
        raise AgentError(f"{where}: expected linear layers and nothing else, found {shown(strange or list(used))}")
    layers = [(used[f"{part}.weight"], used[f"{part}.bias"]) for part in parts]
    size = game.layout.size
    for weight, bias in layers:
        if weight.ndim != 2 or bias.shape != weight.shape[:1] or weight.shape[1] != size:
            raise AgentError(f"{where}: {_sizes(game)}, found a layer of shape {shown(weight.shape)} after {size} numbers")
        size = len(bias)
    if size != game.actions.size:
        raise AgentError(f"{where}: {_sizes(game)}, found {size} outputs")
    return [(weight.astype(np.float64), bias.astype(np.float64)) for weight, bias in layers]


def _sizes(game: Game) -> str:
    return f"expected layers from the {game.layout.size} numbers of {game.id} to its {game.actions.size} actions"
