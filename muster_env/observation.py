"""What a seat sees, as numbers in [0, 1], seen from that seat (MUS-8)."""

import numpy as np

from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.vectors import at_most, positive, put_row, shares_of, shifted, spill_shares, vector
from cardtable.game.layout import Layout, Piece
from cardtable.types import Floats, Integers, Observation
from muster_env.components import BANNERS, CARDS, COPIES, FACE, FACES
from muster_env.constants import (
    CARD_KINDS,
    CASTLES,
    DECK_SIZE,
    FACE_KINDS,
    FIRST_PILE,
    HAND_SIZE,
    PLAYERS,
    RAINBOW_CASTLE,
    STRENGTH_SHIFT,
    STRENGTH_WORTH,
    STRENGTHS,
    WIZARD_BRIDGE,
    WIZARD_BRIDGES,
    Phase,
)
from muster_env.rules.piles import side_seat
from muster_env.rules.turn import phase_of
from muster_env.state import ALL_BRIDGES, LARGEST_STANDING
from muster_env.types import State

TOTAL_SCALE = 32  # a column's total strength and the lead in it; beyond that they are shown as the limit
BANNER_SCALE = 8  # banner cards in a column, likewise
CASTLE_SCALE = 8  # cards on a castle space, likewise
BANNER_BITS = STRENGTH_WORTH - 1

_SIDES = ("own", "other")
_COLUMN = (
    *("empty under wizards", *(f"{strength} under wizards" for strength in range(1, STRENGTHS + 1))),
    *(f"bridge for {strength}" for strength in range(1, STRENGTHS)),
    *(f"wizards / {WIZARD_BRIDGES}", f"total / {TOTAL_SCALE}", f"banners / {BANNER_SCALE}"),
)
COLUMN_BRIDGES = _COLUMN.index("bridge for 1")
BRIDGES_SHOWN = STRENGTHS - 1  # a Bridge stands for strength 1 to 4: a banner card lies on it (MUS-4.5c)
COLUMN_WIZARDS = COLUMN_BRIDGES + BRIDGES_SHOWN
COLUMN_TOTAL = COLUMN_WIZARDS + 1
COLUMN_BANNERS = COLUMN_TOTAL + 1
COLUMN_SIZE = len(_COLUMN)

_HOLDERS = ("own", "other", "nobody")
HELD_BY_NOBODY = _HOLDERS.index("nobody")
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
    Piece("pile_size", (), f"cards in the pile / {FIRST_PILE}"),
    Piece("turns", (), "turns completed / max_turns (MUS-6.5)"),
    Piece("options", (("streamlined", "power of unity", "over the rainbow"),), "the rules in force (MUS-7)"),
)

HIDDEN = Layout(
    Piece("pile", (tuple(f"{depth + 1} from the top" for depth in range(FIRST_PILE)), CARDS), "the pile in order"),
)

