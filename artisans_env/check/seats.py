"""Artisans, hands, developed cards and objects of each seat can have come about (ART-2.3, 4.6, 5, 8.9)."""

from artisans_env.constants import (
    FIRST_CRAFT_ROUND,
    HAND_LIMIT,
    LEVELS,
    MATERIAL_KINDS,
    OBJECT_KINDS,
    ROUNDS,
    Artisan,
    ArtisanMode,
    Fault,
    Phase,
)
from artisans_env.rules.abilities import extra_card
from artisans_env.rules.piles import seat_of
from artisans_env.scoring import developed_cards
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import kernel


@kernel
def check_seats(game: State) -> int:
    """Artisans, hands, developed cards and objects of each seat."""
    if not artisans_are_right(game):
        return Fault.ARTISANS_ARE_WRONG
    for seat in range(game.num_players):
        size = 0
        for material in range(MATERIAL_KINDS):
            size += game.hand[seat, material]
            if game.known[seat, material] > game.hand[seat, material]:
                return Fault.KNOWN_CARDS_ARE_NOT_IN_HAND
        if size > HAND_LIMIT or size + developed_cards(game, seat) < HAND_LIMIT:
            return Fault.HAND_SIZES_ARE_WRONG
        if not developed_can_arise(game, seat):
            return Fault.DEVELOPED_CARDS_CANNOT_ARISE
        objects = objects_of(game, seat)
        if objects > most_objects(game, seat) or (game.crafted[seat] == 1 and objects == 0):
            return Fault.OBJECTS_COULD_NOT_BE_CRAFTED
        if not levels_are_reached(game, seat):
            return Fault.OBJECTS_COULD_NOT_BE_CRAFTED
    is_held = seat_of(game, Artisan.PROVIDENT) != NOBODY and game.phase != Phase.DRAFT
    if game.reserved != NOBODY and not is_held:
        return Fault.RESERVE_IS_WRONG
    return Fault.NONE


@kernel
def artisans_are_right(game: State) -> bool:
    """All different, and all chosen but by those whose turn in the draft is to come (ART-2.3)."""
    if game.phase == Phase.DRAFT and game.artisan_mode != ArtisanMode.DRAFT:
        return False
    for seat in range(game.num_players):
        is_open = game.phase == Phase.DRAFT and seat >= game.seat
        if is_open != (game.artisan[seat] == NOBODY):
            return False
        for other in range(seat):
            if game.artisan[seat] == game.artisan[other] and not is_open:
                return False
    return True


@kernel
def developments_begun(game: State, seat: int) -> int:
    """In how many phases B a seat has come to its decision."""
    if game.phase > Phase.DEVELOP:
        return ROUNDS
    players = game.num_players
    after = (seat - game.first_player + players) % players < (game.seat - game.first_player + players) % players
    return game.round_number if game.phase == Phase.DEVELOP and after else game.round_number - 1


@kernel
def developed_can_arise(game: State, seat: int) -> bool:
    """Levels follow one another, each within the limit of the one before, one a round (ART-5.1, 5.2, 8.6)."""
    extra = extra_card(game, seat)
    levels = 0
    for material in range(MATERIAL_KINDS):
        for level in range(LEVELS):
            cards = game.developed[seat, material, level]
            levels += cards > 0
            if level > 0 and cards > 0:
                below = game.developed[seat, material, level - 1]
                if below == 0 or cards > below + extra:
                    return False
    return levels <= developments_begun(game, seat)


@kernel
def objects_of(game: State, seat: int) -> int:
    """How many objects a seat has crafted."""
    number = 0
    for each in range(OBJECT_KINDS):
        number += game.maker[each] == seat
    return number


@kernel
def most_objects(game: State, seat: int) -> int:
    """How many objects a seat can have crafted: one a round from round 3, one at the end (ART-4.6, 6.1)."""
    earlier = max(game.round_number - FIRST_CRAFT_ROUND, 0)
    return earlier + game.crafted[seat] + int(game.phase > Phase.DEVELOP)


@kernel
def levels_are_reached(game: State, seat: int) -> bool:
    """Whether a seat has the levels that its objects required; developed cards are never spent (ART-4.6)."""
    for each in range(OBJECT_KINDS):
        if game.maker[each] == seat:
            for material in range(MATERIAL_KINDS):
                level = game.required[each, material]
                if level > 0 and game.developed[seat, material, level - 1] == 0:
                    return False
    return True
