"""Environments by name: `cardtable.make`, `pettingzoo.make` and `gymnasium.make`."""

from importlib.metadata import entry_points

import gymnasium
import pettingzoo

from cardtable.envs.wrappers import MaskPlace, env
from cardtable.game.game import Game
from cardtable.game.legality import Illegal
from cardtable.game.registry import NAMESPACE, game_ids

SOLO_GROUP = "cardtable.solo"
"""Entry points of games for one player as Gymnasium environments: `MuranoSolo-v0 = "murano_env.solo_env:MuranoSolo"`."""

LEARNER = "cardtable.envs.gymnasium:LearnerEnv"
LEARNERS = "cardtable.envs.gymnasium:LearnerVectorEnv"
"""What `gymnasium.make` and `gymnasium.make_vec` make, imported when they do."""


def make(
    game_id: Game | str,
    *,
    render_mode: str | None = None,
    illegal: Illegal = "raise",
    mask: MaskPlace = "observation",
    **options: object,
) -> pettingzoo.AECEnv:
    """The PettingZoo environment of a game: `make("muster_v0", streamlined=True)`."""
    return env(game_id, render_mode=render_mode, illegal=illegal, mask=mask, **options)


def register_all() -> None:
    """Make every installed game known to PettingZoo, `pettingzoo.make("aec", "cardtable/muster_v0")`, and Gymnasium."""
    for name in game_ids():
        if f"{NAMESPACE}/{name}" not in pettingzoo.aec_registry:
            pettingzoo.register("aec", f"{NAMESPACE}/{name}", entry_point=make, kwargs={"game_id": name})
        _register_learner(name)
    for point in entry_points(group=SOLO_GROUP):
        if f"{NAMESPACE}/{point.name}" not in gymnasium.registry:
            gymnasium.register(f"{NAMESPACE}/{point.name}", entry_point=point.value)


def learner_id(name: str) -> str:
    """What Gymnasium calls one seat of a game against opponents: `cardtable/Muster-v0` for `muster_v0`.

    Nothing for a game without a version, which Gymnasium is not told of.
    """
    base, _, version = name.rpartition("_v")
    return f"{NAMESPACE}/{base.title().replace('_', '')}-v{version}" if base and version.isdecimal() else ""


def _register_learner(name: str) -> None:
    gym_id = learner_id(name)
    if gym_id and gym_id not in gymnasium.registry:
        gymnasium.register(gym_id, entry_point=LEARNER, vector_entry_point=LEARNERS, kwargs={"game": name})
