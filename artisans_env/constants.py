"""Sizes and limits of Artisans, its materials and artisans, and the kinds of decision."""

from enum import IntEnum

LEAST_PLAYERS = 2  # ART-1.1
MOST_PLAYERS = 4
MATERIAL_KINDS = 7
COPIES_PER_PLAYER = 6  # ART-1.1: 12, 18, 24 cards of each material for 2, 3, 4 players
LARGEST_PILE = MATERIAL_KINDS * COPIES_PER_PLAYER * MOST_PLAYERS

OBJECT_KINDS = 24  # ART-1.2
LEAST_POINTS = 3
MOST_POINTS = 7
POINT_VALUES = MOST_POINTS - LEAST_POINTS + 1
LEVELS = 4
LEAST_REQUIRED = 2  # materials of an object

ARTISAN_KINDS = 9  # ART-1.3
ROUNDS = 12

HAND_LIMIT = 6  # ART-2.1, 4.2
MARKET_SLOTS = 5
ROW_PLACES = 4  # ART-2.2
DECKS = 2
DECK_SIZE = 10
BOX_SIZE = 4
MOST_REMOVED = DECK_SIZE - ROW_PLACES  # cards of deck 1 that can be left in round 7

SECOND_DECK_ROUND = 7  # ART-3.1 a
FIRST_CRAFT_ROUND = 3  # ART-4.6
MOST_CRAFTS = ROUNDS - FIRST_CRAFT_ROUND + 1 + 1  # objects that one player can craft: one a round, and one after the end

GOLD_LOVER_BONUS = 4  # ART-8.1
SCULPTOR_BONUS = 3  # ART-8.2
VERSATILE_BONUS = 2  # ART-8.3
SPECIALIST_BONUS = 5  # ART-8.4
COLLECTOR_BONUS = 2  # ART-8.7

DEFAULT_MAX_VISITS = 12  # ART-4.9
LARGEST_MAX_VISITS = 1_000_000


class Material(IntEnum):
    """The materials (ART-1.1)."""

    TEXTILE = 0
    CLAY = 1
    WOOD = 2
    STONE = 3
    GLASS = 4
    GOLD = 5
    METAL = 6


class Artisan(IntEnum):
    """The artisans (ART-8)."""

    GOLD_LOVER = 0
    SCULPTOR = 1
    VERSATILE = 2
    SPECIALIST = 3
    NIGHT_WORKER = 4
    PERFECTIONIST = 5
    COMPULSIVE_COLLECTOR = 6
    OPPORTUNIST = 7
    PROVIDENT = 8


class ArtisanMode(IntEnum):
    """How players come by their artisans (ART-2.3)."""

    DRAFT = 0
    RANDOM = 1
    ASSIGNED = 2


class Phase(IntEnum):
    """What the player to act decides. TURN to SECOND make up phase A."""

    DRAFT = 0  # ART-2.3: an artisan
    RESERVE = 1  # ART-8.9: an object to reserve
    TURN = 2  # ART-4.1: a turn while the token is in the centre
    NIGHT = 3  # ART-8.5: what the night worker does after a craft
    LAST = 4  # ART-4.7: a last action
    SECOND = 5  # ART-8.8: the opportunist's second visit
    DEVELOP = 6  # ART-5.1
    FINISH = 7  # ART-6.1: one more object
    OVER = 8


PHASES = len(Phase)


class Fault(IntEnum):
    """Why a record is not a position of the game; the names are shown to users."""

    NONE = 0
    SEAT_DOES_NOT_PLAY = 1
    EDITION_CANNOT_BE_PLAYED = 2  # ART-1.2, 11.1
    MATERIAL_CARDS_ARE_NOT_THE_SET = 3  # ART-1.1
    OBJECTS_ARE_NOT_EACH_IN_ONE_PLACE = 4  # ART-1.2
    DECKS_DO_NOT_HAVE_THEIR_POINTS = 5  # ART-2.2
    DECKS_ARE_OUT_OF_ORDER = 6  # ART-3.1, 3.2
    ARTISANS_ARE_WRONG = 7  # ART-2.3
    HAND_SIZES_ARE_WRONG = 8  # ART-2.1, 4.2: six at most, and cards leave a hand only for the market or a level
    KNOWN_CARDS_ARE_NOT_IN_HAND = 9  # ART-9.1
    DEVELOPED_CARDS_CANNOT_ARISE = 10  # ART-5
    OBJECTS_COULD_NOT_BE_CRAFTED = 11  # ART-4.6
    RESERVE_IS_WRONG = 12  # ART-8.9
    MARKET_IS_WRONG = 13  # ART-4.4, 4.8
    DECISION_CANNOT_ARISE = 14  # ART-4, 5, 6, 8
    COUNTS_ARE_NOT_THE_CARDS = 15  # what is derived
    SCORES_ARE_NOT_THE_CARDS = 16
    LACKS_ARE_NOT_THE_LEVELS = 17
