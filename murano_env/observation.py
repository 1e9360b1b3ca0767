"""What a seat sees, as numbers in [0, 1], seen from that seat: own seat first, then to the left (MUR-15.1)."""

import numpy as np

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.vectors import at_most, positive, put_shares, shares_of, total, vector
from cardtable.game.layout import Layout, Piece
from cardtable.types import Floats, Integers, Observation
from murano_env.components import ADVANTAGES, CATEGORY_NAMES, CHALLENGE_COPIES, CHALLENGES, COLOUR_NAMES, SHARD_NAMES
from murano_env.constants import (
    ADVANTAGE_KINDS,
    CATEGORIES,
    CHALLENGE_KINDS,
    CHALLENGE_LEFT_OUT,
    CHALLENGE_STACK,
    COLOURS,
    COPIES_OF_A_COLOUR,
    CREATION_KINDS,
    LARGEST_ARRANGED,
    LARGEST_HAND,
    LARGEST_PACK,
    MARKET_PLACES,
    MARKETS,
    MERCHANT_PAYS,
    MOST_MISSING,
    MOST_NEGOTIATIONS,
    MOST_ON_A_GAP,
    MOST_TAKES,
    MOST_TURNS,
    NOTCHES,
    NOTCHES_PER_MARKET,
    RECIPE_SIZE,
    SHARD_KINDS,
    SOLO,
    TILES,
    FollowUp,
    Phase,
    Shard,
)
from murano_env.rules.turn import is_create_open, left_of
from murano_env.scoring import score_of
from murano_env.state import MARKET_NAMES, PHASE_NAMES, POSITIONS
from murano_env.types import State

LIRA_SCALE = 10  # Lira to pay with; beyond that they are shown as the limit
SCORE_SCALE = 60  # Lira to win with, likewise, and below 0
ROUND_SCALE = 20  # rounds, likewise

_SEATS = ("own", "1 to the left", "2 to the left", "3 to the left")
_SEAT = (
    *("to act", "on turn", "turn to come this round", "has the Owl"),
    *(f"Lira / {LIRA_SCALE}", f"score / {SCORE_SCALE}", f"hand / {LARGEST_HAND}", f"works / {LARGEST_HAND}"),
)
TO_ACT, ON_TURN, TO_COME, OWL, LIRA, SCORE, HAND, WORKS = range(len(_SEAT))
SEAT_SIZE = len(_SEAT)

_PAIR = (
    *(f"{colour} notch" for colour in COLOUR_NAMES),
    *(f"{shard} segment" for shard in SHARD_NAMES),
    f"Lira on the gap after it / {MOST_ON_A_GAP}",
)
PAIR_SEGMENT = COLOURS
PAIR_LIRA = COLOURS + SHARD_KINDS
PAIR_SIZE = len(_PAIR)
_PAIRS = tuple(f"pair {number}" for number in range(1, NOTCHES + 1))

_MARKET = (
    *(f"{shard} there / {MARKET_PLACES}" for shard in SHARD_NAMES),
    *(f"{shard} given / {NOTCHES_PER_MARKET}" for shard in SHARD_NAMES),
)
MARKET_GIVEN = SHARD_KINDS
MARKET_SIZE = len(_MARKET)
_SEGMENTS = ("1st segment", "2nd segment", "3rd segment")

_FACE = (*(f"{colour} / {RECIPE_SIZE}" for colour in COLOUR_NAMES), *CATEGORY_NAMES)
FACE_SIZE = len(_FACE)
_CARD = (
    *_FACE,
    *(f"{colour} lacking / {RECIPE_SIZE}" for colour in COLOUR_NAMES),
    *(f"lacking besides transparents / {RECIPE_SIZE}", "shards at hand"),
)
CARD_LACKING = FACE_SIZE
CARD_LACKS = CARD_LACKING + COLOURS
CARD_AT_HAND = CARD_LACKS + 1
CARD_SIZE = len(_CARD)

_WITH = tuple(f"with {category}" for category in CATEGORY_NAMES)

_TURN = (
    *("Selector set", f"takes / {MOST_TAKES}", "Repetition used", "Collect closed"),
    *(f"Negotiate actions / {MOST_NEGOTIATIONS}", "Privilege used", "Create open", "Gourmand may follow", "Gambler may follow"),
    *(f"works made / {LARGEST_HAND}", "Quotation may follow", "Challenge card under way"),
)
SET, TAKES, REPETITION, CLOSED, NEGOTIATIONS, PRIVILEGE, CREATE = range(7)
GOURMAND, GAMBLER, MADE, QUOTATION, TURN_OVER = range(7, len(_TURN))

