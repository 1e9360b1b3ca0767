"""What is asked can be asked, of this seat, and something can be answered (MUR-3.4, 7.4)."""

from cardtable.engine.bits import holds
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from murano_env.check.shards import shards_on_offer
from murano_env.check.turn import has_used
from murano_env.constants import (
    COLOURS,
    MARKETS,
    MERCHANT_PAYS,
    NOTCHES_PER_MARKET,
    SELL_PAYS,
    SHARD_KINDS,
    Advantage,
    Challenge,
    Phase,
    Shard,
)
from murano_env.rules.advantages import can_travel_from, some_shard_can_travel, some_swap_is_possible
from murano_env.rules.challenge import is_fullest
from murano_env.rules.interactive import has_partner, others_have_colour, others_have_lira, some_collection_is_possible
from murano_env.rules.negotiate import may_negotiate
from murano_env.rules.piles import first_notch, ring_shard, some_market_has_a_place, some_market_has_a_shard
from murano_env.rules.turn import is_create_open, is_negotiate_open
from murano_env.types import State


@kernel
def choice_can_arise(game: State) -> bool:
    """What is asked can be asked, of this seat, and something can be answered (MUR-3.4, 7.4)."""
    if not choice_is_under_way(game) or not sale_is_right(game):
        return False
    phase = game.phase
    if game.seat != game.turn and phase != Phase.DRAFT and phase != Phase.RETURN and phase != Phase.CLUMSINESS:
        return False
    if game.turn_over:
        return is_create_open(game) and not game.last_round and challenge_can_ask(game)
    return step_can_arise(game)


@kernel
def choice_is_under_way(game: State) -> bool:
    """Whether what belongs to a choice is there in the phase of that choice, and in no other."""
    phase = game.phase
    if (game.missing > 0) != (phase == Phase.REPLACE) or (game.sale > 0) != (phase == Phase.SELL):
        return False
    if (game.chosen_market != NOBODY) != (phase == Phase.TRAVELLER_GOAL):
        return False
    if (game.chosen_shard != NOBODY) != (phase == Phase.TRAVELLER_GOAL or phase == Phase.COLLECTOR_PARTNER):
        return False
    if game.arranged_size > 0 and phase != Phase.MAGICIAN:
        return False
    return shards_on_offer(game) == 0 or phase == Phase.EXPERT_PICKS


@kernel
def sale_is_right(game: State) -> bool:
    """Whether a Sell under way pays what one pays, or what card 4 makes of it (MUR-5.3, 8.4)."""
    if game.sale == MERCHANT_PAYS:
        return has_used(game, game.turn, Advantage.MERCHANT)
    return game.sale == 0 or game.sale == SELL_PAYS


@kernel
def challenge_can_ask(game: State) -> bool:
    """Whether the Challenge card revealed last asks what is asked: a shard over eight, or one of the fullest markets."""
    card = game.revealed[game.revealed_size - 1]
    if game.phase == Phase.RETURN:
        return card < COLOURS
    fullest = 0
    for market in range(MARKETS):
        fullest += is_fullest(game, market)
    return game.phase == Phase.CHALLENGE and card == Challenge.MARKET and fullest > 1 and some_market_has_a_shard(game)


@kernel
def step_can_arise(game: State) -> bool:
    """The choices within a turn."""
    phase = game.phase
    if phase == Phase.CHALLENGE:
        return False
    if phase == Phase.REPLACE:
        return game.takes > 0 and not game.collect_closed and shards_are_missing(game)
    if phase == Phase.SELL:
        return game.negotiations > 0 and game.works_made == 0 and game.follow_up == NOBODY
    if phase == Phase.FREE:
        return is_bound(game, Advantage.FREE) and some_market_has_a_shard(game)
    if phase == Phase.MERCHANT:
        return is_bound(game, Advantage.MERCHANT) and game.bench_size[game.seat] > 0
    if phase == Phase.EXPERT:
        return is_bound(game, Advantage.EXPERT) and game.bench_size[game.seat] > 0 and some_market_has_a_place(game)
    if phase == Phase.EXPERT_PICKS:
        is_asked = has_used(game, game.turn, Advantage.EXPERT) and game.negotiations > 0 and is_negotiate_open(game)
        return is_asked and game.follow_up == NOBODY and offer_is_right(game)
    return card_can_ask(game)


@kernel
def shards_are_missing(game: State) -> bool:
    """Whether the Warehouse has none of the shards of the pair that are missing (MUR-4.2)."""
    first, second = game.circle[game.selector], ring_shard(game, game.selector)
    return game.missing <= int(game.warehouse[first] == 0) + int(game.warehouse[second] == 0)


