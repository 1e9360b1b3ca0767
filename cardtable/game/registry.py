"""Which games are installed, found by entry point (`cardtable.games`): `muster_v0 = "muster_env.env:GAME"`.

To add a game, declare such an entry point in its package.
"""

import copyreg
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from cardtable.errors import UnknownGame
from cardtable.game.game import Game
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
    """The game of that id, with or without its version: `muster_v0` or `muster`."""
    points = _points()
    matches = [name for name in points if game_id in (name, name.rpartition("_v")[0], f"{NAMESPACE}/{name}")]
    if not matches:
        raise UnknownGame(f"no game is called {shown(game_id)}; installed: {', '.join(sorted(points)) or 'none'}")
    game = points[max(matches)].load()
    assert isinstance(game, Game)
    return game


def game_of(game: Game | str) -> Game:
    """A game, given as it is or by its id: what everything that takes a game calls."""
    return game if isinstance(game, Game) else find(game)


def _by_id(game: Game) -> tuple[Any, tuple[str]]:
    return find, (game.id,)


copyreg.pickle(Game, _by_id)  # whoever loads a pickled game has it installed
