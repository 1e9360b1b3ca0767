"""The order of the checks, and what stays the same through a game: seats that do not play, the edition (ART-1.2, 11.1)."""

from artisans_env.check.choice import check_choice
from artisans_env.check.derived import check_derived
from artisans_env.check.materials import check_materials
from artisans_env.check.objects import check_objects
from artisans_env.check.seats import check_seats
from artisans_env.components import DECK_POINTS
from artisans_env.constants import (
    LEAST_PLAYERS,
    LEAST_POINTS,
    LEAST_REQUIRED,
    LEVELS,
    MATERIAL_KINDS,
    MOST_PLAYERS,
    OBJECT_KINDS,
    POINT_VALUES,
    Fault,
)
from artisans_env.state import SHOWN_OBJECTS
from artisans_env.types import State
from cardtable.engine.jit import kernel
from cardtable.types import Integers


@kernel
def check(game: State, counts: Integers) -> int:
    """The first `Fault` of what moves, or 0. Every field is within its range; `counts` is scratch, a place for each kind."""
    if game.seat >= game.num_players or game.first_player >= game.num_players:
        return Fault.SEAT_DOES_NOT_PLAY
    fault = check_materials(game, counts)
    if fault == Fault.NONE:
        fault = check_objects(game, counts)
    if fault == Fault.NONE:
        fault = check_seats(game)
    if fault == Fault.NONE:
        fault = check_choice(game)
    return check_derived(game, counts) if fault == Fault.NONE else fault


@kernel
def check_fixed(game: State) -> int:
    """The first `Fault` of what stays the same through a game, or 0."""
    if game.num_players < LEAST_PLAYERS:
        return Fault.SEAT_DOES_NOT_PLAY
    for seat in range(game.num_players, MOST_PLAYERS):
        if not seat_is_blank(game, seat):
            return Fault.SEAT_DOES_NOT_PLAY
    return Fault.NONE if edition_can_be_played(game) else Fault.EDITION_CANNOT_BE_PLAYED


@kernel
def seat_is_blank(game: State, seat: int) -> bool:
    """Whether nothing is said of a seat that does not play."""
    something = game.artisan[seat] != 0 or game.visits[seat] != 0 or game.crafted[seat] != 0 or game.hand_size[seat] != 0
    something |= game.level_points[seat] != 0 or game.object_points[seat] != 0 or game.object_count[seat] != 0
    something |= game.bonus[seat] != 0
    for material in range(MATERIAL_KINDS):
        something |= game.hand[seat, material] != 0 or game.known[seat, material] != 0
        something |= game.level[seat, material] != 0 or game.uses[seat, material] != 0
        for level in range(LEVELS):
            something |= game.developed[seat, material, level] != 0
    for number in range(SHOWN_OBJECTS):
        something |= game.lacking[seat, number] != 0
    return not something


@kernel
def edition_can_be_played(game: State) -> bool:
    """Enough objects of each value, each of two materials or more (ART-1.2, 11.1)."""
    for value in range(POINT_VALUES):
        found = 0
        for each in range(OBJECT_KINDS):
            found += game.points[each] == value + LEAST_POINTS
        if found < DECK_POINTS[0, value] + DECK_POINTS[1, value]:
            return False
    for each in range(OBJECT_KINDS):
        materials = 0
        for material in range(MATERIAL_KINDS):
            materials += game.required[each, material] > 0
        if materials < LEAST_REQUIRED:
            return False
    return True
