"""Every material card is in one place (ART-1.1)."""

from artisans_env.constants import COPIES_PER_PLAYER, LEVELS, MARKET_SLOTS, MATERIAL_KINDS, Fault
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import kernel
from cardtable.types import Integers


@kernel
def check_materials(game: State, counts: Integers) -> int:
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
def count_pile(game: State, counts: Integers) -> None:
    """Add the cards of the pile to `counts`, by material."""
    for place in range(game.pile_size):
        counts[game.pile[place]] += 1
