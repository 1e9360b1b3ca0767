"""The tree search, by evaluation and by network: run compiled, with array bounds checked, and in plain Python."""

import numpy as np
import pytest
from cardtable_agents.network.inference import infer, new_inference
from cardtable_agents.players.network_search import new_walk, write_seat_values
from cardtable_agents.players.policy import Advice, Policy
from cardtable_agents.players.search import Budget, SearchAgent
from cardtable_agents.players.tree import new_node, new_tree, root_edges
from helpers import SALT, VARIANTS, open_table, states, variant_id
from muster.positions import position
from networks import network, saved

from benchmarks import simulations
from cardtable.engine.constants import NOBODY
from cardtable.errors import AgentError
from cardtable.game.registry import find
from cardtable.players.views import view_of

pytestmark = pytest.mark.rules


def searcher(table, folder, evaluates, budget="6"):
    """An agent that searches by the evaluation or by a network that has learned nothing."""
    path = f":{saved(folder, table.game, network(table.game, table.players))}" if evaluates == "network" else ""
    return SearchAgent(table.game, table.options, f"{budget}{path}")


EITHER = pytest.mark.parametrize("evaluates", ["evaluation", "network"])


@EITHER
@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_search_plays_a_legal_action_even_with_little_space(game_id, options, evaluates, tmp_path):
    table = open_table(find(game_id), options)
    agent = searcher(table, tmp_path, evaluates)
    agent.tree = new_tree(table.game, 3)
    for _ in range(3):
        table.play(table.checked_action(agent.consider(view_of(table, SALT), 0)))


@EITHER
def test_muster_search_takes_the_deciding_castle_with_the_last_card(evaluates, tmp_path):
    """Two castles each; the Wizard wins the fifth, and the last card of the pile ends the game: no network need know that."""
    table = position(
        hand="wizard/bridge, water 1, water 1, feather 1, feather 1",
        columns={"water": "3, 4", "feather": "3, 4"},
        other_columns={"cloud": "3, 4", "sun": "3, 4", "leaf": "2"},
        pile_size=1,
    )
    agent = searcher(table, tmp_path, evaluates, "60")
    assert table.game.actions.names[agent.consider(view_of(table, SALT), 0)] == "wizard at leaf"


@EITHER
def test_every_simulation_is_backed_up_to_the_root(evaluates, tmp_path):
    """By evaluation, each edge of the root has one visit for its first evaluation; each simulation adds one to an edge."""
    table, simulations = open_table(find("muster"), {}), 40
    agent = searcher(table, tmp_path, evaluates, str(simulations))
    chosen, tree = agent.consider(view_of(table, SALT), 0), agent.tree
    edges = root_edges(tree)
    assert sorted(tree.action[edges].tolist()) == np.flatnonzero(table.mask).tolist()
    assert tree.visits[edges].sum() == simulations + (len(edges) if evaluates == "evaluation" else 0)
    assert (np.abs(tree.total[edges]) <= tree.visits[edges]).all()
    assert tree.action[max(edges, key=lambda edge: (tree.visits[edge], tree.total[edge]))] == chosen
    assert (tree.edge_of == NOBODY).all()
    actions, played, means = agent.considered()
    assert played.sum() == simulations
    assert (np.isnan(means) == (tree.visits[edges] == 0)).all()
    assert actions[played.argmax()] == chosen


def test_a_full_tree_has_no_more_nodes():
    tree = new_tree(find("muster"), 2)
    assert [new_node(tree) for _ in range(4)] == [0, 1, 2, NOBODY]


@EITHER
def test_a_forced_move_is_played_at_once(evaluates, tmp_path):
    table = next(table for table in states(find("murano"), {}, 60) if table.mask.sum() == 1)
    agent = searcher(table, tmp_path, evaluates, "60000ms")
    assert table.mask[agent.consider(view_of(table, SALT), 0)] == 1
    assert len(agent.considered()[0]) == 0


# ---- What the network says of a position


@pytest.mark.parametrize("widths", [(64,), (24,), (128, 64), (70, 200, 33)])
@pytest.mark.parametrize(("game_id", "options"), [("muster", {}), ("murano", {"num_players": 3})])
def test_what_is_inferred_of_a_position_is_what_the_policy_says(game_id, options, widths):
    """Layers of any widths; the policy's own numbers are in double precision."""
    game = find(game_id)
    players = game.parse_options(options).num_players
    found = network(game, players, widths)
    inference, scratch = new_inference(found.layers, found.value), game.new_scratch()
    for table in states(game, options, 12):
        infer(table.games, inference, scratch)
        legal_actions, seen = scratch[: table.mask.sum()], table.observation[None]
        assert sorted(legal_actions.tolist()) == np.flatnonzero(table.mask).tolist()
        logits = found.logits(seen, table.mask[None])[0]
        expected = (logits - np.log(np.exp(logits - logits.max()).sum()) - logits.max())[legal_actions]
        assert inference.log_probability[: len(legal_actions)] == pytest.approx(expected, abs=1e-4)
        assert inference.value == pytest.approx(found.values(seen)[0], abs=1e-4)


