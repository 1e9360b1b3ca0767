"""What a position of Muster is worth.

Five castles are five contests. For each, the lead of one side is a weighted sum of what it has there and what it can
still bring there, less the same for the other side. The logistic function turns the lead into a chance, and the chances of the
five castles give the chance to hold more of them than the other side. Weights change as the pile runs out: a lead of a few
points is worth little early and everything late.
"""

from enum import IntEnum
from typing import Annotated

import numpy as np

from cardtable.engine.jit import helper, kernel
from cardtable.types import Integers
from cardtable_agents.evaluations.evaluation import Doubles, Evaluation, new_record, table_of
from muster_env.constants import (
    CASTLES,
    RAINBOW_CASTLE,
    STRENGTH_WORTH,
    STRENGTHS,
    WIZARD_BRIDGE,
    WIZARD_STRENGTH,
)
from muster_env.rules.banners import fits
from muster_env.types import State

HALF_LIFE = 6.0
"""Cards left in the pile at which the weights have changed by half."""


class Feature(IntEnum):
    """What the lead of a side at a castle is made of."""

    STRENGTH = 0  # strength in the column (MUS-6.2)
    BANNERS = 1  # banner cards in the column: they break ties (MUS-6.3), and more can follow
    IN_HAND = 2  # strength that the hand can add
    IN_REACH = 3  # strength in the pile that could still be added
    BLOCKED = 4  # strength that the hand could add were no Wizard on top
    EXPOSED = 5  # strength that the other hand can swap out
    WIZARDS = 6  # Wizard/Bridge cards in hand, of use at every castle


FEATURES = len(Feature)


class Weights:
    """What each unit of a feature adds to the lead at a castle."""

    features: Annotated[Doubles, FEATURES, 2]
    """At any time, and on top of that as the pile runs out."""


WEIGHTS = new_record(
    Weights,
    features=table_of(
        {
            Feature.STRENGTH: (0.03, 0.37),
            Feature.BANNERS: (0.10, 0.19),
            Feature.IN_HAND: (0.11, -0.02),
            Feature.IN_REACH: (0.05, -0.29),
            Feature.BLOCKED: (0.09, -0.01),
            Feature.EXPOSED: (-0.19, 0.00),
            Feature.WIZARDS: (0.14, -0.04),
        },
        Feature,
    ),
)
"""Fitted (logistic regression on who holds each castle at the end) to random games, then twice to games that the heuristic of
the time played against itself, with some of its actions at random."""


class Scratch:
    """What the evaluation works in."""

    features: Annotated[Doubles, FEATURES]
    """Of player_0 at a castle, less those of player_1."""
    chance_of_number: Annotated[Doubles, CASTLES + 1]
    """The chance that player_0 gets exactly so many of the castles looked at so far."""


# ---- Features


@helper
def cards_for(game: State, counts: Integers, castle: int, strength: int) -> int:
    """How many of some cards, counted by kind, have a strength and a banner that the columns of a castle take."""
    if game.castle_top[castle] != RAINBOW_CASTLE:
        return counts[castle * STRENGTHS + strength - 1]
    number = 0
    for banner in range(CASTLES):
        number += counts[banner * STRENGTHS + strength - 1]
    return number


@kernel
def playable(game: State, side: int, castle: int) -> float:
    """The strength that a side can add to a column from its hand, card by card, as if it had the turns."""
    below, total = game.top[side, castle], 0.0
    for strength in range(1, STRENGTHS + 1):
        number = cards_for(game, game.hand[side], castle, strength)
        if number > 0 and fits(game, below, strength):
            total += number * strength
            below = strength
    return total


@kernel
def left_to_come(game: State, side: int, castle: int) -> float:
    """The strength of all cards of the pile that could still go on a column."""
    total = 0.0
    for strength in range(max(game.top[side, castle], 1), STRENGTHS + 1):
        total += strength * cards_for(game, game.pile_count, castle, strength)
    return total


@kernel
def swap_gain(game: State, owner: int, swapper: int, castle: int) -> float:
    """The strength that a column loses at most if a side swaps the Wizard in it for a card of its hand; 0 if it cannot."""
    if game.wizards[owner, castle] == 0:
        return 0.0
    below = game.top[owner, castle]
    for strength in range(1, STRENGTHS + 1):
        if fits(game, below, strength) and cards_for(game, game.hand[swapper], castle, strength) > 0:
            return WIZARD_STRENGTH - strength
    return 0.0


@kernel
def add_features(game: State, side: int, castle: int, sign: float, features: Doubles) -> None:
    """Add the features of a side at a castle, times `sign`."""
    standing = game.standing[side, castle]
    features[Feature.STRENGTH] += sign * (standing // STRENGTH_WORTH)
    features[Feature.BANNERS] += sign * (standing % STRENGTH_WORTH)
    gain = playable(game, side, castle)
    blocked = game.wizards[side, castle] > 0
    features[Feature.IN_HAND] += 0.0 if blocked else sign * gain
    features[Feature.BLOCKED] += sign * gain if blocked else 0.0
    features[Feature.IN_REACH] += sign * left_to_come(game, side, castle)
    features[Feature.EXPOSED] += sign * swap_gain(game, side, 1 - side, castle)
    features[Feature.WIZARDS] += sign * game.hand[side, WIZARD_BRIDGE]


@kernel
def compare_sides(game: State, castle: int, features: Doubles) -> None:
    """Write the features of player_0 at a castle less those of player_1."""
    features[:] = 0
    add_features(game, 0, castle, 1.0, features)
    add_features(game, 1, castle, -1.0, features)


# ---- Values


@kernel
def chance_of_castle(game: State, castle: int, weights: Weights, features: Doubles) -> float:
    """The chance that player_0 gets a castle."""
    late = HALF_LIFE / (HALF_LIFE + game.pile_size)
    compare_sides(game, castle, features)
    lead = 0.0
    for k in range(FEATURES):
        lead += features[k] * (weights.features[k, 0] + late * weights.features[k, 1])
    return 1 / (1 + np.exp(-lead))


@kernel
def evaluate(game: State, weights: Weights, values: Doubles, scratch: Scratch) -> None:
    """The chance to win less the chance to lose, for each seat."""
    chances = scratch.chance_of_number
    chances[:] = 0
    chances[0] = 1
    for castle in range(CASTLES):
        chance = chance_of_castle(game, castle, weights, scratch.features)
        for number in range(castle + 1, 0, -1):
            chances[number] += chance * (chances[number - 1] - chances[number])
        chances[0] *= 1 - chance
    value = 0.0
    for number in range(CASTLES + 1):
        value += chances[number] if number > CASTLES // 2 else -chances[number]
    values[0] = value
    values[1] = -value


EVALUATION = Evaluation(evaluate, WEIGHTS, Scratch)
