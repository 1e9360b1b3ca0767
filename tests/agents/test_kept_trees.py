"""Trees that a search by the clock keeps: run compiled, with array bounds checked, and in plain Python."""

from dataclasses import replace

import numpy as np
import pytest
from cardtable_agents.players import kept_trees
from cardtable_agents.players.kept_trees import KeptTrees
from cardtable_agents.players.search import Budget, SearchAgent
from cardtable_agents.players.tree import add_edge, copy_below, new_tree, packed, plant, root_edges, unpack
from helpers import SALT, open_table
from networks import network, saved

from cardtable.engine.constants import NOBODY
from cardtable.game.registry import find
from cardtable.players.views import view_of

pytestmark = pytest.mark.rules

GAMES = pytest.mark.parametrize(
    ("game_id", "options"), [("muster", {}), ("murano", {}), ("murano", {"num_players": 3}), ("artisans", {})]
)
EITHER = pytest.mark.parametrize("evaluates", ["evaluation", "network"])


def by_the_clock(table, folder, evaluates, simulations=12):
    """A search that keeps trees, as one by the clock does, and has time for so many simulations on every machine."""
    path = f":{saved(folder, table.game, network(table.game, table.players))}" if evaluates == "network" else ""
    agent = SearchAgent(table.game, table.options, f"1ms{path}")
    agent.budget = Budget(simulations)
    return agent


def content(tree, node=0):
    """All that a tree knows of a node and what lies below it."""
    found, edge = [], int(tree.first_edge[node])
    while edge != NOBODY:
        below = [content(tree, child) if child != NOBODY else None for child in tree.child[edge].tolist()]
        found.append((int(tree.action[edge]), int(tree.visits[edge]), float(tree.total[edge]), float(tree.prior[edge]), below))
        edge = int(tree.next_edge[edge])
    return found


def child_content(tree, action, seat):
    """The same of the node that an action leads to, with every forced move after it skipped; None if there is none."""
    for edge in root_edges(tree).tolist():
        if tree.action[edge] == action and tree.child[edge, seat] != NOBODY:
            return content(tree, int(tree.child[edge, seat]))
    return None


def as_seen(table):
    return view_of(table, SALT).records.tobytes()


def foreseen(table, action, seat):
    """What the seat would see after an action, in many redealt worlds."""
    seen = set()
    for seed in range(40):
        world = table.redeal(seat, seed)
        world.play(action)
        seen.add(as_seen(world) if not world.ending and world.seat == seat else None)
    return seen


@GAMES
@EITHER
def test_a_kept_tree_is_what_lies_below_a_move_that_showed_nothing_new(game_id, options, evaluates, tmp_path):
    """At every decision of some turns: kept are trees whose next view could be foreseen; they know what was found there."""
    table = open_table(find(game_id), options, seed=3)
    agent, tree = by_the_clock(table, tmp_path, evaluates), new_tree(table.game, 400)
    kept = dropped = 0
    for _ in range(60):
        view, seat = view_of(table, SALT), table.seat
        action, forced = agent.consider(view, 0), table.mask.sum() == 1
        expected, views = child_content(agent.tree, action, seat), foreseen(table, action, seat)
        table.play(table.checked_action(action))
        if table.ending:
            break
        if forced or table.seat != seat or table.mask.sum() == 1:
            continue
        if agent.kept.restore(view_of(table, SALT), 0, tree):
            assert views == {as_seen(table)}
            assert content(tree) == expected
            kept += 1
        else:
            assert expected is None or len(views) > 1
            dropped += 1
    assert kept > 0 or (game_id == "artisans" and dropped == 0)  # a turn of Artisans is one decision


@EITHER
def test_the_next_decision_of_a_turn_goes_on_from_there(evaluates, tmp_path):
    """Simulations of the decision before count: the root has more than this decision has had time for."""
    table, more = open_table(find("murano"), {}, seed=3), 0
    agent = by_the_clock(table, tmp_path, evaluates)
    for _ in range(25):
        action = agent.consider(view_of(table, SALT), 0)
        more += agent.considered()[1].sum() > agent.budget.simulations
        table.play(table.checked_action(action))
    assert more > 0


