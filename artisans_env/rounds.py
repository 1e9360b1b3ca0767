"""The course of Artisans as kernels: piles and decks, set-up, rounds, turn order (ART-2, ART-3). Clauses are in RULES.md."""

from typing import Any

from artisans_env.components import DECK_POINTS
from artisans_env.constants import (
    ARTISAN_KINDS,
    COPIES_PER_PLAYER,
    HAND_LIMIT,
    LEAST_POINTS,
    MARKET_SLOTS,
    MATERIAL_KINDS,
    OBJECT_KINDS,
    POINT_VALUES,
    ROUNDS,
    ROW_PLACES,
    SECOND_DECK_ROUND,
    Artisan,
    ArtisanMode,
    Phase,
)
from artisans_env.state import NEXT, RESERVED, SHOWN_OBJECTS
from cardtable.engine import rng
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.vectors import positive, total, vector
from cardtable.game.record import NOBODY

# ---- The material pile


@helper
def pop_pile(game: Any) -> int:
    """Take the top card of the material pile."""
    game.pile_size -= 1
    material = game.pile[game.pile_size]
    game.pile[game.pile_size] = 0
    game.pile_count[material] -= 1
    return material


@helper
def push_pile(game: Any, material: int) -> None:
    """Put a card on top of the material pile."""
    game.pile[game.pile_size] = material
    game.pile_size += 1
    game.pile_count[material] += 1


@kernel
def shuffle_discard(game: Any) -> None:
    """The discard becomes the new pile (ART-4.5)."""
    for material in range(MATERIAL_KINDS):
        for _ in range(game.discard[material]):
            push_pile(game, material)
        game.discard[material] = 0
    rng.shuffle(game, game.pile, game.pile_size)


@kernel
def reveal_card(game: Any) -> int:
    """The next card of the pile, or NOBODY if pile and discard are empty (ART-4.5)."""
    if game.pile_size == 0:
        shuffle_discard(game)
    return pop_pile(game) if game.pile_size > 0 else NOBODY


@kernel
def reveal_market(game: Any) -> None:
    """Five new cards, one by one, into an empty market (ART-2.1, 4.4, 4.5)."""
    for slot in range(MARKET_SLOTS):
        game.market[slot] = reveal_card(game)


@helper
def market_is_empty(game: Any) -> bool:
    """Whether no slot holds a card."""
    cards = 0
    for slot in range(MARKET_SLOTS):
        cards += game.market[slot] != NOBODY
    return cards == 0


# ---- The object decks


@helper
def next_object(game: Any) -> int:
    """The card turned up on the current deck, which is deck 2 as soon as deck 1 is empty (ART-3.2); NOBODY without cards."""
    top_1, top_2 = game.deck_1[unsigned(max(game.deck_1_size - 1, 0))], game.deck_2[unsigned(max(game.deck_2_size - 1, 0))]
    top = top_1 if game.deck_1_size > 0 else top_2
    return top if game.deck_1_size + game.deck_2_size > 0 else NOBODY


@kernel
def draw_object(game: Any) -> int:
    """Take the top card of the current deck, or NOBODY (ART-3.2)."""
    drawn = next_object(game)
    if game.deck_1_size > 0:
        game.deck_1_size -= 1
        game.deck_1[game.deck_1_size] = 0
        game.deck_points[0, game.points[drawn] - LEAST_POINTS] -= 1
    elif game.deck_2_size > 0:
        game.deck_2_size -= 1
        game.deck_2[game.deck_2_size] = 0
        game.deck_points[1, game.points[drawn] - LEAST_POINTS] -= 1
    return drawn


@kernel
def remove_first_deck(game: Any) -> None:
    """What is left of deck 1 leaves the game (ART-3.1 a)."""
    for place in range(game.deck_1_size):
        game.removed[place] = game.deck_1[place]
        game.deck_1[place] = 0
    game.removed_size = game.deck_1_size
    game.deck_1_size = 0
    for value in range(POINT_VALUES):
        game.deck_points[0, value] = 0


@kernel
def fill_row(game: Any) -> None:
    """Empty places of the row, lowest first, are filled from the current deck (ART-3.1 b)."""
    for place in range(ROW_PLACES):
        if game.row[place] == NOBODY:
            game.row[place] = draw_object(game)


@helper
def shown_object(game: Any, number: int) -> int:
    """The object at a place of the row, turned up on the deck (NEXT) or reserved (RESERVED); NOBODY if there is none."""
    if number < ROW_PLACES:
        return game.row[number]
    return next_object(game) if number == NEXT else game.reserved


@helper
def levels_lacking(game: Any, seat: int, number: int) -> int:
    """How many levels a seat has still to develop for an open object; 0 where none lies (ART-4.6)."""
    shown = shown_object(game, number)
    if shown == NOBODY:
        return 0
    required, level = vector(game.required[unsigned(shown)], MATERIAL_KINDS), vector(game.level[seat], MATERIAL_KINDS)
    return total(positive(required - level))


