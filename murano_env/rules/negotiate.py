"""Negotiate (MUR-5): Exchange, Buy, Sell, and the pass. The cards that change them are in `advantages`."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions
from murano_env.actions import AT
from murano_env.constants import (
    BUY_PRICE,
    MARKETS,
    NOTCHES_PER_MARKET,
    SELL_PAYS,
    SHARD_KINDS,
    FollowUp,
    Phase,
    Shard,
)
from murano_env.rules.collect import settle
from murano_env.rules.piles import (
    first_notch,
    has_free_place,
    put_on_market,
    return_shard,
    ring_shard,
    take_from_market,
    take_shard,
)
from murano_env.rules.turn import is_negotiate_open, resume
from murano_env.types import State


@helper
def may_negotiate(game: State) -> bool:
    """Whether a Negotiate action is left: one, or two under card 10 (MUR-5, 8.10)."""
    return is_negotiate_open(game) and game.negotiations < 1 + game.privilege


@helper
def offer_negotiations(game: State, actions: Actions, count: int) -> int:
    """Offer exchanges, Buys and Sells; a pass if there is none before the first action (MUR-5)."""
    before = count
    count = offer_exchanges(game, actions, count)
    if game.lira[game.seat] >= BUY_PRICE:
        count = offer_markets(game, actions, count)
    count = offer_sales(game, actions, count)
    if count == before and game.negotiations == 0:
        count = offer(AT.done.start, True, actions, count)  # MUR-5.4
    return count


@helper
def begin_action(game: State) -> None:
    """A Negotiate action (MUR-5): Collect is over, and the time for a card after the action before too (MUR-3.2, 8.6, 8.7)."""
    game.negotiations += 1
    game.collect_closed = 1
    game.follow_up = NOBODY


# ---- 5.1 Exchange


@kernel
def offer_exchanges(game: State, actions: Actions, count: int) -> int:
    """Offer every own shard at every market with a free place (MUR-5.1)."""
    for kind in range(SHARD_KINDS):
        if game.bench[game.seat, kind] > 0:
            for market in range(MARKETS):
                count = offer(AT.exchange.start + kind * MARKETS + market, has_free_place(game, market), actions, count)
    return count


@kernel
def exchange(game: State, kind: int, market: int) -> None:
    """Put a shard on a market; the coloured shards connected with it are taken (MUR-5.1)."""
    begin_exchange(game, kind, market)
    for notch in range(first_notch(market), first_notch(market) + NOTCHES_PER_MARKET):
        shard = ring_shard(game, notch)
        if shard != Shard.TRANSPARENT and game.warehouse[shard] > 0:
            take_shard(game, game.seat, shard)
    settle(game, game.seat)


@helper
def begin_exchange(game: State, kind: int, market: int) -> None:
    """A shard goes from the Workbench to a market (MUR-5.1)."""
    begin_action(game)
    game.bench[game.seat, kind] -= 1
    game.bench_size[game.seat] -= 1
    put_on_market(game, market, kind)


# ---- 5.2 Buy


@kernel
def offer_markets(game: State, actions: Actions, count: int) -> int:
    """Offer every market with a shard (MUR-5.2)."""
    for market in range(MARKETS):
        count = offer(AT.buy.start + market, game.market_size[market] > 0, actions, count)
    return count


@helper
def buy(game: State, market: int) -> None:
    """Take all shards of a market for 2L (MUR-5.2)."""
    game.lira[game.seat] -= BUY_PRICE
    take_market(game, market)


@kernel
def take_market(game: State, market: int) -> None:
    """A Buy, paid or not: all shards of a market come to the Workbench (MUR-5.2)."""
    begin_action(game)
    for kind in range(SHARD_KINDS):
        for _ in range(game.market[market, kind]):
            take_from_market(game, market, kind)
            game.bench[game.seat, kind] += 1
            game.bench_size[game.seat] += 1
    game.follow_up = FollowUp.GOURMAND
    settle(game, game.seat)


# ---- 5.3 Sell


@helper
def offer_sales(game: State, actions: Actions, count: int) -> int:
    """Offer every kind on the own Workbench (MUR-5.3)."""
    for kind in range(SHARD_KINDS):
        count = offer(AT.sell.start + kind, game.bench[game.seat, kind] > 0, actions, count)
    return count


@helper
def sell(game: State, kind: int) -> None:
    """Return a shard; the first one begins the Sell (MUR-5.3)."""
    if game.phase == Phase.TURN:
        begin_sale(game, SELL_PAYS)
    return_shard(game, game.seat, kind)


@helper
def begin_sale(game: State, pays: int) -> None:
    """A Sell begins that will pay so much (MUR-5.3)."""
    begin_action(game)
    game.sale = pays
    game.phase = Phase.SELL


@helper
def end_sale(game: State) -> None:
    """A Sell pays when it is done (MUR-5.3)."""
    game.lira[game.seat] += game.sale
    game.sale = 0
    game.follow_up = FollowUp.GAMBLER
    resume(game)


# ---- 5.4 The pass


@kernel
def pass_negotiation(game: State) -> None:
    """MUR-5.4."""
    game.passed = 1
    game.collect_closed = 1
