"""`StableBaselines`: sb3-contrib's MaskablePPO over `LearnerVecEnv`, one seat of each game against a pool of opponents."""

import re
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.logger import configure
from stable_baselines3.common.utils import set_random_seed
from torch import nn

from cardtable.engine.jit import cores
from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.support.messages import shown
from cardtable.types import Array
from cardtable_agents.network.optimizer import Diverged
from cardtable_agents.players.policy import Policy
from cardtable_agents.training import states
from cardtable_agents.training.clocks import Clocks
from cardtable_agents.training.learners import State
from cardtable_agents.training.opponents import TrainingPool
from cardtable_agents.training.progress import between
from cardtable_agents.training.sb3.environment import Timed
from cardtable_agents.training.sb3.networks import policy_of
from cardtable_agents.training.settings import Settings
from cardtable_agents.weights import WeightsError

LOGGED = {"kl": "approx_kl", "entropy": "entropy_loss", "value_error": "value_loss"}
"""What the log records of an update, and what Stable-Baselines3 calls it."""
PARTS = ("environment", "opponents")
"""What takes time in a rollout besides the network."""
TARGET_KL = 0.03
"""Updates stop early where they would lead too far from the policy that played."""
MEANS, SQUARES = "exp_avg", "exp_avg_sq"
"""What Adam keeps of each parameter besides how many steps it has made."""
LARGEST_INDEX = 2**63 - 1


