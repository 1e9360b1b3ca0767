"""The end of a game of Murano (MUR-10.3, 10.4, 11.8, 12)."""

from cardtable.engine.ending import Ending, share_the_win
from cardtable.engine.jit import helper, kernel
from cardtable.types import Floats
from murano_env.constants import CARD_PENALTY, LEAST_RANKED, RANK_STEPS, RANKS, SOLO, Phase
from murano_env.types import State

RANK_NAMES = ("Apprentice", "Artisan", "Master", "Grandmaster")  # MUR-10.3
assert len(RANK_NAMES) == RANKS


@kernel
def is_over(game: State) -> int:
    """Over when the last round is finished; cut off if it was not a last one by the rules (MUR-12.1, 12.3)."""
    if game.phase != Phase.OVER:
        return Ending.ONGOING
    by_the_rules = game.last_round == 1 or game.num_players == SOLO
    return Ending.TERMINATED if by_the_rules else Ending.TRUNCATED


@helper
def begin_last_round(game: State) -> None:
    """This round is played to its end, and the game is over then (MUR-12.1)."""
    game.last_round = 1


@helper
def ends_with_this_round(game: State) -> bool:
    """Whether the round that ends now is the last one, by the rules or by the limit (MUR-12.1, 12.3)."""
    return game.last_round == 1 or is_cut_off(game)


@helper
def is_cut_off(game: State) -> bool:
    """Whether the round that ends now is the last one allowed (MUR-12.3)."""
    return game.num_players > SOLO and not game.grandmaster and game.round_number >= game.max_rounds


@helper
def score_of(game: State, seat: int) -> int:
    """Lira, less what cards in hand cost a grandmaster, as things stand (MUR-11.8, 12.2)."""
    return game.lira[seat] - penalty(game, seat)


@helper
def penalty(game: State, seat: int) -> int:
    """2L for each card still in hand (MUR-11.8)."""
    return CARD_PENALTY * game.hand_size[seat] if game.grandmaster else 0


@kernel
def scores(game: State, out: Floats) -> None:
    """The score of each seat as things stand."""
    for seat in range(game.num_players):
        out[seat] = score_of(game, seat)


@helper
def is_ahead(game: State, seat: int, other: int) -> bool:
    """Whether a seat beats another: by score, then by fewer works (MUR-12.2)."""
    lead = score_of(game, seat) - score_of(game, other)
    if lead == 0:
        lead = game.works_size[other] - game.works_size[seat]
    return lead > 0


@kernel
def returns(game: State, out: Floats) -> None:
    """Who is beaten by nobody wins, or shares the win; in solo the rank counts (MUR-10.4, 12.2).

    `share_the_win` makes zero-sum returns of it (MUR-12.4).
    """
    if game.num_players == SOLO:
        out[0] = solo_return(game)
        return
    for seat in range(game.num_players):
        out[seat] = 1
        for other in range(game.num_players):
            if is_ahead(game, other, seat):
                out[seat] = 0
    share_the_win(out, game.num_players)


@kernel
def solo_return(game: State) -> float:
    """-1 with a work unmade; otherwise a quarter for each rank (MUR-10.4)."""
    if game.hand_size[0] > 0:
        return -1.0
    return (solo_rank(game) + 1) / RANKS


@kernel
def solo_rank(game: State) -> int:
    """The rank that the Lira give: 0 for an Apprentice, 3 for a Grandmaster (MUR-10.3)."""
    rank = (game.lira[0] - LEAST_RANKED) // RANK_STEPS + 1
    return min(max(rank, 0), RANKS - 1)
