"""Lay a card on a castle space (MUS-4.4)."""

from cardtable.engine.bits import holds
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer_run, offer_set
from cardtable.types import Actions
from muster_env.actions import AT, LAY_IDS
from muster_env.components import EVERY_CARD
from muster_env.constants import CASTLES, HAND_SIZE, RAINBOW_CASTLE, WIZARD_BRIDGE
from muster_env.rules.piles import leave_hand, push_castle
from muster_env.types import State


@helper
def wild_castles(game: State) -> int:
    """The set of castles whose columns take any banner: their visible card is a Rainbow Castle (MUS-4.4b, 4.1a)."""
    wild = 0
    for castle in range(CASTLES):
        wild |= int(game.castle_top[castle] == RAINBOW_CASTLE) << castle
    return wild


@helper
def offer_lays(held: int, actions: Actions, count: int) -> int:
    """Offer every banner card its castle space, every Rainbow card all of them (MUS-4.4): always something to do (MUS-3.2)."""
    count = offer_set(held & EVERY_CARD, HAND_SIZE, LAY_IDS, actions, count)
    if holds(held, WIZARD_BRIDGE):
        count = offer_run(AT.lay_wizard.start, CASTLES, actions, count)
    if holds(held, RAINBOW_CASTLE):
        count = offer_run(AT.lay_castle.start, CASTLES, actions, count)
    return count


@kernel
def lay_card(game: State, card: int, castle: int) -> None:
    """MUS-4.4; the card cannot be drawn back this turn (MUS-4.4a)."""
    leave_hand(game, game.seat, card)
    push_castle(game, castle, card)
    game.laid = castle
    game.draws_due = 1
