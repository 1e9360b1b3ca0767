"""Development: phase B (ART-5)."""

import pytest

from .positions import legal, play, position

pytestmark = pytest.mark.rules


@pytest.mark.clause("ART-5.1")
def test_from_the_first_player_each_develops_one_level_of_one_material():
    table = position(players=3, phase="develop", seat=1, first=1, hands={1: "clay clay clay wood", 2: "gold", 0: "metal"})
    assert legal(table) == ["develop clay x1", "develop clay x2", "develop clay x3", "develop wood x1", "pass"]
    play(table, "develop clay x2")
    assert table.seat == 2
    play(table, "develop gold x1")
    assert table.seat == 0
    play(table, "develop metal x1")
    plain = table.state_dict()
    assert plain["round_number"] == 4
    assert plain["developed"]["player_1"]["clay"] == {"level 1": 2}
    assert plain["hand"]["player_1"] == {"clay": 1, "wood": 1}


@pytest.mark.clause("ART-5.1")
def test_the_next_level_follows_the_last():
    table = position(phase="develop", developed={0: {"clay": (3, 2)}}, hands={0: "clay clay"})
    play(table, "develop clay x1")
    assert table.state_dict()["developed"]["player_0"]["clay"] == {"level 1": 3, "level 2": 2, "level 3": 1}


@pytest.mark.clause("ART-5.2")
def test_level_1_takes_any_number():
    table = position(phase="develop", hands={0: "clay clay clay clay clay clay"})
    assert legal(table, "develop") == [f"develop clay x{count}" for count in range(1, 7)]


@pytest.mark.clause("ART-5.2")
@pytest.mark.parametrize(("levels", "most"), [((3,), 3), ((6, 2), 2), ((4, 3, 1), 1), ((1,), 1), ((6,), 5)])
def test_a_further_level_takes_no_more_than_the_one_before(levels, most):
    table = position(phase="develop", developed={0: {"clay": levels}}, hands={0: "clay clay clay clay clay wood"})
    assert legal(table, "develop clay") == [f"develop clay x{count}" for count in range(1, most + 1)]


@pytest.mark.clause("ART-5.2")
def test_level_4_is_the_last():
    table = position(phase="develop", developed={0: {"clay": (1, 1, 1, 1)}}, hands={0: "clay clay"})
    assert legal(table) == ["pass"]


@pytest.mark.clause("ART-5.3")
def test_nothing_need_be_developed():
    table = position(phase="develop", hands={0: "clay clay"})
    before = table.state_dict()["hand"]
    play(table, "pass")
    assert table.state_dict()["hand"] == before
    assert table.seat == 1
