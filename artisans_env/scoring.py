"""The end of a game of Artisans (ART-6), and what artisans add to a score (ART-8)."""

from artisans_env.constants import (
    COLLECTOR_BONUS,
    GOLD_LOVER_BONUS,
    LEVELS,
    MATERIAL_KINDS,
    OBJECT_KINDS,
    SCULPTOR_BONUS,
    SPECIALIST_BONUS,
    VERSATILE_BONUS,
    Artisan,
    Material,
    Phase,
)
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending, share_the_win
from cardtable.engine.jit import helper, kernel
from cardtable.types import Floats


@kernel
def is_over(game: State) -> int:
    """Over when all have crafted or passed after round 12 (ART-6.1)."""
    return Ending.TERMINATED if game.phase == Phase.OVER else Ending.ONGOING


@helper
def is_own_reserve(game: State, seat: int) -> bool:
    """Whether a seat has an object in reserve, which costs its points until it is crafted (ART-6.2, 8.9)."""
    return (game.reserved != NOBODY) & (game.artisan[seat] == Artisan.PROVIDENT)


@kernel
def penalty(game: State, seat: int) -> int:
    """The points of an uncrafted reserved object (ART-6.2, 8.9)."""
    return game.points[game.reserved] * is_own_reserve(game, seat)


@kernel
def score_of(game: State, seat: int) -> int:
    """Levels, objects and bonus, less the penalty, as things stand (ART-6.2)."""
    return game.level_points[seat] + game.object_points[seat] + game.bonus[seat] - penalty(game, seat)


@kernel
def developed_cards(game: State, seat: int) -> int:
    """All developed cards of a seat (ART-6.3)."""
    cards = 0
    for material in range(MATERIAL_KINDS):
        for level in range(LEVELS):
            cards += game.developed[seat, material, level]
    return cards


@kernel
def scores(game: State, out: Floats) -> None:
    """The score of each seat as things stand (ART-6.2)."""
    for seat in range(game.num_players):
        out[seat] = score_of(game, seat)


@kernel
def is_ahead(game: State, seat: int, other: int) -> bool:
    """Whether a seat beats another: by score, then by objects, then by developed cards (ART-6.3)."""
    lead = score_of(game, seat) - score_of(game, other)
    if lead == 0:
        lead = game.object_count[seat] - game.object_count[other]
    if lead == 0:
        lead = developed_cards(game, seat) - developed_cards(game, other)
    return lead > 0


@kernel
def returns(game: State, out: Floats) -> None:
    """Who is beaten by nobody wins, or shares the win (ART-6.3)."""
    for seat in range(game.num_players):
        out[seat] = 1
        for other in range(game.num_players):
            if is_ahead(game, other, seat):
                out[seat] = 0
    share_the_win(out, game.num_players)


# ---- 8.1 to 8.4, 8.7 Bonuses of artisans


@kernel
def bonus_of(game: State, seat: int) -> int:
    """What its artisan adds to the score of a seat (ART-6.2)."""
    artisan = game.artisan[seat]
    if artisan == Artisan.GOLD_LOVER:  # ART-8.1
        return GOLD_LOVER_BONUS * game.uses[seat, Material.GOLD]
    if artisan == Artisan.SCULPTOR:  # ART-8.2
        return SCULPTOR_BONUS * sculptures(game, seat)
    if artisan == Artisan.VERSATILE:  # ART-8.3
        return VERSATILE_BONUS * materials_used(game, seat)
    if artisan == Artisan.SPECIALIST:  # ART-8.4
        return SPECIALIST_BONUS * materials_mastered(game, seat)
    if artisan == Artisan.COMPULSIVE_COLLECTOR:  # ART-8.7
        return COLLECTOR_BONUS * game.object_count[seat]
    return 0


@kernel
def sculptures(game: State, seat: int) -> int:
    """Own objects that require wood or stone (ART-8.2)."""
    number = 0
    for each in range(OBJECT_KINDS):
        is_sculpture = game.required[each, Material.WOOD] > 0 or game.required[each, Material.STONE] > 0
        number += game.maker[each] == seat and is_sculpture
    return number


@kernel
def materials_used(game: State, seat: int) -> int:
    """Materials that an own object requires (ART-8.3)."""
    number = 0
    for material in range(MATERIAL_KINDS):
        number += game.uses[seat, material] > 0
    return number


@kernel
def materials_mastered(game: State, seat: int) -> int:
    """Materials developed to level 4 (ART-8.4)."""
    number = 0
    for material in range(MATERIAL_KINDS):
        number += game.level[seat, material] == LEVELS
    return number
