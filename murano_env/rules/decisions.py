"""Decisions (MUR-16): which actions are legal, and the rule that each of them applies."""

from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions
from murano_env.actions import AT
from murano_env.constants import CATEGORIES, COLOURS, MARKETS, SHARD_KINDS, Phase, Shard
from murano_env.rules.advantages import (
    arrange,
    buy_for_nothing,
    end_expert_picks,
    exchange_as_expert,
    lift,
    offer_arrangements,
    offer_expert_picks,
    offer_goals,
    offer_positions,
    offer_swaps,
    offer_travellers,
    offer_two_colours,
    pick_as_expert,
    receive,
    sell_as_merchant,
    set_down,
    swap,
    turn_by,
)
from murano_env.rules.any_time import offer_any_time, pay_for_ring, reorder, use_advantage
from murano_env.rules.challenge import offer_fullest_markets
from murano_env.rules.collect import (
    choose_pair,
    leave_out_replacement,
    may_take,
    offer_own_bench,
    offer_stock,
    return_surplus,
    take_pair,
    take_replacement,
)
from murano_env.rules.create import REPLACEMENTS, make, offer_works
from murano_env.rules.draft import draft_card, offer_pack
from murano_env.rules.grandmaster import send_owl
from murano_env.rules.interactive import (
    choose_own_shard,
    collect_from,
    deal_with,
    drop_shard,
    offer_deals,
    offer_own_shards,
    offer_partners,
    offer_requisitions,
    requisition,
)
from murano_env.rules.negotiate import (
    buy,
    end_sale,
    exchange,
    may_negotiate,
    offer_exchanges,
    offer_markets,
    offer_negotiations,
    offer_sales,
    pass_negotiation,
    sell,
)
from murano_env.rules.piles import clear_market
from murano_env.rules.turn import end_turn, is_create_open, resume, seat_to_left
from murano_env.types import State

# ---- Legal actions


@helper
def offer_done(actions: Actions, count: int) -> int:
    """Offer to be done with what is under way."""
    return offer(AT.done.start, True, actions, count)


@kernel
def legal(game: State, actions: Actions) -> int:
    """Write the ids of all legal actions of the mover of a game that is not over; return how many there are.

    One alone is still a decision (MUR-16.1).
    """
    phase = game.phase
    if phase == Phase.TURN:
        return offer_turn(game, actions, 0)
    if phase == Phase.RETURN or phase == Phase.CLUMSINESS:
        return offer_own_bench(game, actions, 0)
    if phase == Phase.SELL:
        return offer_done(actions, offer_sales(game, actions, 0))
    if phase == Phase.DRAFT:
        return offer_pack(game, actions, 0)
    if phase == Phase.REPLACE:
        return offer_done(actions, offer_stock(game, actions, 0))
    return offer_choice(game, actions, 0)


@kernel
def offer_choice(game: State, actions: Actions, count: int) -> int:
    """Offer a choice that an Advantage or a Challenge card demands (MUR-8, 9, 10.1)."""
    phase = game.phase
    if phase == Phase.PRESENT:
        return offer_two_colours(game, Shard.RED, actions, count)
    if phase == Phase.GIFT:
        return offer_two_colours(game, Shard.YELLOW, actions, count)
    if phase == Phase.FREE:
        return offer_markets(game, actions, count)
    if phase == Phase.MERCHANT:
        return offer_sales(game, actions, count)
    if phase == Phase.EXPERT:
        return offer_exchanges(game, actions, count)
    if phase == Phase.EXPERT_PICKS:
        return offer_done(actions, offer_expert_picks(game, actions, count))
    if phase == Phase.MAGICIAN:
        return offer_arrangements(game, actions, count)
    if phase == Phase.TRAVELLER:
        return offer_travellers(game, actions, count)
    if phase == Phase.TRAVELLER_GOAL:
        return offer_goals(game, actions, count)
    if phase == Phase.OPPORTUNIST:
        return offer_swaps(game, actions, count)
    if phase == Phase.OPPORTUNIST_AGAIN:
        return offer_done(actions, offer_swaps(game, actions, count))
    if phase == Phase.VISIONARY:
        return offer_positions(actions, count)
    if phase == Phase.AUTHORITARIAN:
        return offer_requisitions(game, actions, count)
    if phase == Phase.DEALER:
        return offer_deals(game, actions, count)
    if phase == Phase.COLLECTOR:
        return offer_own_shards(game, actions, count)
    if phase == Phase.COLLECTOR_PARTNER:
        return offer_partners(game, actions, count)
    return offer_fullest_markets(game, actions, count)


@helper
def offer_turn(game: State, actions: Actions, count: int) -> int:
    """Offer every step of the turn that is open (MUR-3)."""
    if not game.selector_set:
        count = offer(AT.turn_selector.start, True, actions, count)
    elif may_take(game):
        count = offer(AT.take_pair.start, True, actions, count)
    if may_negotiate(game):
        count = offer_negotiations(game, actions, count)
    if is_create_open(game):
        count = offer_works(game, actions, count)
        count = offer(AT.end_turn.start, True, actions, count)
    return offer_any_time(game, actions, count)


# ---- Effects


