"""What an agent thinks of every action, not only which one it would play.

`advise` is for learning from a teacher: a share of its favour for each action. A network learns more from a decision if it
hears which actions are nearly as good. `search` shares its favour as it shared its simulations, `heuristic` by how far a value
is from the best one; any other agent has one favourite.

`Adviser` is for policies that hear what `heuristic` thinks whenever they decide.
"""

from functools import singledispatch

import numpy as np

from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.game.record import NOBODY
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable.players.views import Views
from cardtable.support.messages import shown
from cardtable_agents.players.heuristic import HeuristicAgent
from cardtable_agents.players.search import SearchAgent, search_one

ADVISER = "heuristic"
"""The one agent that can advise."""
SOFTNESS = 0.02
"""By how much value an action may be worse than another for `heuristic` to favour it e times less."""
REACH = 0.2
"""By how much value an action may be worse than the best for an adviser to say anything for it."""


@singledispatch
def advise(teacher: Agent, views: Views) -> np.ndarray:
    """float32 (n, A): the share of the teacher's favour that each action of each view has; the sum is 1."""
    favour = np.zeros(views.mask.shape, np.float32)
    favour[np.arange(len(views)), teacher.act(views)] = 1
    return favour


@advise.register
def _(teacher: HeuristicAgent, views: Views) -> np.ndarray:
    values = teacher.rate(views)
    shares = np.exp((values - values.max(axis=1, keepdims=True)) / SOFTNESS)
    return shares / shares.sum(axis=1, keepdims=True)


@advise.register
def _(teacher: SearchAgent, views: Views) -> np.ndarray:
    favour, tree = np.zeros(views.mask.shape, np.float32), teacher.tree
    for lane in range(len(views)):
        seat, key = int(views.seat[lane]), views.key[lane]
        best = search_one(views.records, lane, seat, key, teacher.simulations, tree, teacher.desk)
        if views.mask[lane].sum() == 1:
            favour[lane, best] = 1
            continue
        edge = tree.first_edge[0]
        while edge != NOBODY:
            favour[lane, tree.action[edge]] = tree.visits[edge] - 1  # the first look at an action tells of no favour
            edge = tree.next_edge[edge]
        favour[lane] /= favour[lane].sum()
    return favour


class Adviser:
    """Tells a policy how good `heuristic`, or `heuristic:N`, finds each action."""

    def __init__(self, name: str, game: Game, options: Options) -> None:
        # by name, before the agent is made: a policy might be advised by itself
        agent = make_agent(name, game, options) if name.partition(":")[0] == ADVISER else None
        if not isinstance(agent, HeuristicAgent):
            raise AgentError(f"agent {shown(name)} gives no advice; allowed: {ADVISER}, {ADVISER}:N")
        agent.prepare()
        self.agent = agent

    def seen(self, views: Views) -> np.ndarray:
        """float32 (n, D + A): the observation and the advice: 1 for the best action, less for the others, down to 0."""
        values = self.agent.rate(views)
        advice = np.maximum(1 - (values.max(axis=1, keepdims=True) - values) / REACH, 0)
        return np.concatenate([views.observation, advice], axis=1, dtype=np.float32)
