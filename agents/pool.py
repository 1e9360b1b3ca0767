"""The opponents of a learner: a pool of agents, one of which is drawn for each game and seat."""

from collections.abc import Sequence

import numpy as np

from agents import worlds
from agents.agent import Agent
from cardtable.game import ACTION, Game
from cardtable.jit import as_games
from cardtable.options import Options

_MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def chances(seed: int, index: np.ndarray, seat: np.ndarray) -> np.ndarray:
    """A number in [0, 1) for each game's number and seat, by SplitMix64's mixing."""
    with np.errstate(over="ignore"):
        bits = (index * np.uint64(8) + seat.astype(np.uint64) + np.uint64(1)) * _MIX[0] + np.uint64(seed)
        bits = (bits ^ (bits >> np.uint64(30))) * _MIX[1]
        bits = (bits ^ (bits >> np.uint64(27))) * _MIX[2]
    return ((bits ^ (bits >> np.uint64(31))) >> np.uint64(11)) * 2.0**-53


class Pool:
    """Agents that share the seats: as `cardtable.sb3.Opponents`, it forgets what a seat cannot know before it asks them.

    Who plays depends on the game's number and the seat, so an agent plays a game to its end. Places whose agent is replaced
    (`members[i] = …`) change hands.
    """

    def __init__(self, game: Game, options: Options, members: Sequence[Agent], seed: int) -> None:
        worlds.prepare(game)
        for agent in members:
            agent.prepare()
        self.game, self.options, self.seed = game, options, seed
        self.members = list(members)

    def act(self, games: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """A legal action for each game, asked of the member that plays it."""
        actions = np.zeros(len(games), ACTION)
        place = (chances(self.seed, games["index"], games["seat"]) * len(self.members)).astype(np.int64)
        members = [self.members[number] for number in place]
        for agent in dict.fromkeys(members):
            lanes = np.array([lane for lane, member in enumerate(members) if member is agent])
            views = worlds.make_views(
                self.game,
                self.options,
                as_games(games[lanes]),
                observation[lanes],
                mask[lanes],
                self.seed,
                records=agent.wants_records,
            )
            actions[lanes] = agent.act(views)
        return actions
