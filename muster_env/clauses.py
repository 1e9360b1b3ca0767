"""Which clauses of RULES.md a decision exercises: counted in random play, so that no rule goes untried."""

from enum import IntEnum, auto

from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending
from cardtable.engine.jit import kernel
from cardtable.types import Integers
from muster_env.actions import AT
from muster_env.constants import BANNER_KINDS, CASTLES, PLAYERS, RAINBOW_CASTLE, STRENGTH_WORTH, STRENGTHS, WIZARD_BRIDGE, Phase
from muster_env.rules.decisions import bridged_card
from muster_env.rules.piles import side_seat, strength_of
from muster_env.rules.swaps import can_swap_wizard
from muster_env.rules.turn import phase_of
from muster_env.scoring import is_over
from muster_env.types import State


class Clause(IntEnum):
    """The clauses that show in play; `MUS_4_1a` is MUS-4.1a."""

    MUS_4_1 = 0
    MUS_4_1a = auto()  # another banner under a Rainbow Castle
    MUS_4_1b = auto()  # onto a card
    MUS_4_1c = auto()  # onto a card of the same strength
    MUS_4_1d = auto()  # onto a card of one strength less
    MUS_4_2 = auto()
    MUS_4_3 = auto()
    MUS_4_3a = auto()  # a banner card is turned up
    MUS_4_3b = auto()  # a Rainbow card is turned up and placed
    MUS_4_4 = auto()
    MUS_4_4b = auto()  # a Rainbow Castle is covered or uncovered
    MUS_4_5 = auto()
    MUS_4_5a = auto()  # on a card
    MUS_4_5b = auto()  # on an empty column
    MUS_4_6 = auto()
    MUS_4_6a = auto()  # a Wizard leaves
    MUS_4_6b = auto()  # a Bridge leaves
    MUS_5_1 = auto()
    MUS_5_2 = auto()  # a Rainbow Castle cannot be drawn
    MUS_5_3 = auto()  # the laid card cannot be drawn
    MUS_5_4 = auto()  # two draws or more
    MUS_6_1 = auto()  # the pile ends
    MUS_6_2 = auto()  # a castle won by strength
    MUS_6_3 = auto()  # a castle won by banner cards, or by nobody
    MUS_6_4 = auto()  # equal castles
    MUS_6_5 = auto()  # cut off
    MUS_7_1 = auto()  # a play that only `streamlined` allows
    MUS_7_2 = auto()  # a soldier on an empty column under `power_of_unity`
    MUS_7_3 = auto()  # several Bridges in a row
    MUS_8_2 = auto()  # a known card leaves a hand


