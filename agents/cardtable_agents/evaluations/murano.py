"""What a position of Murano is worth.

Each seat is judged by the best turn it can have next, or can make of the turn under way: the pair, one negotiation, the
works that can be made then. What that leaves is weighed: Lira, what the next cards of the hand still lack, shards that fit
none of them, cards left compared with the other seats, works that can still be set aside for an Advantage. The estimated
scores, compared among the seats, make chances to win.
"""

from typing import Any

import numpy as np

from cardtable.engine.jit import helper, kernel
from cardtable.game.record import NOBODY
from cardtable_agents.evaluations.evaluation import ROOM, Evaluation
from murano_env.constants import (
    ADVANTAGE_KINDS,
    BENCH_LIMIT,
    BUY_PRICE,
    CATEGORIES,
    COLOURS,
    LARGEST_HAND,
    LEAST_RANKED,
    MARKET_PLACES,
    MARKETS,
    MERCHANT_PAYS,
    NOTCHES,
    NOTCHES_PER_MARKET,
    RANK_STEPS,
    RANKS,
    RECIPE_SIZE,
    SECOND_WORK_PAYS,
    SELL_PAYS,
    SHARD_KINDS,
    SOLO,
    Phase,
    Shard,
)
from murano_env.information import place_in as holds
from murano_env.rules.piles import first_notch, has_free_place, number_of_categories, ring_shard
from murano_env.rules.set_up import full_hand
from murano_env.scoring import penalty

# ---- What is weighed

LAST_SPREAD = 0.1
"""Lira that change the odds by e when the game is nearly over: scores are known."""
CARDS_SEEN = 3
"""How many cards of the hand the evaluation looks at."""
COMFORT = 3
"""With less Lira than this a seat is poor."""

FIRST = 0
SECOND = FIRST + RECIPE_SIZE + 1
THIRD, JUNK, CLEAR, SHARDS, POOR, EVEN, BEHIND = range(SECOND + 1, SECOND + 8)
LOOKS = BEHIND + 1
"""Features of a Workbench and the cards to be made with it; those that follow are a seat's whatever it plans."""
READY = LOOKS
FEATURES = READY + ADVANTAGE_KINDS
SPREAD, TRUST, TURN, ALONE, SUPPLY = range(FEATURES, FEATURES + 5)

WEIGHTS: np.ndarray = np.array(
    [  # with x the share of cards left in the shortest hand: constant, times x
        (0.0, 0.0),  # FIRST: the first card lacks nothing
        (-1.8, 0.0),  # it lacks one shard
        (-3.8, 0.0),  # two
        (-5.6, 0.0),  # three
        (-7.2, 0.0),  # four
        (-1.3, 0.0),  # SECOND: shards that the second card lacks
        (-0.7, 0.0),  # THIRD: those that the third lacks
        (-0.5, 0.0),  # JUNK: coloured shards that fit none of the three
        (1.0, 0.0),  # CLEAR: transparent shards beyond those needed for them
        (0.0, 0.0),  # SHARDS: all shards on the Workbench
        (-0.4, 0.0),  # POOR: Lira short of three
        (0.5, 0.0),  # EVEN: cards in hand, as many as the shortest other hand has
        (0.0, 0.0),  # BEHIND: cards in hand beyond those
        (1.0, 0.0),  # READY: works that can be set aside for Present
        (1.0, 0.0),  # Gift
        (1.0, 0.0),  # Free
        (1.0, 0.0),  # Merchant
        (1.0, 0.0),  # Expert
        (1.0, 0.0),  # Gourmand
        (1.0, 0.0),  # Gambler
        (1.0, 0.0),  # Magician
        (1.0, 0.0),  # Favouritism
        (1.0, 0.0),  # Privilege
        (1.0, 0.0),  # Provident
        (1.0, 0.0),  # Repetition
        (1.0, 0.0),  # Traveller
        (1.0, 0.0),  # Quotation
        (1.0, 0.0),  # Opportunist
        (1.0, 0.0),  # Visionary
        (1.0, 0.0),  # Authoritarian
        (1.0, 0.0),  # Dealer
        (1.0, 0.0),  # Clumsiness
        (1.0, 0.0),  # Collector
        (1.0, 6.0),  # SPREAD: Lira of estimated score that change the odds by e
        (0.5, 0.0),  # TRUST: the share of a plan in a value; the rest is the Workbench as it is
        (2.0, 0.0),  # TURN: Lira that a turn brings, on the safe side: who plans its turn of the next round has so much less
        (35.0, 12.0),  # ALONE: Lira of estimated score that give even odds in solo, and how many change them by e
        (2.7, 4.0),  # SUPPLY: shards that a turn in solo brings, and Lira for each that the works will lack then
    ]
)
"""Lira still to come for each unit of a feature, and how estimates become values. Chosen by hand and by matches of the
heuristic with itself: least squares on scores at the end, as for Artisans, made it hoard cards, for it learnt from games that
were slow."""

