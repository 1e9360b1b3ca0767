"""The rules of Muster as kernels, in the order of the rule book (MUS-4, MUS-5, MUS-9). Clauses are in RULES.md."""

from typing import Any

import numpy as np

from cardtable.engine.bits import holds, lowest, without_lowest
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.offers import offer, offer_run, offer_set
from cardtable.engine.vectors import places, vector
from cardtable.game.record import NOBODY
from muster_env.actions import AT, BRIDGE_IDS, LAY_IDS, OWN_CASTLE, PLAY_IDS, SWAP_IDS
from muster_env.components import CARDS_OF, EVERY_BANNER, EVERY_CARD, EVERY_STRENGTH, WORTH
from muster_env.constants import (
    BANNER_KINDS,
    BRIDGE,
    CARD_KINDS,
    CASTLES,
    HAND_SIZE,
    PLAYERS,
    RAINBOW_CASTLE,
    STRENGTHS,
    WIZARD_BRIDGE,
    Phase,
    Side,
)
from muster_env.turns import (
    add_wizards,
    end_turn,
    enter_hand_seen,
    leave_hand,
    phase_of,
    pop_castle,
    pop_pile,
    push_castle,
    push_column,
    side_seat,
    strength_of,
)

# ---- 4.1 Play a banner


def _fitting(streamlined: bool, power_of_unity: bool, below: int) -> int:
    """The set of strengths, bit 0 for strength 1, that may lie on a strength, 0 for an empty place (MUS-4.1c, 4.1d)."""
    most = STRENGTHS if streamlined else min(below + 1, STRENGTHS)  # MUS-7.1
    if below == 0:
        most = 1 if power_of_unity else STRENGTHS  # MUS-7.2
    return sum(1 << strength - 1 for strength in range(max(below, 1), most + 1))


_NO_YES = (False, True)
FITTING: np.ndarray = np.array([[[_fitting(a, b, below) for below in range(STRENGTHS + 1)] for b in _NO_YES] for a in _NO_YES])
"""By `streamlined`, `power_of_unity` and the strength below."""


@helper
def fitting(game: Any, below: int) -> int:
    """The set of strengths that a banner card may have on a card of strength `below`, 0 for an empty place."""
    return FITTING[unsigned(game.streamlined), unsigned(game.power_of_unity), unsigned(below)]


@helper
def fits(game: Any, below: int, strength: int) -> bool:
    """Whether a banner card may lie on a card of strength `below`, 0 for an empty place (MUS-4.1c, 4.1d)."""
    return fitting(game, below) >> (strength - 1) & 1 == 1


@helper
def fitting_cards(game: Any, seat: int) -> int:
    """The set of banner cards that fit in the columns of their own castles, Wizards left aside."""
    cards = 0
    for castle in range(CASTLES):
        cards |= fitting(game, game.top[seat, castle]) << castle * STRENGTHS
    return cards


@helper
def cards_under_wizards(game: Any, seat: int) -> int:
    """The set of banner cards whose own castle's column has a Wizard on top."""
    return CARDS_OF[unsigned(places(vector(game.wizards[seat], CASTLES)))]


@helper
def wild_castles(game: Any) -> int:
    """The set of castles whose columns take any banner: their visible card is a Rainbow Castle (MUS-4.1a)."""
    wild = 0
    for castle in range(CASTLES):
        wild |= int(game.castle_top[castle] == RAINBOW_CASTLE) << castle
    return wild


@helper
def offer_cards(wanted: int, wild: int, held: int, ids: np.ndarray, actions: np.ndarray, count: int) -> int:
    """Offer the cards held that columns want of their own castle's banner; wild castles take the like of any (MUS-4.1a)."""
    if wanted == 0:
        return count
    count = offer_set(held & wanted & ~CARDS_OF[unsigned(wild)], HAND_SIZE, ids[OWN_CASTLE], actions, count)
    while wild != 0:
        castle = lowest(wild)
        strengths = wanted >> castle * STRENGTHS & EVERY_STRENGTH
        count = offer_set(held & strengths * EVERY_BANNER, HAND_SIZE, ids[unsigned(castle)], actions, count)
        wild = without_lowest(wild)
    return count