_CHOICE = (
    *(f"missing / {MOST_MISSING}", f"Lira of the Sell / {MERCHANT_PAYS}"),
    *(f"{shard} on offer / {NOTCHES_PER_MARKET}" for shard in SHARD_NAMES),
    *(f"from {market}" for market in MARKET_NAMES),
    *(f"{shard} chosen" for shard in SHARD_NAMES),
)
MISSING, SALE, OFFERED = range(3)
CHOSEN_MARKET = OFFERED + SHARD_KINDS
CHOSEN_SHARD = CHOSEN_MARKET + MARKETS

_NUMBERS = tuple(f"card {card}" for card in range(CREATION_KINDS))
_PACK = tuple(f"{place} in the pack" for place in range(1, LARGEST_PACK + 1))
_CREATION = ("in the own pack", "made", "seen in a pack, not kept")
IN_PACK, IS_MADE, WAS_SEEN = range(len(_CREATION))
CREATION_SIZE = len(_CREATION)

LAYOUT = Layout(
    Piece(
        "pairs",
        (_PAIRS, _PAIR),
        "the pairs as the Selector meets them: the one it points at if it is set this turn, otherwise the next, and so on",
    ),
    Piece("markets", (MARKET_NAMES, _MARKET), "shards there, and those of its segments that the Warehouse has (MUR-5.1, 8.5)"),
    Piece(
        "segments",
        (MARKET_NAMES, _SEGMENTS, SHARD_NAMES),
        "ring segments connected with each market; a turn of the Ring brings each place the next one",
    ),
    Piece("warehouse", (SHARD_NAMES,), f"shards in stock / {COPIES_OF_A_COLOUR}"),
    Piece("bench", (_SEATS, SHARD_NAMES), f"shards on each Workbench / {COPIES_OF_A_COLOUR}"),
    Piece(
        "ready", (_SEATS, CATEGORY_NAMES, _WITH), f"works not set aside, by kind as the actions `use` name it / {LARGEST_HAND}"
    ),
    Piece("advantages", (CATEGORY_NAMES, ADVANTAGES), "the Advantage card of each tile"),
    Piece(
        "hand", (POSITIONS, _CARD), "own cards in order (in a draft those kept): recipe, categories, what the Workbench lacks"
    ),
    Piece(
        "new_order", (POSITIONS[:LARGEST_ARRANGED],), f"own new order: new position of each card / {LARGEST_ARRANGED} (MUR-8.8)"
    ),
    Piece("seats", (_SEATS, _SEAT), "where each seat stands; scores below 0 are shown as 0"),
    Piece("phase", (PHASE_NAMES[: Phase.OVER],), "what is decided now; zeros when the game is over"),
    Piece("turn", (_TURN,), "the turn under way (MUR-3)"),
    Piece("choice", (_CHOICE,), "the choice under way (MUR-3.4)"),
    Piece("creations", (_NUMBERS, _CREATION), "what is known of each Creation besides the own hand (MUR-9.1, 15.2)"),
    Piece("pack", (_PACK, _FACE), "cards of the own pack, in the order of their numbers (MUR-9.1)"),
    Piece("challenge", (CHALLENGES,), "solo: Challenge cards of each kind not revealed / those that exist (MUR-10.1)"),
    Piece("challenge_stack", (), f"solo: Challenge cards in the stack / {CHALLENGE_STACK}"),
    Piece("round", ((f"/ {ROUND_SCALE}", "/ the last possible"),), "the number of the round, on two scales (MUR-12.3)"),
    Piece("last_round", (), "1 if the game ends with this round (MUR-11.7, 12.1)"),
    Piece("players", (("1", "2", "3", "4"),), "how many play"),
    Piece("variants", (("draft", "interactive", "grandmaster"),), "the options that change the rules"),
)

HIDDEN = Layout(
    Piece("out_of_game", (_NUMBERS,), "Creations that nobody was dealt or kept"),
    Piece(
        "challenge",
        (tuple(f"{depth + 1} from the top" for depth in range(CHALLENGE_STACK)), CHALLENGES),
        "the stack of Challenge cards in order",
    ),
    Piece("left_out", (CHALLENGES,), f"Challenge cards that are not in the stack / {CHALLENGE_LEFT_OUT}"),
)

