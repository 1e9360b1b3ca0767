"""`search:N`: information-set Monte-Carlo tree search, N simulations a move; `search:50ms`: as many as 50 milliseconds allow.

Each simulation redeals what the seat cannot know, walks down one tree that all worlds share (`tree`), adds a node, evaluates
it, and backs the value up along its path. Every seat maximises its own value, so any number of players will do.
`search:N:net` and `search:N:PATH` evaluate by a trained network (`network_search`); here it is the game's evaluation:

A new node tries each legal action once, as `heuristic` does. Those values count as the first visit of each action, and they
are its prior: the better an action looks, the more often it is explored.
"""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from cardtable.audit import fresh_games
from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.dispatch import is_over, legal, returns
from cardtable.engine.ending import Ending
from cardtable.engine.jit import compile_once, kernel
from cardtable.engine.loops import advance
from cardtable.errors import AgentError
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.players.agent import Agent
from cardtable.players.views import Views, prepare_views
from cardtable.support.messages import shown
from cardtable.types import Actions, Counts, Floats, Records
from cardtable_agents.evaluations import evaluation as evaluations
from cardtable_agents.evaluations.evaluation import evaluate
from cardtable_agents.network.inference import Inference, new_inference
from cardtable_agents.players import policy
from cardtable_agents.players.heuristic import Scratch, new_scratch, put_world, value_after
from cardtable_agents.players.kept_trees import KeptTrees
from cardtable_agents.players.network_search import grow_by_network, new_walk
from cardtable_agents.players.policy import Policy
from cardtable_agents.players.tree import (
    DEEPEST,
    Tree,
    add_edge,
    back_up,
    child_of,
    clear_index,
    favourite,
    index_edges,
    new_tree,
    plant,
    root_edges,
    select,
)

SIMULATIONS = 400
MOST_SIMULATIONS = 100_000
MOST_MILLISECONDS = 60_000
SIMULATIONS_A_MILLISECOND = 500
"""What a tree that grows by the clock has space for: more than a fast core makes, as what was kept takes some of it. Space that
is not used costs nothing."""
PIECE = 64
"""Simulations between two looks at the clock: less than a millisecond."""
SHIPPED = "net"
"""What names the policy that comes with the package."""
EXPLORATION = 1.0
"""The weight of exploration beside values, which are in [-1, 1]."""
SHARPNESS = 8.0
"""The inverse temperature of priors: an action that looks better by 1 / SHARPNESS has e times the prior."""


@kernel
def add_edges(tree: Tree, node: int, count: int, scratch: Scratch) -> int:
    """Evaluate every legal action of `scratch.world` that the node has no edge for; return how many those are."""
    seat, new = scratch.world[0].seat, 0
    for k in range(count):
        action = scratch.actions[k]
        if tree.edge_of[action] == NOBODY:
            value_after(action, scratch)
            value = scratch.seat_values[seat]
            tree.edge_of[action] = add_edge(tree, node, action, 1, value, np.exp(SHARPNESS * value))
            new += 1
    return new


@kernel
def simulate(tree: Tree, scratch: Scratch) -> None:
    """Walk down the tree in `scratch.world`, add a node, evaluate the position reached, and back its value up."""
    game, node, depth = scratch.world[0], 0, 0
    ending = is_over(game)
    while ending == Ending.ONGOING and depth < DEEPEST and node != NOBODY:
        count = legal(game, scratch.actions)
        index_edges(tree, node)
        new = add_edges(tree, node, count, scratch)
        edge = select(tree, count, scratch.actions, EXPLORATION)
        clear_index(tree, node)
        if edge == NOBODY:
            break
        tree.path[depth, 0] = edge
        tree.path[depth, 1] = game.seat
        depth += 1
        if new == count and node != 0:
            value_after(tree.action[edge], scratch)  # a new node: its best action ends the walk
            back_up(tree, depth, scratch.seat_values)
            return
        ending = advance(game, tree.action[edge])
        if ending == Ending.ONGOING:
            node = child_of(tree, edge, game.seat)
    if ending == Ending.ONGOING:
        evaluate(game, scratch.weights[0], scratch.seat_values, scratch.evaluation[0])
    else:
        returns(game, scratch.seat_values)
    back_up(tree, depth, scratch.seat_values)


@kernel
def grow(games: Records, lane: int, seat: int, key: np.uint64, first: int, stop: int, tree: Tree, scratch: Scratch) -> None:
    """Simulations number `first` to `stop` of a decision, each in a world of its own."""
    for number in range(first, stop):
        put_world(games, lane, seat, rng.stream(key, np.uint64(number)), scratch.world)
        simulate(tree, scratch)


# ---- What follows the colon


@dataclass(frozen=True)
class Budget:
    """How much a search may do for a decision: so many simulations, or as many as its time allows."""

    simulations: int
    """If there is a time: how many the tree has space for."""
    milliseconds: int | None = None

    @classmethod
    def of(cls, text: str) -> "Budget":
        """From `400` or `50ms`; `AgentError` for anything else."""
        number, unit = match.groups() if (match := re.fullmatch(r"([0-9]{1,9})(ms)?", text)) else ("0", None)
        if unit and 1 <= int(number) <= MOST_MILLISECONDS:
            return cls(min(int(number) * SIMULATIONS_A_MILLISECOND, MOST_SIMULATIONS), int(number))
        if not unit and 1 <= int(number) <= MOST_SIMULATIONS:
            return cls(int(number))
        raise AgentError(
            f"agent {shown(f'search:{text}')}: allowed after the colon: integers from 1 to {MOST_SIMULATIONS} (simulations) or "
            f"times from 1ms to {MOST_MILLISECONDS}ms; after that, for a network that evaluates, :{SHIPPED} or :PATH"
        )

    def spend(self, simulate: Callable[[int, int], None]) -> None:
        """Call `simulate` with the first number and the end of a row of simulations, until the budget is spent."""
        if self.milliseconds is None:
            simulate(0, self.simulations)
            return
        end, done = time.perf_counter() + self.milliseconds / 1000, 0
        while done == 0 or time.perf_counter() < end:
            simulate(done, done + PIECE)
            done += PIECE


