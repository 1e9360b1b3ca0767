"""Which games are installed, found by entry point (`cardtable.games`): `muster_v0 = "muster_env.env:GAME"`.

A game of your own joins by declaring such an entry point in its package; a game for one player can declare a Gymnasium
environment besides (`cardtable.solo`): `MuranoSolo-v0 = "murano_env.solo:MuranoSolo"`.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any

import gymnasium
import pettingzoo

from cardtable.errors import UnknownGame
from cardtable.game import Game
from cardtable.messages import shown

GROUP = "cardtable.games"
SOLO_GROUP = "cardtable.solo"
NAMESPACE = "cardtable"


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


def make(game_id: str, **options: Any) -> pettingzoo.AECEnv:
    """The PettingZoo environment of a game: `make("muster_v0", streamlined=True)`."""
    from cardtable.aec import env

    return env(find(game_id), **options)


def register_all() -> None:
    """Make every installed game known to PettingZoo, `pettingzoo.make("aec", "cardtable/muster_v0")`, and Gymnasium."""
    for name in game_ids():
        if f"{NAMESPACE}/{name}" not in pettingzoo.aec_registry:
            pettingzoo.register("aec", f"{NAMESPACE}/{name}", entry_point=make, kwargs={"game_id": name})
    for point in entry_points(group=SOLO_GROUP):
        if f"{NAMESPACE}/{point.name}" not in gymnasium.registry:
            gymnasium.register(f"{NAMESPACE}/{point.name}", entry_point=point.value)