OBS = LAYOUT.at
HIDDEN_AT = HIDDEN.at
TAKE_STEP, MISSING_STEP = np.float32(1 / MOST_TAKES), np.float32(1 / MOST_MISSING)
NEGOTIATION_STEP, SALE_STEP = np.float32(1 / MOST_NEGOTIATIONS), np.float32(1 / MERCHANT_PAYS)
GAP_STEP, LACK_STEP = np.float32(1 / MOST_ON_A_GAP), np.float32(1 / RECIPE_SIZE)
CARD_STEP, ORDER_STEP = np.float32(1 / LARGEST_HAND), np.float32(1 / LARGEST_ARRANGED)
STACK_STEP, LEFT_OUT_STEP = np.float32(1 / CHALLENGE_STACK), np.float32(1 / CHALLENGE_LEFT_OUT)
READY_KINDS = CATEGORIES * CATEGORIES
PLACE_STEP: Floats = np.full(SHARD_KINDS, 1 / MARKET_PLACES, np.float32)
SEGMENT_STEP: Floats = np.full(SHARD_KINDS, 1 / NOTCHES_PER_MARKET, np.float32)
SHARD_STEP: Floats = np.full(SHARD_KINDS, 1 / COPIES_OF_A_COLOUR, np.float32)
RECIPE_STEP: Floats = np.full(COLOURS, 1 / RECIPE_SIZE, np.float32)
CATEGORY_STEP: Floats = np.ones(CATEGORIES, np.float32)
READY_STEP: Floats = np.full(READY_KINDS, 1 / LARGEST_HAND, np.float32)
CHALLENGE_STEP: Floats = np.divide(1, CHALLENGE_COPIES, dtype=np.float32)
LIRA_SHARE: Floats = shares_of(LIRA_SCALE, LIRA_SCALE)
SCORE_SHARE: Floats = shares_of(SCORE_SCALE, SCORE_SCALE)
ROUND_SHARE: Floats = shares_of(ROUND_SCALE, ROUND_SCALE)
AROUND: Integers = np.arange(-1, 2 * NOTCHES, dtype=np.int64) % NOTCHES
ROW = 8  # numbers that a vector of SHARD_KINDS reads
SHARD_ROW: Integers = np.eye(SHARD_KINDS, ROW, dtype=np.int16)


@kernel
def observe(game: State, seat: int, out: Observation) -> None:
    """Write what a seat sees."""
    out[:] = 0
    see_pairs(game, out)
    if game.grandmaster:
        see_gaps(game, out)
    see_markets(game, out)
    see_table(game, out)
    other = seat
    for relative in range(game.num_players):
        see_cards(game, other, relative, out)
        see_seat(game, other, relative, out)
        other = left_of(game, other)
    see_turn(game, out)
    see_choice(game, seat, out)
    see_hand(game, seat, out)
    if game.draft:
        see_draft(game, seat, out)
    if game.num_players == SOLO:
        see_challenge(game, out)


@helper
def next_notch(notch: int) -> int:
    """One notch or segment on, clockwise."""
    return notch + 1 if notch + 1 < NOTCHES else 0


@helper
def first_pair(game: State) -> int:
    """The notch that the Selector points at if it is set, otherwise the one where its next turn brings it."""
    return game.selector if game.selector_set else next_notch(game.selector)


@kernel
def see_gaps(game: State, out: Observation) -> None:
    """The Lira on the gap after each pair (MUR-11.2)."""
    notch = first_pair(game)
    for pair in range(NOTCHES):
        out[OBS.pairs.start + pair * PAIR_SIZE + PAIR_LIRA] = game.gap_lira[notch] * GAP_STEP
        notch = next_notch(notch)


@helper
def around(number: int) -> int:
    """The notch or segment at a number from -1 on, counted on beyond the last."""
    return unsigned(AROUND[unsigned(number + 1)])


@helper
def see_pairs(game: State, out: Observation) -> None:
    """The pairs as the Selector meets them."""
    notch = first_pair(game)
    segment = int(around(notch + game.ring_offset))
    for pair in range(NOTCHES):
        start = OBS.pairs.start + pair * PAIR_SIZE
        out[unsigned(start + game.circle[around(notch + pair)])] = 1
        out[unsigned(start + PAIR_SEGMENT + game.ring[around(segment + pair)])] = 1


