"""A search whose redealt worlds are weighed by how likely they are, given how the others have played.

How likely that is, is learned from games of the same players: what another seat really observed is to be told from what it
would observe after a redeal. A network that tells them apart as well as can be puts out the log of a ratio: how much likelier
such a hand is where it is true than by chance. Redeals know everything but how the others choose, so their choices are all that
it can learn. Each decision draws more worlds than it has simulations, and simulates in those that this ratio picks.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from cardtable_agents.players.search import SearchAgent

from benchmarks.knowing import grow_by_network_in, grow_in
from cardtable.engine import rng
from cardtable.engine.dispatch import observe, redeal_hidden
from cardtable.engine.jit import as_games, kernel
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.lanes import Lanes
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.views import make_views
from cardtable.types import Counts, Floats, Observation, Records

CANDIDATES = 2
"""Worlds drawn for each that is simulated in."""
LANES = 64
"""Games side by side from which the judge learns."""
UNITS = (128, 64)
BATCH, RATE, DECAY = 512, 1e-3, 1e-5
"""Pairs of a gradient step, step size and weight decay of Adam."""
SPILL = 64
"""Numbers that a kernel may write behind an observation (`cardtable.engine.vectors`)."""


@kernel
def redeal_all(games: Records, seats: Counts, key: np.uint64) -> None:
    """Draw anew, in every game, what its seat cannot know."""
    for number in range(games.shape[0]):
        game = games[number]
        game.rng = rng.stream(key, np.uint64(number))
        redeal_hidden(game, seats[number])


@kernel
def observe_all(games: Records, seats: Counts, out: Observation) -> None:
    """What a seat of every game observes."""
    for number in range(games.shape[0]):
        observe(games[number], seats[number], out[number])


def observations(games: Records, seats: Counts, size: int) -> Observation:
    """What a seat of every game observes, in an array of its own."""
    out = np.zeros((len(games), size + SPILL), np.float32)
    observe_all(games, seats, out)
    return out[:, :size]


@dataclass(frozen=True)
class Judge:
    """How much likelier than by chance another seat observes what it does."""

    layers: tuple[tuple[Floats, Floats], ...]
    """Weights (outputs, inputs) and biases of each."""

    def log_ratios(self, observed: Observation) -> Floats:
        """One for each observation."""
        *hidden, (last, last_bias) = self.layers
        for weight, bias in hidden:
            observed = np.maximum(observed @ weight.T + bias, 0)
        found: Floats = (observed @ last.T + last_bias)[:, 0]
        return found


# ---- Learning what is likely


def pairs(game: Game, options: Options, agent: Agent, number: int, seed: int) -> tuple[Observation, Observation]:
    """What other seats observed in so many decisions of an agent's games, and what they would have after a redeal."""
    lanes, draw = Lanes(game, options, LANES, seed), np.random.default_rng(seed)
    secret, frame = keys.secret_of(keys.open_salt("belief")), lanes.frame
    true, redealt, found = [], [], 0
    while found < number:
        views = make_views(game, options, as_games(np.array(lanes.records)), frame.observation, frame.action_mask, secret)
        chosen = np.flatnonzero(frame.action_mask.sum(axis=1) > 1)
        seats = frame.seat[chosen].astype(np.int64)
        others = (seats + draw.integers(1, options.num_players, len(chosen))) % options.num_players
        games = as_games(np.array(lanes.records)[chosen])
        true.append(observations(games, others, frame.observation.shape[1]))
        redeal_all(games, seats, np.uint64(draw.integers(1 << 62)))
        redealt.append(observations(games, others, frame.observation.shape[1]))
        found += len(chosen)
        lanes.step(agent.act(views))
    return np.concatenate(true), np.concatenate(redealt)


def learn(true: Observation, redealt: Observation, epochs: int = 5) -> tuple[Judge, float]:
    """A judge, and in how many of pairs that it has not learned from it thinks that the true one is likelier. Needs PyTorch."""
    import torch

    torch.manual_seed(0)
    sizes = (true.shape[1], *UNITS, 1)
    linear = [torch.nn.Linear(*each) for each in pairwise(sizes)]
    network = torch.nn.Sequential(*[part for each in linear for part in (each, torch.nn.ReLU())][:-1])
    optimizer = torch.optim.Adam(network.parameters(), RATE, weight_decay=DECAY)
    some, softplus = len(true) * 9 // 10, torch.nn.functional.softplus
    for _ in range(epochs):
        order = np.random.default_rng(0).permutation(some)
        for batch in np.array_split(order, -(-some // BATCH)):
            loss = softplus(-network(torch.tensor(true[batch]))).mean() + softplus(network(torch.tensor(redealt[batch]))).mean()
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # PyTorch's own
            optimizer.step()
    judge = Judge(tuple((each.weight.detach().numpy(), each.bias.detach().numpy()) for each in linear))
    one, other = judge.log_ratios(true[some:]), judge.log_ratios(redealt[some:])
    return judge, float(np.mean(one > other) + np.mean(one == other) / 2)


# ---- Searching by it


class WeighingSearch(SearchAgent):
    """Simulates in worlds that are drawn as often as they are likely."""

    def __init__(self, game: Game, options: Options, argument: str, judge: Judge) -> None:
        super().__init__(game, options, argument)
        self.judge = judge

    def _simulate(self, games: Records, lane: int, seat: int, key: np.uint64, first: int, stop: int) -> None:
        worlds = self._likely(games, lane, seat, key, stop)
        if self.network:
            grow_by_network_in(worlds, first, stop, self.tree, self.walk, self.network)
        else:
            assert self.scratch is not None
            grow_in(worlds, first, stop, self.tree, self.scratch)

    def _likely(self, games: Records, lane: int, seat: int, key: np.uint64, number: int) -> Records:
        """So many worlds, of more that are drawn; the more likely one is, the more often it is among them."""
        worlds = as_games(np.repeat(np.asarray(games)[lane : lane + 1], CANDIDATES * number))
        redeal_all(worlds, np.full(len(worlds), seat), key)
        players, size = self.options.num_players, self.game.layout.size
        ratios = np.zeros(len(worlds))
        for other in range(1, players):
            ratios += self.judge.log_ratios(observations(worlds, np.full(len(worlds), (seat + other) % players), size))
        draw = np.random.default_rng(int(key))
        chosen = picked(ratios, number, draw.random())
        return as_games(np.asarray(worlds)[draw.permutation(chosen)])


def picked(ratios: Floats, number: int, start: float) -> Counts:
    """Which of some worlds are taken, as often as their ratios say, at even distances from a start in [0, 1)."""
    weights = np.exp(ratios - ratios.max())
    ends = np.cumsum(weights / weights.sum())
    return np.searchsorted(ends, (np.arange(number) + start) / number).clip(0, len(ratios) - 1)
