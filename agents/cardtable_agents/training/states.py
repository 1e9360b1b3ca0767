"""The state of our learner as arrays, and the way back: what is not exactly as expected is refused, and changes nothing."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from cardtable.support.messages import shown
from cardtable.types import Array, Records
from cardtable_agents.players.policy import Policy
from cardtable_agents.weights import WeightsError

if TYPE_CHECKING:
    from cardtable_agents.training.ppo import PPO

COUNTS = ("optimizer_steps", "updates", "imitations", "steps")
"""Integers that say how far a learner has got."""
LARGEST_COUNT = 2**53


def arrays_of_learner(learner: "PPO") -> dict[str, Array]:
    """Parameters, moments, games and past selves. Copies are not made."""
    arrays: dict[str, Array] = {
        "parameters": learner.network.parameters.flat,
        "optimizer.exp_avg": learner.optimizer.mean.flat,
        "optimizer.exp_avg_sq": learner.optimizer.square.flat,
    }
    for number, worker in enumerate(learner.crew.workers):
        arrays[f"games.{number}"] = _bytes_of(worker.games.records)
    for number, policy in enumerate(learner.past):
        arrays |= {f"past.{number}.{name}": array for name, array in _arrays_of_policy(policy).items()}
    return arrays


def restore(learner: "PPO", arrays: Mapping[str, Array], about: Mapping[str, Any]) -> None:
    """Let a learner go on where its state was taken; `WeightsError` if that was the state of another one."""
    places = learner.past_places if any(name.startswith("past.") for name in arrays) else 0
    _require_fit(arrays, _expected(learner, places))
    _require_counts(about)
    if about.get("precision") not in ("float32", "bfloat16"):
        raise WeightsError(f"the checkpoint does not fit the learner: its precision is {shown(about.get('precision'))}")
    learner.set_precision(about["precision"])
    learner.network.parameters.flat[:] = arrays["parameters"]
    learner.network.refresh()
    learner.optimizer.mean.flat[:] = arrays["optimizer.exp_avg"]
    learner.optimizer.square.flat[:] = arrays["optimizer.exp_avg_sq"]
    learner.optimizer.steps = about["optimizer_steps"]
    learner.updates, learner.imitations, learner.steps = about["updates"], about["imitations"], about["steps"]
    for number, worker in enumerate(learner.crew.workers):
        _bytes_of(worker.games.records)[:] = arrays[f"games.{number}"]
    learner.seat_past_selves([_policy(learner.policy, arrays, f"past.{number}.") for number in range(places)])


def _bytes_of(records: Records) -> Array:
    """Records as bytes: a view."""
    return records.view(np.ndarray).view(np.uint8)


def _arrays_of_policy(policy: Policy) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for number, (weight, bias) in enumerate(policy.layers):
        found |= {f"{number}.weight": weight, f"{number}.bias": bias}
    return found | ({"trust": np.array([policy.advice.trust])} if policy.advice else {})


def _policy(like: Policy, arrays: Mapping[str, Array], prefix: str) -> Policy:
    """A past self, of the shape of another policy."""
    layers = [(arrays[f"{prefix}{number}.weight"], arrays[f"{prefix}{number}.bias"]) for number in range(len(like.layers))]
    advice = replace(like.advice, trust=float(arrays[f"{prefix}trust"][0])) if like.advice else None
    return Policy(layers, advice)


def _expected(learner: "PPO", places: int) -> dict[str, Array]:
    """Arrays of the shapes and dtypes that a state of this learner has."""
    arrays = {name: array for name, array in arrays_of_learner(learner).items() if not name.startswith("past.")}
    for number in range(places):
        arrays |= {f"past.{number}.{name}": array for name, array in _arrays_of_policy(learner.policy).items()}
    return arrays


def _require_fit(arrays: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    for name in [*expected, *arrays]:
        found, wanted = (_form(each[name]) if name in each else None for each in (arrays, expected))
        if found != wanted:
            raise WeightsError(f"the checkpoint does not fit the learner: {shown(name)} is {found}, expected {wanted}")


def _form(array: Array) -> tuple[tuple[int, ...], str]:
    return array.shape, array.dtype.name


def _require_counts(about: Mapping[str, Any]) -> None:
    for name in COUNTS:
        value = about.get(name)
        if type(value) is not int or not 0 <= value <= LARGEST_COUNT:
            raise WeightsError(f"the checkpoint does not fit the learner: its {name} is {shown(value)}")
