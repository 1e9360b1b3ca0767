"""The action space of Muster (MUS-9): 546 actions; an id means the same in every state, seen from the mover."""

import numpy as np

from cardtable.game.actions import ActionSpace, Block
from cardtable.types import Actions
from muster_env.components import BANNER_CARDS, BANNERS
from muster_env.constants import BANNER_KINDS, CASTLES, PLAYERS, STRENGTHS

BRIDGED_CARDS = tuple(name for kind, name in enumerate(BANNER_CARDS) if kind % STRENGTHS > 0)
"""Banner cards of strength 2 to 5: what a Bridge can lead up to."""

_MOVES = tuple(
    f"from {BANNERS[source]} to {BANNERS[goal]}" for source in range(CASTLES) for goal in range(CASTLES) if source != goal
)

ACTIONS = ActionSpace(
    Block("play", "play {} at {}", (BANNER_CARDS, BANNERS), "play a banner card onto the own column (MUS-4.1)"),
    Block("wizard", "wizard at {}", (BANNERS,), "play a Wizard onto the own column (MUS-4.2)"),
    Block("move", "move wizard {}", (_MOVES,), "move the Wizard on top of an own column to another (MUS-4.3)"),
    Block("lay", "lay {}", (BANNER_CARDS,), "lay a banner card on its castle space (MUS-4.4)"),
    Block("lay_wizard", "lay wizard/bridge on {}", (BANNERS,), "lay a Wizard/Bridge card on a castle space (MUS-4.4)"),
    Block("lay_castle", "lay rainbow castle on {}", (BANNERS,), "lay a Rainbow Castle on a castle space (MUS-4.4)"),
    Block("bridge", "bridge to {} at {}", (BRIDGED_CARDS, BANNERS), "build a Bridge and a banner card on it (MUS-4.5)"),
    Block("swap", "swap {} into {} {}", (BANNER_CARDS, ("own", "other"), BANNERS), "swap for a Wizard or Bridge (MUS-4.6)"),
    Block("draw_pile", "draw from pile", (), "draw the top card of the pile, unseen (MUS-5.1)"),
    Block("draw_castle", "draw from {}", (BANNERS,), "draw the top card of a castle space (MUS-5.1)"),
    Block("place", "place on {}", (BANNERS,), "place the turned-up Rainbow card (MUS-4.3b)"),
)

AT = ACTIONS.at

# ---- Ids by banner card, in a row for each castle and one more: the castle of the card's own banner

OWN_CASTLE = CASTLES
_CARD = np.arange(BANNER_KINDS, dtype=np.int16)
_BANNER = _CARD // STRENGTHS
_CASTLE = np.stack([*(np.full_like(_CARD, castle) for castle in range(CASTLES)), _BANNER])

PLAY_IDS: Actions = AT.play.start + _CARD * CASTLES + _CASTLE
LAY_IDS: Actions = AT.lay.start + _CARD  # one row: every card has its own castle space
BRIDGE_IDS: Actions = AT.bridge.start + (_CARD - _BANNER - 1) * CASTLES + _CASTLE  # not for cards of strength 1
SWAP_IDS: Actions = np.stack([AT.swap.start + (_CARD * PLAYERS + side) * CASTLES + _CASTLE for side in range(PLAYERS)])
