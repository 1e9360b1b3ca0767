"""What a position of Artisans is worth.

For each seat the points still to come are estimated: what the hand adds at the next levels, what cards at the top level can
lead to at higher ones, objects within reach with the bonus that the artisan gives for them. All weights depend on the rounds
left. The current scores plus these points, compared among the seats, give the chances to win.
"""

from enum import IntEnum
from typing import Annotated

from artisans_env.constants import (
    ARTISAN_KINDS,
    COLLECTOR_BONUS,
    FIRST_CRAFT_ROUND,
    GOLD_LOVER_BONUS,
    LEVELS,
    MATERIAL_KINDS,
    ROUNDS,
    SCULPTOR_BONUS,
    SPECIALIST_BONUS,
    VERSATILE_BONUS,
    Artisan,
    Material,
    Phase,
)
from artisans_env.rules.development import most_developed
from artisans_env.rules.market import can_reach
from artisans_env.rules.piles import shown_object
from artisans_env.scoring import score_of
from artisans_env.state import NEXT, SHOWN_OBJECTS
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable_agents.evaluations.evaluation import Doubles, Evaluation, new_record, scores_to_values, table_of

POWERS = 3
"""Each weight is a polynomial of the share of rounds left, with so many coefficients."""


class Feature(IntEnum):
    """What the points still to come are estimated by."""

    CONSTANT = 0  # points that come to anybody
    BEST = 1  # points of the best development from the hand
    SECOND = 2  # of the second best
    REST = 3  # of all others
    HIGHER_LEVELS = 4  # points that as many cards as lie at the top level would bring at all levels above it
    SPARE = 5  # cards in hand that fit no next level
    CRAFTED_NOW = 6  # worth of the best object that can be crafted at once
    READY = 7  # worth of other objects whose levels are reached
    ONE_SHORT = 8  # worth of objects one level short
    TWO_SHORT = 9  # worth of objects two levels short
    LEVEL_SUM = 10  # sum of all levels
    MASTERY = 11  # materials at half the levels or more


FEATURES = len(Feature)


class Weights:
    """With x the share of rounds left, a row holds what is constant, times x, times x squared."""

    features: Annotated[Doubles, FEATURES, POWERS]
    """Points still to come for each unit of a feature."""
    artisan: Annotated[Doubles, ARTISAN_KINDS, POWERS]
    """Points still to come to the owner of an artisan, whatever else is there."""
    spread: Annotated[Doubles, 2]
    """The lead in estimated score that multiplies the odds by e, at the end and times x."""


WEIGHTS = new_record(
    Weights,
    features=table_of(
        {
            Feature.CONSTANT: (0.70, 6.67, 10.79),
            Feature.BEST: (0.07, 1.33, -0.90),
            Feature.SECOND: (0.06, 1.16, -0.97),
            Feature.REST: (-0.04, 0.31, -0.08),
            Feature.HIGHER_LEVELS: (0.00, 0.07, -0.06),
            Feature.SPARE: (-0.05, 0.32, -0.41),
            Feature.CRAFTED_NOW: (0.43, 0.49, -0.21),
            Feature.READY: (0.21, 1.23, -1.32),
            Feature.ONE_SHORT: (-0.01, 0.63, -0.38),
            Feature.TWO_SHORT: (0.00, 0.07, 0.08),
            Feature.LEVEL_SUM: (0.01, -0.08, 1.20),
            Feature.MASTERY: (-0.01, 1.51, -1.81),
        },
        Feature,
    ),
    artisan=table_of(
        {
            Artisan.GOLD_LOVER: (-0.93, -1.81, 2.21),
            Artisan.SCULPTOR: (-0.84, -1.68, 2.43),
            Artisan.VERSATILE: (-0.95, -0.88, 2.74),
            Artisan.SPECIALIST: (-1.00, 0.47, 0.67),
            Artisan.NIGHT_WORKER: (-1.05, -1.23, 1.38),
            Artisan.PERFECTIONIST: (-1.08, 2.33, 0.98),
            Artisan.COMPULSIVE_COLLECTOR: (-1.02, -1.42, 2.49),
            Artisan.OPPORTUNIST: (-0.91, -1.19, 1.40),
            Artisan.PROVIDENT: (-1.13, -0.21, 0.36),
        },
        Artisan,
    ),
    spread=(2.0, 4.0),
)
"""Fitted (least squares on scores at the end) to random games of two to four players; a fit to games of the heuristic itself
was no stronger."""


class Scratch:
    """What the evaluation works in."""

    features: Annotated[Doubles, FEATURES]
    """Of one seat."""


# ---- What a seat can still do


@helper
def places_after(game: State, seat: int, other: int) -> int:
    """How many places clockwise a seat sits after another."""
    return (seat - other) % game.num_players


@helper
def still_to_act(game: State, seat: int) -> bool:
    """Whether a seat's turn is now or still to come in a phase that goes clockwise from the first player."""
    return places_after(game, seat, game.first_player) >= places_after(game, game.seat, game.first_player)


@kernel
def developments_left(game: State, seat: int) -> int:
    """How many times a seat may still develop a material (ART-5.1)."""
    if game.phase >= Phase.FINISH:
        return 0
    return ROUNDS - game.round_number + (game.phase != Phase.DEVELOP or still_to_act(game, seat))


