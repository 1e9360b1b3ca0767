"""MUS-9: one flat action space."""

import numpy as np
import pytest

from cardtable.errors import IllegalAction

from .positions import BANNERS, GAME, fresh, offered, play, position, random_play

pytestmark = pytest.mark.rules

BLOCKS = {
    "play": 25 * 5,
    "wizard": 5,
    "move": 5 * 4,
    "lay": 25,
    "lay_wizard": 5,
    "lay_castle": 5,
    "bridge": 20 * 5,
    "swap": 25 * 2 * 5,
    "draw_pile": 1,
    "draw_castle": 5,
    "place": 5,
}


@pytest.mark.clause("MUS-9")
def test_five_hundred_and_forty_six_actions_in_named_blocks():
    assert {block.name: block.size for block in GAME.actions.blocks} == BLOCKS
    assert GAME.actions.size == sum(BLOCKS.values()) == 546


@pytest.mark.clause("MUS-9")
def test_names_and_ids_are_inverse():
    assert [GAME.actions.id_of(GAME.actions.name_of(number)) for number in range(546)] == list(range(546))
    assert len(set(GAME.actions.names)) == 546


@pytest.mark.clause("MUS-9")
@pytest.mark.parametrize("number", [-1, 546])
def test_there_are_no_other_ids(number):
    with pytest.raises(IllegalAction):
        GAME.actions.name_of(number)
    with pytest.raises(IllegalAction):
        fresh().checked_action(number)


@pytest.mark.clause("MUS-9")
def test_bridges_lead_up_to_strengths_two_to_five():
    goals = {name.split(" at ")[0] for name in GAME.actions.names if name.startswith("bridge")}
    assert goals == {f"bridge to {banner} {strength}" for banner in BANNERS for strength in (2, 3, 4, 5)}


@pytest.mark.clause("MUS-9")
@pytest.mark.parametrize("seat", [0, 1])
def test_an_id_means_the_same_for_both_players(seat):
    table = position(hand="water 2, wizard/bridge", columns={"water": "1"}, other_columns={"water": "1, wizard"}, seat=seat)
    expected = {"play water 2 at water", "swap water 2 into other water", "wizard at sun", "lay water 2"}
    assert expected <= set(table.legal_actions())


@pytest.mark.clause("MUS-9")
@pytest.mark.parametrize("seed", range(2))
def test_actions_draws_and_placings_are_never_offered_together(seed):
    for table in random_play(seed, 150):
        kinds = [offered(table, "draw"), offered(table, "place"), offered(table, "lay")]
        assert sum(map(bool, kinds)) == (not table.ending)


@pytest.mark.clause("MUS-9")
@pytest.mark.parametrize("name", ["play water 2 at water", "draw from pile", "place on sun", "move wizard from sun to leaf"])
def test_an_illegal_action_is_refused_and_changes_nothing(name):
    table = position(hand="water 1, sun 5, sun 4, leaf 1, leaf 5")
    before = table.state_dict()
    with pytest.raises(IllegalAction, match=name):
        play(table, name)
    assert table.state_dict() == before


@pytest.mark.clause("MUS-9.1")
def test_a_draw_with_only_the_pile_to_draw_from_is_still_asked():
    table = play(position(hand="water 1"), "play water 1 at water")
    assert (table.legal_actions(), table.seat) == (["draw from pile"], 0)
    assert np.count_nonzero(table.mask) == 1


@pytest.mark.clause("MUS-9.1")
def test_every_draw_of_a_row_is_asked_on_its_own():
    table = play(position(hand="wizard/bridge, water 2"), "bridge to water 2 at water")
    for _ in range(2):
        assert table.legal_actions() == ["draw from pile"]
        play(table, "draw from pile")
    assert table.seat == 1
