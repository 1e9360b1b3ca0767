"""The Advantage cards (MUR-8): when each can be used, and what it does. Card n is clause 8.n.

The interactive cards, 17 to 20, are in `interactive`; that a work is set aside for a card (7.3) is in `any_time`.
"""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer, offer_run
from cardtable.types import Actions
from murano_env.actions import AT
from murano_env.constants import (
    COLOURS,
    FAVOURITISM_PAYS,
    MARKETS,
    MERCHANT_PAYS,
    NOTCHES,
    NOTCHES_PER_MARKET,
    QUOTATION_PAYS,
    SHARD_KINDS,
    Advantage,
    FollowUp,
    Phase,
    Shard,
)
from murano_env.rules.collect import settle
from murano_env.rules.negotiate import begin_exchange, begin_sale, may_negotiate, take_market
from murano_env.rules.piles import (
    first_notch,
    has_free_place,
    put_on_market,
    return_shard,
    ring_shard,
    some_market_has_a_place,
    some_market_has_a_shard,
    take_from_market,
    take_shard,
    turn_ring,
)
from murano_env.rules.turn import is_negotiate_open, resume
from murano_env.types import State

# ---- All cards


@kernel
def can_use_card(game: State, seat: int, card: int) -> bool:
    """Whether a card is open, its cost at hand, and each step it demands has a legal choice (MUR-8, 7.4)."""
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
    return game.lira[seat] > 0 and some_swap_is_possible(game, seat)  # Opportunist


@kernel
def use_card(game: State, seat: int, card: int) -> None:
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
    else:
        ask(game, seat, card)


@kernel
def ask(game: State, seat: int, card: int) -> None:
    """The cards that begin with a choice; 15 is paid at once."""
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
    else:
        demand_action(game, card)


@helper
def demand_action(game: State, card: int) -> None:
    """Cards 3, 4 and 5 close Collect (MUR-3.2); a Buy, a Sell or an Exchange follows (MUR-8.3 to 8.5)."""
    game.collect_closed = 1
    if card == Advantage.FREE:
        game.phase = Phase.FREE
    elif card == Advantage.MERCHANT:
        game.phase = Phase.MERCHANT
    else:
        game.phase = Phase.EXPERT


# ---- 8.1, 8.2 Present, Gift


@kernel
def offer_two_colours(game: State, first: int, actions: Actions, count: int) -> int:
    """Offer a colour and the next one, as far as the Warehouse has them (MUR-8.1, 8.2)."""
    for colour in range(first, first + 2):
        count = offer(AT.take.start + colour, game.warehouse[colour] > 0, actions, count)
    return count


@kernel
def receive(game: State, kind: int) -> None:
    """MUR-8.1, 8.2."""
    take_shard(game, game.seat, kind)
    settle(game, game.seat)


# ---- 8.3, 8.4 Free, Merchant


@helper
def buy_for_nothing(game: State, market: int) -> None:
    """MUR-8.3."""
    take_market(game, market)


@helper
def sell_as_merchant(game: State, kind: int) -> None:
    """The first shard of a Sell that pays 4L; it goes on as any other (MUR-8.4)."""
    begin_sale(game, MERCHANT_PAYS)
    return_shard(game, game.seat, kind)


# ---- 8.5 Expert


@kernel
def exchange_as_expert(game: State, kind: int, market: int) -> None:
    """Put a shard on a market; the three shards connected with it are on offer (MUR-8.5)."""
    begin_exchange(game, kind, market)
    for notch in range(first_notch(market), first_notch(market) + NOTCHES_PER_MARKET):
        game.offered[ring_shard(game, notch)] += 1
    game.phase = Phase.EXPERT_PICKS


@kernel
def offer_expert_picks(game: State, actions: Actions, count: int) -> int:
    """Offer every connected shard not picked yet that the Warehouse has (MUR-8.5)."""
    for kind in range(SHARD_KINDS):
        count = offer(AT.take.start + kind, game.offered[kind] > 0 and game.warehouse[kind] > 0, actions, count)
    return count


@kernel
def pick_as_expert(game: State, kind: int) -> None:
    """MUR-8.5; one transparent shard at most."""
    take_shard(game, game.seat, kind)
    game.offered[kind] -= 1
    if kind == Shard.TRANSPARENT:
        game.offered[kind] = 0


@kernel
def end_expert_picks(game: State) -> None:
    """The take is complete (MUR-4.3, 8.5)."""
    for kind in range(SHARD_KINDS):
        game.offered[kind] = 0
    settle(game, game.seat)


# ---- 8.6, 8.7 Gourmand, Gambler


@kernel
def follow_up(game: State, seat: int) -> None:
    """A transparent shard, once after a Buy or a Sell (MUR-8.6, 8.7)."""
    game.follow_up = NOBODY
    take_shard(game, seat, Shard.TRANSPARENT)
    settle(game, seat)


# ---- 8.8 Magician


@kernel
def begin_magician(game: State, seat: int) -> None:
    """1L; with fewer than two cards there is nothing to arrange (MUR-8.8)."""
    game.lira[seat] += 1
    if game.hand_size[seat] > 1:
        game.mixed[seat] = 1
        game.phase = Phase.MAGICIAN


