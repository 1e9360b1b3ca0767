"""What follows from other fields and is kept up to date for speed."""

from artisans_env.check.materials import count_pile
from artisans_env.check.objects import count_points
from artisans_env.check.seats import objects_of
from artisans_env.constants import LEVELS, MATERIAL_KINDS, OBJECT_KINDS, Fault
from artisans_env.rules.piles import compare_all_levels, levels_lacking
from artisans_env.scoring import bonus_of
from artisans_env.state import SHOWN_OBJECTS
from artisans_env.types import State
from cardtable.engine.jit import kernel
from cardtable.types import Integers


@kernel
def check_derived(game: State, counts: Integers) -> int:
    """What is kept for speed is what follows from the cards."""
    for seat in range(game.num_players):
        if not counts_are_right(game, seat, counts):
            return Fault.COUNTS_ARE_NOT_THE_CARDS
        if not scores_are_right(game, seat):
            return Fault.SCORES_ARE_NOT_THE_CARDS
        for number in range(SHOWN_OBJECTS):
            if game.lacking[seat, number] != levels_lacking(game, seat, number):
                return Fault.LACKS_ARE_NOT_THE_LEVELS
    return Fault.NONE


@kernel
def counts_are_right(game: State, seat: int, counts: Integers) -> bool:
    """Hand size, levels and the materials of own objects."""
    counts[:MATERIAL_KINDS] = 0
    count_uses(game, seat, counts)
    size = 0
    for material in range(MATERIAL_KINDS):
        size += game.hand[seat, material]
        if game.level[seat, material] != level_of(game, seat, material) or game.uses[seat, material] != counts[material]:
            return False
    return game.hand_size[seat] == size and game.object_count[seat] == objects_of(game, seat)


@kernel
def scores_are_right(game: State, seat: int) -> bool:
    """The parts of the score (ART-6.2)."""
    return (
        game.level_points[seat] == level_points_of(game, seat)
        and game.object_points[seat] == object_points_of(game, seat)
        and game.bonus[seat] == bonus_of(game, seat)
    )


@kernel
def level_of(game: State, seat: int, material: int) -> int:
    """The level to which a material is developed."""
    level = 0
    while level < LEVELS and game.developed[seat, material, level] > 0:
        level += 1
    return level


@kernel
def count_uses(game: State, seat: int, counts: Integers) -> None:
    """Add the materials that the objects of a seat require to `counts`."""
    for each in range(OBJECT_KINDS):
        if game.maker[each] == seat:
            for material in range(MATERIAL_KINDS):
                counts[material] += game.required[each, material] > 0


@kernel
def level_points_of(game: State, seat: int) -> int:
    """The sum of the levels of all developed cards."""
    total = 0
    for material in range(MATERIAL_KINDS):
        for level in range(LEVELS):
            total += game.developed[seat, material, level] * (level + 1)
    return total


@kernel
def object_points_of(game: State, seat: int) -> int:
    """The points of all own objects."""
    total = 0
    for each in range(OBJECT_KINDS):
        if game.maker[each] == seat:
            total += game.points[each]
    return total


@kernel
def derive(game: State) -> None:
    """Fill in what the cards amount to."""
    game.pile_count[:] = 0
    count_pile(game, game.pile_count)
    game.deck_points[:] = 0
    count_points(game, game.deck_1, game.deck_1_size, 1, game.deck_points[0])
    count_points(game, game.deck_2, game.deck_2_size, 1, game.deck_points[1])
    for seat in range(game.num_players):
        derive_seat(game, seat)
    compare_all_levels(game)


@kernel
def derive_seat(game: State, seat: int) -> None:
    """Counts and scores of one seat."""
    game.hand_size[seat] = 0
    for material in range(MATERIAL_KINDS):
        game.hand_size[seat] += game.hand[seat, material]
        game.level[seat, material] = level_of(game, seat, material)
    game.uses[seat, :] = 0
    count_uses(game, seat, game.uses[seat])
    game.object_count[seat] = objects_of(game, seat)
    game.level_points[seat] = level_points_of(game, seat)
    game.object_points[seat] = object_points_of(game, seat)
    game.bonus[seat] = bonus_of(game, seat)
