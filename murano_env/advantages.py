"""The Advantage cards of Murano as kernels, card by card (MUR-7.3, 7.4, 8, 9). Clauses are in RULES.md."""

from typing import Any

import numpy as np

from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer, offer_run
from cardtable.game.record import NOBODY
from murano_env.actions import AT
from murano_env.constants import (
    CATEGORIES,
    COLOURS,
    FAVOURITISM_PAYS,
    MARKETS,
    NOTCHES,
    QUOTATION_PAYS,
    SHARD_KINDS,
    TILES,
    Advantage,
    FollowUp,
    Phase,
    Shard,
)
from murano_env.turns import (
    count_work,
    hand_over_shard,
    has_free_place,
    is_kind,
    left_of,
    neighbour_of,
    put_on_market,
    resume,
    return_shard,
    settle,
    take_from_market,
    take_shard,
    turn_ring,
)

# ---- 3.2 Which steps of the turn are open


@helper
def is_negotiate_open(game: Any) -> bool:
    """From the first take until a pass or the first work (MUR-3.2)."""
    return game.takes > 0 and not game.passed and game.works_made == 0


@helper
def may_negotiate(game: Any) -> bool:
    """Whether a Negotiate action is left: one, or two under card 10 (MUR-5, 8.10)."""
    return is_negotiate_open(game) and game.negotiations < 1 + game.privilege


# ---- 7.3 Use an Advantage


