"""Which clauses of RULES.md a decision exercises: counted in random play, so that no rule goes untried."""

from enum import IntEnum, auto

from artisans_env.actions import AT
from artisans_env.constants import (
    HAND_LIMIT,
    MARKET_SLOTS,
    MATERIAL_KINDS,
    ROUNDS,
    ROW_PLACES,
    SECOND_DECK_ROUND,
    Artisan,
    Phase,
)
from artisans_env.rules.turn import left_of
from artisans_env.scoring import penalty, score_of
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.types import Integers


class Clause(IntEnum):
    """The clauses that show in play; `ART_4_1` is ART-4.1."""

    ART_2_3 = 0  # an artisan is chosen
    ART_3_1 = auto()  # a round starts
    ART_3_2 = auto()  # the decks change under the row: in round 7, or before with deck 1 used up
    ART_3_3 = auto()  # another player becomes first player
    ART_3_4 = auto()  # phase B begins
    ART_4_1 = auto()
    ART_4_2 = auto()
    ART_4_3 = auto()
    ART_4_4 = auto()  # the last card of the market is taken
    ART_4_5 = auto()  # the pile does not last for a new market
    ART_4_6 = auto()
    ART_4_7 = auto()  # a last action
    ART_4_8 = auto()  # the market closes with cards in it
    ART_4_9 = auto()  # a player must take the token
    ART_5_1 = auto()
    ART_5_2 = auto()  # a level above the first
    ART_5_3 = auto()
    ART_6_1 = auto()  # an object is crafted after round 12
    ART_6_2 = auto()
    ART_6_3 = auto()  # leaders have equal scores
    ART_8_1 = auto()  # the game ends with a bonus for it; so 8.2, 8.3, 8.4, 8.7
    ART_8_2 = auto()
    ART_8_3 = auto()
    ART_8_4 = auto()
    ART_8_5 = auto()  # a visit or the token after a craft
    ART_8_6 = auto()  # one card more than at the level below
    ART_8_7 = auto()
    ART_8_8 = auto()  # a second visit
    ART_8_9 = auto()  # an object is reserved, crafted from the reserve, or left there
    ART_9_1 = auto()  # a known card leaves a hand
    ART_9_3 = auto()  # a pass


@kernel
def witness(game: State, action: int, counts: Integers) -> None:
    """Count the clauses that `action` is about to exercise; at the end of the game (NOBODY), those that decide it."""
    if action == NOBODY:
        witness_end(game, counts)
        return
    counts[Clause.ART_2_3] += action < AT.choose.stop
    counts[Clause.ART_8_9] += AT.reserve.start <= action < AT.reserve.stop or action == AT.craft_reserved.start
    counts[Clause.ART_9_3] += action == AT.pass_turn.start
    if game.phase == Phase.FINISH:
        counts[Clause.ART_6_1] += action < AT.craft_reserved.stop
    elif game.phase == Phase.DEVELOP:
        witness_development(game, action, counts)
    elif game.phase >= Phase.TURN:
        witness_action(game, action, counts)


@helper
def is_visit(action: int) -> bool:
    """Whether an action is a visit to the market."""
    return AT.take.start <= action < AT.exchange.stop


@helper
def market_size(game: State) -> int:
    """Cards in the market."""
    size = 0
    for slot in range(MARKET_SLOTS):
        size += game.market[slot] != NOBODY
    return size


