"""Refill (MUS-5)."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions
from muster_env.actions import AT
from muster_env.constants import CASTLES, RAINBOW_CASTLE
from muster_env.rules.piles import enter_hand_seen, pop_castle, pop_pile
from muster_env.rules.turn import end_turn
from muster_env.types import State


@helper
def can_draw_castle(game: State, castle: int) -> bool:
    """Whether there is a card (MUS-5.1), no Rainbow Castle (MUS-5.2), and it was not laid in this turn (MUS-5.3, 4.4a)."""
    card = game.castle_top[castle]
    return (card != NOBODY) & (card != RAINBOW_CASTLE) & (game.laid != castle)


@helper
def offer_draws(game: State, actions: Actions, count: int) -> int:
    """Offer the pile and every castle space that can be drawn from (MUS-5.1)."""
    count = offer(AT.draw_pile.start, True, actions, count)
    for castle in range(CASTLES):
        count = offer(AT.draw_castle.start + castle, can_draw_castle(game, castle), actions, count)
    return count


@kernel
def draw_from_pile(game: State) -> None:
    """MUS-5.1, unseen."""
    game.hand[game.seat, pop_pile(game)] += 1
    finish_draw(game)


@kernel
def draw_from_castle(game: State, castle: int) -> None:
    """MUS-5.1, seen by all."""
    enter_hand_seen(game, game.seat, pop_castle(game, castle))
    finish_draw(game)


@kernel
def finish_draw(game: State) -> None:
    """The turn ends with the fifth card in hand, after a Bridge with the second draw or later (MUS-5.1, 5.4).

    The last card of the pile may end the game before (MUS-6.1).
    """
    game.draws_due -= 1
    if game.draws_due == 0:
        end_turn(game)
