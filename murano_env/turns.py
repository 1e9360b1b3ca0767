"""The course of Murano as kernels: shards, cards, ring, set-up, turns (MUR-1 to 3, 9.1, 10 to 12). Clauses are in RULES.md."""

from typing import Any

import numpy as np

from cardtable.engine import rng
from cardtable.engine.jit import helper, kernel
from cardtable.game.record import NOBODY
from murano_env.components import CHALLENGE_COPIES, COPIES
from murano_env.constants import (
    BASE_ADVANTAGES,
    BENCH_LIMIT,
    CATEGORIES,
    CHALLENGE_KINDS,
    CHALLENGE_STACK,
    COLOURS,
    CREATION_KINDS,
    FIRST_GAME_CARDS,
    FIRST_LIRA,
    INTERACTIVE_ADVANTAGES,
    LONG_HAND_PLAYERS,
    MARKET_PLACES,
    MARKETS,
    NOTCHES,
    NOTCHES_PER_MARKET,
    SHARD_KINDS,
    SHORT_HAND,
    SIX_O_CLOCK,
    SOLO,
    TILES,
    TWELVE_O_CLOCK,
    Advantage,
    AdvantageMode,
    Challenge,
    Phase,
)

# ---- Shards


@helper
def take_shard(game: Any, seat: int, kind: int) -> None:
    """A shard goes from the Warehouse to a Workbench."""
    game.warehouse[kind] -= 1
    game.bench[seat, kind] += 1
    game.bench_size[seat] += 1


@helper
def return_shard(game: Any, seat: int, kind: int) -> None:
    """A shard goes from a Workbench to the Warehouse."""
    game.bench[seat, kind] -= 1
    game.bench_size[seat] -= 1
    game.warehouse[kind] += 1


@helper
def hand_over_shard(game: Any, giver: int, taker: int, kind: int) -> None:
    """A shard goes from a Workbench to another one."""
    game.bench[giver, kind] -= 1
    game.bench_size[giver] -= 1
    game.bench[taker, kind] += 1
    game.bench_size[taker] += 1


@helper
def put_on_market(game: Any, market: int, kind: int) -> None:
    """A shard comes to a place of a market."""
    game.market[market, kind] += 1
    game.market_size[market] += 1


@helper
def take_from_market(game: Any, market: int, kind: int) -> None:
    """A shard leaves a market."""
    game.market[market, kind] -= 1
    game.market_size[market] -= 1


@helper
def has_free_place(game: Any, market: int) -> bool:
    """Whether a shard can be put on a market (MUR-1.5)."""
    return game.market_size[market] < MARKET_PLACES


@kernel
def settle(game: Any, seat: int) -> None:
    """A take of this seat is complete: over eight shards it returns some, then the turn goes on (MUR-4.3)."""
    if game.bench_size[seat] > BENCH_LIMIT:
        game.phase = Phase.RETURN
        game.seat = seat
    else:
        resume(game)


@helper
def resume(game: Any) -> None:
    """A choice is over: the turn goes on, or the next one begins after a Challenge card (MUR-3.4, 10.1)."""
    if game.turn_over:
        next_turn(game)
    else:
        game.phase = Phase.TURN
        game.seat = game.turn


# ---- The Ring and the Selector


@helper
def ring_shard(game: Any, notch: int) -> int:
    """The shard of the ring segment that a notch faces (MUR-1.6)."""
    segment = notch + game.ring_offset
    return game.ring[segment if segment < NOTCHES else segment - NOTCHES]


@helper
def turn_ring(game: Any, steps: int) -> None:
    """Turn the Ring counter-clockwise by fewer than twelve steps (MUR-1.6)."""
    game.ring_offset += steps
    if game.ring_offset >= NOTCHES:
        game.ring_offset -= NOTCHES


@kernel
def turn_selector(game: Any) -> None:
    """Turn the Selector one notch clockwise, from gap 11 to notch 0; Lira on the gap passed is due (MUR-4.1, 11.3, 11.4)."""
    gap = game.selector
    game.selector = gap + 1 if gap + 1 < NOTCHES else 0
    if gap != NOBODY and game.gap_lira[gap] > 0:
        pass_gap(game, gap)


@kernel
def pass_gap(game: Any, gap: int) -> None:
    """One Lira goes to whoever has made most works, on a tie to the supply; the last one ends the game (MUR-11.4, 11.7)."""
    game.gap_lira[gap] -= 1
    leader = sole_leader(game)
    if leader != NOBODY:
        game.lira[leader] += 1
    if game.gap_lira[SIX_O_CLOCK] + game.gap_lira[TWELVE_O_CLOCK] == 0:
        game.last_round = 1


@kernel
def sole_leader(game: Any) -> int:
    """The seat with more completed works than any other, or NOBODY (MUR-11.4)."""
    leader, most = NOBODY, -1
    for seat in range(game.num_players):
        made = int(game.works_size[seat])
        if made > most:
            leader, most = seat, made
        elif made == most:
            leader = NOBODY
    return leader


# ---- Cards


