"""The end of a game of Artisans (ART-6)."""

from typing import Any

import numpy as np

from artisans_env.constants import LEVELS, MATERIAL_KINDS, Phase
from artisans_env.rounds import is_own_reserve
from cardtable.engine.ending import Ending, share_the_win
from cardtable.engine.jit import kernel


@kernel
def is_over(game: Any) -> int:
    """Over when all have crafted or passed after round 12 (ART-6.1)."""
    return Ending.TERMINATED if game.phase == Phase.OVER else Ending.ONGOING


@kernel
def penalty(game: Any, seat: int) -> int:
    """The points of an uncrafted reserved object (ART-6.2, 8.9)."""
    return game.points[game.reserved] * is_own_reserve(game, seat)


@kernel
def score_of(game: Any, seat: int) -> int:
    """Levels, objects and bonus, less the penalty, as things stand (ART-6.2)."""
    return game.level_points[seat] + game.object_points[seat] + game.bonus[seat] - penalty(game, seat)


@kernel
def developed_cards(game: Any, seat: int) -> int:
    """All developed cards of a seat (ART-6.3)."""
    cards = 0
    for material in range(MATERIAL_KINDS):
        for level in range(LEVELS):
            cards += game.developed[seat, material, level]
    return cards


@kernel
def scores(game: Any, out: np.ndarray) -> None:
    """The score of each seat as things stand (ART-6.2)."""
    for seat in range(game.num_players):
        out[seat] = score_of(game, seat)


@kernel
def is_ahead(game: Any, seat: int, other: int) -> bool:
    """Whether a seat beats another: by score, then by objects, then by developed cards (ART-6.3)."""
    lead = score_of(game, seat) - score_of(game, other)
    if lead == 0:
        lead = game.object_count[seat] - game.object_count[other]
    if lead == 0:
        lead = developed_cards(game, seat) - developed_cards(game, other)
    return lead > 0


@kernel
def returns(game: Any, out: np.ndarray) -> None:
    """Who is beaten by nobody wins, or shares the win (ART-6.3)."""
    for seat in range(game.num_players):
        out[seat] = 1
        for other in range(game.num_players):
            if is_ahead(game, other, seat):
                out[seat] = 0
    share_the_win(out, game.num_players)