@EITHER
def test_forced_moves_between_two_decisions_keep_the_tree(evaluates, tmp_path):
    table, found = open_table(find("murano"), {"interactive": True}, seed=0), 0
    agent, tree = by_the_clock(table, tmp_path, evaluates, simulations=60), new_tree(table.game, 200)
    for _ in range(60):
        seat = table.seat
        table.play(table.checked_action(agent.consider(view_of(table, SALT), 0)))
        forced = 0
        while not table.ending and table.mask.sum() == 1 and table.seat == seat:
            table.play(int(np.flatnonzero(table.mask)[0]))
            forced += 1
        if table.ending:
            break
        found += forced > 0 and table.seat == seat and agent.kept.restore(view_of(table, SALT), 0, tree)
    assert found > 0


@GAMES
def test_what_is_hidden_makes_no_difference_to_what_is_kept(game_id, options, tmp_path):
    """Hidden cards are drawn anew before each decision of one of two searches that keep trees: they find and play the same."""
    table = open_table(find(game_id), options, seed=11)
    one, other = (by_the_clock(table, tmp_path, "evaluation") for _ in range(2))
    for number in range(25):
        view, redealt = view_of(table, SALT), view_of(table.redeal(table.seat, number), SALT)
        action = one.consider(view, 0)
        assert other.consider(replace(redealt, key=view.key), 0) == action
        assert content(other.tree) == content(one.tree)
        table.play(table.checked_action(action))
        if table.ending:
            break


def test_another_view_gets_no_tree(tmp_path):
    """Neither the other seat nor another game nor a second question is given a tree that was kept."""
    game = find("murano")
    table, other, tree = open_table(game, {}, seed=3), open_table(game, {}, seed=4), new_tree(game, 400)
    agent = by_the_clock(table, tmp_path, "evaluation")
    table.play(agent.consider(view_of(table, SALT), 0))
    assert not agent.kept.restore(view_of(other, SALT), 0, tree)
    assert agent.kept.restore(view_of(table, SALT), 0, tree)
    assert not agent.kept.restore(view_of(table, SALT), 0, tree)


def test_a_tree_with_an_illegal_action_is_dropped():
    """Four worlds may agree by chance where a fifth would not."""
    game = find("muster")
    table, kept, tree = open_table(game, {}), KeptTrees(game, 8, forced_nodes=True), new_tree(game, 8)
    plant(tree)
    add_edge(tree, 0, int(np.flatnonzero(table.mask == 0)[0]), 1, 0.5, 1.0)
    view = view_of(table, SALT)
    kept._trees[view.records.tobytes()] = packed(tree)
    other = new_tree(game, 8)
    plant(other)
    assert not kept.restore(view, 0, other)
    assert len(root_edges(other)) == 0


@pytest.mark.parametrize(("space", "names", "stay"), [(10, "abcb", "cb"), (3, "ab", "b")], ids=["two", "none"])
def test_the_oldest_trees_make_room_but_the_newest_stays_whatever_there_is_space_for(space, names, stay, monkeypatch):
    """The newest may be that of a long search, for a game that somebody waits for. Each tree here has four edges."""
    game = find("muster")
    kept, tree = KeptTrees(game, 8, forced_nodes=True), new_tree(game, 8)
    plant(tree)
    for action in range(4):
        add_edge(tree, 0, action, 1, 0.0, 1.0)
    monkeypatch.setattr(kept_trees, "MOST_EDGES", space)
    for name in names:
        kept._add(name.encode(), packed(tree))
    assert b"".join(kept._trees) == stay.encode()


def test_a_copy_of_a_part_of_a_tree_is_that_part(tmp_path):
    table = open_table(find("muster"), {})
    agent = SearchAgent(table.game, table.options, "60")
    action = agent.consider(view_of(table, SALT), 0)
    part, again = new_tree(table.game, 60), new_tree(table.game, 60)
    copy_below(agent.tree, 0, part)
    assert content(part) == content(agent.tree)
    unpack(packed(part), again)
    assert content(again) == content(part)
    edge = next(edge for edge in root_edges(agent.tree).tolist() if agent.tree.action[edge] == action)
    child = int(agent.tree.child[edge].max())
    copy_below(agent.tree, child, part)
    assert content(part) == content(agent.tree, child) != content(agent.tree)


def test_a_search_that_can_be_repeated_keeps_nothing():
    game = find("muster")
    assert SearchAgent(game, game.parse_options({}), "60").kept is None