def test_values_are_those_of_the_seats_and_within_what_games_pay():
    """The network's first value is that of the seat to act; what is beyond a win or a loss is cut off."""
    game = find("murano")
    found = network(game, 3)
    still = Policy(found.layers, value=(np.zeros((3, 64)), np.array([0.5, -7.0, 7.0])))
    inference, walk, seats = new_inference(still.layers, still.value), new_walk(game), set()
    for table in states(game, {"num_players": 3}, 60):
        infer(table.games, inference, walk.actions)
        write_seat_values(table.games[0], inference, walk.seat_values)
        assert [walk.seat_values[(table.seat + place) % 3] for place in range(3)] == [0.5, -1, 1]
        seats.add(table.seat)
    assert seats == {0, 1, 2}


def test_a_network_guides_the_search(tmp_path):
    """One that holds an action for nearly certain has it explored first; one that prefers another, that other."""
    game = find("muster")
    table, preferred = open_table(game, {}), []
    for action in np.flatnonzero(table.mask)[[0, -1]]:
        (weight, bias), (last, last_bias) = network(game, 2).layers
        found = Policy([(weight, bias), (0 * last, 0 * last_bias)], value=(np.zeros((2, 64)), np.zeros(2)))
        found.layers[-1][1][action] = 20.0
        path = saved(tmp_path, game, found)
        preferred.append(SearchAgent(game, table.options, f"8:{path}").consider(view_of(table, SALT), 0) == action)
    assert preferred == [True, True]


# ---- What a search is told


def test_a_search_by_the_clock_ends_and_says_that_it_cannot_be_repeated(tmp_path):
    table = open_table(find("muster"), {})
    agent, still = searcher(table, tmp_path, "evaluation", "1ms"), searcher(table, tmp_path, "evaluation", "12")
    table.play(table.checked_action(agent.consider(view_of(table, SALT), 0)))
    assert agent.considered()[1].sum() >= 1
    assert (agent.repeatable, still.repeatable) == (False, True)


def test_a_budget_of_time_goes_on_where_it_was(monkeypatch):
    clock, asked = iter([0.0, 0.01, 0.04, 0.06]), []
    monkeypatch.setattr("cardtable_agents.players.search.time.perf_counter", lambda: next(clock))
    Budget.of("50ms").spend(lambda first, stop: asked.append((first, stop)))
    assert asked == [(0, 64), (64, 128), (128, 192)]


def test_a_policy_that_cannot_guide_a_search_is_refused(tmp_path):
    game = find("muster")
    options, good = game.parse_options({}), network(game, 2)
    layer = np.zeros((game.actions.size, game.layout.size)), np.zeros(game.actions.size)
    linear = Policy([layer], value=(np.zeros((2, game.layout.size)), np.zeros(2)))
    for found, message in (
        (Policy(good.layers), "it has no value head; policies that `cardtable train` makes have one"),
        (network(game, 3), "it has values for 3 players, expected 2"),
        (Policy(good.layers, Advice("heuristic", 1.0), good.value), "it needs the advice of 'heuristic'"),
        (linear, "it has no hidden layer"),
    ):
        path = saved(tmp_path, game, found)
        with pytest.raises(AgentError, match=f"agent search: policy .* cannot guide it: {message}"):
            SearchAgent(game, options, f"10:{path}")
    with pytest.raises(AgentError, match="no-such-file"):
        SearchAgent(game, options, f"10:{tmp_path / 'no-such-file'}")
    path, other = saved(tmp_path, game, good), find("murano")
    with pytest.raises(AgentError, match="its game is 'muster_v0', expected 'murano_v0'"):
        SearchAgent(other, other.parse_options({}), f"10:{path}")


def test_the_fingerprint_is_that_of_the_policy(tmp_path):
    game = find("muster")
    options, seen = game.parse_options({}), set()
    for seed in (0, 1):
        path = saved(tmp_path, game, network(game, 2, seed=seed))
        seen.add(SearchAgent(game, options, f"10:{path}").fingerprint())
    assert len(seen) == 2
    assert SearchAgent(game, options, "10").fingerprint() == ""


def test_simulations_are_timed_at_decisions_with_a_choice():
    views = simulations.views_of("murano", 5)
    assert len(views) == 5
    assert all(each.mask.sum() > 1 for each in views)
    assert simulations.seconds_of("search:2", views) > 0