@kernel
def remove_card(cards: np.ndarray, place: int, size: int) -> int:
    """Take the card at a place out of a list of so many; those behind it move up."""
    card = cards[place]
    for later in range(place, size - 1):
        cards[later] = cards[later + 1]
    cards[size - 1] = 0
    return card


@helper
def draw_creation(game: Any) -> int:
    """Take the top card of the Creations."""
    game.deck_size -= 1
    card = game.deck[game.deck_size]
    game.deck[game.deck_size] = 0
    return card


@helper
def add_to_hand(game: Any, seat: int, card: int) -> None:
    """A card comes to the last position of a hand."""
    game.hand[seat, game.hand_size[seat]] = card
    game.hand_size[seat] += 1


@kernel
def count_work(game: Any, seat: int, card: int, change: int) -> None:
    """A completed work can be used from now on, or no longer (MUR-7.3)."""
    for first in range(CATEGORIES):
        if game.category[card, first]:
            for second in range(CATEGORIES):
                if is_kind(game, card, first, second):
                    game.ready[seat, first, second] += change


@helper
def is_kind(game: Any, card: int, first: int, second: int) -> bool:
    """Whether a Creation has these two categories, or, if they are the same, this one alone."""
    if first == second:
        return game.category[card, first] == 1 and number_of_categories(game, card) == 1
    return game.category[card, first] == 1 and game.category[card, second] == 1


@helper
def number_of_categories(game: Any, card: int) -> int:
    """One or two (MUR-1.2)."""
    number = 0
    for category in range(CATEGORIES):
        number += game.category[card, category]
    return number


# ---- 2 Set-up


@kernel
def shuffle_decks(game: Any) -> None:
    """Creations, first shards, Advantages, Challenge cards, positions of Selector and Ring (MUR-2.1 to 2.5, 10.1)."""
    for card in range(CREATION_KINDS):
        game.deck[card] = card
    game.deck_size = CREATION_KINDS
    rng.shuffle(game, game.deck, CREATION_KINDS)
    for colour in range(COLOURS):
        game.first_shards[colour] = colour
    game.first_shards_size = COLOURS
    rng.shuffle(game, game.first_shards, COLOURS)
    game.ring_offset = rng.draw(game, NOTCHES)
    game.selector = NOBODY if game.grandmaster else rng.draw(game, NOTCHES)
    if game.advantage_mode == AdvantageMode.RANDOM:
        draw_advantages(game)
    elif game.advantage_mode == AdvantageMode.FIRST_GAME:
        for tile in range(TILES):
            game.advantage[tile] = tile
        rng.shuffle(game, game.advantage, FIRST_GAME_CARDS)
    if game.num_players == SOLO:
        shuffle_challenge(game)


@kernel
def draw_advantages(game: Any) -> None:
    """Four different cards, one of them interactive if that is played (MUR-2.5, 9.2)."""
    interactive_tile = rng.draw(game, TILES) if game.interactive else NOBODY
    for tile in range(TILES):
        if tile == interactive_tile:
            game.advantage[tile] = BASE_ADVANTAGES + rng.draw(game, INTERACTIVE_ADVANTAGES)
        else:
            game.advantage[tile] = rng.draw(game, BASE_ADVANTAGES)
            while is_out(game, game.advantage[tile]) or is_drawn(game, game.advantage[tile], tile):
                game.advantage[tile] = rng.draw(game, BASE_ADVANTAGES)


@helper
def is_out(game: Any, card: int) -> bool:
    """Whether an option takes an Advantage out of the draw (MUR-2.5, 11.1)."""
    if card == Advantage.PRESENT or card == Advantage.GIFT:
        return game.expert_deck == 1
    return game.grandmaster == 1 and card == Advantage.PROVIDENT


@helper
def is_drawn(game: Any, card: int, tiles: int) -> bool:
    """Whether an Advantage lies under one of the first tiles."""
    for tile in range(tiles):
        if game.advantage[tile] == card:
            return True
    return False


@kernel
def shuffle_challenge(game: Any) -> None:
    """Six of the ten Challenge cards make up the stack (MUR-10.1)."""
    size = 0
    for kind in range(CHALLENGE_KINDS):
        for _ in range(CHALLENGE_COPIES[kind]):
            game.left_out[size] = kind
            size += 1
    rng.shuffle(game, game.left_out, size)
    for place in range(CHALLENGE_STACK):
        size -= 1
        game.challenge[place] = game.left_out[size]
        game.left_out[size] = 0
    game.challenge_size = CHALLENGE_STACK
    game.left_out_size = size


@helper
def full_hand(game: Any) -> int:
    """Cards of a full hand (MUR-2.2, 11.1)."""
    return SHORT_HAND + (game.num_players <= LONG_HAND_PLAYERS) + game.grandmaster


