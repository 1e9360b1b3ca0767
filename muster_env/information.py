"""What a seat cannot know: drawn anew, or forgotten (MUS-8)."""

from cardtable.engine import rng
from cardtable.engine.jit import kernel
from muster_env.constants import CARD_KINDS
from muster_env.rules.piles import pop_pile
from muster_env.types import State


@kernel
def redeal_hidden(game: State, seat: int) -> None:
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


# ---- Forgetting: what redealing draws, put in an order that tells nothing


@kernel
def forget_hidden(game: State, seat: int) -> None:
    """Cards that the seat cannot know, in the order of their kinds: first those of the other hand, then the pile."""
    other, unknown = 1 - seat, 0
    for card in range(CARD_KINDS):
        hidden = game.hand[other, card] - game.known[other, card]
        game.pile_count[card] += hidden
        game.hand[other, card] -= hidden
        unknown += hidden
    game.pile_size = 0
    for card in range(CARD_KINDS):
        for _ in range(game.pile_count[card]):
            game.pile[game.pile_size] = card
            game.pile_size += 1
    for _ in range(unknown):
        game.hand[other, pop_pile(game)] += 1
