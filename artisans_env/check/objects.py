"""Every object is in one place; the decks are made up and used up by the rules (ART-1.2, 2.2, 3.1, 3.2)."""

from artisans_env.components import DECK_POINTS
from artisans_env.constants import (
    BOX_SIZE,
    DECK_SIZE,
    DECKS,
    LEAST_POINTS,
    OBJECT_KINDS,
    POINT_VALUES,
    ROW_PLACES,
    SECOND_DECK_ROUND,
    Fault,
)
from artisans_env.types import State
from cardtable.engine.bits import set_of
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.types import Integers

ALL_OBJECTS = 2**OBJECT_KINDS - 1


@kernel
def check_objects(game: State, counts: Integers) -> int:
    """Every object is in one place; the decks are made up and used up by the rules (ART-2.2, 3.1, 3.2)."""
    if not objects_are_each_in_one_place(game):
        return Fault.OBJECTS_ARE_NOT_EACH_IN_ONE_PLACE
    for each in range(OBJECT_KINDS):
        if game.maker[each] >= game.num_players:
            return Fault.SEAT_DOES_NOT_PLAY
    if not decks_are_counted(game, counts):
        return Fault.COUNTS_ARE_NOT_THE_CARDS
    if not decks_have_their_points(game, counts):
        return Fault.DECKS_DO_NOT_HAVE_THEIR_POINTS
    if not decks_are_in_order(game):
        return Fault.DECKS_ARE_OUT_OF_ORDER
    return Fault.NONE


@kernel
def objects_are_each_in_one_place(game: State) -> bool:
    """As many objects lie somewhere as there are, and each of them does (ART-1.2)."""
    number = game.deck_1_size + game.deck_2_size + game.box_size + game.removed_size
    seen = set_of(game.deck_1, game.deck_1_size) | set_of(game.deck_2, game.deck_2_size)
    seen |= set_of(game.box, game.box_size) | set_of(game.removed, game.removed_size)
    for place in range(ROW_PLACES):
        number += game.row[place] != NOBODY
        seen |= set_of_one(game.row[place])
    number += game.reserved != NOBODY
    seen |= set_of_one(game.reserved)
    for each in range(OBJECT_KINDS):
        number += game.maker[each] != NOBODY
        seen |= int(game.maker[each] != NOBODY) << each
    return number == OBJECT_KINDS and seen == ALL_OBJECTS


@helper
def set_of_one(each: int) -> int:
    """An object as a set; the empty set for NOBODY."""
    return 1 << int(each) if each != NOBODY else 0


@kernel
def count_points(game: State, objects: Integers, size: int, change: int, counts: Integers) -> None:
    """Add `change` to the count of the points of every object of a list."""
    for place in range(size):
        counts[game.points[objects[place]] - LEAST_POINTS] += change


@kernel
def decks_are_counted(game: State, counts: Integers) -> bool:
    """Whether the count of objects of each value in each deck is right."""
    for deck in range(DECKS):
        counts[:POINT_VALUES] = 0
        if deck == 0:
            count_points(game, game.deck_1, game.deck_1_size, 1, counts)
        else:
            count_points(game, game.deck_2, game.deck_2_size, 1, counts)
        for value in range(POINT_VALUES):
            if game.deck_points[deck, value] != counts[value]:
                return False
    return True


@kernel
def decks_have_their_points(game: State, counts: Integers) -> bool:
    """The box holds what the decks did not need of each value; no deck holds more than it began with (ART-2.2)."""
    counts[:POINT_VALUES] = 0
    for each in range(OBJECT_KINDS):
        counts[game.points[each] - LEAST_POINTS] += 1
    count_points(game, game.box, game.box_size, -1, counts)
    for value in range(POINT_VALUES):
        if counts[value] != DECK_POINTS[0, value] + DECK_POINTS[1, value]:
            return False
    counts[:POINT_VALUES] = 0
    count_points(game, game.removed, game.removed_size, 1, counts)
    for value in range(POINT_VALUES):
        if game.deck_points[0, value] + counts[value] > DECK_POINTS[0, value]:
            return False
        if game.deck_points[1, value] > DECK_POINTS[1, value]:
            return False
    return True


@kernel
def decks_are_in_order(game: State) -> bool:
    """Four cards are in the box; deck 2 is begun only when deck 1 is used up or removed (ART-2.2, 3.1 a, 3.2)."""
    if game.box_size != BOX_SIZE or game.deck_1_size > DECK_SIZE - ROW_PLACES:
        return False
    if game.deck_1_size > 0:
        return game.deck_2_size == DECK_SIZE and game.removed_size == 0 and game.round_number < SECOND_DECK_ROUND
    return game.removed_size == 0 or game.round_number >= SECOND_DECK_ROUND
