"""Every Creation is in one place; hands, draft and works belong together (MUR-1.2, 2.2, 7.3, 9.1)."""

from cardtable.engine.bits import set_of
from cardtable.engine.jit import helper, kernel
from cardtable.types import Integers
from murano_env.constants import CATEGORIES, CREATION_KINDS, Fault, Phase
from murano_env.rules.set_up import full_hand
from murano_env.types import State

ALL_CARDS = 2**CREATION_KINDS - 1
CATEGORY_SETS = 2**CATEGORIES


@kernel
def check_creations(game: State, counts: Integers) -> int:
    """Every Creation is in one place; hands, draft and works belong together (MUR-2.2, 7.3, 9.1)."""
    if not creations_are_each_in_one_place(game):
        return Fault.CREATIONS_ARE_NOT_EACH_IN_ONE_PLACE
    if works_set_aside(game) != game.set_aside.sum():
        return Fault.WORK_WAS_NOT_MADE
    if game.deck_size != CREATION_KINDS - game.num_players * (full_hand(game) + game.draft):
        return Fault.HANDS_ARE_WRONG
    if not draft_is_right(game):
        return Fault.DRAFT_IS_WRONG
    for seat in range(game.num_players):
        if game.phase != Phase.DRAFT and game.hand_size[seat] + game.works_size[seat] != full_hand(game):
            return Fault.HANDS_ARE_WRONG
        if not works_are_counted(game, seat, counts):
            return Fault.COUNTS_ARE_NOT_THE_WORKS
    return Fault.NONE


@kernel
def creations_are_each_in_one_place(game: State) -> bool:
    """As many cards lie somewhere as there are, and each of them does (MUR-1.2)."""
    number = game.deck_size + game.box_size
    seen = set_of(game.deck, game.deck_size) | set_of(game.box, game.box_size)
    for seat in range(game.num_players):
        number += game.hand_size[seat] + game.works_size[seat] + game.pack_size[seat]
        seen |= cards_of(game, seat) | set_of(game.pack[seat], game.pack_size[seat])
    return number == CREATION_KINDS and seen == ALL_CARDS


@helper
def cards_of(game: State, seat: int) -> int:
    """The set of cards that a seat holds or has made."""
    return set_of(game.hand[seat], game.hand_size[seat]) | set_of(game.works[seat], game.works_size[seat])


@kernel
def works_set_aside(game: State) -> int:
    """How many works have been used (MUR-7.3)."""
    number = 0
    for seat in range(game.num_players):
        number += works_used_by(game, seat)
    return number


@kernel
def works_used_by(game: State, seat: int) -> int:
    """How many works a seat has used (MUR-7.3)."""
    number = 0
    for place in range(game.works_size[seat]):
        number += game.set_aside[game.works[seat, place]]
    return number


@kernel
def draft_is_right(game: State) -> bool:
    """What has been drafted is in hand or made; packs shrink by one a pick (MUR-9.1)."""
    if not game.draft:
        drafted = 0
        for seat in range(game.num_players):
            drafted += game.drafted_size[seat] + game.pack_size[seat]
        return drafted == 0 and game.box_size == 0 and game.phase != Phase.DRAFT
    if game.box_size != (0 if game.phase == Phase.DRAFT else game.num_players):
        return False
    for seat in range(game.num_players):
        if not seat_has_drafted(game, seat):
            return False
    return True


@kernel
def seat_has_drafted(game: State, seat: int) -> bool:
    """The draft of one seat (MUR-9.1)."""
    drafted = game.drafted_size[seat]
    if drafted != game.hand_size[seat] + game.works_size[seat]:
        return False
    if set_of(game.drafted[seat], drafted) != cards_of(game, seat):
        return False
    if game.phase != Phase.DRAFT:
        return drafted == full_hand(game) and game.pack_size[seat] == 0
    for place in range(drafted):
        if game.drafted[seat, place] != game.hand[seat, place]:
            return False
    picks = game.drafted_size[game.num_players - 1] + (seat < game.seat)
    return drafted == picks and game.works_size[seat] == 0 and game.pack_size[seat] == full_hand(game) + 1 - drafted


@kernel
def works_are_counted(game: State, seat: int, counts: Integers) -> bool:
    """The works that can be used, by categories (MUR-7.3)."""
    counts[:CATEGORY_SETS] = 0
    for place in range(game.works_size[seat]):
        work = game.works[seat, place]
        counts[categories_of(game, work)] += 1 - game.set_aside[work]
    for first in range(CATEGORIES):
        for second in range(CATEGORIES):
            if game.ready[seat, first, second] != counts[1 << first | 1 << second]:
                return False
    return True


@helper
def categories_of(game: State, card: int) -> int:
    """The categories of a Creation as a set."""
    categories = 0
    for category in range(CATEGORIES):
        categories |= game.category[card, category] << category
    return categories
