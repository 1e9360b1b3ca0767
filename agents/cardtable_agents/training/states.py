"""Parts of a learner's state as arrays, and the way back: what is not exactly as expected is refused."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from cardtable.engine import loops
from cardtable.engine.ending import Ending
from cardtable.errors import StateError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.support.messages import shown
from cardtable.types import Array, Records
from cardtable_agents.network.products import PRECISIONS
from cardtable_agents.players.policy import Policy
from cardtable_agents.weights import WeightsError

LARGEST_COUNT = 2**53
UNFIT = "the checkpoint does not fit the learner"


def bytes_of(records: Records) -> Array:
    """Records as bytes: a view."""
    return records.view(np.ndarray).view(np.uint8)


def arrays_of(past: Sequence[Policy]) -> dict[str, Array]:
    """Past selves, without their values."""
    found: dict[str, Array] = {}
    for place, policy in enumerate(past):
        for number, (weight, bias) in enumerate(policy.layers):
            found |= {f"past.{place}.{number}.weight": weight, f"past.{place}.{number}.bias": bias}
        if policy.advice:
            found[f"past.{place}.trust"] = np.array([policy.advice.trust])
    return found


def past_of(arrays: Mapping[str, Array], like: Policy, number: int) -> list[Policy]:
    """A number of past selves of the shape of another policy."""
    return [_past_self(arrays, like, f"past.{place}") for place in range(number)]


def _past_self(arrays: Mapping[str, Array], like: Policy, prefix: str) -> Policy:
    layers = [(arrays[f"{prefix}.{number}.weight"], arrays[f"{prefix}.{number}.bias"]) for number in range(len(like.layers))]
    advice = replace(like.advice, trust=float(arrays[f"{prefix}.trust"][0])) if like.advice else None
    return Policy(layers, advice)


def require_fit(arrays: Mapping[str, Array], expected: Mapping[str, Array]) -> None:
    """`WeightsError` if there are other arrays than expected, or some have another shape or dtype."""
    for name in [*expected, *arrays]:
        found, wanted = (_form(each[name]) if name in each else None for each in (arrays, expected))
        if found != wanted:
            raise WeightsError(f"{UNFIT}: {shown(name)} is {found}, expected {wanted}")


def _form(array: Array) -> tuple[tuple[int, ...], str]:
    return array.shape, array.dtype.name


def require_squares(array: Array) -> None:
    """`WeightsError` if means of squares are negative: Adam would take their root."""
    if (array < 0).any():
        raise WeightsError(f"{UNFIT}: its squares of gradients are negative")


def require_games(arrays: Mapping[str, Array], game: Game, options: Options) -> None:
    """`WeightsError` if games of a state are not positions of the game that go on: kernels would read and write anywhere."""
    for name, array in arrays.items():
        for number, one in enumerate(np.split(array.view(game.state.dtype), array.size // game.state.dtype.itemsize)):
            try:
                position = game.unpack(game.pack(one), options)
            except StateError as error:
                raise WeightsError(f"{UNFIT}: {name}, game {number}: {error}") from None
            if loops.ending_of(position) != Ending.ONGOING:
                raise WeightsError(f"{UNFIT}: {name}, game {number}: it is over")


def require_about(about: Mapping[str, Any], counts: Sequence[str]) -> None:
    """`WeightsError` if some counts are none, or there is no precision."""
    for name in counts:
        value = about.get(name)
        if type(value) is not int or not 0 <= value <= LARGEST_COUNT:
            raise WeightsError(f"{UNFIT}: its {name} is {shown(value)}, expected an integer from 0 to {LARGEST_COUNT:,}")
    if about.get("precision") not in PRECISIONS:
        raise WeightsError(f"{UNFIT}: its precision is {shown(about.get('precision'))}, expected {' or '.join(PRECISIONS)}")
