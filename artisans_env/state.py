"""The state of a game of Artisans: one record."""

import numpy as np

from artisans_env.components import ARTISANS, MATERIALS, OBJECTS
from artisans_env.constants import (
    ARTISAN_KINDS,
    COPIES_PER_PLAYER,
    DECK_SIZE,
    GOLD_LOVER_BONUS,
    HAND_LIMIT,
    LARGEST_MAX_VISITS,
    LARGEST_PILE,
    LEAST_POINTS,
    LEVELS,
    MARKET_SLOTS,
    MATERIAL_KINDS,
    MOST_CRAFTS,
    MOST_PLAYERS,
    MOST_POINTS,
    MOST_REMOVED,
    OBJECT_KINDS,
    PHASES,
    POINT_VALUES,
    ROUNDS,
    ROW_PLACES,
    SPECIALIST_BONUS,
    ArtisanMode,
    Phase,
)
from cardtable.engine.constants import NOBODY
from cardtable.game.record import SEATS, Field, Record, Stack, flag

PHASE_NAMES = tuple(phase.name.lower() for phase in Phase)
MODE_NAMES = tuple(mode.name.lower() for mode in ArtisanMode)
SLOTS = tuple(f"slot {slot}" for slot in range(MARKET_SLOTS))
PLACES = tuple(f"place {place}" for place in range(ROW_PLACES))
SHOWN = (*PLACES, "next", "reserved")
"""The objects that lie open and are nobody's yet: in the row, turned up on the deck, in reserve."""
LEVEL_NAMES = tuple(f"level {level}" for level in range(1, LEVELS + 1))
DECK_NAMES = ("deck 1", "deck 2")
VALUES = tuple(f"{points} points" for points in range(LEAST_POINTS, MOST_POINTS + 1))

NEXT = ROW_PLACES
RESERVED = ROW_PLACES + 1
SHOWN_OBJECTS = len(SHOWN)
MOST_COPIES = COPIES_PER_PLAYER * MOST_PLAYERS
MOST_LEVEL_POINTS = ROUNDS * HAND_LIMIT * LEVELS
MOST_OBJECT_POINTS = MOST_CRAFTS * MOST_POINTS
MOST_BONUS = max(MOST_CRAFTS * GOLD_LOVER_BONUS, MATERIAL_KINDS * SPECIALIST_BONUS)  # the largest of all artisans (ART-8)
MOST_LACKING = MATERIAL_KINDS * LEVELS

STATE = Record.of(
    # Options and edition
    Field("max_visits", np.int32, "visits after which the token must be taken (ART-4.9)", low=1, high=LARGEST_MAX_VISITS),
    Field("artisan_mode", np.int16, "how artisans are given out (ART-2.3)", high=len(MODE_NAMES) - 1, values=MODE_NAMES),
    Field("points", np.int16, "points of each object (ART-1.2)", LEAST_POINTS, MOST_POINTS, axes=(OBJECTS,)),
    Field("required", np.int16, "levels that each object requires", high=LEVELS, axes=(OBJECTS, MATERIALS), count=True),
    # Where the game stands
    Field("phase", np.int16, "what the mover decides", high=PHASES - 1, values=PHASE_NAMES),
    Field("round_number", np.int16, "number of the round", low=1, high=ROUNDS),
    Field("first_player", np.int16, "who took the token last (ART-3.3)", high=MOST_PLAYERS - 1, values=SEATS),
    flag("token_taken", "the first player has the token; otherwise it lies in the centre (ART-3.3)"),
    Field("artisan", np.int16, "artisan of each seat", NOBODY, ARTISAN_KINDS - 1, axes=(SEATS,), values=ARTISANS),
    Field("visits", np.int32, "market visits this round, last actions aside (ART-4.9)", high=LARGEST_MAX_VISITS, axes=(SEATS,)),
    Field("crafted", np.int16, "the seat crafted this round (ART-4.6)", high=1, axes=(SEATS,), flag=True),
    # Material cards
    Field("hand", np.int16, "cards in each hand", high=HAND_LIMIT, axes=(SEATS, MATERIALS), count=True),
    Field(
        "known",
        np.int16,
        "of those, how many all players know of (ART-9.1)",
        high=HAND_LIMIT,
        axes=(SEATS, MATERIALS),
        count=True,
    ),
    Field("developed", np.int16, "cards at each level", high=HAND_LIMIT, axes=(SEATS, MATERIALS, LEVEL_NAMES), count=True),
    Field("market", np.int16, "card in each slot", NOBODY, MATERIAL_KINDS - 1, axes=(SLOTS,), values=MATERIALS),
    Field("discard", np.int16, "cards in the discard", high=MOST_COPIES, axes=(MATERIALS,), count=True),
    Stack("pile", np.int16, "material pile, the top last", values=MATERIALS, depth=LARGEST_PILE),
    # Objects
    Field("row", np.int16, "object at each place of the row", NOBODY, OBJECT_KINDS - 1, axes=(PLACES,), values=OBJECTS),
    Field("reserved", np.int16, "object that the provident has reserved (ART-8.9)", NOBODY, OBJECT_KINDS - 1, values=OBJECTS),
    Field("maker", np.int16, "who crafted each object", NOBODY, MOST_PLAYERS - 1, axes=(OBJECTS,), values=SEATS),
    Stack("deck_1", np.int16, "object deck 1, the top (turned up while it is current) last", values=OBJECTS, depth=DECK_SIZE),
    Stack("deck_2", np.int16, "object deck 2, the top (turned up while it is current) last", values=OBJECTS, depth=DECK_SIZE),
    Stack("box", np.int16, "objects that went back to the box unseen (ART-2.2)", values=OBJECTS, depth=OBJECT_KINDS),
    Stack(
        "removed",
        np.int16,
        "rest of deck 1, removed in round 7, the seen one last (ART-3.1)",
        values=OBJECTS,
        depth=MOST_REMOVED,
    ),
    # What follows from the fields above, kept up to date for speed; `artisans_env.check` derives and compares it.
    Field("hand_size", np.int16, "cards in each hand", high=HAND_LIMIT, axes=(SEATS,), derived=True),
    Field("pile_count", np.int16, "cards in the pile, by material", high=MOST_COPIES, axes=(MATERIALS,), derived=True),
    Field("level", np.int16, "level of each material", high=LEVELS, axes=(SEATS, MATERIALS), derived=True),
    Field(
        "level_points",
        np.int16,
        "sum of the levels of all developed cards",
        high=MOST_LEVEL_POINTS,
        axes=(SEATS,),
        derived=True,
    ),
    Field("object_points", np.int16, "points of own objects", high=MOST_OBJECT_POINTS, axes=(SEATS,), derived=True),
    Field("object_count", np.int16, "number of own objects", high=MOST_CRAFTS, axes=(SEATS,), derived=True),
    Field("bonus", np.int16, "artisan bonus (ART-8)", high=MOST_BONUS, axes=(SEATS,), derived=True),
    Field("uses", np.int16, "own objects that require each material", high=MOST_CRAFTS, axes=(SEATS, MATERIALS), derived=True),
    Field(
        "deck_points",
        np.int16,
        "objects of each value left in each deck",
        high=DECK_SIZE,
        axes=(DECK_NAMES, VALUES),
        derived=True,
    ),
    Field(
        "lacking",
        np.int16,
        "levels that each seat lacks for each open object",
        high=MOST_LACKING,
        axes=(SEATS, SHOWN),
        derived=True,
    ),
)
assert len(VALUES) == POINT_VALUES
