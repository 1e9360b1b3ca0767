"""What an agent makes of every legal action, not only which one it would play: what a student learns from a teacher.

It teaches more than the teacher's choice alone, as it tells which other actions are nearly as good. For `search` it is the
share of simulations that each action got, for `heuristic` a softmax of the values; any other agent gives all of it to the
action that it plays.
"""

from functools import singledispatch

import numpy as np

from cardtable.engine import loops
from cardtable.engine.constants import NOBODY
from cardtable.errors import IllegalAction
from cardtable.game.legality import action_ids, refusal
from cardtable.players.agent import Agent
from cardtable.players.views import Views
from cardtable.types import Actions, Floats
from cardtable_agents.players.heuristic import HeuristicAgent
from cardtable_agents.players.search import SearchAgent

TEMPERATURE = 0.02
"""Of the softmax that turns values of `heuristic` into a distribution."""


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
    teacher.prepare()
    target = np.zeros(views.mask.shape, np.float32)
    for lane in range(len(views)):
        best = teacher.consider(views, lane)
        actions, played, _ = teacher.considered()
        if len(actions) == 0:
            target[lane, best] = 1
        else:
            target[lane, actions] = played / played.sum()
    return target
