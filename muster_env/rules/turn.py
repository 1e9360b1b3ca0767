"""The turn (MUS-3)."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper
from muster_env.constants import Phase
from muster_env.types import State


@helper
def phase_of(game: State) -> int:
    """What the mover decides now: the action, a draw of the refill, or a place for the card turned up (MUS-3.1)."""
    if game.draws_due > 0:
        return Phase.DRAW
    return Phase.PLACE if game.turned_up != NOBODY else Phase.ACTION


@helper
def end_turn(game: State) -> None:
    """The other player has a turn (MUS-3.1)."""
    game.turn += 1
    game.laid = NOBODY
    game.seat = 1 - game.seat
