"""Swap a Rainbow card (MUS-4.6)."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from muster_env.components import WORTH
from muster_env.constants import BRIDGE, CASTLES, STRENGTHS, WIZARD_BRIDGE
from muster_env.rules.banners import cards_under_wizards, fits, fitting_cards
from muster_env.rules.piles import add_wizards, enter_hand_seen, leave_hand, push_column, side_seat, strength_of
from muster_env.rules.turn import end_turn
from muster_env.types import State


@helper
def can_swap_wizard(game: State, seat: int, castle: int, strength: int) -> bool:
    """Whether a banner card may take the place of the lowest Wizard of a column (MUS-4.6a)."""
    return game.wizards[seat, castle] > 0 and fits(game, game.top[seat, castle], strength)


@helper
def cards_for_bridges(game: State, seat: int) -> int:
    """The set of cards that may take the place of a Bridge in the column of their own castle (MUS-4.6b, 7.1)."""
    cards = 0
    for castle in range(CASTLES):
        cards |= (int(game.bridges[seat, castle]) >> 1) << castle * STRENGTHS
    return 0 if game.streamlined else cards


@helper
def cards_to_swap(game: State, owner: int) -> int:
    """The set of banner cards that may take the place of a Rainbow card on a side, at their own castles (MUS-4.6)."""
    return fitting_cards(game, owner) & cards_under_wizards(game, owner) | cards_for_bridges(game, owner)


@kernel
def swap_card(game: State, card: int, side: int, castle: int) -> None:
    """MUS-4.6; a card, a side and a castle determine the swap (MUS-4.6d); no refill (MUS-4.6c)."""
    seat = side_seat(game.seat, side)
    if can_swap_wizard(game, seat, castle, strength_of(card)):
        add_wizards(game, seat, castle, -1)
        push_column(game, seat, castle, card)
    else:
        replace_bridge(game, seat, castle, card)
    leave_hand(game, game.seat, card)
    enter_hand_seen(game, game.seat, WIZARD_BRIDGE)
    end_turn(game)


@kernel
def replace_bridge(game: State, seat: int, castle: int, card: int) -> None:
    """The card takes the place of the Bridge that stands for its strength (MUS-4.6b)."""
    game.column[seat, castle, bridge_place(game, seat, castle, strength_of(card))] = card
    game.standing[seat, castle] += WORTH[card] - WORTH[BRIDGE]
    game.bridges[seat, castle] &= ~(1 << strength_of(card))


@kernel
def bridge_place(game: State, seat: int, castle: int, strength: int) -> int:
    """Where in a column the Bridge lies that stands for a strength: one more than what is under it (MUS-4.6b, 4.5a)."""
    stands_for = 0
    for place in range(game.column_size[seat, castle]):
        piece = game.column[seat, castle, place]
        stands_for = stands_for + 1 if piece == BRIDGE else strength_of(piece)
        if piece == BRIDGE and stands_for == strength:
            return place
    return NOBODY
