"""Abilities of artisans (ART-8.5, 8.6, 8.8, 8.9); their bonuses are in `artisans_env.scoring`."""

from artisans_env.actions import AT
from artisans_env.constants import ROW_PLACES, Artisan, Phase
from artisans_env.rules.piles import leave_row
from artisans_env.rules.turn import begin_phase_a
from artisans_env.state import RESERVED
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions

# ---- 8.5 Night worker


@helper
def works_at_night(game: State, seat: int) -> bool:
    """Whether a seat's turn continues after a craft (ART-8.5)."""
    return game.artisan[seat] == Artisan.NIGHT_WORKER


# ---- 8.6 Perfectionist


@helper
def extra_card(game: State, seat: int) -> int:
    """How many cards more than the level before a level may hold: 1 for the perfectionist, otherwise 0 (ART-8.6)."""
    return int(game.artisan[seat] == Artisan.PERFECTIONIST)


# ---- 8.8 Opportunist


@helper
def visits_again(game: State) -> bool:
    """Whether a second visit follows the one that is over: in the opportunist's last action (ART-8.8)."""
    return game.phase == Phase.LAST and game.artisan[game.seat] == Artisan.OPPORTUNIST


# ---- 8.9 Provident


@kernel
def offer_reservations(game: State, actions: Actions, count: int) -> int:
    """Offer every object of the row (ART-8.9)."""
    for place in range(ROW_PLACES):
        count = offer(AT.reserve.start + place, game.row[place] != NOBODY, actions, count)
    return count


@kernel
def reserve_object(game: State, place: int) -> None:
    """An object of the row is reserved; phase A begins (ART-8.9)."""
    for seat in range(game.num_players):
        game.lacking[seat, RESERVED] = game.lacking[seat, place]
    game.reserved = leave_row(game, place)
    begin_phase_a(game)
