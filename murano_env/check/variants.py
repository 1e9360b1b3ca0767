"""Advantages, Challenge cards, the grandmaster's board, and the end of the game (MUR-2.5, 9.2, 10 to 12)."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import kernel
from cardtable.types import Integers
from murano_env.components import CHALLENGE_COPIES
from murano_env.constants import (
    BASE_ADVANTAGES,
    CHALLENGE_KINDS,
    CHALLENGE_LEFT_OUT,
    CHALLENGE_STACK,
    FIRST_GAME_CARDS,
    GAPS,
    MOST_TURNS,
    NOTCHES,
    SOLO,
    TILES,
    AdvantageMode,
    Fault,
    Phase,
)
from murano_env.rules.grandmaster import first_gap_lira, lira_on_gaps
from murano_env.rules.set_up import is_out
from murano_env.types import State


@kernel
def check_variants(game: State) -> int:
    """Advantages, Challenge cards, the grandmaster's board, and the end of the game."""
    if not advantages_are_right(game):
        return Fault.ADVANTAGES_ARE_WRONG
    if not challenge_is_right(game):
        return Fault.CHALLENGE_CARDS_ARE_WRONG
    if not (grandmaster_board_is_right(game) if game.grandmaster else board_is_right(game)):
        return Fault.GRANDMASTER_BOARD_IS_WRONG
    if not last_round_is_right(game):
        return Fault.LAST_ROUND_IS_WRONG
    return Fault.NONE


@kernel
def advantages_are_right(game: State) -> bool:
    """Four different cards of those in the draw (MUR-2.5, 9.2, 11.1)."""
    interactive = 0
    for tile in range(TILES):
        card = game.advantage[tile]
        interactive += card >= BASE_ADVANTAGES
        if is_out(game, card) or (game.advantage_mode == AdvantageMode.FIRST_GAME and card >= FIRST_GAME_CARDS):
            return False
        for other in range(tile):
            if game.advantage[other] == card:
                return False
    return interactive == game.interactive


@kernel
def challenge_is_right(game: State) -> bool:
    """In solo the ten cards, one revealed a turn; otherwise none (MUR-10.1, 10.2)."""
    if game.num_players != SOLO:
        return game.challenge_size == 0 and game.revealed_size == 0 and game.left_out_size == 0 and not game.turn_over
    revealed = game.round_number - 1 + game.turn_over
    if game.revealed_size != revealed or game.challenge_size != CHALLENGE_STACK - revealed:
        return False
    if game.left_out_size != CHALLENGE_LEFT_OUT:
        return False
    for kind in range(CHALLENGE_KINDS):
        copies = copies_among(game.challenge, game.challenge_size, kind)
        copies += copies_among(game.revealed, game.revealed_size, kind) + copies_among(game.left_out, game.left_out_size, kind)
        if copies != CHALLENGE_COPIES[kind]:
            return False
    return True


@kernel
def copies_among(cards: Integers, size: int, kind: int) -> int:
    """How many cards of a kind are in a list."""
    copies = 0
    for place in range(size):
        copies += cards[place] == kind
    return copies


@kernel
def board_is_right(game: State) -> bool:
    """Without the Grandmaster's Challenge there are no Owl and no Lira on gaps, and the Selector is on a notch."""
    for gap in range(GAPS):
        if game.gap_lira[gap] != 0:
            return False
    return game.selector != NOBODY and game.owl == NOBODY


@kernel
def grandmaster_board_is_right(game: State) -> bool:
    """The Selector has moved once a turn, and taken a Lira wherever it passed some (MUR-11.2 to 11.4, 11.6)."""
    moves = (game.round_number - 1) * game.num_players + game.turn + game.selector_set
    if game.selector != (NOBODY if moves == 0 else (moves - 1) % NOTCHES) or game.owl == NOBODY:
        return False
    for gap in range(GAPS):
        passed = (moves - 2 - gap) // NOTCHES + 1 if moves >= 2 + gap else 0
        if game.gap_lira[gap] != max(first_gap_lira(game, gap) - passed, 0):
            return False
    return True


@kernel
def last_round_is_right(game: State) -> bool:
    """A last round has its reason, and no round comes after it or after the limit (MUR-10.2, 11.7, 12.1, 12.3)."""
    finished = False
    for seat in range(game.num_players):
        if game.phase != Phase.DRAFT and game.hand_size[seat] == 0:
            finished = True
            if seat > game.turn or (seat == game.turn and game.works_made == 0):
                return False  # it finished in an earlier round
    gaps_are_empty = game.grandmaster == 1 and lira_on_gaps(game) == 0
    if (game.last_round == 1) != (finished or gaps_are_empty):
        return False
    if game.num_players == SOLO:
        return game.phase != Phase.OVER or game.last_round == 1 or game.challenge_size == 0
    if game.grandmaster:
        return game.round_number <= MOST_TURNS and (game.phase != Phase.OVER or game.last_round == 1)
    is_last = game.last_round == 1 or game.round_number == game.max_rounds
    return game.round_number <= game.max_rounds and (game.phase != Phase.OVER or is_last)
