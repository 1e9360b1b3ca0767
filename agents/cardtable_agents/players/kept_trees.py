"""Trees kept from one decision to the next: what simulations have found below the move that was played.

That is still right where the seat decides again and has seen nothing that it could not foresee, as within a turn of Murano or
Muster. Where a card was turned up, or others have chosen, the tree holds the results of worlds that cannot be: it is dropped.
"""

from collections import OrderedDict

import numpy as np

from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.dispatch import legal
from cardtable.engine.ending import Ending
from cardtable.engine.jit import as_games, kernel
from cardtable.engine.loops import advance
from cardtable.game.game import Game
from cardtable.players.views import Views, forget_many
from cardtable.types import Actions, Records
from cardtable_agents.players.heuristic import put_world
from cardtable_agents.players.tree import Tree, below, copy_below, new_tree, packed, root_edges, unpack

WORLDS = 4
"""Redealt worlds in which a move must lead to the same view: if it turns a card up, they differ."""
MOST_EDGES = 500_000
"""Space for kept trees, in edges: about 50 MB. The oldest are dropped first; the newest stays, however large it is."""
LONGEST_ROW = 64
"""Forced moves in a row that are foreseen, at most."""


@kernel
def play_everywhere(worlds: Records, action: int) -> bool:
    """Play an action in every world; whether all games go on, with the same seat to act."""
    same = True
    for number in range(worlds.shape[0]):
        same = advance(worlds[number], action) == Ending.ONGOING and same
    for number in range(worlds.shape[0]):
        same = worlds[number].seat == worlds[0].seat and same
    return same


@kernel
def forced_everywhere(worlds: Records, scratch: Actions) -> int:
    """The action that is the only legal one in every world, or NOBODY."""
    forced = NOBODY
    for number in range(worlds.shape[0]):
        if legal(worlds[number], scratch) != 1 or (number > 0 and scratch[0] != forced):
            return NOBODY
        forced = scratch[0]
    return forced


@kernel
def put_worlds(games: Records, lane: int, seat: int, key: np.uint64, worlds: Records) -> None:
    """Write redealt worlds of a view, others than those that its search has seen."""
    for number in range(worlds.shape[0]):
        put_world(games, lane, seat, rng.stream(~key, np.uint64(number)), worlds[number : number + 1])


class KeptTrees:
    """Trees by the view that they are for: a record without what its seat cannot know."""

    def __init__(self, game: Game, simulations: int, *, forced_nodes: bool) -> None:
        """Of trees with space for so many simulations. `forced_nodes`: whether forced moves have nodes in them."""
        self._forced_nodes = forced_nodes
        self._copy = new_tree(game, simulations)
        self._scratch = game.new_scratch()
        self._worlds = as_games(np.repeat(np.asarray(game.state.blank()), WORLDS))
        self._trees: OrderedDict[bytes, Tree] = OrderedDict()

    def compile(self, games: Records, action: int, tree: Tree) -> None:
        """Call every kernel once: with a game, an action that is legal there, and a tree that a search of it has grown."""
        put_worlds(games, 0, int(games["seat"][0]), np.uint64(0), self._worlds)
        self._node(tree, self._play_on(action))
        copy_below(tree, 0, self._copy)

    def restore(self, views: Views, lane: int, tree: Tree) -> bool:
        """Let a tree be the one that was kept for a view; whether there was one."""
        small = self._trees.pop(views.records[lane : lane + 1].tobytes(), None)
        if small is None or not np.isin(small.action[root_edges(small)], np.flatnonzero(views.mask[lane])).all():
            return False
        unpack(small, tree)
        return True

    def keep(self, views: Views, lane: int, action: int, tree: Tree) -> None:
        """Keep what lies below an action about to be played, if its seat decides again and foresees what it will see."""
        seat, worlds = int(views.seat[lane]), self._worlds
        put_worlds(views.records, lane, seat, views.key[lane], worlds)
        steps = self._play_on(action)
        if not steps or steps[-1][1] != seat:
            return
        forget_many(worlds, np.full(WORLDS, seat, np.int8))
        expected = {worlds[number : number + 1].tobytes() for number in range(WORLDS)}
        node = self._node(tree, steps)
        if len(expected) == 1 and node != NOBODY:
            copy_below(tree, node, self._copy)
            self._add(expected.pop(), packed(self._copy))

    def _play_on(self, action: int) -> list[tuple[int, int]]:
        """Play an action in all worlds, and what is forced after it: actions and the seats to act then; none if they differ."""
        steps = list[tuple[int, int]]()
        while action != NOBODY and len(steps) < LONGEST_ROW:
            if not play_everywhere(self._worlds, action):
                return []
            steps.append((action, int(self._worlds["seat"][0])))
            action = int(forced_everywhere(self._worlds, self._scratch))
        return steps

    def _node(self, tree: Tree, steps: list[tuple[int, int]]) -> int:
        """The node of a tree that steps lead to from its root; NOBODY if no simulation has been there."""
        if not self._forced_nodes:
            steps = [(steps[0][0], steps[-1][1])]
        node = 0
        for action, seat in steps:
            if node != NOBODY:
                node = int(below(tree, node, action, seat))
        return node

    def _add(self, view: bytes, tree: Tree) -> None:
        """Keep a tree; the oldest make room for it. One of a long search, which is worth most, may be all that is kept."""
        self._trees.pop(view, None)
        self._trees[view] = tree
        while len(self._trees) > 1 and sum(len(each.action) for each in self._trees.values()) > MOST_EDGES:
            self._trees.popitem(last=False)
