"""Checkpoints of a training run: everything it needs to continue, in files that are written whole or not at all."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
import torch

from cardtable.errors import AgentError
from cardtable.support import files
from cardtable.support.messages import shown
from cardtable.types import Array
from cardtable_agents import weights
from cardtable_agents.players.policy import Advice, Policy
from cardtable_agents.training.learner import Learner
from cardtable_agents.training.networks import advice_of
from cardtable_agents.weights import WeightsError

FORMAT = "cardtable checkpoint 1"
NAME = "{number:09d}.safetensors"
LOCK = "lock"
MOMENTS = ("exp_avg", "exp_avg_sq")
"""What Adam keeps of each parameter besides how many steps it has made."""
COUNTS = ("rounds_done", "updates", "steps", "next_game", "lines")
"""Integers that say how far a run has got."""
SECONDS = ("seconds", "imitation_seconds")
"""Times that do."""
LARGEST_COUNT = 2**63 - 1
LARGEST_NUMBER = 1e9


@dataclass(frozen=True)
class Checkpoint:
    """What a run was, at a moment."""

    arrays: Mapping[str, Array]
    about: Mapping[str, Any]


def checkpoint_of(learner: Learner, past: Sequence[Policy], about: Mapping[str, Any]) -> Checkpoint:
    """The learner's weights and optimizer, its past selves, and plain data about where the run is."""
    arrays = {f"network.{name}": tensor.numpy() for name, tensor in learner.network.state_dict().items()}
    for number, state in learner.network.optimizer.state_dict()["state"].items():
        arrays |= {f"optimizer.{number}.{name}": tensor.numpy() for name, tensor in state.items()}
    for number, policy in enumerate(past):
        if policy.advice:
            arrays[f"past.{number}.trust"] = np.array([policy.advice.trust])
        for layer, (weight, bias) in enumerate(policy.layers):
            arrays |= {f"past.{number}.{layer}.weight": weight, f"past.{number}.{layer}.bias": bias}
    return Checkpoint(arrays, {"format": FORMAT, **about})


# ---- Resuming from one


def restore(checkpoint: Checkpoint, learner: Learner) -> list[Policy]:
    """Put a checkpoint's weights and optimizer into the learner; its past selves.

    `WeightsError` if they do not fit; the learner is then as it was.
    """
    arrays = checkpoint.arrays
    steps = {name.split(".")[1] for name in arrays if re.fullmatch(r"optimizer\.[0-9]{1,4}\.step", name)}
    selves = {name.split(".")[1] for name in arrays if re.fullmatch(r"past\.[0-9]{1,4}\.0\.bias", name)}
    optimized, past = sorted(map(int, steps)), sorted(map(int, selves))
    _require_fit(arrays, _expected(learner, optimized, len(past)))
    tensors = {name: torch.tensor(array) for name, array in arrays.items()}
    optimizer = learner.network.optimizer.state_dict()
    optimizer["state"] = {number: _under(tensors, f"optimizer.{number}.") for number in optimized}
    policies = [_policy(_under(arrays, f"past.{number}."), advice_of(learner.network)) for number in past]
    before = {name: tensor.clone() for name, tensor in learner.network.state_dict().items()}
    learner.network.load_state_dict(_under(tensors, "network."))
    for policy in (learner.policy, *policies):
        if fault := policy.fault():
            learner.network.load_state_dict(before)
            raise WeightsError(f"the checkpoint does not fit the learner: {fault}")
    learner.network.optimizer.load_state_dict(optimizer)
    return policies


def _expected(learner: Learner, optimized: list[int], past: int) -> dict[str, tuple[tuple[int, ...], str]]:
    """Shape and dtype of each array of a checkpoint of this learner."""
    expected = {f"network.{name}": _form(tensor.numpy()) for name, tensor in learner.network.state_dict().items()}
    parameters = [parameter.detach().numpy() for parameter in learner.network.parameters()]
    for number in optimized:
        form = _form(parameters[number]) if number < len(parameters) else ((), "")
        expected |= {f"optimizer.{number}.step": ((), "float32"), **{f"optimizer.{number}.{name}": form for name in MOMENTS}}
    policy = learner.policy
    for number in range(past):
        if policy.advice:
            expected[f"past.{number}.trust"] = ((1,), "float64")
        for layer, (weight, bias) in enumerate(policy.layers):
            expected |= {f"past.{number}.{layer}.weight": _form(weight), f"past.{number}.{layer}.bias": _form(bias)}
    return expected


