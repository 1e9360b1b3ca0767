"""What has been done in the turn follows from what came before (MUR-3)."""

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import kernel
from murano_env.components import COPIES
from murano_env.constants import COLOURS, FIRST_LIRA, MARKETS, TILES, Advantage, Phase
from murano_env.rules.turn import is_create_open
from murano_env.types import State


@kernel
def has_used(game: State, seat: int, card: int) -> bool:
    """Whether an Advantage is in play and a seat has set aside a work that names its tile (MUR-7.3)."""
    for tile in range(TILES):
        if game.advantage[tile] == card:
            for place in range(game.works_size[seat]):
                work = game.works[seat, place]
                if game.set_aside[work] and game.category[work, tile]:
                    return True
    return False


@kernel
def turn_can_arise(game: State) -> bool:
    """What has been done in the turn follows from what came before (MUR-3, 5.4, 8.10, 8.12, 8.14)."""
    if game.phase == Phase.DRAFT:
        return nothing_is_done(game) and nothing_is_moved(game)
    if game.phase == Phase.OVER and (game.turn != game.num_players - 1 or not is_create_open(game)):
        return False
    if game.takes > game.selector_set * (1 + game.repetition) or game.collect_closed > game.takes:
        return False
    if game.negotiations > game.collect_closed * (1 + game.privilege) or game.passed > game.collect_closed:
        return False
    if game.passed and game.negotiations > 0:
        return False
    if game.repetition and not has_used(game, game.turn, Advantage.REPETITION):
        return False
    if game.privilege and not (has_used(game, game.turn, Advantage.PRIVILEGE) and game.collect_closed):
        return False
    if game.works_made > game.works_size[game.turn] or (game.works_made > 0 and not is_create_open(game)):
        return False
    if game.follow_up != NOBODY and (game.negotiations == 0 or game.works_made > 0):
        return False
    if game.quotation and game.works_made == 0:
        return False
    for seat in range(game.num_players):
        if game.mixed[seat] and not has_used(game, seat, Advantage.MAGICIAN):
            return False
    return True


@kernel
def nothing_is_done(game: State) -> bool:
    """Whether the first turn has not begun."""
    if game.turn != 0 or game.round_number != 1 or game.follow_up != NOBODY:
        return False
    done = game.selector_set + game.takes + game.repetition + game.collect_closed + game.negotiations + game.privilege
    done += game.passed + game.works_made + game.quotation + game.turn_over
    for seat in range(game.num_players):
        done += game.mixed[seat]
    return done == 0


@kernel
def nothing_is_moved(game: State) -> bool:
    """Whether shards, Lira and the Owl are where the set-up has put them (MUR-2.3, 2.4, 11.6)."""
    for market in range(MARKETS):
        if game.market_size[market] != 1:
            return False
    for colour in range(COLOURS):
        if game.warehouse[colour] != COPIES[colour] - 1:
            return False
    for seat in range(game.num_players):
        if game.lira[seat] != FIRST_LIRA or game.bench_size[seat] != 0:
            return False
    return game.owl == (game.num_players - 1 if game.grandmaster else NOBODY)
