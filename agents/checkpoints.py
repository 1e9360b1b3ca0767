"""Checkpoints of a training run: everything it needs to go on, in files that are whole or not there."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from agents import weights
from agents.learner import advice_of
from agents.policy import Advice, Policy
from agents.roster import AgentError
from agents.weights import WeightsError

try:
    import fcntl
except ImportError:  # not a Unix: whoever starts two runs in one folder is not stopped
    fcntl = None  # type: ignore[assignment]

FORMAT = "cardtable checkpoint 1"
KEPT = 3
"""How many checkpoints a run keeps, the newest."""
NAME = "{number:09d}.safetensors"
LOCK = "lock"


@dataclass(frozen=True)
class Checkpoint:
    """What a run was, at a moment."""

    arrays: Mapping[str, np.ndarray]
    about: Mapping[str, Any]


def checkpoint_of(learner: MaskablePPO, past: list[Policy], about: Mapping[str, Any]) -> Checkpoint:
    """The learner's weights and optimizer, its past selves, and plain data about where the run is."""
    arrays = {f"network.{name}": tensor.numpy() for name, tensor in learner.policy.state_dict().items()}
    for number, state in learner.policy.optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{number}.{name}": tensor.numpy() for name, tensor in state.items()}
    for number, policy in enumerate(past):
        if policy.advice:
            arrays[f"past.{number}.trust"] = np.array([policy.advice.trust])
        for layer, (weight, bias) in enumerate(policy.layers):
            arrays |= {f"past.{number}.{layer}.weight": weight, f"past.{number}.{layer}.bias": bias}
    return Checkpoint(arrays, {"format": FORMAT, **about})


def restore(checkpoint: Checkpoint, learner: MaskablePPO) -> list[Policy]:
    """Put a checkpoint's weights and optimizer into the learner; its past selves. `WeightsError` if they do not fit."""
    tensors = {name: torch.tensor(array) for name, array in checkpoint.arrays.items()}
    try:
        learner.policy.load_state_dict(_under(tensors, "network."))
        optimizer = learner.policy.optimizer.state_dict()
        optimizer["state"] = {int(number): _under(tensors, f"optimizer.{number}.") for number in _numbers(tensors, "optimizer")}
        learner.policy.optimizer.load_state_dict(optimizer)
    except (RuntimeError, ValueError, KeyError) as error:
        raise WeightsError(f"the checkpoint does not fit the learner: {error}") from None
    advice = advice_of(learner.policy)
    return [_policy(_under(dict(checkpoint.arrays), f"past.{number}."), advice) for number in _numbers(tensors, "past")]


def _under(entries: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): entry for name, entry in entries.items() if name.startswith(prefix)}


def _numbers(entries: Mapping[str, Any], kind: str) -> list[int]:
    return sorted({int(name.split(".")[1]) for name in entries if name.startswith(f"{kind}.")})


def _policy(arrays: dict[str, np.ndarray], advice: Advice | None) -> Policy:
    layers = [(arrays[f"{layer}.weight"], arrays[f"{layer}.bias"]) for layer in range(len(arrays) // 2)]
    return Policy(layers, replace(advice, trust=float(arrays["trust"][0])) if advice else None)


# ---- The folder


def paths(folder: Path) -> list[Path]:
    """The checkpoints of a folder, the newest last."""
    found = folder.iterdir() if folder.is_dir() else []
    return sorted(path for path in found if re.fullmatch(r"\d+\.safetensors", path.name))


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other processes from training in a folder; the system lets go of it if this one is killed."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / LOCK).open("w") as lock:
        if fcntl:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AgentError(f"another process is training in {folder.parent}: stop it, or choose another folder") from None
        yield


def write(folder: Path, checkpoint: Checkpoint) -> Path:
    """Add a checkpoint, then remove the oldest beyond those that are kept."""
    folder.mkdir(parents=True, exist_ok=True)
    earlier = paths(folder)
    path = folder / NAME.format(number=int(earlier[-1].stem) + 1 if earlier else 0)
    weights.save(path, checkpoint.arrays, checkpoint.about)
    for old in paths(folder)[:-KEPT]:
        old.unlink()
    return path


def newest(folder: Path, tell: Callable[[str], None]) -> Checkpoint | None:
    """The newest whole checkpoint of a folder, if there is one; `tell` hears of those passed over."""
    for path in reversed(paths(folder)):
        try:
            arrays, about = weights.load(path)
        except WeightsError as error:
            tell(f"passed over: {error}")
            continue
        if about.get("format") == FORMAT:
            return Checkpoint(arrays, about)
        tell(f"passed over: {path}: its format is {about.get('format')!r}, not {FORMAT!r}")
    return None


def clear(folder: Path) -> None:
    """Remove all checkpoints."""
    for path in paths(folder):
        path.unlink()