def _form(array: Array) -> tuple[tuple[int, ...], str]:
    return array.shape, array.dtype.name


def _require_fit(arrays: Mapping[str, Array], expected: Mapping[str, tuple[tuple[int, ...], str]]) -> None:
    found = {name: _form(array) for name, array in arrays.items()}
    for name in [*expected, *found]:
        if found.get(name) != expected.get(name):
            wrong = f"{shown(name)} is {found.get(name)}, expected {expected.get(name)}"
            raise WeightsError(f"the checkpoint does not fit the learner: {wrong}")


def _under(entries: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): entry for name, entry in entries.items() if name.startswith(prefix)}


def _policy(arrays: dict[str, Array], advice: Advice | None) -> Policy:
    layers = [(arrays[f"{layer}.weight"], arrays[f"{layer}.bias"]) for layer in range(len(arrays) // 2)]
    return Policy(layers, replace(advice, trust=float(arrays["trust"][0])) if advice else None)


# ---- The folder


def paths(folder: Path) -> list[Path]:
    """The checkpoints of a folder, the newest last."""
    found = folder.iterdir() if folder.is_dir() else []
    return sorted((path for path in found if re.fullmatch(r"[0-9]{9,18}\.safetensors", path.name)), key=_number)


def _number(path: Path) -> int:
    return int(path.stem)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other processes from training in a folder; the system lets go of it if this one is killed."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with files.lock(folder / LOCK):
            files.remove_parts(folder, "*.safetensors")  # what a killed run was writing
            yield
    except files.Locked:
        raise AgentError(f"another process is training in {folder.parent}: stop it, or choose another folder") from None


def write(folder: Path, checkpoint: Checkpoint, kept: int) -> Path:
    """Add a checkpoint, then remove all but the newest `kept`; `WeightsError` if the run has diverged."""
    try:
        _require_numbers(checkpoint.arrays)
    except WeightsError as error:
        raise WeightsError(f"{folder}: the run has diverged: {error}; earlier checkpoints are unchanged") from None
    folder.mkdir(parents=True, exist_ok=True)
    earlier = paths(folder)
    path = folder / NAME.format(number=_number(earlier[-1]) + 1 if earlier else 0)
    weights.save(path, checkpoint.arrays, checkpoint.about)
    for old in paths(folder)[:-kept]:
        old.unlink(missing_ok=True)
    return path


def newest(folder: Path, tell: Callable[[str], None]) -> Checkpoint | None:
    """The newest whole checkpoint of a folder, if there is one; `tell` is called with a line for each that is damaged."""
    for path in reversed(paths(folder)):
        try:
            return read(path)
        except WeightsError as error:
            tell(f"skipped: {error}")
    return None


def read(path: Path) -> Checkpoint:
    """The checkpoint of a file; `WeightsError` if it is damaged or not a checkpoint."""
    arrays, about = weights.load(path)
    try:
        _check_about(about)
        _require_numbers(arrays)
    except WeightsError as error:
        raise WeightsError(f"{path}: {error}") from None
    return Checkpoint(arrays, about)


def _check_about(about: Mapping[str, Any]) -> None:
    """Refuse what does not say how far a run has got."""

    def require(name: str, right: bool, allowed: str) -> None:
        if not right:
            raise WeightsError(f"its {name} is {shown(about.get(name))}, expected {allowed}")

    require("format", about.get("format") == FORMAT, repr(FORMAT))
    require("agreed", isinstance(about.get("agreed"), dict), "an object")
    for name in COUNTS:
        value = about.get(name)
        require(name, type(value) is int and 0 <= value <= LARGEST_COUNT, "an integer of at least 0")
    for name in SECONDS:
        require(name, _is_real(about.get(name)) and about[name] >= 0, "a number of at least 0")
    rates = about.get("rates")
    require("rates", isinstance(rates, dict) and all(map(_is_real, rates.values())), "an object of numbers")


def _is_real(number: object) -> bool:
    return (type(number) is float and isfinite(number)) or (type(number) is int and abs(number) <= LARGEST_COUNT)


def _require_numbers(arrays: Mapping[str, Array]) -> None:
    """Refuse numbers that only a diverged run leads to."""
    for name, array in arrays.items():
        if not (np.abs(array) < LARGEST_NUMBER).all():  # NaN is not
            raise WeightsError(f"array {shown(name)} holds numbers that are not finite or exceed {LARGEST_NUMBER:.0e}")
        if name.endswith(MOMENTS[1]) and (array < 0).any():
            raise WeightsError(f"array {shown(name)} holds negative squares")
