"""Which clauses of RULES.md a decision exercises: counted in random play, so that no rule goes untried."""

from enum import IntEnum, auto

from cardtable.engine.constants import NOBODY
from cardtable.engine.ending import Ending
from cardtable.engine.jit import helper, kernel
from cardtable.game.actions import Span
from cardtable.types import Integers
from murano_env.actions import AT
from murano_env.constants import (
    BASE_ADVANTAGES,
    CATEGORIES,
    COLOURS,
    SOLO,
    Advantage,
    Phase,
)
from murano_env.rules.create import REPLACEMENTS
from murano_env.rules.grandmaster import lira_on_gaps, sole_leader
from murano_env.scoring import is_over, penalty, score_of
from murano_env.types import State


class Clause(IntEnum):
    """The clauses that show in play; `MUR_4_1` is MUR-4.1."""

    MUR_3_2 = 0  # card 10 or 12 is used late: after the first action or take
    MUR_3_3 = auto()  # a turn ends
    MUR_3_4 = auto()  # a choice under way
    MUR_4_1 = auto()
    MUR_4_2 = auto()  # a shard is missing
    MUR_4_3 = auto()  # a Workbench holds more than eight
    MUR_5_1 = auto()
    MUR_5_2 = auto()
    MUR_5_3 = auto()
    MUR_5_4 = auto()  # a pass
    MUR_6_1 = auto()  # a work with transparent shards
    MUR_6_2 = auto()
    MUR_6_3 = auto()  # the second work of a turn
    MUR_7_1 = auto()
    MUR_7_2 = auto()
    MUR_7_3 = auto()
    MUR_8_1 = auto()  # Present
    MUR_8_2 = auto()  # Gift
    MUR_8_3 = auto()  # Free
    MUR_8_4 = auto()  # Merchant
    MUR_8_5 = auto()  # Expert
    MUR_8_6 = auto()  # Gourmand
    MUR_8_7 = auto()  # Gambler
    MUR_8_8 = auto()  # Magician
    MUR_8_9 = auto()  # Favouritism
    MUR_8_10 = auto()  # Privilege
    MUR_8_11 = auto()  # Provident
    MUR_8_12 = auto()  # Repetition
    MUR_8_13 = auto()  # Traveller
    MUR_8_14 = auto()  # Quotation
    MUR_8_15 = auto()  # Opportunist
    MUR_8_16 = auto()  # Visionary
    MUR_9_1 = auto()
    MUR_9_3 = auto()  # Authoritarian
    MUR_9_4 = auto()  # Dealer
    MUR_9_5 = auto()  # Clumsiness
    MUR_9_6 = auto()  # Collector
    MUR_10_1 = auto()  # a Challenge card is revealed
    MUR_10_2 = auto()  # the seventh turn of a solo game
    MUR_10_3 = auto()  # a solo game is won
    MUR_11_3 = auto()  # the Selector leaves gap 11
    MUR_11_4 = auto()  # a Lira on a gap goes to a player
    MUR_11_5 = auto()  # a grandmaster's work with transparent shards
    MUR_11_6 = auto()
    MUR_11_7 = auto()  # a game ends with the last Lira gone
    MUR_11_8 = auto()  # a game ends with a card in hand that costs
    MUR_12_1 = auto()  # the last card of a hand is made
    MUR_12_2 = auto()  # leaders have equal Lira
    MUR_12_3 = auto()  # a game is cut off


