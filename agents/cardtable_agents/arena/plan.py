"""What an arena is to play: game, options and agents by their content, and who sits where."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from cardtable.engine.sources import hash_of_package
from cardtable.errors import AgentError
from cardtable.game.game import Game, checked_seed
from cardtable.game.options import Options
from cardtable.game.registry import find
from cardtable.players import roster
from cardtable.players.agent import Agent, Clocks, set_clocks

Seating = tuple[str, ...]
"""The label of the agent at each seat."""


@dataclass(frozen=True)
class Plan:
    """What is to be played; `make_plan` makes one. Two plans are equal if they mean the same games."""

    game: str
    """The id of the game."""
    rules: int
    options: dict[str, Any]
    """As plain data; an edition with its whole content."""
    agents: tuple[str, ...]
    """Names of agents, an entry each: a name may come twice."""
    fingerprints: tuple[str, ...]
    """What the play of each entry depends on apart from sources, identified by content."""
    seed: int
    modules: tuple[str, ...]
    """Modules or files that register agents."""
    sources: str
    """Hashes of the engine, of the agents that come with the package, and of the modules."""
    clocks: Clocks | None = None
    """What agents that keep time have; None if there is none among them."""

    def header(self) -> dict[str, Any]:
        """The plan as plain data: results of other plans, rules, sources, files or clocks are not mixed."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        if self.clocks is None:
            del plain["clocks"]
        return plain

    def folder(self) -> Path:
        """Where results go if nothing else is said: the same for the same plan."""
        text = json.dumps(self.header(), sort_keys=True)
        return Path("runs") / "arena" / f"{self.game}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"

    @property
    def labels(self) -> tuple[str, ...]:
        """What the entries are called in results: by the agent's name; a second `random` is `random#2`."""
        labels: list[str] = []
        for name in self.agents:
            label, number = name, 1
            while label in labels or (number > 1 and label in self.agents):
                number += 1
                label = f"{name}#{number}"
            labels.append(label)
        return tuple(labels)

    def seatings(self) -> list[list[Seating]]:
        """Who plays whom: for each line-up its seatings, all of which play the same deals."""
        return line_ups(self.labels, self.checked()[1].num_players)

    def checked(self) -> tuple[Game, Options]:
        """The game and its options."""
        game = find(self.game)
        return game, game.parse_options(self.options)

    def has_its_sources(self) -> bool:
        """Whether the sources of engine and agents here are those of the plan."""
        return _sources(self.checked()[0], self.modules) == self.sources

    def make_agents(self) -> dict[str, Agent]:
        """The agent of each label; `AgentError` if sources or files are no longer those of the plan."""
        game, options = self.checked()
        if not self.has_its_sources():
            raise AgentError("the sources of engine or agents have been edited since the arena began: start it again")
        agents = {}
        for label, name, expected in zip(self.labels, self.agents, self.fingerprints, strict=True):
            agents[label] = roster.make_agent(name, game, options)
            if roster.checked_fingerprint(name, agents[label]) != expected:
                raise AgentError(f"agent {name!r} has changed since the arena began: start it again")
        set_clocks(agents.values(), self.clocks)
        return agents


def make_plan(
    game: str,
    options: Mapping[str, Any],
    agents: Sequence[str],
    seed: int = 1,
    modules: Sequence[str] = (),
    clocks: Clocks | None = None,
) -> Plan:
    """A plan; errors where it cannot be played, before anything is. `clocks` are for agents that keep time."""
    found = find(game)
    sources = _sources(found, modules)
    checked = found.parse_options(options)
    made = [roster.make_agent(name, found, checked) for name in agents]
    return Plan(
        game=found.id,
        rules=found.rules_version,
        options=json.loads(json.dumps(checked.to_dict())),
        agents=tuple(agents),
        fingerprints=tuple(map(roster.checked_fingerprint, agents, made)),
        seed=checked_seed(seed),
        modules=tuple(modules),
        sources=sources,
        clocks=set_clocks(made, clocks),
    )


def _sources(game: Game, modules: Sequence[str]) -> str:
    """Load the modules; hashes of all sources that results depend on."""
    packages = ("cardtable", game.package, __name__.partition(".")[0])
    return " ".join([*map(hash_of_package, packages), *map(roster.load_module, modules)])


def line_ups(labels: Sequence[str], seats: int) -> list[list[Seating]]:
    """Who plays whom: for each line-up its seatings, all of which play the same deals.

    With entries enough to fill the seats, every choice of them, rotated through the seats. With fewer, they sit down
    in turn until the table is full.
    """
    if len(labels) >= seats:
        return [_rotations(chosen) for chosen in combinations(labels, seats)]
    full = [tuple(labels[(start + seat) % len(labels)] for seat in range(seats)) for start in range(len(labels))]
    return [list(dict.fromkeys(seating for filled in full for seating in _rotations(filled)))]


def _rotations(seating: Seating) -> list[Seating]:
    return list(dict.fromkeys(seating[turn:] + seating[:turn] for turn in range(len(seating))))
