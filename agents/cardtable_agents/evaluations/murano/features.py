"""What a Workbench, the cards in hand and the works of a seat of Murano are worth."""

from cardtable.engine.jit import helper, kernel
from cardtable_agents.evaluations.evaluation import Doubles, Longs
from cardtable_agents.evaluations.murano.scratch import Scratch
from cardtable_agents.evaluations.murano.weights import CARDS_SEEN, COMFORT, FEATURES, Feature, Weights
from murano_env.constants import (
    ADVANTAGE_KINDS,
    BENCH_LIMIT,
    CATEGORIES,
    COLOURS,
    MARKET_PLACES,
    SECOND_WORK_PAYS,
    SHARD_KINDS,
    Shard,
)
from murano_env.rules.piles import number_of_categories
from murano_env.rules.set_up import full_hand
from murano_env.types import State

# ---- A stage of the game


@kernel
def fewest_cards(game: State, but: int) -> int:
    """The cards of the shortest hand, that of one seat not counted."""
    fewest = int(full_hand(game))
    for seat in range(game.num_players):
        if seat != but:
            fewest = min(fewest, int(game.hand_size[seat]))
    return fewest


@helper
def at_stage(weight: Doubles, left: float) -> float:
    """A weight when such a share of cards is left in the shortest hand."""
    return weight[0] + left * weight[1]


@kernel
def set_prices(weights: Weights, left: float, scratch: Scratch) -> None:
    """Compute all weights once for a position."""
    for k in range(FEATURES):
        scratch.prices[k] = at_stage(weights.features[k], left)
    for advantage in range(ADVANTAGE_KINDS):
        scratch.advantage_prices[advantage] = at_stage(weights.advantages[advantage], left)
    scratch.trust = weights.trust


# ---- A seat


@kernel
def copy_seat(game: State, seat: int, scratch: Scratch) -> None:
    """Copy the hand and the Workbench of a seat, with the shards of a take that is not complete."""
    for place in range(game.hand_size[seat]):
        scratch.cards[place] = game.hand[seat, place]
    scratch.shortest_other = fewest_cards(game, seat)
    bench = scratch.bench.now
    for kind in range(SHARD_KINDS):
        bench[kind] = game.bench[seat, kind]
    if seat == game.turn:
        bench[Shard.TRANSPARENT] += game.missing
        for kind in range(SHARD_KINDS):
            most = 1 if kind == Shard.TRANSPARENT else MARKET_PLACES
            bench[kind] += min(game.offered[kind], game.warehouse[kind], most)


# ---- Works


@helper
def share_of_category(game: State, card: int, category: int) -> float:
    """The chance that a work is set aside for the Advantage of a category: it has one or two of them."""
    return game.category[card, category] / number_of_categories(game, card)


@kernel
def value_of_works(game: State, seat: int, scratch: Scratch) -> float:
    """Lira for the works of a seat that can still be set aside for an Advantage."""
    for advantage in range(ADVANTAGE_KINDS):
        scratch.usable[advantage] = 0
    for place in range(game.works_size[seat]):
        work = game.works[seat, place]
        if not game.set_aside[work]:
            for category in range(CATEGORIES):
                scratch.usable[game.advantage[category]] += share_of_category(game, work, category)
    value = 0.0
    for advantage in range(ADVANTAGE_KINDS):
        value += scratch.usable[advantage] * scratch.advantage_prices[advantage]
    return value


@kernel
def weigh_hand(game: State, seat: int, scratch: Scratch) -> None:
    """Write what each card of a hand can be set aside for, in Lira, once it is a work."""
    for place in range(game.hand_size[seat]):
        card = game.hand[seat, place]
        scratch.worth[place] = 0
        for category in range(CATEGORIES):
            price = scratch.advantage_prices[game.advantage[category]]
            scratch.worth[place] += share_of_category(game, card, category) * price


@helper
def bonus_of_work(game: State, place: int, made: int, worth: Doubles) -> float:
    """What a work brings besides its pay: more if it is the second of a turn (MUR-6.3), and an Advantage to be used."""
    return (SECOND_WORK_PAYS if made == 2 else 0) + (0.0 if game.last_round else worth[place])


@kernel
def pay_for_work(game: State, card: int, bench: Doubles) -> float:
    """Make a card from a Workbench, with as few transparent shards as it takes; the Lira it earns, -1 if it lacks shards."""
    clear = 0.0
    for colour in range(COLOURS):
        clear += max(game.recipe[card, colour] - bench[colour], 0.0)
    if clear > bench[Shard.TRANSPARENT]:
        return -1.0
    bench[Shard.TRANSPARENT] -= clear
    earned = BENCH_LIMIT - bench[Shard.TRANSPARENT]
    for colour in range(COLOURS):
        bench[colour] = max(bench[colour] - game.recipe[card, colour], 0.0)
        earned -= bench[colour]
    return max(earned - (clear if game.grandmaster else 0.0), 0.0)


# ---- A Workbench


@kernel
def take_needed(game: State, card: int, spare: Doubles) -> float:
    """Take what a card needs from the spare shards, transparent ones last; return how many it lacks."""
    lacking = 0.0
    for colour in range(COLOURS):
        fitting = min(spare[colour], float(game.recipe[card, colour]))
        spare[colour] -= fitting
        lacking += game.recipe[card, colour] - fitting
    clear = min(lacking, spare[Shard.TRANSPARENT])
    spare[Shard.TRANSPARENT] -= clear
    return lacking - clear


@helper
def add_cards(game: State, cards: Longs, left: int, spare: Doubles, features: Doubles) -> None:
    """The features of the next cards of the hand, which take what they need from the spare shards."""
    for number in range(min(left, CARDS_SEEN)):
        lacking = take_needed(game, cards[number], spare)
        if number == 0:
            features[Feature.FIRST_LACKS_NOTHING + int(lacking)] = 1
        else:
            features[Feature.SECOND_LACKS + number - 1] = lacking


@helper
def add_shards(shards: float, spare: Doubles, features: Doubles) -> None:
    """The features of so many shards and of those among them that are spare."""
    over, junk = max(shards - BENCH_LIMIT, 0.0), 0.0  # over eight, what fits nowhere will go first (MUR-4.3)
    for colour in range(COLOURS):
        junk += spare[colour]
    features[Feature.JUNK] = max(junk - over, 0.0)
    features[Feature.SECOND_LACKS] += max(over - junk, 0.0)
    features[Feature.CLEAR] = spare[Shard.TRANSPARENT]
    features[Feature.SHARDS] = shards - over


@kernel
def weigh_bench(game: State, seat: int, place: int, lira: float, bench: Doubles, scratch: Scratch) -> float:
    """What a seat with so much Lira, this Workbench and the cards from a place on will have; its features stay in `scratch`."""
    features, prices, spare = scratch.features, scratch.prices, scratch.bench.spare
    left, shards = int(game.hand_size[seat]) - place, 0.0
    for k in range(FEATURES):
        features[k] = 0
    for kind in range(SHARD_KINDS):
        spare[kind] = bench[kind]
        shards += bench[kind]
    add_cards(game, scratch.cards[place:], left, spare, features)
    add_shards(shards, spare, features)
    features[Feature.POOR] = max(COMFORT - lira, 0.0)
    features[Feature.EVEN] = min(float(left), scratch.shortest_other)
    features[Feature.BEHIND] = max(left - scratch.shortest_other, 0.0)
    value = lira
    for k in range(FEATURES):
        value += features[k] * prices[k]
    return value
