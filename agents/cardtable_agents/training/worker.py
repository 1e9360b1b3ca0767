"""A thread's share of a learner: its games, the rollout it plays them into, and its part of every gradient."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import takewhile

import numpy as np

from cardtable.engine.rng import chances
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable.players.views import Views
from cardtable.types import Actions, Counts, Floats
from cardtable_agents.network import kernels
from cardtable_agents.network.kernels import Loss
from cardtable_agents.network.network import Network, Pass
from cardtable_agents.network.parameters import Vector
from cardtable_agents.network.products import make_product
from cardtable_agents.players.advice import Adviser
from cardtable_agents.players.policy import Policy
from cardtable_agents.players.targets import target_distribution
from cardtable_agents.training.advantages import write_advantages
from cardtable_agents.training.clocks import Clocks
from cardtable_agents.training.expert import Expert
from cardtable_agents.training.opponents import TrainingPool
from cardtable_agents.training.rollout import Rollout
from cardtable_agents.training.selfplay import SelfPlay, gather_legal
from cardtable_agents.training.settings import Settings
from cardtable_agents.training.shaping import Potential

PARTS = ("environment", "opponents", "advice", "acting", "advantages", "learning")
"""What takes time in an update, besides the optimizer."""
STRAY = 1
"""What is added to the seed of draws of imitation, so that they differ from others."""


class Worker:
    """Plays and learns in one thread. The network is everybody's; gradients, games and scratch are this worker's own."""

    def __init__(
        self, network: Network, settings: Settings, game: Game, options: Options, number: int, workers: int, precision: str
    ) -> None:
        """Worker `number` of `workers`."""
        lanes = settings.games // workers
        self.settings, self.game, self.options = settings, game, options
        self.network, self.clocks = network, Clocks(PARTS)
        self.adviser = Adviser(settings.advice, game, options) if settings.advice else None
        self.potential = Potential(game, options, settings.shaping)
        self.pool = TrainingPool(game, options, settings, self.clocks)
        self.games = SelfPlay(
            game,
            options,
            lanes,
            settings.seed,
            first=number * lanes,
            step=workers * lanes,
            cut_off_loses=settings.cut_off_loses,
            score_weight=settings.score_weight,
            pool=self.pool if settings.opponents else None,
        )
        self.opponent_lanes = round(lanes * settings.opponent_share) if settings.opponents else 0
        self.rollout = Rollout(
            lanes,
            settings.rollout // settings.games,
            game.layout.size,
            game.actions.size,
            options.num_players,
            advised=settings.advice is not None,
            demonstrated=settings.demonstrated,
        )
        self.passes = Pass(network, lanes, make_product(precision))
        self.slice = slice(number * network.shape.size // workers, (number + 1) * network.shape.size // workers)
        """The parameters that this worker's thread lets Adam move."""
        self.actions = slice(number * game.actions.size // workers, (number + 1) * game.actions.size // workers)
        """The actions whose weights this worker's thread brings up to date then."""
        self.number = number
        self.squares = 0.0
        """The sum of the squares of its slice of the gradient of all."""
        self.wanted = True
        """Whether anybody waits for the rollout; otherwise it ends after the step that it is at."""
        self._actions: Actions = np.zeros(lanes, ACTION)
        self._teacher: Agent | None = None
        self.expert = Expert(game, max(settings.expert, 1), settings.expert_sharpness)
        self._order: Counts = np.zeros(0, np.int64)

    # ---- Rollouts

    def play(self) -> None:
        """Play a rollout: in every row, the network's own choice."""
        rollout = self.rollout
        self.games.set_opponent_lanes(self.opponent_lanes)
        rollout.begin()
        for step in self._steps():
            self._show(step)
            with self.clocks.time("acting"):
                self.passes.choose(rollout.which(step), rollout.rows, rollout.choices, self._actions)
            with self.clocks.time("environment"):
                self.games.play(self._actions, rollout, step)
        self._value_last()

    def demonstrate(self, student_share: float) -> None:
        """Play a rollout in which the teacher is asked in every row."""
        self._follow(partial(target_distribution, self.teacher), student_share)

    def search(self, policy: Policy) -> None:
        """Play a rollout in which a search by the network of this policy, its own, is asked in every row."""
        self.expert.follow(policy)
        self._follow(self.expert.targets, self.settings.student_share)

    def _follow(self, teach: Callable[[Views], Floats], student_share: float) -> None:
        """Play a rollout in which `teach` tells in every row what the student should do.

        The teacher's best action is played; at a share of the seats the student's own, so that it learns what to do
        after its mistakes (as DAgger does), and now and then any legal one, for positions that neither would reach.
        """
        rollout = self.rollout
        self.games.set_opponent_lanes(0)
        rollout.begin()
        for step in self._steps():
            self._show(step)
            which = rollout.which(step)
            self.passes.choose(which, rollout.rows, rollout.choices, self._actions)
            with self.clocks.time("opponents"):
                target = teach(self.games.views())
            gather_legal(step * rollout.lanes, rollout.rows, target, rollout.targets.probability)
            played = self._demonstrated(which, target.argmax(axis=1), student_share)
            with self.clocks.time("environment"):
                self.games.play(played, rollout, step)
        self._value_last()

    def _steps(self) -> Iterator[int]:
        """The steps of a rollout, as long as it is wanted: a slow agent may take minutes for all of them."""
        return takewhile(lambda _: self.wanted, range(self.rollout.steps))

    @property
    def teacher(self) -> Agent:
        """The agent that is imitated."""
        if self._teacher is None:
            self._teacher = make_agent(self.settings.teacher, self.game, self.options)
            self._teacher.prepare()
        return self._teacher

    def _demonstrated(self, which: Counts, best: Actions, student_share: float) -> Actions:
        records, settings, rows = self.games.records, self.settings, self.rollout.rows
        student = chances(settings.seed + STRAY, records["index"], rows.seat[which]) < student_share
        played = np.where(student, self._actions, best)
        first, stop = rows.first_action[which], rows.first_action[which + 1]
        draw = chances(settings.seed + STRAY, records["index"], records["length"])
        stray = draw < settings.random_share
        place = first + (draw / max(settings.random_share, 1e-9) * (stop - first)).astype(np.int64)
        played[stray] = rows.action[place[stray]]
        return played

    def _show(self, step: int) -> None:
        """Write the rows of a step, with advice and potentials where they are asked for."""
        rollout, first = self.rollout, step * self.rollout.lanes
        with self.clocks.time("environment"):
            self.games.show(rollout, step)
            self.potential.write(self.games.records, first, rollout.potential)
        if step == 0:
            self.passes.inputs.choose_common(rollout.rows, rollout.lanes)
        if self.adviser:
            with self.clocks.time("advice"):
                gather_legal(first, rollout.rows, self.adviser.scores(self.games.views()), rollout.choices.advice)

    def _value_last(self) -> None:
        """The values of the decisions after the last: what games in progress are worth."""
        rollout = self.rollout
        self._show(rollout.steps)
        with self.clocks.time("acting"):
            self.passes.value(rollout.which(rollout.steps), rollout.rows, rollout.choices.value)

    # ---- Learning

    def estimate_advantages(self) -> None:
        """Advantages of the decisions of the rollout, and what their values should have been."""
        with self.clocks.time("advantages"):
            write_advantages(self.rollout, self.settings.gamma, self.settings.gae_lambda)

    @property
    def advantages(self) -> Floats:
        """Those of the rows that are learned from: a view."""
        return self.rollout.targets.advantage[: self.rollout.number]

    def shuffle(self, seed: tuple[int, ...]) -> None:
        """Choose the order in which rows are learned from."""
        self._order = np.random.default_rng(seed).permutation(self.rollout.number)

    def learn(self, start: int, size: int, loss: Loss, scale: float) -> None:
        """Add the gradient of some rows of the order to this worker's."""
        with self.clocks.time("learning"):
            rollout = self.rollout
            rows = self._order[start : start + size]
            self.passes.learn(rows, rollout.rows, rollout.choices, rollout.targets, loss, scale)

    def add_up(self, gradients: Sequence[Vector]) -> None:
        """Add the gradients of the other workers to the first one's, in this worker's slice; theirs are 0 then."""
        part = gradients[0].flat[self.slice]
        for other in gradients[1:]:
            kernels.move_to(part, other.flat[self.slice])
        self.squares = float(kernels.sum_of_squares(part))

    def stats(self) -> Floats:
        """Sums over the rows that were learned from since the last call, in the order of `kernels.ENTROPY` …"""
        stats = self.passes.stats.copy()
        self.passes.stats[:] = 0
        return stats

    def close(self) -> None:
        """Let go of what opponents and teacher hold outside of Python."""
        self.pool.close()
        if self._teacher is not None:
            self._teacher.close()
