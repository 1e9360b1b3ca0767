"""The score that each seat of Murano will have, and the value of a position that follows from the scores."""

import numpy as np

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import kernel
from cardtable_agents.evaluations.evaluation import Doubles, scores_to_values
from cardtable_agents.evaluations.murano.choices import owes_a_shard, plan_choice, plan_without_shard
from cardtable_agents.evaluations.murano.features import (
    at_stage,
    copy_seat,
    fewest_cards,
    set_prices,
    value_of_works,
    weigh_hand,
)
from cardtable_agents.evaluations.murano.plans import has_acted, plan
from cardtable_agents.evaluations.murano.scratch import Scratch
from cardtable_agents.evaluations.murano.weights import CARDS_SEEN, Feature, Weights
from murano_env.constants import LEAST_RANKED, RANK_STEPS, RANKS, RECIPE_SIZE, SOLO
from murano_env.rules.set_up import full_hand
from murano_env.scoring import penalty
from murano_env.types import State

LAST_SPREAD = 0.1
"""The lead that multiplies the odds by e when the game is nearly over: scores are known."""


@kernel
def estimate_score(game: State, seat: int, left: float, weights: Weights, scratch: Scratch) -> float:
    """The score that a seat will have at the end."""
    lira = float(game.lira[seat] - penalty(game, seat))
    if game.last_round and seat < game.turn:
        return lira
    copy_seat(game, seat, scratch)
    weigh_hand(game, seat, scratch)
    more = value_of_works(game, seat, scratch) - (at_stage(weights.turn, left) if has_acted(game, seat) else 0.0)
    scratch.best_plan.value = -np.inf
    if owes_a_shard(game, seat):
        plan_without_shard(game, seat, lira, scratch)
    elif seat == game.turn:
        plan_choice(game, seat, lira, scratch)
    else:
        plan(game, seat, lira, scratch)
    return scratch.best_plan.value + (0.0 if game.last_round else more)


# ---- Solo


@kernel
def shards_short(game: State, supply: float, features: Doubles) -> float:
    """How many of the shards that the works still lack will not come in the turns left of a solo game (MUR-10.2)."""
    unseen = RECIPE_SIZE * max(features[Feature.EVEN] - CARDS_SEEN, 0.0)
    lacking = features[Feature.SECOND_LACKS] + features[Feature.THIRD_LACKS] + unseen
    for number in range(RECIPE_SIZE + 1):
        lacking += number * features[Feature.FIRST_LACKS_NOTHING + number]
    turns = game.challenge_size + (0 if has_acted(game, game.turn) else 1)
    return max(lacking - supply * turns, 0.0)


@kernel
def value_of_ranks(lira: float) -> float:
    """What a solo game with all works made returns for a final score (MUR-10.4)."""
    ranks = 1.0
    for rank in range(RANKS - 1):
        ranks += 1 / (1 + np.exp((LEAST_RANKED + rank * RANK_STEPS - lira) / LAST_SPREAD))
    return ranks / RANKS


@kernel
def solo_value(game: State, lira: float, weights: Weights, features: Doubles) -> float:
    """The expected return of a solo game: until all works are made, less than the lowest rank."""
    if game.hand_size[0] == 0:
        return value_of_ranks(lira)
    lira -= weights.solo_shortage * shards_short(game, weights.solo_supply, features)
    hope = 1 / (1 + np.exp((weights.solo_goal - lira) / weights.solo_spread))
    return hope * (1 + 1 / RANKS) - 1


# ---- All seats


@kernel
def evaluate(game: State, weights: Weights, values: Doubles, scratch: Scratch) -> None:
    """Each seat's chance to win, on the scale of returns; in solo the expected return."""
    players = int(game.num_players)
    left = fewest_cards(game, NOBODY) / full_hand(game)
    set_prices(weights, left, scratch)
    for seat in range(players):
        values[seat] = estimate_score(game, seat, left, weights, scratch)
    if players == SOLO:
        values[0] = solo_value(game, values[0], weights, scratch.best_plan.features)
    else:
        scores_to_values(values, players, LAST_SPREAD if game.last_round else at_stage(weights.spread, left))
