"""What a seat sees, as numbers in [0, 1], seen from that seat (MUS-8)."""

from typing import Any

import numpy as np

from cardtable.jit import helper, kernel, unsigned
from cardtable.layout import Layout, Piece
from cardtable.record import NOBODY
from cardtable.vectors import put_row, put_shares, vector
from muster_env.components import BANNERS, CARDS, COPIES, FACE, FACES
from muster_env.constants import (
    CARD_KINDS,
    CASTLES,
    DECK_SIZE,
    FACE_KINDS,
    HAND_SIZE,
    PLAYERS,
    RAINBOW_CASTLE,
    STRENGTH_SHIFT,
    STRENGTH_WORTH,
    STRENGTHS,
    WIZARD_BRIDGE,
    WIZARD_BRIDGES,
    Side,
)
from muster_env.state import ALL_BRIDGES, LARGEST_STANDING
from muster_env.turns import phase_of, side_seat

TOTAL_SCALE = 32  # a column's total strength and the lead in it; beyond that they are shown as the limit
BANNER_SCALE = 8  # banner cards in a column, likewise
CASTLE_SCALE = 8  # cards on a castle space, likewise
BANNER_BITS = STRENGTH_WORTH - 1
FIRST_DEAL = DECK_SIZE - PLAYERS * HAND_SIZE  # cards in the pile at the start

_SIDES = ("own", "other")
_COLUMN = (
    *("empty under wizards", "1 under wizards", "2 under wizards", "3 under wizards", "4 under wizards", "5 under wizards"),
    *("bridge for 1", "bridge for 2", "bridge for 3", "bridge for 4"),
    *("wizards / 5", f"total / {TOTAL_SCALE}", f"banners / {BANNER_SCALE}"),
)
COLUMN_BRIDGES = 6
BRIDGED = STRENGTHS - 1
COLUMN_WIZARDS = 10
COLUMN_TOTAL = 11
COLUMN_BANNERS = 12
COLUMN_SIZE = len(_COLUMN)

_HOLDERS = ("own", "other", "nobody")
HOLDERS = len(_HOLDERS)

LAYOUT = Layout(
    Piece("own_hand", (CARDS,), "copies in the own hand / copies that exist"),
    Piece("known_hand", (CARDS[:RAINBOW_CASTLE],), "copies known to be in the other hand / copies that exist (MUS-8.2)"),
    Piece("unseen", (CARDS,), "copies in the pile or unknown in the other hand / copies that exist"),
    Piece("columns", (_SIDES, BANNERS, _COLUMN), "what lies in each column: strength that a banner must fit, Bridges, totals"),
    Piece("holder", (BANNERS, _HOLDERS), "who would get the castle now (MUS-6.2, 6.3)"),
    Piece("lead", (BANNERS,), f"own total less the other's, {-TOTAL_SCALE} … {TOTAL_SCALE} as 0 … 1; level is 0.5"),
    Piece(
        "castle_top",
        (("1 from the top", "2 from the top"), BANNERS, FACES),
        "cards on the castle spaces",
    ),
    Piece("castle_size", (BANNERS,), f"cards on the castle space / {CASTLE_SCALE}"),
    Piece("reachable", (BANNERS, FACES[1:-1]), "copies above the highest Rainbow Castle / copies that exist"),
    Piece("laid", (BANNERS,), "the castle space that the mover may not draw from (MUS-4.4a)"),
    Piece("phase", (("action", "draw", "place"),), "what is decided now"),
    Piece("to_move", (), "1 if this seat decides"),
    Piece("draws_due", (), f"cards that the mover still has to draw / {HAND_SIZE}"),
    Piece("turned_up", (CARDS[WIZARD_BRIDGE:],), "the Rainbow card that waits to be placed (MUS-4.3b)"),
    Piece("pile_size", (), f"cards in the pile / {FIRST_DEAL}"),
    Piece("turns", (), "turns completed / max_turns (MUS-6.5)"),
    Piece("options", (("streamlined", "power of unity", "over the rainbow"),), "the rules in force (MUS-7)"),
)

HIDDEN = Layout(
    Piece("pile", (tuple(f"{depth + 1} from the top" for depth in range(FIRST_DEAL)), CARDS), "the pile in order"),
)

