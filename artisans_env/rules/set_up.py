"""Set-up (ART-2)."""

from artisans_env.actions import AT
from artisans_env.components import DECK_POINTS
from artisans_env.constants import (
    ARTISAN_KINDS,
    COPIES_PER_PLAYER,
    HAND_LIMIT,
    LEAST_POINTS,
    MATERIAL_KINDS,
    OBJECT_KINDS,
    ROW_PLACES,
    ArtisanMode,
    Phase,
)
from artisans_env.rules.piles import compare_all_levels, pop_pile, push_pile, reveal_market
from artisans_env.rules.turn import ask_reservation, fill_row, left_of
from artisans_env.types import State
from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions

# ---- Decks


@kernel
def shuffle_decks(game: State) -> None:
    """Material pile, object decks and, if they are random, artisans (ART-2.1 to 2.3)."""
    for material in range(MATERIAL_KINDS):
        for _ in range(COPIES_PER_PLAYER * game.num_players):
            push_pile(game, material)
    rng.shuffle(game, game.pile, game.pile_size)
    sort_objects(game)
    rng.shuffle(game, game.deck_1, game.deck_1_size)
    rng.shuffle(game, game.deck_2, game.deck_2_size)
    if game.artisan_mode == ArtisanMode.RANDOM:
        deal_artisans(game)


@kernel
def sort_objects(game: State) -> None:
    """From 24 objects in random order each deck takes as many of each value as it needs; the rest stays in the box.

    ART-2.2.
    """
    for each in range(OBJECT_KINDS):
        game.box[each] = each
    rng.shuffle(game, game.box, OBJECT_KINDS)
    game.box_size = 0
    for place in range(OBJECT_KINDS):
        each = game.box[place]
        game.box[place] = 0
        value = game.points[each] - LEAST_POINTS
        if game.deck_points[0, value] < DECK_POINTS[0, value]:
            game.deck_1[game.deck_1_size] = each
            game.deck_1_size += 1
            game.deck_points[0, value] += 1
        elif game.deck_points[1, value] < DECK_POINTS[1, value]:
            game.deck_2[game.deck_2_size] = each
            game.deck_2_size += 1
            game.deck_points[1, value] += 1
        else:
            game.box[game.box_size] = each
            game.box_size += 1


@kernel
def deal_artisans(game: State) -> None:
    """A different artisan for each seat, at random (ART-2.3)."""
    for seat in range(game.num_players):
        artisan = rng.draw(game, ARTISAN_KINDS)
        while is_chosen(game, artisan, seat):
            artisan = rng.draw(game, ARTISAN_KINDS)
        game.artisan[seat] = artisan


@helper
def is_chosen(game: State, artisan: int, seats: int) -> bool:
    """Whether one of the first `seats` seats has an artisan (ART-2.3)."""
    for seat in range(seats):
        if game.artisan[seat] == artisan:
            return True
    return False


# ---- The deal


@kernel
def set_up(game: State) -> None:
    """Deal hands, market and row; then the artisans are chosen, or round 1 begins (ART-2.1 to 2.4)."""
    for _ in range(HAND_LIMIT):
        for seat in range(game.num_players):
            game.hand[seat, pop_pile(game)] += 1
            game.hand_size[seat] += 1
    game.reserved = NOBODY
    for each in range(OBJECT_KINDS):
        game.maker[each] = NOBODY
    for place in range(ROW_PLACES):
        game.row[place] = NOBODY
    game.round_number = 1
    reveal_market(game)
    fill_row(game)
    compare_all_levels(game)
    if game.artisan_mode == ArtisanMode.DRAFT:
        for seat in range(game.num_players):
            game.artisan[seat] = NOBODY
        game.phase = Phase.DRAFT
    else:
        ask_reservation(game)


# ---- 2.3 Choose an artisan


@kernel
def offer_artisans(game: State, actions: Actions, count: int) -> int:
    """Offer every artisan that nobody has (ART-2.3)."""
    for artisan in range(ARTISAN_KINDS):
        count = offer(AT.choose.start + artisan, not is_chosen(game, artisan, game.seat), actions, count)
    return count


@kernel
def choose_artisan(game: State, artisan: int) -> None:
    """ART-2.3; after the last choice round 1 begins."""
    game.artisan[game.seat] = artisan
    game.seat = left_of(game, game.seat)
    if game.seat == 0:
        ask_reservation(game)
