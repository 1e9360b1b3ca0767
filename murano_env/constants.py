"""Sizes and limits of Murano, its shards, cards and categories, and the kinds of decision."""

from enum import IntEnum

MOST_PLAYERS = 4  # MUR-1.1
SOLO = 1
DEFAULT_PLAYERS = 2

COLOURS = 4  # MUR-1.1: red, green, yellow, blue
SHARD_KINDS = 5  # and transparent
COPIES_OF_A_COLOUR = 10
COPIES_OF_TRANSPARENT = 6
ALL_SHARDS = COLOURS * COPIES_OF_A_COLOUR + COPIES_OF_TRANSPARENT
BENCH_LIMIT = 8

CREATION_KINDS = 24  # MUR-1.2
CATEGORIES = 4
RECIPE_SIZE = 4
MOST_CATEGORIES = 2  # of one Creation

NOTCHES = 12  # MUR-1.4
MARKETS = 4  # MUR-1.5
MARKET_PLACES = 3
NOTCHES_PER_MARKET = NOTCHES // MARKETS  # and segments that are connected with it

LONG_HAND_PLAYERS = 2  # MUR-2.2: up to so many players have a card more
SHORT_HAND = 5
LARGEST_HAND = 7  # MUR-11.1
LARGEST_PACK = LARGEST_HAND + 1  # MUR-9.1
LARGEST_ARRANGED = LARGEST_HAND - 1  # MUR-8.8: card 8 costs a work that has been made (MUR-7.3)
FIRST_LIRA = 4  # MUR-2.4

TILES = CATEGORIES  # MUR-2.5
FIRST_GAME_CARDS = TILES
BASE_ADVANTAGES = 16  # MUR-1.3, 8
INTERACTIVE_ADVANTAGES = 4  # MUR-9
ADVANTAGE_KINDS = BASE_ADVANTAGES + INTERACTIVE_ADVANTAGES

PAIR = 2  # MUR-4.1: shards of a take
MOST_MISSING = PAIR  # MUR-4.2
MOST_TAKES = 2  # of a turn (MUR-4.1, 8.12)
MOST_NEGOTIATIONS = 2  # actions of a turn (MUR-5, 8.10)
MOST_ON_A_BENCH = BENCH_LIMIT + MARKET_PLACES  # MUR-4.3: after a Buy, until shards are returned

BUY_PRICE = 2  # MUR-5.2
SELL_PAYS = 1  # MUR-5.3
MERCHANT_PAYS = 4  # MUR-8.4
FAVOURITISM_PAYS = 3  # MUR-8.9
QUOTATION_PAYS = 2  # MUR-8.14
SECOND_WORK_PAYS = 2  # MUR-6.3
MOST_OF_A_WORK = BENCH_LIMIT + SECOND_WORK_PAYS  # Lira that a work pays, at most
MOST_OF_A_CARD = 3  # Lira that an Advantage brings its user, at most: cards 4 (more than a Sell without it) and 9

CHALLENGE_KINDS = 8  # MUR-10.1
CHALLENGE_CARDS = 10
CHALLENGE_STACK = 6
CHALLENGE_LEFT_OUT = CHALLENGE_CARDS - CHALLENGE_STACK

RANK_STEPS = 5  # MUR-10.3
LEAST_RANKED = 40
RANKS = 4

GAPS = NOTCHES  # MUR-11.2: one after each notch
SIX_O_CLOCK = 5
TWELVE_O_CLOCK = 11
CARD_PENALTY = 2  # MUR-11.8
MOST_ON_A_GAP = 2
MOST_LIRA_ON_GAPS = 2 * MOST_ON_A_GAP

DEFAULT_MAX_ROUNDS = 50  # MUR-12.3
LARGEST_MAX_ROUNDS = 1_000
MOST_TURNS = 7  # of a player, in solo and as a grandmaster (MUR-10.2, 11.2, 12.3)

LIRA_BESIDES_SELLS = (
    FIRST_LIRA
    + LARGEST_HAND * (MOST_OF_A_WORK + MOST_OF_A_CARD)
    + (MOST_PLAYERS - 1) * LARGEST_HAND  # by card 17 of the others
    + MOST_LIRA_ON_GAPS
)
"""The most that one player can be paid in a game, Sells aside."""

LARGEST_LIRA = 2 * LIRA_BESIDES_SELLS + LARGEST_MAX_ROUNDS
"""No accepted position has more, and no play from one leads to more (`check.lira`)."""


class Shard(IntEnum):
    """The kinds of shard (MUR-1.1)."""

    RED = 0
    GREEN = 1
    YELLOW = 2
    BLUE = 3
    TRANSPARENT = 4


