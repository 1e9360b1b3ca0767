"""What a position of Artisans is worth.

For each seat the points still to come are estimated: what the hand adds at the next levels, the room that cards already
developed leave for more of them, objects within reach with the bonus that the artisan gives for them. Every part counts
more or less as more or fewer rounds are left. Scores as they stand plus these points, compared among the seats, make
chances to win.
"""

from typing import Any

import numpy as np

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
from cardtable.engine.jit import helper, kernel
from cardtable.game.record import NOBODY
from cardtable_agents.evaluations.evaluation import Evaluation

CONSTANT, BEST, SECOND, REST, ROOM_LEFT, SPARE, OPEN_NOW, READY, ONE_SHORT, TWO_SHORT, LEVEL_SUM, MASTERY, ARTISAN = range(13)
FEATURES = ARTISAN + ARTISAN_KINDS
SPREAD = FEATURES
"""The row of the weights that says how many points of score change the odds by e: at the end, and more with rounds left."""
POWERS = 3
"""Each weight is a polynomial of the share of rounds left, with so many coefficients."""

WEIGHTS: np.ndarray = np.array(
    [  # with x the share of rounds left: constant, times x, times x squared
        (0.70, 6.67, 10.79),  # CONSTANT: points that come to anybody
        (0.07, 1.33, -0.90),  # BEST: points of the best development from the hand
        (0.06, 1.16, -0.97),  # SECOND: of the second best
        (-0.04, 0.31, -0.08),  # REST: of all others
        (0.00, 0.07, -0.06),  # ROOM_LEFT: points that as many cards as lie on top would bring at all higher levels
        (-0.05, 0.32, -0.41),  # SPARE: cards in hand that fit no next level
        (0.43, 0.49, -0.21),  # OPEN_NOW: worth of the best object that can be crafted at once
        (0.21, 1.23, -1.32),  # READY: worth of other objects whose levels are reached
        (-0.01, 0.63, -0.38),  # ONE_SHORT: worth of objects one level short
        (0.00, 0.07, 0.08),  # TWO_SHORT: worth of objects two levels short
        (0.01, -0.08, 1.20),  # LEVEL_SUM: sum of all levels
        (-0.01, 1.51, -1.81),  # MASTERY: materials at half the levels or more
        (-0.93, -1.81, 2.21),  # gold_lover
        (-0.84, -1.68, 2.43),  # sculptor
        (-0.95, -0.88, 2.74),  # versatile
        (-1.00, 0.47, 0.67),  # specialist
        (-1.05, -1.23, 1.38),  # night_worker
        (-1.08, 2.33, 0.98),  # perfectionist
        (-1.02, -1.42, 2.49),  # compulsive_collector
        (-0.91, -1.19, 1.40),  # opportunist
        (-1.13, -0.21, 0.36),  # provident
        (2.00, 4.00, 0.00),  # SPREAD: points of estimated score that change the odds by e
    ]
)
"""Points still to come for each unit of a feature. Fitted (least squares on scores at the end) to random games of two to four
players; a fit to games of the heuristic itself was no stronger."""


# ---- What a seat can still do


@helper
def places_after(game: Any, seat: int, other: int) -> int:
    """How many places clockwise a seat sits after another."""
    return (seat - other) % game.num_players


@helper
def still_to_act(game: Any, seat: int) -> bool:
    """Whether a seat's turn is now or still to come in a phase that goes clockwise from the first player."""
    return places_after(game, seat, game.first_player) >= places_after(game, game.seat, game.first_player)


@kernel
def developments_left(game: Any, seat: int) -> int:
    """How many times a seat may still develop a material (ART-5.1)."""
    if game.phase >= Phase.FINISH:
        return 0
    return ROUNDS - game.round_number + (game.phase != Phase.DEVELOP or still_to_act(game, seat))


@kernel
def can_craft_now(game: Any, seat: int) -> bool:
    """Whether a seat may still craft in this round, or after the last (ART-4.6, 4.7, 6.1)."""
    if game.phase == Phase.FINISH:
        return still_to_act(game, seat)
    if game.phase >= Phase.DEVELOP or game.round_number < FIRST_CRAFT_ROUND:
        return False
    if game.visits[seat] > 0 or game.crafted[seat] > 0:
        return False
    return not game.token_taken or (seat != game.first_player and still_to_act(game, seat))