@kernel
def witness_action(game: State, action: int, counts: Integers) -> None:
    """A turn, last action or second part of one in phase A (ART-4)."""
    counts[Clause.ART_3_3] += action == AT.token.start and game.seat != game.first_player
    counts[Clause.ART_4_1] += game.phase == Phase.TURN
    counts[Clause.ART_4_3] += AT.take.start <= action < AT.take.stop
    counts[Clause.ART_4_6] += AT.craft.start <= action < AT.craft_reserved.stop
    counts[Clause.ART_4_7] += game.phase == Phase.LAST
    counts[Clause.ART_4_9] += game.phase == Phase.TURN and game.visits[game.seat] >= game.max_visits
    counts[Clause.ART_8_5] += game.phase == Phase.NIGHT and action != AT.pass_turn.start
    counts[Clause.ART_8_8] += game.phase == Phase.SECOND and action != AT.pass_turn.start
    if AT.exchange.start <= action < AT.exchange.stop:
        counts[Clause.ART_4_2] += 1
        counts[Clause.ART_9_1] += game.known[game.seat, (action - AT.exchange.start) % MATERIAL_KINDS] > 0
    left = market_size(game) - (AT.take.start <= action < AT.take.stop)
    closes = closes_market(game, action)
    counts[Clause.ART_4_8] += closes and left > 0
    counts[Clause.ART_4_4] += is_visit(action) and left == 0
    counts[Clause.ART_4_5] += is_visit(action) and left == 0 and not closes and game.pile_size < MARKET_SLOTS


@kernel
def closes_market(game: State, action: int) -> bool:
    """Whether this is the end of the last of the last actions (ART-4.7)."""
    if not game.token_taken or left_of(game, game.seat) != game.first_player:
        return False
    artisan, is_first = game.artisan[game.seat], game.phase == Phase.LAST
    continues = is_first and is_visit(action) and artisan == Artisan.OPPORTUNIST
    continues = continues or (is_first and action < AT.craft_reserved.stop and artisan == Artisan.NIGHT_WORKER)
    return not continues


@kernel
def witness_development(game: State, action: int, counts: Integers) -> None:
    """ART-5, and the start of the next round."""
    ends_round = left_of(game, game.seat) == game.first_player and game.round_number < ROUNDS
    counts[Clause.ART_3_1] += ends_round
    counts[Clause.ART_3_2] += ends_round and changes_deck(game)
    counts[Clause.ART_4_5] += ends_round and game.pile_size < MARKET_SLOTS
    counts[Clause.ART_3_4] += game.seat == game.first_player
    if action == AT.pass_turn.start:
        counts[Clause.ART_5_3] += 1
        return
    seat, number = game.seat, action - AT.develop.start
    material, cards = number // HAND_LIMIT, number % HAND_LIMIT + 1
    level = game.level[seat, material]
    counts[Clause.ART_5_1] += 1
    counts[Clause.ART_5_2] += level > 0
    counts[Clause.ART_8_6] += level > 0 and cards > game.developed[seat, material, level - 1]
    counts[Clause.ART_9_1] += game.known[seat, material] > 0


@kernel
def changes_deck(game: State) -> bool:
    """Whether deck 1 is the current deck now, and deck 2 will be in the next round (ART-3.2)."""
    empty = 0
    for place in range(ROW_PLACES):
        empty += game.row[place] == NOBODY
    return game.deck_1_size > 0 and (game.round_number + 1 == SECOND_DECK_ROUND or game.deck_1_size <= empty)


@kernel
def witness_end(game: State, counts: Integers) -> None:
    """ART-6.2, 6.3, and the artisans that score."""
    counts[Clause.ART_6_2] += 1
    best, leaders = score_of(game, 0), 0
    for seat in range(game.num_players):
        best = max(best, score_of(game, seat))
    for seat in range(game.num_players):
        leaders += score_of(game, seat) == best
        counts[Clause.ART_8_9] += penalty(game, seat) > 0
        if game.bonus[seat] > 0:
            witness_bonus(game.artisan[seat], counts)
    counts[Clause.ART_6_3] += leaders > 1


@kernel
def witness_bonus(artisan: int, counts: Integers) -> None:
    """An artisan brings points."""
    counts[Clause.ART_8_1] += artisan == Artisan.GOLD_LOVER
    counts[Clause.ART_8_2] += artisan == Artisan.SCULPTOR
    counts[Clause.ART_8_3] += artisan == Artisan.VERSATILE
    counts[Clause.ART_8_4] += artisan == Artisan.SPECIALIST
    counts[Clause.ART_8_7] += artisan == Artisan.COMPULSIVE_COLLECTOR
