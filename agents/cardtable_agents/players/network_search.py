"""Tree search guided by a network: where it looks is the network's prior, what it finds there the network's value.

A new node asks the network once, for all legal actions and all seats; its value ends the simulation. No action has been played
then, unlike in the search by an evaluation. Forced moves are played on the way and have no nodes.
"""

from typing import NamedTuple

import numpy as np

from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.dispatch import is_over, legal, returns
from cardtable.engine.ending import Ending
from cardtable.engine.jit import as_games, helper, kernel
from cardtable.engine.loops import advance
from cardtable.game.game import Game
from cardtable.game.record import MAX_PLAYERS
from cardtable.types import Actions, Floats, Header, Records
from cardtable_agents.network.inference import Inference, infer
from cardtable_agents.players.heuristic import put_world
from cardtable_agents.players.tree import DEEPEST, Tree, add_edge, back_up, child_of, clear_index, index_edges, select

EXPLORATION = 0.7
"""The weight of exploration beside values, which are in [-1, 1]."""
FLATNESS = 0.3
"""The power of the network's probabilities that is their share of exploration: a network that has learned to decide is surer
than it should be of what search is to check."""
LEAST_PRIOR = 1e-12
"""So that actions which alone are legal in a world can be told apart."""


class Walk(NamedTuple):
    """What a simulation works in: kernels allocate nothing."""

    world: Records
    """(1,) record: a redealt world."""
    actions: Actions
    """Ids of legal actions."""
    seat_values: Floats
    """The value of a position for each seat."""


def new_walk(game: Game) -> Walk:
    """Scratch for one simulation at a time."""
    return Walk(as_games(game.state.blank()), game.new_scratch(), np.zeros(MAX_PLAYERS))


@helper
def write_seat_values(game: Header, network: Inference, seat_values: Floats) -> None:
    """The values that were inferred, seat by seat; none is better than a win or worse than a loss."""
    players = game.num_players
    for place in range(players):
        seat_values[(game.seat + place) % players] = min(max(network.value[place], -1.0), 1.0)


@kernel
def expand(tree: Tree, node: int, count: int, walk: Walk, network: Inference) -> int:
    """Give every legal action of the world that has no edge one; return how many those are. If any, the values are written."""
    new = 0
    for k in range(count):
        new += 1 if tree.edge_of[walk.actions[k]] == NOBODY else 0
    if new == 0:
        return 0
    infer(walk.world, network, walk.actions)
    write_seat_values(walk.world[0], network, walk.seat_values)
    for k in range(count):
        action = walk.actions[k]
        if tree.edge_of[action] == NOBODY:
            prior = max(np.exp(FLATNESS * network.log_probability[k]), LEAST_PRIOR)
            tree.edge_of[action] = add_edge(tree, node, action, 0, 0.0, prior)
    return new


@kernel
def simulate(tree: Tree, walk: Walk, network: Inference) -> None:
    """Walk down the tree in `walk.world` to a position that is new, and back its value up."""
    game, node, edge, depth = walk.world[0], 0, NOBODY, 0
    ending = is_over(game)
    while ending == Ending.ONGOING and depth < DEEPEST:
        count = legal(game, walk.actions)
        action = walk.actions[0]
        if count > 1:
            node = 0 if edge == NOBODY else child_of(tree, edge, game.seat)
            if node == NOBODY:
                break
            index_edges(tree, node)
            new = expand(tree, node, count, walk, network)
            edge = select(tree, count, walk.actions, EXPLORATION)
            clear_index(tree, node)
            if edge == NOBODY:
                break
            if new == count and node != 0:
                back_up(tree, depth, walk.seat_values)
                return
            tree.path[depth, 0] = edge
            tree.path[depth, 1] = game.seat
            depth += 1
            action = tree.action[edge]
        ending = advance(game, action)
    if ending == Ending.ONGOING:
        infer(walk.world, network, walk.actions)
        write_seat_values(game, network, walk.seat_values)
    else:
        returns(game, walk.seat_values)
    back_up(tree, depth, walk.seat_values)


@kernel
def grow_by_network(
    games: Records, lane: int, seat: int, key: np.uint64, first: int, stop: int, tree: Tree, walk: Walk, network: Inference
) -> None:
    """Simulations number `first` to `stop` of a decision, each in a world of its own."""
    for number in range(first, stop):
        put_world(games, lane, seat, rng.stream(key, np.uint64(number)), walk.world)
        simulate(tree, walk, network)
