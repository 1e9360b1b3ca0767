"""`search:N`: information-set Monte-Carlo tree search, N simulations a move.

Each simulation redeals what the seat cannot know, walks down one tree that all worlds share, adds a node, evaluates it by
the game's evaluation, and backs the value up along its path. Positions are told apart by the actions that led to them. Which
actions are legal depends on the world, so an action competes only in worlds where it is legal. Every seat maximises its own
value, so any number of players will do.

A new node tries each legal action once, as `heuristic` does. Those values count as the first visit of each action, and they
are its prior: the better an action looks, the more often it is explored.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from cardtable.audit import fresh_games
from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.dispatch import is_over, legal, returns
from cardtable.engine.ending import Ending
from cardtable.engine.jit import compile_once, helper, kernel
from cardtable.engine.loops import advance
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.game.record import MAX_PLAYERS
from cardtable.players.agent import Agent
from cardtable.players.roster import integer_argument
from cardtable.players.views import Views, prepare_views
from cardtable.types import Actions, Counts, Floats, Records
from cardtable_agents.evaluations import evaluation as evaluations
from cardtable_agents.evaluations.evaluation import evaluate
from cardtable_agents.players.heuristic import Scratch, new_scratch, put_world, value_after

SIMULATIONS = 400
MOST_SIMULATIONS = 100_000
EDGES_A_NODE = 40
"""Space for edges, on average; a tree that is full grows no further, but its values still improve."""
DEEPEST = 64
"""The most decisions that a simulation looks ahead."""
EXPLORATION = 1.0
"""The weight of exploration beside values, which are in [-1, 1]."""
SHARPNESS = 8.0
"""The inverse temperature of priors: an action that looks better by 1 / SHARPNESS has e times the prior."""


class Tree(NamedTuple):
    """Positions (nodes) and the actions tried there (edges), in arrays of the caller. Node 0 is the root."""

    first_edge: Counts
    """(nodes,) the first edge of a node, or NOBODY."""
    next_edge: Counts
    """(edges,) the next edge of the same node, or NOBODY."""
    action: Actions
    """(edges,)"""
    child: Counts
    """(edges, seats) the node that an action leads to, by the seat that moves next, or NOBODY."""
    visits: Counts
    """(edges,) how often the action was played; the first evaluation counts."""
    total: Floats
    """(edges,) sum of the values for the seat that plays the action."""
    prior: Floats
    """(edges,) how good the action looked at first: its share of exploration, not normalised."""
    used: Counts
    """(2,) nodes and edges in use."""
    edge_of: Counts
    """(actions,) scratch: the edge of each action at the node looked at, or NOBODY."""
    path: Counts
    """(DEEPEST, 2) scratch: edges that a simulation took, and the seats that took them."""


def new_tree(game: Game, simulations: int) -> Tree:
    """A tree with space for so many simulations."""
    nodes, edges = simulations + 1, (simulations + 1) * EDGES_A_NODE + game.actions.size
    return Tree(
        np.zeros(nodes, np.int64),
        np.zeros(edges, np.int64),
        np.zeros(edges, ACTION),
        np.zeros((edges, MAX_PLAYERS), np.int64),
        np.zeros(edges, np.int64),
        np.zeros(edges),
        np.zeros(edges),
        np.zeros(2, np.int64),
        np.full(game.actions.size, NOBODY, np.int64),
        np.zeros((DEEPEST, 2), np.int64),
    )


@helper
def new_node(tree: Tree) -> int:
    """A node without edges, or NOBODY if the tree is full."""
    node = tree.used[0]
    if node == tree.first_edge.shape[0]:
        return NOBODY
    tree.first_edge[node] = NOBODY
    tree.used[0] += 1
    return node


@kernel
def add_edge(tree: Tree, node: int, action: int, value: float) -> int:
    """An edge for an action that looks as good as `value`, or NOBODY if the tree is full."""
    edge = tree.used[1]
    if edge == tree.next_edge.shape[0]:
        return NOBODY
    tree.used[1] += 1
    tree.next_edge[edge] = tree.first_edge[node]
    tree.first_edge[node] = edge
    tree.action[edge] = action
    tree.child[edge, :] = NOBODY
    tree.visits[edge] = 1
    tree.total[edge] = value
    tree.prior[edge] = np.exp(SHARPNESS * value)
    return edge


@kernel
def index_edges(tree: Tree, node: int) -> None:
    """Write the edge of each action of a node into `edge_of`."""
    edge = tree.first_edge[node]
    while edge != NOBODY:
        tree.edge_of[tree.action[edge]] = edge
        edge = tree.next_edge[edge]


@kernel
def clear_index(tree: Tree, node: int) -> None:
    """Remove the edges of a node from `edge_of`."""
    edge = tree.first_edge[node]
    while edge != NOBODY:
        tree.edge_of[tree.action[edge]] = NOBODY
        edge = tree.next_edge[edge]


@kernel
def add_edges(tree: Tree, node: int, count: int, scratch: Scratch) -> int:
    """Evaluate every legal action of `scratch.world` that the node has no edge for; return how many those are."""
    seat, new = scratch.world[0].seat, 0
    for k in range(count):
        action = scratch.actions[k]
        if tree.edge_of[action] == NOBODY:
            value_after(action, scratch)
            tree.edge_of[action] = add_edge(tree, node, action, scratch.seat_values[seat])
            new += 1
    return new


@kernel
def select(tree: Tree, count: int, scratch: Scratch) -> int:
    """The edge of the legal action with the best mean value plus exploration; NOBODY if no legal action has an edge."""
    visits, priors = 0, 0.0
    for k in range(count):
        edge = tree.edge_of[scratch.actions[k]]
        if edge != NOBODY:
            visits += tree.visits[edge]
            priors += tree.prior[edge]
    best, best_value = NOBODY, -np.inf
    scale = EXPLORATION * np.sqrt(visits)
    for k in range(count):
        edge = tree.edge_of[scratch.actions[k]]
        if edge != NOBODY:
            share = tree.prior[edge] / priors
            value = tree.total[edge] / tree.visits[edge] + scale * share / (1 + tree.visits[edge])
            if value > best_value:
                best, best_value = edge, value
    return best


@kernel
def simulate(tree: Tree, scratch: Scratch) -> None:
    """Walk down the tree in `scratch.world`, add a node, evaluate the position reached, and back its value up."""
    game, node, depth = scratch.world[0], 0, 0
    ending = is_over(game)
    while ending == Ending.ONGOING and depth < DEEPEST and node != NOBODY:
        count = legal(game, scratch.actions)
        index_edges(tree, node)
        new = add_edges(tree, node, count, scratch)
        edge = select(tree, count, scratch)
        clear_index(tree, node)
        if edge == NOBODY:
            break
        seat = game.seat
        tree.path[depth, 0] = edge
        tree.path[depth, 1] = seat
        depth += 1
        if new == count and node != 0:
            value_after(tree.action[edge], scratch)  # a new node: its best action ends the walk
            back_up(tree, depth, scratch.seat_values)
            return
        ending = advance(game, tree.action[edge])
        if tree.child[edge, game.seat] == NOBODY and ending == Ending.ONGOING:
            tree.child[edge, game.seat] = new_node(tree)
        node = tree.child[edge, game.seat]
    if ending == Ending.ONGOING:
        evaluate(game, scratch.weights[0], scratch.seat_values, scratch.evaluation[0])
    else:
        returns(game, scratch.seat_values)
    back_up(tree, depth, scratch.seat_values)


@kernel
def back_up(tree: Tree, depth: int, seat_values: Floats) -> None:
    """Add the value of a simulation to every edge it took, for the seat that took it."""
    for step in range(depth):
        edge = tree.path[step, 0]
        tree.visits[edge] += 1
        tree.total[edge] += seat_values[tree.path[step, 1]]


@kernel
def search_one(games: Records, lane: int, seat: int, key: np.uint64, simulations: int, tree: Tree, scratch: Scratch) -> int:
    """The action that simulations played most; on a tie the one with the best value."""
    if legal(games[lane], scratch.actions) == 1:
        return scratch.actions[0]
    tree.used[:] = 0
    new_node(tree)
    for number in range(simulations):
        put_world(games, lane, seat, rng.stream(key, np.uint64(number)), scratch.world)
        simulate(tree, scratch)
    edge = tree.first_edge[0]
    best = edge
    while edge != NOBODY:
        more = tree.visits[edge] - tree.visits[best]
        if more > 0 or (more == 0 and tree.total[edge] > tree.total[best]):
            best = edge
        edge = tree.next_edge[edge]
    return tree.action[best]


class SearchAgent(Agent):
    """Plays what N simulations come to prefer."""

    about = "information-set tree search over redealt worlds, N simulations a move (400)"
    takes = "N"

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        evaluations.require(game, "search")
        super().__init__(game, options, argument)
        self.simulations = integer_argument("search", argument, SIMULATIONS, MOST_SIMULATIONS)
        self.tree = new_tree(game, self.simulations)
        self.scratch = new_scratch(game)

    def prepare(self) -> None:
        """Compile the search, if no cache has it yet."""
        prepare_views(self.game)
        compile_once(f"{self.game.id}-search", partial(_compile, self.game), __name__, self.game.state.dtype)

    def act(self, views: Views) -> Actions:
        """The preferred action of each view."""
        self.prepare()
        actions = np.zeros(len(views), ACTION)
        for lane in range(len(views)):
            actions[lane] = search_one(
                views.records, lane, int(views.seat[lane]), views.key[lane], self.simulations, self.tree, self.scratch
            )
        return actions


def _compile(game: Game) -> None:
    games = fresh_games(game, game.variants[0], 1, seed=0)
    search_one(games, 0, int(games["seat"][0]), np.uint64(0), 2, new_tree(game, 2), new_scratch(game))
