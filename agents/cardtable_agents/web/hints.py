"""What an agent makes of a position: the value of it, and of every legal action what the agent can tell."""

from dataclasses import dataclass, field
from functools import singledispatch
from math import isnan
from typing import Any

import numpy as np

from cardtable.game.legality import action_ids
from cardtable.players.agent import Agent
from cardtable.players.views import Views
from cardtable_agents.players.command import CommandAgent
from cardtable_agents.players.heuristic import LEAD, HeuristicAgent
from cardtable_agents.players.policy import NetworkAgent
from cardtable_agents.players.search import SearchAgent

DIGITS = 4
"""Of shares and values that are sent."""


@dataclass(frozen=True)
class Hint:
    """What an agent thinks of a decision; values are on the scale of returns, for the seat to act."""

    best: int
    """The action that it would play."""
    value: float | None = None
    """Of the position."""
    shares: dict[int, float] = field(default_factory=dict)
    """How much of its attention, or what probability, each action gets."""
    values: dict[int, float] = field(default_factory=dict)
    text: str = ""
    """What the agent says to people."""

    def plain(self, actions: list[int]) -> dict[str, Any]:
        """As a page is sent it."""
        rows = [
            {"id": each, "share": _short(self.shares.get(each)), "value": _short(self.values.get(each))} for each in actions
        ]
        return {"best": self.best, "value": _short(self.value), "text": self.text, "actions": rows}

    def loss(self, action: int) -> float | None:
        """How much worse an action is than the best one, if the agent can tell."""
        if action not in self.values or self.best not in self.values:
            return None
        return max(self.values[self.best] - self.values[action], 0.0)


def _short(number: float | None) -> float | None:
    return None if number is None else round(number, DIGITS)


@singledispatch
def hint(agent: Agent, views: Views) -> Hint:
    """What an agent thinks of the one decision in the views: of most agents, which action they would play."""
    (best,) = action_ids(views.game, agent.act(views), 1)
    return Hint(int(best))


@hint.register
def _(agent: CommandAgent, views: Views) -> Hint:
    best, said = int(agent.act(views)[0]), agent.info[0]
    if said is None:
        return Hint(best)
    shares = {views.game.actions.id_of(name): share for name, share in said.moves.items()}
    return Hint(best, said.value, {action: share for action, share in shares.items() if views.mask[0, action]}, text=said.text)


@hint.register
def _(agent: HeuristicAgent, views: Views) -> Hint:
    rated = agent.rate(views)[0]
    best = int(rated.argmax())
    rated[best] -= LEAD
    values = {int(action): float(rated[action]) for action in np.flatnonzero(views.mask[0])}
    return Hint(best, values[best] if len(values) > 1 else None, values=values if len(values) > 1 else {})


@hint.register
def _(agent: SearchAgent, views: Views) -> Hint:
    agent.prepare()
    best = agent.consider(views, 0)
    actions, played, means = (each.tolist() for each in agent.considered())
    if not actions:
        return Hint(best)
    shares = {action: number / sum(played) for action, number in zip(actions, played, strict=True)}
    values = {action: mean for action, mean in zip(actions, means, strict=True) if not isnan(mean)}
    return Hint(best, values[best], shares, values)


@hint.register
def _(agent: NetworkAgent, views: Views) -> Hint:
    seen = agent.seen(views)
    logits = agent.policy.logits(seen, views.mask)[0]
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    value = float(agent.policy.values(seen)[0, 0]) if agent.policy.value is not None else None
    return Hint(int(logits.argmax()), value, {int(action): float(shares[action]) for action in np.flatnonzero(views.mask[0])})