SEE = LAYOUT.at
UNSEE = HIDDEN.at
REACHABLE_STEP: np.ndarray = np.divide(1, [*COPIES[:STRENGTHS], COPIES[WIZARD_BRIDGE]] * CASTLES, dtype=np.float32)
REACHABLE_SIZE = len(REACHABLE_STEP)
COPY_STEP: np.ndarray = np.divide(1, COPIES, dtype=np.float32)
LEAD_STEP, CASTLE_STEP = np.float32(1 / (2 * TOTAL_SCALE)), np.float32(1 / CASTLE_SCALE)
TOTAL_SHARE: np.ndarray = np.minimum(np.arange(LARGEST_STANDING // STRENGTH_WORTH + 1, dtype=np.float32) / TOTAL_SCALE, 1)
BANNER_SHARE: np.ndarray = np.minimum(np.arange(STRENGTH_WORTH, dtype=np.float32) / BANNER_SCALE, 1)
BRIDGE_ROW: np.ndarray = np.array(
    [[bridges >> strength & 1 for strength in range(1, STRENGTHS)] for bridges in range(ALL_BRIDGES + 1)], np.float32
)
WIZARD_STEP = np.float32(1 / WIZARD_BRIDGES)


@kernel
def observe(game: Any, seat: int, out: np.ndarray) -> None:
    """Write what a seat sees."""
    see_cards(game, seat, out)
    out[SEE.columns.start :] = 0
    for castle in range(CASTLES):
        see_columns(game, seat, castle, out)
        see_castle(game, castle, out)
    put_shares(out, SEE.reachable.start, vector(game.reachable, REACHABLE_SIZE), REACHABLE_STEP)
    see_turn(game, seat, out)


@helper
def scaled(number: int, step: np.float32) -> np.float32:
    """A small number as a share, in single precision throughout: mixed precision takes twice as long."""
    return np.float32(number) * step


@helper
def see_cards(game: Any, seat: int, out: np.ndarray) -> None:
    """Own hand, known cards of the other hand, and what remains unseen."""
    other = 1 - seat
    hand, known = vector(game.hand[other], CARD_KINDS), vector(game.known[other], CARD_KINDS)
    put_shares(out, SEE.unseen.start, vector(game.pile_count, CARD_KINDS) + hand - known, COPY_STEP)
    put_shares(out, SEE.own_hand.start, vector(game.hand[seat], CARD_KINDS), COPY_STEP)
    # A Rainbow Castle is never drawn in sight of all (MUS-5.2).
    put_shares(out, SEE.known_hand.start, vector(game.known[other], RAINBOW_CASTLE), COPY_STEP)


@helper
def see_columns(game: Any, seat: int, castle: int, out: np.ndarray) -> None:
    """Both columns of a castle, and who leads there."""
    see_column(game, seat, Side.OWN, castle, out)
    see_column(game, seat, Side.OTHER, castle, out)
    own, other = game.standing[seat, castle], game.standing[1 - seat, castle]
    lead = (own >> STRENGTH_SHIFT) - (other >> STRENGTH_SHIFT)
    out[SEE.lead.start + castle] = scaled(min(max(lead, -TOTAL_SCALE), TOTAL_SCALE) + TOTAL_SCALE, LEAD_STEP)
    holder = HOLDERS - 1 if own == other else int(own < other)
    out[SEE.holder.start + castle * HOLDERS + holder] = 1


@helper
def see_column(game: Any, seat: int, side: int, castle: int, out: np.ndarray) -> None:
    """One column: what a banner must fit on, Bridges to be swapped, Wizards, totals."""
    start = SEE.columns.start + (side * CASTLES + castle) * COLUMN_SIZE
    owner = side_seat(seat, side)
    standing, bridges = game.standing[owner, castle], game.bridges[owner, castle]
    out[unsigned(start + game.top[owner, castle])] = 1
    put_row(out, start + COLUMN_BRIDGES, BRIDGE_ROW[unsigned(bridges)], BRIDGED)
    out[start + COLUMN_WIZARDS] = scaled(game.wizards[owner, castle], WIZARD_STEP)
    out[start + COLUMN_TOTAL] = TOTAL_SHARE[unsigned(standing >> STRENGTH_SHIFT)]
    out[start + COLUMN_BANNERS] = BANNER_SHARE[unsigned(standing & BANNER_BITS)]


@helper
def see_castle(game: Any, castle: int, out: np.ndarray) -> None:
    """The cards on a castle space: the topmost two, and all within reach."""
    out[SEE.castle_size.start + castle] = scaled(min(game.castle_size[castle], CASTLE_SCALE), CASTLE_STEP)
    out[unsigned(SEE.castle_top.start + castle * FACE_KINDS + FACE[game.castle_top[castle]])] = 1
    out[unsigned(SEE.castle_top.start + (CASTLES + castle) * FACE_KINDS + FACE[game.castle_second[castle]])] = 1


@helper
def see_turn(game: Any, seat: int, out: np.ndarray) -> None:
    """Where the turn stands, how long the game may last, the rules in force."""
    out[SEE.phase.start + phase_of(game)] = 1
    out[SEE.to_move.start] = game.seat == seat
    out[SEE.draws_due.start] = game.draws_due / HAND_SIZE
    if game.laid != NOBODY:
        out[SEE.laid.start + game.laid] = 1
    if game.turned_up != NOBODY:
        out[SEE.turned_up.start + game.turned_up - WIZARD_BRIDGE] = 1
    out[SEE.pile_size.start] = game.pile_size / FIRST_DEAL
    out[SEE.turns.start] = game.turn / game.max_turns
    out[SEE.options.start] = game.streamlined
    out[SEE.options.start + 1] = game.power_of_unity
    out[SEE.options.start + 2] = game.over_the_rainbow


@kernel
def observe_hidden(game: Any, out: np.ndarray) -> None:
    """Write what no seat sees: the order of the pile."""
    out[:] = 0
    for depth in range(game.pile_size):
        card = game.pile[game.pile_size - 1 - depth]
        out[UNSEE.pile.start + depth * CARD_KINDS + card] = 1
