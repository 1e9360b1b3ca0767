"""Build a Bridge (MUS-4.5)."""

from cardtable.engine.jit import helper, kernel
from muster_env.components import EVERY_STRENGTH
from muster_env.constants import BRIDGE, CASTLES, STRENGTHS, WIZARD_BRIDGE
from muster_env.rules.banners import cards_under_wizards
from muster_env.rules.piles import leave_hand, push_column, strength_of
from muster_env.types import State


@helper
def bridged_strengths(below: int, bridges: int) -> int:
    """The set of strengths to which that many Bridges or fewer lead: k of them from s, 0 if the column is empty, to s + k + 1.

    MUS-4.5a, 4.5b, 7.3.
    """
    return ((1 << bridges) - 1 << below + 1) & EVERY_STRENGTH


@helper
def cards_on_bridges(game: State, seat: int) -> int:
    """The set of banner cards that Bridges in hand lead to at their own castles, but nothing on a Wizard (MUS-4.5, 4.5c)."""
    held = int(game.hand[seat, WIZARD_BRIDGE])
    bridges = held if game.over_the_rainbow else min(held, 1)
    cards = 0
    for castle in range(CASTLES):
        cards |= bridged_strengths(int(game.top[seat, castle]), bridges) << castle * STRENGTHS
    return cards & ~cards_under_wizards(game, seat)


@kernel
def build_bridge(game: State, card: int, castle: int) -> None:
    """MUS-4.5; it spends two cards or more (MUS-5.4)."""
    seat = game.seat
    below = game.top[seat, castle]
    for stands_for in range(below + 1, strength_of(card)):
        leave_hand(game, seat, WIZARD_BRIDGE)
        push_column(game, seat, castle, BRIDGE)
        game.bridges[seat, castle] |= 1 << stands_for
    leave_hand(game, seat, card)
    push_column(game, seat, castle, card)
    game.draws_due = strength_of(card) - below
