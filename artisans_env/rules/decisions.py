"""Decisions (ART-9.2, 9.3): the legal actions, and an action played, in the order of the action blocks."""

from artisans_env.actions import AT
from artisans_env.constants import HAND_LIMIT, MATERIAL_KINDS, Phase
from artisans_env.rules.abilities import offer_reservations, reserve_object
from artisans_env.rules.development import develop, end_development, offer_developments
from artisans_env.rules.market import (
    craft_from_row,
    craft_reserved,
    end_action,
    exchange_card,
    may_craft,
    may_visit,
    offer_crafts,
    offer_token,
    offer_visits,
    take_card,
    take_token,
)
from artisans_env.rules.set_up import choose_artisan, offer_artisans
from artisans_env.rules.turn import begin_phase_a, end_finish
from artisans_env.types import State
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions


@kernel
def legal(game: State, actions: Actions) -> int:
    """Write the ids of all legal actions of the mover in an ongoing game; return how many there are (ART-9.2, 9.3)."""
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
    return offer(AT.pass_turn.start, True, actions, count)


@helper
def offer_turn(game: State, actions: Actions, count: int) -> int:
    """Offer a turn of phase A: a craft, a visit, or the token, which stays alone after `max_visits` (ART-9.2, 4.1, 4.9)."""
    if may_visit(game):
        if may_craft(game):
            count = offer_crafts(game, actions, count)
        count = offer_visits(game, actions, count)
    return offer_token(actions, count)


@kernel
def apply(game: State, action: int) -> None:
    """Play one legal action (ART-9.2)."""
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
def pass_on(game: State) -> None:
    """Do nothing, where that is allowed (ART-9.3)."""
    if game.phase == Phase.RESERVE:
        begin_phase_a(game)
    elif game.phase == Phase.DEVELOP:
        end_development(game)
    elif game.phase == Phase.FINISH:
        end_finish(game)
    else:
        end_action(game)
