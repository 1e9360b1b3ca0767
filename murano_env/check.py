"""Whether a record is a position of Murano: guards loaded states and injected deals, and audits random play."""

from typing import Any

import numpy as np

from cardtable.engine.bits import holds, set_of
from cardtable.engine.jit import helper, kernel
from cardtable.game.record import NOBODY
from murano_env.advantages import (
    can_travel_from,
    has_partner,
    is_negotiate_open,
    may_negotiate,
    others_have_colour,
    others_have_lira,
    some_collection_is_possible,
    some_market_has_a_place,
    some_market_has_a_shard,
    some_shard_can_travel,
    some_swap_is_possible,
)
from murano_env.components import CHALLENGE_COPIES, COPIES
from murano_env.constants import (
    BASE_ADVANTAGES,
    BENCH_LIMIT,
    CATEGORIES,
    CHALLENGE_CARDS,
    CHALLENGE_KINDS,
    CHALLENGE_STACK,
    COLOURS,
    CREATION_KINDS,
    FIRST_LIRA,
    GAPS,
    LIRA_BESIDES_SELLS,
    MARKET_PLACES,
    MARKETS,
    MERCHANT_PAYS,
    MOST_CATEGORIES,
    MOST_OF_A_CARD,
    MOST_OF_A_WORK,
    MOST_PLAYERS,
    MOST_TURNS,
    NOTCHES,
    NOTCHES_PER_MARKET,
    RECIPE_SIZE,
    SELL_PAYS,
    SHARD_KINDS,
    SIX_O_CLOCK,
    SOLO,
    TILES,
    TWELVE_O_CLOCK,
    Advantage,
    AdvantageMode,
    Challenge,
    Fault,
    Phase,
    Shard,
)
from murano_env.state import MOST_ON_A_BENCH, PAIR
from murano_env.turns import count_work, first_notch, full_hand, is_fullest, is_out, number_of_categories, ring_shard

ALL_CARDS = 2**CREATION_KINDS - 1
CATEGORY_SETS = 2**CATEGORIES


@kernel
def check_fixed(game: Any) -> int:
    """The first `Fault` of what stays the same through a game, or 0."""
    for seat in range(game.num_players, MOST_PLAYERS):
        if not seat_is_blank(game, seat):
            return Fault.SEAT_DOES_NOT_PLAY
    return Fault.NONE if edition_can_be_played(game) else Fault.EDITION_CANNOT_BE_PLAYED


@kernel
def check(game: Any, counts: np.ndarray) -> int:
    """The first `Fault` of what moves, or 0. Every field is taken to be within its range; `counts` has room for all kinds."""
    players = game.num_players
    if game.seat >= players or game.turn >= players or game.owl >= players:
        return Fault.SEAT_DOES_NOT_PLAY
    fault = check_shards(game)
    if fault == Fault.NONE:
        fault = check_creations(game, counts)
    if fault == Fault.NONE:
        fault = check_variants(game)
    if fault == Fault.NONE and not lira_can_be_paid(game):
        fault = Fault.LIRA_CANNOT_HAVE_BEEN_PAID
    if fault == Fault.NONE and not turn_can_arise(game):
        fault = Fault.TURN_CANNOT_ARISE
    if fault == Fault.NONE and not choice_can_arise(game):
        fault = Fault.CHOICE_CANNOT_ARISE
    return fault


@kernel
def seat_is_blank(game: Any, seat: int) -> bool:
    """Whether nothing is said of a seat that does not play."""
    something = game.lira[seat] != 0 or game.bench_size[seat] != 0 or game.mixed[seat] != 0
    something |= game.hand_size[seat] != 0 or game.works_size[seat] != 0
    something |= game.pack_size[seat] != 0 or game.drafted_size[seat] != 0
    for kind in range(SHARD_KINDS):
        something |= game.bench[seat, kind] != 0
    for first in range(CATEGORIES):
        for second in range(CATEGORIES):
            something |= game.ready[seat, first, second] != 0
    return not something


@kernel
def edition_can_be_played(game: Any) -> bool:
    """Each Creation has four shards and one or two categories (MUR-1.2)."""
    for card in range(CREATION_KINDS):
        size = 0
        for colour in range(COLOURS):
            size += game.recipe[card, colour]
        categories = number_of_categories(game, card)
        if size != RECIPE_SIZE or categories < 1 or categories > MOST_CATEGORIES:
            return False
    return True


# ---- Shards


