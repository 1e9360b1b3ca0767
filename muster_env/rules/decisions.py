"""Decisions (MUS-9): the legal actions, and an action played, in the order of the action blocks."""

from cardtable.engine.jit import helper, kernel
from cardtable.engine.vectors import places, vector
from cardtable.types import Actions
from muster_env.actions import AT, BRIDGE_IDS, PLAY_IDS, SWAP_IDS
from muster_env.constants import (
    BRIDGED_STRENGTHS,
    CARD_KINDS,
    CASTLES,
    PLAYERS,
    RAINBOW_CASTLE,
    STRENGTHS,
    WIZARD_BRIDGE,
    Phase,
    Side,
)
from muster_env.rules.banners import cards_to_play, offer_cards, play_banner
from muster_env.rules.bridges import build_bridge, cards_on_bridges
from muster_env.rules.castle_spaces import lay_card, offer_lays, wild_castles
from muster_env.rules.refill import draw_from_castle, draw_from_pile, offer_draws
from muster_env.rules.swaps import cards_to_swap, swap_card
from muster_env.rules.turn import phase_of
from muster_env.rules.wizards import move_wizard, offer_moves, offer_places, offer_wizards, place_turned_up, play_wizard
from muster_env.types import State

# ---- Legal actions


@kernel
def legal(game: State, actions: Actions) -> int:
    """Write the ids of all legal actions of the mover in an ongoing game; return how many there are (MUS-9, 9.1)."""
    phase = phase_of(game)
    if phase == Phase.DRAW:
        return offer_draws(game, actions, 0)
    if phase == Phase.PLACE:
        return offer_places(actions, 0)
    return offer_turn(game, game.seat, actions, 0)


@helper
def offer_turn(game: State, seat: int, actions: Actions, count: int) -> int:
    """Offer every action of a turn (MUS-9). All is read before anything is written, so nothing is read twice."""
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


# ---- One action


@kernel
def apply(game: State, action: int) -> None:
    """Play one legal action (MUS-9)."""
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
def apply_move(game: State, number: int) -> None:
    """Move a Wizard: source castle × the other castles in order (MUS-9)."""
    source = number // (CASTLES - 1)
    step = number % (CASTLES - 1)
    move_wizard(game, source, step if step < source else step + 1)


@kernel
def bridged_card(number: int) -> int:
    """The banner card at this place among those of strength 2 to 5 (MUS-9)."""
    return number // BRIDGED_STRENGTHS * STRENGTHS + number % BRIDGED_STRENGTHS + 1


@kernel
def apply_swap(game: State, number: int) -> None:
    """Swap: card × side × castle (MUS-9)."""
    swap_card(game, number // (PLAYERS * CASTLES), number // CASTLES % PLAYERS, number % CASTLES)