class StableBaselines:
    """MaskablePPO with the settings of a run: a `Learner`."""

    def __init__(self, settings: Settings, game: Game, options: Options) -> None:
        self.settings, self.game, self.options = settings, game, options
        torch.distributions.Distribution.set_default_validate_args(False)  # the mask is ours: checks cost a tenth of an update
        if settings.threads is not None:
            torch.set_num_threads(min(settings.threads, cores()))
        self.clocks = Clocks(PARTS)
        self.pool = TrainingPool(game, options, settings, self.clocks)
        self.updates = 0
        self._rate = settings.learning_rate[0]
        self._deal(0)
        self.model = self._new_model()

    def _deal(self, first: int) -> None:
        """New games, from number `first` on; the seeds of PyTorch and numpy follow."""
        set_random_seed((self.settings.seed + first) % 2**32)
        self.games = LearnerVecEnv(
            self.game, self.settings.games, self.pool, self.settings.seed, first=first, **self.settings.options
        )

    def _new_model(self) -> MaskablePPO:
        settings = self.settings
        model = MaskablePPO(
            MaskableActorCriticPolicy,
            Timed(self.games, self.clocks),
            learning_rate=lambda _: self._rate,
            n_steps=settings.rollout // settings.games,
            batch_size=settings.batch,
            n_epochs=settings.epochs,
            gamma=settings.gamma,
            gae_lambda=settings.gae_lambda,
            clip_range=settings.clip,
            ent_coef=settings.entropy[0],
            vf_coef=settings.value_weight,
            max_grad_norm=settings.gradient,
            target_kl=TARGET_KL,
            policy_kwargs={"net_arch": list(settings.layers), "activation_fn": nn.ReLU},
            device="cpu",
        )
        model.set_logger(configure(None, []))  # the run has a log of its own
        return model

    @property
    def network(self) -> MaskableActorCriticPolicy:
        """Policy and value, as PyTorch has them."""
        assert isinstance(self.model.policy, MaskableActorCriticPolicy)
        return self.model.policy

    @property
    def policy(self) -> Policy:
        """The policy so far, for numpy; a copy."""
        return policy_of(self.network)

    @property
    def steps(self) -> int:
        """Decisions that have been learned from."""
        return self.model.num_timesteps

    # ---- Learning

    def imitate(self, rate: float) -> dict[str, float]:
        """Not done: the settings refuse it before anything is trained."""
        raise AgentError("MaskablePPO does not imitate; use learner='cardtable'")

    def finish_imitation(self) -> None:
        """Nothing was imitated."""

    def improve(self, done: float) -> dict[str, float]:
        """Not done: the settings refuse it before anything is trained."""
        raise AgentError("MaskablePPO does not learn from search; use learner='cardtable'")

    def update(self, done: float) -> dict[str, float]:
        """Play one rollout and learn from it; numbers for the log. Now and then the learner joins the pool."""
        if not self.pool.past:
            self.pool.add(self.policy)
        start = time.perf_counter()
        self._rate = between(self.settings.learning_rate, done)
        self.model.ent_coef = between(self.settings.entropy, done)
        try:
            self.model.learn(1, reset_num_timesteps=False)
        except (ValueError, RuntimeError):  # what PyTorch says of probabilities that are none
            self._require_finite()
            raise
        self._require_finite()
        seconds = time.perf_counter() - start
        self.updates += 1
        if self.updates % self.settings.snapshot_updates == 0:
            self.pool.add(self.policy)
        shares = {f"{part}_share": round(taken / seconds, 3) for part, taken in self.clocks.take().items()}
        return {**self._numbers(seconds), **shares}

    def _require_finite(self) -> None:
        """`Diverged` if the network is no longer one."""
        if not all(bool(tensor.isfinite().all()) for tensor in self.network.parameters()):
            raise Diverged("the weights of the network are not all finite numbers")

    def _numbers(self, seconds: float) -> dict[str, float]:
        learned = self.model.logger.name_to_value
        told = {name: float(learned[f"train/{theirs}"]) for name, theirs in LOGGED.items()}
        told["entropy"] = -told["entropy"]  # theirs is a loss
        ended = [each["r"] for each in self.model.ep_info_buffer or [{"r": 0}]]
        return {
            "steps_per_second": round(self.model.n_steps * self.model.n_envs / seconds),
            "return": round(float(np.mean(ended)), 4),
            **{name: round(number, 4) for name, number in told.items()},
        }

    # ---- Saving and restoring

    def state(self) -> State:
        """Weights, optimizer, past selves, and how far it has got. Games are not kept: it goes on with new ones."""
        arrays = {f"network.{name}": tensor.numpy().copy() for name, tensor in self.network.state_dict().items()}
        for number, state in self.network.optimizer.state_dict()["state"].items():
            arrays |= {f"optimizer.{number}.{name}": tensor.numpy().copy() for name, tensor in state.items()}
        arrays |= states.arrays_of(self.pool.past)
        return arrays, {"steps": self.steps, "updates": self.updates, "next_game": self.games.next_game}

    def restore(self, arrays: Mapping[str, Array], about: Mapping[str, Any]) -> None:
        """Go on from there, on new deals; `WeightsError` if it does not fit, and nothing has changed then."""
        steps, updates, next_game = (_index(about, name) for name in ("steps", "updates", "next_game"))
        optimized = _numbers_of(arrays, r"optimizer\.([0-9]{1,4})\.step")
        past = len(_numbers_of(arrays, r"past\.([0-9]{1,4})\.0\.bias"))
        self._require_fit(arrays, optimized, past)
        policies = states.past_of(arrays, self.policy, past)
        self._load(arrays, optimized, policies)
        self.pool.seat(policies)
        self.updates = updates
        self._deal(next_game)
        self.model.set_env(Timed(self.games, self.clocks))
        self.model.num_timesteps = steps

    def _load(self, arrays: Mapping[str, Array], optimized: list[int], policies: list[Policy]) -> None:
        """Put weights and optimizer into the network, if policies can be played with them."""
        tensors = {name: torch.tensor(array) for name, array in arrays.items()}
        before = {name: tensor.clone() for name, tensor in self.network.state_dict().items()}
        self.network.load_state_dict(_under(tensors, "network."))
        for policy in (self.policy, *policies):
            if fault := policy.fault():
                self.network.load_state_dict(before)
                raise WeightsError(f"{states.UNFIT}: {fault}")
        optimizer = self.network.optimizer.state_dict()
        optimizer["state"] = {number: _under(tensors, f"optimizer.{number}.") for number in optimized}
        self.network.optimizer.load_state_dict(optimizer)

    def _require_fit(self, arrays: Mapping[str, Array], optimized: list[int], past: int) -> None:
        """`WeightsError` if there are not exactly the arrays that `state` gives."""
        states.require_fit(arrays, self._expected(optimized, past))
        for number in optimized:
            states.require_squares(arrays[f"optimizer.{number}.{SQUARES}"])
        if past not in (0, len(self.pool.places)):
            raise WeightsError(f"{states.UNFIT}: {past} past selves for {len(self.pool.places)} places")

    def _expected(self, optimized: list[int], past: int) -> dict[str, Array]:
        """Arrays of the names, shapes and dtypes that a state of this learner has."""
        expected = {f"network.{name}": tensor.numpy() for name, tensor in self.network.state_dict().items()}
        parameters = [parameter.detach().numpy() for parameter in self.network.parameters()]
        for number in (number for number in optimized if number < len(parameters)):
            expected[f"optimizer.{number}.step"] = np.zeros((), np.float32)
            expected |= {f"optimizer.{number}.{name}": parameters[number] for name in (MEANS, SQUARES)}
        return {**expected, **states.arrays_of([self.policy] * past)}

    def close(self) -> None:
        """Let opponents go; there are no threads of our own."""
        self.pool.close()


def _index(about: Mapping[str, Any], name: str) -> int:
    value = about.get(name)
    if type(value) is not int or not 0 <= value <= LARGEST_INDEX:
        raise WeightsError(f"{states.UNFIT}: its {name} is {shown(value)}, expected an integer from 0")
    return value


def _numbers_of(arrays: Mapping[str, Array], pattern: str) -> list[int]:
    """The numbers in the names that match."""
    return sorted(int(found[1]) for name in arrays if (found := re.fullmatch(pattern, name)))


def _under(entries: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): entry for name, entry in entries.items() if name.startswith(prefix)}
