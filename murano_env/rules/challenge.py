"""The Challenge, for one player (MUR-10): the stack of cards, and what each of them does at the end of a turn.

Ranks and returns (10.3, 10.4) are in `scoring`.
"""

from cardtable.engine import rng
from cardtable.engine.jit import helper, kernel
from cardtable.engine.offers import offer
from cardtable.types import Actions
from murano_env.actions import AT
from murano_env.components import CHALLENGE_COPIES
from murano_env.constants import CHALLENGE_KINDS, CHALLENGE_STACK, COLOURS, MARKETS, Challenge, Phase
from murano_env.rules.piles import (
    clear_market,
    is_too_full,
    take_shard,
    turn_ring,
    turn_selector,
)
from murano_env.types import State


@kernel
def shuffle_challenge(game: State) -> None:
    """Six of the ten Challenge cards make up the stack (MUR-10.1)."""
    size = 0
    for kind in range(CHALLENGE_KINDS):
        for _ in range(CHALLENGE_COPIES[kind]):
            game.left_out[size] = kind
            size += 1
    rng.shuffle(game, game.left_out, size)
    for place in range(CHALLENGE_STACK):
        size -= 1
        game.challenge[place] = game.left_out[size]
        game.left_out[size] = 0
    game.challenge_size = CHALLENGE_STACK
    game.left_out_size = size


@helper
def challenge_is_over(game: State) -> bool:
    """Whether the solo game ends with this turn: all works are made, or no card is left to be revealed (MUR-10.2)."""
    return game.last_round == 1 or game.challenge_size == 0


@kernel
def reveal_challenge(game: State) -> None:
    """The top card of the stack is revealed and applied; the phase says what it asks, if anything (MUR-10.1)."""
    game.challenge_size -= 1
    card = game.challenge[game.challenge_size]
    game.challenge[game.challenge_size] = 0
    game.revealed[game.revealed_size] = card
    game.revealed_size += 1
    meet_challenge(game, card)


@kernel
def meet_challenge(game: State, card: int) -> None:
    """Apply a Challenge card (MUR-10.1)."""
    if card < COLOURS:
        meet_colour(game, card)
    elif card == Challenge.MARKET:
        meet_market(game)
    elif card == Challenge.RING:
        turn_ring(game, 1)
    elif card == Challenge.SELECTOR:
        turn_selector(game)  # no Lira lie on gaps: there is no grandmaster in solo (MUR-14)


@helper
def meet_colour(game: State, colour: int) -> None:
    """A shard comes from the Warehouse, if it is there; one over eight is returned (MUR-4.3, 10.1)."""
    if game.warehouse[colour] > 0:
        take_shard(game, game.turn, colour)
    if is_too_full(game, game.turn):
        game.phase = Phase.RETURN


@kernel
def meet_market(game: State) -> None:
    """The fullest market is emptied; on a tie the player chooses; nothing if all are empty (MUR-10.1)."""
    fullest, tied = 0, False
    for market in range(1, MARKETS):
        if game.market_size[market] > game.market_size[fullest]:
            fullest, tied = market, False
        elif game.market_size[market] == game.market_size[fullest]:
            tied = True
    if tied and game.market_size[fullest] > 0:
        game.phase = Phase.CHALLENGE
    else:
        clear_market(game, fullest)


@helper
def is_fullest(game: State, market: int) -> bool:
    """Whether no market holds more shards (MUR-10.1)."""
    for other in range(MARKETS):
        if game.market_size[other] > game.market_size[market]:
            return False
    return True


@kernel
def offer_fullest_markets(game: State, actions: Actions, count: int) -> int:
    """Offer the markets of which none holds more (MUR-10.1)."""
    for market in range(MARKETS):
        count = offer(AT.market.start + market, is_fullest(game, market), actions, count)
    return count