@kernel
def witness(game: State, action: int, counts: Integers) -> None:
    """Count the clauses that `action` is about to exercise; at the end of the game (NOBODY), those that decide it."""
    if action == NOBODY:
        witness_end(game, counts)
        return
    counts[Clause.MUR_3_4] += game.phase != Phase.TURN and game.phase != Phase.DRAFT
    counts[Clause.MUR_4_2] += game.phase == Phase.REPLACE
    counts[Clause.MUR_4_3] += game.phase == Phase.RETURN
    counts[Clause.MUR_9_1] += game.phase == Phase.DRAFT
    if AT.make.start <= action < AT.make.stop:
        witness_work(game, action - AT.make.start, counts)
    elif AT.use.start <= action < AT.use.stop:
        witness_advantage(game, game.advantage[(action - AT.use.start) // CATEGORIES], counts)
    elif action == AT.end_turn.start:
        witness_turn_end(game, counts)
    else:
        witness_step(game, action, counts)


@helper
def is_in(action: int, block: Span) -> bool:
    """Whether an action is one of a block."""
    return block.start <= action < block.stop


@kernel
def witness_step(game: State, action: int, counts: Integers) -> None:
    """Collect, Negotiate, and what can be done any time (MUR-4, 5, 7, 11.6)."""
    if action == AT.turn_selector.start:
        counts[Clause.MUR_4_1] += 1
        counts[Clause.MUR_11_3] += game.selector == NOBODY
        if game.selector != NOBODY and game.gap_lira[game.selector] > 0:
            counts[Clause.MUR_11_4] += sole_leader(game) != NOBODY
    counts[Clause.MUR_5_1] += is_in(action, AT.exchange)
    counts[Clause.MUR_5_2] += is_in(action, AT.buy)
    counts[Clause.MUR_5_3] += is_in(action, AT.sell) and game.phase != Phase.SELL
    counts[Clause.MUR_5_4] += action == AT.done.start and game.phase == Phase.TURN
    counts[Clause.MUR_7_1] += is_in(action, AT.reorder)
    counts[Clause.MUR_7_2] += action == AT.turn_ring.start
    counts[Clause.MUR_11_6] += is_in(action, AT.owl)


@kernel
def witness_work(game: State, number: int, counts: Integers) -> None:
    """A work is made (MUR-6, 11.5, 12.1)."""
    transparent = 0
    for colour in range(COLOURS):
        transparent += REPLACEMENTS[number, colour]
    counts[Clause.MUR_6_1] += transparent > 0
    counts[Clause.MUR_6_2] += 1
    counts[Clause.MUR_6_3] += game.works_made == 1
    counts[Clause.MUR_11_5] += game.grandmaster == 1 and transparent > 0
    counts[Clause.MUR_12_1] += game.hand_size[game.seat] == 1


@kernel
def witness_advantage(game: State, card: int, counts: Integers) -> None:
    """An Advantage is used (MUR-7.3, 8, 9)."""
    counts[Clause.MUR_7_3] += 1
    if card < BASE_ADVANTAGES:
        counts[Clause.MUR_8_1 + card] += 1
    else:
        counts[Clause.MUR_9_3 + card - BASE_ADVANTAGES] += 1
    counts[Clause.MUR_3_2] += card == Advantage.REPETITION and game.takes > 0
    counts[Clause.MUR_3_2] += card == Advantage.PRIVILEGE and game.negotiations > 0


@kernel
def witness_turn_end(game: State, counts: Integers) -> None:
    """A turn ends (MUR-3.3, 10.1, 10.2)."""
    counts[Clause.MUR_3_3] += 1
    if game.num_players == SOLO and not game.last_round:
        counts[Clause.MUR_10_1] += game.challenge_size > 0
        counts[Clause.MUR_10_2] += game.challenge_size == 0


@kernel
def witness_end(game: State, counts: Integers) -> None:
    """What decides a game that is over (MUR-10.3, 11.7, 11.8, 12.2, 12.3)."""
    counts[Clause.MUR_12_3] += is_over(game) == Ending.TRUNCATED
    counts[Clause.MUR_12_2] += leaders(game) > 1
    counts[Clause.MUR_10_3] += game.num_players == SOLO and game.hand_size[0] == 0
    if game.grandmaster:
        counts[Clause.MUR_11_7] += lira_on_gaps(game) == 0
        for seat in range(game.num_players):
            counts[Clause.MUR_11_8] += penalty(game, seat) > 0


@kernel
def leaders(game: State) -> int:
    """How many seats have the best score (MUR-12.2)."""
    number = 0
    for seat in range(game.num_players):
        best = True
        for other in range(game.num_players):
            best = best and score_of(game, other) <= score_of(game, seat)
        number += best
    return number