@kernel
def offer_advantages(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer each card that can be used now, with every kind of work that names its tile (MUR-7.3)."""
    seat = game.seat
    for tile in range(TILES):
        works = 0
        for other in range(CATEGORIES):
            works += game.ready[seat, tile, other]
        if works > 0 and can_use(game, seat, game.advantage[tile]):
            for other in range(CATEGORIES):
                count = offer(AT.use.start + tile * CATEGORIES + other, game.ready[seat, tile, other] > 0, actions, count)
    return count


@kernel
def can_use(game: Any, seat: int, card: int) -> bool:
    """Whether a card is open, its cost at hand, and each step it demands has a legal choice (MUR-7.4)."""
    if card == Advantage.PRESENT:
        return game.warehouse[Shard.RED] > 0 or game.warehouse[Shard.GREEN] > 0
    if card == Advantage.GIFT:
        return game.warehouse[Shard.YELLOW] > 0 or game.warehouse[Shard.BLUE] > 0
    if card == Advantage.FREE:
        return may_negotiate(game) and some_market_has_a_shard(game)
    if card == Advantage.MERCHANT:
        return may_negotiate(game) and game.bench_size[seat] > 0
    if card == Advantage.EXPERT:
        return may_negotiate(game) and game.bench_size[seat] > 0 and some_market_has_a_place(game)
    if card == Advantage.GOURMAND:
        return game.follow_up == FollowUp.GOURMAND and game.warehouse[Shard.TRANSPARENT] > 0
    if card == Advantage.GAMBLER:
        return game.follow_up == FollowUp.GAMBLER and game.warehouse[Shard.TRANSPARENT] > 0
    if card == Advantage.MAGICIAN or card == Advantage.VISIONARY:
        return True
    if card == Advantage.FAVOURITISM:
        return game.bench[seat, Shard.TRANSPARENT] > 0
    if card == Advantage.PRIVILEGE:
        return is_negotiate_open(game) and not game.privilege and game.lira[seat] > 0
    if card == Advantage.PROVIDENT:
        return not game.selector_set
    if card == Advantage.REPETITION:
        return not game.collect_closed and not game.repetition and game.lira[seat] > 0
    if card == Advantage.TRAVELLER:
        return some_shard_can_travel(game)
    if card == Advantage.QUOTATION:
        return game.quotation == 1
    if card == Advantage.OPPORTUNIST:
        return game.lira[seat] > 0 and some_swap_is_possible(game, seat)
    return can_use_interactive(game, seat, card)


@kernel
def can_use_interactive(game: Any, seat: int, card: int) -> bool:
    """The same for the cards of the Glass Festival (MUR-9.3 to 9.6)."""
    if card == Advantage.AUTHORITARIAN:
        return game.lira[seat] > 0 and others_have_colour(game, seat)
    if card == Advantage.DEALER:
        return game.bench_size[seat] > 0 and others_have_lira(game, seat)
    if card == Advantage.CLUMSINESS:
        return somebody_has_a_shard(game)
    return some_collection_is_possible(game, seat)


@kernel
def use_advantage(game: Any, tile: int, other: int) -> None:
    """Set aside the work of this kind that was made first, and use the card of the tile (MUR-7.3)."""
    seat = game.seat
    for place in range(game.works_size[seat]):
        work = game.works[seat, place]
        if not game.set_aside[work] and is_kind(game, work, tile, other):
            game.set_aside[work] = 1
            count_work(game, seat, work, -1)
            break
    play_advantage(game, seat, game.advantage[tile])


@kernel
def play_advantage(game: Any, seat: int, card: int) -> None:
    """What happens at once; for the rest the player is asked (MUR-8)."""
    if card == Advantage.GOURMAND or card == Advantage.GAMBLER:
        follow_up(game, seat)
    elif card == Advantage.MAGICIAN:
        begin_magician(game, seat)
    elif card == Advantage.FAVOURITISM:
        favour(game, seat)
    elif card == Advantage.PRIVILEGE:
        gain_privilege(game, seat)
    elif card == Advantage.PROVIDENT:
        leave_selector(game, seat)
    elif card == Advantage.REPETITION:
        repeat(game, seat)
    elif card == Advantage.QUOTATION:
        quote(game, seat)
    elif card == Advantage.CLUMSINESS:
        begin_clumsiness(game)
    else:
        ask(game, seat, card)


@kernel
def ask(game: Any, seat: int, card: int) -> None:
    """The cards that begin with a choice; 3, 4 and 5 close Collect (MUR-3.2), 15 is paid at once."""
    if card == Advantage.PRESENT:
        game.phase = Phase.PRESENT
    elif card == Advantage.GIFT:
        game.phase = Phase.GIFT
    elif card == Advantage.TRAVELLER:
        game.phase = Phase.TRAVELLER
    elif card == Advantage.OPPORTUNIST:
        game.lira[seat] -= 1
        game.phase = Phase.OPPORTUNIST
    elif card == Advantage.VISIONARY:
        game.phase = Phase.VISIONARY
    elif card == Advantage.AUTHORITARIAN:
        game.phase = Phase.AUTHORITARIAN
    elif card == Advantage.DEALER:
        game.phase = Phase.DEALER
    elif card == Advantage.COLLECTOR:
        game.phase = Phase.COLLECTOR
    else:
        game.collect_closed = 1
        if card == Advantage.FREE:
            game.phase = Phase.FREE
        elif card == Advantage.MERCHANT:
            game.phase = Phase.MERCHANT
        else:
            game.phase = Phase.EXPERT


# ---- 8.1, 8.2 Present, Gift


@kernel
def offer_two_colours(game: Any, first: int, actions: np.ndarray, count: int) -> int:
    """Offer a colour and the next one, as far as the Warehouse has them (MUR-8.1, 8.2)."""
    for colour in range(first, first + 2):
        count = offer(AT.take.start + colour, game.warehouse[colour] > 0, actions, count)
    return count


@kernel
def receive(game: Any, kind: int) -> None:
    """MUR-8.1, 8.2."""
    take_shard(game, game.seat, kind)
    settle(game, game.seat)


# ---- 8.3 to 8.5 Free, Merchant, Expert: what they need; the actions themselves are in rules.py


@helper
def some_market_has_a_shard(game: Any) -> bool:
    """Whether something can be bought (MUR-5.2)."""
    for market in range(MARKETS):
        if game.market_size[market] > 0:
            return True
    return False


@helper
def some_market_has_a_place(game: Any) -> bool:
    """Whether a shard can be exchanged (MUR-5.1)."""
    for market in range(MARKETS):
        if has_free_place(game, market):
            return True
    return False


# ---- 8.6, 8.7 Gourmand, Gambler


@kernel
def follow_up(game: Any, seat: int) -> None:
    """A transparent shard, once after a Buy or a Sell (MUR-8.6, 8.7)."""
    game.follow_up = NOBODY
    take_shard(game, seat, Shard.TRANSPARENT)
    settle(game, seat)


# ---- 8.8 Magician


@kernel
def begin_magician(game: Any, seat: int) -> None:
    """1L; with fewer than two cards there is nothing to arrange (MUR-8.8)."""
    game.lira[seat] += 1
    if game.hand_size[seat] > 1:
        game.mixed[seat] = 1
        game.phase = Phase.MAGICIAN


@kernel
def offer_arrangements(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every card of the old order that has not been picked (MUR-8.8)."""
    for place in range(game.hand_size[game.seat]):
        count = offer(AT.arrange.start + place, not is_arranged(game, place), actions, count)
    return count


@helper
def is_arranged(game: Any, place: int) -> bool:
    """Whether the card of an old position has its new one."""
    for earlier in range(game.arranged_size):
        if game.arranged[earlier] == place:
            return True
    return False


@kernel
def arrange(game: Any, place: int) -> None:
    """The card of an old position comes next; the last one follows of itself (MUR-8.8)."""
    game.arranged[game.arranged_size] = place
    game.arranged_size += 1
    if game.arranged_size + 1 < game.hand_size[game.seat]:
        return
    last = 0
    while is_arranged(game, last):
        last += 1
    game.arranged[game.arranged_size] = last
    take_new_order(game, game.seat)
    resume(game)


@kernel
def take_new_order(game: Any, seat: int) -> None:
    """The hand takes the order that its old positions were picked in."""
    size = game.hand_size[seat]
    for place in range(size):
        game.arranged[place] = game.hand[seat, game.arranged[place]]
    for place in range(size):
        game.hand[seat, place] = game.arranged[place]
        game.arranged[place] = 0
    game.arranged_size = 0


# ---- 8.9 to 8.12 Favouritism, Privilege, Provident, Repetition


@kernel
def favour(game: Any, seat: int) -> None:
    """MUR-8.9."""
    return_shard(game, seat, Shard.TRANSPARENT)
    game.lira[seat] += FAVOURITISM_PAYS


@kernel
def gain_privilege(game: Any, seat: int) -> None:
    """MUR-8.10; Collect is over (MUR-3.2)."""
    game.lira[seat] -= 1
    game.privilege = 1
    game.collect_closed = 1


@kernel
def leave_selector(game: Any, seat: int) -> None:
    """MUR-8.11."""
    game.selector_set = 1
    game.lira[seat] += 1


@kernel
def repeat(game: Any, seat: int) -> None:
    """MUR-8.12."""
    game.lira[seat] -= 1
    game.repetition = 1


# ---- 8.13 Traveller


@helper
def can_travel_from(game: Any, market: int) -> bool:
    """Whether another market has a free place (MUR-8.13)."""
    for other in range(MARKETS):
        if other != market and has_free_place(game, other):
            return True
    return False


@helper
def some_shard_can_travel(game: Any) -> bool:
    """Whether a market has a shard and another one a free place (MUR-8.13)."""
    for market in range(MARKETS):
        if game.market_size[market] > 0 and can_travel_from(game, market):
            return True
    return False


@kernel
def offer_travellers(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every shard of a market that can go somewhere else (MUR-8.13)."""
    for market in range(MARKETS):
        if can_travel_from(game, market):
            for kind in range(SHARD_KINDS):
                count = offer(AT.lift.start + market * SHARD_KINDS + kind, game.market[market, kind] > 0, actions, count)
    return count


@kernel
def lift(game: Any, market: int, kind: int) -> None:
    """The shard stays where it is until its goal is chosen (MUR-8.13)."""
    game.chosen_market = market
    game.chosen_shard = kind
    game.phase = Phase.TRAVELLER_GOAL


@kernel
def offer_goals(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every other market with a free place (MUR-8.13)."""
    for market in range(MARKETS):
        count = offer(AT.market.start + market, market != game.chosen_market and has_free_place(game, market), actions, count)
    return count


@kernel
def set_down(game: Any, market: int) -> None:
    """MUR-8.13."""
    take_from_market(game, game.chosen_market, game.chosen_shard)
    put_on_market(game, market, game.chosen_shard)
    game.chosen_market = NOBODY
    game.chosen_shard = NOBODY
    resume(game)


# ---- 8.14 Quotation


@kernel
def quote(game: Any, seat: int) -> None:
    """MUR-8.14."""
    game.quotation = 0
    game.lira[seat] += QUOTATION_PAYS


# ---- 8.15 Opportunist


@helper
def some_swap_is_possible(game: Any, seat: int) -> bool:
    """Whether a shard can be returned for a coloured one of another kind (MUR-8.15)."""
    for kind in range(SHARD_KINDS):
        if game.bench[seat, kind] > 0:
            for colour in range(COLOURS):
                if colour != kind and game.warehouse[colour] > 0:
                    return True
    return False


@kernel
def offer_swaps(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every own shard for every other colour of the Warehouse (MUR-8.15)."""
    for kind in range(SHARD_KINDS):
        if game.bench[game.seat, kind] > 0:
            for colour in range(COLOURS):
                is_there = colour != kind and game.warehouse[colour] > 0
                count = offer(AT.swap.start + kind * COLOURS + colour, is_there, actions, count)
    return count


@kernel
def swap(game: Any, kind: int, colour: int) -> None:
    """MUR-8.15; after the first exchange a second one is open."""
    return_shard(game, game.seat, kind)
    take_shard(game, game.seat, colour)
    if game.phase == Phase.OPPORTUNIST:
        game.phase = Phase.OPPORTUNIST_AGAIN
    else:
        resume(game)


# ---- 8.16 Visionary


@kernel
def offer_positions(actions: np.ndarray, count: int) -> int:
    """Offer every other position of the Ring (MUR-8.16)."""
    return offer_run(AT.turn_by.start, NOTCHES - 1, actions, count)


@kernel
def turn_by(game: Any, steps: int) -> None:
    """MUR-8.16."""
    turn_ring(game, steps)
    resume(game)


# ---- 9.3 Authoritarian


@helper
def others_have_colour(game: Any, seat: int) -> bool:
    """Whether another player has a coloured shard (MUR-9.3)."""
    for other in range(game.num_players):
        if other != seat and game.bench_size[other] > game.bench[other, Shard.TRANSPARENT]:
            return True
    return False


@kernel
def offer_shards_of_others(game: Any, kinds: int, unlike: int, actions: np.ndarray, count: int) -> int:
    """Offer every shard of the other players of the first so many kinds, but one (MUR-9.3, 9.6)."""
    for steps in range(1, game.num_players):
        other = neighbour_of(game, game.seat, steps)
        for kind in range(kinds):
            is_there = kind != unlike and game.bench[other, kind] > 0
            count = offer(AT.neighbour.start + (steps - 1) * SHARD_KINDS + kind, is_there, actions, count)
    return count


@kernel
def requisition(game: Any, other: int, kind: int) -> None:
    """MUR-9.3."""
    game.lira[game.seat] -= 1
    game.lira[other] += 1
    hand_over_shard(game, other, game.seat, kind)
    settle(game, game.seat)


# ---- 9.4 Dealer


@helper
def others_have_lira(game: Any, seat: int) -> bool:
    """Whether another player can pay (MUR-9.4)."""
    for other in range(game.num_players):
        if other != seat and game.lira[other] > 0:
            return True
    return False


@kernel
def offer_deals(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every own shard to every player who can pay (MUR-9.4)."""
    for steps in range(1, game.num_players):
        if game.lira[neighbour_of(game, game.seat, steps)] > 0:
            for kind in range(SHARD_KINDS):
                is_there = game.bench[game.seat, kind] > 0
                count = offer(AT.neighbour.start + (steps - 1) * SHARD_KINDS + kind, is_there, actions, count)
    return count


@kernel
def deal_with(game: Any, other: int, kind: int) -> None:
    """MUR-9.4; the other player may have to return a shard (MUR-4.3)."""
    game.lira[other] -= 1
    game.lira[game.seat] += 1
    hand_over_shard(game, game.seat, other, kind)
    settle(game, other)


# ---- 9.5 Clumsiness


@helper
def somebody_has_a_shard(game: Any) -> bool:
    """Whether any Workbench holds a shard (MUR-9.5)."""
    for seat in range(game.num_players):
        if game.bench_size[seat] > 0:
            return True
    return False


@kernel
def begin_clumsiness(game: Any) -> None:
    """The user is asked first; those without shards are skipped (MUR-9.5)."""
    game.phase = Phase.CLUMSINESS
    if game.bench_size[game.turn] == 0:
        ask_next_clumsy(game, game.turn)


@kernel
def ask_next_clumsy(game: Any, seat: int) -> None:
    """The next player with a shard, until all have been asked (MUR-9.5)."""
    seat = left_of(game, seat)
    while seat != game.turn and game.bench_size[seat] == 0:
        seat = left_of(game, seat)
    if seat == game.turn:
        resume(game)
    else:
        game.seat = seat


# ---- 9.6 Collector


@kernel
def has_partner(game: Any, seat: int, kind: int) -> bool:
    """Whether another player has a shard of another kind (MUR-9.6)."""
    for other in range(game.num_players):
        if other != seat and game.bench_size[other] > game.bench[other, kind]:
            return True
    return False


@kernel
def some_collection_is_possible(game: Any, seat: int) -> bool:
    """Whether an own shard can be exchanged (MUR-9.6)."""
    for kind in range(SHARD_KINDS):
        if game.bench[seat, kind] > 0 and has_partner(game, seat, kind):
            return True
    return False


@kernel
def offer_own_shards(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every own kind for which there is another one elsewhere (MUR-9.6)."""
    for kind in range(SHARD_KINDS):
        is_wanted = game.bench[game.seat, kind] > 0 and has_partner(game, game.seat, kind)
        count = offer(AT.give_up.start + kind, is_wanted, actions, count)
    return count


@kernel
def collect_from(game: Any, other: int, kind: int) -> None:
    """MUR-9.6."""
    hand_over_shard(game, game.seat, other, game.chosen_shard)
    hand_over_shard(game, other, game.seat, kind)
    game.chosen_shard = NOBODY
    resume(game)
