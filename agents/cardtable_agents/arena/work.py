"""The unit of work: a range of deals of a line-up. Whoever plays it, a process or another machine, the games are the same."""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import groupby
from typing import Protocol, TypeVar

from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players.agent import Agent
from cardtable.replay import Replay
from cardtable_agents.arena.match import Match, Played
from cardtable_agents.arena.plan import Plan, Seating
from cardtable_agents.arena.results import Line

LARGEST_MATCH = 250
"""Games that are played beside each other: enough for batches."""

Done = TypeVar("Done")
Made = TypeVar("Made", covariant=True)


@dataclass(frozen=True)
class Task:
    """Deals `first` to `first + number - 1` of some seatings of a line-up, usually of all of them."""

    seatings: tuple[Seating, ...]
    first: int
    number: int

    @property
    def games(self) -> int:
        """How many games these are."""
        return len(self.seatings) * self.number

    def cut(self, number: int) -> Iterator["Task"]:
        """The same games in tasks of so many deals."""
        for first in range(self.first, self.first + self.number, number):
            yield Task(self.seatings, first, min(number, self.first + self.number - first))


class Work(Protocol[Made]):
    """What plays tasks. It is sent to where they are played, and makes agents there, once, when it gets the first one."""

    def play(self, task: Task) -> Made:
        """Play a task."""

    def close(self) -> None:
        """Let the agents go."""


# ---- What there is to play


def number_of_deals(plan: Plan, games: int) -> int:
    """How many deals each line-up plays for `games` games, rounded up to whole rotations."""
    return -(-games // len(plan.seatings()[0]))  # every line-up has as many seatings


def left_to_play(plan: Plan, deals: range, done: Container[tuple[Seating, int]]) -> list[Task]:
    """What is left to play of some deals, in tasks as long as they come: one for each line-up if nothing is done yet."""
    tasks = []
    for line_up in plan.seatings():
        open_seatings = {deal: tuple(each for each in line_up if (each, deal) not in done) for deal in deals}
        for seatings, run in groupby(deals, open_seatings.__getitem__):
            found = list(run)
            if seatings:
                tasks.append(Task(seatings, found[0], len(found)))
    return tasks


def cut_all(tasks: Sequence[Task], number: int) -> list[Task]:
    """The same games in tasks of so many deals."""
    return [part for task in tasks for part in task.cut(number)]


def joined(tasks: Iterable[Task]) -> list[Task]:
    """The same games in tasks as long as they come."""
    spans: list[Task] = []
    for task in sorted(tasks, key=lambda task: (task.seatings, task.first)):
        if spans and spans[-1].seatings == task.seatings and spans[-1].first + spans[-1].number == task.first:
            spans[-1] = replace(spans[-1], number=spans[-1].number + task.number)
        else:
            spans.append(task)
    return spans


# ---- Playing it


@dataclass
class Players:
    """The agents of a plan, made when they are first asked for, from what the plan says and nothing else."""

    plan: Plan
    salt: str

    @cached_property
    def _table(self) -> tuple[Game, Options, dict[str, Agent]]:
        return *self.plan.checked(), self.plan.make_agents()

    @property
    def game(self) -> Game:
        """The game that they play."""
        return self._table[0]

    @property
    def options(self) -> Options:
        """Its options."""
        return self._table[1]

    def match(self, seating: Seating, task: Task) -> list[Played]:
        """Play the deals of a task, one seating of them."""
        game, options, agents = self._table
        players = [agents[label] for label in seating]
        return Match(game, options, players, self.plan.seed, task.first, task.number, self.salt).play()

    def close(self) -> None:
        """Let the agents go."""
        with suppress(KeyError):
            for agent in self.__dict__.pop("_table")[2].values():
                agent.close()


@dataclass
class Finished:
    """A task of an arena that has been played."""

    lines: list[Line] = field(default_factory=list)
    """As they are in the file of results, with the seconds that each seat took."""
    replays: list[str] = field(default_factory=list)
    """One for each line; none if they are not wanted."""


@dataclass
class ArenaWork:
    """Plays tasks of an arena."""

    players: Players
    replays: bool = False

    def play(self, task: Task) -> Finished:
        """The lines and replays of a task's games."""
        finished = Finished()
        for part in task.cut(LARGEST_MATCH):
            for seating in part.seatings:
                for played in self.players.match(seating, part):
                    finished.lines.append(_line(seating, played))
                    if self.replays:
                        finished.replays.append(self._replay(played))
        return finished

    def close(self) -> None:
        """Let the agents go."""
        self.players.close()

    def _replay(self, played: Played) -> str:
        game, options = self.players.game, self.players.options
        actions = [game.actions.names[action] for action in played.actions]
        start = {"seed": self.players.plan.seed, "index": played.deal}
        return Replay.play(game, options.to_dict(), start, actions).to_json()


def _line(seating: Seating, played: Played) -> Line:
    line = {"agents": list(seating), **asdict(played)}
    line["seconds"] = [round(seconds, 7) for seconds in played.seconds]
    del line["actions"]
    if played.forfeit is None:
        del line["forfeit"]
    return line