@helper
def see_markets(game: State, out: Observation) -> None:
    """Each market: its shards, its segments, and what of them the Warehouse has."""
    offset, stock = game.ring_offset, vector(game.warehouse, SHARD_KINDS)
    for market in range(MARKETS):
        start, connected = OBS.markets.start + market * MARKET_SIZE, stock - stock
        for notch in range(market * NOTCHES_PER_MARKET, (market + 1) * NOTCHES_PER_MARKET):
            shard = unsigned(game.ring[around(offset + notch)])
            out[unsigned(OBS.segments.start + notch * SHARD_KINDS) + shard] = 1
            connected += vector(SHARD_ROW[shard], SHARD_KINDS)
        put_shares(out, start, vector(game.market[market], SHARD_KINDS), PLACE_STEP)
        put_shares(out, start + MARKET_GIVEN, at_most(connected, stock), SEGMENT_STEP)


@helper
def see_table(game: State, out: Observation) -> None:
    """Warehouse, Advantages, round and options."""
    put_shares(out, OBS.warehouse.start, vector(game.warehouse, SHARD_KINDS), SHARD_STEP)
    for tile in range(TILES):
        out[unsigned(OBS.advantages.start + tile * ADVANTAGE_KINDS + game.advantage[tile])] = 1
    last = MOST_TURNS if game.grandmaster or game.num_players == SOLO else game.max_rounds
    out[OBS.round.start] = ROUND_SHARE[min(game.round_number, ROUND_SCALE)]
    out[OBS.round.start + 1] = np.float32(game.round_number) / np.float32(last)
    out[OBS.last_round.start] = game.last_round
    out[OBS.players.start + game.num_players - 1] = 1
    out[OBS.variants.start] = game.draft
    out[OBS.variants.start + 1] = game.interactive
    out[OBS.variants.start + 2] = game.grandmaster


@helper
def see_cards(game: State, other: int, relative: int, out: Observation) -> None:
    """Workbench and works of a seat."""
    put_shares(out, OBS.bench.start + relative * SHARD_KINDS, vector(game.bench[other], SHARD_KINDS), SHARD_STEP)
    put_shares(out, OBS.ready.start + relative * READY_KINDS, vector(game.ready[other], READY_KINDS), READY_STEP)
    for number in range(game.works_size[other]):
        see_creation(game.works[other, number], IS_MADE, out)


@helper
def see_seat(game: State, other: int, relative: int, out: Observation) -> None:
    """Turn, Lira and numbers of cards of a seat."""
    start = OBS.seats.start + relative * SEAT_SIZE
    out[start + TO_ACT] = game.seat == other
    out[start + ON_TURN] = game.turn == other
    out[start + TO_COME] = game.turn < other
    out[start + OWL] = game.owl == other
    out[start + LIRA] = LIRA_SHARE[min(game.lira[other], LIRA_SCALE)]
    out[start + SCORE] = SCORE_SHARE[min(max(score_of(game, other), 0), SCORE_SCALE)]
    out[start + HAND] = game.hand_size[other] * CARD_STEP
    out[start + WORKS] = game.works_size[other] * CARD_STEP


@helper
def see_turn(game: State, out: Observation) -> None:
    """What is decided, and what the turn has brought so far."""
    if game.phase != Phase.OVER:
        out[OBS.phase.start + game.phase] = 1
    start = OBS.turn.start
    out[start + SET] = game.selector_set
    out[start + TAKES] = game.takes * TAKE_STEP
    out[start + REPETITION] = game.repetition
    out[start + CLOSED] = game.collect_closed
    out[start + NEGOTIATIONS] = game.negotiations * NEGOTIATION_STEP
    out[start + PRIVILEGE] = game.privilege
    out[start + CREATE] = is_create_open(game)
    out[start + GOURMAND] = game.follow_up == FollowUp.GOURMAND
    out[start + GAMBLER] = game.follow_up == FollowUp.GAMBLER
    out[start + MADE] = game.works_made * CARD_STEP
    out[start + QUOTATION] = game.quotation
    out[start + TURN_OVER] = game.turn_over


@helper
def see_choice(game: State, seat: int, out: Observation) -> None:
    """How far the choice under way has come; the picks of card 8 are seen by their player alone (MUR-15.1)."""
    start = OBS.choice.start
    out[start + MISSING] = game.missing * MISSING_STEP
    out[start + SALE] = game.sale * SALE_STEP
    put_shares(out, start + OFFERED, vector(game.offered, SHARD_KINDS), SEGMENT_STEP)
    if game.chosen_market != NOBODY:
        out[start + CHOSEN_MARKET + game.chosen_market] = 1
    if game.chosen_shard != NOBODY:
        out[start + CHOSEN_SHARD + game.chosen_shard] = 1
    if game.turn == seat:
        for pick in range(game.arranged_size):
            out[OBS.new_order.start + game.arranged[pick]] = (pick + 1) * ORDER_STEP