@helper
def cards_to_play(game: Any, seat: int) -> int:
    """The set of banner cards that the columns of their own castles take, but nothing on a Wizard (MUS-4.1, 4.1c)."""
    return fitting_cards(game, seat) & ~cards_under_wizards(game, seat)


@kernel
def play_banner(game: Any, card: int, castle: int) -> None:
    """MUS-4.1, 4.1b."""
    leave_hand(game, game.seat, card)
    push_column(game, game.seat, castle, card)
    game.draws_due = 1


# ---- 4.2 Play a Wizard


@helper
def offer_wizards(held: int, actions: np.ndarray, count: int) -> int:
    """Offer a Wizard on every own column (MUS-4.2)."""
    return offer_run(AT.wizard.start, CASTLES, actions, count) if holds(held, WIZARD_BRIDGE) else count


@kernel
def play_wizard(game: Any, castle: int) -> None:
    """MUS-4.2."""
    leave_hand(game, game.seat, WIZARD_BRIDGE)
    add_wizards(game, game.seat, castle, 1)
    game.draws_due = 1


# ---- 4.3 Move a Wizard


@helper
def offer_moves(sources: int, actions: np.ndarray, count: int) -> int:
    """Offer the Wizard on top of every own column that has one every other own column (MUS-4.3)."""
    while sources != 0:
        count = offer_run(AT.move.start + lowest(sources) * (CASTLES - 1), CASTLES - 1, actions, count)
        sources = without_lowest(sources)
    return count


@kernel
def move_wizard(game: Any, source: int, goal: int) -> None:
    """MUS-4.3; no refill (MUS-4.3c)."""
    add_wizards(game, game.seat, source, -1)
    add_wizards(game, game.seat, goal, 1)
    turn_up(game)


