"""What the evaluation of Murano looks at, and how much each of it counts."""

from enum import IntEnum
from typing import Annotated

from cardtable_agents.evaluations.evaluation import Doubles, new_record, table_of
from murano_env.constants import ADVANTAGE_KINDS

CARDS_SEEN = 3
"""How many cards of a hand are looked at."""
COMFORT = 3
"""With less Lira than this a seat is poor."""


class Feature(IntEnum):
    """What a Workbench is judged by, together with Lira and the cards still to be made."""

    FIRST_LACKS_NOTHING = 0  # of the five features for the first card, one is 1
    FIRST_LACKS_ONE = 1
    FIRST_LACKS_TWO = 2
    FIRST_LACKS_THREE = 3
    FIRST_LACKS_FOUR = 4
    SECOND_LACKS = 5  # shards that the second card lacks, and shards over eight that a card needs
    THIRD_LACKS = 6  # shards that the third card lacks
    JUNK = 7  # coloured shards that fit none of the three
    CLEAR = 8  # transparent shards beyond those that the three need
    SHARDS = 9  # all shards on the Workbench
    POOR = 10  # Lira short of COMFORT
    EVEN = 11  # cards in hand, up to as many as the shortest other hand has
    BEHIND = 12  # cards in hand beyond those


FEATURES = len(Feature)


class Weights:
    """Weights that change in the course of a game hold a constant, and what is added times x, the share of cards left in the
    shortest hand."""

    features: Annotated[Doubles, FEATURES, 2]
    """Lira still to come for each unit of a feature."""
    advantages: Annotated[Doubles, ADVANTAGE_KINDS, 2]
    """Lira still to come for a work that can be set aside for an Advantage."""
    spread: Annotated[Doubles, 2]
    """The lead in estimated score that multiplies the odds by e."""
    turn: Annotated[Doubles, 2]
    """Lira that a turn brings, on the safe side: a seat that plans its turn of the next round has so much less."""
    trust: float
    """The share of a plan in a value; the rest is the Workbench as it is."""
    solo_goal: float
    """In a solo game, the estimated score that gives even odds to be ranked."""
    solo_spread: float
    """In a solo game, the lead over that score that multiplies the odds by e."""
    solo_supply: float
    """Shards that a turn of a solo game brings."""
    solo_shortage: float
    """Lira lost in a solo game for each shard that the works will lack at its end."""


WEIGHTS = new_record(
    Weights,
    features=table_of(
        {
            Feature.FIRST_LACKS_NOTHING: (0.0, 0.0),
            Feature.FIRST_LACKS_ONE: (-1.8, 0.0),
            Feature.FIRST_LACKS_TWO: (-3.8, 0.0),
            Feature.FIRST_LACKS_THREE: (-5.6, 0.0),
            Feature.FIRST_LACKS_FOUR: (-7.2, 0.0),
            Feature.SECOND_LACKS: (-1.3, 0.0),
            Feature.THIRD_LACKS: (-0.7, 0.0),
            Feature.JUNK: (-0.5, 0.0),
            Feature.CLEAR: (1.0, 0.0),
            Feature.SHARDS: (0.0, 0.0),
            Feature.POOR: (-0.4, 0.0),
            Feature.EVEN: (0.5, 0.0),
            Feature.BEHIND: (0.0, 0.0),
        },
        Feature,
    ),
    advantages=(1.0, 0.0),  # the same for all of them
    spread=(1.0, 6.0),
    turn=(2.0, 0.0),
    trust=0.5,
    solo_goal=35.0,
    solo_spread=12.0,
    solo_supply=2.7,
    solo_shortage=4.0,
)
"""Chosen by hand and by matches of the heuristic against itself: least squares on scores at the end, as for Artisans, made it
hoard cards, because it learned from games that were slow."""