@kernel
def witness(game: State, action: int, counts: Integers) -> None:
    """Count the clauses that `action` is about to exercise; at the end of the game (NOBODY), those that decide it."""
    if action == NOBODY:
        witness_end(game, counts)
    elif action < AT.play.stop:
        witness_play(game, action // CASTLES, action % CASTLES, counts)
    elif action < AT.wizard.stop:
        counts[Clause.MUS_4_2] += 1
        witness_leaving(game, WIZARD_BRIDGE, counts)
    elif action < AT.move.stop:
        counts[Clause.MUS_4_3] += 1
        counts[Clause.MUS_4_3a] += game.pile[game.pile_size - 1] < BANNER_KINDS
    elif action < AT.lay_castle.stop:
        witness_lay(game, action - AT.lay.start, counts)
    elif action < AT.bridge.stop:
        number = action - AT.bridge.start
        witness_bridge(game, bridged_card(number // CASTLES), number % CASTLES, counts)
    elif action < AT.swap.stop:
        witness_swap(game, action - AT.swap.start, counts)
    elif phase_of(game) == Phase.DRAW:
        witness_draw(game, action, counts)
    else:
        counts[Clause.MUS_4_3b] += 1


@kernel
def witness_leaving(game: State, card: int, counts: Integers) -> None:
    """A card leaves the mover's hand."""
    counts[Clause.MUS_8_2] += game.known[game.seat, card] > 0


@kernel
def witness_play(game: State, card: int, castle: int, counts: Integers) -> None:
    """MUS-4.1 and the options that bear on it."""
    below = game.top[game.seat, castle]
    strength = strength_of(card)
    counts[Clause.MUS_4_1] += 1
    counts[Clause.MUS_4_1a] += card // STRENGTHS != castle
    counts[Clause.MUS_4_1b] += below > 0
    counts[Clause.MUS_4_1c] += below == strength
    counts[Clause.MUS_4_1d] += below > 0 and strength == below + 1
    counts[Clause.MUS_7_1] += below > 0 and strength > below + 1
    counts[Clause.MUS_7_2] += below == 0 and game.power_of_unity == 1
    witness_leaving(game, card, counts)


@kernel
def witness_lay(game: State, number: int, counts: Integers) -> None:
    """MUS-4.4; `number` counts from the first banner card through both Rainbow cards."""
    card, castle = number, number // STRENGTHS
    if number >= BANNER_KINDS:
        card = WIZARD_BRIDGE + (number - BANNER_KINDS) // CASTLES
        castle = (number - BANNER_KINDS) % CASTLES
    counts[Clause.MUS_4_4] += 1
    counts[Clause.MUS_4_4b] += game.castle_top[castle] == RAINBOW_CASTLE
    witness_leaving(game, card, counts)


@kernel
def witness_bridge(game: State, card: int, castle: int, counts: Integers) -> None:
    """MUS-4.5."""
    below = game.top[game.seat, castle]
    counts[Clause.MUS_4_5] += 1
    counts[Clause.MUS_4_5a] += below > 0
    counts[Clause.MUS_4_5b] += below == 0
    counts[Clause.MUS_7_3] += strength_of(card) - below - 1 > 1
    witness_leaving(game, card, counts)


@kernel
def witness_swap(game: State, number: int, counts: Integers) -> None:
    """MUS-4.6; `number` is card × side × castle."""
    card, side, castle = number // (PLAYERS * CASTLES), number // CASTLES % PLAYERS, number % CASTLES
    is_wizard = can_swap_wizard(game, side_seat(game.seat, side), castle, strength_of(card))
    counts[Clause.MUS_4_6] += 1
    counts[Clause.MUS_4_6a] += is_wizard
    counts[Clause.MUS_4_6b] += not is_wizard
    witness_leaving(game, card, counts)


@kernel
def witness_draw(game: State, action: int, counts: Integers) -> None:
    """MUS-5."""
    counts[Clause.MUS_5_1] += 1
    counts[Clause.MUS_5_3] += game.laid != NOBODY
    counts[Clause.MUS_5_4] += game.draws_due > 1
    for castle in range(CASTLES):
        counts[Clause.MUS_5_2] += game.castle_top[castle] == RAINBOW_CASTLE
    if action >= AT.draw_castle.start:
        castle = action - AT.draw_castle.start
        size = game.castle_size[castle]
        counts[Clause.MUS_4_4b] += size > 1 and game.castle[castle, size - 2] == RAINBOW_CASTLE


@kernel
def witness_end(game: State, counts: Integers) -> None:
    """MUS-6."""
    counts[Clause.MUS_6_1] += is_over(game) == Ending.TERMINATED
    counts[Clause.MUS_6_5] += is_over(game) == Ending.TRUNCATED
    castles_ahead = 0
    for castle in range(CASTLES):
        own, other = game.standing[0, castle], game.standing[1, castle]
        by_strength = own // STRENGTH_WORTH != other // STRENGTH_WORTH
        counts[Clause.MUS_6_2] += by_strength
        counts[Clause.MUS_6_3] += not by_strength
        castles_ahead += int(own > other) - int(own < other)
    counts[Clause.MUS_6_4] += castles_ahead == 0
