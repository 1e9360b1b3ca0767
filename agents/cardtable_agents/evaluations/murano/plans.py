"""The best turn that a seat of Murano can have next, or can make of the current one."""

import numpy as np

from cardtable.engine.jit import helper, kernel
from cardtable_agents.evaluations.evaluation import Doubles
from cardtable_agents.evaluations.murano.features import bonus_of_work, pay_for_work, take_needed, weigh_bench
from cardtable_agents.evaluations.murano.scratch import Scratch, copy_bench, keep_if_better
from cardtable_agents.evaluations.murano.weights import FEATURES
from murano_env.constants import (
    BUY_PRICE,
    MARKETS,
    MERCHANT_PAYS,
    NOTCHES,
    NOTCHES_PER_MARKET,
    SELL_PAYS,
    SHARD_KINDS,
    Phase,
    Shard,
)
from murano_env.rules.piles import first_notch, has_free_place, ring_shard
from murano_env.types import State

# ---- How far a seat's turn has come


@helper
def has_acted(game: State, seat: int) -> bool:
    """Whether a seat's Negotiate step of this round is over, so that it plans its next turn."""
    if seat != game.turn:
        return seat < game.turn
    return game.turn_over == 1 or game.passed == 1 or game.works_made > 0 or game.negotiations > game.privilege


@helper
def notch_of(game: State, turns: int) -> int:
    """The notch that the Selector will point at in the turn so many after this one."""
    return (game.selector + (game.selector_set == 0) + turns) % NOTCHES


# ---- Collect


@helper
def add_shard(game: State, kind: int, bench: Doubles) -> None:
    """Take a shard; for one that the Warehouse lacks any kind can be chosen, as good as a transparent one (MUR-4.2)."""
    if game.warehouse[kind] > 0:
        bench[kind] += 1
    else:
        bench[Shard.TRANSPARENT] += 1


@kernel
def add_pair(game: State, notch: int, bench: Doubles) -> None:
    """Take a pair (MUR-4.1)."""
    add_shard(game, int(game.circle[notch]), bench)
    add_shard(game, int(ring_shard(game, notch)), bench)


# ---- Create


@kernel
def try_works(game: State, seat: int, place: int, lira: float, scratch: Scratch) -> None:
    """Make as many works as is best from `bench.tried`, and keep the value if it is the best of the turn."""
    bench, size, made = scratch.bench.left, int(game.hand_size[seat]), 0
    copy_bench(scratch.bench.tried, bench)
    while True:
        value = lira if game.last_round else weigh_bench(game, seat, place, lira, bench, scratch)
        keep_if_better(scratch.best_turn, value, scratch.features)
        if place == size:
            return
        earned = pay_for_work(game, scratch.cards[place], bench)
        if earned < 0:
            return
        made += 1
        lira += earned + bonus_of_work(game, place, made, scratch.worth)
        place += 1


# ---- Negotiate


@helper
def exchange(game: State, market: int, kind: int, expert: int, scratch: Scratch) -> None:
    """Exchange a shard of a kind at a market (MUR-5.1): for the coloured shards there, and for an Expert a transparent one."""
    bench, connected = scratch.bench.tried, 0.0
    copy_bench(scratch.bench.now, bench)
    bench[kind] -= 1
    for notch in range(first_notch(market), first_notch(market) + NOTCHES_PER_MARKET):
        shard = ring_shard(game, notch)
        if shard == Shard.TRANSPARENT:
            connected = 1.0
        elif game.warehouse[shard] > 0:
            bench[shard] += 1
    bench[Shard.TRANSPARENT] += connected * expert


@kernel
def try_exchanges(game: State, seat: int, place: int, lira: float, expert: int, scratch: Scratch) -> None:
    """Every own shard at every market with a free place (MUR-5.1); `expert` is 1 for the exchange of card 5 (MUR-8.5)."""
    own = scratch.bench.now
    for market in range(MARKETS):
        for kind in range(SHARD_KINDS):
            if has_free_place(game, market) and own[kind] > 0:
                exchange(game, market, kind, expert, scratch)
                try_works(game, seat, place, lira, scratch)


@kernel
def try_buys(game: State, seat: int, place: int, lira: float, scratch: Scratch) -> None:
    """Every market with shards (MUR-5.2)."""
    own, bench = scratch.bench.now, scratch.bench.tried
    for market in range(MARKETS):
        if game.market_size[market] > 0:
            for kind in range(SHARD_KINDS):
                bench[kind] = own[kind] + game.market[market, kind]
            try_works(game, seat, place, lira, scratch)