@helper
def see_face(game: State, card: int, start: int, out: Observation) -> None:
    """Recipe and categories of a Creation."""
    put_shares(out, start, vector(game.recipe[card], COLOURS), RECIPE_STEP)
    put_shares(out, start + COLOURS, vector(game.category[card], CATEGORIES), CATEGORY_STEP)


@helper
def see_hand(game: State, seat: int, out: Observation) -> None:
    """Own cards in order, each with what the Workbench lacks for it."""
    transparent, bench = game.bench[seat, Shard.TRANSPARENT], vector(game.bench[seat], COLOURS)
    for position in range(game.hand_size[seat]):
        card, start = unsigned(game.hand[seat, position]), OBS.hand.start + position * CARD_SIZE
        lacking = positive(vector(game.recipe[card], COLOURS) - bench)
        lacks = total(lacking)
        see_face(game, card, start, out)
        put_shares(out, start + CARD_LACKING, lacking, RECIPE_STEP)
        out[start + CARD_LACKS] = np.float32(max(lacks - transparent, 0)) * LACK_STEP
        out[start + CARD_AT_HAND] = lacks <= transparent


@kernel
def see_draft(game: State, seat: int, out: Observation) -> None:
    """The own pack, in the order of card numbers, and the cards that were seen in packs and not kept (MUR-15.2)."""
    for number in range(game.pack_size[seat]):
        see_creation(game.pack[seat, number], IN_PACK, out)
    start = OBS.pack.start
    for card in range(CREATION_KINDS):
        if out[OBS.creations.start + card * CREATION_SIZE + IN_PACK]:
            see_face(game, card, start, out)
            start += FACE_SIZE
    for other in range(game.num_players):
        if other != seat:
            see_packs(game, seat, other, out)
    for number in range(game.box_size):
        see_creation(game.box[number], WAS_SEEN, out)  # the last cards of the packs have been seen by all


@helper
def see_creation(card: int, mark: int, out: Observation) -> None:
    """Mark a Creation by its number."""
    out[unsigned(OBS.creations.start + card * CREATION_SIZE + mark)] = 1


@helper
def see_packs(game: State, seat: int, other: int, out: Observation) -> None:
    """What another seat has kept or has before it, of packs that this seat has had: packs move to the left (MUR-9.1)."""
    moves = game.drafted_size[game.num_players - 1]
    sight = seat - other if seat > other else seat - other + game.num_players  # the pick for which the seat had the pack
    for pick in range(moves + 1):
        if sight <= pick:
            if pick < game.drafted_size[other]:
                see_creation(game.drafted[other, pick], WAS_SEEN, out)
            if pick == moves:
                for number in range(game.pack_size[other]):
                    see_creation(game.pack[other, number], WAS_SEEN, out)
        sight = sight + 1 if sight + 1 < game.num_players else 0


@kernel
def see_challenge(game: State, out: Observation) -> None:
    """Solo: the Challenge cards that have not been revealed, and how many of them are in the stack."""
    for kind in range(CHALLENGE_KINDS):
        out[OBS.challenge.start + kind] = CHALLENGE_COPIES[kind]
    for number in range(game.revealed_size):
        out[OBS.challenge.start + game.revealed[number]] -= 1
    for kind in range(CHALLENGE_KINDS):
        out[OBS.challenge.start + kind] *= CHALLENGE_STEP[kind]
    out[OBS.challenge_stack.start] = game.challenge_size * STACK_STEP


@kernel
def observe_hidden(game: State, out: Observation) -> None:
    """Write what no seat sees: the Creations out of the game, the stack of Challenge cards, those left out."""
    out[:] = 0
    for number in range(game.deck_size):
        out[HIDDEN_AT.out_of_game.start + game.deck[number]] = 1
    for number in range(game.box_size):
        out[HIDDEN_AT.out_of_game.start + game.box[number]] = 1
    for depth in range(game.challenge_size):
        kind = game.challenge[game.challenge_size - 1 - depth]
        out[HIDDEN_AT.challenge.start + depth * CHALLENGE_KINDS + kind] = 1
    for number in range(game.left_out_size):
        out[HIDDEN_AT.left_out.start + game.left_out[number]] += LEFT_OUT_STEP
