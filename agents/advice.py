"""What a teacher thinks of every action, not only which one it would play: a share of its favour for each.

A network learns more from a decision if it hears which actions are nearly as good. `search` shares its favour as it shared its
simulations, `heuristic` by how far a value is from the best one; any other agent has one favourite.
"""

from functools import singledispatch

import numpy as np

from agents.agent import Agent, Views
from agents.heuristic import WORLDS, HeuristicAgent, best_action
from agents.search import SearchAgent, search_one
from cardtable.record import NOBODY

SOFTNESS = 0.02
"""By how much value an action may be worse than another for `heuristic` to favour it e times less."""


@singledispatch
def advise(teacher: Agent, views: Views) -> np.ndarray:
    """float32 (n, A): the share of the teacher's favour that each action of each view has; the sum is 1."""
    favour = np.zeros(views.mask.shape, np.float32)
    favour[np.arange(len(views)), teacher.act(views)] = 1
    return favour


@advise.register
def _(teacher: HeuristicAgent, views: Views) -> np.ndarray:
    favour, desk = np.zeros(views.mask.shape, np.float32), teacher.desk
    for lane in range(len(views)):
        best = best_action(views.records, lane, int(views.seat[lane]), views.key[lane], WORLDS, desk)
        count = int(views.mask[lane].sum())
        if count == 1:
            favour[lane, best] = 1
            continue
        values = desk.values[:count] / WORLDS
        shares = np.exp((values - values.max()) / SOFTNESS)
        favour[lane, desk.actions[:count]] = shares / shares.sum()
    return favour


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
