"""Every shard is in one place, and no more of them than fit there (MUR-1.1, 1.5, 4.3)."""

from cardtable.engine.jit import kernel
from murano_env.components import COPIES
from murano_env.constants import (
    BENCH_LIMIT,
    MARKET_PLACES,
    MARKETS,
    MOST_ON_A_BENCH,
    NOTCHES_PER_MARKET,
    PAIR,
    SHARD_KINDS,
    Fault,
    Phase,
)
from murano_env.rules.piles import is_too_full
from murano_env.types import State


@kernel
def check_shards(game: State) -> int:
    """Every shard is in one place, and no more of them than fit there (MUR-1.1, 1.5, 4.3)."""
    for kind in range(SHARD_KINDS):
        shards = game.warehouse[kind]
        for market in range(MARKETS):
            shards += game.market[market, kind]
        for seat in range(game.num_players):
            shards += game.bench[seat, kind]
        if shards != COPIES[kind]:
            return Fault.SHARDS_ARE_NOT_THE_SET
    if game.first_shards_size != 0:
        return Fault.SHARDS_ARE_NOT_THE_SET
    for market in range(MARKETS):
        if game.market_size[market] != on_market(game, market) or game.market_size[market] > MARKET_PLACES:
            return Fault.COUNTS_ARE_NOT_THE_SHARDS
    for seat in range(game.num_players):
        if game.bench_size[seat] != on_bench(game, seat):
            return Fault.COUNTS_ARE_NOT_THE_SHARDS
        if game.bench_size[seat] > bench_limit(game, seat) or (game.phase == Phase.RETURN and not is_too_full(game, game.seat)):
            return Fault.WORKBENCH_IS_TOO_FULL
    return Fault.NONE


@kernel
def on_market(game: State, market: int) -> int:
    """How many shards a market holds."""
    shards = 0
    for kind in range(SHARD_KINDS):
        shards += game.market[market, kind]
    return shards


@kernel
def on_bench(game: State, seat: int) -> int:
    """How many shards a Workbench holds."""
    shards = 0
    for kind in range(SHARD_KINDS):
        shards += game.bench[seat, kind]
    return shards


@kernel
def bench_limit(game: State, seat: int) -> int:
    """Eight, and what a take under way has brought so far or brought to whoever returns shards (MUR-4.3)."""
    if seat != game.seat:
        return BENCH_LIMIT
    if game.phase == Phase.REPLACE:
        return BENCH_LIMIT + PAIR - game.missing
    if game.phase == Phase.EXPERT_PICKS:
        return BENCH_LIMIT - 1 + NOTCHES_PER_MARKET - shards_on_offer(game)
    if game.phase != Phase.RETURN:
        return BENCH_LIMIT
    if seat != game.turn or game.turn_over:
        return BENCH_LIMIT + 1  # MUR-9.4, 10.1
    return MOST_ON_A_BENCH if game.negotiations > 0 else BENCH_LIMIT + PAIR


@kernel
def shards_on_offer(game: State) -> int:
    """How many shards card 5 still offers (MUR-8.5)."""
    shards = 0
    for kind in range(SHARD_KINDS):
        shards += game.offered[kind]
    return shards