# ---- Where the room is used

BENCH = 0
"""The Workbench that a plan begins with, after its takes."""
START, KEPT, TRIED, LEFT, SPARE = (SHARD_KINDS * k for k in range(1, 6))
"""Workbenches: before any plan, before this one, after a negotiation, after works, after what cards need."""
HAND = SPARE + SHARD_KINDS
"""Cards in the order looked at."""
WORTH = HAND + LARGEST_HAND
"""What each of them is worth as a work that can be set aside."""
NOW = WORTH + LARGEST_HAND
BEST = NOW + LOOKS
MIXED = BEST + LOOKS
"""Features: of the Workbench looked at; of the best in a plan; of the best plan, blended with those of its beginning."""
WEIGHT = MIXED + LOOKS
"""The weight of each."""
USABLE = WEIGHT + LOOKS
"""Works that can be set aside, by Advantage."""
SIZE, PLACE, OTHERS, EXPERT, TRUSTED, VALUE, TOTAL = range(USABLE + ADVANTAGE_KINDS, USABLE + ADVANTAGE_KINDS + 7)
"""Cards of the hand; those made before the plan; cards of the shortest other hand; whether exchanges are Expert's; the
share of plans in values; the value of the best plan from here; the best of all."""
assert TOTAL < ROOM


# ---- How far a seat's turn has come


@helper
def has_acted(game: Any, seat: int) -> bool:
    """Whether a seat's Negotiate step of this round is over: what it plans is its next turn."""
    if seat != game.turn:
        return seat < game.turn
    return game.turn_over == 1 or game.passed == 1 or game.works_made > 0 or game.negotiations > game.privilege


@helper
def notch_of(game: Any, turns: int) -> int:
    """The notch that the Selector will point at in the turn so many after this one."""
    return (game.selector + (game.selector_set == 0) + turns) % NOTCHES


# ---- What a Workbench is worth


@helper
def copy(room: np.ndarray, source: int, target: int, size: int) -> None:
    """Copy so many numbers of the room from one place to another."""
    for k in range(size):
        room[target + k] = room[source + k]


@kernel
def take_needed(game: Any, card: int, room: np.ndarray) -> float:
    """Take what a card needs from the spare shards, transparent ones last; return how many it lacks."""
    lacking = 0.0
    for colour in range(COLOURS):
        fitting = min(room[SPARE + colour], float(game.recipe[card, colour]))
        room[SPARE + colour] -= fitting
        lacking += game.recipe[card, colour] - fitting
    clear = min(lacking, room[SPARE + Shard.TRANSPARENT])
    room[SPARE + Shard.TRANSPARENT] -= clear
    return lacking - clear


