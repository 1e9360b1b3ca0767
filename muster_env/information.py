"""What a seat cannot know, drawn anew (MUS-8)."""

from typing import Any

from cardtable import rng
from cardtable.jit import kernel
from muster_env.constants import CARD_KINDS
from muster_env.turns import pop_pile


@kernel
def redeal_hidden(game: Any, seat: int) -> None:
    """Draw anew the unknown cards of the other hand and the order of the pile (MUS-8.1, 8.2)."""
    other = 1 - seat
    unknown = 0
    for card in range(CARD_KINDS):
        while game.hand[other, card] > game.known[other, card]:
            game.hand[other, card] -= 1
            game.pile[game.pile_size + unknown] = card
            game.pile_count[card] += 1
            unknown += 1
    rng.shuffle(game, game.pile, game.pile_size + unknown)
    game.pile_size += unknown
    for _ in range(unknown):
        game.hand[other, pop_pile(game)] += 1