# ---- What that is worth


@kernel
def worth(game: Any, seat: int, made: int) -> float:
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
def look_at_hand(game: Any, seat: int, out: np.ndarray) -> None:
    """What the cards in hand bring at the next level of their materials, the best first, and cards that bring nothing."""
    for material in range(MATERIAL_KINDS):
        fitting, level = most_developed(game, seat, material), game.level[seat, material]
        gain = float(fitting * (level + 1))
        if gain > 0 and level + 1 == LEVELS and game.artisan[seat] == Artisan.SPECIALIST:
            gain += SPECIALIST_BONUS
        out[SPARE] += game.hand[seat, material] - fitting
        if gain > out[BEST]:
            out[REST] += out[SECOND]
            out[SECOND] = out[BEST]
            out[BEST] = gain
        elif gain > out[SECOND]:
            out[REST] += out[SECOND]
            out[SECOND] = gain
        else:
            out[REST] += gain


@kernel
def look_at_levels(game: Any, seat: int, out: np.ndarray) -> None:
    """How high the levels are, and what as many cards as lie at the top level would bring at each level above it."""
    for material in range(MATERIAL_KINDS):
        level = game.level[seat, material]
        out[LEVEL_SUM] += level
        out[MASTERY] += level >= LEVELS // 2
        if level > 0:
            cards = game.developed[seat, material, level - 1]
            for higher in range(level + 1, LEVELS + 1):
                out[ROOM_LEFT] += cards * higher


@kernel
def look_at_objects(game: Any, seat: int, out: np.ndarray) -> None:
    """Open objects within reach: one to craft at once, others whose levels are reached, those a level or two short."""
    now = can_craft_now(game, seat)
    for number in range(SHOWN_OBJECTS):
        shown = shown_object(game, number)
        if shown == NOBODY or (number != NEXT and not can_reach(game, seat, number)):
            continue
        value, lacking = worth(game, seat, shown), game.lacking[seat, number]
        if lacking == 0 and now and number != NEXT and value > out[OPEN_NOW]:
            out[READY] += out[OPEN_NOW]
            out[OPEN_NOW] = value
        elif lacking == 0:
            out[READY] += value
        elif lacking == 1:
            out[ONE_SHORT] += value
        elif lacking == 1 + 1:
            out[TWO_SHORT] += value


@kernel
def look(game: Any, seat: int, out: np.ndarray) -> None:
    """The features of a seat."""
    out[:FEATURES] = 0
    out[CONSTANT] = 1
    look_at_hand(game, seat, out)
    look_at_levels(game, seat, out)
    look_at_objects(game, seat, out)
    if game.artisan[seat] != NOBODY:
        out[ARTISAN + game.artisan[seat]] = 1


@kernel
def estimate(game: Any, seat: int, weights: np.ndarray, features: np.ndarray) -> float:
    """The score that a seat will have at the end."""
    look(game, seat, features)
    left = developments_left(game, seat) / ROUNDS
    points = float(score_of(game, seat))
    for k in range(FEATURES):
        weight = 0.0
        for power in range(POWERS - 1, -1, -1):
            weight = weight * left + weights[k, power]
        points += features[k] * weight
    return points


@kernel
def evaluate(game: Any, weights: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
    """Each seat's chance to win, on the scale of returns: what a seat wins, the others lose."""
    players, left = game.num_players, 1 - game.round_number / ROUNDS
    spread, best, total = weights[SPREAD, 0] + left * weights[SPREAD, 1], -np.inf, 0.0
    for seat in range(players):
        out[seat] = estimate(game, seat, weights, room)
        best = max(best, out[seat])
    for seat in range(players):
        out[seat] = np.exp((out[seat] - best) / spread)
        total += out[seat]
    for seat in range(players):
        out[seat] = (players * out[seat] / total - 1) / (players - 1)


EVALUATION = Evaluation(evaluate, WEIGHTS)
