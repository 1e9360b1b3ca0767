"""Whether a record is a position of Muster: guards loaded states and injected deals, and audits random play."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import kernel
from cardtable.types import Integers
from muster_env.components import COPIES, FACE, WIZARD_WORTH, WORTH
from muster_env.constants import (
    BANNER_KINDS,
    BRIDGE,
    BRIDGE_DRAWS,
    CARD_KINDS,
    CASTLES,
    FACE_KINDS,
    FIRST_PILE,
    HAND_SIZE,
    PLAYERS,
    RAINBOW_CASTLE,
    STRENGTHS,
    WIZARD_BRIDGE,
    Fault,
)
from muster_env.rules.banners import fits
from muster_env.rules.piles import strength_of
from muster_env.types import State

REACHABLE_KINDS = FACE_KINDS - 2
"""What can be reached on a castle space: all faces but none and the Rainbow Castle."""


@kernel
def check_fixed(game: State) -> int:
    """The first `Fault` of what stays the same through a game, or 0."""
    return Fault.NONE if game.num_players == PLAYERS else Fault.SEAT_DOES_NOT_PLAY


@kernel
def check(game: State, counts: Integers) -> int:
    """The first `Fault` of what moves, or 0. Every field is within its range; `counts` is scratch, a place for each kind."""
    if not pile_is_counted(game, counts):
        return Fault.PILE_COUNT_IS_NOT_THE_PILE
    count_placed(game, counts)
    for card in range(CARD_KINDS):
        if counts[card] + game.hand[0, card] + game.hand[1, card] != COPIES[card]:
            return Fault.CARDS_ARE_NOT_THE_DECK
    if game.seat >= PLAYERS:
        return Fault.SEAT_DOES_NOT_PLAY
    fault = check_turn(game)
    if fault != Fault.NONE:
        return fault
    fault = check_hands(game)
    if fault != Fault.NONE:
        return fault
    if game.turned_up != NOBODY and game.turned_up < BANNER_KINDS:
        return Fault.TURNED_UP_CARD_IS_NO_RAINBOW_CARD
    if game.laid != NOBODY and (game.draws_due != 1 or game.castle_size[game.laid] == 0):
        return Fault.LAID_CARD_IS_NOT_THERE
    return check_places(game, counts)


@kernel
def pile_is_counted(game: State, counts: Integers) -> bool:
    """Whether the count of the pile is right; `counts` holds it."""
    counts[:CARD_KINDS] = 0
    count_pile(game, counts)
    for card in range(CARD_KINDS):
        if game.pile_count[card] != counts[card]:
            return False
    return True


@kernel
def count_pile(game: State, counts: Integers) -> None:
    """Add the cards of the pile to `counts`, by kind."""
    for place in range(game.pile_size):
        counts[game.pile[place]] += 1


@kernel
def count_placed(game: State, counts: Integers) -> None:
    """Add the cards on the table to `counts`; a Wizard/Bridge card lies in a column as the one or the other (MUS-1.3)."""
    if game.turned_up != NOBODY:
        counts[game.turned_up] += 1
    for castle in range(CASTLES):
        for place in range(game.castle_size[castle]):
            counts[game.castle[castle, place]] += 1
        for side in range(PLAYERS):
            counts[WIZARD_BRIDGE] += game.wizards[side, castle]
            for place in range(game.column_size[side, castle]):
                piece = game.column[side, castle, place]
                counts[WIZARD_BRIDGE if piece == BRIDGE else piece] += 1


@kernel
def check_turn(game: State) -> int:
    """The turns are counted up to the limit, by which no action is under way, and alternate from player_0 on."""
    is_under_way = game.draws_due > 0 or game.turned_up != NOBODY
    if game.turn > game.max_turns or (game.turn == game.max_turns and is_under_way):
        return Fault.TURN_IS_BEYOND_THE_LAST
    if game.seat != game.turn % PLAYERS:
        return Fault.SEAT_IS_NOT_WHOSE_TURN_IT_IS
    if game.draws_due > BRIDGE_DRAWS and game.over_the_rainbow == 0:
        return Fault.MORE_DRAWS_ARE_DUE_THAN_A_BRIDGE_DEMANDS
    return Fault.PILE_IS_LARGER_THAN_AT_THE_START if game.pile_size > FIRST_PILE else Fault.NONE


@kernel
def check_hands(game: State) -> int:
    """Hands hold five, less the draws that are due (MUS-3.1); what is known of them is there (MUS-8.2)."""
    if game.draws_due > 0 and game.turned_up != NOBODY:
        return Fault.HAND_SIZES_ARE_WRONG
    for side in range(PLAYERS):
        if game.known[side, RAINBOW_CASTLE] > 0:
            return Fault.KNOWN_RAINBOW_CASTLE_WAS_NEVER_DRAWN
        size = 0
        for card in range(CARD_KINDS):
            size += game.hand[side, card]
            if game.known[side, card] > game.hand[side, card]:
                return Fault.KNOWN_CARDS_ARE_NOT_IN_HAND
        if size != HAND_SIZE - (game.draws_due if side == game.seat else 0):
            return Fault.HAND_SIZES_ARE_WRONG
    return Fault.NONE


@kernel
def check_places(game: State, counts: Integers) -> int:
    """Castle spaces hold their own banner and Rainbow cards; columns are built by the rules."""
    for castle in range(CASTLES):
        top, second = card_from_top(game, castle, 0), card_from_top(game, castle, 1)
        if game.castle_top[castle] != top or game.castle_second[castle] != second:
            return Fault.TOP_IS_NOT_THE_CASTLE_SPACE
        count_reachable(game, castle, counts)
        for kind in range(REACHABLE_KINDS):
            if game.reachable[castle, kind] != counts[kind]:
                return Fault.REACHABLE_IS_NOT_THE_CASTLE_SPACE
        for place in range(game.castle_size[castle]):
            card = game.castle[castle, place]
            if card < BANNER_KINDS and card // STRENGTHS != castle:
                return Fault.CASTLE_SPACE_HOLDS_ANOTHER_BANNER
        for side in range(PLAYERS):
            if not column_can_arise(game, side, castle):
                return Fault.COLUMN_CANNOT_ARISE
            if game.top[side, castle] != top_of_column(game, side, castle):
                return Fault.TOP_IS_NOT_THE_COLUMN
            if game.standing[side, castle] != standing_of(game, side, castle):
                return Fault.STANDING_IS_NOT_THE_COLUMN
            if game.bridges[side, castle] != bridges_of(game, side, castle):
                return Fault.BRIDGES_ARE_NOT_THE_COLUMN
    return Fault.NONE


@kernel
def column_can_arise(game: State, side: int, castle: int) -> bool:
    """Bottom up: each banner card fits on what is below it, and a Bridge has the next strength above it."""
    below = 0
    on_bridge = False
    for place in range(game.column_size[side, castle]):
        piece = game.column[side, castle, place]
        if piece == BRIDGE:
            if on_bridge and game.over_the_rainbow == 0:
                return False  # MUS-7.3
            below += 1
            on_bridge = True
            continue
        strength = strength_of(piece)
        if on_bridge and strength != below + 1:
            return False
        if not on_bridge and not fits(game, below, strength):
            return False
        below = strength
        on_bridge = False
    return not on_bridge


@kernel
def card_from_top(game: State, castle: int, depth: int) -> int:
    """The card of a castle space with `depth` cards on it, or NOBODY."""
    size = game.castle_size[castle]
    return game.castle[castle, size - 1 - depth] if size > depth else NOBODY


@kernel
def count_reachable(game: State, castle: int, counts: Integers) -> None:
    """Count the cards above the highest Rainbow Castle of a castle space, by face."""
    counts[:REACHABLE_KINDS] = 0
    for place in range(game.castle_size[castle]):
        card = game.castle[castle, place]
        if card == RAINBOW_CASTLE:
            counts[:REACHABLE_KINDS] = 0
        else:
            counts[FACE[card] - 1] += 1


@kernel
def top_of_column(game: State, side: int, castle: int) -> int:
    """The strength on top of a column, its Wizards left aside; 0 if it is empty."""
    size = game.column_size[side, castle]
    return strength_of(game.column[side, castle, size - 1]) if size > 0 else 0


@kernel
def standing_of(game: State, side: int, castle: int) -> int:
    """How a column stands: its strengths first (MUS-6.2), then its banner cards (MUS-6.3)."""
    standing = game.wizards[side, castle] * WIZARD_WORTH
    for place in range(game.column_size[side, castle]):
        standing += WORTH[game.column[side, castle, place]]
    return standing


@kernel
def bridges_of(game: State, side: int, castle: int) -> int:
    """The strengths that the Bridges of a column stand for, as bits."""
    bridges, stands_for = 0, 0
    for place in range(game.column_size[side, castle]):
        piece = game.column[side, castle, place]
        stands_for = stands_for + 1 if piece == BRIDGE else strength_of(piece)
        if piece == BRIDGE and stands_for <= STRENGTHS:
            bridges |= 1 << stands_for
    return bridges


@kernel
def derive(game: State) -> None:
    """Fill in what the pile, the castle spaces and the columns amount to."""
    game.pile_count[:] = 0
    count_pile(game, game.pile_count)
    for castle in range(CASTLES):
        game.castle_top[castle] = card_from_top(game, castle, 0)
        game.castle_second[castle] = card_from_top(game, castle, 1)
        count_reachable(game, castle, game.reachable[castle])
    for side in range(PLAYERS):
        for castle in range(CASTLES):
            game.top[side, castle] = top_of_column(game, side, castle)
            game.standing[side, castle] = standing_of(game, side, castle)
            game.bridges[side, castle] = bridges_of(game, side, castle)
