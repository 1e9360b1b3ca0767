"""How a policy does against fixed opponents: short matches on deals that training does not see."""

from collections.abc import Mapping, Sequence

from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable_agents.arena.match import Match
from cardtable_agents.players.policy import NetworkAgent, Policy
from cardtable_agents.players.search import search_by
from cardtable_agents.training.progress import Progress
from cardtable_agents.training.settings import Settings

ALONE = "return"
"""What is measured in a game for one player, in place of a win rate."""
BY_SEARCH = " by search:"
"""Between the name of an opponent and the simulations of the search that it met."""
EVALUATION_SEED = 0x6578616D
"""Deals of evaluations: the same for all, so that policies can be compared."""
EVALUATION_SALT = keys.open_salt("exam")  # as in the first version: win rates of then and now are of the same games
"""Random bits of agents in evaluations: the same for all. Agents in training are trusted."""


def win_rate(game: Game, options: Options, policy: Policy, opponent: Agent, games: int) -> float:
    """The share of wins of a policy, a network alone; in a game for one player its mean return."""
    return win_rate_of(NetworkAgent(game, options, policy), game, options, opponent, games)


def win_rate_of(player: Agent, game: Game, options: Options, opponent: Agent, games: int) -> float:
    """The share of wins of an agent that sits at each seat in turn; in a game for one player its mean return."""
    seats = options.num_players
    returns: list[float] = []
    for seat in range(seats):
        players = [player if each == seat else opponent for each in range(seats)]
        deals = -(-games // seats)
        match = Match(game, options, players, EVALUATION_SEED, 0, deals, EVALUATION_SALT)
        returns += [played.returns[seat] for played in match.play()]
    mean = sum(returns) / len(returns)
    return mean if seats == 1 else (mean * (seats - 1) + 1) / seats


def evaluate(
    game: Game, options: Options, policy: Policy, opponents: Sequence[str], games: int, expert: int = 0
) -> dict[str, float]:
    """The win rate against each of some agents, by name; in a game for one player the mean return.

    With an expert, that of a search with so many simulations by the policy's network against the last of them, too.
    """
    others = {name: make_agent(name, game, options) for name in opponents} if options.num_players > 1 else {}
    others = others or {ALONE: make_agent("random", game, options)}  # who has no seat
    try:
        rates = {name: win_rate(game, options, policy, other, games) for name, other in others.items()}
        if expert:
            name, other = list(others.items())[-1]
            player = search_by(policy, game, options, expert)
            rates[f"{name}{BY_SEARCH}{expert}"] = win_rate_of(player, game, options, other, games)
    finally:
        for other in others.values():
            other.close()
    return {name: round(rate, 4) for name, rate in rates.items()}


class Evaluator:
    """Evaluates the policy of a run now and then, in no more than a share of its time."""

    def __init__(self, settings: Settings, progress: Progress) -> None:
        self._settings, self._progress, self._due = settings, progress, 0.0
        self.rates: dict[str, float] = {}
        """What the last evaluation measured."""

    @property
    def due(self) -> bool:
        """Whether it is time for an evaluation."""
        return self._progress.seconds > self._due

    def evaluate(self, policy: Policy) -> dict[str, float]:
        """The win rate against each opponent of the settings."""
        settings, start = self._settings, self._progress.seconds
        self.rates = evaluate(
            *settings.parsed(), policy, settings.evaluation_opponents, settings.evaluation_games, settings.expert
        )
        taken = self._progress.seconds - start
        self._due = self._progress.seconds + max(taken / settings.evaluation_share, settings.evaluation_interval)
        return self.rates

    def restore(self, rates: Mapping[str, float]) -> None:
        """Continue with the win rates of an earlier evaluation; the next one comes after an interval."""
        self.rates = dict(rates)
        self._due = self._progress.seconds + self._settings.evaluation_interval
