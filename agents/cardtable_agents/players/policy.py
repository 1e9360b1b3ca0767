"""`ppo`: a trained policy that needs only numpy to play; and the file that it is kept in, which holds numbers and no code."""

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
from cardtable.game.record import MAX_PLAYERS
from cardtable.players.agent import Agent
from cardtable.players.views import Views
from cardtable.support.messages import cut, shown
from cardtable.types import Actions, Array, Bits, Floats, Mask, Observation
from cardtable_agents import weights
from cardtable_agents.players.advice import Adviser

FORMAT = "cardtable policy 1"
POLICIES = Path(__file__).parent.parent / "policies"
"""The policies that come with the package: `<game>-<players>.safetensors`; `<game>.safetensors` is for any other number."""
SUFFIX = ".safetensors"
FORBIDDEN = -1e9
"""The logit of an action that is not legal. A policy whose own logits could be that large is refused."""
LARGEST = 1 << 24
"""Bytes of the largest policy file that is read; those that come with the package have about 600,000."""
MOST_LAYERS = 16
VALUE = ("value.weight", "value.bias")
"""What a file calls the arrays of the value head."""


@cache
def _threads() -> ThreadpoolController:
    """Limits the threads of matrix products: for products this small several threads are slower than one."""
    return ThreadpoolController()


@dataclass(frozen=True)
class Advice:
    """The adviser whose score of every legal action a policy receives, and how much the scores count."""

    agent: str
    trust: float
    """What scores are multiplied by before they are added to the network's logits."""


Layer = tuple[Floats, Floats]
"""Weights (outputs, inputs) and biases (outputs,)."""


