"""Set-up (MUS-2)."""

from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import kernel
from muster_env.components import COPIES
from muster_env.constants import CARD_KINDS, CASTLES, DECK_SIZE, HAND_SIZE, PLAYERS
from muster_env.rules.piles import pop_pile
from muster_env.types import State


@kernel
def shuffle_decks(game: State) -> None:
    """All 47 cards in random order as the pile (MUS-2.1)."""
    game.pile_size = 0
    for card in range(CARD_KINDS):
        game.pile_count[card] = COPIES[card]
        for _ in range(COPIES[card]):
            game.pile[game.pile_size] = card
            game.pile_size += 1
    rng.shuffle(game, game.pile, DECK_SIZE)


@kernel
def set_up(game: State) -> None:
    """Deal five cards to each player; player_0 starts; castle spaces and columns are empty (MUS-2.1, 2.2)."""
    game.laid = NOBODY
    game.turned_up = NOBODY
    for castle in range(CASTLES):
        game.castle_top[castle] = NOBODY
        game.castle_second[castle] = NOBODY
    for seat in range(PLAYERS):
        for _ in range(HAND_SIZE):
            game.hand[seat, pop_pile(game)] += 1
