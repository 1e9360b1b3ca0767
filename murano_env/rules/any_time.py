"""What can be done any time in one's own turn (MUR-7): reorder the hand, turn the Ring, use an Advantage."""

from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer, offer_run
from cardtable.types import Actions
from murano_env.actions import AT
from murano_env.constants import BASE_ADVANTAGES, CATEGORIES, TILES
from murano_env.rules.advantages import can_use_card, use_card
from murano_env.rules.grandmaster import offer_owl
from murano_env.rules.interactive import can_use_interactive, use_interactive
from murano_env.rules.piles import count_work, is_kind, turn_ring
from murano_env.types import State


@helper
def offer_any_time(game: State, actions: Actions, count: int) -> int:
    """Offer what is open between any two steps of the own turn (MUR-7, 11.6)."""
    if game.lira[game.seat] > 0:
        count = offer_run(AT.reorder.start, max(game.hand_size[game.seat] - 1, 0), actions, count)
        count = offer(AT.turn_ring.start, True, actions, count)
    count = offer_owl(game, actions, count)
    return offer_advantages(game, actions, count)


# ---- 7.1 Reorder


@kernel
def reorder(game: State, place: int) -> None:
    """Pay 1L, put the card in position 1 at another place (MUR-7.1)."""
    seat = game.seat
    game.lira[seat] -= 1
    card = game.hand[seat, 0]
    for earlier in range(place):
        game.hand[seat, earlier] = game.hand[seat, earlier + 1]
    game.hand[seat, place] = card


# ---- 7.2 Turn the Ring


@kernel
def pay_for_ring(game: State) -> None:
    """MUR-7.2."""
    game.lira[game.seat] -= 1
    turn_ring(game, 1)


# ---- 7.3, 7.4 Use an Advantage


@kernel
def offer_advantages(game: State, actions: Actions, count: int) -> int:
    """Offer each card that can be used now, with every kind of work that names its tile (MUR-7.3)."""
    seat = game.seat
    for tile in range(TILES):
        works = 0
        for other in range(CATEGORIES):
            works += game.ready[seat, tile, other]
        if works > 0 and can_use(game, seat, game.advantage[tile]):
            for other in range(CATEGORIES):
                count = offer(AT.use.start + tile * CATEGORIES + other, game.ready[seat, tile, other] > 0, actions, count)
    return count


@helper
def can_use(game: State, seat: int, card: int) -> bool:
    """Whether a card is open, its cost at hand, and each step it demands has a legal choice (MUR-7.4)."""
    return can_use_card(game, seat, card) if card < BASE_ADVANTAGES else can_use_interactive(game, seat, card)


@kernel
def use_advantage(game: State, tile: int, other: int) -> None:
    """Set aside the work of this kind that was made first, and use the card of the tile (MUR-7.3)."""
    seat = game.seat
    for place in range(game.works_size[seat]):
        work = game.works[seat, place]
        if not game.set_aside[work] and is_kind(game, work, tile, other):
            game.set_aside[work] = 1
            count_work(game, seat, work, -1)
            break
    card = game.advantage[tile]
    if card < BASE_ADVANTAGES:
        use_card(game, seat, card)
    else:
        use_interactive(game, card)
