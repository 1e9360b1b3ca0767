"""What a seat sees, as numbers in [0, 1], seen from that seat: own seat first, then clockwise (ART-9.1)."""

import numpy as np

from artisans_env.components import ARTISANS, DECK_POINTS, MATERIALS
from artisans_env.constants import (
    ARTISAN_KINDS,
    BOX_SIZE,
    COPIES_PER_PLAYER,
    DECK_SIZE,
    HAND_LIMIT,
    LARGEST_PILE,
    LEAST_PLAYERS,
    LEVELS,
    MARKET_SLOTS,
    MATERIAL_KINDS,
    MOST_CRAFTS,
    MOST_PLAYERS,
    MOST_POINTS,
    MOST_REMOVED,
    POINT_VALUES,
    ROUNDS,
    ROW_PLACES,
    Phase,
)
from artisans_env.rules.piles import next_object
from artisans_env.scoring import is_own_reserve, score_of
from artisans_env.state import (
    DECK_NAMES,
    LEVEL_NAMES,
    MOST_BONUS,
    MOST_LACKING,
    MOST_OBJECT_POINTS,
    NEXT,
    PHASE_NAMES,
    RESERVED,
    SHOWN,
    SLOTS,
    VALUES,
)
from artisans_env.types import State
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.vectors import marks, positive, put_row, put_shares, put_zeros, shares_of, spill_shares, vector
from cardtable.game.layout import Layout, Piece
from cardtable.types import Floats, Integers, Observation

SCORE_SCALE = 100  # scores and their parts; beyond that, and below 0, they are shown as the limit
COUNT_SCALE = 8  # objects crafted, likewise
LACKING_SCALE = 8  # levels lacking for an object, likewise
MOST_IN_PILE = LARGEST_PILE - MOST_PLAYERS * HAND_LIMIT  # what was dealt to hands never comes back to the pile

_SEATS = ("own", "1 clockwise", "2 clockwise", "3 clockwise")
_SEAT = (
    *("to act", "first player", "crafted this round", "visited this round", "visits left / max_visits"),
    *(f"hand size / {HAND_LIMIT}", f"score / {SCORE_SCALE}"),
    *(f"object points / {SCORE_SCALE}", f"bonus / {SCORE_SCALE}", f"objects / {COUNT_SCALE}", "holds a reserved object"),
)
TO_ACT, FIRST, CRAFTED, VISITED, VISITS_LEFT, HAND, SCORE, OBJECT_POINTS, BONUS, COUNT, HOLDS = range(len(_SEAT))
SEAT_SIZE = len(_SEAT)

_OBJECT = (
    f"points / {MOST_POINTS}",
    *(f"{material} required / {LEVELS}" for material in MATERIALS),
    *(f"{material} lacking / {LEVELS}" for material in MATERIALS),
    *(f"levels lacking, {seat} / {LACKING_SCALE}" for seat in _SEATS),
    *(f"levels reached, {seat}" for seat in _SEATS),
)
OBJECT_REQUIRED = 1
OBJECT_LACKING = OBJECT_REQUIRED + MATERIAL_KINDS
OBJECT_LACKS = OBJECT_LACKING + MATERIAL_KINDS
OBJECT_REACHED = OBJECT_LACKS + MOST_PLAYERS
OBJECT_SIZE = len(_OBJECT)
LACKS_SIZE = OBJECT_SIZE - OBJECT_LACKS

_VALUES = (*(f"deck 1, {value}" for value in VALUES[:-1]), *(f"deck 2, {value}" for value in VALUES[1:]))

LAYOUT = Layout(
    Piece("own_hand", (MATERIALS,), f"cards in the own hand / {HAND_LIMIT}"),
    Piece("known_hand", (_SEATS, MATERIALS), f"cards that all know to be in a hand / {HAND_LIMIT} (ART-9.1)"),
    Piece("developed", (_SEATS, MATERIALS, LEVEL_NAMES), f"cards at each level / {HAND_LIMIT}"),
    Piece("used", (MATERIALS,), "1 if an own object requires the material (ART-8.3)"),
    Piece("artisan", (_SEATS, ARTISANS), "the seat's artisan; zeros before it is chosen"),
    Piece("seats", (_SEATS, _SEAT), "where each seat stands; last actions are no visits here; scores below 0 are shown as 0"),
    Piece("objects", (SHOWN, _OBJECT), "the row, the turned-up next object, the reserved one; zeros where none lies"),
    Piece("market", (SLOTS, MATERIALS), "the card in each slot; zeros for an empty one"),
    Piece("discard", (MATERIALS,), "cards in the discard / cards that exist"),
    Piece("unseen", (MATERIALS,), "cards in the pile or unknown in other hands / cards that exist"),
    Piece("pile_size", (), "cards in the pile / cards that exist"),
    Piece("deck_points", (_VALUES,), "objects of each value left in each deck / those it began with (ART-2.2)"),
    Piece("deck_size", (DECK_NAMES,), f"objects left in each deck / {DECK_SIZE}"),
    Piece("round", (), f"the round / {ROUNDS}"),
    Piece("phase", (PHASE_NAMES[: Phase.OVER],), "what is decided now; zeros when the game is over"),
    Piece("players", (("2", "3", "4"),), "how many play"),
    Piece("token_taken", (), "0 while the token is in the centre"),
)

