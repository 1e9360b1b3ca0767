"""Development: phase B (ART-5)."""

from artisans_env.actions import AT
from artisans_env.constants import HAND_LIMIT, LEVELS, MATERIAL_KINDS, ROUNDS
from artisans_env.rules.abilities import extra_card
from artisans_env.rules.piles import compare_levels, leave_hand
from artisans_env.rules.turn import begin_finish, left_of, start_round
from artisans_env.scoring import bonus_of
from artisans_env.types import State
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer_members
from cardtable.types import Actions


@helper
def most_developed(game: State, seat: int, material: int) -> int:
    """How many cards of a material a seat may put at its next level now (ART-5.2, 8.6)."""
    level, held = game.level[seat, material], game.hand[seat, material]
    if level == 0:
        return held
    if level == LEVELS:
        return 0
    return min(held, game.developed[seat, material, level - 1] + extra_card(game, seat))


@kernel
def offer_developments(game: State, actions: Actions, count: int) -> int:
    """Offer every number of cards of every material (ART-5.1)."""
    numbers = 0
    for material in range(MATERIAL_KINDS):
        numbers |= ((1 << int(most_developed(game, game.seat, material))) - 1) << material * HAND_LIMIT
    return offer_members(numbers, AT.develop.start, actions, count)


@kernel
def develop(game: State, material: int, number: int) -> None:
    """Cards of a material go from the hand to its next level (ART-5.1)."""
    seat = game.seat
    leave_hand(game, seat, material, number)
    game.developed[seat, material, game.level[seat, material]] = number
    game.level[seat, material] += 1
    game.level_points[seat] += number * game.level[seat, material]
    if game.level[seat, material] == LEVELS:
        game.bonus[seat] = bonus_of(game, seat)
    compare_levels(game, seat)
    end_development(game)


@kernel
def end_development(game: State) -> None:
    """Developed or not (ART-5.3), the next player may; after all the next round starts, or the end of the game (ART-6.1)."""
    game.seat = left_of(game, game.seat)
    if game.seat != game.first_player:
        return
    if game.round_number < ROUNDS:
        start_round(game)
    else:
        begin_finish(game)
