"""The tree that a search grows: positions, the actions tried there, and what simulations made of them.

Positions are told apart by the actions that led to them, so all redealt worlds share one tree. Which actions are legal
depends on the world: an action competes only in worlds where it is legal.
"""

from typing import NamedTuple

import numpy as np

from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import helper, kernel
from cardtable.game.game import ACTION, Game
from cardtable.game.record import MAX_PLAYERS
from cardtable.types import Actions, Counts, Floats

EDGES_A_NODE = 40
"""Space for edges, on average; a tree that is full grows no further, but its values still improve."""
DEEPEST = 64
"""The most decisions that a simulation looks ahead."""


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
    """(edges,) how often the action was played; an evaluation of its own, when the edge was made, counts too."""
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
    source: Counts
    """(nodes,) scratch: the node of another tree that a node was copied from."""


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
        np.zeros(nodes, np.int64),
    )


@kernel
def plant(tree: Tree) -> None:
    """Let the tree be a root without edges."""
    tree.used[:] = 0
    new_node(tree)


@helper
def new_node(tree: Tree) -> int:
    """A node without edges, or NOBODY if the tree is full."""
    node = tree.used[0]
    if node == tree.first_edge.shape[0]:
        return NOBODY
    tree.first_edge[node] = NOBODY
    tree.used[0] += 1
    return node


@helper
def child_of(tree: Tree, edge: int, seat: int) -> int:
    """The node that an edge leads to if this seat moves next, a new one if need be; NOBODY if the tree is full."""
    if tree.child[edge, seat] == NOBODY:
        tree.child[edge, seat] = new_node(tree)
    return tree.child[edge, seat]


@kernel
def add_edge(tree: Tree, node: int, action: int, visits: int, total: float, prior: float) -> int:
    """An edge for an action, or NOBODY if the tree is full."""
    edge = tree.used[1]
    if edge == tree.next_edge.shape[0]:
        return NOBODY
    tree.used[1] += 1
    tree.next_edge[edge] = tree.first_edge[node]
    tree.first_edge[node] = edge
    tree.action[edge] = action
    tree.child[edge, :] = NOBODY
    tree.visits[edge] = visits
    tree.total[edge] = total
    tree.prior[edge] = prior
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
def select(tree: Tree, count: int, actions: Actions, exploration: float) -> int:
    """The edge of the legal action with the best mean value plus exploration; NOBODY if no legal action has an edge.

    An action that was never played counts as much as all of them do on average.
    """
    visits, priors, total = 0, 0.0, 0.0
    for k in range(count):
        edge = tree.edge_of[actions[k]]
        if edge != NOBODY:
            visits += tree.visits[edge]
            priors += tree.prior[edge]
            total += tree.total[edge]
    visits = max(visits, 1)
    best, best_value = NOBODY, -np.inf
    scale = exploration * np.sqrt(visits)
    for k in range(count):
        edge = tree.edge_of[actions[k]]
        if edge != NOBODY:
            share = tree.prior[edge] / priors
            mean = tree.total[edge] / tree.visits[edge] if tree.visits[edge] > 0 else total / visits
            value = mean + scale * share / (1 + tree.visits[edge])
            if value > best_value:
                best, best_value = edge, value
    return best


@kernel
def back_up(tree: Tree, depth: int, seat_values: Floats) -> None:
    """Add the value of a simulation to every edge it took, for the seat that took it."""
    for step in range(depth):
        edge = tree.path[step, 0]
        tree.visits[edge] += 1
        tree.total[edge] += seat_values[tree.path[step, 1]]


@kernel
def favourite(tree: Tree) -> int:
    """The action of the root that simulations played most; on a tie the one with the best value."""
    edge = tree.first_edge[0]
    best = edge
    while edge != NOBODY:
        more = tree.visits[edge] - tree.visits[best]
        if more > 0 or (more == 0 and tree.total[edge] > tree.total[best]):
            best = edge
        edge = tree.next_edge[edge]
    return tree.action[best]


def root_edges(tree: Tree) -> Counts:
    """The edges of the root, one for each legal action."""
    edges, edge = [], int(tree.first_edge[0])
    while edge != NOBODY:
        edges.append(edge)
        edge = int(tree.next_edge[edge])
    return np.array(edges, np.int64)


# ---- From one tree to another


@kernel
def below(tree: Tree, node: int, action: int, seat: int) -> int:
    """The node that an action leads to if this seat moves next; NOBODY if no simulation has been there."""
    edge = tree.first_edge[node]
    while edge != NOBODY:
        if tree.action[edge] == action:
            return tree.child[edge, seat]
        edge = tree.next_edge[edge]
    return NOBODY


@kernel
def copy_below(tree: Tree, root: int, copy: Tree) -> None:
    """Let another tree, with as much space, be a node and all that lies below it; edges keep their order."""
    plant(copy)
    copy.source[0] = root
    node = 0
    while node < copy.used[0]:
        edge, last = tree.first_edge[copy.source[node]], NOBODY
        while edge != NOBODY:
            copied = copy.used[1]
            copy.used[1] += 1
            copy_edge(tree, edge, copy, copied)
            if last == NOBODY:
                copy.first_edge[node] = copied
            else:
                copy.next_edge[last] = copied
            last, edge = copied, tree.next_edge[edge]
        node += 1


@helper
def copy_edge(tree: Tree, edge: int, copy: Tree, copied: int) -> None:
    """Copy an edge, which becomes the last of its node; the nodes it leads to are yet to be filled."""
    copy.next_edge[copied] = NOBODY
    copy.action[copied] = tree.action[edge]
    copy.visits[copied] = tree.visits[edge]
    copy.total[copied] = tree.total[edge]
    copy.prior[copied] = tree.prior[edge]
    for seat in range(tree.child.shape[1]):
        copy.child[copied, seat] = NOBODY
        if tree.child[edge, seat] != NOBODY:
            child = new_node(copy)
            copy.child[copied, seat] = child
            copy.source[child] = tree.child[edge, seat]


def packed(tree: Tree) -> Tree:
    """A copy with just as much space as its nodes and edges take."""
    nodes, edges = map(int, tree.used)
    return tree._replace(
        first_edge=tree.first_edge[:nodes].copy(),
        next_edge=tree.next_edge[:edges].copy(),
        action=tree.action[:edges].copy(),
        child=tree.child[:edges].copy(),
        visits=tree.visits[:edges].copy(),
        total=tree.total[:edges].copy(),
        prior=tree.prior[:edges].copy(),
        used=tree.used.copy(),
    )


def unpack(small: Tree, tree: Tree) -> None:
    """Let a tree be one that was packed; it has space for it."""
    nodes, edges = map(int, small.used)
    tree.used[:] = small.used
    tree.first_edge[:nodes] = small.first_edge
    for name in ("next_edge", "action", "child", "visits", "total", "prior"):
        getattr(tree, name)[:edges] = getattr(small, name)