@kernel
def check_shards(game: Any) -> int:
    """Every shard is in one place, and no more of them than fit there (MUR-1.1, 1.5, 4.3)."""
    for kind in range(SHARD_KINDS):
        shards = game.warehouse[kind]
        for market in range(MARKETS):
            shards += game.market[market, kind]
        for seat in range(game.num_players):
            shards += game.bench[seat, kind]
        if shards != COPIES[kind]:
            return Fault.SHARDS_ARE_NOT_THE_SET
    if game.first_shards_size != 0:
        return Fault.SHARDS_ARE_NOT_THE_SET
    for market in range(MARKETS):
        if game.market_size[market] != on_market(game, market) or game.market_size[market] > MARKET_PLACES:
            return Fault.COUNTS_ARE_NOT_THE_SHARDS
    for seat in range(game.num_players):
        if game.bench_size[seat] != on_bench(game, seat):
            return Fault.COUNTS_ARE_NOT_THE_SHARDS
        if game.bench_size[seat] > bench_limit(game, seat) or (game.phase == Phase.RETURN and not has_to_return(game)):
            return Fault.WORKBENCH_IS_TOO_FULL
    return Fault.NONE


@kernel
def on_market(game: Any, market: int) -> int:
    """How many shards a market holds."""
    shards = 0
    for kind in range(SHARD_KINDS):
        shards += game.market[market, kind]
    return shards


@kernel
def on_bench(game: Any, seat: int) -> int:
    """How many shards a Workbench holds."""
    shards = 0
    for kind in range(SHARD_KINDS):
        shards += game.bench[seat, kind]
    return shards


@kernel
def bench_limit(game: Any, seat: int) -> int:
    """Eight, and what a take under way has brought so far or brought to whoever returns shards (MUR-4.3)."""
    if seat != game.seat:
        return BENCH_LIMIT
    if game.phase == Phase.REPLACE:
        return BENCH_LIMIT + PAIR - game.missing
    if game.phase == Phase.EXPERT_PICKS:
        return BENCH_LIMIT - 1 + MARKET_PLACES - shards_on_offer(game)
    if game.phase != Phase.RETURN:
        return BENCH_LIMIT
    if seat != game.turn or game.turn_over:
        return BENCH_LIMIT + 1  # MUR-9.4, 10.1
    return MOST_ON_A_BENCH if game.negotiations > 0 else BENCH_LIMIT + PAIR


@kernel
def shards_on_offer(game: Any) -> int:
    """How many shards card 5 still offers (MUR-8.5)."""
    shards = 0
    for kind in range(SHARD_KINDS):
        shards += game.offered[kind]
    return shards


@helper
def has_to_return(game: Any) -> bool:
    """Whether the seat to act has more than eight shards (MUR-4.3)."""
    return game.bench_size[game.seat] > BENCH_LIMIT


# ---- Creations


@kernel
def check_creations(game: Any, counts: np.ndarray) -> int:
    """Every Creation is in one place; hands, draft and works belong together (MUR-2.2, 7.3, 9.1)."""
    if not creations_are_each_in_one_place(game):
        return Fault.CREATIONS_ARE_NOT_EACH_IN_ONE_PLACE
    if works_set_aside(game) != game.set_aside.sum():
        return Fault.WORK_WAS_NOT_MADE
    if game.deck_size != CREATION_KINDS - game.num_players * (full_hand(game) + game.draft):
        return Fault.HANDS_ARE_WRONG
    if not draft_is_right(game):
        return Fault.DRAFT_IS_WRONG
    for seat in range(game.num_players):
        if game.phase != Phase.DRAFT and game.hand_size[seat] + game.works_size[seat] != full_hand(game):
            return Fault.HANDS_ARE_WRONG
        if not works_are_counted(game, seat, counts):
            return Fault.COUNTS_ARE_NOT_THE_WORKS
    return Fault.NONE


@kernel
def creations_are_each_in_one_place(game: Any) -> bool:
    """As many cards lie somewhere as there are, and each of them does (MUR-1.2)."""
    number = game.deck_size + game.box_size
    seen = set_of(game.deck, game.deck_size) | set_of(game.box, game.box_size)
    for seat in range(game.num_players):
        number += game.hand_size[seat] + game.works_size[seat] + game.pack_size[seat]
        seen |= cards_of(game, seat) | set_of(game.pack[seat], game.pack_size[seat])
    return number == CREATION_KINDS and seen == ALL_CARDS


@helper
def cards_of(game: Any, seat: int) -> int:
    """The set of cards that a seat holds or has made."""
    return set_of(game.hand[seat], game.hand_size[seat]) | set_of(game.works[seat], game.works_size[seat])


