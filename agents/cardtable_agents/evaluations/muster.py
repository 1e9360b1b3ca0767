"""What a position of Muster is worth.

Five castles are five contests. For each, the lead of one side is a weighted sum of what it has there and what it can
still bring there, less the same of the other side; the logistic function makes a chance of it, and the chances of the
five castles make the chance to hold more of them than the other. Weights change towards the end of the pile: a lead of a
few points is worth little early and everything late.
"""

from typing import Any

import numpy as np

from cardtable.engine.jit import helper, kernel
from cardtable_agents.evaluations.evaluation import Evaluation
from muster_env.constants import (
    CASTLES,
    RAINBOW_CASTLE,
    STRENGTH_WORTH,
    STRENGTHS,
    WIZARD_BRIDGE,
    WIZARD_STRENGTH,
)
from muster_env.rules.banners import fits

STRENGTH, BANNERS, IN_HAND, IN_REACH, BLOCKED, EXPOSED, WIZARDS = range(7)
FEATURES = 7
HALF_LIFE = 6.0
"""Cards left in the pile at which the weights have changed by half."""

WEIGHTS: np.ndarray = np.array(
    [  # always, and on top of that as the pile runs out
        (0.03, 0.37),  # STRENGTH: strength in the column (MUS-6.2)
        (0.10, 0.19),  # BANNERS: banner cards in the column: they break ties (MUS-6.3), and more can follow
        (0.11, -0.02),  # IN_HAND: strength that the hand can add
        (0.05, -0.29),  # IN_REACH: strength in the pile that could still be added
        (0.09, -0.01),  # BLOCKED: strength that the hand could add were no Wizard on top
        (-0.19, 0.00),  # EXPOSED: strength that the other hand can swap out
        (0.14, -0.04),  # WIZARDS: Wizard/Bridge cards in hand, of use at every castle
    ]
)
"""What each feature adds to the lead at a castle. Fitted (logistic regression on who holds each castle at the end) to
random games, then twice to games that the heuristic so far played with itself, some of its actions at random."""


@helper
def cards_for(game: Any, counts: np.ndarray, castle: int, strength: int) -> int:
    """How many of some cards, counted by kind, have a strength and a banner that the columns of a castle take."""
    if game.castle_top[castle] != RAINBOW_CASTLE:
        return counts[castle * STRENGTHS + strength - 1]
    number = 0
    for banner in range(CASTLES):
        number += counts[banner * STRENGTHS + strength - 1]
    return number


@kernel
def playable(game: Any, side: int, castle: int) -> float:
    """The strength that a side can add to a column from its hand, card by card, as if it had the turns."""
    below, total = game.top[side, castle], 0.0
    for strength in range(1, STRENGTHS + 1):
        number = cards_for(game, game.hand[side], castle, strength)
        if number > 0 and fits(game, below, strength):
            total += number * strength
            below = strength
    return total


@kernel
def left_to_come(game: Any, side: int, castle: int) -> float:
    """The strength of all cards of the pile that could still go on a column."""
    total = 0.0
    for strength in range(max(game.top[side, castle], 1), STRENGTHS + 1):
        total += strength * cards_for(game, game.pile_count, castle, strength)
    return total


@kernel
def swap_gain(game: Any, owner: int, swapper: int, castle: int) -> float:
    """The strength that a column loses at most if a side swaps the Wizard in it for a card of its hand; 0 if it cannot."""
    if game.wizards[owner, castle] == 0:
        return 0.0
    below = game.top[owner, castle]
    for strength in range(1, STRENGTHS + 1):
        if fits(game, below, strength) and cards_for(game, game.hand[swapper], castle, strength) > 0:
            return WIZARD_STRENGTH - strength
    return 0.0


@kernel
def look(game: Any, side: int, castle: int, sign: float, out: np.ndarray) -> None:
    """Add the features of a side at a castle, times `sign`."""
    standing = game.standing[side, castle]
    out[STRENGTH] += sign * (standing // STRENGTH_WORTH)
    out[BANNERS] += sign * (standing % STRENGTH_WORTH)
    add = playable(game, side, castle)
    blocked = game.wizards[side, castle] > 0
    out[IN_HAND] += 0.0 if blocked else sign * add
    out[BLOCKED] += sign * add if blocked else 0.0
    out[IN_REACH] += sign * left_to_come(game, side, castle)
    out[EXPOSED] += sign * swap_gain(game, side, 1 - side, castle)
    out[WIZARDS] += sign * game.hand[side, WIZARD_BRIDGE]


@kernel
def compare(game: Any, castle: int, out: np.ndarray) -> None:
    """The features of player_0 at a castle less those of player_1."""
    out[:FEATURES] = 0
    look(game, 0, castle, 1.0, out)
    look(game, 1, castle, -1.0, out)


@kernel
def chance_of_castle(game: Any, castle: int, weights: np.ndarray, features: np.ndarray) -> float:
    """The chance that player_0 gets a castle."""
    late = HALF_LIFE / (HALF_LIFE + game.pile_size)
    compare(game, castle, features)
    lead = 0.0
    for k in range(FEATURES):
        lead += features[k] * (weights[k, 0] + late * weights[k, 1])
    return 1 / (1 + np.exp(-lead))


@kernel
def evaluate(game: Any, weights: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
    """The chance to win less the chance to lose, for each seat."""
    features, held = room[:FEATURES], room[FEATURES : FEATURES + CASTLES + 1]
    held[:] = 0
    held[0] = 1  # the chance that player_0 has so many of the castles looked at so far
    for castle in range(CASTLES):
        chance = chance_of_castle(game, castle, weights, features)
        for number in range(castle + 1, 0, -1):
            held[number] += chance * (held[number - 1] - held[number])
        held[0] *= 1 - chance
    value = 0.0
    for number in range(CASTLES + 1):
        value += held[number] if number > CASTLES // 2 else -held[number]
    out[0] = value
    out[1] = -value


EVALUATION = Evaluation(evaluate, WEIGHTS)
