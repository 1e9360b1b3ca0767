"""Whether a record is a position of Artisans: guards loaded states and injected deals, and audits random play."""

from typing import Any

import numpy as np

from artisans_env.components import DECK_POINTS
from artisans_env.constants import (
    BOX_SIZE,
    COPIES_PER_PLAYER,
    DECK_SIZE,
    DECKS,
    FIRST_CRAFT_ROUND,
    HAND_LIMIT,
    LEAST_PLAYERS,
    LEAST_POINTS,
    LEAST_REQUIRED,
    LEVELS,
    MARKET_SLOTS,
    MATERIAL_KINDS,
    MOST_PLAYERS,
    OBJECT_KINDS,
    POINT_VALUES,
    ROUNDS,
    ROW_PLACES,
    SECOND_DECK_ROUND,
    Artisan,
    ArtisanMode,
    Fault,
    Phase,
)
from artisans_env.rules.artisans import extra_card
from artisans_env.rules.piles import compare_all_levels, levels_lacking, market_is_empty, row_is_empty, seat_of
from artisans_env.scoring import bonus_of, developed_cards
from artisans_env.state import SHOWN_OBJECTS
from cardtable.engine.bits import set_of
from cardtable.engine.jit import helper, kernel
from cardtable.game.record import NOBODY

ALL_OBJECTS = 2**OBJECT_KINDS - 1


@kernel
def check_fixed(game: Any) -> int:
    """The first `Fault` of what stays the same through a game, or 0."""
    if game.num_players < LEAST_PLAYERS:
        return Fault.SEAT_DOES_NOT_PLAY
    for seat in range(game.num_players, MOST_PLAYERS):
        if not seat_is_blank(game, seat):
            return Fault.SEAT_DOES_NOT_PLAY
    return Fault.NONE if edition_can_be_played(game) else Fault.EDITION_CANNOT_BE_PLAYED


@kernel
def check(game: Any, counts: np.ndarray) -> int:
    """The first `Fault` of what moves, or 0. Every field is taken to be within its range; `counts` has room for all kinds."""
    if game.seat >= game.num_players or game.first_player >= game.num_players:
        return Fault.SEAT_DOES_NOT_PLAY
    fault = check_materials(game, counts)
    if fault == Fault.NONE:
        fault = check_objects(game, counts)
    if fault == Fault.NONE:
        fault = check_seats(game)
    if fault == Fault.NONE:
        fault = check_decision(game)
    return check_derived(game, counts) if fault == Fault.NONE else fault


@kernel
def seat_is_blank(game: Any, seat: int) -> bool:
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
def edition_can_be_played(game: Any) -> bool:
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


# ---- Material cards


@kernel
def check_materials(game: Any, counts: np.ndarray) -> int:
    """Every material card is in one place (ART-1.1)."""
    counts[:MATERIAL_KINDS] = 0
    count_pile(game, counts)
    for material in range(MATERIAL_KINDS):
        if game.pile_count[material] != counts[material]:
            return Fault.COUNTS_ARE_NOT_THE_CARDS
    for slot in range(MARKET_SLOTS):
        if game.market[slot] != NOBODY:
            counts[game.market[slot]] += 1
    for material in range(MATERIAL_KINDS):
        copies = counts[material] + game.discard[material]
        for seat in range(game.num_players):
            copies += game.hand[seat, material]
            for level in range(LEVELS):
                copies += game.developed[seat, material, level]
        if copies != COPIES_PER_PLAYER * game.num_players:
            return Fault.MATERIAL_CARDS_ARE_NOT_THE_SET
    return Fault.NONE


@kernel
def count_pile(game: Any, counts: np.ndarray) -> None:
    """Add the cards of the pile to `counts`, by material."""
    for place in range(game.pile_size):
        counts[game.pile[place]] += 1


# ---- Objects


@kernel
def check_objects(game: Any, counts: np.ndarray) -> int:
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
def objects_are_each_in_one_place(game: Any) -> bool:
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
def count_points(game: Any, objects: np.ndarray, size: int, change: int, counts: np.ndarray) -> None:
    """Add `change` to the count of the points of every object of a list."""
    for place in range(size):
        counts[game.points[objects[place]] - LEAST_POINTS] += change


