"""Guidance: a learner is paid for every move by what it changes in the value of its position, as the evaluation sees it.

A game pays at its end, and it takes many games to tell which of a hundred moves have earned it. A guided learner hears at each
of its decisions how much better or worse the position has become since the last one, and at the end the return. All payments
of a game add up to its return less the value of the first position, which is none of the learner's doing: what is best does
not change (Ng, Harada and Russell call this potential-based shaping), only how soon it is heard of. The evaluation looks at
the true record, hidden cards included; the policy never does.
"""

from typing import Any

import numpy as np
from gymnasium import spaces

from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.pool import Opponents
from cardtable.players.views import make_views
from cardtable_agents.players.advice import Adviser
from cardtable_agents.players.heuristic import HeuristicAgent, evaluate_many


class Guide:
    """Says what positions are worth, times a weight; weight 0 needs no evaluation of the game."""

    def __init__(self, game: Game, options: Options, weight: float) -> None:
        self.weight = weight
        self._scratch = None
        if weight:
            evaluator = HeuristicAgent(game, options)
            evaluator.prepare()
            self._scratch = evaluator.scratch

    def worth(self, games: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """float32 (n,): the value of each game, all of which go on, for a seat of it."""
        values = np.zeros(len(games), np.float32)
        if self._scratch is not None:
            evaluate_many(games, seats.astype(np.int64), self._scratch, values)
        return self.weight * values


class GuidedEnv(LearnerVecEnv):
    """The learner's environment; rewards are those of the game and the guide's. `infos` tell of the game alone.

    With an adviser, observations go on with its advice; those of ended games, where nothing is left to decide, with zeros.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        opponents: Opponents,
        seed: int,
        guide: Guide,
        adviser: Adviser | None = None,
        *,
        first: int = 0,
        **options: Any,
    ) -> None:
        super().__init__(game, num_games, opponents, seed, first=first, **options)
        self.guide, self.adviser = guide, adviser
        if adviser:
            self.observation_space = spaces.Box(0.0, 1.0, (game.layout.size + game.actions.size,), np.float32)

    def reset(self) -> np.ndarray:
        """Start the first games."""
        observation = super().reset()
        self._worth = self.guide.worth(self._dealt_lanes().records, self._learner)
        self._secret = keys.secret_of(keys.open_salt(f"advice {self.game_seed}"))
        return self._seen(observation)

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Step; a game that is over is worth nothing more than its return."""
        observation, rewards, dones, infos = super().step_wait()
        before, self._worth = self._worth, self.guide.worth(self._dealt_lanes().records, self._learner)
        for lane in np.flatnonzero(dones) if self.adviser else ():
            infos[lane]["terminal_observation"] = np.pad(infos[lane]["terminal_observation"], (0, self.game.actions.size))
        return self._seen(observation), rewards + np.where(dones, 0, self._worth) - before, dones, infos

    def _seen(self, observation: np.ndarray) -> np.ndarray:
        if self.adviser is None:
            return observation
        lanes = self._dealt_lanes()
        views = make_views(self.game, self.options, lanes.records, observation, lanes.frame.action_mask, self._secret)
        return self.adviser.seen(views)
