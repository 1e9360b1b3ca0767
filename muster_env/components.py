"""The cards of Muster, by name, in the order of the rule book, and the tables made from them."""

from typing import NamedTuple

import numpy as np

from cardtable.types import Integers
from muster_env.constants import (
    BANNER_KINDS,
    BRIDGE,
    BRIDGE_STRENGTH,
    CASTLES,
    PIECE_KINDS,
    RAINBOW_CASTLES,
    STRENGTH_WORTH,
    STRENGTHS,
    WIZARD_BRIDGES,
    WIZARD_STRENGTH,
)

BANNERS = ("water", "feather", "cloud", "sun", "leaf")  # MUS-1.1, the castles in order from the left


class Troop(NamedTuple):
    """The banner cards of one strength, in every banner."""

    name: str
    strength: int
    copies: int


TROOPS = (  # MUS-1.2
    Troop("soldier", strength=1, copies=3),
    Troop("archer", strength=2, copies=2),
    Troop("knight", strength=3, copies=1),
    Troop("beast", strength=4, copies=1),
    Troop("leader", strength=5, copies=1),
)

BANNER_CARDS = tuple(f"{banner} {troop.strength}" for banner in BANNERS for troop in TROOPS)
CARDS = (*BANNER_CARDS, "wizard/bridge", "rainbow castle")
"""The name of every card kind."""

BRIDGE_PIECE = "bridge"
PIECES = (*BANNER_CARDS, BRIDGE_PIECE)
"""The name of everything that can lie in a column under the Wizards."""

FACES = ("none", *(str(troop.strength) for troop in TROOPS), "wizard/bridge", "rainbow castle")
"""What can lie on a castle space; the banner follows from the space."""

COPIES: Integers = np.array(
    [troop.copies for _ in BANNERS for troop in TROOPS] + [WIZARD_BRIDGES, RAINBOW_CASTLES], dtype=np.int16
)
"""How many cards there are of each kind."""

FACE: Integers = np.array(
    [troop.strength for _ in BANNERS for troop in TROOPS] + [FACES.index("wizard/bridge"), FACES.index("rainbow castle"), 0],
    dtype=np.int16,
)
"""What each card is on a castle space, as a number of FACES; NOBODY, which counts from the end, is none."""

STRENGTH: Integers = np.array([troop.strength for _ in BANNERS for troop in TROOPS] + [BRIDGE_STRENGTH], dtype=np.int16)
"""What each piece counts in a column (MUS-6.2)."""

WORTH: Integers = STRENGTH * STRENGTH_WORTH + (np.arange(PIECE_KINDS) != BRIDGE)
"""What each piece adds to the standing of its column: strength first (MUS-6.2), then banner cards (MUS-6.3)."""

WIZARD_WORTH = WIZARD_STRENGTH * STRENGTH_WORTH

# ---- Sets of banner cards: bit k is card kind k

EVERY_CARD = 2**BANNER_KINDS - 1
"""All banner cards."""

EVERY_STRENGTH = 2**STRENGTHS - 1
"""All cards of the first banner."""

EVERY_BANNER = sum(1 << banner * STRENGTHS for banner in range(CASTLES))
"""The cards of strength 1. A set of cards of the first banner, times this, holds the like of every banner."""

CARDS_OF: Integers = np.array(
    [
        sum(EVERY_STRENGTH << banner * STRENGTHS for banner in range(CASTLES) if castles >> banner & 1)
        for castles in range(2**CASTLES)
    ]
)
"""All cards of the banners of a set of castles."""