@kernel
def works_set_aside(game: Any) -> int:
    """How many works have been used (MUR-7.3)."""
    number = 0
    for seat in range(game.num_players):
        number += works_used_by(game, seat)
    return number


@kernel
def works_used_by(game: Any, seat: int) -> int:
    """How many works a seat has used (MUR-7.3)."""
    number = 0
    for place in range(game.works_size[seat]):
        number += game.set_aside[game.works[seat, place]]
    return number


@kernel
def draft_is_right(game: Any) -> bool:
    """What has been drafted is in hand or made; packs shrink by one a pick (MUR-9.1)."""
    if not game.draft:
        drafted = 0
        for seat in range(game.num_players):
            drafted += game.drafted_size[seat] + game.pack_size[seat]
        return drafted == 0 and game.box_size == 0 and game.phase != Phase.DRAFT
    if game.box_size != (0 if game.phase == Phase.DRAFT else game.num_players):
        return False
    for seat in range(game.num_players):
        if not seat_has_drafted(game, seat):
            return False
    return True


@kernel
def seat_has_drafted(game: Any, seat: int) -> bool:
    """The draft of one seat (MUR-9.1)."""
    drafted = game.drafted_size[seat]
    if drafted != game.hand_size[seat] + game.works_size[seat]:
        return False
    if set_of(game.drafted[seat], drafted) != cards_of(game, seat):
        return False
    if game.phase != Phase.DRAFT:
        return drafted == full_hand(game) and game.pack_size[seat] == 0
    for place in range(drafted):
        if game.drafted[seat, place] != game.hand[seat, place]:
            return False
    picks = game.drafted_size[game.num_players - 1] + (seat < game.seat)
    return drafted == picks and game.works_size[seat] == 0 and game.pack_size[seat] == full_hand(game) + 1 - drafted


@kernel
def works_are_counted(game: Any, seat: int, counts: np.ndarray) -> bool:
    """The works that can be used, by categories (MUR-7.3)."""
    counts[:CATEGORY_SETS] = 0
    for place in range(game.works_size[seat]):
        work = game.works[seat, place]
        counts[categories_of(game, work)] += 1 - game.set_aside[work]
    for first in range(CATEGORIES):
        for second in range(CATEGORIES):
            if game.ready[seat, first, second] != counts[1 << first | 1 << second]:
                return False
    return True


@helper
def categories_of(game: Any, card: int) -> int:
    """The categories of a Creation as a set."""
    categories = 0
    for category in range(CATEGORIES):
        categories |= game.category[card, category] << category
    return categories


# ---- Variants


@kernel
def check_variants(game: Any) -> int:
    """Advantages, Challenge cards, the grandmaster's board, and the end of the game."""
    if not advantages_are_right(game):
        return Fault.ADVANTAGES_ARE_WRONG
    if not challenge_is_right(game):
        return Fault.CHALLENGE_CARDS_ARE_WRONG
    if not (grandmaster_board_is_right(game) if game.grandmaster else board_is_right(game)):
        return Fault.GRANDMASTER_BOARD_IS_WRONG
    if not last_round_is_right(game):
        return Fault.LAST_ROUND_IS_WRONG
    return Fault.NONE


@kernel
def advantages_are_right(game: Any) -> bool:
    """Four different cards of those in the draw (MUR-2.5, 9.2, 11.1)."""
    interactive = 0
    for tile in range(TILES):
        card = game.advantage[tile]
        interactive += card >= BASE_ADVANTAGES
        if is_out(game, card) or (game.advantage_mode == AdvantageMode.FIRST_GAME and card >= TILES):
            return False
        for other in range(tile):
            if game.advantage[other] == card:
                return False
    return interactive == game.interactive


@kernel
def challenge_is_right(game: Any) -> bool:
    """In solo the ten cards, one revealed a turn; otherwise none (MUR-10.1, 10.2)."""
    if game.num_players != SOLO:
        return game.challenge_size == 0 and game.revealed_size == 0 and game.left_out_size == 0 and not game.turn_over
    revealed = game.round_number - 1 + game.turn_over
    if game.revealed_size != revealed or game.challenge_size != CHALLENGE_STACK - revealed:
        return False
    if game.left_out_size != CHALLENGE_CARDS - CHALLENGE_STACK:
        return False
    for kind in range(CHALLENGE_KINDS):
        copies = copies_among(game.challenge, game.challenge_size, kind)
        copies += copies_among(game.revealed, game.revealed_size, kind) + copies_among(game.left_out, game.left_out_size, kind)
        if copies != CHALLENGE_COPIES[kind]:
            return False
    return True