@helper
def is_bound(game: State, card: int) -> bool:
    """Whether card 3, 4 or 5 can have bound the next action (MUR-8.3 to 8.5)."""
    return has_used(game, game.turn, card) and may_negotiate(game) and game.collect_closed == 1


@kernel
def offer_is_right(game: State) -> bool:
    """Whether some market with a shard is connected with all that is on offer (MUR-8.5)."""
    for market in range(MARKETS):
        if game.market_size[market] > 0 and market_can_offer(game, market):
            return True
    return False


@kernel
def market_can_offer(game: State, market: int) -> bool:
    """Whether all that is on offer is among the segments of a market (MUR-8.5)."""
    for kind in range(SHARD_KINDS):
        segments = 0
        for notch in range(first_notch(market), first_notch(market) + NOTCHES_PER_MARKET):
            segments += ring_shard(game, notch) == kind
        if game.offered[kind] > segments:
            return False
    return True


@kernel
def card_can_ask(game: State) -> bool:
    """The cards that can be used any time, and what they need (MUR-8, 9)."""
    phase, seat = game.phase, game.seat
    if phase == Phase.PRESENT:
        return has_used(game, seat, Advantage.PRESENT) and game.warehouse[Shard.RED] + game.warehouse[Shard.GREEN] > 0
    if phase == Phase.GIFT:
        return has_used(game, seat, Advantage.GIFT) and game.warehouse[Shard.YELLOW] + game.warehouse[Shard.BLUE] > 0
    if phase == Phase.MAGICIAN:
        return has_used(game, seat, Advantage.MAGICIAN) and game.mixed[seat] == 1 and arrangement_is_right(game)
    if phase == Phase.TRAVELLER:
        return has_used(game, seat, Advantage.TRAVELLER) and some_shard_can_travel(game)
    if phase == Phase.TRAVELLER_GOAL:
        can_go = can_travel_from(game, game.chosen_market) and game.market[game.chosen_market, game.chosen_shard] > 0
        return has_used(game, seat, Advantage.TRAVELLER) and can_go
    if phase == Phase.OPPORTUNIST:
        return has_used(game, seat, Advantage.OPPORTUNIST) and some_swap_is_possible(game, seat)
    if phase == Phase.OPPORTUNIST_AGAIN:
        return has_used(game, seat, Advantage.OPPORTUNIST)
    if phase == Phase.VISIONARY:
        return has_used(game, seat, Advantage.VISIONARY)
    return neighbours_can_be_asked(game)


@kernel
def neighbours_can_be_asked(game: State) -> bool:
    """The interactive cards, and what they need (MUR-9.3 to 9.6); all other phases ask nothing special."""
    phase, seat = game.phase, game.seat
    if phase == Phase.AUTHORITARIAN:
        return has_used(game, seat, Advantage.AUTHORITARIAN) and game.lira[seat] > 0 and others_have_colour(game, seat)
    if phase == Phase.DEALER:
        return has_used(game, seat, Advantage.DEALER) and game.bench_size[seat] > 0 and others_have_lira(game, seat)
    if phase == Phase.CLUMSINESS:
        return has_used(game, game.turn, Advantage.CLUMSINESS) and game.bench_size[seat] > 0
    if phase == Phase.COLLECTOR:
        return has_used(game, seat, Advantage.COLLECTOR) and some_collection_is_possible(game, seat)
    if phase == Phase.COLLECTOR_PARTNER:
        has_shard = game.bench[seat, game.chosen_shard] > 0 and has_partner(game, seat, game.chosen_shard)
        return has_used(game, seat, Advantage.COLLECTOR) and has_shard
    if phase == Phase.RETURN and seat != game.turn:
        return has_used(game, game.turn, Advantage.DEALER)
    return phase != Phase.RETURN or game.takes > 0 or some_card_brings_a_shard(game)


@kernel
def some_card_brings_a_shard(game: State) -> bool:
    """Whether a card can have brought the mover a shard before the first take (MUR-8.1, 8.2, 9.3)."""
    return (
        has_used(game, game.turn, Advantage.PRESENT)
        or has_used(game, game.turn, Advantage.GIFT)
        or has_used(game, game.turn, Advantage.AUTHORITARIAN)
    )


@kernel
def arrangement_is_right(game: State) -> bool:
    """Different positions of the hand, fewer than all but one (MUR-8.8)."""
    size = game.hand_size[game.seat]
    picked = 0
    for place in range(game.arranged_size):
        position = int(game.arranged[place])
        if position >= size or holds(picked, position):
            return False
        picked |= 1 << position
    return game.arranged_size + 1 < size
