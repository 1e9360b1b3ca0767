"""The action space, and where a pass is allowed (ART-9.2, 9.3)."""

import pytest

from artisans_env.env import GAME

from .positions import legal, open_game, position

pytestmark = pytest.mark.rules


@pytest.mark.clause("ART-9.2")
def test_the_action_space_has_102_actions_in_its_blocks():
    sizes = {block.name: block.size for block in GAME.actions.blocks}
    assert sizes == {
        "choose": 9,
        "reserve": 4,
        "craft": 4,
        "craft_reserved": 1,
        "take": 5,
        "exchange": 35,
        "token": 1,
        "develop": 42,
        "pass_turn": 1,
    }
    assert GAME.actions.size == 102
    assert GAME.actions.name_of(9 + 4 + 4 + 1 + 5 + 3 * 7 + 1) == "exchange slot 3 for clay"
    assert GAME.actions.id_of("pass") == 101


@pytest.mark.clause("ART-9.3")
def test_pass_is_legal_exactly_where_it_is_said():
    may_pass = {"reserve": True, "turn": False, "night": True, "last": True, "second": True, "develop": True, "finish": True}
    artisans = ["night_worker", "opportunist"]
    for name, expected in may_pass.items():
        seat = 1 if name == "second" else 0
        table = position(
            artisans=["provident", "gold_lover"] if name == "reserve" else artisans,
            phase=name,
            month=12 if name == "finish" else 3,
            seat=seat,
            first=0 if name in ("second", "develop", "finish") else 1,
            crafted=[0] if name == "night" else [],
            row=["Mask"],
        )
        assert ("pass" in legal(table)) == expected, name
    assert "pass" not in legal(open_game(2, "draft"))


@pytest.mark.clause("ART-9.3")
def test_a_decision_with_one_legal_action_is_still_asked():
    table = position(phase="develop", hands={0: ""})
    assert legal(table) == ["pass"]
