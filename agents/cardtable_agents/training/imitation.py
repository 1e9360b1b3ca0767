"""Imitation: a network learns to decide as a teacher does, and how games end, round by round."""

import numpy as np
import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch.nn import functional

from cardtable.players.roster import make_agent
from cardtable.types import Counts
from cardtable_agents.players.advice import Adviser
from cardtable_agents.players.policy import FORBIDDEN
from cardtable_agents.training.demonstrations import DemonstrationGames, Demonstrations
from cardtable_agents.training.networks import policy_of
from cardtable_agents.training.settings import Settings
from cardtable_agents.training.shaping import Potential


class Imitation:
    """Rounds of imitation: the teacher demonstrates, and the network learns from what is kept of all rounds."""

    def __init__(
        self,
        settings: Settings,
        network: MaskableActorCriticPolicy,
        potential: Potential,
        adviser: Adviser | None,
        rounds: int = 0,
    ) -> None:
        """Start after `rounds` rounds: on new deals, with nothing kept from earlier rounds."""
        game, options = settings.parsed()
        teacher = make_agent(settings.teacher, game, options)
        self.settings, self.network, self.rounds = settings, network, rounds
        self.games = DemonstrationGames(game, options, settings, teacher, potential, adviser, first=rounds << 32)
        self._optimizer = torch.optim.Adam(network.parameters())
        self._kept: Demonstrations | None = None

    def round(self, rate: float) -> float:
        """One more round; the share of demonstrations in which the network already preferred the teacher's best action."""
        settings = self.settings
        for group in self._optimizer.param_groups:
            group["lr"] = rate
        student = policy_of(self.network) if self.rounds else None
        new = self.games.play(-(-settings.imitation_round // settings.games), student)
        self._kept = new.after(self._kept, settings.demonstrations_kept) if self._kept else new
        generator = np.random.default_rng([settings.seed, self.rounds])
        rows = generator.integers(0, max(len(self._kept), 1), settings.demonstration_passes * len(new))
        self.rounds += 1
        return self._learn(self._kept, rows)

    def _learn(self, shown: Demonstrations, rows: Counts) -> float:
        """Learn from these rows, batch by batch."""
        self.network.set_training_mode(True)
        agreed, size = 0, self.settings.imitation_batch
        for start in range(0, len(rows), size):
            loss, same = _loss(self.network, shown, rows[start : start + size], self.settings.imitation_value_weight)
            self._optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # as PyTorch has it
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.settings.imitation_gradient)
            self._optimizer.step()
            agreed += same
        return agreed / max(len(rows), 1)

    def finish(self) -> None:
        """Make the network surer of its preferences: it has learned to hedge as its teacher does; to play, it must decide."""
        with torch.no_grad():
            for parameter in self.network.action_net.parameters():
                parameter.mul_(self.settings.sharpness)


def _loss(
    network: MaskableActorCriticPolicy, shown: Demonstrations, rows: Counts, value_weight: float
) -> tuple[torch.Tensor, int]:
    """How far the network is from the teacher's probabilities and from how the games ended; in how many rows it agrees."""
    size = int(network.action_space.n)  # type: ignore[attr-defined]  # a Discrete
    observation = torch.as_tensor(shown.observation[rows].astype(np.float32))
    mask = torch.as_tensor(np.unpackbits(shown.mask[rows], axis=1, count=size).astype(np.bool_))
    action = torch.as_tensor(shown.action[rows].astype(np.int64))
    probability = torch.as_tensor(shown.probability[rows].astype(np.float32))
    outcome = torch.as_tensor(shown.outcome[rows])
    latent_policy, latent_value = network.mlp_extractor(network.extract_features(observation))
    logits = network.action_net(latent_policy).masked_fill(~mask, FORBIDDEN)
    cross_entropy = -(functional.log_softmax(logits, dim=1).gather(1, action) * probability).sum(dim=1).mean()
    error = (network.value_net(latent_value).flatten() - outcome)[~outcome.isnan()]
    same = int((logits.argmax(dim=1) == action[:, 0]).sum())
    return cross_entropy + value_weight * error.square().sum() / len(rows), same
