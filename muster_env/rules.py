"""The rules of Muster as kernels, in the order of the rule book (MUS-4, MUS-5, MUS-9). Clauses are in RULES.md."""

from typing import Any

import numpy as np

from cardtable.jit import helper, kernel
from cardtable.record import NOBODY
from muster_env.actions import AT
from muster_env.components import WORTH
from muster_env.constants import (
    BANNER_KINDS,
    BRIDGE,
    CASTLES,
    PLAYERS,
    RAINBOW_CASTLE,
    STRENGTHS,
    WIZARD_BRIDGE,
    Phase,
)
from muster_env.turns import (
    add_wizards,
    card_of,
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


@helper
def is_wild(game: Any, castle: int) -> bool:
    """Whether the columns of a castle take any banner: its visible card is a Rainbow Castle (MUS-4.1a)."""
    return game.castle_top[castle] == RAINBOW_CASTLE


@helper
def first_banner(game: Any, castle: int) -> int:
    """The first banner that the columns of a castle take (MUS-4.1a)."""
    return 0 if is_wild(game, castle) else castle


@helper
def stop_banner(game: Any, castle: int) -> int:
    """One past the last banner that the columns of a castle take (MUS-4.1a)."""
    return CASTLES if is_wild(game, castle) else castle + 1


@helper
def least_fitting(below: int) -> int:
    """The least strength that a banner card must have on a card of strength `below`, 0 for an empty place (MUS-4.1c)."""
    return max(below, 1)


@helper
def most_fitting(game: Any, below: int) -> int:
    """The greatest strength that a banner card may have there (MUS-4.1d; MUS-7.1, 7.2)."""
    if below == 0:
        return 1 if game.power_of_unity else STRENGTHS
    return STRENGTHS if game.streamlined else min(below + 1, STRENGTHS)


@helper
def offer_banners(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every banner card in hand on every own column that takes it (MUS-4.1)."""
    seat = game.seat
    for castle in range(CASTLES):
        if game.wizards[seat, castle] > 0:
            continue  # MUS-4.1c: nothing on a Wizard
        below = game.top[seat, castle]
        most = most_fitting(game, below)
        for banner in range(first_banner(game, castle), stop_banner(game, castle)):
            for strength in range(least_fitting(below), most + 1):
                card = card_of(banner, strength)
                actions[count] = AT.play.start + card * CASTLES + castle
                count += game.hand[seat, card] > 0
    return count


@kernel
def play_banner(game: Any, card: int, castle: int) -> None:
    """MUS-4.1, 4.1b."""
    leave_hand(game, game.seat, card)
    push_column(game, game.seat, castle, card)
    game.draws_due = 1


# ---- 4.2 Play a Wizard


@helper
def offer_wizards(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer a Wizard on every own column (MUS-4.2)."""
    if game.hand[game.seat, WIZARD_BRIDGE] > 0:
        for castle in range(CASTLES):
            actions[count] = AT.wizard.start + castle
            count += 1
    return count


@kernel
def play_wizard(game: Any, castle: int) -> None:
    """MUS-4.2."""
    leave_hand(game, game.seat, WIZARD_BRIDGE)
    add_wizards(game, game.seat, castle, 1)
    game.draws_due = 1


# ---- 4.3 Move a Wizard


@helper
def offer_moves(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every own Wizard on top of a column every other own column (MUS-4.3)."""
    for source in range(CASTLES):
        if game.wizards[game.seat, source] > 0:
            for step in range(CASTLES - 1):
                actions[count] = AT.move.start + source * (CASTLES - 1) + step
                count += 1
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
def offer_lays(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every banner card its castle space, every Rainbow card all of them (MUS-4.4)."""
    seat = game.seat
    for card in range(BANNER_KINDS):
        actions[count] = AT.lay.start + card
        count += game.hand[seat, card] > 0
    if game.hand[seat, WIZARD_BRIDGE] > 0:
        for castle in range(CASTLES):
            actions[count] = AT.lay_wizard.start + castle
            count += 1
    if game.hand[seat, RAINBOW_CASTLE] > 0:
        for castle in range(CASTLES):
            actions[count] = AT.lay_castle.start + castle
            count += 1
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
def most_bridges(game: Any) -> int:
    """How many Bridges the mover can build in one action (MUS-4.5, 7.3)."""
    held = game.hand[game.seat, WIZARD_BRIDGE]
    return held if game.over_the_rainbow else min(held, 1)


@helper
def offer_bridges(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every Bridge that the hand can build: k of them lead from strength s to a banner of s + k + 1 (MUS-4.5)."""
    seat, bridges = game.seat, most_bridges(game)
    if bridges == 0:
        return count
    for castle in range(CASTLES):
        if game.wizards[seat, castle] > 0:
            continue  # MUS-4.5c
        below = game.top[seat, castle]
        most = min(below + bridges + 1, STRENGTHS)
        for banner in range(first_banner(game, castle), stop_banner(game, castle)):
            for strength in range(below + 1 + 1, most + 1):
                actions[count] = AT.bridge.start + bridged_number(banner, strength) * CASTLES + castle
                count += game.hand[seat, card_of(banner, strength)] > 0
    return count


@helper
def bridged_number(banner: int, strength: int) -> int:
    """The place of a banner card among those of strength 2 to 5."""
    return banner * (STRENGTHS - 1) + strength - 1 - 1


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
    if game.wizards[seat, castle] == 0:
        return False
    below = game.top[seat, castle]
    return least_fitting(below) <= strength <= most_fitting(game, below)


@helper
def can_swap_bridge(game: Any, seat: int, castle: int, strength: int) -> bool:
    """Whether a banner card may take the place of the Bridge that stands for its strength (MUS-4.6b, 7.1)."""
    return game.bridges[seat, castle] & (1 << strength) != 0 and game.streamlined == 0


@helper
def offer_swaps(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every swap, on both sides (MUS-4.6)."""
    for side in range(PLAYERS):
        seat = side_seat(game.seat, side)
        for castle in range(CASTLES):
            if game.wizards[seat, castle] > 0 or game.bridges[seat, castle] > 0:
                count = offer_swaps_in_column(game, side, castle, actions, count)
    return count


@kernel
def offer_swaps_in_column(game: Any, side: int, castle: int, actions: np.ndarray, count: int) -> int:
    """Offer every swap in one column (MUS-4.6)."""
    seat = side_seat(game.seat, side)
    for banner in range(first_banner(game, castle), stop_banner(game, castle)):
        for strength in range(1, STRENGTHS + 1):
            card = card_of(banner, strength)
            if game.hand[game.seat, card] == 0:
                continue
            if can_swap_wizard(game, seat, castle, strength) or can_swap_bridge(game, seat, castle, strength):
                actions[count] = AT.swap.start + (card * PLAYERS + side) * CASTLES + castle
                count += 1
    return count


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
    actions[count] = AT.draw_pile.start
    count += 1
    for castle in range(CASTLES):
        actions[count] = AT.draw_castle.start + castle
        count += can_draw_castle(game, castle)
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


@helper
def offer_places(actions: np.ndarray, count: int) -> int:
    """Offer every castle space for the turned-up Rainbow card (MUS-4.3b)."""
    for castle in range(CASTLES):
        actions[count] = AT.place.start + castle
        count += 1
    return count


@kernel
def legal(game: Any, actions: np.ndarray) -> int:
    """Write the ids of all legal actions of the mover of a game that goes on; return how many there are."""
    phase = phase_of(game)
    if phase == Phase.DRAW:
        return offer_draws(game, actions, 0)
    if phase == Phase.PLACE:
        return offer_places(actions, 0)
    count = offer_banners(game, actions, 0)
    count = offer_wizards(game, actions, count)
    count = offer_moves(game, actions, count)
    count = offer_lays(game, actions, count)
    count = offer_bridges(game, actions, count)
    return offer_swaps(game, actions, count)


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
