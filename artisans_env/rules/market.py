"""Market and objects: phase A (ART-4)."""

import numpy as np

from artisans_env.actions import AT
from artisans_env.constants import FIRST_CRAFT_ROUND, HAND_LIMIT, MARKET_SLOTS, MATERIAL_KINDS, ROW_PLACES, Phase
from artisans_env.rules.abilities import visits_again, works_at_night
from artisans_env.rules.piles import enter_hand_seen, leave_hand, leave_row, market_is_empty, reveal_market
from artisans_env.rules.turn import end_finish, end_turn
from artisans_env.scoring import bonus_of, is_own_reserve
from artisans_env.state import RESERVED
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.offers import offer, offer_members
from cardtable.engine.vectors import places, vector
from cardtable.types import Actions, Integers

# ---- 4.2 to 4.5, 4.9 Visit the market

MATERIAL_SET: Integers = np.array([0, *(1 << material for material in range(MATERIAL_KINDS))])
"""By material + 1: each material as a set; NOBODY, which comes first, as the empty set."""


@helper
def may_visit(game: State) -> bool:
    """Not after `max_visits` visits in a round; last actions are not counted (ART-4.9)."""
    return game.visits[game.seat] < game.max_visits


@helper
def right_slot(slot: int) -> int:
    """The neighbouring slot on one side of the circle (ART-4.2, 2.1)."""
    return slot + 1 if slot + 1 < MARKET_SLOTS else 0


@helper
def left_slot(slot: int) -> int:
    """The neighbouring slot on the other side (ART-4.2, 2.1)."""
    return slot - 1 if slot > 0 else MARKET_SLOTS - 1


@helper
def material_set(game: State, slot: int) -> int:
    """The material in a slot as a set; the empty set if there is none."""
    return MATERIAL_SET[unsigned(game.market[slot] + 1)]


@helper
def offer_visits(game: State, actions: Actions, count: int) -> int:
    """Offer every exchange to a full hand, every card of the market to another (ART-4.2, 4.3)."""
    if game.hand_size[game.seat] < HAND_LIMIT:
        return offer_takes(game, actions, count)
    return offer_exchanges(game, actions, count)


@helper
def offer_takes(game: State, actions: Actions, count: int) -> int:
    """Offer every card of the market (ART-4.3)."""
    for slot in range(MARKET_SLOTS):
        count = offer(AT.take.start + slot, game.market[slot] != NOBODY, actions, count)
    return count


@helper
def offer_exchanges(game: State, actions: Actions, count: int) -> int:
    """Offer to put down in every slot with a card every material in hand that neither neighbour has (ART-4.2)."""
    held = places(vector(game.hand[game.seat], MATERIAL_KINDS))
    exchanges = 0
    for slot in range(MARKET_SLOTS):
        taboo = material_set(game, left_slot(slot)) | material_set(game, right_slot(slot))
        materials = held & ~taboo if game.market[slot] != NOBODY else 0
        exchanges |= materials << slot * MATERIAL_KINDS
    return offer_members(exchanges, AT.exchange.start, actions, count)


@helper
def take_card(game: State, slot: int) -> None:
    """A card of the market goes to the hand; an emptied market is filled while a player may still act (ART-4.3, 4.4)."""
    enter_hand_seen(game, game.seat, game.market[slot])
    game.market[slot] = NOBODY
    end_visit(game)
    if game.phase != Phase.DEVELOP and market_is_empty(game):
        reveal_market(game)


@helper
def exchange_card(game: State, slot: int, material: int) -> None:
    """A card in hand takes the place of a card of the market (ART-4.2); the card put down counts first (ART-9.1)."""
    leave_hand(game, game.seat, material, 1)
    enter_hand_seen(game, game.seat, game.market[slot])
    game.market[slot] = material
    end_visit(game)


@helper
def end_visit(game: State) -> None:
    """A visit is the whole turn, but the opportunist's last action may be two (ART-4.1, 8.8)."""
    if not game.token_taken:
        game.visits[game.seat] += 1  # ART-4.9
    if visits_again(game):
        game.phase = Phase.SECOND
    else:
        end_action(game)


# ---- 4.6 Craft an object


@helper
def may_craft(game: State) -> bool:
    """Not in the first rounds, not after a visit, not twice in a round (ART-4.6)."""
    seat = game.seat
    return game.round_number >= FIRST_CRAFT_ROUND and game.visits[seat] == 0 and game.crafted[seat] == 0


@helper
def can_reach(game: State, seat: int, number: int) -> bool:
    """Whether a seat may craft an open object, levels aside: it lies in the row or in the own reserve (ART-4.6, 8.9)."""
    if number == RESERVED:
        return is_own_reserve(game, seat)
    return number < ROW_PLACES and game.row[number] != NOBODY


@helper
def can_craft(game: State, seat: int, number: int) -> bool:
    """Whether an open object is within reach of a seat and its levels (ART-4.6, 8.9)."""
    return can_reach(game, seat, number) & (game.lacking[seat, number] == 0)


@kernel
def offer_crafts(game: State, actions: Actions, count: int) -> int:
    """Offer every object of the row and the own reserve whose levels are reached (ART-4.6, 8.9)."""
    seat = game.seat
    for place in range(ROW_PLACES):
        count = offer(AT.craft.start + place, can_craft(game, seat, place), actions, count)
    return offer(AT.craft_reserved.start, can_craft(game, seat, RESERVED), actions, count)


@kernel
def craft_from_row(game: State, place: int) -> None:
    """The object at a place of the row is crafted (ART-4.6, 6.1)."""
    keep_object(game, leave_row(game, place))


@kernel
def craft_reserved(game: State) -> None:
    """The own reserved object is crafted (ART-4.6, 6.1, 8.9)."""
    crafted = game.reserved
    game.reserved = NOBODY
    for seat in range(game.num_players):
        game.lacking[seat, RESERVED] = 0
    keep_object(game, crafted)


@kernel
def keep_object(game: State, crafted: int) -> None:
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
    if works_at_night(game, seat):
        game.phase = Phase.NIGHT
    else:
        end_action(game)


# ---- 4.7 Take the token


@helper
def offer_token(actions: Actions, count: int) -> int:
    """Offer the token (ART-4.7)."""
    return offer(AT.token.start, True, actions, count)


@kernel
def take_token(game: State) -> None:
    """The taker is first player at once; the others have their last actions (ART-4.7, 3.3)."""
    game.token_taken = 1
    game.first_player = game.seat
    end_action(game)


# ---- 4.7, 4.8 After an action


@helper
def end_action(game: State) -> None:
    """A turn or last action is over; after the last of the last actions the market closes (ART-4.7)."""
    end_turn(game)
    if game.token_taken and game.seat == game.first_player:
        close_market(game)


@kernel
def close_market(game: State) -> None:
    """What is left in the market is discarded; the first player begins phase B (ART-4.8, 3.4)."""
    for slot in range(MARKET_SLOTS):
        if game.market[slot] != NOBODY:
            game.discard[game.market[slot]] += 1
            game.market[slot] = NOBODY
    game.phase = Phase.DEVELOP
