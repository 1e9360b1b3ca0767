"""`ppo`: a trained policy, played by numpy alone; and the file that it is kept in, which is numbers and nothing else."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from cardtable.errors import AgentError
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.players.agent import Agent
from cardtable.players.views import Views
from cardtable.support.messages import cut, shown
from cardtable_agents import weights
from cardtable_agents.players.advice import Adviser

FORMAT = "cardtable policy 1"
POLICIES = Path(__file__).parent.parent / "policies"
"""The policies that come with the package: `<game>.safetensors`."""
SUFFIX = ".safetensors"
FORBIDDEN = -1e9
"""The logit of an action that is not legal; a policy whose own logits could be as far from 0 is refused."""
LARGEST = 1 << 24
"""Bytes of the largest policy file that is read; the policies that come with the package have about 600,000."""
MOST_LAYERS = 16


@cache
def _threads() -> ThreadpoolController:
    """Holds back the threads of matrix products: at this size they cost more than they do, most of all on busy cores."""
    return ThreadpoolController()


@dataclass(frozen=True)
class Advice:
    """Whom a policy asks at every decision, and how much the answer counts."""

    agent: str
    trust: float


@dataclass(frozen=True)
class Policy:
    """A network from observations to logits: layers with rectified linear units between them.

    An advised policy is given what an `Adviser` lets it see: behind the observation a number for each action, which is
    multiplied by the trust in it and added to the network's own logit.
    """

    layers: Sequence[tuple[np.ndarray, np.ndarray]]
    """Weights (outputs, inputs) and biases (outputs,) of each layer."""
    advice: Advice | None = None
    """None for a policy that wants no advice."""

    def logits(self, seen: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """(n, A): how much the policy prefers each action; not one that the mask forbids."""
        inputs = self.layers[0][0].shape[1]
        latent = seen[:, :inputs].astype(self.layers[0][0].dtype)
        with _threads().limit(limits=1, user_api="blas"):
            for number, (weight, bias) in enumerate(self.layers):
                if number:
                    np.maximum(latent, 0, out=latent)
                latent = latent @ weight.T
                latent += bias
        if self.advice:
            latent += self.advice.trust * seen[:, inputs:]
        return np.where(mask != 0, latent, FORBIDDEN)

    def fingerprint(self) -> str:
        """A hash of all that the policy decides by."""
        digest = hashlib.sha256(repr(self.advice).encode())
        for array in (array for layer in self.layers for array in layer):
            digest.update(f"{array.shape} {array.dtype}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def best(self, seen: np.ndarray, mask: np.ndarray) -> np.ndarray:
        """(n,): the legal action that the policy prefers."""
        return self.logits(seen, mask).argmax(axis=1).astype(ACTION)

    def drawn(self, seen: np.ndarray, mask: np.ndarray, key: np.ndarray) -> np.ndarray:
        """(n,): a legal action drawn as often as the policy prefers it, by random bits."""
        logits = self.logits(seen, mask)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1)
        chance = (key >> np.uint64(11)) * 2.0**-53 * shares[:, -1]
        return (shares > chance[:, None]).argmax(axis=1).astype(ACTION)

    def cast(self, dtype: Any) -> "Policy":
        """The policy with its numbers in another precision."""
        return Policy([(weight.astype(dtype), bias.astype(dtype)) for weight, bias in self.layers], self.advice)

    def largest_logit(self) -> float:
        """A bound on how far from 0 a logit can be, whatever is observed: observations and advice are from 0 to 1."""
        reach = np.ones(self.layers[0][0].shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            for weight, bias in self.layers:
                reach = np.abs(weight).astype(np.float64) @ reach + np.abs(bias)
        return float(reach.max()) + (abs(self.advice.trust) if self.advice else 0.0)

    def fault(self) -> str | None:
        """What makes these numbers no policy, if anything does."""
        if not all(np.isfinite(array).all() for layer in self.layers for array in layer):
            return "its weights are not all finite numbers"
        largest = self.largest_logit()
        return None if largest < -FORBIDDEN else f"its weights can add up to {largest:.1e}, allowed: less than {-FORBIDDEN:.0e}"


# ---- Files


def fits(game: Game) -> dict[str, Any]:
    """What a policy must have been made for to play a game."""
    return {
        "game": game.id,
        "rules": game.rules_version,
        "observation": _hash(game.layout.labels()),
        "actions": _hash(game.actions.names),
    }


def _hash(names: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


def save(path: Path, game: Game, policy: Policy, about: Mapping[str, Any]) -> None:
    """Write a policy of a game, in half precision, with plain data about how it was made; `AgentError` if it is none."""
    arrays: dict[str, np.ndarray] = {}
    with np.errstate(over="ignore"):
        halved = policy.cast(np.float16)
    if fault := halved.fault():
        raise AgentError(f"policy {path}: not written: in half precision {fault}")
    for number, (weight, bias) in enumerate(halved.layers):
        arrays |= {f"{number}.weight": weight, f"{number}.bias": bias}
    advice = [policy.advice.agent, policy.advice.trust] if policy.advice else None
    weights.save(path, arrays, {"format": FORMAT, **fits(game), "advice": advice, **about})


def load(path: Path, game: Game) -> Policy:
    """The policy in a file, in double precision: its choices do not depend on how many views come at once.

    `AgentError` if the file is damaged or was not made for this game as it is now.
    """
    arrays, about = _read(path)
    where = f"policy {cut(path, weights.LONGEST_PATH)}"
    for name, wanted in {"format": FORMAT, **fits(game)}.items():
        if about.get(name) != wanted:
            raise AgentError(f"{where}: its {name} is {shown(about.get(name))}, not {wanted!r}")
    policy = Policy(_layers(arrays, game, where), _advice(about.get("advice"), where)).cast(np.float64)
    if fault := policy.fault():
        raise AgentError(f"{where}: {fault}")
    return policy


def _layers(arrays: Mapping[str, np.ndarray], game: Game, where: str) -> list[tuple[np.ndarray, np.ndarray]]:
    """The layers of a network from the game's observations to its actions."""
    number = len(arrays) // 2
    names = [f"{layer}.{part}" for layer in range(number) for part in ("weight", "bias")]
    if sorted(arrays) != sorted(names) or not 0 < number <= MOST_LAYERS:
        raise AgentError(f"{where}: its arrays {shown(list(arrays))} are not layers")
    if any(array.dtype.kind != "f" for array in arrays.values()):
        raise AgentError(f"{where}: its layers are not all of real numbers")
    layers = [(arrays[f"{layer}.weight"], arrays[f"{layer}.bias"]) for layer in range(number)]
    sizes = [game.layout.size, *(bias.size for _, bias in layers[:-1]), game.actions.size]
    if [each.shape for layer in layers for each in layer] != [
        shape for inputs, outputs in pairwise(sizes) for shape in ((outputs, inputs), (outputs,))
    ]:
        shapes = [weight.shape for weight, _ in layers]
        raise AgentError(f"{where}: its layers {shown(shapes)} do not lead from {sizes[0]} to {sizes[-1]} numbers")
    return layers


