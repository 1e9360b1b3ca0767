"""A search that knows more than a player may: the true hands, or the order of the piles too. It measures what knowing is worth.

The simulations of a fair search redeal everything that its seat cannot know. One that knows the hands draws anew only what no
seat can know; one that knows all plays every simulation with the true cards. What knowing the hands wins against the fair
search is the most that a model of the others' cards could win: it cannot know more than they hold. Orders of piles are nobody's
secret, so no model can tell them. With default options; a draft has more secrets than these.
"""

import numpy as np
from cardtable_agents.arena.match import Match
from cardtable_agents.network.inference import Inference
from cardtable_agents.players.heuristic import Scratch
from cardtable_agents.players.network_search import Walk
from cardtable_agents.players.network_search import simulate as simulate_by_network
from cardtable_agents.players.search import SearchAgent, simulate
from cardtable_agents.players.tree import Tree

from artisans_env.information import redeal_objects, shuffle_unseen
from artisans_env.types import State as Artisans
from cardtable.engine import rng
from cardtable.engine.jit import as_games, kernel
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players.agent import Agent
from cardtable.types import Actions, Counts, Records
from murano_env.information import shuffle_stack
from murano_env.types import State as Murano
from muster_env.types import State as Muster

HANDS, ALL = "hands", "all"
"""What is known: what the others hold; that and the order of every pile."""


@kernel
def reorder_muster(games: Records, key: np.uint64) -> None:
    """Draw anew the order of the pile, in every game."""
    for number in range(games.shape[0]):
        game: Muster = games[number]
        game.rng = rng.stream(key, np.uint64(number))
        rng.shuffle(game, game.pile, game.pile_size)


@kernel
def reorder_artisans(games: Records, key: np.uint64) -> None:
    """Draw anew the order of the pile, and which objects lie unseen where, in every game."""
    for number in range(games.shape[0]):
        game: Artisans = games[number]
        game.rng = rng.stream(key, np.uint64(number))
        rng.shuffle(game, game.pile, game.pile_size)
        shuffle_unseen(game)
        redeal_objects(game)


@kernel
def reorder_murano(games: Records, key: np.uint64) -> None:
    """Draw anew which Creations were not dealt in which order, and the stack of Challenge cards, in every game."""
    for number in range(games.shape[0]):
        game: Murano = games[number]
        game.rng = rng.stream(key, np.uint64(number))
        rng.shuffle(game, game.deck, game.deck_size)
        shuffle_stack(game)


REORDER = {"artisans_v0": reorder_artisans, "murano_v0": reorder_murano, "muster_v0": reorder_muster}
"""By game: what no seat knows is drawn anew, and nothing else."""


@kernel
def grow_in(worlds: Records, first: int, stop: int, tree: Tree, scratch: Scratch) -> None:
    """Simulations number `first` to `stop`, each in the world of its number."""
    for number in range(first, stop):
        scratch.world[0] = worlds[number]
        simulate(tree, scratch)


@kernel
def grow_by_network_in(worlds: Records, first: int, stop: int, tree: Tree, walk: Walk, network: Inference) -> None:
    """The same by a network."""
    for number in range(first, stop):
        walk.world[0] = worlds[number]
        simulate_by_network(tree, walk, network)


class KnowingSearch(SearchAgent):
    """A search in worlds that share more with the true one than its seat can know."""

    def __init__(self, game: Game, options: Options, argument: str, knows: str) -> None:
        super().__init__(game, options, argument)
        self.knows = knows
        self.truth = as_games(game.state.blank())
        """The true records of the games that it is asked about next: `OpenMatch` puts them here."""

    def _simulate(self, games: Records, lane: int, seat: int, key: np.uint64, first: int, stop: int) -> None:
        worlds = as_games(np.repeat(np.asarray(self.truth)[lane : lane + 1], stop))
        if self.knows == HANDS:
            REORDER[self.game.id](worlds, key)
        if self.network:
            grow_by_network_in(worlds, first, stop, self.tree, self.walk, self.network)
        else:
            assert self.scratch is not None
            grow_in(worlds, first, stop, self.tree, self.scratch)


class OpenMatch(Match):
    """A match in which agents that know more are told."""

    def _ask(self, agent: Agent, asked: Counts) -> Actions:
        if isinstance(agent, KnowingSearch):
            agent.truth = as_games(self._games.lanes.records.take(asked))
        return super()._ask(agent, asked)
