"""Play a Wizard, move a Wizard (MUS-4.2, 4.3)."""

from cardtable.engine.bits import holds, lowest, without_lowest
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer_run
from cardtable.types import Actions
from muster_env.actions import AT
from muster_env.constants import BANNER_KINDS, CASTLES, STRENGTHS, WIZARD_BRIDGE
from muster_env.rules.piles import add_wizards, leave_hand, pop_pile, push_castle
from muster_env.rules.turn import end_turn
from muster_env.types import State

# ---- 4.2 Play a Wizard


@helper
def offer_wizards(held: int, actions: Actions, count: int) -> int:
    """Offer a Wizard on every own column (MUS-4.2)."""
    return offer_run(AT.wizard.start, CASTLES, actions, count) if holds(held, WIZARD_BRIDGE) else count


@kernel
def play_wizard(game: State, castle: int) -> None:
    """MUS-4.2."""
    leave_hand(game, game.seat, WIZARD_BRIDGE)
    add_wizards(game, game.seat, castle, 1)
    game.draws_due = 1


# ---- 4.3 Move a Wizard


@helper
def offer_moves(sources: int, actions: Actions, count: int) -> int:
    """Offer the Wizard on top of every own column that has one every other own column (MUS-4.3)."""
    while sources != 0:
        count = offer_run(AT.move.start + lowest(sources) * (CASTLES - 1), CASTLES - 1, actions, count)
        sources = without_lowest(sources)
    return count


@kernel
def move_wizard(game: State, source: int, goal: int) -> None:
    """MUS-4.3; no refill (MUS-4.3c)."""
    add_wizards(game, game.seat, source, -1)
    add_wizards(game, game.seat, goal, 1)
    turn_up(game)


@kernel
def turn_up(game: State) -> None:
    """The top card of the pile goes to its castle space; a Rainbow card waits for the mover's choice (MUS-4.3a, 4.3b)."""
    card = pop_pile(game)
    if card < BANNER_KINDS:
        push_castle(game, card // STRENGTHS, card)
        end_turn(game)
    else:
        game.turned_up = card


@helper
def offer_places(actions: Actions, count: int) -> int:
    """Offer every castle space for the Rainbow card turned up (MUS-4.3b)."""
    return offer_run(AT.place.start, CASTLES, actions, count)


@kernel
def place_turned_up(game: State, castle: int) -> None:
    """MUS-4.3b."""
    push_castle(game, castle, game.turned_up)
    game.turned_up = NOBODY
    end_turn(game)
