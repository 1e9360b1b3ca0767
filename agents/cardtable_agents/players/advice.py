"""What an agent makes of every legal action, not only which one it would play.

`target_distribution` is for imitation: the distribution over actions that a student learns from a teacher. It teaches more
than the teacher's choice alone, as it tells which other actions are nearly as good. For `search` it is the share of
simulations that each action got, for `heuristic` a softmax of the values; any other agent gives all of it to the action that
it plays.

`Adviser` is for policies that receive the score that `heuristic` gives every legal action, besides the observation.
"""

from functools import singledispatch

import numpy as np

from cardtable.engine import loops
from cardtable.engine.constants import NOBODY
from cardtable.errors import AgentError, IllegalAction
from cardtable.game.game import Game
from cardtable.game.legality import action_ids, refusal
from cardtable.game.options import Options
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable.players.views import Views
from cardtable.support.messages import shown
from cardtable.types import Actions, Floats, Observation
from cardtable_agents.players.heuristic import HeuristicAgent
from cardtable_agents.players.search import SearchAgent, search_one

ADVISER = "heuristic"
"""The only agent that can be an adviser."""
TEMPERATURE = 0.02
"""Of the softmax that turns values of `heuristic` into a distribution."""
REACH = 0.2
"""An action whose value is this much below the best one's gets an adviser's lowest score, 0."""


@singledispatch
def target_distribution(teacher: Agent, views: Views) -> Floats:
    """float32 (n, A): the probability that a student of the teacher should give each action of each view.

    `IllegalAction` if the teacher would play one.
    """
    target = np.zeros(views.mask.shape, np.float32)
    target[np.arange(len(views)), _legal_actions(teacher, views)] = 1
    return target


def _legal_actions(teacher: Agent, views: Views) -> Actions:
    """What a teacher plays, checked: an engine that plays it would not notice."""
    try:
        chosen = action_ids(views.game, teacher.act(views), len(views))
        place = int(loops.first_illegal_of(np.arange(len(views)), chosen, views.mask))
        if place != NOBODY:
            where = f"player_{views.seat[place]} to act"
            raise IllegalAction(refusal(views.game, int(chosen[place]), views.mask[place], where))
    except IllegalAction as error:
        raise IllegalAction(f"{error} (chosen by {type(teacher).__name__})") from None
    return chosen


@target_distribution.register
def _(teacher: HeuristicAgent, views: Views) -> Floats:
    values = teacher.rate(views)
    shares = np.exp((values - values.max(axis=1, keepdims=True)) / TEMPERATURE)
    return shares / shares.sum(axis=1, keepdims=True)


@target_distribution.register
def _(teacher: SearchAgent, views: Views) -> Floats:
    target, tree = np.zeros(views.mask.shape, np.float32), teacher.tree
    for lane in range(len(views)):
        seat, key = int(views.seat[lane]), views.key[lane]
        best = search_one(views.records, lane, seat, key, teacher.simulations, tree, teacher.scratch)
        if views.mask[lane].sum() == 1:
            target[lane, best] = 1
            continue
        edge = tree.first_edge[0]
        while edge != NOBODY:
            target[lane, tree.action[edge]] = tree.visits[edge] - 1  # every action is evaluated once, whatever it is worth
            edge = tree.next_edge[edge]
        target[lane] /= target[lane].sum()
    return target


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
