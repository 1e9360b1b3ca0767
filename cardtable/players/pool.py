"""The opponents of a learner: a pool of agents, one of which is drawn for each game and seat."""

from collections.abc import Sequence

import numpy as np

from cardtable.engine.jit import as_games
from cardtable.envs.sb3 import chances
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.views import make_views, prepare_views


class Pool:
    """Agents that share the seats: as `cardtable.envs.sb3.Opponents`, it forgets what a seat cannot know before it asks them.

    Who plays depends on the game's number and the seat, so an agent plays a game to its end. Places whose agent is replaced
    (`members[i] = …`) change hands.
    """

    def __init__(self, game: Game, options: Options, members: Sequence[Agent], seed: int) -> None:
        prepare_views(game)
        for agent in members:
            agent.prepare()
        self.game, self.options, self.seed = game, options, seed
        self.members = list(members)
        self._secret = keys.secret_of(keys.open_salt(f"pool {seed}"))

    def act(self, games: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """A legal action for each game, asked of the member that plays it."""
        actions = np.zeros(len(games), ACTION)
        place = (chances(self.seed, games["index"], games["seat"]) * len(self.members)).astype(np.int64)
        members = [self.members[number] for number in place]
        for agent in dict.fromkeys(members):
            lanes = np.array([lane for lane, member in enumerate(members) if member is agent])
            views = make_views(
                self.game,
                self.options,
                as_games(games[lanes]),
                observation[lanes],
                mask[lanes],
                self._secret,
                records=agent.wants_records,
            )
            actions[lanes] = agent.act(views)
        return actions