class Category(IntEnum):
    """The categories of Creations (MUR-1.2)."""

    ART = 0
    JEWELS = 1
    TABLEWARE = 2
    ANIMALS = 3


class Advantage(IntEnum):
    """The Advantage cards: card n of the rules (MUR-8, 9) has the number n - 1."""

    PRESENT = 0
    GIFT = 1
    FREE = 2
    MERCHANT = 3
    EXPERT = 4
    GOURMAND = 5
    GAMBLER = 6
    MAGICIAN = 7
    FAVOURITISM = 8
    PRIVILEGE = 9
    PROVIDENT = 10
    REPETITION = 11
    TRAVELLER = 12
    QUOTATION = 13
    OPPORTUNIST = 14
    VISIONARY = 15
    AUTHORITARIAN = 16
    DEALER = 17
    CLUMSINESS = 18
    COLLECTOR = 19


class AdvantageMode(IntEnum):
    """How the four Advantage cards are found (MUR-2.5)."""

    RANDOM = 0
    FIRST_GAME = 1
    GIVEN = 2


class Challenge(IntEnum):
    """The Challenge cards (MUR-10.1); the first four bring a shard of the colour of that number."""

    RED = 0
    GREEN = 1
    YELLOW = 2
    BLUE = 3
    RING = 4
    SELECTOR = 5
    MARKET = 6
    NOTHING = 7


class FollowUp(IntEnum):
    """The card that may follow the last Negotiate action (MUR-8.6, 8.7)."""

    GOURMAND = 0
    GAMBLER = 1


class Phase(IntEnum):
    """What the player to act decides. All but DRAFT, TURN and OVER are choices under way (MUR-3.4)."""

    DRAFT = 0  # MUR-9.1: a card of the pack
    TURN = 1  # MUR-3: any step of the own turn
    REPLACE = 2  # MUR-4.2: a shard for one that is missing
    RETURN = 3  # MUR-4.3: a shard over eight
    SELL = 4  # MUR-5.3: one more shard, or done
    PRESENT = 5  # MUR-8.1
    GIFT = 6  # MUR-8.2
    FREE = 7  # MUR-8.3: the market
    MERCHANT = 8  # MUR-8.4: the first shard
    EXPERT = 9  # MUR-8.5: the exchange
    EXPERT_PICKS = 10  # MUR-8.5: one of the shards on offer, or done
    MAGICIAN = 11  # MUR-8.8: the next card of the new order
    TRAVELLER = 12  # MUR-8.13: the shard
    TRAVELLER_GOAL = 13  # MUR-8.13: the market it goes to
    OPPORTUNIST = 14  # MUR-8.15
    OPPORTUNIST_AGAIN = 15  # MUR-8.15: a second exchange, or done
    VISIONARY = 16  # MUR-8.16
    AUTHORITARIAN = 17  # MUR-9.3
    DEALER = 18  # MUR-9.4
    CLUMSINESS = 19  # MUR-9.5
    COLLECTOR = 20  # MUR-9.6: the own shard
    COLLECTOR_PARTNER = 21  # MUR-9.6: the other player's shard
    CHALLENGE = 22  # MUR-10.1: which of the fullest markets is emptied
    OVER = 23


PHASES = len(Phase)


class Fault(IntEnum):
    """Why a record is not a position of the game; the names are shown to users."""

    NONE = 0
    SEAT_DOES_NOT_PLAY = 1
    EDITION_CANNOT_BE_PLAYED = 2  # MUR-1.2, 13
    SHARDS_ARE_NOT_THE_SET = 3  # MUR-1.1
    WORKBENCH_IS_TOO_FULL = 4  # MUR-4.3
    CREATIONS_ARE_NOT_EACH_IN_ONE_PLACE = 5  # MUR-1.2
    HANDS_ARE_WRONG = 6  # MUR-2.2, 11.1
    DRAFT_IS_WRONG = 7  # MUR-9.1
    WORK_WAS_NOT_MADE = 8  # MUR-7.3
    ADVANTAGES_ARE_WRONG = 9  # MUR-2.5, 9.2, 11.1
    CHALLENGE_CARDS_ARE_WRONG = 10  # MUR-10.1, 10.2
    GRANDMASTER_BOARD_IS_WRONG = 11  # MUR-11.2 to 11.4, 11.6
    LAST_ROUND_IS_WRONG = 12  # MUR-11.7, 12.1, 12.3
    TURN_CANNOT_ARISE = 13  # MUR-3
    CHOICE_CANNOT_ARISE = 14  # MUR-3.4
    COUNTS_ARE_NOT_THE_SHARDS = 15  # what is derived
    COUNTS_ARE_NOT_THE_WORKS = 16
    LIRA_CANNOT_HAVE_BEEN_PAID = 17  # MUR-5.3, 6.2, 8, 11.4
