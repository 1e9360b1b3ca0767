"""What many chapters do with shards, markets, the Ring, the Selector, cards and works (MUR-1)."""

from cardtable.engine.jit import helper, kernel
from cardtable.types import Integers
from murano_env.constants import BENCH_LIMIT, CATEGORIES, MARKET_PLACES, MARKETS, NOTCHES, NOTCHES_PER_MARKET, SHARD_KINDS
from murano_env.types import State

# ---- Shards


@helper
def take_shard(game: State, seat: int, kind: int) -> None:
    """A shard goes from the Warehouse to a Workbench."""
    game.warehouse[kind] -= 1
    game.bench[seat, kind] += 1
    game.bench_size[seat] += 1


@helper
def return_shard(game: State, seat: int, kind: int) -> None:
    """A shard goes from a Workbench to the Warehouse."""
    game.bench[seat, kind] -= 1
    game.bench_size[seat] -= 1
    game.warehouse[kind] += 1


@helper
def hand_over_shard(game: State, giver: int, taker: int, kind: int) -> None:
    """A shard goes from a Workbench to another one."""
    game.bench[giver, kind] -= 1
    game.bench_size[giver] -= 1
    game.bench[taker, kind] += 1
    game.bench_size[taker] += 1


@helper
def is_too_full(game: State, seat: int) -> bool:
    """Whether a Workbench holds more shards than it has room for (MUR-1.1)."""
    return game.bench_size[seat] > BENCH_LIMIT


# ---- Markets


@helper
def put_on_market(game: State, market: int, kind: int) -> None:
    """A shard comes to a place of a market."""
    game.market[market, kind] += 1
    game.market_size[market] += 1


@helper
def take_from_market(game: State, market: int, kind: int) -> None:
    """A shard leaves a market."""
    game.market[market, kind] -= 1
    game.market_size[market] -= 1


@helper
def has_free_place(game: State, market: int) -> bool:
    """Whether a shard can be put on a market (MUR-1.5)."""
    return game.market_size[market] < MARKET_PLACES


@helper
def some_market_has_a_shard(game: State) -> bool:
    """Whether a shard lies on any market."""
    for market in range(MARKETS):
        if game.market_size[market] > 0:
            return True
    return False


@helper
def some_market_has_a_place(game: State) -> bool:
    """Whether a shard can be put on any market (MUR-1.5)."""
    for market in range(MARKETS):
        if has_free_place(game, market):
            return True
    return False


@kernel
def clear_market(game: State, market: int) -> None:
    """All shards of a market go to the Warehouse."""
    for kind in range(SHARD_KINDS):
        game.warehouse[kind] += game.market[market, kind]
        game.market[market, kind] = 0
    game.market_size[market] = 0


# ---- The Ring and the Selector


@helper
def first_notch(market: int) -> int:
    """The first of the three notches that a market faces (MUR-1.5)."""
    return market * NOTCHES_PER_MARKET


@helper
def ring_shard(game: State, notch: int) -> int:
    """The shard of the ring segment that a notch faces (MUR-1.6)."""
    segment = notch + game.ring_offset
    return game.ring[segment if segment < NOTCHES else segment - NOTCHES]


@helper
def turn_ring(game: State, steps: int) -> None:
    """Turn the Ring counter-clockwise by fewer than twelve steps (MUR-1.6)."""
    game.ring_offset += steps
    if game.ring_offset >= NOTCHES:
        game.ring_offset -= NOTCHES


@helper
def turn_selector(game: State) -> None:
    """Turn the Selector one notch clockwise; from NOBODY, which is gap 11, to notch 0 (MUR-1.4)."""
    game.selector = game.selector + 1 if game.selector + 1 < NOTCHES else 0


# ---- Cards and works


@kernel
def remove_card(cards: Integers, place: int, size: int) -> int:
    """Take the card at a place out of a list of so many; those behind it move up."""
    card = cards[place]
    for later in range(place, size - 1):
        cards[later] = cards[later + 1]
    cards[size - 1] = 0
    return card


@helper
def pop_deck(game: State) -> int:
    """Take the top card of the Creations."""
    game.deck_size -= 1
    card = game.deck[game.deck_size]
    game.deck[game.deck_size] = 0
    return card


@helper
def add_to_hand(game: State, seat: int, card: int) -> None:
    """A card comes to the last position of a hand."""
    game.hand[seat, game.hand_size[seat]] = card
    game.hand_size[seat] += 1


@helper
def number_of_categories(game: State, card: int) -> int:
    """One or two (MUR-1.2)."""
    number = 0
    for category in range(CATEGORIES):
        number += game.category[card, category]
    return number


@helper
def is_kind(game: State, card: int, first: int, second: int) -> bool:
    """Whether a Creation has these two categories, or, if they are the same, this one alone."""
    if first == second:
        return game.category[card, first] == 1 and number_of_categories(game, card) == 1
    return game.category[card, first] == 1 and game.category[card, second] == 1


@kernel
def count_work(game: State, seat: int, card: int, change: int) -> None:
    """A completed work can be used from now on (1), or no longer (-1): `ready` follows from the works not set aside."""
    for first in range(CATEGORIES):
        if game.category[card, first]:
            for second in range(CATEGORIES):
                if is_kind(game, card, first, second):
                    game.ready[seat, first, second] += change