@kernel
def set_up(game: Any) -> None:
    """Shards, Lira and cards are dealt; then comes the draft or the first turn (MUR-2, 9.1, 11.2, 11.6)."""
    for kind in range(SHARD_KINDS):
        game.warehouse[kind] = COPIES[kind]
    for market in range(MARKETS):
        game.first_shards_size -= 1
        colour = game.first_shards[game.first_shards_size]
        game.first_shards[game.first_shards_size] = 0
        game.warehouse[colour] -= 1
        put_on_market(game, market, colour)
    game.owl = NOBODY
    if game.grandmaster:
        game.owl = game.num_players - 1
        game.gap_lira[SIX_O_CLOCK] = 1 + (game.num_players > 2)
        game.gap_lira[TWELVE_O_CLOCK] = 1 + (game.num_players > 3)
    for seat in range(game.num_players):
        game.lira[seat] = FIRST_LIRA
        deal_creations(game, seat)
    game.chosen_market = NOBODY
    game.chosen_shard = NOBODY
    game.round_number = 1
    begin_turn(game, 0)
    if game.draft:
        game.phase = Phase.DRAFT


@kernel
def deal_creations(game: Any, seat: int) -> None:
    """The next cards of the deck: a hand, or a pack of one card more (MUR-2.2, 9.1)."""
    for place in range(full_hand(game) + game.draft):
        card = draw_creation(game)
        if game.draft:
            game.pack[seat, place] = card
            game.pack_size[seat] = place + 1
        else:
            add_to_hand(game, seat, card)


# ---- 3 Turns


@helper
def left_of(game: Any, seat: int) -> int:
    """The next seat (MUR-1.8)."""
    return seat + 1 if seat + 1 < game.num_players else 0


@helper
def right_of(game: Any, seat: int) -> int:
    """The seat before (MUR-1.8)."""
    return seat - 1 if seat > 0 else game.num_players - 1


@helper
def neighbour_of(game: Any, seat: int, steps: int) -> int:
    """The seat so many places to the left (MUR-1.8)."""
    other = seat + steps
    return other if other < game.num_players else other - game.num_players


@kernel
def begin_turn(game: Any, seat: int) -> None:
    """A seat's turn begins; nothing has been done in it (MUR-3.1)."""
    game.phase = Phase.TURN
    game.turn = seat
    game.seat = seat
    game.selector_set = 0
    game.takes = 0
    game.repetition = 0
    game.collect_closed = 0
    game.negotiations = 0
    game.privilege = 0
    game.passed = 0
    game.follow_up = NOBODY
    game.works_made = 0
    game.quotation = 0
    game.turn_over = 0


@kernel
def next_turn(game: Any) -> None:
    """The next player's turn; after the last player's the round is over, perhaps the game (MUR-11.7, 12.1, 12.3)."""
    if game.turn + 1 < game.num_players:
        begin_turn(game, game.turn + 1)
    elif game.last_round or is_cut_off(game):
        game.phase = Phase.OVER
    else:
        game.round_number += 1
        begin_turn(game, 0)


@helper
def is_cut_off(game: Any) -> bool:
    """Whether the round that ends now is the last one allowed (MUR-12.3)."""
    return game.num_players > SOLO and not game.grandmaster and game.round_number >= game.max_rounds


# ---- 10 The Challenge


@kernel
def end_solo_turn(game: Any) -> None:
    """The game is over when all works are made or no card is left; otherwise one is revealed (MUR-10.1, 10.2)."""
    if game.last_round or game.challenge_size == 0:
        game.phase = Phase.OVER
        return
    game.turn_over = 1
    game.challenge_size -= 1
    card = game.challenge[game.challenge_size]
    game.challenge[game.challenge_size] = 0
    game.revealed[game.revealed_size] = card
    game.revealed_size += 1
    meet_challenge(game, card)


@kernel
def meet_challenge(game: Any, card: int) -> None:
    """Apply a Challenge card; the next turn follows (MUR-10.1)."""
    if card < COLOURS:
        if game.warehouse[card] > 0:
            take_shard(game, game.turn, card)
        settle(game, game.turn)
    elif card == Challenge.MARKET:
        meet_market_challenge(game)
    else:
        if card == Challenge.RING:
            turn_ring(game, 1)
        elif card == Challenge.SELECTOR:
            turn_selector(game)
        resume(game)


@kernel
def meet_market_challenge(game: Any) -> None:
    """The fullest market is emptied; on a tie the player chooses; nothing if all are empty (MUR-10.1)."""
    fullest, tied = 0, False
    for market in range(1, MARKETS):
        if game.market_size[market] > game.market_size[fullest]:
            fullest, tied = market, False
        elif game.market_size[market] == game.market_size[fullest]:
            tied = True
    if game.market_size[fullest] == 0:
        resume(game)
    elif tied:
        game.phase = Phase.CHALLENGE
    else:
        empty_market(game, fullest)


@kernel
def empty_market(game: Any, market: int) -> None:
    """All shards of a market go back to the Warehouse (MUR-10.1)."""
    for kind in range(SHARD_KINDS):
        game.warehouse[kind] += game.market[market, kind]
        game.market[market, kind] = 0
    game.market_size[market] = 0
    resume(game)


@helper
def is_fullest(game: Any, market: int) -> bool:
    """Whether no market holds more shards (MUR-10.1)."""
    for other in range(MARKETS):
        if game.market_size[other] > game.market_size[market]:
            return False
    return True


@helper
def first_notch(market: int) -> int:
    """The first of the three notches that a market faces (MUR-1.5)."""
    return market * NOTCHES_PER_MARKET
