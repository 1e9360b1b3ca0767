"""Learning from a teacher: decisions that an agent would take, and a network trained to take them too.

Games are played on the same kind of deals as in training. At first the teacher plays them; from the second round on the
learner plays a share of the seats itself, and the teacher says what it would have done: so the network also sees positions
that only its own mistakes lead to.
"""

from dataclasses import dataclass, fields

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch.nn import functional

from cardtable.engine.rng import chances
from cardtable.envs.batch import BatchEnv
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.views import make_views
from cardtable_agents.players.advice import Adviser, target_distribution
from cardtable_agents.players.policy import FORBIDDEN, Policy
from cardtable_agents.training.shaping import Guide

LEARNER_SHARE = 0.5
"""Share of the seats that the learner plays after the first round."""
NOISE = 0.03
"""Share of decisions at random: positions that neither would reach."""
VALUE_WEIGHT = 0.5
SHARPNESS = 2.0
"""By how much preferences are multiplied when imitation ends."""
BATCH = 256
LARGEST_GRADIENT = 1.0
FAVOURITES = 12
"""How many actions of a decision are remembered."""


@dataclass
class Lessons:
    """Decisions, one a row."""

    seen: np.ndarray
    """float16 (n, D), or (n, D + A) with advice."""
    mask: np.ndarray
    """uint8 (n, A / 8): one bit an action."""
    action: np.ndarray
    """int16 (n, FAVOURITES): the actions that the teacher favours most, the best first."""
    favour: np.ndarray
    """float16 (n, FAVOURITES): the share of favour of each."""
    outcome: np.ndarray
    """float32 (n,): what the seat will be paid until the end of the game; NaN if that has not been played."""

    def __len__(self) -> int:
        return len(self.action)

    def after(self, earlier: "Lessons", most: int) -> "Lessons":
        """Earlier lessons and these, the oldest left out where there are more than `most`."""
        names = [each.name for each in fields(self)]
        return Lessons(*(np.concatenate([getattr(earlier, name), getattr(self, name)])[-most:] for name in names))


class Classroom:
    """Games that go on from round to round, in which the teacher is asked at every decision."""

    def __init__(
        self,
        game: Game,
        options: Options,
        teacher: Agent,
        guide: Guide,
        games: int,
        seed: int,
        first: int,
        adviser: Adviser | None = None,
    ) -> None:
        teacher.prepare()
        self.adviser = adviser
        self.game, self.options, self.teacher, self.guide, self.seed = game, options, teacher, guide, seed
        self._batch = BatchEnv(game, games, seed, first=first, **options.to_dict())
        self._generator = np.random.default_rng([seed, first])
        self._secret = keys.secret_of(keys.open_salt(f"imitation {seed}"))

    def lessons(self, steps: int, learner: Policy | None) -> Lessons:
        """Play a number of steps in every game; what the teacher said where there was a choice."""
        rows = [self._step(learner) for _ in range(steps)]
        columns = (np.stack(column) for column in zip(*rows, strict=True))
        seen, mask, action, favour, worth, seat, rewards, done = columns
        outcome = _outcomes(seat, rewards, done) - worth
        choice = np.unpackbits(mask, axis=2).sum(axis=2) > 1
        return Lessons(seen[choice], mask[choice], action[choice], favour[choice], outcome[choice])

    def _step(self, learner: Policy | None) -> tuple[np.ndarray, ...]:
        frame, games = self._batch.frame, self._batch.records()
        mask, seat = frame.action_mask.copy(), frame.seat.copy()
        records = self.teacher.wants_records or self.adviser is not None
        views = make_views(self.game, self.options, games, frame.observation.copy(), mask, self._secret, records=records)
        seen = self.adviser.seen(views) if self.adviser else views.observation
        favour, worth = target_distribution(self.teacher, views), self.guide.worth(games, seat)
        favourites = np.argsort(-favour, axis=1, kind="stable")[:, :FAVOURITES]
        played = favourites[:, 0].copy()
        if learner is not None:
            own = chances(self.seed, games["index"], seat) < LEARNER_SHARE
            played[own] = learner.best(seen[own], mask[own])
        stray = self._generator.random(len(played)) < NOISE
        played[stray] = self._batch.random_actions(self._generator)[stray]
        frame = self._batch.step(played)
        ended = frame.terminated | frame.truncated
        shares = np.take_along_axis(favour, favourites, axis=1)
        return (
            seen.astype(np.float16),
            np.packbits(mask, axis=1),
            favourites.astype(np.int16),
            shares.astype(np.float16),
            worth,
            seat,
            frame.rewards.copy(),
            ended,
        )


def _outcomes(seat: np.ndarray, rewards: np.ndarray, done: np.ndarray) -> np.ndarray:
    """(steps, games): the return that each decision's seat got at the end of the game, from the last step backwards."""
    outcome = np.zeros(seat.shape, np.float32)
    coming = np.full(rewards.shape[1:], np.nan, np.float32)
    lanes = np.arange(seat.shape[1])
    for step in reversed(range(len(seat))):
        coming[done[step]] = rewards[step][done[step]]
        outcome[step] = coming[lanes, seat[step]]
    return outcome


def sharpen(network: MaskableActorCriticPolicy) -> None:
    """Make the network surer of its preferences. It has learned to hedge as its teacher does; to play, it must decide."""
    with torch.no_grad():
        for parameter in network.action_net.parameters():
            parameter.mul_(SHARPNESS)


def study(
    network: MaskableActorCriticPolicy,
    optimizer: torch.optim.Optimizer,
    lessons: Lessons,
    number: int,
    generator: np.random.Generator,
) -> float:
    """Learn from a number of lessons drawn at random; the share in which the network had the teacher's favourite."""
    network.set_training_mode(True)
    order, agreed = generator.integers(0, len(lessons), number), 0
    for start in range(0, number, BATCH):
        loss, same = _loss(network, lessons, order[start : start + BATCH])
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # as PyTorch has it
        torch.nn.utils.clip_grad_norm_(network.parameters(), LARGEST_GRADIENT)
        optimizer.step()
        agreed += same
    return agreed / number


def _loss(network: MaskableActorCriticPolicy, lessons: Lessons, rows: np.ndarray) -> tuple[torch.Tensor, int]:
    """How far the network is from what the teacher favours and from how the games ended; in how many rows it agrees."""
    size = int(network.action_space.n)  # type: ignore[attr-defined]  # a Discrete
    seen = torch.as_tensor(lessons.seen[rows].astype(np.float32))
    mask = torch.as_tensor(np.unpackbits(lessons.mask[rows], axis=1, count=size).astype(np.bool_))
    action = torch.as_tensor(lessons.action[rows].astype(np.int64))
    favour = torch.as_tensor(lessons.favour[rows].astype(np.float32))
    outcome = torch.as_tensor(lessons.outcome[rows])
    latent_policy, latent_value = network.mlp_extractor(network.extract_features(seen))
    logits = network.action_net(latent_policy).masked_fill(~mask, FORBIDDEN)
    missed = -(functional.log_softmax(logits, dim=1).gather(1, action) * favour).sum(dim=1).mean()
    error = (network.value_net(latent_value).flatten() - outcome)[~outcome.isnan()]
    same = int((logits.argmax(dim=1) == action[:, 0]).sum())
    return missed + VALUE_WEIGHT * error.square().sum() / len(rows), same
