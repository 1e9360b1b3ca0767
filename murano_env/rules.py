"""The rules of Murano as kernels, in the order of the rule book (MUR-4 to 7, 9.1, 11.6, 16). Clauses are in RULES.md."""

from typing import Any

import numpy as np

from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer, offer_run
from cardtable.game.record import NOBODY
from murano_env.actions import AT, MAKE, REPLACED
from murano_env.advantages import (
    arrange,
    ask_next_clumsy,
    collect_from,
    deal_with,
    lift,
    may_negotiate,
    offer_advantages,
    offer_arrangements,
    offer_deals,
    offer_goals,
    offer_own_shards,
    offer_positions,
    offer_shards_of_others,
    offer_swaps,
    offer_travellers,
    offer_two_colours,
    receive,
    requisition,
    set_down,
    swap,
    turn_by,
    use_advantage,
)
from murano_env.constants import (
    BENCH_LIMIT,
    BUY_PRICE,
    CATEGORIES,
    COLOURS,
    MARKETS,
    MERCHANT_PAYS,
    NOTCHES_PER_MARKET,
    SECOND_WORK_PAYS,
    SELL_PAYS,
    SHARD_KINDS,
    SOLO,
    FollowUp,
    Phase,
    Shard,
)
from murano_env.turns import (
    add_to_hand,
    begin_turn,
    count_work,
    empty_market,
    end_solo_turn,
    first_notch,
    full_hand,
    has_free_place,
    is_fullest,
    left_of,
    neighbour_of,
    next_turn,
    put_on_market,
    remove_card,
    resume,
    return_shard,
    right_of,
    ring_shard,
    settle,
    take_from_market,
    take_shard,
    turn_ring,
    turn_selector,
)

REPLACEMENTS: np.ndarray = np.array(REPLACED, np.int16)
"""The number within the block `make` -> how many shards of each colour transparent ones stand for (MUR-6.1)."""

# ---- 9.1 The draft


