"""Create (MUR-6): works are made of shards, and pay."""

import numpy as np

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions, Integers
from murano_env.actions import AT, MAKE, REPLACED
from murano_env.constants import BENCH_LIMIT, COLOURS, SECOND_WORK_PAYS, Shard
from murano_env.rules.grandmaster import cost_of_transparent
from murano_env.rules.piles import count_work, remove_card
from murano_env.scoring import begin_last_round
from murano_env.types import State

REPLACEMENTS: Integers = np.array(REPLACED, np.int16)
"""The number within the block `make` -> how many shards of each colour transparent ones stand for (MUR-6.1)."""

# ---- 6.1 The shards of a work


@kernel
def offer_works(game: State, actions: Actions, count: int) -> int:
    """Offer the card in position 1 in every way its shards are there, transparent ones for any colours (MUR-6.1)."""
    seat = game.seat
    if game.hand_size[seat] == 0 or not can_make(game, seat, game.hand[seat, 0]):
        return count
    card, transparent = game.hand[seat, 0], game.bench[seat, Shard.TRANSPARENT]
    for red in range(fewest(game, card, Shard.RED), game.recipe[card, Shard.RED] + 1):
        for green in range(fewest(game, card, Shard.GREEN), game.recipe[card, Shard.GREEN] + 1):
            for yellow in range(fewest(game, card, Shard.YELLOW), game.recipe[card, Shard.YELLOW] + 1):
                for blue in range(fewest(game, card, Shard.BLUE), game.recipe[card, Shard.BLUE] + 1):
                    enough = red + green + yellow + blue <= transparent
                    count = offer(AT.make.start + MAKE[red, green, yellow, blue], enough, actions, count)
    return count


@helper
def fewest(game: State, card: int, colour: int) -> int:
    """How many shards of a colour must be replaced because the mover lacks them (MUR-6.1)."""
    return max(game.recipe[card, colour] - game.bench[game.seat, colour], 0)


@kernel
def can_make(game: State, seat: int, card: int) -> bool:
    """Whether the shards of a card are there, transparent ones included (MUR-6.1)."""
    return shards_lacking(game, seat, card) <= game.bench[seat, Shard.TRANSPARENT]


@helper
def shards_lacking(game: State, seat: int, card: int) -> int:
    """How many coloured shards of a card are not on a Workbench (MUR-6.1)."""
    lacking = 0
    for colour in range(COLOURS):
        lacking += max(game.recipe[card, colour] - game.bench[seat, colour], 0)
    return lacking


@kernel
def pay_shards(game: State, seat: int, card: int, replaced: Integers) -> int:
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


# ---- 6.2, 6.3 The work


@kernel
def make(game: State, replaced: Integers) -> None:
    """Make the card in position 1; the last card of the hand begins the last round (MUR-6.1 to 6.3, 12.1)."""
    seat = game.seat
    card = remove_card(game.hand[seat], 0, game.hand_size[seat])
    game.hand_size[seat] -= 1
    transparent = pay_shards(game, seat, card, replaced)
    pay_work(game, seat, BENCH_LIMIT - game.bench_size[seat] - cost_of_transparent(game, transparent))
    game.follow_up = NOBODY
    game.works[seat, game.works_size[seat]] = card
    game.works_size[seat] += 1
    count_work(game, seat, card, 1)
    if game.hand_size[seat] == 0:
        begin_last_round(game)


@helper
def pay_work(game: State, seat: int, paid: int) -> None:
    """The Lira of a work, and 2L more for the second of a turn (MUR-6.2, 6.3); card 14 looks at the work itself (MUR-8.14)."""
    game.lira[seat] += paid
    game.quotation = paid == BENCH_LIMIT
    game.works_made += 1
    if game.works_made == 2:
        game.lira[seat] += SECOND_WORK_PAYS
