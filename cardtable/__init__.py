"""cardtable: card games as reinforcement-learning environments on one compiled engine.

`cardtable.make("muster_v0", **options)` gives a PettingZoo environment; `cardtable.game_ids()` lists the games.
All that a user needs to import is here; adapters to other libraries are in `cardtable.envs`, a module for each.
"""

from cardtable.engine.loops import Frame
from cardtable.envs.aec import TableEnv
from cardtable.envs.batch import BatchEnv
from cardtable.envs.registration import make, register_all
from cardtable.errors import (
    AgentError,
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
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent, register
from cardtable.players.views import Views
from cardtable.replay import Replay
from cardtable.table import Table
from cardtable.version import __version__

__all__ = [
    "Agent",
    "AgentError",
    "BatchEnv",
    "Busy",
    "CardtableError",
    "DealError",
    "EditionError",
    "Frame",
    "Game",
    "IllegalAction",
    "OptionError",
    "Replay",
    "ReplayError",
    "ResetNeeded",
    "StateError",
    "Table",
    "TableEnv",
    "UnknownGame",
    "UnknownOption",
    "Views",
    "__version__",
    "find",
    "game_ids",
    "make",
    "make_agent",
    "register",
]

register_all()