@kernel
def copies_among(cards: np.ndarray, size: int, kind: int) -> int:
    """How many cards of a kind are in a list."""
    copies = 0
    for place in range(size):
        copies += cards[place] == kind
    return copies


@kernel
def board_is_right(game: Any) -> bool:
    """Without the Grandmaster's Challenge there are no Owl and no Lira on gaps, and the Selector is on a notch."""
    for gap in range(GAPS):
        if game.gap_lira[gap] != 0:
            return False
    return game.selector != NOBODY and game.owl == NOBODY


@kernel
def grandmaster_board_is_right(game: Any) -> bool:
    """The Selector has moved once a turn, and taken a Lira wherever it passed some (MUR-11.2 to 11.4, 11.6)."""
    moves = (game.round_number - 1) * game.num_players + game.turn + game.selector_set
    if game.selector != (NOBODY if moves == 0 else (moves - 1) % NOTCHES) or game.owl == NOBODY:
        return False
    for gap in range(GAPS):
        passed = (moves - 2 - gap) // NOTCHES + 1 if moves >= 2 + gap else 0
        if game.gap_lira[gap] != max(first_gap_lira(game, gap) - passed, 0):
            return False
    return True


@helper
def first_gap_lira(game: Any, gap: int) -> int:
    """Lira that lie on a gap at first (MUR-11.2)."""
    if gap == SIX_O_CLOCK:
        return 1 + (game.num_players > 2)
    return 1 + (game.num_players > 3) if gap == TWELVE_O_CLOCK else 0


@kernel
def last_round_is_right(game: Any) -> bool:
    """A last round has its reason, and no round comes after it or after the limit (MUR-10.2, 11.7, 12.1, 12.3)."""
    finished = False
    for seat in range(game.num_players):
        if game.phase != Phase.DRAFT and game.hand_size[seat] == 0:
            finished = True
            if seat > game.turn or (seat == game.turn and game.works_made == 0):
                return False  # it finished in an earlier round
    gaps_are_empty = game.grandmaster == 1 and game.gap_lira[SIX_O_CLOCK] + game.gap_lira[TWELVE_O_CLOCK] == 0
    if (game.last_round == 1) != (finished or gaps_are_empty):
        return False
    if game.num_players == SOLO:
        return game.phase != Phase.OVER or game.last_round == 1 or game.challenge_size == 0
    if game.grandmaster:
        return game.round_number <= MOST_TURNS and (game.phase != Phase.OVER or game.last_round == 1)
    is_last = game.last_round == 1 or game.round_number == game.max_rounds
    return game.round_number <= game.max_rounds and (game.phase != Phase.OVER or is_last)


# ---- Lira


@kernel
def lira_can_be_paid(game: Any) -> bool:
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
def lira_from_gaps(game: Any) -> int:
    """Lira that have left the gaps of the circle (MUR-11.4)."""
    if not game.grandmaster:
        return 0
    at_first = first_gap_lira(game, SIX_O_CLOCK) + first_gap_lira(game, TWELVE_O_CLOCK)
    return at_first - game.gap_lira[SIX_O_CLOCK] - game.gap_lira[TWELVE_O_CLOCK]


# ---- The turn


@kernel
def has_used(game: Any, seat: int, card: int) -> bool:
    """Whether an Advantage is in play and a seat has set aside a work that names its tile (MUR-7.3)."""
    for tile in range(TILES):
        if game.advantage[tile] == card:
            for place in range(game.works_size[seat]):
                work = game.works[seat, place]
                if game.set_aside[work] and game.category[work, tile]:
                    return True
    return False


@kernel
def turn_can_arise(game: Any) -> bool:
    """What has been done in the turn follows from what came before (MUR-3, 5.4, 8.10, 8.12, 8.14)."""
    if game.phase == Phase.DRAFT:
        return nothing_is_done(game) and nothing_is_moved(game)
    if game.phase == Phase.OVER and (game.turn != game.num_players - 1 or not turn_can_end(game)):
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
    if game.works_made > game.works_size[game.turn] or (game.works_made > 0 and not turn_can_end(game)):
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
def nothing_is_done(game: Any) -> bool:
    """Whether the first turn has not begun."""
    if game.turn != 0 or game.round_number != 1 or game.follow_up != NOBODY:
        return False
    done = game.selector_set + game.takes + game.repetition + game.collect_closed + game.negotiations + game.privilege
    done += game.passed + game.works_made + game.quotation + game.turn_over
    for seat in range(game.num_players):
        done += game.mixed[seat]
    return done == 0


