"""Where the cards lie (MUS-1, 2.2): draw pile, hands, castle spaces, columns. What several chapters need."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from muster_env.components import FACE, WIZARD_WORTH, WORTH
from muster_env.constants import BRIDGE, RAINBOW_CASTLE, STRENGTHS, Side
from muster_env.types import State


@helper
def strength_of(card: int) -> int:
    """The strength of a banner card (MUS-1.2)."""
    return card % STRENGTHS + 1


@helper
def side_seat(seat: int, side: int) -> int:
    """The seat whose side of the table is `side` as `seat` sees it (MUS-2.2)."""
    return seat if side == Side.OWN else 1 - seat


# ---- The draw pile and the hands


@helper
def pop_pile(game: State) -> int:
    """Take the top card of the draw pile."""
    game.pile_size -= 1
    card = game.pile[game.pile_size]
    game.pile[game.pile_size] = 0
    game.pile_count[card] -= 1
    return card


@kernel
def enter_hand_seen(game: State, seat: int, card: int) -> None:
    """A card enters a hand in the sight of all (MUS-8.2)."""
    game.hand[seat, card] += 1
    game.known[seat, card] += 1


@helper
def leave_hand(game: State, seat: int, card: int) -> None:
    """A card leaves a hand; if such a card was known there, one fewer is (MUS-8.2)."""
    game.hand[seat, card] -= 1
    game.known[seat, card] -= game.known[seat, card] > 0


# ---- Castle spaces


@kernel
def push_castle(game: State, castle: int, card: int) -> None:
    """Lay a card on top of a castle space; under a Rainbow Castle nothing is within reach (MUS-5.2)."""
    game.castle[castle, game.castle_size[castle]] = card
    game.castle_size[castle] += 1
    game.castle_second[castle] = game.castle_top[castle]
    game.castle_top[castle] = card
    if card == RAINBOW_CASTLE:
        game.reachable[castle, :] = 0
    else:
        game.reachable[castle, FACE[card] - 1] += 1


@kernel
def pop_castle(game: State, castle: int) -> int:
    """Take the top card of a castle space."""
    card = game.castle_top[castle]
    game.castle_size[castle] -= 1
    size = game.castle_size[castle]
    game.castle[castle, size] = 0
    game.castle_top[castle] = game.castle_second[castle]
    below = game.castle[castle, max(size - 2, 0)]
    game.castle_second[castle] = below if size > 1 else NOBODY
    game.reachable[castle, FACE[card] - 1] -= 1
    return card


# ---- Columns


@helper
def push_column(game: State, side: int, castle: int, piece: int) -> None:
    """Lay a banner card or Bridge on top of a column, under its Wizards."""
    game.column[side, castle, game.column_size[side, castle]] = piece
    game.column_size[side, castle] += 1
    game.standing[side, castle] += WORTH[piece]
    if piece != BRIDGE:
        game.top[side, castle] = strength_of(piece)


@helper
def add_wizards(game: State, side: int, castle: int, number: int) -> None:
    """Put a Wizard on top of a column (1), or take it off (-1)."""
    game.wizards[side, castle] += number
    game.standing[side, castle] += number * WIZARD_WORTH
