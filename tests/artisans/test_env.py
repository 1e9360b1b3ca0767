"""What an environment says at the end of a game (ART-6.2)."""

import pytest

from artisans_env.env import GAME
from cardtable.envs import aec

from .positions import position

pytestmark = pytest.mark.rules


def test_infos_at_the_end_name_the_parts_of_the_score():
    env = aec.TableEnv(GAME, artisans=["gold_lover", "provident"])
    env.table = position(
        artisans=["gold_lover", "provident"],
        month=12,
        phase="finish",
        objects={0: ["Mask"]},
        developed={0: {"clay": (2, 1)}},
        reserved="Mill",
    )
    env._sit_down()
    env.step(GAME.actions.id_of("pass"))
    env.step(GAME.actions.id_of("pass"))
    assert env.summary("player_0") == {
        "score": 12,
        "levels": 4,
        "objects": 4,
        "bonus": 4,
        "penalty": 0,
        "crafted": ["Mask"],
        "developed_cards": 3,
        "artisan": "gold_lover",
        "ended_by": "ART-6.1",
        "decisions": env.table.record.length,
    }
    assert (env.infos["player_1"]["score"], env.infos["player_1"]["penalty"]) == (-6, 6)