@kernel
def offer_arrangements(game: State, actions: Actions, count: int) -> int:
    """Offer every card of the old order that has not been picked (MUR-8.8)."""
    for place in range(game.hand_size[game.seat]):
        count = offer(AT.arrange.start + place, not is_arranged(game, place), actions, count)
    return count


@helper
def is_arranged(game: State, place: int) -> bool:
    """Whether the card of an old position has its new one."""
    for earlier in range(game.arranged_size):
        if game.arranged[earlier] == place:
            return True
    return False


@kernel
def arrange(game: State, place: int) -> None:
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
def take_new_order(game: State, seat: int) -> None:
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
def favour(game: State, seat: int) -> None:
    """MUR-8.9."""
    return_shard(game, seat, Shard.TRANSPARENT)
    game.lira[seat] += FAVOURITISM_PAYS


@kernel
def gain_privilege(game: State, seat: int) -> None:
    """MUR-8.10; Collect is over (MUR-3.2). The second action: `negotiate.may_negotiate`."""
    game.lira[seat] -= 1
    game.privilege = 1
    game.collect_closed = 1


@kernel
def leave_selector(game: State, seat: int) -> None:
    """MUR-8.11."""
    game.selector_set = 1
    game.lira[seat] += 1


@kernel
def repeat(game: State, seat: int) -> None:
    """MUR-8.12. The second take: `collect.may_take`."""
    game.lira[seat] -= 1
    game.repetition = 1


# ---- 8.13 Traveller


@helper
def can_travel_from(game: State, market: int) -> bool:
    """Whether another market has a free place (MUR-8.13)."""
    for other in range(MARKETS):
        if other != market and has_free_place(game, other):
            return True
    return False


@helper
def some_shard_can_travel(game: State) -> bool:
    """Whether a market has a shard and another one a free place (MUR-8.13)."""
    for market in range(MARKETS):
        if game.market_size[market] > 0 and can_travel_from(game, market):
            return True
    return False


@kernel
def offer_travellers(game: State, actions: Actions, count: int) -> int:
    """Offer every shard of a market that can go somewhere else (MUR-8.13)."""
    for market in range(MARKETS):
        if can_travel_from(game, market):
            for kind in range(SHARD_KINDS):
                count = offer(AT.lift.start + market * SHARD_KINDS + kind, game.market[market, kind] > 0, actions, count)
    return count


@kernel
def lift(game: State, market: int, kind: int) -> None:
    """The shard stays where it is until its goal is chosen (MUR-8.13)."""
    game.chosen_market = market
    game.chosen_shard = kind
    game.phase = Phase.TRAVELLER_GOAL


@kernel
def offer_goals(game: State, actions: Actions, count: int) -> int:
    """Offer every other market with a free place (MUR-8.13)."""
    for market in range(MARKETS):
        count = offer(AT.market.start + market, market != game.chosen_market and has_free_place(game, market), actions, count)
    return count


@kernel
def set_down(game: State, market: int) -> None:
    """MUR-8.13."""
    take_from_market(game, game.chosen_market, game.chosen_shard)
    put_on_market(game, market, game.chosen_shard)
    game.chosen_market = NOBODY
    game.chosen_shard = NOBODY
    resume(game)


# ---- 8.14 Quotation


@kernel
def quote(game: State, seat: int) -> None:
    """MUR-8.14."""
    game.quotation = 0
    game.lira[seat] += QUOTATION_PAYS


# ---- 8.15 Opportunist


@helper
def some_swap_is_possible(game: State, seat: int) -> bool:
    """Whether a shard can be returned for a coloured one of another kind (MUR-8.15)."""
    for kind in range(SHARD_KINDS):
        if game.bench[seat, kind] > 0:
            for colour in range(COLOURS):
                if colour != kind and game.warehouse[colour] > 0:
                    return True
    return False


@kernel
def offer_swaps(game: State, actions: Actions, count: int) -> int:
    """Offer every own shard for every other colour of the Warehouse (MUR-8.15)."""
    for kind in range(SHARD_KINDS):
        if game.bench[game.seat, kind] > 0:
            for colour in range(COLOURS):
                is_there = colour != kind and game.warehouse[colour] > 0
                count = offer(AT.swap.start + kind * COLOURS + colour, is_there, actions, count)
    return count


@kernel
def swap(game: State, kind: int, colour: int) -> None:
    """MUR-8.15; after the first exchange a second one is open."""
    return_shard(game, game.seat, kind)
    take_shard(game, game.seat, colour)
    if game.phase == Phase.OPPORTUNIST:
        game.phase = Phase.OPPORTUNIST_AGAIN
    else:
        resume(game)


# ---- 8.16 Visionary


@kernel
def offer_positions(actions: Actions, count: int) -> int:
    """Offer every other position of the Ring (MUR-8.16)."""
    return offer_run(AT.turn_by.start, NOTCHES - 1, actions, count)


@kernel
def turn_by(game: State, steps: int) -> None:
    """MUR-8.16."""
    turn_ring(game, steps)
    resume(game)