@kernel
def look(game: Any, place: int, lira: float, bench: int, room: np.ndarray) -> float:
    """Weigh Lira, a Workbench of the room, and the cards of the hand from a place on."""
    left, shards = int(room[SIZE]) - place, 0.0
    for k in range(LOOKS):
        room[NOW + k] = 0
    for kind in range(SHARD_KINDS):
        room[SPARE + kind] = room[bench + kind]
        shards += room[bench + kind]
    for number in range(min(left, CARDS_SEEN)):
        lacking = take_needed(game, int(room[HAND + place + number]), room)
        if number == 0:
            room[NOW + FIRST + int(lacking)] = 1
        else:
            room[NOW + SECOND + number - 1] = lacking
    over, junk = max(shards - BENCH_LIMIT, 0.0), 0.0  # over eight, what fits nowhere will go first (MUR-4.3)
    for colour in range(COLOURS):
        junk += room[SPARE + colour]
    room[NOW + JUNK] = max(junk - over, 0.0)
    room[NOW + SECOND] += max(over - junk, 0.0)
    room[NOW + CLEAR] = room[SPARE + Shard.TRANSPARENT]
    room[NOW + SHARDS] = shards - over
    room[NOW + POOR] = max(COMFORT - lira, 0.0)
    room[NOW + EVEN] = min(float(left), room[OTHERS])
    room[NOW + BEHIND] = max(left - room[OTHERS], 0.0)
    value = lira
    for k in range(LOOKS):
        value += room[NOW + k] * room[WEIGHT + k]
    return value


@kernel
def pay_for_work(game: Any, card: int, bench: int, room: np.ndarray) -> float:
    """Make a card from a Workbench of the room, with few transparent shards; the Lira it earns, -1 if it lacks some."""
    clear = 0.0
    for colour in range(COLOURS):
        clear += max(game.recipe[card, colour] - room[bench + colour], 0.0)
    if clear > room[bench + Shard.TRANSPARENT]:
        return -1.0
    room[bench + Shard.TRANSPARENT] -= clear
    earned = BENCH_LIMIT - room[bench + Shard.TRANSPARENT]
    for colour in range(COLOURS):
        room[bench + colour] = max(room[bench + colour] - game.recipe[card, colour], 0.0)
        earned -= room[bench + colour]
    return max(earned - (clear if game.grandmaster else 0.0), 0.0)


@kernel
def create(game: Any, lira: float, room: np.ndarray) -> None:
    """Make as many works as is best after a negotiation, and keep the value if it is the best of the plan."""
    place, made = int(room[PLACE]), 0
    copy(room, TRIED, LEFT, SHARD_KINDS)
    while True:
        value = lira if game.last_round else look(game, place, lira, LEFT, room)
        if value > room[VALUE]:
            room[VALUE] = value
            copy(room, NOW, BEST, LOOKS)
        if place == room[SIZE]:
            return
        earned = pay_for_work(game, int(room[HAND + place]), LEFT, room)
        if earned < 0:
            return
        made += 1
        lira += earned + gain_of_work(game, place, made, room)
        place += 1


@helper
def gain_of_work(game: Any, place: int, made: int, room: np.ndarray) -> float:
    """What a work brings besides its pay: more if it is the second of a turn (MUR-6.3), and an Advantage to be used."""
    return (SECOND_WORK_PAYS if made == 2 else 0) + (0.0 if game.last_round else room[WORTH + place])


# ---- The best turn


@helper
def add_shard(game: Any, kind: int, room: np.ndarray) -> None:
    """Take a shard; for one that the Warehouse lacks any kind can be chosen, as good as a transparent one (MUR-4.2)."""
    if game.warehouse[kind] > 0:
        room[BENCH + kind] += 1
    else:
        room[BENCH + Shard.TRANSPARENT] += 1


@kernel
def add_pair(game: Any, notch: int, room: np.ndarray) -> None:
    """Take a pair (MUR-4.1)."""
    add_shard(game, int(game.circle[notch]), room)
    add_shard(game, int(ring_shard(game, notch)), room)


