"""The end of a game of Muster (MUS-6)."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending, share_the_win
from cardtable.engine.jit import kernel
from cardtable.types import Floats
from muster_env.constants import CASTLES, PLAYERS
from muster_env.types import State


@kernel
def is_over(game: State) -> int:
    """Over with the last card of the pile (MUS-6.1); cut off after `max_turns` turns (MUS-6.5)."""
    if game.pile_size == 0 and game.turned_up == NOBODY:
        return Ending.TERMINATED
    return Ending.TRUNCATED if game.turn >= game.max_turns else Ending.ONGOING


@kernel
def holder(game: State, castle: int) -> int:
    """The side that a castle goes to, or NOBODY; `standing` counts strength first, then banner cards (MUS-6.2, 6.3)."""
    lead = game.standing[0, castle] - game.standing[1, castle]
    if lead == 0:
        return NOBODY
    return 0 if lead > 0 else 1


@kernel
def scores(game: State, out: Floats) -> None:
    """Castles held by each side as things stand (MUS-6.4)."""
    out[:PLAYERS] = 0
    for castle in range(CASTLES):
        side = holder(game, castle)
        if side != NOBODY:
            out[side] += 1


@kernel
def returns(game: State, out: Floats) -> None:
    """More castles wins; equal castles is a draw (MUS-6.4)."""
    scores(game, out)
    own, other = out[0], out[1]
    out[0] = own >= other
    out[1] = other >= own
    share_the_win(out, PLAYERS)
