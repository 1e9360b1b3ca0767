"""What each choice does, in words: for every legal action, from what its player sees alone."""

import importlib

import numpy as np
import pytest
from helpers import VARIANTS, open_table, states, variant_id

from cardtable.errors import IllegalAction, ResetNeeded
from cardtable.game.registry import find, game_ids
from cardtable.table import Table

POSITIONS = 120
REDEALS = 40
LONGEST = 120
"""Characters of an explanation: it stands beside a name in a list."""

variants = pytest.mark.parametrize(
    ("game_id", "options"), VARIANTS, ids=lambda value: variant_id(value) if not isinstance(value, str) else value
)


def plain_blocks(game):
    """The blocks whose names say all."""
    return importlib.import_module(f"{game.package}.choices").PLAIN


@variants
def test_every_legal_action_is_explained_unless_its_name_says_all(game_id, options):
    game, seen, explained = find(game_id), set(), 0
    for table in states(game, dict(options), POSITIONS):
        for action in np.flatnonzero(table.mask).tolist():
            block, does = game.actions.played(table.seat, action).block, table.explain(action)
            assert bool(does) == (block not in plain_blocks(game)), game.actions.names[action]
            assert does == does.strip()
            assert len(does) <= LONGEST
            assert "\n" not in does
            seen.add(block)
            explained += 1
    assert explained > POSITIONS
    assert len(seen) > 3


@variants
def test_an_explanation_does_not_depend_on_what_the_seat_cannot_know(game_id, options):
    game, compared = find(game_id), 0
    for number, table in enumerate(states(game, dict(options), REDEALS, seed=2)):
        other = table.redeal(table.seat, seed=number)
        for action in np.flatnonzero(table.mask).tolist():
            assert table.explain(action) == other.explain(action)
            compared += 1
    assert compared > REDEALS


@pytest.mark.parametrize("game_id", game_ids())
def test_plain_blocks_and_explained_ones_are_all_blocks(game_id):
    game = find(game_id)
    module = importlib.import_module(f"{game.package}.choices")
    apart = {"draft"} & {block.name for block in game.actions.blocks}  # needs the options
    assert {*module.EXPLAIN, *module.PLAIN, *apart} == {block.name for block in game.actions.blocks}
    assert not set(module.EXPLAIN) & set(module.PLAIN)


def test_only_a_legal_action_of_a_dealt_game_is_explained():
    table = open_table(find("muster"), {})
    with pytest.raises(IllegalAction):
        table.explain(int(np.flatnonzero(table.mask == 0)[0]))
    with pytest.raises(ResetNeeded):
        Table("muster").explain(0)