@kernel
def offer_pack(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every card of the own pack (MUR-9.1)."""
    for place in range(game.pack_size[game.seat]):
        count = offer(AT.draft.start + game.pack[game.seat, place], True, actions, count)
    return count


@kernel
def draft_card(game: Any, card: int) -> None:
    """Keep a card; after all have, the packs move on, or the first turn begins (MUR-9.1)."""
    seat = game.seat
    place = 0
    while game.pack[seat, place] != card:
        place += 1
    remove_card(game.pack[seat], place, game.pack_size[seat])
    game.pack_size[seat] -= 1
    game.drafted[seat, game.drafted_size[seat]] = card
    game.drafted_size[seat] += 1
    add_to_hand(game, seat, card)
    game.seat = left_of(game, seat)
    if game.seat == 0:
        if game.hand_size[0] < full_hand(game):
            pass_packs(game)
        else:
            end_draft(game)


@kernel
def pass_packs(game: Any) -> None:
    """Every pack goes to the left (MUR-9.1)."""
    for place in range(game.pack_size[0]):
        card = game.pack[game.num_players - 1, place]
        for seat in range(game.num_players - 1, 0, -1):
            game.pack[seat, place] = game.pack[seat - 1, place]
        game.pack[0, place] = card


@kernel
def end_draft(game: Any) -> None:
    """The last card of each pack goes to the box, and play begins (MUR-9.1)."""
    for seat in range(game.num_players):
        game.box[seat] = game.pack[seat, 0]
        game.pack[seat, 0] = 0
        game.pack_size[seat] = 0
    game.box_size = game.num_players
    begin_turn(game, 0)


# ---- 4 Collect


@helper
def may_take(game: Any) -> bool:
    """Whether a pair can be taken: one a turn, two under card 12, after the Selector was turned (MUR-4.1, 8.12)."""
    return game.selector_set == 1 and game.takes < 1 + game.repetition and not game.collect_closed


@helper
def choose_pair(game: Any) -> None:
    """Turn the Selector (MUR-4.1)."""
    turn_selector(game)
    game.selector_set = 1


@helper
def take_pair(game: Any) -> None:
    """Take both shards of the pair; for each that the Warehouse lacks one is chosen (MUR-4.1, 4.2)."""
    game.takes += 1
    take_or_miss(game, game.circle[game.selector])
    take_or_miss(game, ring_shard(game, game.selector))
    ask_replacement(game)


@helper
def take_or_miss(game: Any, kind: int) -> None:
    """Take a shard if it is there."""
    if game.warehouse[kind] > 0:
        take_shard(game, game.seat, kind)
    else:
        game.missing += 1


@helper
def ask_replacement(game: Any) -> None:
    """Ask for a missing shard; when none is missing any more, the take is complete (MUR-4.2, 4.3)."""
    if game.missing > 0:
        game.phase = Phase.REPLACE
    else:
        settle(game, game.seat)


@kernel
def offer_stock(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every kind that the Warehouse has (MUR-4.2)."""
    for kind in range(SHARD_KINDS):
        count = offer(AT.take.start + kind, game.warehouse[kind] > 0, actions, count)
    return count


@kernel
def offer_own_bench(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every kind on the own Workbench (MUR-4.3, 9.5)."""
    for kind in range(SHARD_KINDS):
        count = offer(AT.give_up.start + kind, game.bench[game.seat, kind] > 0, actions, count)
    return count


# ---- 5 Negotiate


@helper
def offer_negotiations(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer exchanges, Buys and Sells; a pass if there is none before the first action (MUR-5)."""
    before = count
    count = offer_exchanges(game, actions, count)
    if game.lira[game.seat] >= BUY_PRICE:
        count = offer_markets(game, actions, count)
    count = offer_sales(game, actions, count)
    if count == before and game.negotiations == 0:
        count = offer_done(actions, count)  # MUR-5.4
    return count


@helper
def begin_action(game: Any) -> None:
    """A Negotiate action: Collect is over, and so is the time for a card after the action before (MUR-3.2, 8.6, 8.7)."""
    game.negotiations += 1
    game.collect_closed = 1
    game.follow_up = NOBODY


@kernel
def offer_exchanges(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every own shard at every market with a free place (MUR-5.1)."""
    for kind in range(SHARD_KINDS):
        if game.bench[game.seat, kind] > 0:
            for market in range(MARKETS):
                count = offer(AT.exchange.start + kind * MARKETS + market, has_free_place(game, market), actions, count)
    return count


@kernel
def exchange(game: Any, kind: int, market: int) -> None:
    """Put a shard on a market; its coloured shards are taken, or under card 5 chosen (MUR-5.1, 8.5)."""
    is_expert = game.phase == Phase.EXPERT
    begin_action(game)
    game.bench[game.seat, kind] -= 1
    game.bench_size[game.seat] -= 1
    put_on_market(game, market, kind)
    for notch in range(first_notch(market), first_notch(market) + NOTCHES_PER_MARKET):
        shard = ring_shard(game, notch)
        if is_expert:
            game.offered[shard] += 1
        elif shard != Shard.TRANSPARENT and game.warehouse[shard] > 0:
            take_shard(game, game.seat, shard)
    if is_expert:
        game.phase = Phase.EXPERT_PICKS
    else:
        settle(game, game.seat)


@kernel
def offer_expert_picks(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every connected shard not picked yet that the Warehouse has (MUR-8.5)."""
    for kind in range(SHARD_KINDS):
        count = offer(AT.take.start + kind, game.offered[kind] > 0 and game.warehouse[kind] > 0, actions, count)
    return count


@kernel
def pick_as_expert(game: Any, kind: int) -> None:
    """MUR-8.5; one transparent shard at most."""
    take_shard(game, game.seat, kind)
    game.offered[kind] -= 1
    if kind == Shard.TRANSPARENT:
        game.offered[kind] = 0


@kernel
def end_expert_picks(game: Any) -> None:
    """The take is complete (MUR-4.3, 8.5)."""
    for kind in range(SHARD_KINDS):
        game.offered[kind] = 0
    settle(game, game.seat)


@kernel
def offer_markets(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every market with a shard (MUR-5.2, 8.3)."""
    for market in range(MARKETS):
        count = offer(AT.buy.start + market, game.market_size[market] > 0, actions, count)
    return count


@kernel
def buy(game: Any, market: int) -> None:
    """Take all shards of a market, for 2L or by card 3 for nothing (MUR-5.2, 8.3)."""
    seat = game.seat
    if game.phase == Phase.TURN:
        game.lira[seat] -= BUY_PRICE
    begin_action(game)
    for kind in range(SHARD_KINDS):
        for _ in range(game.market[market, kind]):
            take_from_market(game, market, kind)
            game.bench[seat, kind] += 1
            game.bench_size[seat] += 1
    game.follow_up = FollowUp.GOURMAND
    settle(game, seat)


@helper
def offer_sales(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every kind on the own Workbench (MUR-5.3)."""
    for kind in range(SHARD_KINDS):
        count = offer(AT.sell.start + kind, game.bench[game.seat, kind] > 0, actions, count)
    return count


@helper
def sell(game: Any, kind: int) -> None:
    """Return a shard; the first one begins the Sell (MUR-5.3, 8.4)."""
    if game.phase != Phase.SELL:
        begin_action(game)
        game.sale = MERCHANT_PAYS if game.phase == Phase.MERCHANT else SELL_PAYS
        game.phase = Phase.SELL
    return_shard(game, game.seat, kind)


@helper
def end_sale(game: Any) -> None:
    """A Sell pays when it is done (MUR-5.3)."""
    game.lira[game.seat] += game.sale
    game.sale = 0
    game.follow_up = FollowUp.GAMBLER
    resume(game)


@kernel
def pass_negotiation(game: Any) -> None:
    """MUR-5.4."""
    game.passed = 1
    game.collect_closed = 1


# ---- 6 Create


@helper
def may_create(game: Any) -> bool:
    """From the first Negotiate action or a pass on (MUR-3.3)."""
    return (game.negotiations > 0) | (game.passed == 1)


@kernel
def offer_works(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer the card in position 1 in every way its shards are there, transparent ones for any colours (MUR-6.1)."""
    seat = game.seat
    if game.hand_size[seat] == 0 or not can_make(game, seat, game.hand[seat, 0]):
        return count
    card, transparent = game.hand[seat, 0], game.bench[seat, Shard.TRANSPARENT]
    for red in range(fewest(game, card, 0), game.recipe[card, 0] + 1):
        for green in range(fewest(game, card, 1), game.recipe[card, 1] + 1):
            for yellow in range(fewest(game, card, 2), game.recipe[card, 2] + 1):
                for blue in range(fewest(game, card, 3), game.recipe[card, 3] + 1):
                    enough = red + green + yellow + blue <= transparent
                    count = offer(AT.make.start + MAKE[red, green, yellow, blue], enough, actions, count)
    return count


@helper
def fewest(game: Any, card: int, colour: int) -> int:
    """How many shards of a colour must be replaced because the mover lacks them (MUR-6.1)."""
    return max(game.recipe[card, colour] - game.bench[game.seat, colour], 0)


@kernel
def can_make(game: Any, seat: int, card: int) -> bool:
    """Whether the shards of a card are there, transparent ones included (MUR-6.1)."""
    return shards_lacking(game, seat, card) <= game.bench[seat, Shard.TRANSPARENT]


@helper
def shards_lacking(game: Any, seat: int, card: int) -> int:
    """How many coloured shards of a card are not on a Workbench (MUR-6.1)."""
    lacking = 0
    for colour in range(COLOURS):
        lacking += max(game.recipe[card, colour] - game.bench[seat, colour], 0)
    return lacking


@kernel
def make(game: Any, replaced: np.ndarray) -> None:
    """Make the card in position 1; the Negotiate step is over (MUR-6.1 to 6.3, 11.5, 12.1)."""
    seat = game.seat
    card = remove_card(game.hand[seat], 0, game.hand_size[seat])
    game.hand_size[seat] -= 1
    transparent = pay_shards(game, seat, card, replaced)
    paid = BENCH_LIMIT - game.bench_size[seat]
    if game.grandmaster:
        paid -= transparent
    game.lira[seat] += paid
    game.quotation = paid == BENCH_LIMIT
    game.works_made += 1
    if game.works_made == 2:
        game.lira[seat] += SECOND_WORK_PAYS
    game.follow_up = NOBODY
    game.works[seat, game.works_size[seat]] = card
    game.works_size[seat] += 1
    count_work(game, seat, card, 1)
    if game.hand_size[seat] == 0:
        game.last_round = 1


@kernel
def pay_shards(game: Any, seat: int, card: int, replaced: np.ndarray) -> int:
    """The shards of a card go to the Warehouse; returns how many were transparent (MUR-6.1)."""
    transparent = 0
    for colour in range(COLOURS):
        coloured = game.recipe[card, colour] - replaced[colour]
        transparent += replaced[colour]
        game.bench[seat, colour] -= coloured
        game.warehouse[colour] += coloured
    game.bench[seat, Shard.TRANSPARENT] -= transparent
    game.warehouse[Shard.TRANSPARENT] += transparent
    game.bench_size[seat] -= game.recipe[card].sum()
    return transparent


# ---- 7 Any time


@helper
def offer_any_time(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer what is open between any two steps of the own turn (MUR-7, 11.6)."""
    others = max(game.hand_size[game.seat] - 1, 0)
    if game.lira[game.seat] > 0:
        count = offer_run(AT.reorder.start, others, actions, count)
        count = offer(AT.turn_ring.start, True, actions, count)
    if game.owl == game.seat:
        count = offer_run(AT.owl.start, others, actions, count)
    return offer_advantages(game, actions, count)


@kernel
def reorder(game: Any, place: int) -> None:
    """Pay 1L, put the card in position 1 at another place (MUR-7.1)."""
    seat = game.seat
    game.lira[seat] -= 1
    card = game.hand[seat, 0]
    for earlier in range(place):
        game.hand[seat, earlier] = game.hand[seat, earlier + 1]
    game.hand[seat, place] = card


@kernel
def pay_for_ring(game: Any) -> None:
    """MUR-7.2."""
    game.lira[game.seat] -= 1
    turn_ring(game, 1)


@kernel
def send_owl(game: Any, place: int) -> None:
    """Give the Owl to the right, bring a card to the front (MUR-11.6)."""
    seat = game.seat
    game.owl = right_of(game, seat)
    card = game.hand[seat, place]
    for later in range(place, 0, -1):
        game.hand[seat, later] = game.hand[seat, later - 1]
    game.hand[seat, 0] = card


# ---- 16 Decisions


@helper
def offer_done(actions: np.ndarray, count: int) -> int:
    """Offer to be done, or to pass."""
    return offer(AT.done.start, True, actions, count)


@kernel
def legal(game: Any, actions: np.ndarray) -> int:
    """Write the ids of all legal actions of the mover of a game that goes on; return how many there are."""
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
def offer_choice(game: Any, actions: np.ndarray, count: int) -> int:
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
        return offer_shards_of_others(game, COLOURS, NOBODY, actions, count)
    if phase == Phase.DEALER:
        return offer_deals(game, actions, count)
    if phase == Phase.COLLECTOR:
        return offer_own_shards(game, actions, count)
    if phase == Phase.COLLECTOR_PARTNER:
        return offer_shards_of_others(game, SHARD_KINDS, game.chosen_shard, actions, count)
    return offer_fullest_markets(game, actions, count)


@helper
def offer_turn(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every step of the turn that is open (MUR-3)."""
    if not game.selector_set:
        count = offer(AT.turn_selector.start, True, actions, count)
    elif may_take(game):
        count = offer(AT.take_pair.start, True, actions, count)
    if may_negotiate(game):
        count = offer_negotiations(game, actions, count)
    if may_create(game):
        count = offer_works(game, actions, count)
        count = offer(AT.end_turn.start, True, actions, count)
    return offer_any_time(game, actions, count)


@kernel
def offer_fullest_markets(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer the markets of which none holds more (MUR-10.1)."""
    for market in range(MARKETS):
        count = offer(AT.market.start + market, is_fullest(game, market), actions, count)
    return count


@kernel
def apply(game: Any, action: int) -> None:
    """Play one legal action."""
    if action < AT.exchange.start:
        apply_step(game, action)
    elif action < AT.exchange.stop:
        number = action - AT.exchange.start
        exchange(game, number // MARKETS, number % MARKETS)
    elif action < AT.buy.stop:
        buy(game, action - AT.buy.start)
    elif action < AT.sell.stop:
        sell(game, action - AT.sell.start)
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
def apply_step(game: Any, action: int) -> None:
    """Play one of the first actions: Selector, pair, take, give up, done."""
    if action < AT.turn_selector.stop:
        choose_pair(game)
    elif action < AT.take_pair.stop:
        take_pair(game)
    elif action < AT.take.stop:
        take(game, action - AT.take.start)
    elif action < AT.give_up.stop:
        give_up(game, action - AT.give_up.start)
    else:
        be_done(game)


@kernel
def apply_choice(game: Any, action: int) -> None:
    """Play a choice that an Advantage or a Challenge card demands."""
    if action < AT.arrange.stop:
        arrange(game, action - AT.arrange.start)
    elif action < AT.lift.stop:
        number = action - AT.lift.start
        lift(game, number // SHARD_KINDS, number % SHARD_KINDS)
    elif action < AT.market.stop:
        choose_market(game, action - AT.market.start)
    elif action < AT.turn_by.stop:
        turn_by(game, action - AT.turn_by.start + 1)
    elif action < AT.swap.stop:
        number = action - AT.swap.start
        swap(game, number // COLOURS, number % COLOURS)
    else:
        number = action - AT.neighbour.start
        meet_neighbour(game, neighbour_of(game, game.seat, number // SHARD_KINDS + 1), number % SHARD_KINDS)


@kernel
def take(game: Any, kind: int) -> None:
    """A shard from the Warehouse, for what is under way (MUR-4.2, 8.1, 8.2, 8.5)."""
    if game.phase == Phase.REPLACE:
        take_shard(game, game.seat, kind)
        game.missing -= 1
        ask_replacement(game)
    elif game.phase == Phase.EXPERT_PICKS:
        pick_as_expert(game, kind)
    else:
        receive(game, kind)


@kernel
def give_up(game: Any, kind: int) -> None:
    """A shard of one's own, for what is under way (MUR-4.3, 9.5, 9.6)."""
    seat = game.seat
    if game.phase == Phase.COLLECTOR:
        game.chosen_shard = kind
        game.phase = Phase.COLLECTOR_PARTNER
        return
    return_shard(game, seat, kind)
    if game.phase == Phase.CLUMSINESS:
        ask_next_clumsy(game, seat)
    else:
        settle(game, seat)


@helper
def be_done(game: Any) -> None:
    """Done with what is under way; in an open turn it is the pass (MUR-4.2, 5.3, 5.4, 8.5, 8.15)."""
    if game.phase == Phase.TURN:
        pass_negotiation(game)
    elif game.phase == Phase.REPLACE:
        game.missing -= 1
        ask_replacement(game)
    elif game.phase == Phase.SELL:
        end_sale(game)
    elif game.phase == Phase.EXPERT_PICKS:
        end_expert_picks(game)
    else:
        resume(game)


@kernel
def choose_market(game: Any, market: int) -> None:
    """The goal of a shard, or the market to be emptied (MUR-8.13, 10.1)."""
    if game.phase == Phase.TRAVELLER_GOAL:
        set_down(game, market)
    else:
        empty_market(game, market)


@kernel
def meet_neighbour(game: Any, other: int, kind: int) -> None:
    """Another player and a kind of shard, for what is under way (MUR-9.3, 9.4, 9.6)."""
    if game.phase == Phase.AUTHORITARIAN:
        requisition(game, other, kind)
    elif game.phase == Phase.DEALER:
        deal_with(game, other, kind)
    else:
        collect_from(game, other, kind)


@helper
def end_turn(game: Any) -> None:
    """MUR-3.3; in solo a Challenge card follows (MUR-10.1)."""
    if game.num_players == SOLO:
        end_solo_turn(game)
    else:
        next_turn(game)
