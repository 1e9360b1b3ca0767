"""Views, in which what a seat cannot know is forgotten: run compiled, with array bounds checked, and in plain Python."""

import numpy as np
import pytest
from helpers import SALT, VARIANTS, open_table, variant_id

from cardtable.game.registry import find
from cardtable.players.views import view_of
from cardtable.table import Table

pytestmark = pytest.mark.rules

STEPS = 12


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_forgetting_leaves_a_position_of_the_game_that_its_seat_sees_the_same(game_id, options):
    table = open_table(find(game_id), options)
    for _ in range(STEPS):
        view, game = view_of(table, SALT), table.game
        world = Table(game, table.options)
        world.load_state_bytes(game.pack(view.records))  # refuses what is no position
        assert np.array_equal(world.observation, table.observation)
        assert np.array_equal(world.mask, table.mask)
        table.play(int(np.flatnonzero(table.mask)[len(table.history) * 5 % table.mask.sum()]))
