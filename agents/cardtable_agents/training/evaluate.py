"""How a policy does against fixed opponents: short matches on deals that training does not see."""

from collections.abc import Sequence

from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable_agents.arena.match import Match
from cardtable_agents.players.policy import NetworkAgent, Policy

ALONE = "return"
"""What is measured in a game for one player, in place of a win rate."""
EXAM_SEED = 0x6578616D
"""Deals of exams: the same for all, so that policies can be compared."""
EXAM_SALT = keys.open_salt("exam")
"""Random bits of exams: the same for all. Agents in training are trusted."""


def win_rate(game: Game, options: Options, policy: Policy, opponent: Agent, games: int) -> float:
    """The share of wins of a policy that sits at each seat in turn; in a game for one player its mean return."""
    learner, seats = NetworkAgent(game, options, policy), options.num_players
    returns: list[float] = []
    for seat in range(seats):
        players = [learner if each == seat else opponent for each in range(seats)]
        deals = -(-games // seats)
        match = Match(game, options, players, EXAM_SEED, 0, deals, EXAM_SALT)
        returns += [played.returns[seat] for played in match.play()]
    mean = sum(returns) / len(returns)
    return mean if seats == 1 else (mean * (seats - 1) + 1) / seats


def examine(game: Game, options: Options, policy: Policy, opponents: Sequence[str], games: int) -> dict[str, float]:
    """The win rate against each of some agents."""
    if options.num_players == 1:
        opponents = [ALONE]
    rates = {
        name: win_rate(game, options, policy, make_agent("random" if name == ALONE else name, game, options), games)
        for name in opponents
    }
    return {name: round(rate, 4) for name, rate in rates.items()}
