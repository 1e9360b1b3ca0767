"""The four interactive cards of the Glass Festival, 17 to 20 (MUR-9.0, 9.3 to 9.6). How they are drawn (9.2) is in `set_up`."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions
from murano_env.actions import AT
from murano_env.constants import COLOURS, SHARD_KINDS, Advantage, Phase, Shard
from murano_env.rules.collect import settle
from murano_env.rules.piles import hand_over_shard, return_shard
from murano_env.rules.turn import left_of, resume, seat_to_left
from murano_env.types import State

# ---- 9.0 All four


@kernel
def can_use_interactive(game: State, seat: int, card: int) -> bool:
    """Whether the cost of a card is at hand and each step it demands has a legal choice (MUR-9.3 to 9.6)."""
    if card == Advantage.AUTHORITARIAN:
        return game.lira[seat] > 0 and others_have_colour(game, seat)
    if card == Advantage.DEALER:
        return game.bench_size[seat] > 0 and others_have_lira(game, seat)
    if card == Advantage.CLUMSINESS:
        return somebody_has_a_shard(game)
    return some_collection_is_possible(game, seat)


@kernel
def use_interactive(game: State, card: int) -> None:
    """All four can be used any time in one's own turn, and begin with a choice (MUR-9.0, 9.3 to 9.6)."""
    if card == Advantage.AUTHORITARIAN:
        game.phase = Phase.AUTHORITARIAN
    elif card == Advantage.DEALER:
        game.phase = Phase.DEALER
    elif card == Advantage.CLUMSINESS:
        begin_clumsiness(game)
    else:
        game.phase = Phase.COLLECTOR


@kernel
def offer_shards_of_others(game: State, kinds: int, unlike: int, actions: Actions, count: int) -> int:
    """Offer every shard of the other players of the first so many kinds, but one (MUR-9.3, 9.6)."""
    for steps in range(1, game.num_players):
        other = seat_to_left(game, game.seat, steps)
        for kind in range(kinds):
            is_there = kind != unlike and game.bench[other, kind] > 0
            count = offer(AT.neighbour.start + (steps - 1) * SHARD_KINDS + kind, is_there, actions, count)
    return count


# ---- 9.3 Authoritarian


@helper
def others_have_colour(game: State, seat: int) -> bool:
    """Whether another player has a coloured shard (MUR-9.3)."""
    for other in range(game.num_players):
        if other != seat and game.bench_size[other] > game.bench[other, Shard.TRANSPARENT]:
            return True
    return False


@helper
def offer_requisitions(game: State, actions: Actions, count: int) -> int:
    """Offer every coloured shard of the other players (MUR-9.3)."""
    return offer_shards_of_others(game, COLOURS, NOBODY, actions, count)


@kernel
def requisition(game: State, other: int, kind: int) -> None:
    """MUR-9.3."""
    game.lira[game.seat] -= 1
    game.lira[other] += 1
    hand_over_shard(game, other, game.seat, kind)
    settle(game, game.seat)


# ---- 9.4 Dealer


@helper
def others_have_lira(game: State, seat: int) -> bool:
    """Whether another player can pay (MUR-9.4)."""
    for other in range(game.num_players):
        if other != seat and game.lira[other] > 0:
            return True
    return False


@kernel
def offer_deals(game: State, actions: Actions, count: int) -> int:
    """Offer every own shard to every player who can pay (MUR-9.4)."""
    for steps in range(1, game.num_players):
        if game.lira[seat_to_left(game, game.seat, steps)] > 0:
            for kind in range(SHARD_KINDS):
                is_there = game.bench[game.seat, kind] > 0
                count = offer(AT.neighbour.start + (steps - 1) * SHARD_KINDS + kind, is_there, actions, count)
    return count


@kernel
def deal_with(game: State, other: int, kind: int) -> None:
    """MUR-9.4; the other player may have to return a shard (MUR-4.3)."""
    game.lira[other] -= 1
    game.lira[game.seat] += 1
    hand_over_shard(game, game.seat, other, kind)
    settle(game, other)


# ---- 9.5 Clumsiness


@helper
def somebody_has_a_shard(game: State) -> bool:
    """Whether any Workbench holds a shard (MUR-9.5)."""
    for seat in range(game.num_players):
        if game.bench_size[seat] > 0:
            return True
    return False


@kernel
def begin_clumsiness(game: State) -> None:
    """The user is asked first; those without shards are skipped (MUR-9.5)."""
    game.phase = Phase.CLUMSINESS
    if game.bench_size[game.turn] == 0:
        ask_next_clumsy(game, game.turn)


@helper
def drop_shard(game: State, kind: int) -> None:
    """A player returns a shard; the next one is asked (MUR-9.5)."""
    return_shard(game, game.seat, kind)
    ask_next_clumsy(game, game.seat)


@kernel
def ask_next_clumsy(game: State, seat: int) -> None:
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
def has_partner(game: State, seat: int, kind: int) -> bool:
    """Whether another player has a shard of another kind (MUR-9.6)."""
    for other in range(game.num_players):
        if other != seat and game.bench_size[other] > game.bench[other, kind]:
            return True
    return False


@kernel
def some_collection_is_possible(game: State, seat: int) -> bool:
    """Whether an own shard can be exchanged (MUR-9.6)."""
    for kind in range(SHARD_KINDS):
        if game.bench[seat, kind] > 0 and has_partner(game, seat, kind):
            return True
    return False


@kernel
def offer_own_shards(game: State, actions: Actions, count: int) -> int:
    """Offer every own kind for which there is another one elsewhere (MUR-9.6)."""
    for kind in range(SHARD_KINDS):
        can_go = game.bench[game.seat, kind] > 0 and has_partner(game, game.seat, kind)
        count = offer(AT.give_up.start + kind, can_go, actions, count)
    return count


@helper
def choose_own_shard(game: State, kind: int) -> None:
    """The own shard stays where it is until the other player's is chosen (MUR-9.6)."""
    game.chosen_shard = kind
    game.phase = Phase.COLLECTOR_PARTNER


@helper
def offer_partners(game: State, actions: Actions, count: int) -> int:
    """Offer every shard of the other players of another kind than the own one (MUR-9.6)."""
    return offer_shards_of_others(game, SHARD_KINDS, game.chosen_shard, actions, count)


@kernel
def collect_from(game: State, other: int, kind: int) -> None:
    """MUR-9.6."""
    hand_over_shard(game, game.seat, other, game.chosen_shard)
    hand_over_shard(game, other, game.seat, kind)
    game.chosen_shard = NOBODY
    resume(game)
