"""The Grandmaster's Challenge (MUR-11): Lira on the gaps of the circle, transparent shards that cost, the Owl.

Its larger hands, the card that is not drawn (11.1) and where the Selector starts (11.3) are in `set_up`, what cards cost at
the end (11.8) is in `scoring`.
"""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer_run
from cardtable.types import Actions
from murano_env.actions import AT
from murano_env.constants import SIX_O_CLOCK, TWELVE_O_CLOCK
from murano_env.rules.turn import right_of
from murano_env.scoring import begin_last_round
from murano_env.types import State

# ---- 11.2 to 11.4, 11.7 Lira on gaps


@helper
def first_gap_lira(game: State, gap: int) -> int:
    """Lira that lie on a gap at first (MUR-11.2)."""
    if gap == SIX_O_CLOCK:
        return 1 + (game.num_players > 2)
    return 1 + (game.num_players > 3) if gap == TWELVE_O_CLOCK else 0


@helper
def lira_on_gaps(game: State) -> int:
    """Lira that still lie on the board (MUR-11.2)."""
    return game.gap_lira[SIX_O_CLOCK] + game.gap_lira[TWELVE_O_CLOCK]


@kernel
def set_up_grandmaster(game: State) -> None:
    """Lira on the gaps, the Owl with the last player (MUR-11.2, 11.6)."""
    game.gap_lira[SIX_O_CLOCK] = first_gap_lira(game, SIX_O_CLOCK)
    game.gap_lira[TWELVE_O_CLOCK] = first_gap_lira(game, TWELVE_O_CLOCK)
    game.owl = game.num_players - 1


@kernel
def pass_gap(game: State, gap: int) -> None:
    """One Lira goes to whoever has made most works, on a tie to the supply; the last one ends the game (MUR-11.4, 11.7)."""
    game.gap_lira[gap] -= 1
    leader = sole_leader(game)
    if leader != NOBODY:
        game.lira[leader] += 1
    if lira_on_gaps(game) == 0:
        begin_last_round(game)


@kernel
def sole_leader(game: State) -> int:
    """The seat with more completed works than any other, or NOBODY (MUR-11.4)."""
    leader, most = NOBODY, -1
    for seat in range(game.num_players):
        made = int(game.works_size[seat])
        if made > most:
            leader, most = seat, made
        elif made == most:
            leader = NOBODY
    return leader


# ---- 11.5 Transparent shards


@helper
def cost_of_transparent(game: State, shards: int) -> int:
    """Lira that a work pays less for its transparent shards (MUR-11.5)."""
    return shards if game.grandmaster else 0


# ---- 11.6 The Owl


@helper
def offer_owl(game: State, actions: Actions, count: int) -> int:
    """Offer every card behind the first to whoever has the Owl (MUR-11.6)."""
    if game.owl == game.seat:
        count = offer_run(AT.owl.start, max(game.hand_size[game.seat] - 1, 0), actions, count)
    return count


@kernel
def send_owl(game: State, place: int) -> None:
    """Give the Owl to the right, bring a card to the front (MUR-11.6)."""
    seat = game.seat
    game.owl = right_of(game, seat)
    card = game.hand[seat, place]
    for later in range(place, 0, -1):
        game.hand[seat, later] = game.hand[seat, later - 1]
    game.hand[seat, 0] = card