OBS = LAYOUT.at
HIDDEN_AT = HIDDEN.at
COPY_STEP: Floats = np.divide(1, COPIES, dtype=np.float32)
REACHABLE_STEP: Floats = np.divide(1, [*COPIES[:STRENGTHS], COPIES[WIZARD_BRIDGE]] * CASTLES, dtype=np.float32)
REACHABLE_SIZE = len(REACHABLE_STEP)
LEAD_STEP = np.float32(1 / (2 * TOTAL_SCALE))
WIZARD_SHARE: Floats = np.arange(WIZARD_BRIDGES + 1, dtype=np.float32) * np.float32(1 / WIZARD_BRIDGES)
TOTAL_SHARE, BANNER_SHARE = shares_of(LARGEST_STANDING // STRENGTH_WORTH, TOTAL_SCALE), shares_of(BANNER_BITS, BANNER_SCALE)
CASTLE_SHARE, DRAW_SHARE = shares_of(DECK_SIZE, CASTLE_SCALE), shares_of(HAND_SIZE, HAND_SIZE)
PILE_SHARE: Floats = shares_of(DECK_SIZE, FIRST_PILE)

# Rows for one of several, some filled up with zeros: these spill into what is written next.
ROW, SHORT_ROW = 8, 4
LEVEL: Integers = np.full(ROW, TOTAL_SCALE, np.int16)
LARGEST_LEAD: Integers = 2 * LEVEL
TOP_ROW: Floats = np.eye(COLUMN_BRIDGES, ROW, dtype=np.float32)
BRIDGE_ROW: Floats = np.array(
    [[bridges >> strength & 1 for strength in range(1, STRENGTHS)] for bridges in range(ALL_BRIDGES + 1)], np.float32
)
HOLDER_ROW: Floats = np.eye(HOLDERS, SHORT_ROW, dtype=np.float32)
FACE_ROW: Floats = np.eye(FACE_KINDS, dtype=np.float32)[np.roll(FACE, 1)]  # by card + 1: NOBODY comes first
LAID_ROW: Floats = np.eye(CASTLES + 1, ROW, -1, dtype=np.float32)  # likewise
PHASE_ROW: Floats = np.eye(len(Phase), SHORT_ROW, dtype=np.float32)


@kernel
def observe(game: State, seat: int, out: Observation) -> None:
    """Write what a seat sees, from front to back: runs of numbers spill zeros into what is written next."""
    see_cards(game, seat, out)
    for side in range(PLAYERS):
        for castle in range(CASTLES):
            see_column(game, seat, side, castle, out)
    see_leads(game, seat, out)
    see_castles(game, out)
    see_turn(game, seat, out)


@helper
def see_cards(game: State, seat: int, out: Observation) -> None:
    """Own hand, known cards of the other hand, and what remains unseen."""
    other = 1 - seat
    hand, known = vector(game.hand[other], CARD_KINDS), vector(game.known[other], CARD_KINDS)
    spill_shares(out, OBS.own_hand.start, vector(game.hand[seat], CARD_KINDS), COPY_STEP)
    # Known Rainbow Castles are written over: none is drawn in sight of all (MUS-5.2).
    spill_shares(out, OBS.known_hand.start, known, COPY_STEP)
    spill_shares(out, OBS.unseen.start, vector(game.pile_count, CARD_KINDS) + hand - known, COPY_STEP)


@helper
def see_column(game: State, seat: int, side: int, castle: int, out: Observation) -> None:
    """One column: what a banner must fit on, Bridges to be swapped, Wizards, totals."""
    start = OBS.columns.start + (side * CASTLES + castle) * COLUMN_SIZE
    owner = side_seat(seat, side)
    standing, bridges = game.standing[owner, castle], game.bridges[owner, castle]
    put_row(out, start, TOP_ROW[unsigned(game.top[owner, castle])], ROW)
    put_row(out, start + COLUMN_BRIDGES, BRIDGE_ROW[unsigned(bridges)], BRIDGES_SHOWN)
    out[start + COLUMN_WIZARDS] = WIZARD_SHARE[unsigned(game.wizards[owner, castle])]
    out[start + COLUMN_TOTAL] = TOTAL_SHARE[unsigned(standing >> STRENGTH_SHIFT)]
    out[start + COLUMN_BANNERS] = BANNER_SHARE[unsigned(standing & BANNER_BITS)]


@helper
def see_leads(game: State, seat: int, out: Observation) -> None:
    """Who leads at each castle, and by how much."""
    for castle in range(CASTLES):
        own, other = game.standing[seat, castle], game.standing[1 - seat, castle]
        holder = HELD_BY_NOBODY if own == other else int(own < other)
        put_row(out, OBS.holder.start + castle * HOLDERS, HOLDER_ROW[unsigned(holder)], SHORT_ROW)
    own, other = vector(game.standing[seat], CASTLES), vector(game.standing[1 - seat], CASTLES)
    leads = shifted(own, STRENGTH_SHIFT) - shifted(other, STRENGTH_SHIFT) + vector(LEVEL, CASTLES)
    spill_shares(out, OBS.lead.start, positive(at_most(leads, vector(LARGEST_LEAD, CASTLES))), LEAD_STEP)


@helper
def see_castles(game: State, out: Observation) -> None:
    """The cards on the castle spaces: the topmost two, and all within reach."""
    for castle in range(CASTLES):
        put_row(out, OBS.castle_top.start + castle * FACE_KINDS, FACE_ROW[unsigned(game.castle_top[castle] + 1)], FACE_KINDS)
        second = OBS.castle_top.start + (CASTLES + castle) * FACE_KINDS
        put_row(out, second, FACE_ROW[unsigned(game.castle_second[castle] + 1)], FACE_KINDS)
        out[OBS.castle_size.start + castle] = CASTLE_SHARE[unsigned(game.castle_size[castle])]
    spill_shares(out, OBS.reachable.start, vector(game.reachable, REACHABLE_SIZE), REACHABLE_STEP)


@helper
def see_turn(game: State, seat: int, out: Observation) -> None:
    """Where the turn stands, how long the game may last, the rules in force."""
    put_row(out, OBS.laid.start, LAID_ROW[unsigned(game.laid + 1)], ROW)
    put_row(out, OBS.phase.start, PHASE_ROW[unsigned(phase_of(game))], SHORT_ROW)
    out[OBS.to_move.start] = game.seat == seat
    out[OBS.draws_due.start] = DRAW_SHARE[unsigned(game.draws_due)]
    out[OBS.turned_up.start] = game.turned_up == WIZARD_BRIDGE
    out[OBS.turned_up.start + 1] = game.turned_up == RAINBOW_CASTLE
    out[OBS.pile_size.start] = PILE_SHARE[unsigned(game.pile_size)]
    out[OBS.turns.start] = game.turn / game.max_turns
    out[OBS.options.start] = game.streamlined
    out[OBS.options.start + 1] = game.power_of_unity
    out[OBS.options.start + 2] = game.over_the_rainbow


@kernel
def observe_hidden(game: State, out: Observation) -> None:
    """Write what no seat sees: the order of the pile."""
    out[:] = 0
    for depth in range(game.pile_size):
        card = game.pile[game.pile_size - 1 - depth]
        out[HIDDEN_AT.pile.start + depth * CARD_KINDS + card] = 1