@kernel
def apply(game: State, action: int) -> None:
    """Play one legal action."""
    if action < AT.exchange.start:
        apply_step(game, action)
    elif action < AT.exchange.stop:
        number = action - AT.exchange.start
        apply_exchange(game, number // MARKETS, number % MARKETS)
    elif action < AT.buy.stop:
        apply_buy(game, action - AT.buy.start)
    elif action < AT.sell.stop:
        apply_sell(game, action - AT.sell.start)
    elif action < AT.make.stop:
        make(game, REPLACEMENTS[action - AT.make.start])
    elif action < AT.reorder.stop:
        reorder(game, action - AT.reorder.start + 1)
    elif action < AT.turn_ring.stop:
        pay_for_ring(game)
    elif action < AT.use.stop:
        number = action - AT.use.start
        use_advantage(game, number // CATEGORIES, number % CATEGORIES)
    elif action < AT.owl.stop:
        send_owl(game, action - AT.owl.start + 1)
    elif action < AT.draft.start:
        apply_choice(game, action)
    elif action < AT.draft.stop:
        draft_card(game, action - AT.draft.start)
    else:
        end_turn(game)


@helper
def apply_step(game: State, action: int) -> None:
    """Play one of the first actions: Selector, pair, take, give up, done."""
    if action < AT.turn_selector.stop:
        choose_pair(game)
    elif action < AT.take_pair.stop:
        take_pair(game)
    elif action < AT.take.stop:
        apply_take(game, action - AT.take.start)
    elif action < AT.give_up.stop:
        apply_give_up(game, action - AT.give_up.start)
    else:
        apply_done(game)


@kernel
def apply_choice(game: State, action: int) -> None:
    """Play a choice that an Advantage or a Challenge card demands."""
    if action < AT.arrange.stop:
        arrange(game, action - AT.arrange.start)
    elif action < AT.lift.stop:
        number = action - AT.lift.start
        lift(game, number // SHARD_KINDS, number % SHARD_KINDS)
    elif action < AT.market.stop:
        apply_market(game, action - AT.market.start)
    elif action < AT.turn_by.stop:
        turn_by(game, action - AT.turn_by.start + 1)
    elif action < AT.swap.stop:
        number = action - AT.swap.start
        swap(game, number // COLOURS, number % COLOURS)
    else:
        number = action - AT.neighbour.start
        apply_neighbour(game, seat_to_left(game, game.seat, number // SHARD_KINDS + 1), number % SHARD_KINDS)


# ---- Actions that mean different things in different phases


@kernel
def apply_take(game: State, kind: int) -> None:
    """A shard from the Warehouse (MUR-4.2, 8.1, 8.2, 8.5)."""
    if game.phase == Phase.REPLACE:
        take_replacement(game, kind)
    elif game.phase == Phase.EXPERT_PICKS:
        pick_as_expert(game, kind)
    else:
        receive(game, kind)


@kernel
def apply_give_up(game: State, kind: int) -> None:
    """A shard of one's own (MUR-4.3, 9.5, 9.6)."""
    if game.phase == Phase.COLLECTOR:
        choose_own_shard(game, kind)
    elif game.phase == Phase.CLUMSINESS:
        drop_shard(game, kind)
    else:
        return_surplus(game, kind)


@helper
def apply_done(game: State) -> None:
    """Done with what is under way; in an open turn it is the pass (MUR-4.2, 5.3, 5.4, 8.5, 8.15)."""
    if game.phase == Phase.TURN:
        pass_negotiation(game)
    elif game.phase == Phase.REPLACE:
        leave_out_replacement(game)
    elif game.phase == Phase.SELL:
        end_sale(game)
    elif game.phase == Phase.EXPERT_PICKS:
        end_expert_picks(game)
    else:
        resume(game)


@helper
def apply_exchange(game: State, kind: int, market: int) -> None:
    """An Exchange, or that of card 5 (MUR-5.1, 8.5)."""
    if game.phase == Phase.EXPERT:
        exchange_as_expert(game, kind, market)
    else:
        exchange(game, kind, market)


@helper
def apply_buy(game: State, market: int) -> None:
    """A Buy, or that of card 3 (MUR-5.2, 8.3)."""
    if game.phase == Phase.FREE:
        buy_for_nothing(game, market)
    else:
        buy(game, market)


@helper
def apply_sell(game: State, kind: int) -> None:
    """A shard of a Sell, or the first one of that of card 4 (MUR-5.3, 8.4)."""
    if game.phase == Phase.MERCHANT:
        sell_as_merchant(game, kind)
    else:
        sell(game, kind)


@kernel
def apply_market(game: State, market: int) -> None:
    """The goal of a shard, or the market to be emptied (MUR-8.13, 10.1)."""
    if game.phase == Phase.TRAVELLER_GOAL:
        set_down(game, market)
    else:
        clear_market(game, market)
        resume(game)


@kernel
def apply_neighbour(game: State, other: int, kind: int) -> None:
    """Another player and a kind of shard (MUR-9.3, 9.4, 9.6)."""
    if game.phase == Phase.AUTHORITARIAN:
        requisition(game, other, kind)
    elif game.phase == Phase.DEALER:
        deal_with(game, other, kind)
    else:
        collect_from(game, other, kind)
