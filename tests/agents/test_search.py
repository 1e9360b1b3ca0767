"""The tree search: run compiled, with array bounds checked, and in plain Python."""

import numpy as np
import pytest
from cardtable_agents.players.heuristic import new_scratch
from cardtable_agents.players.search import Tree, new_node, new_tree, search_one
from helpers import SALT, VARIANTS, open_table, variant_id
from muster.positions import position

from cardtable.engine.constants import NOBODY
from cardtable.game.registry import find
from cardtable.players.views import view_of

pytestmark = pytest.mark.rules


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_search_plays_a_legal_action_even_with_little_space(game_id, options):
    table = open_table(find(game_id), options)
    tree, scratch = new_tree(table.game, 3), new_scratch(table.game)
    for _ in range(3):
        view = view_of(table, SALT)
        action = search_one(view.records, 0, table.seat, view.key[0], 6, tree, scratch)
        table.play(table.checked_action(int(action)))


def test_muster_search_takes_the_deciding_castle_with_the_last_card():
    """Two castles each; the Wizard wins the fifth, and the last card of the pile ends the game."""
    table = position(
        hand="wizard/bridge, water 1, water 1, feather 1, feather 1",
        columns={"water": "3, 4", "feather": "3, 4"},
        other_columns={"cloud": "3, 4", "sun": "3, 4", "leaf": "2"},
        pile_size=1,
    )
    view = view_of(table, SALT)
    action = search_one(view.records, 0, 0, view.key[0], 60, new_tree(table.game, 60), new_scratch(table.game))
    assert table.game.actions.names[action] == "wizard at leaf"


def edges_of(tree: Tree, node: int) -> list[int]:
    edges, edge = [], int(tree.first_edge[node])
    while edge != NOBODY:
        edges.append(edge)
        edge = int(tree.next_edge[edge])
    return edges


def test_every_simulation_is_backed_up_to_the_root():
    """Each edge of the root has one visit for its first evaluation; each simulation adds one to the edge that it took."""
    table, simulations = open_table(find("muster"), {}), 40
    tree, view = new_tree(table.game, simulations), view_of(table, SALT)
    chosen = search_one(view.records, 0, table.seat, view.key[0], simulations, tree, new_scratch(table.game))
    edges = edges_of(tree, 0)
    assert sorted(tree.action[edges].tolist()) == np.flatnonzero(table.mask).tolist()
    assert tree.visits[edges].sum() == len(edges) + simulations
    assert (np.abs(tree.total[edges]) <= tree.visits[edges]).all()
    assert tree.action[max(edges, key=lambda edge: (tree.visits[edge], tree.total[edge]))] == chosen
    assert (tree.edge_of == NOBODY).all()


def test_a_full_tree_has_no_more_nodes():
    tree = new_tree(find("muster"), 2)
    assert [new_node(tree) for _ in range(4)] == [0, 1, 2, NOBODY]
