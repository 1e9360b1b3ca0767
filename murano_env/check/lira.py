"""No seat has more Lira than it can have been paid (MUR-5.3, 6.2, 8, 11.4)."""

from cardtable.engine.jit import kernel
from murano_env.check.creations import works_set_aside, works_used_by
from murano_env.constants import LIRA_BESIDES_SELLS, MOST_OF_A_CARD, MOST_OF_A_WORK, SIX_O_CLOCK, TWELVE_O_CLOCK
from murano_env.rules.grandmaster import first_gap_lira, lira_on_gaps
from murano_env.types import State


@kernel
def lira_can_be_paid(game: State) -> bool:
    """No seat has more than a game can pay besides what its turns, works and cards have paid (MUR-5.3, 6.2, 8, 11.4).

    A position may differ from those that arise by that much. What play adds, it adds on both sides, so that play from such
    a position leads to such positions only.
    """
    from_gaps, uses = lira_from_gaps(game), works_set_aside(game)
    for seat in range(game.num_players):
        used = works_used_by(game, seat)
        sells = game.round_number - 1 + (seat < game.turn or (seat == game.turn and game.negotiations > 0))
        paid = sells + MOST_OF_A_WORK * game.works_size[seat] + MOST_OF_A_CARD * used + (uses - used) + from_gaps
        if game.lira[seat] > LIRA_BESIDES_SELLS + paid:
            return False
    return True


@kernel
def lira_from_gaps(game: State) -> int:
    """Lira that have left the gaps of the circle (MUR-11.4)."""
    if not game.grandmaster:
        return 0
    at_first = first_gap_lira(game, SIX_O_CLOCK) + first_gap_lira(game, TWELVE_O_CLOCK)
    return at_first - lira_on_gaps(game)