@kernel
def decks_are_counted(game: Any, counts: np.ndarray) -> bool:
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
def decks_have_their_points(game: Any, counts: np.ndarray) -> bool:
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
def decks_are_in_order(game: Any) -> bool:
    """Four cards are in the box; deck 2 is begun only when deck 1 is used up or removed (ART-2.2, 3.1 a, 3.2)."""
    if game.box_size != BOX_SIZE or game.deck_1_size > DECK_SIZE - ROW_PLACES:
        return False
    if game.deck_1_size > 0:
        return game.deck_2_size == DECK_SIZE and game.removed_size == 0 and game.round_number < SECOND_DECK_ROUND
    return game.removed_size == 0 or game.round_number >= SECOND_DECK_ROUND


# ---- Seats


@kernel
def check_seats(game: Any) -> int:
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
def artisans_are_right(game: Any) -> bool:
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
def developments_begun(game: Any, seat: int) -> int:
    """In how many phases B a seat has come to its decision."""
    if game.phase > Phase.DEVELOP:
        return ROUNDS
    players = game.num_players
    after = (seat - game.first_player + players) % players < (game.seat - game.first_player + players) % players
    return game.round_number if game.phase == Phase.DEVELOP and after else game.round_number - 1


@kernel
def developed_can_arise(game: Any, seat: int) -> bool:
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
def objects_of(game: Any, seat: int) -> int:
    """How many objects a seat has crafted."""
    number = 0
    for each in range(OBJECT_KINDS):
        number += game.maker[each] == seat
    return number


@kernel
def most_objects(game: Any, seat: int) -> int:
    """How many objects a seat can have crafted: one a round from round 3, one at the end (ART-4.6, 6.1)."""
    earlier = max(game.round_number - FIRST_CRAFT_ROUND, 0)
    return earlier + game.crafted[seat] + int(game.phase > Phase.DEVELOP)


@kernel
def levels_are_reached(game: Any, seat: int) -> bool:
    """Whether a seat has the levels that its objects required; developed cards are never spent (ART-4.6)."""
    for each in range(OBJECT_KINDS):
        if game.maker[each] == seat:
            for material in range(MATERIAL_KINDS):
                level = game.required[each, material]
                if level > 0 and game.developed[seat, material, level - 1] == 0:
                    return False
    return True


# ---- The decision


@kernel
def is_phase_a(game: Any) -> bool:
    """Whether the market is open."""
    return game.phase < Phase.DEVELOP


@kernel
def check_decision(game: Any) -> int:
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
def visits_can_arise(game: Any) -> bool:
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
def token_belongs(game: Any) -> bool:
    """The token is in the centre until somebody takes it in phase A (ART-3.3, 4.7)."""
    if game.phase <= Phase.TURN:
        return game.token_taken == 0
    if game.phase == Phase.NIGHT:
        return game.token_taken == 0 or game.seat != game.first_player
    if game.phase == Phase.LAST or game.phase == Phase.SECOND:
        return game.token_taken == 1 and game.seat != game.first_player
    return game.token_taken == 1


@kernel
def mover_belongs(game: Any) -> bool:
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


# ---- Derived fields


@kernel
def check_derived(game: Any, counts: np.ndarray) -> int:
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
def counts_are_right(game: Any, seat: int, counts: np.ndarray) -> bool:
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
def scores_are_right(game: Any, seat: int) -> bool:
    """The parts of the score (ART-6.2)."""
    return (
        game.level_points[seat] == level_points_of(game, seat)
        and game.object_points[seat] == object_points_of(game, seat)
        and game.bonus[seat] == bonus_of(game, seat)
    )


@kernel
def level_of(game: Any, seat: int, material: int) -> int:
    """The level to which a material is developed."""
    level = 0
    while level < LEVELS and game.developed[seat, material, level] > 0:
        level += 1
    return level


@kernel
def count_uses(game: Any, seat: int, counts: np.ndarray) -> None:
    """Add the materials that the objects of a seat require to `counts`."""
    for each in range(OBJECT_KINDS):
        if game.maker[each] == seat:
            for material in range(MATERIAL_KINDS):
                counts[material] += game.required[each, material] > 0


@kernel
def level_points_of(game: Any, seat: int) -> int:
    """The sum of the levels of all developed cards."""
    total = 0
    for material in range(MATERIAL_KINDS):
        for level in range(LEVELS):
            total += game.developed[seat, material, level] * (level + 1)
    return total


@kernel
def object_points_of(game: Any, seat: int) -> int:
    """The points of all own objects."""
    total = 0
    for each in range(OBJECT_KINDS):
        if game.maker[each] == seat:
            total += game.points[each]
    return total


@kernel
def derive(game: Any) -> None:
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
def derive_seat(game: Any, seat: int) -> None:
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