@kernel
def can_craft_now(game: State, seat: int) -> bool:
    """Whether a seat may still craft in this round, or after the last (ART-4.6, 4.7, 6.1)."""
    if game.phase == Phase.FINISH:
        return still_to_act(game, seat)
    if game.phase >= Phase.DEVELOP or game.round_number < FIRST_CRAFT_ROUND:
        return False
    if game.visits[seat] > 0 or game.crafted[seat] > 0:
        return False
    return not game.token_taken or (seat != game.first_player and still_to_act(game, seat))


# ---- Features


@kernel
def worth(game: State, seat: int, made: int) -> float:
    """What crafting an object brings a seat: its points and the bonus of the artisan (ART-8)."""
    points, artisan = float(game.points[made]), game.artisan[seat]
    if artisan == Artisan.GOLD_LOVER and game.required[made, Material.GOLD] > 0:
        points += GOLD_LOVER_BONUS
    elif artisan == Artisan.SCULPTOR and (game.required[made, Material.WOOD] > 0 or game.required[made, Material.STONE] > 0):
        points += SCULPTOR_BONUS
    elif artisan == Artisan.COMPULSIVE_COLLECTOR:
        points += COLLECTOR_BONUS
    elif artisan == Artisan.VERSATILE:
        for material in range(MATERIAL_KINDS):
            if game.required[made, material] > 0 and game.uses[seat, material] == 0:
                points += VERSATILE_BONUS
    elif artisan == Artisan.PROVIDENT and game.reserved == made:
        points += points  # the penalty is saved too
    return points


@kernel
def add_hand(game: State, seat: int, features: Doubles) -> None:
    """What the cards in hand bring at the next level of their materials, the best first, and cards that bring nothing."""
    for material in range(MATERIAL_KINDS):
        fitting, level = most_developed(game, seat, material), game.level[seat, material]
        gain = float(fitting * (level + 1))
        if gain > 0 and level + 1 == LEVELS and game.artisan[seat] == Artisan.SPECIALIST:
            gain += SPECIALIST_BONUS
        features[Feature.SPARE] += game.hand[seat, material] - fitting
        if gain > features[Feature.BEST]:
            features[Feature.REST] += features[Feature.SECOND]
            features[Feature.SECOND] = features[Feature.BEST]
            features[Feature.BEST] = gain
        elif gain > features[Feature.SECOND]:
            features[Feature.REST] += features[Feature.SECOND]
            features[Feature.SECOND] = gain
        else:
            features[Feature.REST] += gain


@kernel
def add_levels(game: State, seat: int, features: Doubles) -> None:
    """How high the levels are, and what as many cards as lie at the top level would bring at each level above it."""
    for material in range(MATERIAL_KINDS):
        level = game.level[seat, material]
        features[Feature.LEVEL_SUM] += level
        features[Feature.MASTERY] += level >= LEVELS // 2
        if level > 0:
            cards = game.developed[seat, material, level - 1]
            for higher in range(level + 1, LEVELS + 1):
                features[Feature.HIGHER_LEVELS] += cards * higher


@kernel
def add_objects(game: State, seat: int, features: Doubles) -> None:
    """Open objects within reach: one to craft at once, others whose levels are reached, those a level or two short."""
    now = can_craft_now(game, seat)
    for number in range(SHOWN_OBJECTS):
        shown = shown_object(game, number)
        if shown == NOBODY or (number != NEXT and not can_reach(game, seat, number)):
            continue
        value, lacking = worth(game, seat, shown), game.lacking[seat, number]
        if lacking == 0 and now and number != NEXT and value > features[Feature.CRAFTED_NOW]:
            features[Feature.READY] += features[Feature.CRAFTED_NOW]
            features[Feature.CRAFTED_NOW] = value
        elif lacking == 0:
            features[Feature.READY] += value
        elif lacking == 1:
            features[Feature.ONE_SHORT] += value
        elif lacking == 2:
            features[Feature.TWO_SHORT] += value


@kernel
def write_features(game: State, seat: int, features: Doubles) -> None:
    """Write the features of a seat."""
    features[:] = 0
    features[Feature.CONSTANT] = 1
    add_hand(game, seat, features)
    add_levels(game, seat, features)
    add_objects(game, seat, features)


# ---- Values


@helper
def polynomial(coefficients: Doubles, x: float) -> float:
    """The value of a polynomial, by Horner's rule."""
    value = 0.0
    for power in range(POWERS - 1, -1, -1):
        value = value * x + coefficients[power]
    return value


@kernel
def estimate_score(game: State, seat: int, weights: Weights, features: Doubles) -> float:
    """The score that a seat will have at the end."""
    write_features(game, seat, features)
    left = developments_left(game, seat) / ROUNDS
    score = float(score_of(game, seat))
    for k in range(FEATURES):
        score += features[k] * polynomial(weights.features[k], left)
    if game.artisan[seat] != NOBODY:
        score += polynomial(weights.artisan[game.artisan[seat]], left)
    return score


@kernel
def evaluate(game: State, weights: Weights, values: Doubles, scratch: Scratch) -> None:
    """Each seat's chance to win, on the scale of returns."""
    players, left = int(game.num_players), 1 - game.round_number / ROUNDS
    for seat in range(players):
        values[seat] = estimate_score(game, seat, weights, scratch.features)
    scores_to_values(values, players, weights.spread[0] + left * weights.spread[1])


EVALUATION = Evaluation(evaluate, WEIGHTS, Scratch)
