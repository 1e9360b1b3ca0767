"""What is asked can be asked, of this seat (ART-3.3, 4, 5, 6.1, 8)."""

from artisans_env.constants import FIRST_CRAFT_ROUND, ROUNDS, Artisan, Fault, Phase
from artisans_env.rules.piles import market_is_empty, row_is_empty
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import kernel


@kernel
def check_choice(game: State) -> int:
    """Market, token and mover belong to what is decided (ART-4, 5, 6, 8)."""
    if is_phase_a(game):
        if market_is_empty(game) and (game.pile_size > 0 or game.discard.sum() > 0):
            return Fault.MARKET_IS_WRONG
    elif not market_is_empty(game):
        return Fault.MARKET_IS_WRONG
    if game.phase == Phase.RESERVE and (game.reserved != NOBODY or row_is_empty(game)):
        return Fault.RESERVE_IS_WRONG
    if not visits_can_arise(game) or not token_belongs(game) or not mover_belongs(game):
        return Fault.DECISION_CANNOT_ARISE
    return Fault.NONE


@kernel
def is_phase_a(game: State) -> bool:
    """Whether the market is open."""
    return game.phase < Phase.DEVELOP


@kernel
def visits_can_arise(game: State) -> bool:
    """Within the limit; nobody has visited or crafted before phase A, nor crafted in the first rounds (ART-4.6, 4.9)."""
    for seat in range(game.num_players):
        if game.visits[seat] > game.max_visits:
            return False
        if game.phase < Phase.TURN and (game.visits[seat] > 0 or game.crafted[seat] == 1):
            return False
        if game.round_number < FIRST_CRAFT_ROUND and game.crafted[seat] == 1:
            return False
    return True


@kernel
def token_belongs(game: State) -> bool:
    """The token is in the centre until somebody takes it in phase A (ART-3.3, 4.7)."""
    if game.phase <= Phase.TURN:
        return game.token_taken == 0
    if game.phase == Phase.NIGHT:
        return game.token_taken == 0 or game.seat != game.first_player
    if game.phase == Phase.LAST or game.phase == Phase.SECOND:
        return game.token_taken == 1 and game.seat != game.first_player
    return game.token_taken == 1


@kernel
def mover_belongs(game: State) -> bool:
    """Some decisions are asked of one artisan, in one round or of who has not visited only (ART-2.3, 6.1, 8.5, 8.8, 8.9)."""
    artisan = game.artisan[game.seat]
    if game.phase == Phase.DRAFT:
        return game.round_number == 1 and game.first_player == 0
    if game.phase == Phase.RESERVE:
        return artisan == Artisan.PROVIDENT
    if game.phase == Phase.NIGHT:
        return artisan == Artisan.NIGHT_WORKER and game.crafted[game.seat] == 1 and game.visits[game.seat] == 0
    if game.phase == Phase.SECOND:
        return artisan == Artisan.OPPORTUNIST
    if game.phase == Phase.OVER and game.seat != game.first_player:
        return False
    return game.phase <= Phase.DEVELOP or game.round_number == ROUNDS