def guiding_policy(name: str, game: Game, options: Options) -> Policy:
    """The policy that is to guide a search, by `net` or its path; `AgentError` if it cannot."""
    path = policy.shipped_path(game, options.num_players) if name == SHIPPED else Path(name)
    found = policy.load(path, game)
    require_guide(found, options.num_players, f"policy {shown(str(path))}")
    return found


def require_guide(found: Policy, players: int, name: str) -> None:
    """`AgentError` if a policy cannot guide a search of a game with so many players."""
    if fault := _unfit(found, players):
        raise AgentError(f"agent search: {name} cannot guide it: {fault}")


def _unfit(found: Policy, players: int) -> str | None:
    """Why a policy cannot guide a search, if it cannot."""
    if found.value is None:
        return "it has no value head; policies that `cardtable train` makes have one"
    if len(found.value[1]) != players:
        return f"it has values for {len(found.value[1])} players, expected {players}"
    if found.advice is not None:
        return f"it needs the advice of {shown(found.advice.agent)}, expected a policy without advice"
    return "it has no hidden layer, expected one or more" if len(found.layers) < 2 else None


# ---- The agent


class SearchAgent(Agent):
    """Plays what simulations come to prefer."""

    about = "tree search over redealt worlds: N simulations a move (400) or 50ms; :net or :PATH evaluates by a network"
    takes = "N"

    def __init__(self, game: Game, options: Options, argument: str | None = None, guiding: Policy | None = None) -> None:
        """`guiding` is a policy in memory, in place of one that the argument names."""
        super().__init__(game, options, argument)
        budget, colon, name = (argument if argument is not None else str(SIMULATIONS)).partition(":")
        self.budget = Budget.of(budget)
        self.repeatable = self.budget.milliseconds is None
        self.policy = guiding_policy(name, game, options) if colon else guiding
        if self.policy is None:
            evaluations.require(game, "search")
        self.tree = new_tree(game, self.budget.simulations)
        self.scratch: Scratch | None = None if self.policy else new_scratch(game)
        self.network: Inference | None = network_of(self.policy) if self.policy else None
        self.walk = new_walk(game)
        self.kept = None if self.repeatable else KeptTrees(game, self.budget.simulations, forced_nodes=not self.network)

    def fingerprint(self) -> str:
        """That of the policy that guides it, as it was loaded."""
        return self.policy.fingerprint() if self.policy else ""

    def prepare(self) -> None:
        """Compile the search, if no cache has it yet."""
        prepare_views(self.game)
        name = "network-search" if self.network else "search"
        compile_once(f"{self.game.id}-{name}", partial(_compile, self), __name__, self.game.state.dtype)

    def act(self, views: Views) -> Actions:
        """The preferred action of each view."""
        self.prepare()
        return np.array([self.consider(views, lane) for lane in range(len(views))], ACTION)

    def consider(self, views: Views, lane: int) -> int:
        """The preferred action of a view; the tree is then that of its decision, or none if there is no alternative."""
        plant(self.tree)
        if (legal_actions := np.flatnonzero(views.mask[lane])).size == 1:
            return int(legal_actions[0])
        if self.kept:
            self.kept.restore(views, lane, self.tree)
        self.budget.spend(partial(self._simulate, views.records, lane, int(views.seat[lane]), views.key[lane]))
        action = int(favourite(self.tree))
        if self.kept:
            self.kept.keep(views, lane, action, self.tree)
        return action

    def considered(self) -> tuple[Actions, Counts, Floats]:
        """Of the decision considered last: the legal actions, how many simulations played each, and their mean values.

        The value of an action that was never tried is NaN.
        """
        edges, tree = root_edges(self.tree), self.tree
        visits = tree.visits[edges]
        played = visits - (self.network is None)  # without a network every action is evaluated once, whatever it is worth
        means = np.divide(tree.total[edges], visits, out=np.full(len(edges), np.nan), where=visits > 0)
        return tree.action[edges], played, means

    def _simulate(self, games: Records, lane: int, seat: int, key: np.uint64, first: int, stop: int) -> None:
        if self.network:
            grow_by_network(games, lane, seat, key, first, stop, self.tree, self.walk, self.network)
        else:
            assert self.scratch is not None
            grow(games, lane, seat, key, first, stop, self.tree, self.scratch)


def search_by(guiding: Policy, game: Game, options: Options, simulations: int) -> SearchAgent:
    """A search by a policy in memory; `AgentError` if it cannot guide one."""
    require_guide(guiding, options.num_players, "the policy")
    return SearchAgent(game, options, str(simulations), guiding)


def network_of(found: Policy) -> Inference:
    """The network of a policy that can guide a search."""
    assert found.value is not None
    return new_inference(found.layers, found.value)


def _compile(agent: SearchAgent) -> None:
    games = fresh_games(agent.game, agent.game.variants[0], 1, seed=0)
    plant(agent.tree)
    agent._simulate(games, 0, int(games["seat"][0]), np.uint64(0), 0, 2)
    kept = KeptTrees(agent.game, agent.budget.simulations, forced_nodes=not agent.network)
    kept.compile(games, int(favourite(agent.tree)), agent.tree)
