"""Where the cards lie (ART-1, 2.1): material pile, hands, market, objects. What several chapters need."""

from artisans_env.constants import MARKET_SLOTS, MATERIAL_KINDS, ROW_PLACES
from artisans_env.state import NEXT, SHOWN_OBJECTS
from artisans_env.types import State
from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.vectors import positive, total, vector

# ---- The material pile and the hands


@helper
def pop_pile(game: State) -> int:
    """Take the top card of the material pile."""
    game.pile_size -= 1
    material = game.pile[game.pile_size]
    game.pile[game.pile_size] = 0
    game.pile_count[material] -= 1
    return material


@helper
def push_pile(game: State, material: int) -> None:
    """Put a card on top of the material pile."""
    game.pile[game.pile_size] = material
    game.pile_size += 1
    game.pile_count[material] += 1


@helper
def enter_hand_seen(game: State, seat: int, material: int) -> None:
    """A card enters a hand in the sight of all (ART-9.1)."""
    game.hand[seat, material] += 1
    game.hand_size[seat] += 1
    game.known[seat, material] += 1


@helper
def leave_hand(game: State, seat: int, material: int, number: int) -> None:
    """Cards leave a hand; as many fewer are known there, but not fewer than none (ART-9.1)."""
    game.hand[seat, material] -= number
    game.hand_size[seat] -= number
    game.known[seat, material] = max(game.known[seat, material] - number, 0)


# ---- The market


@kernel
def shuffle_discard(game: State) -> None:
    """The discard becomes the new pile (ART-4.5)."""
    for material in range(MATERIAL_KINDS):
        for _ in range(game.discard[material]):
            push_pile(game, material)
        game.discard[material] = 0
    rng.shuffle(game, game.pile, game.pile_size)


@kernel
def reveal_card(game: State) -> int:
    """The next card of the pile, or NOBODY if pile and discard are empty (ART-4.5)."""
    if game.pile_size == 0:
        shuffle_discard(game)
    return pop_pile(game) if game.pile_size > 0 else NOBODY


@kernel
def reveal_market(game: State) -> None:
    """Five new cards, one by one, into an empty market (ART-2.1, 4.4, 4.5)."""
    for slot in range(MARKET_SLOTS):
        game.market[slot] = reveal_card(game)


@helper
def market_is_empty(game: State) -> bool:
    """Whether no slot holds a card (ART-4.4)."""
    cards = 0
    for slot in range(MARKET_SLOTS):
        cards += game.market[slot] != NOBODY
    return cards == 0


# ---- Objects


@helper
def next_object(game: State) -> int:
    """The card turned up on the current deck, which is deck 2 as soon as deck 1 is empty; NOBODY without cards (ART-3.2)."""
    top_1, top_2 = game.deck_1[unsigned(max(game.deck_1_size - 1, 0))], game.deck_2[unsigned(max(game.deck_2_size - 1, 0))]
    top = top_1 if game.deck_1_size > 0 else top_2
    return top if game.deck_1_size + game.deck_2_size > 0 else NOBODY


@helper
def shown_object(game: State, number: int) -> int:
    """The object at a place of the row, turned up on the deck (NEXT) or reserved (RESERVED); NOBODY if there is none."""
    if number < ROW_PLACES:
        return game.row[number]
    return next_object(game) if number == NEXT else game.reserved


@helper
def row_is_empty(game: State) -> bool:
    """Whether no place of the row holds an object."""
    for place in range(ROW_PLACES):
        if game.row[place] != NOBODY:
            return False
    return True


@helper
def leave_row(game: State, place: int) -> int:
    """Take the object at a place of the row; the place stays empty until the next round (ART-4.6, 8.9)."""
    taken = game.row[place]
    game.row[place] = NOBODY
    for seat in range(game.num_players):
        game.lacking[seat, place] = 0
    return taken


# ---- Levels and the open objects


@helper
def levels_lacking(game: State, seat: int, number: int) -> int:
    """How many levels a seat has still to develop for an open object; 0 where none lies (ART-4.6)."""
    shown = shown_object(game, number)
    if shown == NOBODY:
        return 0
    required, level = vector(game.required[unsigned(shown)], MATERIAL_KINDS), vector(game.level[seat], MATERIAL_KINDS)
    return total(positive(required - level))


@kernel
def compare_levels(game: State, seat: int) -> None:
    """A seat's levels, or the open objects, are new: compare them."""
    for number in range(SHOWN_OBJECTS):
        game.lacking[seat, number] = levels_lacking(game, seat, number)


@kernel
def compare_all_levels(game: State) -> None:
    """The open objects are new: compare them with all seats' levels."""
    for seat in range(game.num_players):
        compare_levels(game, seat)


# ---- Artisans


@helper
def seat_of(game: State, artisan: int) -> int:
    """The seat that has an artisan, or NOBODY (ART-2.3)."""
    for seat in range(game.num_players):
        if game.artisan[seat] == artisan:
            return seat
    return NOBODY