@kernel
def nothing_is_moved(game: Any) -> bool:
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


@helper
def turn_can_end(game: Any) -> bool:
    """Whether Negotiate has been done or passed (MUR-3.3)."""
    return game.negotiations > 0 or game.passed == 1


# ---- The choice


@kernel
def choice_can_arise(game: Any) -> bool:
    """What is asked can be asked, of this seat, and something can be answered (MUR-3.4, 7.4)."""
    phase = game.phase
    if (game.missing > 0) != (phase == Phase.REPLACE) or (game.sale > 0) != (phase == Phase.SELL):
        return False
    if (
        game.sale != 0
        and game.sale != SELL_PAYS
        and not (game.sale == MERCHANT_PAYS and has_used(game, game.turn, Advantage.MERCHANT))
    ):
        return False
    if (game.chosen_market != NOBODY) != (phase == Phase.TRAVELLER_GOAL):
        return False
    if (game.chosen_shard != NOBODY) != (phase == Phase.TRAVELLER_GOAL or phase == Phase.COLLECTOR_PARTNER):
        return False
    if game.arranged_size > 0 and phase != Phase.MAGICIAN:
        return False
    for kind in range(SHARD_KINDS):
        if game.offered[kind] > 0 and phase != Phase.EXPERT_PICKS:
            return False
    if game.seat != game.turn and phase != Phase.DRAFT and phase != Phase.RETURN and phase != Phase.CLUMSINESS:
        return False
    if game.turn_over:
        return turn_can_end(game) and not game.last_round and challenge_can_ask(game)
    return step_can_arise(game)


@kernel
def challenge_can_ask(game: Any) -> bool:
    """Whether the Challenge card revealed last asks what is asked: a shard over eight, or one of the fullest markets."""
    card = game.revealed[game.revealed_size - 1]
    if game.phase == Phase.RETURN:
        return card < COLOURS
    fullest = 0
    for market in range(MARKETS):
        fullest += is_fullest(game, market)
    return game.phase == Phase.CHALLENGE and card == Challenge.MARKET and fullest > 1 and some_market_has_a_shard(game)


@kernel
def step_can_arise(game: Any) -> bool:
    """The choices within a turn."""
    phase = game.phase
    if phase == Phase.CHALLENGE:
        return False
    if phase == Phase.REPLACE:
        return game.takes > 0 and not game.collect_closed and shards_are_missing(game)
    if phase == Phase.SELL:
        return game.negotiations > 0 and game.works_made == 0 and game.follow_up == NOBODY
    if phase == Phase.FREE:
        return is_bound(game, Advantage.FREE) and some_market_has_a_shard(game)
    if phase == Phase.MERCHANT:
        return is_bound(game, Advantage.MERCHANT) and game.bench_size[game.seat] > 0
    if phase == Phase.EXPERT:
        return is_bound(game, Advantage.EXPERT) and game.bench_size[game.seat] > 0 and some_market_has_a_place(game)
    if phase == Phase.EXPERT_PICKS:
        is_asked = has_used(game, game.turn, Advantage.EXPERT) and game.negotiations > 0 and is_negotiate_open(game)
        return is_asked and game.follow_up == NOBODY and offer_is_right(game)
    return card_can_ask(game)


@kernel
def shards_are_missing(game: Any) -> bool:
    """Whether the Warehouse has none of the shards of the pair that are missing (MUR-4.2)."""
    first, second = game.circle[game.selector], ring_shard(game, game.selector)
    return game.missing <= int(game.warehouse[first] == 0) + int(game.warehouse[second] == 0)


@helper
def is_bound(game: Any, card: int) -> bool:
    """Whether card 3, 4 or 5 can have bound the next action (MUR-8.3 to 8.5)."""
    return has_used(game, game.turn, card) and may_negotiate(game) and game.collect_closed == 1


@kernel
def offer_is_right(game: Any) -> bool:
    """Whether some market with a shard is connected with all that is on offer (MUR-8.5)."""
    for market in range(MARKETS):
        if game.market_size[market] > 0 and market_can_offer(game, market):
            return True
    return False


