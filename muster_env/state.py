"""The state of a game of Muster: one record."""

import numpy as np

from cardtable.engine.constants import NOBODY
from cardtable.game.record import SEATS, Field, Record, Stack, flag
from muster_env.components import BANNERS, CARDS, COPIES, FACES, PIECES
from muster_env.constants import (
    CARD_KINDS,
    CASTLES,
    COLUMN_DEPTH,
    DECK_SIZE,
    HAND_SIZE,
    LARGEST_MAX_TURNS,
    PLAYERS,
    STRENGTHS,
    WIZARD_BRIDGES,
)

SIDES = SEATS[:PLAYERS]
MOST_COPIES = int(COPIES.max())
LARGEST_STANDING = 2**15 - 1
ALL_BRIDGES = 2 ** (STRENGTHS + 1) - 1

STATE = Record.of(
    flag("streamlined", "option (MUS-7.1)"),
    flag("power_of_unity", "option (MUS-7.2)"),
    flag("over_the_rainbow", "option (MUS-7.3)"),
    Field("max_turns", np.int32, "turns after which the game is cut off (MUS-6.5)", low=1, high=LARGEST_MAX_TURNS),
    Field("turn", np.int32, "turns completed by both players together", high=LARGEST_MAX_TURNS),
    Field("draws_due", np.int16, "cards that the mover still has to draw in this refill (MUS-5.1)", high=HAND_SIZE),
    Field(
        "laid",
        np.int16,
        "castle space that the mover laid a card on this turn (MUS-4.4a)",
        NOBODY,
        CASTLES - 1,
        values=BANNERS,
    ),
    Field("turned_up", np.int16, "Rainbow card that waits to be placed (MUS-4.3b)", NOBODY, CARD_KINDS - 1, values=CARDS),
    Field("hand", np.int16, "cards in each hand, by kind", high=MOST_COPIES, axes=(SIDES, CARDS), count=True),
    Field(
        "known", np.int16, "of those, how many all players know of (MUS-8.2)", high=MOST_COPIES, axes=(SIDES, CARDS), count=True
    ),
    Stack("pile", np.int16, "draw pile, the top last", values=CARDS, depth=DECK_SIZE),
    Stack("castle", np.int16, "castle spaces (MUS-2.2)", values=CARDS, axes=(BANNERS,), depth=DECK_SIZE),
    Stack(
        "column",
        np.int16,
        "columns on each side, under the Wizards (MUS-2.2)",
        values=PIECES,
        axes=(SIDES, BANNERS),
        depth=COLUMN_DEPTH,
    ),
    Field("wizards", np.int16, "Wizards on top of each column", high=WIZARD_BRIDGES, axes=(SIDES, BANNERS), count=True),
    # What follows from the fields above, kept up to date for speed; `muster_env.check` derives and compares it.
    Field(
        "top",
        np.int16,
        "strength on top of each column, its Wizards left aside; 0 if empty",
        high=STRENGTHS,
        axes=(SIDES, BANNERS),
        derived=True,
    ),
    Field("castle_top", np.int16, "visible card of each castle space", NOBODY, CARD_KINDS - 1, axes=(BANNERS,), derived=True),
    Field("castle_second", np.int16, "card under the visible one", NOBODY, CARD_KINDS - 1, axes=(BANNERS,), derived=True),
    Field(
        "reachable",
        np.int16,
        "cards above the highest Rainbow Castle",
        high=WIZARD_BRIDGES,
        axes=(BANNERS, FACES[1:-1]),
        derived=True,
    ),
    Field("pile_count", np.int16, "cards in the pile, by kind", high=MOST_COPIES, axes=(CARDS,), derived=True),
    Field(
        "standing",
        np.int16,
        "total strength and banner cards of each column (MUS-6.2, 6.3)",
        high=LARGEST_STANDING,
        axes=(SIDES, BANNERS),
        derived=True,
    ),
    Field(
        "bridges",
        np.int16,
        "bit s is set if a Bridge in the column stands for strength s",
        high=ALL_BRIDGES,
        axes=(SIDES, BANNERS),
        derived=True,
    ),
)
