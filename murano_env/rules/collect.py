"""Collect (MUR-4): the Selector, the pair, shards that are missing, shards over eight."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions
from murano_env.actions import AT
from murano_env.constants import SHARD_KINDS, Phase
from murano_env.rules.grandmaster import pass_gap
from murano_env.rules.piles import is_too_full, return_shard, ring_shard, take_shard, turn_selector
from murano_env.rules.turn import resume
from murano_env.types import State

# ---- 4.1 The Selector and the pair


@helper
def choose_pair(game: State) -> None:
    """Turn the Selector; Lira on the gap that it passes are due at once (MUR-4.1, 11.4)."""
    gap = game.selector
    turn_selector(game)
    game.selector_set = 1
    if gap != NOBODY and game.gap_lira[gap] > 0:
        pass_gap(game, gap)


@helper
def may_take(game: State) -> bool:
    """Whether a pair can be taken: one a turn, two under card 12, after the Selector was turned (MUR-4.1, 8.12)."""
    return game.selector_set == 1 and game.takes < 1 + game.repetition and not game.collect_closed


@helper
def take_pair(game: State) -> None:
    """Take both shards of the pair; for each that the Warehouse lacks one is chosen (MUR-4.1, 4.2)."""
    game.takes += 1
    take_or_miss(game, game.circle[game.selector])
    take_or_miss(game, ring_shard(game, game.selector))
    ask_replacement(game)


@helper
def take_or_miss(game: State, kind: int) -> None:
    """Take a shard if it is there."""
    if game.warehouse[kind] > 0:
        take_shard(game, game.seat, kind)
    else:
        game.missing += 1


# ---- 4.2 Missing shards


@helper
def ask_replacement(game: State) -> None:
    """Ask for a missing shard; when none is missing any more, the take is complete (MUR-4.2, 4.3)."""
    if game.missing > 0:
        game.phase = Phase.REPLACE
    else:
        settle(game, game.seat)


@kernel
def offer_stock(game: State, actions: Actions, count: int) -> int:
    """Offer every kind that the Warehouse has (MUR-4.2)."""
    for kind in range(SHARD_KINDS):
        count = offer(AT.take.start + kind, game.warehouse[kind] > 0, actions, count)
    return count


@helper
def take_replacement(game: State, kind: int) -> None:
    """A shard of any kind for one that is missing (MUR-4.2)."""
    take_shard(game, game.seat, kind)
    leave_out_replacement(game)


@helper
def leave_out_replacement(game: State) -> None:
    """One shard fewer is missing (MUR-4.2)."""
    game.missing -= 1
    ask_replacement(game)


# ---- 4.3 Shards over eight


@kernel
def settle(game: State, seat: int) -> None:
    """A take of this seat is complete: over eight shards it returns some, then the turn goes on (MUR-4.3)."""
    if is_too_full(game, seat):
        game.phase = Phase.RETURN
        game.seat = seat
    else:
        resume(game)


@kernel
def offer_own_bench(game: State, actions: Actions, count: int) -> int:
    """Offer every kind on the own Workbench (MUR-4.3)."""
    for kind in range(SHARD_KINDS):
        count = offer(AT.give_up.start + kind, game.bench[game.seat, kind] > 0, actions, count)
    return count


@helper
def return_surplus(game: State, kind: int) -> None:
    """A shard over eight goes back to the Warehouse (MUR-4.3)."""
    return_shard(game, game.seat, kind)
    settle(game, game.seat)