_FACE = (f"points / {MOST_POINTS}", *(f"{material} / {LEVELS}" for material in MATERIALS))
FACE_SIZE = len(_FACE)


def _depths(size: int) -> tuple[str, ...]:
    return tuple(f"{depth + 1} from the top" for depth in range(size))


HIDDEN = Layout(
    Piece("pile", (_depths(MOST_IN_PILE), MATERIALS), "the material pile in order"),
    Piece("deck_1", (_depths(DECK_SIZE), _FACE), "object deck 1 in order: points and required levels"),
    Piece("deck_2", (_depths(DECK_SIZE), _FACE), "object deck 2 in order"),
    Piece("box", (_depths(BOX_SIZE), _FACE), "objects in the box"),
    Piece("removed", (_depths(MOST_REMOVED), _FACE), "objects of deck 1 removed in round 7"),
)

OBS = LAYOUT.at
HIDDEN_AT = HIDDEN.at
HAND_STEP, LEVEL_STEP, MARK_STEP = np.float32(1 / HAND_LIMIT), np.float32(1 / LEVELS), np.float32(1)
LEVEL_SLOTS = MATERIAL_KINDS * LEVELS
DECISIONS = int(Phase.OVER)  # kinds of them
DECK_VALUES = POINT_VALUES - 1  # deck 1 has no object of the highest value, deck 2 none of the lowest
SCORE_SHARE: Floats = (np.arange(SCORE_SCALE + 1) * (1 / SCORE_SCALE)).astype(np.float32)
assert max(MOST_OBJECT_POINTS, MOST_BONUS) <= SCORE_SCALE
COUNT_SHARE, LACKING_SHARE = shares_of(MOST_CRAFTS, COUNT_SCALE), shares_of(MOST_LACKING, LACKING_SCALE)
POINTS_SHARE, DECK_SHARE = shares_of(MOST_POINTS, MOST_POINTS), shares_of(DECK_SIZE, DECK_SIZE)
ROUND_SHARE: Floats = shares_of(ROUNDS, ROUNDS)


def _clockwise(players: int, seat: int) -> list[int]:
    """The seats from a seat on; those beyond the number of players, which hold nothing, at the end."""
    return [(seat + place) % players if place < players else place for place in range(MOST_PLAYERS)]


_ALL_SEATS = range(MOST_PLAYERS)
CLOCKWISE: Integers = np.array(
    [[_clockwise(players, seat) for seat in _ALL_SEATS] for players in range(MOST_PLAYERS + 1)], np.uint64
)
FLAG_SHARE: Floats = np.array([0, 1], np.float32)
REACHED_SHARE: Floats = (np.arange(MOST_LACKING + 1) == 0).astype(np.float32)  # by levels lacking
ARTISAN_ROW_SIZE = 16  # fills a register
ARTISAN_ROW: Floats = np.eye(ARTISAN_KINDS + 1, ARTISAN_ROW_SIZE, -1, dtype=np.float32)  # by artisan + 1, NOBODY first
MARKET_ROW_SIZE = MATERIAL_KINDS + 1  # fills a register
MARKET_ROW: Floats = np.eye(MATERIAL_KINDS + 1, MARKET_ROW_SIZE, -1, dtype=np.float32)  # likewise
PLAYER_COUNTS = MOST_PLAYERS - LEAST_PLAYERS + 1
PLAYERS_ROW: Floats = np.eye(MOST_PLAYERS + 1, PLAYER_COUNTS, -LEAST_PLAYERS, dtype=np.float32)
PHASE_ROW: Floats = np.eye(DECISIONS + 1, DECISIONS, dtype=np.float32)
_DECK_STEP: Floats = np.divide(1, np.maximum(DECK_POINTS, 1), dtype=np.float32)
DECK_1_STEP, DECK_2_STEP = _DECK_STEP[0, :-1].copy(), _DECK_STEP[1, 1:].copy()


