"""`Adviser`: for policies that receive the score that `heuristic` gives every legal action, besides the observation."""

import numpy as np

from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players.roster import make_agent
from cardtable.players.views import Views
from cardtable.support.messages import shown
from cardtable.types import Floats, Observation
from cardtable_agents.players.heuristic import HeuristicAgent

ADVISER = "heuristic"
"""The only agent that can be an adviser."""
REACH = 0.2
"""An action whose value is this much below the best one's gets an adviser's lowest score, 0."""


class Adviser:
    """Gives a policy the score by `heuristic`, or `heuristic:N`, of every legal action."""

    def __init__(self, name: str, game: Game, options: Options) -> None:
        # by name, before the agent is made: a policy could name itself as its adviser
        agent = make_agent(name, game, options) if name.partition(":")[0] == ADVISER else None
        if not isinstance(agent, HeuristicAgent):
            raise AgentError(f"agent {shown(name)} gives no advice; allowed: {ADVISER}, {ADVISER}:N")
        agent.prepare()
        self.agent = agent

    def seen(self, views: Views) -> Observation:
        """float32 (n, D + A): what the policy receives: the observation, then the adviser's score of every action.

        The best action has 1, other legal ones less, down to 0; illegal ones have 0.
        """
        return np.concatenate([views.observation, self.scores(views)], axis=1, dtype=np.float32)

    def scores(self, views: Views) -> Floats:
        """float32 (n, A): the adviser's score of every action."""
        values = self.agent.rate(views)
        scores: Floats = np.maximum(1 - (values.max(axis=1, keepdims=True) - values) / REACH, 0)
        return scores
