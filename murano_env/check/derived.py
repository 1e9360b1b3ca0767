"""What follows from other fields and is kept up to date for speed."""

from cardtable.engine.jit import kernel
from murano_env.check.shards import on_bench, on_market
from murano_env.constants import CATEGORIES, MARKETS
from murano_env.rules.piles import count_work
from murano_env.types import State


@kernel
def derive(game: State) -> None:
    """Fill in what shards and works amount to."""
    for market in range(MARKETS):
        game.market_size[market] = on_market(game, market)
    for seat in range(game.num_players):
        game.bench_size[seat] = on_bench(game, seat)
        for first in range(CATEGORIES):
            for second in range(CATEGORIES):
                game.ready[seat, first, second] = 0
        for place in range(game.works_size[seat]):
            if not game.set_aside[game.works[seat, place]]:
                count_work(game, seat, game.works[seat, place], 1)
