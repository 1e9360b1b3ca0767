"""Play a banner (MUS-4.1): which cards fit where, as Bridges and swaps ask too."""

import numpy as np

from cardtable.engine.bits import lowest, without_lowest
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.offers import offer_set
from cardtable.engine.vectors import places, vector
from cardtable.types import Actions, Integers
from muster_env.actions import OWN_CASTLE
from muster_env.components import CARDS_OF, EVERY_BANNER, EVERY_STRENGTH
from muster_env.constants import CASTLES, HAND_SIZE, STRENGTHS
from muster_env.rules.piles import leave_hand, push_column
from muster_env.types import State

# ---- Strengths


def _fitting(streamlined: bool, power_of_unity: bool, below: int) -> int:
    """The set of strengths, bit 0 for strength 1, that may lie on a strength, 0 for an empty place (MUS-4.1c, 4.1d)."""
    most = STRENGTHS if streamlined else min(below + 1, STRENGTHS)  # MUS-7.1
    if below == 0:
        most = 1 if power_of_unity else STRENGTHS  # MUS-7.2
    return sum(1 << strength - 1 for strength in range(max(below, 1), most + 1))


_NO_YES = (False, True)
FITTING: Integers = np.array([[[_fitting(a, b, below) for below in range(STRENGTHS + 1)] for b in _NO_YES] for a in _NO_YES])
"""By `streamlined`, `power_of_unity` and the strength below."""


@helper
def fitting(game: State, below: int) -> int:
    """The set of strengths that a banner card may have on a card of strength `below`, 0 for an empty place (MUS-4.1c, 4.1d)."""
    return FITTING[unsigned(game.streamlined), unsigned(game.power_of_unity), unsigned(below)]


@helper
def fits(game: State, below: int, strength: int) -> bool:
    """Whether a banner card may lie on a card of strength `below`, 0 for an empty place (MUS-4.1c, 4.1d)."""
    return fitting(game, below) >> (strength - 1) & 1 == 1


# ---- Cards


@helper
def fitting_cards(game: State, seat: int) -> int:
    """The set of banner cards that fit in the columns of their own castles, Wizards left aside (MUS-4.1)."""
    cards = 0
    for castle in range(CASTLES):
        cards |= fitting(game, game.top[seat, castle]) << castle * STRENGTHS
    return cards


@helper
def cards_under_wizards(game: State, seat: int) -> int:
    """The set of banner cards whose own castle's column has a Wizard on top (MUS-4.1c)."""
    return CARDS_OF[unsigned(places(vector(game.wizards[seat], CASTLES)))]


@helper
def offer_cards(cards: int, wild: int, held: int, ids: Actions, actions: Actions, count: int) -> int:
    """Offer the cards held among `cards`, each at its banner's castle; wild castles take the like of any banner (MUS-4.1a)."""
    if cards == 0:
        return count
    count = offer_set(held & cards & ~CARDS_OF[unsigned(wild)], HAND_SIZE, ids[OWN_CASTLE], actions, count)
    while wild != 0:
        castle = lowest(wild)
        strengths = cards >> castle * STRENGTHS & EVERY_STRENGTH
        count = offer_set(held & strengths * EVERY_BANNER, HAND_SIZE, ids[unsigned(castle)], actions, count)
        wild = without_lowest(wild)
    return count


@helper
def cards_to_play(game: State, seat: int) -> int:
    """The set of banner cards that the columns of their own castles take, but nothing on a Wizard (MUS-4.1, 4.1c)."""
    return fitting_cards(game, seat) & ~cards_under_wizards(game, seat)


@kernel
def play_banner(game: State, card: int, castle: int) -> None:
    """MUS-4.1, 4.1b."""
    leave_hand(game, game.seat, card)
    push_column(game, game.seat, castle, card)
    game.draws_due = 1
