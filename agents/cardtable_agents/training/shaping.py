"""Reward shaping: a learner is rewarded for every move by the change it makes to the value of its position.

Without shaping a game pays only at its end, and it takes many games to find out which of a hundred moves earned the return.
With shaping, each decision is rewarded by how much better or worse the position has become since the last one. The rewards of
a game add up to its return minus the value of the first position, which the learner cannot change. So the optimal policy stays
the same, and only the speed of learning changes (potential-based shaping: Ng, Harada and Russell). The evaluation reads the
true record, hidden cards included; the policy never does.
"""

import numpy as np

from cardtable.engine.jit import as_games
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.types import Floats, Integers, Records
from cardtable_agents.players.heuristic import HeuristicAgent, evaluate_many


class Potential:
    """The value of positions by the game's evaluation, times a weight; weight 0 needs no evaluation."""

    def __init__(self, game: Game, options: Options, weight: float) -> None:
        self.weight = weight
        self._scratch = None
        if weight:
            evaluator = HeuristicAgent(game, options)
            evaluator.prepare()
            self._scratch = evaluator.scratch

    def of(self, games: Records, seats: Integers) -> Floats:
        """float32 (n,): the weighted value of each game, none of which is over, for a seat of it."""
        values = np.zeros(len(games), np.float32)
        if self._scratch is not None:
            evaluate_many(as_games(games), seats.astype(np.int64), self._scratch, values)
        return self.weight * values
