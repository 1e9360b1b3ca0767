"""Demonstrations: decisions with what a teacher would do, from games that are dealt as in training.

At first the teacher plays the games; from the second round on the student plays a share of the seats itself, and the teacher
says what it would have done (as DAgger does): so the student also learns from positions that only its own mistakes lead to.
"""

from dataclasses import dataclass, fields

import numpy as np

from cardtable.engine.jit import as_games
from cardtable.engine.rng import chances
from cardtable.envs.batch import BatchEnv
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.views import Views, make_views
from cardtable.types import Actions, Array, Flags, Floats, Observation, Records, Seats
from cardtable_agents.players.advice import Adviser, target_distribution
from cardtable_agents.players.policy import Policy
from cardtable_agents.training.settings import Settings
from cardtable_agents.training.shaping import Potential


@dataclass
class Demonstrations:
    """Decisions between two or more legal actions, one a row; K actions of each are kept."""

    observation: Observation
    """float16 (n, D), or (n, D + A) with advice."""
    mask: Array
    """uint8 (n, A / 8): one bit an action."""
    action: Actions
    """int16 (n, K): the teacher's most probable actions, the best first."""
    probability: Floats
    """float16 (n, K): how probable each of them is."""
    outcome: Floats
    """float32 (n,): the sum of rewards of the seat until the end of the game; NaN if the end has not been played."""

    def __len__(self) -> int:
        return len(self.action)

    def after(self, earlier: "Demonstrations", most: int) -> "Demonstrations":
        """Earlier ones and these, the oldest left out where there are more than `most`."""
        names = [each.name for each in fields(self)]
        return Demonstrations(*(np.concatenate([getattr(earlier, name), getattr(self, name)])[-most:] for name in names))


class DemonstrationGames:
    """Games that go on from round to round, in which the teacher is asked at every decision."""

    def __init__(
        self,
        game: Game,
        options: Options,
        settings: Settings,
        teacher: Agent,
        potential: Potential,
        adviser: Adviser | None = None,
        *,
        first: int = 0,
    ) -> None:
        """Games are numbered from `first`."""
        teacher.prepare()
        self.game, self.options, self.settings = game, options, settings
        self.teacher, self.potential, self.adviser = teacher, potential, adviser
        self.seed = settings.seed + 1  # other deals than those of PPO
        self._batch = BatchEnv(game, settings.games, self.seed, first=first, **options.to_dict())
        self._generator = np.random.default_rng([self.seed, first])
        self._secret = keys.secret_of(keys.open_salt(f"imitation {self.seed}"))

    def play(self, steps: int, student: Policy | None) -> Demonstrations:
        """Play a number of steps in every game; what the teacher would do where there is a choice."""
        rows = [self._step(student) for _ in range(steps)]
        columns = (np.stack(column) for column in zip(*rows, strict=True))
        observation, mask, action, probability, potential, seat, rewards, done = columns
        outcome = outcomes(seat, rewards, done) - potential
        choice = np.unpackbits(mask, axis=2).sum(axis=2) > 1
        return Demonstrations(observation[choice], mask[choice], action[choice], probability[choice], outcome[choice])

    def _step(self, student: Policy | None) -> tuple[Array, ...]:
        """One step in every game: a row of each column that `play` stacks."""
        games = as_games(self._batch.records())
        views = self._views(games)
        observation = self.adviser.seen(views) if self.adviser else views.observation
        probability, potential = target_distribution(self.teacher, views), self.potential.of(games, views.seat)
        ranked = np.argsort(-probability, axis=1, kind="stable")[:, : self.settings.ranked_actions]
        frame = self._batch.step(self._played(ranked[:, 0], student, games, observation, views))
        return (
            observation.astype(np.float16),
            np.packbits(views.mask, axis=1),
            ranked.astype(np.int16),
            np.take_along_axis(probability, ranked, axis=1).astype(np.float16),
            potential,
            views.seat,
            frame.rewards.copy(),
            frame.terminated | frame.truncated,
        )

    def _views(self, games: Records) -> Views:
        frame, records = self._batch.frame, self.teacher.wants_records or self.adviser is not None
        observation, mask = frame.observation.copy(), frame.action_mask.copy()
        return make_views(self.game, self.options, games, observation, mask, self._secret, records=records)

    def _played(self, best: Actions, student: Policy | None, games: Records, observation: Observation, views: Views) -> Actions:
        """The action of each game: the teacher's best, the student's own at its seats, some at random."""
        played = best.copy()
        if student is not None:
            own = chances(self.seed, games["index"], views.seat) < self.settings.student_share
            played[own] = student.best(observation[own], views.mask[own])
        stray = self._generator.random(len(played)) < self.settings.random_share
        played[stray] = self._batch.random_actions(self._generator)[stray]
        return played


def outcomes(seat: Seats, rewards: Floats, done: Flags) -> Floats:
    """(steps, games): the return that each decision's seat got at the end of the game, from the last step backwards."""
    outcome = np.zeros(seat.shape, np.float32)
    coming = np.full(rewards.shape[1:], np.nan, np.float32)
    lanes = np.arange(seat.shape[1])
    for step in reversed(range(len(seat))):
        coming[done[step]] = rewards[step][done[step]]
        outcome[step] = coming[lanes, seat[step]]
    return outcome
