"""Expert iteration: the learner's own network searches, and learns from what the search finds.

What is to be learned of each action is not how often simulations played it: with a few dozen of them that says little, and a
network that learns it soon plays one action everywhere. It is the network's own probability times exp(sharpness × value): an
action that search has found to be better is to be played more often, one that it has hardly tried nearly as often as before.
"""

from functools import partial

import numpy as np

from cardtable.audit import fresh_games
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import compile_once, kernel
from cardtable.game.game import Game
from cardtable.players.views import Views
from cardtable.types import Bits, Floats, Integers, Records
from cardtable_agents.network.inference import Inference
from cardtable_agents.players.network_search import FLATNESS, Walk, grow_by_network, new_walk
from cardtable_agents.players.policy import Policy
from cardtable_agents.players.search import network_of
from cardtable_agents.players.tree import Tree, new_tree, plant


@kernel
def write_improved(tree: Tree, sharpness: float, target: Floats) -> None:
    """Write what search makes of the network's probability of each action of the root.

    An action counts as if one more simulation had found the value of the position there: a single one says little.
    """
    visits, total, edge = 0, 0.0, tree.first_edge[0]
    while edge != NOBODY:
        visits += tree.visits[edge]
        total += tree.total[edge]
        edge = tree.next_edge[edge]
    position, best, edge = total / max(visits, 1), -np.inf, tree.first_edge[0]
    while edge != NOBODY:
        value = (tree.total[edge] + position) / (tree.visits[edge] + 1)
        target[tree.action[edge]] = np.log(tree.prior[edge]) / FLATNESS + sharpness * value
        best = max(best, target[tree.action[edge]])
        edge = tree.next_edge[edge]
    shares, edge = 0.0, tree.first_edge[0]
    while edge != NOBODY:
        target[tree.action[edge]] = np.exp(target[tree.action[edge]] - best)
        shares += target[tree.action[edge]]
        edge = tree.next_edge[edge]
    edge = tree.first_edge[0]
    while edge != NOBODY:
        target[tree.action[edge]] /= shares
        edge = tree.next_edge[edge]


@kernel
def improve_many(
    games: Records,
    seats: Integers,
    keys: Bits,
    simulations: int,
    sharpness: float,
    tree: Tree,
    walk: Walk,
    network: Inference,
    targets: Floats,
) -> None:
    """Search in every game, and write what is to be learned; what belongs to other actions stays."""
    for lane in range(games.shape[0]):
        plant(tree)
        grow_by_network(games, lane, seats[lane], keys[lane], 0, simulations, tree, walk, network)
        write_improved(tree, sharpness, targets[lane])


class Expert:
    """A search by a network that changes: one thread's."""

    def __init__(self, game: Game, simulations: int, sharpness: float) -> None:
        self.game, self.simulations, self.sharpness = game, simulations, sharpness
        self._tree, self._walk = new_tree(game, simulations), new_walk(game)
        self._network: Inference | None = None

    def follow(self, policy: Policy) -> None:
        """Search by the network of this policy from now on."""
        self._network = network_of(policy)
        compile_once(f"{self.game.id}-expert", partial(_compile, self), __name__, self.game.state.dtype)

    def targets(self, views: Views) -> Floats:
        """float32 (n, A): the probability that the network should give each action of each view; every view has a choice."""
        found = np.zeros(views.mask.shape, np.float32)
        self.write_targets(views.records, views.seat, views.key, found)
        return found

    def write_targets(self, games: Records, seats: Integers, keys: Bits, targets: Floats) -> None:
        """Write the targets of some games, all zeros before."""
        assert self._network is not None, "an expert follows a policy"
        improve_many(games, seats, keys, self.simulations, self.sharpness, self._tree, self._walk, self._network, targets)


def _compile(expert: Expert) -> None:
    games = fresh_games(expert.game, expert.game.variants[0], 1, seed=0)
    targets = np.zeros((1, expert.game.actions.size), np.float32)
    expert.write_targets(games, games["seat"].astype(np.int8), np.zeros(1, np.uint64), targets)