@kernel
def try_exchanges(game: Any, lira: float, room: np.ndarray) -> None:
    """Every own shard at every market with a free place (MUR-5.1, 8.5)."""
    for market in range(MARKETS):
        for kind in range(SHARD_KINDS):
            if has_free_place(game, market) and room[BENCH + kind] > 0:
                copy(room, BENCH, TRIED, SHARD_KINDS)
                room[TRIED + kind] -= 1
                connected = 0.0
                for notch in range(first_notch(market), first_notch(market) + NOTCHES_PER_MARKET):
                    shard = ring_shard(game, notch)
                    if shard == Shard.TRANSPARENT:
                        connected = 1.0
                    elif game.warehouse[shard] > 0:
                        room[TRIED + shard] += 1
                room[TRIED + Shard.TRANSPARENT] += connected * room[EXPERT]
                create(game, lira, room)


@kernel
def try_buys(game: Any, lira: float, room: np.ndarray) -> None:
    """Every market with shards (MUR-5.2)."""
    for market in range(MARKETS):
        if game.market_size[market] > 0:
            for kind in range(SHARD_KINDS):
                room[TRIED + kind] = room[BENCH + kind] + game.market[market, kind]
            create(game, lira, room)


@kernel
def try_sales(game: Any, lira: float, room: np.ndarray) -> None:
    """Sell all shards but those that the first card needs, or the first two (MUR-5.3)."""
    place = int(room[PLACE])
    for cards in range(min(int(room[SIZE]) - place, 2) + 1):
        copy(room, BENCH, SPARE, SHARD_KINDS)
        for number in range(cards):
            take_needed(game, int(room[HAND + place + number]), room)
        sold = 0.0
        for kind in range(SHARD_KINDS):
            sold += room[SPARE + kind]
            room[TRIED + kind] = room[BENCH + kind] - room[SPARE + kind]
        if sold > 0:
            create(game, lira, room)


@kernel
def try_bound_action(game: Any, lira: float, room: np.ndarray) -> None:
    """The action that card 3, 4 or 5 demands (MUR-8.3 to 8.5)."""
    if game.phase == Phase.FREE:
        try_buys(game, lira, room)
    elif game.phase == Phase.MERCHANT:
        try_sales(game, lira + MERCHANT_PAYS, room)
    else:
        room[EXPERT] = 1
        try_exchanges(game, lira, room)
        room[EXPERT] = 0


@kernel
def try_actions(game: Any, lira: float, room: np.ndarray) -> None:
    """Every negotiation with the Workbench as it is, and the works after it (MUR-5)."""
    try_exchanges(game, lira, room)
    if lira >= BUY_PRICE:
        try_buys(game, lira - BUY_PRICE, room)
    try_sales(game, lira + SELL_PAYS, room)


@kernel
def plan_current(game: Any, seat: int, lira: float, room: np.ndarray) -> None:
    """Make the best of a turn whose Negotiate step is still to come, or under way."""
    takes = 1
    if seat == game.turn:
        if Phase.FREE <= game.phase <= Phase.EXPERT:
            try_bound_action(game, lira, room)
            return
        if game.negotiations > 0:  # the second one of card 10 may be left out (MUR-8.10)
            copy(room, BENCH, TRIED, SHARD_KINDS)
            create(game, lira, room)
        takes = 0 if game.collect_closed else 1 + game.repetition - game.takes
    for _ in range(takes):
        add_pair(game, notch_of(game, seat - game.turn), room)
    try_actions(game, lira, room)


@kernel
def conclude(game: Any, place: int, lira: float, room: np.ndarray) -> None:
    """Blend the value of a plan with that of the Workbench it began with: what others do before may spoil it."""
    value = max(room[VALUE], lira)
    if not game.last_round:
        trust = room[TRUSTED] if room[VALUE] > -np.inf else 0.0
        value = trust * value + (1 - trust) * look(game, place, lira, BENCH, room)
        for k in range(LOOKS):
            room[NOW + k] = trust * room[BEST + k] + (1 - trust) * room[NOW + k]
    if value > room[TOTAL]:
        room[TOTAL] = value
        copy(room, NOW, MIXED, LOOKS)


