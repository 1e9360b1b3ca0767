"""The record that the evaluation of Murano works in."""

from typing import Annotated

from cardtable.engine.jit import helper
from cardtable_agents.evaluations.evaluation import Doubles, Longs
from cardtable_agents.evaluations.murano.weights import FEATURES
from murano_env.constants import ADVANTAGE_KINDS, LARGEST_HAND, SHARD_KINDS


class Best:
    """The best of several outcomes so far."""

    value: float
    """Its value in Lira; minus infinity before there is one."""
    features: Annotated[Doubles, FEATURES]
    """Its features."""


class Workbenches:
    """Shards, counted by kind, at different moments of a plan."""

    start: Annotated[Doubles, SHARD_KINDS]
    """Before any plan."""
    kept: Annotated[Doubles, SHARD_KINDS]
    """Before this plan: after the works that are made in the current turn."""
    now: Annotated[Doubles, SHARD_KINDS]
    """When the plan negotiates: after its takes."""
    tried: Annotated[Doubles, SHARD_KINDS]
    """After a negotiation."""
    left: Annotated[Doubles, SHARD_KINDS]
    """After the works that follow it."""
    spare: Annotated[Doubles, SHARD_KINDS]
    """What is left of any of these once the next cards have taken what they need."""


class Scratch:
    """What the evaluation works in. The prices and `trust` hold for a position, all else is about one seat of it."""

    prices: Annotated[Doubles, FEATURES]
    """The weight of each feature at this stage of the game."""
    advantage_prices: Annotated[Doubles, ADVANTAGE_KINDS]
    """The weight of each Advantage at this stage of the game."""
    trust: float
    """The weight `trust`."""
    shortest_other: float
    """Cards in the shortest of the other hands."""
    cards: Annotated[Longs, LARGEST_HAND]
    """The hand in the order that is looked at."""
    worth: Annotated[Doubles, LARGEST_HAND]
    """Lira for what each card of the hand can be set aside for, once it is a work."""
    usable: Annotated[Doubles, ADVANTAGE_KINDS]
    """Works that can be set aside for each Advantage."""
    bench: Workbenches
    features: Annotated[Doubles, FEATURES]
    """Of the Workbench that was weighed last."""
    best_turn: Best
    """Of one plan: the best negotiation and number of works."""
    best_plan: Best
    """Of all plans: the best one, blended with the Workbench that it began with."""


@helper
def copy_bench(source: Doubles, target: Doubles) -> None:
    """Copy a Workbench."""
    for kind in range(SHARD_KINDS):
        target[kind] = source[kind]


@helper
def keep_if_better(best: Best, value: float, features: Doubles) -> None:
    """Keep an outcome if it is better than the best so far."""
    if value > best.value:
        best.value = value
        for k in range(FEATURES):
            best.features[k] = features[k]
