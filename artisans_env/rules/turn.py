"""Rounds and turns (ART-3)."""

from artisans_env.constants import LEAST_POINTS, POINT_VALUES, ROW_PLACES, SECOND_DECK_ROUND, Artisan, Phase
from artisans_env.rules.piles import compare_all_levels, next_object, reveal_market, row_is_empty, seat_of
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel

# ---- The start of a round


@kernel
def start_round(game: State) -> None:
    """The next round starts: row, market, token, and perhaps a reservation (ART-3.1)."""
    game.round_number += 1
    if game.round_number == SECOND_DECK_ROUND:
        remove_first_deck(game)
    fill_row(game)
    compare_all_levels(game)
    reveal_market(game)
    game.token_taken = 0
    for seat in range(game.num_players):
        game.visits[seat] = 0
        game.crafted[seat] = 0
    ask_reservation(game)


@kernel
def remove_first_deck(game: State) -> None:
    """What is left of deck 1 leaves the game (ART-3.1 a)."""
    for place in range(game.deck_1_size):
        game.removed[place] = game.deck_1[place]
        game.deck_1[place] = 0
    game.removed_size = game.deck_1_size
    game.deck_1_size = 0
    for value in range(POINT_VALUES):
        game.deck_points[0, value] = 0


@kernel
def draw_object(game: State) -> int:
    """Take the top card of the current deck, or NOBODY (ART-3.2)."""
    drawn = next_object(game)
    if game.deck_1_size > 0:
        game.deck_1_size -= 1
        game.deck_1[game.deck_1_size] = 0
        game.deck_points[0, game.points[drawn] - LEAST_POINTS] -= 1
    elif game.deck_2_size > 0:
        game.deck_2_size -= 1
        game.deck_2[game.deck_2_size] = 0
        game.deck_points[1, game.points[drawn] - LEAST_POINTS] -= 1
    return drawn


@kernel
def fill_row(game: State) -> None:
    """Empty places of the row, lowest first, are filled from the current deck (ART-3.1 b, 3.2)."""
    for place in range(ROW_PLACES):
        if game.row[place] == NOBODY:
            game.row[place] = draw_object(game)


@kernel
def ask_reservation(game: State) -> None:
    """The provident may reserve before phase A; not with an object in reserve, nor from an empty row (ART-3.1 f, 8.9)."""
    provident = seat_of(game, Artisan.PROVIDENT)
    if provident != NOBODY and game.reserved == NOBODY and not row_is_empty(game):
        game.phase = Phase.RESERVE
        game.seat = provident
    else:
        begin_phase_a(game)


@helper
def begin_phase_a(game: State) -> None:
    """The first player begins phase A (ART-3.3, 3.4)."""
    game.phase = Phase.TURN
    game.seat = game.first_player


# ---- The order of play


@helper
def left_of(game: State, seat: int) -> int:
    """The next seat clockwise (ART-3.3)."""
    return seat + 1 if seat + 1 < game.num_players else 0


@helper
def end_turn(game: State) -> None:
    """The next player clockwise has a turn of phase A or, with the token taken, a last action (ART-3.4, 4.1, 4.7)."""
    game.seat = left_of(game, game.seat)
    game.phase = Phase.LAST if game.token_taken else Phase.TURN


@helper
def begin_finish(game: State) -> None:
    """After the last round each player may craft one more object, the first player first (ART-3.3, 6.1)."""
    game.phase = Phase.FINISH


@kernel
def end_finish(game: State) -> None:
    """The next player crafts one more; after all have, the game is over (ART-3.3, 6.1)."""
    game.seat = left_of(game, game.seat)
    if game.seat == game.first_player:
        game.phase = Phase.OVER
