"""cardtable: card games as reinforcement-learning environments on one compiled engine.

`cardtable.make("muster_v0", **options)` gives a PettingZoo environment; `cardtable.game_ids()` lists the games.
"""

__version__ = "0.1.0"

from cardtable.errors import (
    Busy,
    CardtableError,
    DealError,
    EditionError,
    IllegalAction,
    OptionError,
    ReplayError,
    ResetNeeded,
    StateError,
    UnknownGame,
    UnknownOption,
)
from cardtable.registry import find, game_ids, make, register_all

__all__ = [
    "Busy",
    "CardtableError",
    "DealError",
    "EditionError",
    "IllegalAction",
    "OptionError",
    "ReplayError",
    "ResetNeeded",
    "StateError",
    "UnknownGame",
    "UnknownOption",
    "__version__",
    "find",
    "game_ids",
    "make",
]

register_all()