def _advice(plain: Any, where: str) -> Advice | None:
    match plain:
        case None:
            return None
        case [str(agent), float(trust)] if isfinite(trust):
            return Advice(agent, trust)
    raise AgentError(f"{where}: its advice is {shown(plain)}, not an agent and how much it is trusted")


def about(path: str | Path) -> dict[str, Any]:
    """What a policy file says about itself: game, options, seed, steps, command."""
    return _read(Path(path))[1]


def _read(path: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    try:
        return weights.load(path, LARGEST)
    except weights.WeightsError as error:
        raise AgentError(f"policy {error}") from None


# ---- Agents


class NetworkAgent(Agent):
    """Plays a policy that is at hand: the action it prefers."""

    def __init__(self, game: Game, options: Options, policy: Policy) -> None:
        super().__init__(game, options)
        self.policy = policy
        self.adviser = Adviser(policy.advice.agent, game, options) if policy.advice else None
        self.wants_records = self.adviser is not None

    def fingerprint(self) -> str:
        """The policy's, as it was loaded, and its adviser's."""
        return " ".join(filter(None, [self.policy.fingerprint(), self.adviser.agent.fingerprint() if self.adviser else ""]))

    def seen(self, views: Views) -> np.ndarray:
        """What the policy looks at: observations, with advice if it wants any."""
        return self.adviser.seen(views) if self.adviser else views.observation

    def act(self, views: Views) -> np.ndarray:
        """The preferred legal action of each view."""
        return self.policy.best(self.seen(views), views.mask)


class SamplingAgent(NetworkAgent):
    """Plays actions as often as a policy prefers them: a learner's past self, as varied as it was."""

    def act(self, views: Views) -> np.ndarray:
        """A legal action for each view, drawn by its key."""
        return self.policy.drawn(self.seen(views), views.mask, views.key)


class PolicyAgent(NetworkAgent):
    """`ppo` plays the policy that comes with the package, `ppo:PATH` that of a file."""

    about = "a trained policy: the one that comes with the package, or that of a file"
    takes = "PATH"

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        super().__init__(game, options, load(_path(game, argument), game))
        self.argument = argument


def _path(game: Game, argument: str | None) -> Path:
    if argument is not None:
        return Path(argument)
    path = POLICIES / f"{game.id}{SUFFIX}"
    if not path.is_file():
        raise AgentError(f"ppo: no policy of {game.id} comes with the package; train one: cardtable train {game.id}")
    return path