@kernel
def plan_next(game: Any, seat: int, lira: float, room: np.ndarray) -> None:
    """Make the best of the next turn; before that, in one's own turn, works may still be made in this one."""
    place, made = 0, int(game.works_made)
    while True:
        room[VALUE] = -np.inf
        if not game.last_round:
            room[PLACE] = place
            copy(room, KEPT, BENCH, SHARD_KINDS)
            add_pair(game, notch_of(game, game.num_players + seat - game.turn), room)
            try_actions(game, lira, room)
        conclude(game, place, lira, room)
        if place == room[SIZE] or seat != game.turn or game.turn_over:
            return
        earned = pay_for_work(game, int(room[HAND + place]), KEPT, room)
        if earned < 0:
            return
        made += 1
        lira += earned + gain_of_work(game, place, made, room)
        place += 1


@kernel
def plan(game: Any, seat: int, lira: float, room: np.ndarray) -> None:
    """Keep the value of the best turn of a seat, from the Workbench and the hand in the room, if nothing was better."""
    copy(room, BENCH, START, SHARD_KINDS)
    copy(room, BENCH, KEPT, SHARD_KINDS)
    if has_acted(game, seat):
        plan_next(game, seat, lira, room)
    else:
        room[PLACE] = 0
        room[VALUE] = -np.inf
        plan_current(game, seat, lira, room)
        conclude(game, int(room[PLACE]), lira, room)
    copy(room, START, BENCH, SHARD_KINDS)


# ---- Choices under way


@kernel
def others_have(game: Any, seat: int, kind: int) -> bool:
    """Whether another player has a shard of a kind."""
    for other in range(game.num_players):
        if other != seat and game.bench[other, kind] > 0:
            return True
    return False


@kernel
def may_come(game: Any, seat: int, kind: int) -> bool:
    """Whether the choice under way can bring a shard of a kind."""
    phase, is_there = game.phase, game.warehouse[kind] > 0
    if phase == Phase.PRESENT:
        return kind <= Shard.GREEN and is_there
    if phase == Phase.GIFT:
        return Shard.YELLOW <= kind <= Shard.BLUE and is_there
    if phase == Phase.OPPORTUNIST or phase == Phase.OPPORTUNIST_AGAIN:
        return kind < COLOURS and is_there
    return (kind < COLOURS or phase != Phase.AUTHORITARIAN) and others_have(game, seat, kind)


@kernel
def plan_with_shard(game: Any, seat: int, lira: float, room: np.ndarray) -> None:
    """Plan with every shard that the choice under way can bring."""
    for kind in range(SHARD_KINDS):
        if may_come(game, seat, kind):
            room[BENCH + kind] += 1
            plan(game, seat, lira, room)
            room[BENCH + kind] -= 1


@kernel
def plan_without_shard(game: Any, seat: int, lira: float, room: np.ndarray) -> None:
    """Plan without one of the own shards."""
    for kind in range(SHARD_KINDS):
        if room[BENCH + kind] > 0:
            room[BENCH + kind] -= 1
            plan(game, seat, lira, room)
            room[BENCH + kind] += 1


@kernel
def plan_with_swap(game: Any, seat: int, lira: float, room: np.ndarray) -> None:
    """Plan with another shard in place of an own one, of the one that was chosen if one was (MUR-8.15, 9.6)."""
    for kind in range(SHARD_KINDS):
        if room[BENCH + kind] > 0 and (game.chosen_shard == NOBODY or game.chosen_shard == kind):
            room[BENCH + kind] -= 1
            plan_with_shard(game, seat, lira, room)
            room[BENCH + kind] += 1


@kernel
def plan_with_ring(game: Any, seat: int, lira: float, room: np.ndarray) -> None:
    """Plan with the Ring in every position (MUR-8.16)."""
    before = game.ring_offset
    for offset in range(NOTCHES):
        game.ring_offset = offset
        plan(game, seat, lira, room)
    game.ring_offset = before


