"""The order of the checks, and what stays the same through a game: seats that do not play, the edition (MUR-1.2)."""

from cardtable.engine.jit import kernel
from cardtable.types import Integers
from murano_env.check.choice import choice_can_arise
from murano_env.check.creations import check_creations
from murano_env.check.lira import lira_can_be_paid
from murano_env.check.shards import check_shards
from murano_env.check.turn import turn_can_arise
from murano_env.check.variants import check_variants
from murano_env.constants import (
    CATEGORIES,
    COLOURS,
    CREATION_KINDS,
    MOST_CATEGORIES,
    MOST_PLAYERS,
    RECIPE_SIZE,
    SHARD_KINDS,
    Fault,
)
from murano_env.rules.piles import number_of_categories
from murano_env.types import State


@kernel
def check_fixed(game: State) -> int:
    """The first `Fault` of what stays the same through a game, or 0."""
    for seat in range(game.num_players, MOST_PLAYERS):
        if not seat_is_blank(game, seat):
            return Fault.SEAT_DOES_NOT_PLAY
    return Fault.NONE if edition_can_be_played(game) else Fault.EDITION_CANNOT_BE_PLAYED


@kernel
def check(game: State, counts: Integers) -> int:
    """The first `Fault` of what moves, or 0. Every field is taken to be within its range; `counts` has space for all kinds."""
    players = game.num_players
    if game.seat >= players or game.turn >= players or game.owl >= players:
        return Fault.SEAT_DOES_NOT_PLAY
    fault = check_shards(game)
    if fault == Fault.NONE:
        fault = check_creations(game, counts)
    if fault == Fault.NONE:
        fault = check_variants(game)
    if fault == Fault.NONE and not lira_can_be_paid(game):
        fault = Fault.LIRA_CANNOT_HAVE_BEEN_PAID
    if fault == Fault.NONE and not turn_can_arise(game):
        fault = Fault.TURN_CANNOT_ARISE
    if fault == Fault.NONE and not choice_can_arise(game):
        fault = Fault.CHOICE_CANNOT_ARISE
    return fault


@kernel
def seat_is_blank(game: State, seat: int) -> bool:
    """Whether nothing is said of a seat that does not play."""
    something = game.lira[seat] != 0 or game.bench_size[seat] != 0 or game.mixed[seat] != 0
    something |= game.hand_size[seat] != 0 or game.works_size[seat] != 0
    something |= game.pack_size[seat] != 0 or game.drafted_size[seat] != 0
    for kind in range(SHARD_KINDS):
        something |= game.bench[seat, kind] != 0
    for first in range(CATEGORIES):
        for second in range(CATEGORIES):
            something |= game.ready[seat, first, second] != 0
    return not something


@kernel
def edition_can_be_played(game: State) -> bool:
    """Each Creation has four shards and one or two categories (MUR-1.2)."""
    for card in range(CREATION_KINDS):
        size = 0
        for colour in range(COLOURS):
            size += game.recipe[card, colour]
        categories = number_of_categories(game, card)
        if size != RECIPE_SIZE or categories < 1 or categories > MOST_CATEGORIES:
            return False
    return True