@kernel
def observe(game: State, seat: int, out: Observation) -> None:
    """Write what a seat sees, from front to back: runs of numbers spill zeros into what is written next."""
    players = game.num_players
    others = CLOCKWISE[unsigned(players), unsigned(seat)]
    see_cards(game, seat, others, out)
    see_artisans(game, others, out)
    visit_step = 1 / game.max_visits
    for relative in range(MOST_PLAYERS):
        if relative < players:
            see_seat(game, others[relative], relative, visit_step, out)
        else:
            put_zeros(out, OBS.seats.start + relative * SEAT_SIZE, SEAT_SIZE)
    level = vector(game.level[seat], MATERIAL_KINDS)
    for place in range(ROW_PLACES):
        see_shown(game, game.row[place], place, level, others, out)
    see_shown(game, next_object(game), NEXT, level, others, out)
    see_shown(game, game.reserved, RESERVED, level, others, out)
    see_supply(game, others, out)
    see_decks(game, out)
    out[OBS.round.start] = ROUND_SHARE[unsigned(game.round_number)]
    put_row(out, OBS.phase.start, PHASE_ROW[unsigned(game.phase)], DECISIONS)
    put_row(out, OBS.players.start, PLAYERS_ROW[unsigned(players)], PLAYER_COUNTS)
    out[OBS.token_taken.start] = game.token_taken


@helper
def see_cards(game: State, seat: int, others: Integers, out: Observation) -> None:
    """The own hand, known hand cards and developed cards of all seats, and the materials of own objects."""
    players = game.num_players
    spill_shares(out, OBS.own_hand.start, vector(game.hand[seat], MATERIAL_KINDS), HAND_STEP)
    for relative in range(MOST_PLAYERS):
        start = OBS.known_hand.start + relative * MATERIAL_KINDS
        if relative < players:
            spill_shares(out, start, vector(game.known[others[relative]], MATERIAL_KINDS), HAND_STEP)
        else:
            put_zeros(out, start, MATERIAL_KINDS)
    for relative in range(MOST_PLAYERS):
        start = OBS.developed.start + relative * LEVEL_SLOTS
        if relative < players:
            spill_shares(out, start, vector(game.developed[others[relative]], LEVEL_SLOTS), HAND_STEP)
        else:
            put_zeros(out, start, LEVEL_SLOTS)
    spill_shares(out, OBS.used.start, marks(vector(game.uses[seat], MATERIAL_KINDS)), MARK_STEP)


@helper
def see_artisans(game: State, others: Integers, out: Observation) -> None:
    """The artisan of every seat."""
    players = game.num_players
    for relative in range(MOST_PLAYERS):
        start = OBS.artisan.start + relative * ARTISAN_KINDS
        if relative < players:
            put_row(out, start, ARTISAN_ROW[unsigned(game.artisan[others[relative]] + 1)], ARTISAN_ROW_SIZE)
        else:
            put_zeros(out, start, ARTISAN_KINDS)


@helper
def see_seat(game: State, other: int, relative: int, visit_step: float, out: Observation) -> None:
    """Turn and score of a seat."""
    start = OBS.seats.start + relative * SEAT_SIZE
    out[start + TO_ACT] = FLAG_SHARE[unsigned(unsigned(game.seat) == other)]
    out[start + FIRST] = FLAG_SHARE[unsigned(unsigned(game.first_player) == other)]
    out[start + CRAFTED] = FLAG_SHARE[unsigned(game.crafted[other])]
    out[start + VISITED] = FLAG_SHARE[unsigned(game.visits[other] > 0)]
    out[start + VISITS_LEFT] = (game.max_visits - game.visits[other]) * visit_step
    out[start + HAND] = game.hand_size[other] * HAND_STEP
    out[start + SCORE] = SCORE_SHARE[unsigned(min(max(score_of(game, other), 0), SCORE_SCALE))]
    out[start + OBJECT_POINTS] = SCORE_SHARE[unsigned(game.object_points[other])]
    out[start + BONUS] = SCORE_SHARE[unsigned(game.bonus[other])]
    out[start + COUNT] = COUNT_SHARE[unsigned(game.object_count[other])]
    out[start + HOLDS] = FLAG_SHARE[unsigned(is_own_reserve(game, other))]


