"""How a policy does against other agents: games of the arena on fixed deals, with fixed random bits, so that anybody can repeat
them to the last action."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt
from pathlib import Path
from statistics import fmean, pstdev
from typing import TypeAlias

from cardtable_agents.arena import tournament
from cardtable_agents.arena.command import progress_bar
from cardtable_agents.arena.contests import contests_of
from cardtable_agents.arena.intervals import Z_95, wilson
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.results import Line

from cardtable.engine.ending import Ending
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players import keys

Returns: TypeAlias = dict[str, int]
"""How often each return came up; the return as text, as JSON has it."""


@dataclass(frozen=True)
class Deals:
    """Which games are played: the seed of the deals, and the salt that the agents' random bits come from."""

    seed: int
    salt: str


CHOOSING = Deals(26_111_801, keys.open_salt("choosing a policy"))
"""What the best of several runs is chosen on."""
REPORTING = Deals(26_111_802, keys.open_salt("reporting on a policy"))
"""What is reported of the chosen one."""


@dataclass(frozen=True)
class Measurement:
    """How a policy did against an agent that had all other seats, or alone on the same deals as it."""

    against: str
    """The agent, as a reader knows it."""
    fingerprint: str
    """What the agent plays by, apart from sources; empty if that is all."""
    asked: int
    """The games that were asked for; those played are whole rotations of the seats."""
    games: int
    won: float
    """A win that is shared by k counts 1/k. Alone, the better return wins, then the better score."""
    cut_off: int
    """Games that did not end by their rules."""
    returns: Returns
    """Of the policy."""
    other_returns: Returns
    """Alone: those of the agent on the same deals; otherwise empty."""

    @property
    def rate(self) -> float:
        """The share of wins."""
        return self.won / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the share of wins."""
        return wilson(self.won, self.games)


def mean_of(returns: Returns) -> tuple[float, float]:
    """The mean of some returns, and half of its 95 % interval."""
    values = [float(value) for value, times in returns.items() for _ in range(times)]
    return fmean(values), Z_95 * pstdev(values) / sqrt(len(values))


@dataclass(frozen=True)
class Measurer:
    """Measures policies at one game, in several processes; games that were played before are not played again."""

    game: Game
    options: Options
    folder: Path
    """Where results are kept."""
    workers: int

    @property
    def alone(self) -> bool:
        """Whether the game is for one player."""
        return self.options.num_players == 1

    def measure(self, policy: Path, agent: str, games: int, deals: Deals, against: str = "") -> Measurement:
        """How the policy in a file does against an agent; `against` is what a reader knows the agent by."""
        others = [agent] * max(self.options.num_players - 1, 1)
        plan = make_plan(self.game.id, self.options.to_dict(), [f"ppo:{policy}", *others], deals.seed)
        tournament.prepare(plan)
        title = against or agent
        with progress_bar(f"{self.game.id}: against {title}") as progress:
            lines = tournament.run(
                plan, games, self.folder / plan.folder().name, workers=self.workers, salt=deals.salt, progress=progress
            )
        number = -(-games // len(plan.seatings()[0]))
        counted = [line for line in lines if line["deal"] < number]  # an earlier run may have asked for more
        return self._summary(plan.labels, counted, title, plan.fingerprints[1], games)

    def _summary(self, labels: Sequence[str], lines: list[Line], against: str, fingerprint: str, asked: int) -> Measurement:
        own, contests = labels[0], contests_of(lines)
        return Measurement(
            against=against,
            fingerprint=fingerprint,
            asked=asked,
            games=len(contests),
            won=sum(contest.shares[contest.agents.index(own)] for contest in contests),
            cut_off=sum(line["ending"] == Ending.TRUNCATED.name.lower() for line in lines if own in line["agents"]),
            returns=_returns(lines, own),
            other_returns=_returns(lines, labels[1]) if self.alone else {},
        )


def _returns(lines: Iterable[Line], agent: str) -> Returns:
    counts = Counter(line["returns"][line["agents"].index(agent)] for line in lines if agent in line["agents"])
    return {str(value): counts[value] for value in sorted(counts)}