@kernel
def plan_with_order(game: Any, seat: int, lira: float, room: np.ndarray) -> None:
    """Plan with every card that can come next in the new order (MUR-8.8)."""
    size, picked = int(room[SIZE]), int(game.arranged_size)
    place = picked
    for old in range(size):
        if holds(game.arranged, picked, old) < 0:
            room[HAND + place] = game.hand[seat, old]
            place += 1
    for number in range(picked):
        room[HAND + number] = game.hand[seat, game.arranged[number]]
    for place in range(picked, size):
        room[HAND + picked], room[HAND + place] = room[HAND + place], room[HAND + picked]
        plan(game, seat, lira, room)
        room[HAND + picked], room[HAND + place] = room[HAND + place], room[HAND + picked]


@kernel
def plan_choice(game: Any, seat: int, lira: float, room: np.ndarray) -> None:
    """Make the best of the choice under way, and of the turn after it (MUR-3.4)."""
    phase = game.phase
    if phase == Phase.PRESENT or phase == Phase.GIFT:
        plan_with_shard(game, seat, lira, room)
    elif phase == Phase.AUTHORITARIAN:
        plan_with_shard(game, seat, lira - 1, room)
    elif phase == Phase.DEALER:
        plan_without_shard(game, seat, lira + 1, room)
    elif phase == Phase.OPPORTUNIST or phase == Phase.COLLECTOR or phase == Phase.COLLECTOR_PARTNER:
        plan_with_swap(game, seat, lira, room)
    elif phase == Phase.VISIONARY:
        plan_with_ring(game, seat, lira, room)
    elif phase == Phase.MAGICIAN:
        plan_with_order(game, seat, lira, room)
    else:
        plan(game, seat, lira + game.sale, room)
        if phase == Phase.OPPORTUNIST_AGAIN:
            plan_with_swap(game, seat, lira, room)


@helper
def owes_a_shard(game: Any, seat: int) -> bool:
    """Whether a seat has still to return a shard under card 19 (MUR-9.5)."""
    if game.phase != Phase.CLUMSINESS or game.bench_size[seat] == 0:
        return False
    return (seat - game.turn) % game.num_players >= (game.seat - game.turn) % game.num_players


# ---- What a seat will have


@kernel
def copy_seat(game: Any, seat: int, room: np.ndarray) -> None:
    """Workbench and hand of a seat, with the shards of a take under way."""
    room[SIZE] = game.hand_size[seat]
    for place in range(game.hand_size[seat]):
        room[HAND + place] = game.hand[seat, place]
    for kind in range(SHARD_KINDS):
        room[BENCH + kind] = game.bench[seat, kind]
    if seat == game.turn:
        room[BENCH + Shard.TRANSPARENT] += game.missing
        for kind in range(SHARD_KINDS):
            most = 1 if kind == Shard.TRANSPARENT else MARKET_PLACES
            room[BENCH + kind] += min(game.offered[kind], game.warehouse[kind], most)


@helper
def weight_of(weights: np.ndarray, feature: int, left: float) -> float:
    """The weight of a feature with such a share of cards left."""
    return weights[feature, 0] + left * weights[feature, 1]


@kernel
def weigh_works(game: Any, seat: int, left: float, weights: np.ndarray, room: np.ndarray) -> float:
    """What works that can be set aside are worth, and cards in hand would be."""
    for card in range(ADVANTAGE_KINDS):
        room[USABLE + card] = 0
    for place in range(game.works_size[seat]):
        work = game.works[seat, place]
        if not game.set_aside[work]:
            for category in range(CATEGORIES):
                share = game.category[work, category] / number_of_categories(game, work)
                room[USABLE + game.advantage[category]] += share
    for place in range(game.hand_size[seat]):
        card = game.hand[seat, place]
        room[WORTH + place] = 0
        for category in range(CATEGORIES):
            share = game.category[card, category] / number_of_categories(game, card)
            room[WORTH + place] += share * weight_of(weights, READY + game.advantage[category], left)
    value = 0.0
    for card in range(ADVANTAGE_KINDS):
        value += room[USABLE + card] * weight_of(weights, READY + card, left)
    return value