@kernel
def market_can_offer(game: Any, market: int) -> bool:
    """Whether all that is on offer is among the segments of a market (MUR-8.5)."""
    for kind in range(SHARD_KINDS):
        segments = 0
        for notch in range(first_notch(market), first_notch(market) + NOTCHES_PER_MARKET):
            segments += ring_shard(game, notch) == kind
        if game.offered[kind] > segments:
            return False
    return True


@kernel
def card_can_ask(game: Any) -> bool:
    """The cards that can be used any time, and what they need (MUR-8, 9)."""
    phase, seat = game.phase, game.seat
    if phase == Phase.PRESENT:
        return has_used(game, seat, Advantage.PRESENT) and game.warehouse[Shard.RED] + game.warehouse[Shard.GREEN] > 0
    if phase == Phase.GIFT:
        return has_used(game, seat, Advantage.GIFT) and game.warehouse[Shard.YELLOW] + game.warehouse[Shard.BLUE] > 0
    if phase == Phase.MAGICIAN:
        return has_used(game, seat, Advantage.MAGICIAN) and game.mixed[seat] == 1 and arrangement_is_right(game)
    if phase == Phase.TRAVELLER:
        return has_used(game, seat, Advantage.TRAVELLER) and some_shard_can_travel(game)
    if phase == Phase.TRAVELLER_GOAL:
        can_go = can_travel_from(game, game.chosen_market) and game.market[game.chosen_market, game.chosen_shard] > 0
        return has_used(game, seat, Advantage.TRAVELLER) and can_go
    if phase == Phase.OPPORTUNIST:
        return has_used(game, seat, Advantage.OPPORTUNIST) and some_swap_is_possible(game, seat)
    if phase == Phase.OPPORTUNIST_AGAIN:
        return has_used(game, seat, Advantage.OPPORTUNIST)
    if phase == Phase.VISIONARY:
        return has_used(game, seat, Advantage.VISIONARY)
    return neighbours_can_be_asked(game)


@kernel
def neighbours_can_be_asked(game: Any) -> bool:
    """The interactive cards, and what they need (MUR-9.3 to 9.6); all other phases ask nothing special."""
    phase, seat = game.phase, game.seat
    if phase == Phase.AUTHORITARIAN:
        return has_used(game, seat, Advantage.AUTHORITARIAN) and game.lira[seat] > 0 and others_have_colour(game, seat)
    if phase == Phase.DEALER:
        return has_used(game, seat, Advantage.DEALER) and game.bench_size[seat] > 0 and others_have_lira(game, seat)
    if phase == Phase.CLUMSINESS:
        return has_used(game, game.turn, Advantage.CLUMSINESS) and game.bench_size[seat] > 0
    if phase == Phase.COLLECTOR:
        return has_used(game, seat, Advantage.COLLECTOR) and some_collection_is_possible(game, seat)
    if phase == Phase.COLLECTOR_PARTNER:
        has_shard = game.bench[seat, game.chosen_shard] > 0 and has_partner(game, seat, game.chosen_shard)
        return has_used(game, seat, Advantage.COLLECTOR) and has_shard
    if phase == Phase.RETURN and seat != game.turn:
        return has_used(game, game.turn, Advantage.DEALER)
    return phase != Phase.RETURN or game.takes > 0 or some_card_brings_a_shard(game)


@kernel
def some_card_brings_a_shard(game: Any) -> bool:
    """Whether a card can have brought the mover a shard before the first take (MUR-8.1, 8.2, 9.3)."""
    return (
        has_used(game, game.turn, Advantage.PRESENT)
        or has_used(game, game.turn, Advantage.GIFT)
        or has_used(game, game.turn, Advantage.AUTHORITARIAN)
    )


@kernel
def arrangement_is_right(game: Any) -> bool:
    """Different positions of the hand, fewer than all but one (MUR-8.8)."""
    size = game.hand_size[game.seat]
    picked = 0
    for place in range(game.arranged_size):
        position = int(game.arranged[place])
        if position >= size or holds(picked, position):
            return False
        picked |= 1 << position
    return game.arranged_size + 1 < size


# ---- Derived fields


@kernel
def derive(game: Any) -> None:
    """Fill in what shards and works amount to."""
    for market in range(MARKETS):
        game.market_size[market] = on_market(game, market)
    for seat in range(game.num_players):
        game.bench_size[seat] = on_bench(game, seat)
        for first in range(CATEGORIES):
            for second in range(CATEGORIES):
                game.ready[seat, first, second] = 0
        for place in range(game.works_size[seat]):
            if not game.set_aside[game.works[seat, place]]:
                count_work(game, seat, game.works[seat, place], 1)