@helper
def sell(game: State, place: int, cards: int, scratch: Scratch) -> float:
    """Sell all shards but those that the next cards of the hand need; return how many that are."""
    own, bench, spare, sold = scratch.bench.now, scratch.bench.tried, scratch.bench.spare, 0.0
    copy_bench(own, spare)
    for number in range(cards):
        take_needed(game, scratch.cards[place + number], spare)
    for kind in range(SHARD_KINDS):
        sold += spare[kind]
        bench[kind] = own[kind] - spare[kind]
    return sold


@kernel
def try_sales(game: State, seat: int, place: int, lira: float, scratch: Scratch) -> None:
    """Sell all shards, or all but those that the first card or the first two need (MUR-5.3)."""
    for cards in range(min(int(game.hand_size[seat]) - place, 2) + 1):
        if sell(game, place, cards, scratch) > 0:
            try_works(game, seat, place, lira, scratch)


@kernel
def try_negotiations(game: State, seat: int, place: int, lira: float, scratch: Scratch) -> None:
    """Every negotiation with the Workbench as it is, and the works after it (MUR-5)."""
    try_exchanges(game, seat, place, lira, 0, scratch)
    if lira >= BUY_PRICE:
        try_buys(game, seat, place, lira - BUY_PRICE, scratch)
    try_sales(game, seat, place, lira + SELL_PAYS, scratch)


@kernel
def try_bound_action(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """The action that card 3, 4 or 5 demands (MUR-8.3 to 8.5)."""
    if game.phase == Phase.FREE:
        try_buys(game, seat, 0, lira, scratch)
    elif game.phase == Phase.MERCHANT:
        try_sales(game, seat, 0, lira + MERCHANT_PAYS, scratch)
    else:
        try_exchanges(game, seat, 0, lira, 1, scratch)


# ---- The turn


@kernel
def try_current_turn(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Make the best of a turn whose Negotiate step is not over."""
    takes = 1
    if seat == game.turn:
        if Phase.FREE <= game.phase <= Phase.EXPERT:
            try_bound_action(game, seat, lira, scratch)
            return
        if game.negotiations > 0:  # the second one of card 10 may be left out (MUR-8.10)
            copy_bench(scratch.bench.now, scratch.bench.tried)
            try_works(game, seat, 0, lira, scratch)
        takes = 0 if game.collect_closed else 1 + game.repetition - game.takes
    for _ in range(takes):
        add_pair(game, notch_of(game, seat - game.turn), scratch.bench.now)
    try_negotiations(game, seat, 0, lira, scratch)


@kernel
def try_next_turn(game: State, seat: int, place: int, lira: float, scratch: Scratch) -> None:
    """Make the best of the turn in the next round."""
    copy_bench(scratch.bench.kept, scratch.bench.now)
    add_pair(game, notch_of(game, game.num_players + seat - game.turn), scratch.bench.now)
    try_negotiations(game, seat, place, lira, scratch)


@kernel
def conclude(game: State, seat: int, place: int, lira: float, scratch: Scratch) -> None:
    """Blend the best turn with the Workbench that it began with, as others may spoil it; keep the plan if it is the best."""
    best, features = scratch.best_turn, scratch.features
    value = max(best.value, lira)
    if not game.last_round:
        trust = scratch.trust if best.value > -np.inf else 0.0
        value = trust * value + (1 - trust) * weigh_bench(game, seat, place, lira, scratch.bench.now, scratch)
        for k in range(FEATURES):
            features[k] = trust * best.features[k] + (1 - trust) * features[k]
    keep_if_better(scratch.best_plan, value, features)


@kernel
def plan_current_turn(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Plan a turn whose Negotiate step is not over."""
    scratch.best_turn.value = -np.inf
    try_current_turn(game, seat, lira, scratch)
    conclude(game, seat, 0, lira, scratch)


@kernel
def plan_next_turn(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Plan the next turn; before that, the seat whose turn it is may still make works in this one."""
    place, made = 0, int(game.works_made)
    while True:
        scratch.best_turn.value = -np.inf
        if not game.last_round:
            try_next_turn(game, seat, place, lira, scratch)
        conclude(game, seat, place, lira, scratch)
        if place == game.hand_size[seat] or seat != game.turn or game.turn_over:
            return
        earned = pay_for_work(game, scratch.cards[place], scratch.bench.kept)
        if earned < 0:
            return
        made += 1
        lira += earned + bonus_of_work(game, place, made, scratch.worth)
        place += 1


@kernel
def plan(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Plan the best turn of a seat from the Workbench and the hand in `scratch`, and keep it if no other plan was better."""
    bench = scratch.bench
    copy_bench(bench.now, bench.start)
    copy_bench(bench.now, bench.kept)
    if has_acted(game, seat):
        plan_next_turn(game, seat, lira, scratch)
    else:
        plan_current_turn(game, seat, lira, scratch)
    copy_bench(bench.start, bench.now)
