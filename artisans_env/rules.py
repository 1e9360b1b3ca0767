"""The rules of Artisans as kernels, in the order of the rule book (ART-4 to ART-9). Clauses are in RULES.md."""

from typing import Any

import numpy as np

from artisans_env.actions import AT
from artisans_env.constants import (
    ARTISAN_KINDS,
    COLLECTOR_BONUS,
    FIRST_CRAFT_ROUND,
    GOLD_LOVER_BONUS,
    HAND_LIMIT,
    LEVELS,
    MARKET_SLOTS,
    MATERIAL_KINDS,
    OBJECT_KINDS,
    ROW_PLACES,
    SCULPTOR_BONUS,
    SPECIALIST_BONUS,
    VERSATILE_BONUS,
    Artisan,
    Material,
    Phase,
)
from artisans_env.rounds import (
    ask_reservation,
    begin_turns,
    can_reach,
    compare_levels,
    end_development,
    end_finish,
    end_turn,
    is_chosen,
    leave_row,
    left_of,
    market_is_empty,
    reveal_market,
)
from artisans_env.state import RESERVED
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.offers import offer, offer_members
from cardtable.engine.vectors import places, vector
from cardtable.game.record import NOBODY

# ---- 2.3 Choose an artisan


@kernel
def offer_artisans(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every artisan that nobody has (ART-2.3)."""
    for artisan in range(ARTISAN_KINDS):
        count = offer(AT.choose.start + artisan, not is_chosen(game, artisan, game.seat), actions, count)
    return count


@kernel
def choose_artisan(game: Any, artisan: int) -> None:
    """ART-2.3; after the last choice round 1 begins."""
    game.artisan[game.seat] = artisan
    game.seat = left_of(game, game.seat)
    if game.seat == 0:
        ask_reservation(game)


# ---- 8.9 Reserve an object


@kernel
def offer_reservations(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every object of the row (ART-8.9)."""
    for place in range(ROW_PLACES):
        count = offer(AT.reserve.start + place, game.row[place] != NOBODY, actions, count)
    return count


@kernel
def reserve_object(game: Any, place: int) -> None:
    """ART-8.9."""
    for seat in range(game.num_players):
        game.lacking[seat, RESERVED] = game.lacking[seat, place]
    game.reserved = leave_row(game, place)
    begin_turns(game)


# ---- 4.2, 4.3 Visit the market

MATERIAL_SET: np.ndarray = np.array([0, *(1 << material for material in range(MATERIAL_KINDS))])
"""By material + 1: each material as a set; NOBODY, which comes first, as the empty set."""


@helper
def enter_hand(game: Any, material: int) -> None:
    """The mover takes a market card in the sight of all (ART-9.1)."""
    game.hand[game.seat, material] += 1
    game.hand_size[game.seat] += 1
    game.known[game.seat, material] += 1


@helper
def leave_hand(game: Any, material: int, number: int) -> None:
    """Cards leave the mover's hand; as many fewer are known there, but not fewer than none (ART-9.1)."""
    seat = game.seat
    game.hand[seat, material] -= number
    game.hand_size[seat] -= number
    game.known[seat, material] = max(game.known[seat, material] - number, 0)


@helper
def right_slot(slot: int) -> int:
    """The neighbouring slot on one side of the circle (ART-2.1)."""
    return slot + 1 if slot + 1 < MARKET_SLOTS else 0


@helper
def left_slot(slot: int) -> int:
    """The neighbouring slot on the other side."""
    return slot - 1 if slot > 0 else MARKET_SLOTS - 1


@helper
def material_set(game: Any, slot: int) -> int:
    """The material in a slot as a set; the empty set if there is none."""
    return MATERIAL_SET[unsigned(game.market[slot] + 1)]


@helper
def offer_visits(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every exchange to a full hand, every card of the market to another (ART-4.2, 4.3)."""
    if game.hand_size[game.seat] < HAND_LIMIT:
        return offer_cards(game, actions, count)
    return offer_exchanges(game, actions, count)


@helper
def offer_cards(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every card of the market (ART-4.3)."""
    for slot in range(MARKET_SLOTS):
        count = offer(AT.take.start + slot, game.market[slot] != NOBODY, actions, count)
    return count


@helper
def offer_exchanges(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer to put down in every slot with a card every material in hand that neither neighbour has (ART-4.2)."""
    held = places(vector(game.hand[game.seat], MATERIAL_KINDS))
    exchanges = 0
    for slot in range(MARKET_SLOTS):
        taboo = material_set(game, left_slot(slot)) | material_set(game, right_slot(slot))
        materials = held & ~taboo if game.market[slot] != NOBODY else 0
        exchanges |= materials << slot * MATERIAL_KINDS
    return offer_members(exchanges, AT.exchange.start, actions, count)


@helper
def take_card(game: Any, slot: int) -> None:
    """ART-4.3; an emptied market is filled again while a player may still act (ART-4.4)."""
    enter_hand(game, game.market[slot])
    game.market[slot] = NOBODY
    end_visit(game)
    if game.phase != Phase.DEVELOP and market_is_empty(game):
        reveal_market(game)


@helper
def exchange_card(game: Any, slot: int, material: int) -> None:
    """ART-4.2; the card put down counts first (ART-9.1)."""
    leave_hand(game, material, 1)
    enter_hand(game, game.market[slot])
    game.market[slot] = material
    end_visit(game)


@helper
def end_visit(game: Any) -> None:
    """A visit is the whole turn, but the opportunist's last action may be two (ART-4.1, 8.8)."""
    if not game.token_taken:
        game.visits[game.seat] += 1  # ART-4.9
    if game.phase == Phase.LAST and game.artisan[game.seat] == Artisan.OPPORTUNIST:
        game.phase = Phase.SECOND
    else:
        end_turn(game)


# ---- 4.6 Craft an object


@helper
def may_craft(game: Any) -> bool:
    """Not in the first rounds, not after a visit, not twice in a round (ART-4.6)."""
    seat = game.seat
    return game.round_number >= FIRST_CRAFT_ROUND and game.visits[seat] == 0 and game.crafted[seat] == 0


@helper
def can_craft(game: Any, seat: int, number: int) -> bool:
    """Whether an open object is within reach of a seat and its levels (ART-4.6, 8.9)."""
    return can_reach(game, seat, number) & (game.lacking[seat, number] == 0)


@kernel
def offer_crafts(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every object of the row and the own reserve whose levels are reached (ART-4.6, 8.9)."""
    seat = game.seat
    for place in range(ROW_PLACES):
        count = offer(AT.craft.start + place, can_craft(game, seat, place), actions, count)
    return offer(AT.craft_reserved.start, can_craft(game, seat, RESERVED), actions, count)


@kernel
def craft_from_row(game: Any, place: int) -> None:
    """ART-4.6, 6.1."""
    keep_object(game, leave_row(game, place))


@kernel
def craft_reserved(game: Any) -> None:
    """ART-8.9."""
    crafted = game.reserved
    game.reserved = NOBODY
    for seat in range(game.num_players):
        game.lacking[seat, RESERVED] = 0
    keep_object(game, crafted)


@kernel
def keep_object(game: Any, crafted: int) -> None:
    """The mover keeps an object; the turn ends, but for the night worker's (ART-4.6, 8.5)."""
    seat = game.seat
    game.maker[crafted] = seat
    game.object_count[seat] += 1
    game.object_points[seat] += game.points[crafted]
    for material in range(MATERIAL_KINDS):
        game.uses[seat, material] += game.required[crafted, material] > 0
    game.bonus[seat] = bonus_of(game, seat)
    if game.phase == Phase.FINISH:
        end_finish(game)
        return
    game.crafted[seat] = 1
    if game.artisan[seat] == Artisan.NIGHT_WORKER:
        game.phase = Phase.NIGHT
    else:
        end_turn(game)


# ---- 8 What artisans are worth


@kernel
def bonus_of(game: Any, seat: int) -> int:
    """The artisan bonus of a seat (ART-8)."""
    artisan = game.artisan[seat]
    if artisan == Artisan.GOLD_LOVER:
        return GOLD_LOVER_BONUS * game.uses[seat, Material.GOLD]
    if artisan == Artisan.SCULPTOR:
        return SCULPTOR_BONUS * sculptures(game, seat)
    if artisan == Artisan.VERSATILE:
        return VERSATILE_BONUS * materials_used(game, seat)
    if artisan == Artisan.SPECIALIST:
        return SPECIALIST_BONUS * materials_mastered(game, seat)
    return COLLECTOR_BONUS * game.object_count[seat] if artisan == Artisan.COMPULSIVE_COLLECTOR else 0


@kernel
def sculptures(game: Any, seat: int) -> int:
    """Own objects that require wood or stone (ART-8.2)."""
    number = 0
    for each in range(OBJECT_KINDS):
        is_sculpture = game.required[each, Material.WOOD] > 0 or game.required[each, Material.STONE] > 0
        number += game.maker[each] == seat and is_sculpture
    return number


@kernel
def materials_used(game: Any, seat: int) -> int:
    """Materials that an own object requires (ART-8.3)."""
    number = 0
    for material in range(MATERIAL_KINDS):
        number += game.uses[seat, material] > 0
    return number


@kernel
def materials_mastered(game: Any, seat: int) -> int:
    """Materials developed to level 4 (ART-8.4)."""
    number = 0
    for material in range(MATERIAL_KINDS):
        number += game.level[seat, material] == LEVELS
    return number


# ---- 4.7 Take the token


@kernel
def take_token(game: Any) -> None:
    """The taker is first player at once; the others have their last actions (ART-4.7, 3.3)."""
    game.token_taken = 1
    game.first_player = game.seat
    end_turn(game)


# ---- 5 Develop a material


@helper
def most_developed(game: Any, seat: int, material: int) -> int:
    """How many cards of a material a seat may put at its next level now (ART-5.2, 8.6)."""
    level, held = game.level[seat, material], game.hand[seat, material]
    if level == 0:
        return held
    if level == LEVELS:
        return 0
    return min(held, game.developed[seat, material, level - 1] + (game.artisan[seat] == Artisan.PERFECTIONIST))


@kernel
def offer_developments(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer every number of cards of every material (ART-5.1)."""
    numbers = 0
    for material in range(MATERIAL_KINDS):
        numbers |= ((1 << int(most_developed(game, game.seat, material))) - 1) << material * HAND_LIMIT
    return offer_members(numbers, AT.develop.start, actions, count)


@kernel
def develop(game: Any, material: int, number: int) -> None:
    """ART-5.1."""
    seat = game.seat
    leave_hand(game, material, number)
    game.developed[seat, material, game.level[seat, material]] = number
    game.level[seat, material] += 1
    game.level_points[seat] += number * game.level[seat, material]
    if game.level[seat, material] == LEVELS:
        game.bonus[seat] = bonus_of(game, seat)
    compare_levels(game, seat)
    end_development(game)


# ---- 9 Decisions


@kernel
def legal(game: Any, actions: np.ndarray) -> int:
    """Write the ids of all legal actions of the mover of a game that goes on; return how many there are."""
    phase = game.phase
    if phase == Phase.TURN:
        return offer_turn(game, actions, 0)
    if phase == Phase.DRAFT:
        return offer_artisans(game, actions, 0)
    count = 0
    if phase == Phase.RESERVE:
        count = offer_reservations(game, actions, count)
    elif phase == Phase.FINISH or (phase == Phase.LAST and may_craft(game)):
        count = offer_crafts(game, actions, count)
    if phase == Phase.NIGHT or phase == Phase.LAST or phase == Phase.SECOND:
        count = offer_visits(game, actions, count)
        if not game.token_taken:
            count = offer_token(actions, count)
    elif phase == Phase.DEVELOP:
        count = offer_developments(game, actions, count)
    return offer(AT.pass_turn.start, True, actions, count)  # ART-9.3


@helper
def offer_turn(game: Any, actions: np.ndarray, count: int) -> int:
    """Offer a turn of phase A: a craft, a visit, or the token, which stays alone after `max_visits` (ART-4.1, 4.9)."""
    if game.visits[game.seat] < game.max_visits:
        if may_craft(game):
            count = offer_crafts(game, actions, count)
        count = offer_visits(game, actions, count)
    return offer_token(actions, count)


@helper
def offer_token(actions: np.ndarray, count: int) -> int:
    """Offer the token (ART-4.7)."""
    return offer(AT.token.start, True, actions, count)


@kernel
def apply(game: Any, action: int) -> None:
    """Play one legal action."""
    if action < AT.choose.stop:
        choose_artisan(game, action - AT.choose.start)
    elif action < AT.reserve.stop:
        reserve_object(game, action - AT.reserve.start)
    elif action < AT.craft.stop:
        craft_from_row(game, action - AT.craft.start)
    elif action < AT.craft_reserved.stop:
        craft_reserved(game)
    elif action < AT.take.stop:
        take_card(game, action - AT.take.start)
    elif action < AT.exchange.stop:
        number = action - AT.exchange.start
        exchange_card(game, number // MATERIAL_KINDS, number % MATERIAL_KINDS)
    elif action < AT.token.stop:
        take_token(game)
    elif action < AT.develop.stop:
        number = action - AT.develop.start
        develop(game, number // HAND_LIMIT, number % HAND_LIMIT + 1)
    else:
        pass_on(game)


@kernel
def pass_on(game: Any) -> None:
    """ART-9.3."""
    if game.phase == Phase.RESERVE:
        begin_turns(game)
    elif game.phase == Phase.DEVELOP:
        end_development(game)
    elif game.phase == Phase.FINISH:
        end_finish(game)
    else:
        end_turn(game)