@helper
def see_shown(game: State, shown: int, number: int, level: Integers, others: Integers, out: Observation) -> None:
    """An open object, the one of this number; zeros where none lies. `level` are the levels of the own seat."""
    if shown == NOBODY:
        put_zeros(out, OBS.objects.start + number * OBJECT_SIZE, OBJECT_SIZE)
    else:
        see_object(game, unsigned(shown), number, level, out)
        see_lacks(game, number, others, out)


@helper
def see_object(game: State, shown: int, number: int, level: Integers, out: Observation) -> None:
    """An open object: its points, the levels it requires, and which of them are above those of the own seat."""
    start = OBS.objects.start + number * OBJECT_SIZE
    required = vector(game.required[shown], MATERIAL_KINDS)
    out[start] = POINTS_SHARE[unsigned(game.points[shown])]
    spill_shares(out, start + OBJECT_REQUIRED, required, LEVEL_STEP)
    spill_shares(out, start + OBJECT_LACKING, positive(required - level), LEVEL_STEP)


@helper
def see_lacks(game: State, number: int, others: Integers, out: Observation) -> None:
    """How far each seat's levels are from what an open object requires."""
    players = game.num_players
    start = OBS.objects.start + number * OBJECT_SIZE
    put_zeros(out, start + OBJECT_LACKS, LACKS_SIZE)
    for relative in range(MOST_PLAYERS):
        if relative < players:
            lacking = unsigned(game.lacking[others[relative], number])
            out[start + OBJECT_LACKS + relative] = LACKING_SHARE[lacking]
            out[start + OBJECT_REACHED + relative] = REACHED_SHARE[lacking]


@helper
def see_supply(game: State, others: Integers, out: Observation) -> None:
    """Market, discard, pile, and what is unseen."""
    for slot in range(MARKET_SLOTS):
        put_row(out, OBS.market.start + slot * MATERIAL_KINDS, MARKET_ROW[unsigned(game.market[slot] + 1)], MARKET_ROW_SIZE)
    step = 1 / (COPIES_PER_PLAYER * game.num_players)
    unseen = vector(game.pile_count, MATERIAL_KINDS)
    for relative in range(1, MOST_PLAYERS):
        other = others[relative]
        unseen += vector(game.hand[other], MATERIAL_KINDS) - vector(game.known[other], MATERIAL_KINDS)
    spill_shares(out, OBS.discard.start, vector(game.discard, MATERIAL_KINDS), step)
    spill_shares(out, OBS.unseen.start, unseen, step)
    out[OBS.pile_size.start] = game.pile_size * step / MATERIAL_KINDS


@helper
def see_decks(game: State, out: Observation) -> None:
    """How many objects of each value are left; the turned-up card is one of them (ART-9.1)."""
    put_shares(out, OBS.deck_points.start, vector(game.deck_points[0], DECK_VALUES), DECK_1_STEP)
    put_shares(out, OBS.deck_points.start + DECK_VALUES, vector(game.deck_points[1, 1:], DECK_VALUES), DECK_2_STEP)
    out[OBS.deck_size.start] = DECK_SHARE[unsigned(game.deck_1_size)]
    out[OBS.deck_size.start + 1] = DECK_SHARE[unsigned(game.deck_2_size)]


@kernel
def observe_hidden(game: State, out: Observation) -> None:
    """Write what no seat sees: the order of pile and decks, the box, what was removed."""
    out[:] = 0
    for depth in range(game.pile_size):
        material = game.pile[game.pile_size - 1 - depth]
        out[HIDDEN_AT.pile.start + depth * MATERIAL_KINDS + material] = 1
    show_faces(game, game.deck_1, game.deck_1_size, HIDDEN_AT.deck_1.start, out)
    show_faces(game, game.deck_2, game.deck_2_size, HIDDEN_AT.deck_2.start, out)
    show_faces(game, game.box, game.box_size, HIDDEN_AT.box.start, out)
    show_faces(game, game.removed, game.removed_size, HIDDEN_AT.removed.start, out)


@kernel
def show_faces(game: State, stack: Integers, size: int, start: int, out: Observation) -> None:
    """The objects of a stack, the top first."""
    for depth in range(size):
        each = stack[size - 1 - depth]
        out[start + depth * FACE_SIZE] = game.points[each] / MOST_POINTS
        for material in range(MATERIAL_KINDS):
            out[start + depth * FACE_SIZE + 1 + material] = game.required[each, material] * LEVEL_STEP
