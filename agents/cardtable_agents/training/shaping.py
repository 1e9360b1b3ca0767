"""Reward shaping: a learner is rewarded for every move by the change it makes to the value of its position.

Without shaping a game pays only at its end, and it takes many games to find out which of a hundred moves earned the return.
With shaping, each decision is rewarded by how much better or worse the position has become since the seat's last one. The
rewards of a game add up to its return minus the value of the first position, which the learner cannot change. So the optimal
policy stays the same, and only the speed of learning changes (potential-based shaping: Ng, Harada and Russell). The evaluation
reads the true record, hidden cards included; the policy never does.
"""

import numpy as np

from cardtable.engine.jit import kernel
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.types import Floats, Records
from cardtable_agents.evaluations.evaluation import evaluate
from cardtable_agents.players.heuristic import HeuristicAgent, Scratch


@kernel
def evaluate_seats(games: Records, first_row: int, weight: np.float32, scratch: Scratch, values: Floats) -> None:
    """Write the weighted value of every game, none of which is over, for each seat into row `first_row` + lane."""
    for lane in range(games.shape[0]):
        evaluate(games[lane], scratch.weights[0], scratch.seat_values, scratch.evaluation[0])
        for seat in range(values.shape[1]):
            values[first_row + lane, seat] = weight * np.float32(scratch.seat_values[seat])


class Potential:
    """The value of positions by the game's evaluation, times a weight; weight 0 needs no evaluation."""

    def __init__(self, game: Game, options: Options, weight: float) -> None:
        self.weight = weight
        self._scratch: Scratch | None = None
        if weight:
            evaluator = HeuristicAgent(game, options)
            evaluator.prepare()
            self._scratch = evaluator.scratch

    def write(self, games: Records, first_row: int, values: Floats) -> None:
        """Write the potential of every game for each seat into row `first_row` + lane."""
        if self._scratch is not None:
            evaluate_seats(games, first_row, np.float32(self.weight), self._scratch, values)
