"""The state of a game of Murano: one record."""

import numpy as np

from cardtable.engine.constants import NOBODY
from cardtable.game.record import SEATS, Field, Record, Stack, flag
from murano_env.components import ADVANTAGES, CATEGORY_NAMES, CHALLENGES, COLOUR_NAMES, CREATIONS, SHARD_NAMES
from murano_env.constants import (
    ADVANTAGE_KINDS,
    CHALLENGE_CARDS,
    CHALLENGE_STACK,
    COLOURS,
    COPIES_OF_A_COLOUR,
    CREATION_KINDS,
    GAPS,
    LARGEST_HAND,
    LARGEST_LIRA,
    LARGEST_MAX_ROUNDS,
    LARGEST_PACK,
    MARKET_PLACES,
    MARKETS,
    MERCHANT_PAYS,
    MOST_MISSING,
    MOST_NEGOTIATIONS,
    MOST_ON_A_BENCH,
    MOST_ON_A_GAP,
    MOST_PLAYERS,
    MOST_TAKES,
    NOTCHES,
    NOTCHES_PER_MARKET,
    PHASES,
    RECIPE_SIZE,
    SHARD_KINDS,
    AdvantageMode,
    FollowUp,
    Phase,
)

PHASE_NAMES = tuple(phase.name.lower() for phase in Phase)
MODE_NAMES = tuple(mode.name.lower() for mode in AdvantageMode)
FOLLOW_UPS = tuple(card.name.lower() for card in FollowUp)
FACES = ("A", "B")
NOTCH_NAMES = tuple(f"notch {notch}" for notch in range(NOTCHES))
SEGMENT_NAMES = tuple(f"segment {segment}" for segment in range(NOTCHES))
GAP_NAMES = tuple(f"gap {gap}" for gap in range(GAPS))
MARKET_NAMES = tuple(f"market {market}" for market in range(MARKETS))
POSITIONS = tuple(f"position {position}" for position in range(1, LARGEST_HAND + 1))

