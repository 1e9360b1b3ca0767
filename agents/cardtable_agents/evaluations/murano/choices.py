"""The best of a choice that is still open in Murano: what it can bring, and the turn after it."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable_agents.evaluations.murano.plans import plan
from cardtable_agents.evaluations.murano.scratch import Scratch
from murano_env.constants import COLOURS, NOTCHES, SHARD_KINDS, Phase, Shard
from murano_env.information import place_in
from murano_env.types import State


@kernel
def others_have(game: State, seat: int, kind: int) -> bool:
    """Whether another player has a shard of a kind."""
    for other in range(game.num_players):
        if other != seat and game.bench[other, kind] > 0:
            return True
    return False


@kernel
def may_come(game: State, seat: int, kind: int) -> bool:
    """Whether the choice under way can bring a shard of a kind."""
    phase, is_there = game.phase, game.warehouse[kind] > 0
    if phase == Phase.PRESENT:
        return kind <= Shard.GREEN and is_there
    if phase == Phase.GIFT:
        return Shard.YELLOW <= kind <= Shard.BLUE and is_there
    if phase == Phase.OPPORTUNIST or phase == Phase.OPPORTUNIST_AGAIN:
        return kind < COLOURS and is_there
    return (kind < COLOURS or phase != Phase.AUTHORITARIAN) and others_have(game, seat, kind)


@kernel
def plan_with_shard(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Plan with every shard that the choice under way can bring."""
    for kind in range(SHARD_KINDS):
        if may_come(game, seat, kind):
            scratch.bench.now[kind] += 1
            plan(game, seat, lira, scratch)
            scratch.bench.now[kind] -= 1


@kernel
def plan_without_shard(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Plan without one of the own shards."""
    for kind in range(SHARD_KINDS):
        if scratch.bench.now[kind] > 0:
            scratch.bench.now[kind] -= 1
            plan(game, seat, lira, scratch)
            scratch.bench.now[kind] += 1


@kernel
def plan_with_swap(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Plan with another shard in place of an own one, of the one that was chosen if one was (MUR-8.15, 9.6)."""
    for kind in range(SHARD_KINDS):
        if scratch.bench.now[kind] > 0 and (game.chosen_shard == NOBODY or game.chosen_shard == kind):
            scratch.bench.now[kind] -= 1
            plan_with_shard(game, seat, lira, scratch)
            scratch.bench.now[kind] += 1


@kernel
def plan_with_ring(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Plan with the Ring in every position (MUR-8.16)."""
    before = game.ring_offset
    for offset in range(NOTCHES):
        game.ring_offset = offset
        plan(game, seat, lira, scratch)
    game.ring_offset = before


@kernel
def plan_with_order(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Plan with every card that can come next in the new order (MUR-8.8)."""
    size, picked = int(game.hand_size[seat]), int(game.arranged_size)
    place = picked
    for old in range(size):
        if place_in(game.arranged, picked, old) < 0:
            scratch.cards[place] = game.hand[seat, old]
            place += 1
    for number in range(picked):
        scratch.cards[number] = game.hand[seat, game.arranged[number]]
    for place in range(picked, size):
        scratch.cards[picked], scratch.cards[place] = scratch.cards[place], scratch.cards[picked]
        plan(game, seat, lira, scratch)
        scratch.cards[picked], scratch.cards[place] = scratch.cards[place], scratch.cards[picked]


@kernel
def plan_choice(game: State, seat: int, lira: float, scratch: Scratch) -> None:
    """Make the best of the choice under way, and of the turn after it (MUR-3.4)."""
    phase = game.phase
    if phase == Phase.PRESENT or phase == Phase.GIFT:
        plan_with_shard(game, seat, lira, scratch)
    elif phase == Phase.AUTHORITARIAN:
        plan_with_shard(game, seat, lira - 1, scratch)
    elif phase == Phase.DEALER:
        plan_without_shard(game, seat, lira + 1, scratch)
    elif phase == Phase.OPPORTUNIST or phase == Phase.COLLECTOR or phase == Phase.COLLECTOR_PARTNER:
        plan_with_swap(game, seat, lira, scratch)
    elif phase == Phase.VISIONARY:
        plan_with_ring(game, seat, lira, scratch)
    elif phase == Phase.MAGICIAN:
        plan_with_order(game, seat, lira, scratch)
    else:
        plan(game, seat, lira + game.sale, scratch)
        if phase == Phase.OPPORTUNIST_AGAIN:
            plan_with_swap(game, seat, lira, scratch)


@helper
def owes_a_shard(game: State, seat: int) -> bool:
    """Whether a seat has still to return a shard under card 19 (MUR-9.5)."""
    if game.phase != Phase.CLUMSINESS or game.bench_size[seat] == 0:
        return False
    return (seat - game.turn) % game.num_players >= (game.seat - game.turn) % game.num_players
