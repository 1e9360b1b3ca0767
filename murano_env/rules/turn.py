"""The turn (MUR-3): whose turn it is, how it begins, goes on after a choice, and ends; which of its steps are open."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from murano_env.constants import SOLO, Phase
from murano_env.rules.challenge import challenge_is_over, reveal_challenge
from murano_env.scoring import ends_with_this_round
from murano_env.types import State

# ---- Seats


@helper
def left_of(game: State, seat: int) -> int:
    """The next seat (MUR-1.8)."""
    return seat + 1 if seat + 1 < game.num_players else 0


@helper
def right_of(game: State, seat: int) -> int:
    """The seat before (MUR-1.8)."""
    return seat - 1 if seat > 0 else game.num_players - 1


@helper
def seat_to_left(game: State, seat: int, steps: int) -> int:
    """The seat so many places to the left, fewer than play (MUR-1.8)."""
    other = seat + steps
    return other if other < game.num_players else other - game.num_players


# ---- 3.1 The course of a turn


@kernel
def begin_turn(game: State, seat: int) -> None:
    """A seat's turn begins; nothing has been done in it (MUR-3.1)."""
    game.phase = Phase.TURN
    game.turn = seat
    game.seat = seat
    game.selector_set = 0
    game.takes = 0
    game.repetition = 0
    game.collect_closed = 0
    game.negotiations = 0
    game.privilege = 0
    game.passed = 0
    game.follow_up = NOBODY
    game.works_made = 0
    game.quotation = 0
    game.turn_over = 0


@kernel
def next_turn(game: State) -> None:
    """The next player's turn; after the last player's the round is over, perhaps the game (MUR-1.8, 12.1, 12.3)."""
    if game.turn + 1 < game.num_players:
        begin_turn(game, game.turn + 1)
    elif ends_with_this_round(game):
        game.phase = Phase.OVER
    else:
        game.round_number += 1
        begin_turn(game, 0)


@helper
def end_turn(game: State) -> None:
    """MUR-3.3; in solo a Challenge card follows (MUR-10.1)."""
    if game.num_players == SOLO:
        end_solo_turn(game)
    else:
        next_turn(game)


@kernel
def end_solo_turn(game: State) -> None:
    """The game is over, or a card is revealed; if it asks nothing, the next turn begins (MUR-3.3, 10.1, 10.2)."""
    if challenge_is_over(game):
        game.phase = Phase.OVER
        return
    game.turn_over = 1
    reveal_challenge(game)
    if game.phase == Phase.TURN:
        next_turn(game)


# ---- 3.2, 3.3 Which steps are open; Collect is open until `collect_closed`


@helper
def is_negotiate_open(game: State) -> bool:
    """From the first take until a pass or the first work (MUR-3.2)."""
    return game.takes > 0 and not game.passed and game.works_made == 0


@helper
def is_create_open(game: State) -> bool:
    """From the first Negotiate action or a pass on works may be made and the turn be ended (MUR-3.3)."""
    return (game.negotiations > 0) | (game.passed == 1)


# ---- 3.4 Choices


@helper
def resume(game: State) -> None:
    """A choice is over: the turn goes on, or the next one begins after a Challenge card (MUR-3.4, 10.1)."""
    if game.turn_over:
        next_turn(game)
    else:
        game.phase = Phase.TURN
        game.seat = game.turn
