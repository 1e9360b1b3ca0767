"""Which games are installed, found by entry point (`cardtable.games`): `muster_v0 = "muster_env.env:GAME"`.

To add a game, declare such an entry point in its package.
"""

import copyreg
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from cardtable.errors import UnknownGame
from cardtable.game.game import Game
from cardtable.support import plugins
from cardtable.support.messages import shown

GROUP = "cardtable.games"
NAMESPACE = "cardtable"


@cache
def _points() -> dict[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def game_ids() -> list[str]:
    """The ids of all installed games."""
    return sorted(_points())


def find(game_id: str) -> Game:
    """The game of that id, with or without its version: `muster_v0`, or `muster` for its latest."""
    points = _points()
    matches = [name for name in points if isinstance(game_id, str) and game_id in _names_of(name)]
    if not matches:
        raise UnknownGame(f"no game is called {shown(game_id)}; installed: {', '.join(sorted(points)) or 'none'}")
    name = max(matches, key=_version)
    game = plugins.load(points[name], Game, UnknownGame)
    if game.id != name:  # pickles and replays find a game by its id
        raise UnknownGame(f"the entry point {name!r} ({points[name].value}) leads to a game that calls itself {game.id!r}")
    return game


def _names_of(name: str) -> tuple[str, str, str]:
    """What the game of an entry point may be called."""
    return name, name.rpartition("_v")[0], f"{NAMESPACE}/{name}"


def _version(name: str) -> tuple[int, str]:
    """What the versions of a game are ordered by: 10 comes after 9."""
    digits = name.rpartition("_v")[2]
    return (int(digits) if digits.isdecimal() else -1), name


def game_of(game: Game | str) -> Game:
    """A game, given as it is or by its id: what everything that takes a game calls."""
    return game if isinstance(game, Game) else find(game)


def _by_id(game: Game) -> tuple[Any, tuple[str]]:
    return find, (game.id,)


copyreg.pickle(Game, _by_id)  # whoever loads a pickled game has it installed
