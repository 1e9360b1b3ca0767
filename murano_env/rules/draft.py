"""The draft of the Glass Festival (MUR-9.1)."""

from cardtable.engine.jit import kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions
from murano_env.actions import AT
from murano_env.rules.piles import add_to_hand, remove_card
from murano_env.rules.set_up import full_hand
from murano_env.rules.turn import begin_turn, left_of
from murano_env.types import State


@kernel
def offer_pack(game: State, actions: Actions, count: int) -> int:
    """Offer every card of the own pack (MUR-9.1)."""
    for place in range(game.pack_size[game.seat]):
        count = offer(AT.draft.start + game.pack[game.seat, place], True, actions, count)
    return count


@kernel
def draft_card(game: State, card: int) -> None:
    """Keep a card; after all have, the packs move on, or the first turn begins (MUR-9.1)."""
    seat = game.seat
    place = 0
    while game.pack[seat, place] != card:
        place += 1
    remove_card(game.pack[seat], place, game.pack_size[seat])
    game.pack_size[seat] -= 1
    game.drafted[seat, game.drafted_size[seat]] = card
    game.drafted_size[seat] += 1
    add_to_hand(game, seat, card)
    game.seat = left_of(game, seat)
    if game.seat == 0:
        if game.hand_size[0] < full_hand(game):
            pass_packs(game)
        else:
            end_draft(game)


@kernel
def pass_packs(game: State) -> None:
    """Every pack goes to the left (MUR-9.1)."""
    for place in range(game.pack_size[0]):
        card = game.pack[game.num_players - 1, place]
        for seat in range(game.num_players - 1, 0, -1):
            game.pack[seat, place] = game.pack[seat - 1, place]
        game.pack[0, place] = card


@kernel
def end_draft(game: State) -> None:
    """The last card of each pack goes to the box, and play begins (MUR-9.1)."""
    for seat in range(game.num_players):
        game.box[seat] = game.pack[seat, 0]
        game.pack[seat, 0] = 0
        game.pack_size[seat] = 0
    game.box_size = game.num_players
    begin_turn(game, 0)
