"""Sizes and limits of Muster, and the phases of a turn."""

from enum import IntEnum

PLAYERS = 2
CASTLES = 5  # MUS-1.1; castle c is the castle of banner c
STRENGTHS = 5  # MUS-1.2: banner cards have strength 1 to 5
BANNER_KINDS = CASTLES * STRENGTHS  # a kind is a banner and a strength: kind = banner * STRENGTHS + strength - 1

WIZARD_BRIDGES = 5  # MUS-1.3: copies of the card
RAINBOW_CASTLES = 2  # MUS-1.4
WIZARD_BRIDGE = 25  # MUS-1.3: the card, in a hand, the pile or on a castle space
RAINBOW_CASTLE = 26  # MUS-1.4
CARD_KINDS = 27
FACE_KINDS = 8  # what can lie on a castle space: nothing, a strength, or which Rainbow card

BRIDGE = 25  # MUS-1.3: the card in a column, played as a Bridge; Wizards, always on top of a column, are counted apart
PIECE_KINDS = 26  # what can lie in a column under the Wizards

WIZARD_STRENGTH = 6
BRIDGE_STRENGTH = 1

DECK_SIZE = 47  # MUS-1.5
HAND_SIZE = 5
FIRST_PILE = DECK_SIZE - PLAYERS * HAND_SIZE  # MUS-2.1: cards in the pile at the start
BRIDGED_STRENGTHS = STRENGTHS - 1  # MUS-4.5: a banner card on a Bridge has strength 2 to 5
BRIDGE_DRAWS = 2  # MUS-5.4: draws that follow a single Bridge
COLUMN_DEPTH = DECK_SIZE - RAINBOW_CASTLES  # all cards but the Rainbow Castles
STRENGTH_SHIFT = 6
STRENGTH_WORTH = 1 << STRENGTH_SHIFT  # in a standing, one point of strength outweighs all banner cards of a column

DEFAULT_MAX_TURNS = 300  # MUS-6.5
LARGEST_MAX_TURNS = 1_000_000


class Phase(IntEnum):
    """What the player to act decides."""

    ACTION = 0  # MUS-4: the action of the turn
    DRAW = 1  # MUS-5: the next card of the refill
    PLACE = 2  # MUS-4.3b: where a turned-up Rainbow card goes


class Side(IntEnum):
    """A side of the table as the mover sees it; the second axis of swaps and columns in observations."""

    OWN = 0
    OTHER = 1


class Fault(IntEnum):
    """Why a record is not a position of the game; the names are shown to users."""

    NONE = 0
    CARDS_ARE_NOT_THE_DECK = 1  # MUS-1.5
    SEAT_DOES_NOT_PLAY = 2
    HAND_SIZES_ARE_WRONG = 3  # MUS-3.1
    KNOWN_CARDS_ARE_NOT_IN_HAND = 4  # MUS-8.2
    TURNED_UP_CARD_IS_NO_RAINBOW_CARD = 5  # MUS-4.3b
    CASTLE_SPACE_HOLDS_ANOTHER_BANNER = 6  # MUS-4.4
    COLUMN_CANNOT_ARISE = 7  # MUS-4
    LAID_CARD_IS_NOT_THERE = 8  # MUS-4.4a
    STANDING_IS_NOT_THE_COLUMN = 9
    BRIDGES_ARE_NOT_THE_COLUMN = 10
    PILE_COUNT_IS_NOT_THE_PILE = 11
    TOP_IS_NOT_THE_COLUMN = 12
    TOP_IS_NOT_THE_CASTLE_SPACE = 13
    REACHABLE_IS_NOT_THE_CASTLE_SPACE = 14
    TURN_IS_BEYOND_THE_LAST = 15  # MUS-6.5
    SEAT_IS_NOT_WHOSE_TURN_IT_IS = 16  # MUS-2.1, 3.1
    PILE_IS_LARGER_THAN_AT_THE_START = 17  # MUS-2.1
    MORE_DRAWS_ARE_DUE_THAN_A_BRIDGE_DEMANDS = 18  # MUS-5.4, 7.3
    KNOWN_RAINBOW_CASTLE_WAS_NEVER_DRAWN = 19  # MUS-5.2