@kernel
def fewest_cards(game: Any, but: int) -> int:
    """The cards of the shortest hand, that of one seat not counted."""
    fewest = int(full_hand(game))
    for seat in range(game.num_players):
        if seat != but:
            fewest = min(fewest, int(game.hand_size[seat]))
    return fewest


@kernel
def estimate(game: Any, seat: int, left: float, weights: np.ndarray, room: np.ndarray) -> float:
    """The score that a seat will have at the end."""
    lira = float(game.lira[seat] - penalty(game, seat))
    if game.last_round and seat < game.turn:
        return lira
    copy_seat(game, seat, room)
    for k in range(LOOKS):
        room[WEIGHT + k] = weight_of(weights, k, left)
    room[OTHERS] = fewest_cards(game, seat)
    room[TRUSTED] = weights[TRUST, 0]
    room[TOTAL] = -np.inf
    room[EXPERT] = 0
    more = weigh_works(game, seat, left, weights, room) - (weight_of(weights, TURN, left) if has_acted(game, seat) else 0.0)
    if owes_a_shard(game, seat):
        plan_without_shard(game, seat, lira, room)
    elif seat == game.turn:
        plan_choice(game, seat, lira, room)
    else:
        plan(game, seat, lira, room)
    return room[TOTAL] + (0.0 if game.last_round else more)


# ---- What that is worth


@kernel
def shards_short(game: Any, supply: float, room: np.ndarray) -> float:
    """How many of the shards that the works still lack will not come in the turns left of a solo game (MUR-10.2)."""
    lacking = room[MIXED + SECOND] + room[MIXED + THIRD] + RECIPE_SIZE * max(room[MIXED + EVEN] - CARDS_SEEN, 0.0)
    for number in range(RECIPE_SIZE + 1):
        lacking += number * room[MIXED + FIRST + number]
    turns = game.challenge_size + (0 if has_acted(game, game.turn) else 1)
    return max(lacking - supply * turns, 0.0)


@kernel
def value_alone(game: Any, lira: float, weights: np.ndarray, room: np.ndarray) -> float:
    """What a solo game will return: surely with all works made (MUR-10.4), before that less than the lowest rank."""
    if game.hand_size[0] == 0:
        ranks = 1.0
        for rank in range(RANKS - 1):
            ranks += 1 / (1 + np.exp((LEAST_RANKED + rank * RANK_STEPS - lira) / LAST_SPREAD))
        return ranks / RANKS
    lira -= weights[SUPPLY, 1] * shards_short(game, weights[SUPPLY, 0], room)
    hope = 1 / (1 + np.exp((weights[ALONE, 0] - lira) / weights[ALONE, 1]))
    return hope * (1 + 1 / RANKS) - 1


@kernel
def compare(scores: np.ndarray, players: int, spread: float) -> None:
    """Make chances to win of estimated scores, on the scale of returns: what a seat wins, the others lose."""
    best, total = -np.inf, 0.0
    for seat in range(players):
        best = max(best, scores[seat])
    for seat in range(players):
        scores[seat] = np.exp((scores[seat] - best) / spread)
        total += scores[seat]
    for seat in range(players):
        scores[seat] = (players * scores[seat] / total - 1) / (players - 1)


@kernel
def evaluate(game: Any, weights: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
    """Each seat's chance to win; in solo the return to expect."""
    players = int(game.num_players)
    left = fewest_cards(game, players) / full_hand(game)
    for seat in range(players):
        out[seat] = estimate(game, seat, left, weights, room)
    if players == SOLO:
        out[0] = value_alone(game, out[0], weights, room)
    else:
        compare(out, players, LAST_SPREAD if game.last_round else weight_of(weights, SPREAD, left))


EVALUATION = Evaluation(evaluate, WEIGHTS)