@kernel
def turn_up(game: Any) -> None:
    """The top card of the pile goes to its castle space; a Rainbow card waits for the mover's choice (MUS-4.3a, 4.3b)."""
    card = pop_pile(game)
    if card < BANNER_KINDS:
        push_castle(game, card // STRENGTHS, card)
        end_turn(game)
    else:
        game.turned_up = card


@kernel
def place_turned_up(game: Any, castle: int) -> None:
    """MUS-4.3b."""
    push_castle(game, castle, game.turned_up)
    game.turned_up = NOBODY
    end_turn(game)


# ---- 4.4 Lay a card on a castle space


@helper
def offer_lays(held: int, actions: np.ndarray, count: int) -> int:
    """Offer every banner card its castle space, every Rainbow card all of them (MUS-4.4)."""
    count = offer_set(held & EVERY_CARD, HAND_SIZE, LAY_IDS, actions, count)
    if holds(held, WIZARD_BRIDGE):
        count = offer_run(AT.lay_wizard.start, CASTLES, actions, count)
    if holds(held, RAINBOW_CASTLE):
        count = offer_run(AT.lay_castle.start, CASTLES, actions, count)
    return count


@kernel
def lay_card(game: Any, card: int, castle: int) -> None:
    """MUS-4.4; the card cannot be drawn back this turn (MUS-4.4a)."""
    leave_hand(game, game.seat, card)
    push_castle(game, castle, card)
    game.laid = castle
    game.draws_due = 1


# ---- 4.5 Build a Bridge


@helper
def bridged_strengths(below: int, bridges: int) -> int:
    """The set of strengths to which that many Bridges or fewer lead: k of them from s to s + k + 1 (MUS-4.5, 7.3)."""
    return ((1 << bridges) - 1 << below + 1) & EVERY_STRENGTH


@helper
def cards_on_bridges(game: Any, seat: int) -> int:
    """The set of banner cards that Bridges in hand lead to at their own castles, but nothing on a Wizard (MUS-4.5, 4.5c)."""
    held = int(game.hand[seat, WIZARD_BRIDGE])
    bridges = held if game.over_the_rainbow else min(held, 1)
    cards = 0
    for castle in range(CASTLES):
        cards |= bridged_strengths(int(game.top[seat, castle]), bridges) << castle * STRENGTHS
    return cards & ~cards_under_wizards(game, seat)


@kernel
def bridged_card(number: int) -> int:
    """The banner card at this place among those of strength 2 to 5."""
    return number // (STRENGTHS - 1) * STRENGTHS + number % (STRENGTHS - 1) + 1


@kernel
def build_bridge(game: Any, card: int, castle: int) -> None:
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


# ---- 4.6 Swap a Rainbow card


@helper
def can_swap_wizard(game: Any, seat: int, castle: int, strength: int) -> bool:
    """Whether a banner card may take the place of the lowest Wizard of a column (MUS-4.6a)."""
    return game.wizards[seat, castle] > 0 and fits(game, game.top[seat, castle], strength)


@helper
def cards_for_bridges(game: Any, seat: int) -> int:
    """The set of cards that may take the place of a Bridge in the column of their own castle (MUS-4.6b, 7.1)."""
    cards = 0
    for castle in range(CASTLES):
        cards |= (int(game.bridges[seat, castle]) >> 1) << castle * STRENGTHS
    return 0 if game.streamlined else cards


@helper
def cards_to_swap(game: Any, owner: int) -> int:
    """The set of banner cards that may take the place of a Rainbow card on a side, at their own castles (MUS-4.6)."""
    return fitting_cards(game, owner) & cards_under_wizards(game, owner) | cards_for_bridges(game, owner)


@kernel
def swap_card(game: Any, card: int, side: int, castle: int) -> None:
    """MUS-4.6; a card, a side and a castle determine the swap (MUS-4.6d); no refill (MUS-4.6c)."""
    seat = side_seat(game.seat, side)
    if can_swap_wizard(game, seat, castle, strength_of(card)):
        add_wizards(game, seat, castle, -1)
        push_column(game, seat, castle, card)
    else:
        replace_bridge(game, seat, castle, card)
    leave_hand(game, game.seat, card)
    enter_hand_seen(game, game.seat, WIZARD_BRIDGE)
    end_turn(game)


@kernel
def bridge_place(game: Any, seat: int, castle: int, strength: int) -> int:
    """Where in a column the Bridge lies that stands for a strength: one more than what is under it (MUS-4.5a)."""
    stands_for = 0
    for place in range(game.column_size[seat, castle]):
        piece = game.column[seat, castle, place]
        stands_for = stands_for + 1 if piece == BRIDGE else strength_of(piece)
        if piece == BRIDGE and stands_for == strength:
            return place
    return NOBODY


@kernel
def replace_bridge(game: Any, seat: int, castle: int, card: int) -> None:
    """The card takes the place of the Bridge that stands for its strength (MUS-4.6b)."""
    game.column[seat, castle, bridge_place(game, seat, castle, strength_of(card))] = card
    game.standing[seat, castle] += WORTH[card] - WORTH[BRIDGE]
    game.bridges[seat, castle] &= ~(1 << strength_of(card))


# ---- 5 Refill


@helper
def can_draw_castle(game: Any, castle: int) -> bool:
    """MUS-5.1, not a Rainbow Castle (MUS-5.2), nor the card just laid (MUS-5.3)."""
    card = game.castle_top[castle]
    return (card != NOBODY) & (card != RAINBOW_CASTLE) & (game.laid != castle)


@helper
def offer_draws(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer the pile and every castle space that can be drawn from (MUS-5.1)."""
    count = offer(AT.draw_pile.start, True, actions, count)
    for castle in range(CASTLES):
        count = offer(AT.draw_castle.start + castle, can_draw_castle(game, castle), actions, count)
    return count


@kernel
def draw_from_pile(game: Any) -> None:
    """MUS-5.1, unseen."""
    game.hand[game.seat, pop_pile(game)] += 1
    finish_draw(game)


@kernel
def draw_from_castle(game: Any, castle: int) -> None:
    """MUS-5.1, seen by all."""
    enter_hand_seen(game, game.seat, pop_castle(game, castle))
    finish_draw(game)


@kernel
def finish_draw(game: Any) -> None:
    """The turn ends with the fifth card in hand (MUS-5.1); the last of the pile may end the game before (MUS-6.1)."""
    game.draws_due -= 1
    if game.draws_due == 0:
        end_turn(game)


# ---- 9 Decisions


@kernel
def legal(game: Any, actions: np.ndarray) -> int:
    """Write the ids of all legal actions of the mover of a game that goes on; return how many there are."""
    phase = phase_of(game)
    if phase == Phase.DRAW:
        return offer_draws(game, actions, 0)
    if phase == Phase.PLACE:
        return offer_run(AT.place.start, CASTLES, actions, 0)  # MUS-4.3b
    return offer_actions(game, game.seat, actions, 0)


@helper
def offer_actions(game: Any, seat: int, actions: np.ndarray, count: int) -> int:
    """Offer every action of a turn (MUS-4). All that is read comes before what is written: else it is read again and again."""
    held, wild = places(vector(game.hand[seat], CARD_KINDS)), wild_castles(game)
    plays, bridges = cards_to_play(game, seat), cards_on_bridges(game, seat)
    own_swaps, other_swaps = cards_to_swap(game, seat), cards_to_swap(game, 1 - seat)
    sources = places(vector(game.wizards[seat], CASTLES))
    count = offer_cards(plays, wild, held, PLAY_IDS, actions, count)
    count = offer_wizards(held, actions, count)
    count = offer_moves(sources, actions, count)
    count = offer_lays(held, actions, count)
    count = offer_cards(bridges, wild, held, BRIDGE_IDS, actions, count)
    count = offer_cards(own_swaps, wild, held, SWAP_IDS[Side.OWN], actions, count)
    return offer_cards(other_swaps, wild, held, SWAP_IDS[Side.OTHER], actions, count)


@kernel
def apply(game: Any, action: int) -> None:
    """Play one legal action."""
    if action < AT.play.stop:
        play_banner(game, action // CASTLES, action % CASTLES)
    elif action < AT.wizard.stop:
        play_wizard(game, action - AT.wizard.start)
    elif action < AT.move.stop:
        apply_move(game, action - AT.move.start)
    elif action < AT.lay.stop:
        card = action - AT.lay.start
        lay_card(game, card, card // STRENGTHS)
    elif action < AT.lay_wizard.stop:
        lay_card(game, WIZARD_BRIDGE, action - AT.lay_wizard.start)
    elif action < AT.lay_castle.stop:
        lay_card(game, RAINBOW_CASTLE, action - AT.lay_castle.start)
    elif action < AT.bridge.stop:
        number = action - AT.bridge.start
        build_bridge(game, bridged_card(number // CASTLES), number % CASTLES)
    elif action < AT.swap.stop:
        apply_swap(game, action - AT.swap.start)
    elif action < AT.draw_pile.stop:
        draw_from_pile(game)
    elif action < AT.draw_castle.stop:
        draw_from_castle(game, action - AT.draw_castle.start)
    else:
        place_turned_up(game, action - AT.place.start)


@kernel
def apply_move(game: Any, number: int) -> None:
    """Move a Wizard: source castle × the other castles in order."""
    source = number // (CASTLES - 1)
    step = number % (CASTLES - 1)
    move_wizard(game, source, step if step < source else step + 1)


@kernel
def apply_swap(game: Any, number: int) -> None:
    """Swap: card × side × castle."""
    swap_card(game, number // (PLAYERS * CASTLES), number // CASTLES % PLAYERS, number % CASTLES)