STATE = Record.of(
    # Options and edition
    Field("max_rounds", np.int32, "rounds after which the game is cut off (MUR-12.3)", low=1, high=LARGEST_MAX_ROUNDS),
    Field("ring_face", np.int16, "option (MUR-2.1)", high=len(FACES) - 1, values=FACES),
    Field("advantage_mode", np.int16, "how the Advantages are found (MUR-2.5)", high=len(MODE_NAMES) - 1, values=MODE_NAMES),
    flag("expert_deck", "option (MUR-2.5)"),
    flag("draft", "option (MUR-9.1)"),
    flag("interactive", "option (MUR-9.2)"),
    flag("grandmaster", "option (MUR-11)"),
    Field("circle", np.int16, "shard at each notch (MUR-1.4)", high=COLOURS - 1, axes=(NOTCH_NAMES,), values=COLOUR_NAMES),
    Field("ring", np.int16, "shard on each segment (MUR-1.4)", high=SHARD_KINDS - 1, axes=(SEGMENT_NAMES,), values=SHARD_NAMES),
    Field("recipe", np.int16, "shards of each Creation", high=RECIPE_SIZE, axes=(CREATIONS, COLOUR_NAMES), count=True),
    Field("category", np.int16, "categories of each Creation", high=1, axes=(CREATIONS, CATEGORY_NAMES), count=True),
    # Where the game stands
    Field("phase", np.int16, "what the seat to act decides", high=PHASES - 1, values=PHASE_NAMES),
    Field("turn", np.int16, "whose turn it is", high=MOST_PLAYERS - 1, values=SEATS),
    Field("round_number", np.int16, "number of the round", low=1, high=LARGEST_MAX_ROUNDS),
    flag("last_round", "the game ends with this round (MUR-11.7, 12.1)"),
    # The turn under way
    flag("selector_set", "the Selector has been turned, or stays by card 11 (MUR-4.1, 8.11)"),
    Field("takes", np.int16, "pairs taken this turn (MUR-4.1, 8.12)", high=MOST_TAKES),
    flag("repetition", "card 12 was used this turn (MUR-8.12)"),
    flag("collect_closed", "Collect is over (MUR-3.2)"),
    Field("negotiations", np.int16, "Negotiate actions of this turn (MUR-5, 8.10)", high=MOST_NEGOTIATIONS),
    flag("privilege", "card 10 was used this turn (MUR-8.10)"),
    flag("passed", "the pass of MUR-5.4 was made this turn"),
    Field("follow_up", np.int16, "card that may follow the last action (MUR-8.6, 8.7)", NOBODY, 1, values=FOLLOW_UPS),
    Field("works_made", np.int16, "works made this turn (MUR-6.3)", high=LARGEST_HAND),
    flag("quotation", "the last work of this turn paid 8L and card 14 has not been used on it (MUR-8.14)"),
    flag("turn_over", "the turn has ended, its Challenge card is under way (MUR-10.1)"),
    # The choice under way
    Field("missing", np.int16, "shards of the pair still to be replaced (MUR-4.2)", high=MOST_MISSING),
    Field("sale", np.int16, "Lira that the Sell under way will pay (MUR-5.3, 8.4)", high=MERCHANT_PAYS),
    Field(
        "offered",
        np.int16,
        "connected segments not picked yet under card 5 (MUR-8.5)",
        high=NOTCHES_PER_MARKET,
        axes=(SHARD_NAMES,),
        count=True,
    ),
    Stack("arranged", np.int16, "old positions picked so far by card 8 (MUR-8.8)", values=POSITIONS, depth=LARGEST_HAND),
    Field("chosen_market", np.int16, "where card 13 takes a shard (MUR-8.13)", NOBODY, MARKETS - 1, values=MARKET_NAMES),
    Field("chosen_shard", np.int16, "shard of card 13 or 20 (MUR-8.13, 9.6)", NOBODY, SHARD_KINDS - 1, values=SHARD_NAMES),
    # The board
    Field("selector", np.int16, "notch of the Selector; none: on gap 11 (MUR-11.3)", NOBODY, NOTCHES - 1, values=NOTCH_NAMES),
    Field("ring_offset", np.int16, "segment that notch 0 faces (MUR-1.6)", high=NOTCHES - 1, values=SEGMENT_NAMES),
    Field("gap_lira", np.int16, "Lira on each gap (MUR-11.2)", high=MOST_ON_A_GAP, axes=(GAP_NAMES,), count=True),
    Field("advantage", np.int16, "card under each tile", high=ADVANTAGE_KINDS - 1, axes=(CATEGORY_NAMES,), values=ADVANTAGES),
    Field("warehouse", np.int16, "shards in stock", high=COPIES_OF_A_COLOUR, axes=(SHARD_NAMES,), count=True),
    Field("market", np.int16, "shards in each market", high=MARKET_PLACES, axes=(MARKET_NAMES, SHARD_NAMES), count=True),
    Stack("first_shards", np.int16, "shards for the markets before set-up (MUR-2.3)", values=COLOUR_NAMES, depth=MARKETS),
    # Players
    Field("lira", np.int16, "Lira of each seat", high=LARGEST_LIRA, axes=(SEATS,)),
    Field("bench", np.int16, "shards on each Workbench", high=COPIES_OF_A_COLOUR, axes=(SEATS, SHARD_NAMES), count=True),
    Field("owl", np.int16, "who has the Owl (MUR-11.6)", NOBODY, MOST_PLAYERS - 1, values=SEATS),
    Stack("hand", np.int16, "cards of each seat, position 1 first", values=CREATIONS, axes=(SEATS,), depth=LARGEST_HAND),
    Stack("works", np.int16, "works of each seat, the first made first", values=CREATIONS, axes=(SEATS,), depth=LARGEST_HAND),
    Field("set_aside", np.int16, "works that have been used (MUR-7.3)", high=1, axes=(CREATIONS,), count=True),
    Stack("deck", np.int16, "Creations not dealt, the top last", values=CREATIONS, depth=CREATION_KINDS),
    # The draft
    Stack("pack", np.int16, "pack in front of each seat (MUR-9.1)", values=CREATIONS, axes=(SEATS,), depth=LARGEST_PACK),
    Stack("drafted", np.int16, "cards drafted, in order (MUR-9.1)", values=CREATIONS, axes=(SEATS,), depth=LARGEST_HAND),
    Stack("box", np.int16, "last card of each pack, by the seat that held it last", values=CREATIONS, depth=MOST_PLAYERS),
    Field("mixed", np.int16, "the seat has used card 8: its order is its own (MUR-15.1)", high=1, axes=(SEATS,), flag=True),
    # The Challenge
    Stack("challenge", np.int16, "stack of Challenge cards, the top last", values=CHALLENGES, depth=CHALLENGE_STACK),
    Stack("revealed", np.int16, "Challenge cards revealed so far", values=CHALLENGES, depth=CHALLENGE_STACK),
    Stack("left_out", np.int16, "Challenge cards that are not in the stack", values=CHALLENGES, depth=CHALLENGE_CARDS),
    # What follows from the fields above, kept up to date for speed; `murano_env.check` derives and compares it.
    Field("bench_size", np.int16, "shards on each Workbench", high=MOST_ON_A_BENCH, axes=(SEATS,), derived=True),
    Field("market_size", np.int16, "shards in each market", high=MARKET_PLACES, axes=(MARKET_NAMES,), derived=True),
    Field(
        "ready",
        np.int16,
        "works not set aside: with both categories, or with one alone",
        high=LARGEST_HAND,
        axes=(SEATS, CATEGORY_NAMES, CATEGORY_NAMES),
        derived=True,
    ),
)