@dataclass(frozen=True)
class Policy:
    """A network from observations to logits: linear layers with rectified linear units between them.

    A policy with an adviser receives, after the observation, the adviser's score of every action; the score, times the trust in
    it, is added to the network's own logit.
    """

    layers: Sequence[Layer]
    """Weights (outputs, inputs) and biases (outputs,) of each layer."""
    advice: Advice | None = None
    """None for a policy without an adviser."""
    value: Layer | None = None
    """The value head, if there is one: weights (P, H) and biases (P,) from the H units before the last layer to the expected
    returns of P seats: that of the seat to act, then those of the seats after it, in turn."""

    def logits(self, seen: Observation, mask: Mask) -> Floats:
        """(n, A): the logit of each action; `FORBIDDEN` where the mask is 0."""
        latent = self._output(seen, self.layers)
        if self.advice:
            latent += self.advice.trust * seen[:, self.inputs :]
        return np.where(mask != 0, latent, FORBIDDEN)

    def values(self, seen: Observation) -> Floats:
        """(n, P): the expected returns, that of the seat to act first; `AgentError` if the policy has no value head."""
        if self.value is None:
            raise AgentError("the policy has no value head: values are known only of policies that were trained with one")
        return self._output(seen, [*self.layers[:-1], self.value])

    @property
    def inputs(self) -> int:
        """Numbers of an observation."""
        return self.layers[0][0].shape[1]

    def _output(self, seen: Observation, layers: Sequence[Layer]) -> Floats:
        """(n, outputs): what comes out of the last of these layers."""
        latent = seen[:, : self.inputs].astype(layers[0][0].dtype)
        with _threads().limit(limits=1, user_api="blas"):
            for number, (weight, bias) in enumerate(layers):
                if number:
                    self._activate(latent)
                latent = latent @ weight.T
                latent += bias
        return latent

    def _activate(self, latent: Floats) -> None:
        """What is between two layers, in place."""
        np.maximum(latent, 0, out=latent)

    def fingerprint(self) -> str:
        """A hash of everything that the policy's choices depend on, and of its value head if it has one."""
        digest = hashlib.sha256(repr(self.advice).encode())
        for array in self._arrays():
            digest.update(f"{array.shape} {array.dtype}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()[:16]

    def best(self, seen: Observation, mask: Mask) -> Actions:
        """(n,): the legal action with the largest logit."""
        return self.logits(seen, mask).argmax(axis=1).astype(ACTION)

    def sample(self, seen: Observation, mask: Mask, key: Bits) -> Actions:
        """(n,): a legal action sampled from the policy's distribution by the random bits of `key`."""
        logits = self.logits(seen, mask)
        shares = np.exp(logits - logits.max(axis=1, keepdims=True)).cumsum(axis=1)
        chance = (key >> np.uint64(11)) * 2.0**-53 * shares[:, -1]
        return (shares > chance[:, None]).argmax(axis=1).astype(ACTION)

    def cast(self, dtype: type[np.floating[Any]]) -> "Policy":
        """The policy with its numbers in another precision."""
        layers = [(weight.astype(dtype), bias.astype(dtype)) for weight, bias in self.layers]
        value = (self.value[0].astype(dtype), self.value[1].astype(dtype)) if self.value else None
        return Policy(layers, self.advice, value)

    def _arrays(self) -> list[Floats]:
        """All arrays, those of the value head last."""
        return [array for layer in (*self.layers, *([self.value] if self.value else [])) for array in layer]

    def largest_logit(self) -> float:
        """A bound on the size of a logit for any input: observations and scores are between 0 and 1."""
        reach = np.ones(self.layers[0][0].shape[1])
        with np.errstate(over="ignore", invalid="ignore"):
            for weight, bias in self.layers:
                reach = np.abs(weight).astype(np.float64) @ reach + np.abs(bias)
        return float(reach.max()) + (abs(self.advice.trust) if self.advice else 0.0)

    def fault(self) -> str | None:
        """Why these numbers cannot be played, if they cannot."""
        if not all(np.isfinite(array).all() for array in self._arrays()):
            return "its weights are not all finite numbers"
        largest = self.largest_logit()
        return None if largest < -FORBIDDEN else f"its weights can add up to {largest:.1e}, allowed: less than {-FORBIDDEN:.0e}"


# ---- Files


def fits(game: Game) -> dict[str, Any]:
    """What a policy file must say to fit a game as it is now."""
    return {
        "game": game.id,
        "rules": game.rules_version,
        "observation": _hash(game.layout.labels()),
        "actions": _hash(game.actions.names),
    }


def _hash(names: Sequence[str]) -> str:
    return hashlib.sha256("\n".join(names).encode()).hexdigest()[:16]


def save(path: Path, game: Game, policy: Policy, about: Mapping[str, Any], dtype: type[np.floating[Any]] = np.float32) -> None:
    """Write a policy for a game, with plain data about how it was made.

    In single precision the file holds exactly what was learned; in half precision (`np.float16`) it is half as large.
    `AgentError` if its numbers cannot be played.
    """
    arrays: dict[str, Array] = {}
    with np.errstate(over="ignore"):
        written = policy.cast(dtype)
    if fault := written.fault():
        raise AgentError(f"policy {path}: not written: as {np.dtype(dtype)} {fault}")
    for number, (weight, bias) in enumerate(written.layers):
        arrays |= {f"{number}.weight": weight, f"{number}.bias": bias}
    if written.value:
        arrays |= dict(zip(VALUE, written.value, strict=True))
    advice = [policy.advice.agent, policy.advice.trust] if policy.advice else None
    weights.save(path, arrays, {"format": FORMAT, **fits(game), "advice": advice, **about})


def load(path: Path, game: Game) -> Policy:
    """The policy in a file, in double precision, so that its choices do not depend on the number of views in a call.

    `AgentError` if the file is damaged or was not made for this game as it is now.
    """
    arrays, about = _read(path)
    where = f"policy {cut(path, weights.LONGEST_PATH)}"
    for name, expected in {"format": FORMAT, **fits(game)}.items():
        if about.get(name) != expected:
            raise AgentError(f"{where}: its {name} is {shown(about.get(name))}, expected {expected!r}")
    layers = _layers({name: array for name, array in arrays.items() if name not in VALUE}, game, where)
    value = _value(arrays, layers[-1][0].shape[1], where)
    policy = Policy(layers, _advice(about.get("advice"), where), value).cast(np.float64)
    if fault := policy.fault():
        raise AgentError(f"{where}: {fault}")
    return policy


def _layers(arrays: Mapping[str, Array], game: Game, where: str) -> list[Layer]:
    """The layers, if they lead from the game's observations to its actions."""
    number = len(arrays) // 2
    names = [f"{layer}.{part}" for layer in range(number) for part in ("weight", "bias")]
    if sorted(arrays) != sorted(names) or not 0 < number <= MOST_LAYERS:
        raise AgentError(f"{where}: expected layers 0.weight, 0.bias and so on, found arrays {shown(list(arrays))}")
    if any(array.dtype.kind != "f" for array in arrays.values()):
        raise AgentError(f"{where}: expected layers of floating-point numbers")
    layers = [(arrays[f"{layer}.weight"], arrays[f"{layer}.bias"]) for layer in range(number)]
    sizes = [game.layout.size, *(bias.size for _, bias in layers[:-1]), game.actions.size]
    if [each.shape for layer in layers for each in layer] != [
        shape for inputs, outputs in pairwise(sizes) for shape in ((outputs, inputs), (outputs,))
    ]:
        shapes = [weight.shape for weight, _ in layers]
        raise AgentError(
            f"{where}: expected layers from {sizes[0]} inputs to {sizes[-1]} outputs, found shapes {shown(shapes)}"
        )
    return layers


def _value(arrays: Mapping[str, Array], units: int, where: str) -> Layer | None:
    """The value head, if there is one: it leads from the units before the last layer to one value a seat."""
    found = [arrays[name] for name in VALUE if name in arrays]
    if not found:
        return None
    seats = len(found[-1]) if found[-1].ndim else 0
    if [each.shape for each in found] != [(seats, units), (seats,)] or not 0 < seats <= MAX_PLAYERS:
        shapes = shown([each.shape for each in found])
        raise AgentError(
            f"{where}: expected {' and '.join(VALUE)} of shapes (seats, {units}) and (seats,) for 1 to {MAX_PLAYERS} seats, "
            f"found {shapes}"
        )
    if any(each.dtype.kind != "f" for each in found):
        raise AgentError(f"{where}: expected a value head of floating-point numbers")
    return found[0], found[1]


def _advice(plain: object, where: str) -> Advice | None:
    match plain:
        case None:
            return None
        case [str(agent), float(trust)] if isfinite(trust):
            return Advice(agent, trust)
    raise AgentError(f"{where}: its advice is {shown(plain)}; expected the name of an agent and a finite number")


def about(path: str | Path) -> dict[str, Any]:
    """What a policy file says about itself: game, options, seed, steps, command."""
    return _read(Path(path))[1]


def _read(path: Path) -> tuple[dict[str, Array], dict[str, Any]]:
    try:
        return weights.load(path, LARGEST)
    except weights.WeightsError as error:
        raise AgentError(f"policy {error}") from None


# ---- Agents


class NetworkAgent(Agent):
    """Plays the action with the largest logit of a policy in memory."""

    def __init__(self, game: Game, options: Options, policy: Policy) -> None:
        super().__init__(game, options)
        self.policy = policy
        self.adviser = Adviser(policy.advice.agent, game, options) if policy.advice else None
        self.wants_records = self.adviser is not None

    def fingerprint(self) -> str:
        """That of the policy, as it was loaded, and that of its adviser."""
        return " ".join(filter(None, [self.policy.fingerprint(), self.adviser.agent.fingerprint() if self.adviser else ""]))

    def seen(self, views: Views) -> Observation:
        """What the policy receives: observations, followed by scores if it has an adviser."""
        return self.adviser.seen(views) if self.adviser else views.observation

    def act(self, views: Views) -> Actions:
        """The legal action with the largest logit in each view."""
        return self.policy.best(self.seen(views), views.mask)


class SamplingAgent(NetworkAgent):
    """Samples from a policy: a learner's past self, with its exploration."""

    def act(self, views: Views) -> Actions:
        """A legal action for each view, sampled by its key."""
        return self.policy.sample(self.seen(views), views.mask, views.key)


class PolicyAgent(NetworkAgent):
    """`ppo` plays the policy that comes with the package for this number of players, `ppo:PATH` the one in a file."""

    about = "a trained policy: the one that comes with the package for this number of players, or the one in a file"
    takes = "PATH"

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        path = shipped_path(game, options.num_players) if argument is None else Path(argument)
        super().__init__(game, options, load(path, game))
        self.argument = argument


def shipped_name(game: Game, num_players: int) -> str:
    """What the policy for a game with so many players is called, without the suffix of its file."""
    return f"{game.id}-{num_players}"


def shipped_path(game: Game, num_players: int) -> Path:
    """The file of the policy that comes with the package for this number of players, or else for any other number.

    `AgentError` if there is neither.
    """
    for name in (shipped_name(game, num_players), game.id):
        path = POLICIES / f"{name}{SUFFIX}"
        if path.is_file():
            return path
    there = [path.stem.removeprefix(f"{game.id}-") for path in sorted(POLICIES.glob(f"{game.id}-*{SUFFIX}"))]
    others = f" (there is one for {', '.join(there)})" if there else ""
    players = "one player" if num_players == 1 else f"{num_players} players"
    raise AgentError(
        f"ppo: no policy for {game.id} with {players} comes with the package{others}; train one: "
        f"cardtable train {game.id} -o num_players={num_players}"
    )