@kernel
def compare_levels(game: Any, seat: int) -> None:
    """A seat's levels, or the open objects, are new: compare them."""
    for number in range(SHOWN_OBJECTS):
        game.lacking[seat, number] = levels_lacking(game, seat, number)


@kernel
def compare_all_levels(game: Any) -> None:
    """The open objects are new: compare them with all seats' levels."""
    for seat in range(game.num_players):
        compare_levels(game, seat)


@helper
def leave_row(game: Any, place: int) -> int:
    """Take the object at a place of the row; the place stays empty until the next round."""
    taken = game.row[place]
    game.row[place] = NOBODY
    for seat in range(game.num_players):
        game.lacking[seat, place] = 0
    return taken


# ---- 2 Set-up


@kernel
def shuffle_decks(game: Any) -> None:
    """Material pile, object decks and, if they are random, artisans (ART-1.1, 2.2, 2.3)."""
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
def sort_objects(game: Any) -> None:
    """From 24 objects in random order each deck takes as many of each value as it needs; the rest stays in the box."""
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


@helper
def is_chosen(game: Any, artisan: int, seats: int) -> bool:
    """Whether one of the first `seats` seats has an artisan."""
    for seat in range(seats):
        if game.artisan[seat] == artisan:
            return True
    return False


@kernel
def deal_artisans(game: Any) -> None:
    """A different artisan for each seat, at random (ART-2.3)."""
    for seat in range(game.num_players):
        artisan = rng.draw(game, ARTISAN_KINDS)
        while is_chosen(game, artisan, seat):
            artisan = rng.draw(game, ARTISAN_KINDS)
        game.artisan[seat] = artisan


@kernel
def set_up(game: Any) -> None:
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


# ---- 3 Rounds


@kernel
def start_round(game: Any) -> None:
    """ART-3.1."""
    game.round_number += 1
    if game.round_number == SECOND_DECK_ROUND:
        remove_first_deck(game)
    fill_row(game)
    compare_all_levels(game)
    reveal_market(game)
    game.token_taken = 0
    for seat in range(game.num_players):
        game.visits[seat] = 0
        game.crafted[seat] = 0
    ask_reservation(game)


@helper
def seat_of(game: Any, artisan: int) -> int:
    """The seat that has an artisan, or NOBODY."""
    for seat in range(game.num_players):
        if game.artisan[seat] == artisan:
            return seat
    return NOBODY


@helper
def row_is_empty(game: Any) -> bool:
    """Whether no place of the row holds an object."""
    for place in range(ROW_PLACES):
        if game.row[place] != NOBODY:
            return False
    return True


@kernel
def ask_reservation(game: Any) -> None:
    """The provident may reserve before phase A; not with an object in reserve, nor from an empty row (ART-8.9)."""
    provident = seat_of(game, Artisan.PROVIDENT)
    if provident != NOBODY and game.reserved == NOBODY and not row_is_empty(game):
        game.phase = Phase.RESERVE
        game.seat = provident
    else:
        begin_turns(game)


@helper
def begin_turns(game: Any) -> None:
    """The first player begins phase A (ART-3.3)."""
    game.phase = Phase.TURN
    game.seat = game.first_player


@helper
def left_of(game: Any, seat: int) -> int:
    """The next seat clockwise."""
    return seat + 1 if seat + 1 < game.num_players else 0


@helper
def end_turn(game: Any) -> None:
    """The next player's turn; with the token taken, their last action, and after the last one the market closes (ART-4.7)."""
    game.seat = left_of(game, game.seat)
    if not game.token_taken:
        game.phase = Phase.TURN
    elif game.seat != game.first_player:
        game.phase = Phase.LAST
    else:
        close_market(game)


@kernel
def close_market(game: Any) -> None:
    """What is left in the market is discarded; the first player begins phase B (ART-4.8, 3.4)."""
    for slot in range(MARKET_SLOTS):
        if game.market[slot] != NOBODY:
            game.discard[game.market[slot]] += 1
            game.market[slot] = NOBODY
    game.phase = Phase.DEVELOP


@kernel
def end_development(game: Any) -> None:
    """The next player develops; after all have, the next round starts, or the end of the game (ART-5.1, 6.1)."""
    game.seat = left_of(game, game.seat)
    if game.seat != game.first_player:
        return
    if game.round_number < ROUNDS:
        start_round(game)
    else:
        game.phase = Phase.FINISH


@kernel
def end_finish(game: Any) -> None:
    """The next player crafts one more; after all have, the game is over (ART-6.1)."""
    game.seat = left_of(game, game.seat)
    if game.seat == game.first_player:
        game.phase = Phase.OVER


# ---- What an open object brings


@helper
def is_own_reserve(game: Any, seat: int) -> bool:
    """Whether a seat has an object in reserve (ART-8.9)."""
    return (game.reserved != NOBODY) & (game.artisan[seat] == Artisan.PROVIDENT)


@helper
def can_reach(game: Any, seat: int, number: int) -> bool:
    """Whether an open object may be crafted by a seat, levels aside: it lies in the row or in the own reserve."""
    if number == RESERVED:
        return is_own_reserve(game, seat)
    return number < ROW_PLACES and game.row[number] != NOBODY
