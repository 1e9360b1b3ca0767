"""Agents by name: `random`, `heuristic`, `search:400`, `ppo`; and `register` for agents of your own.

Agents of installed packages are found by entry point (`cardtable.players`), as games are: `first = "my_package:First"`, a
class with `about` and, if something may follow the colon, `takes`.
"""

import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, TypeVar

from cardtable.engine import sources
from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.game.registry import game_of
from cardtable.players.agent import Agent
from cardtable.players.views import prepare_views
from cardtable.support import files, plugins
from cardtable.support.columns import aligned
from cardtable.support.messages import shown

Maker = Callable[[Game, Options, str | None], Agent]
MakerType = TypeVar("MakerType", bound=Maker)

GROUP = "cardtable.players"
MOST_DIGITS = 18
"""Digits of a number after a colon; Python refuses to read very long ones."""
LONGEST_FINGERPRINT = 500


@dataclass(frozen=True)
class Entry:
    """An agent of the roster."""

    about: str
    """What it is, in a line."""
    make: Maker
    takes: str
    """What may follow the colon, such as `N`; empty if nothing may."""


_REGISTERED: dict[str, Entry] = {}
"""Agents of this process, besides those of installed packages."""


def register(name: str, about: str, takes: str = "") -> Callable[[MakerType], MakerType]:
    """A decorator that puts an agent (its class, or a function that makes it) on the roster under a name."""
    if not isinstance(name, str) or not name.replace("_", "").replace("-", "").isalnum():
        raise AgentError(f"agent name {shown(name)}: allowed: letters, digits, - and _")

    def put(make: MakerType) -> MakerType:
        if not callable(make):
            raise AgentError(f"agent {name!r}: {shown(make)} is neither a subclass of Agent nor a function that makes one")
        _REGISTERED[name] = Entry(about, make, takes)
        return make

    return put


@cache
def _installed() -> Mapping[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def names() -> list[str]:
    """The names of all agents."""
    return sorted({*_installed(), *_REGISTERED})


def _find(name: str) -> Entry | None:
    """The agent of a name; one that was registered comes before one that is installed."""
    if name in _REGISTERED:
        return _REGISTERED[name]
    point = _installed().get(name)
    if point is None:
        return None
    agent = plugins.load(point, type, AgentError)
    if not issubclass(agent, Agent):
        raise AgentError(f"agent {name!r}: {point.value} is {shown(agent)}, not a subclass of Agent")
    return Entry(agent.about, agent, agent.takes)


def table() -> str:
    """All agents, one line each; of one that cannot be loaded, why."""
    return aligned([_row(name) for name in names()], "ll")


def about(name: str) -> str:
    """What the agent of a name such as `search:400` is, in a line; of one that cannot be loaded, why; empty if unknown."""
    kind = name.partition(":")[0]
    return _row(kind)[1] if kind in names() else ""


def _row(name: str) -> tuple[str, str]:
    try:
        entry = _find(name)
    except AgentError as error:
        return name, str(error)
    assert entry is not None
    return (f"{name}:{entry.takes}" if entry.takes else name), entry.about


def known(name: str) -> Entry:
    """The kind of agent of a name such as `search:400`; `AgentError` if there is none."""
    entry = _find(name.partition(":")[0])
    if entry is None:
        raise AgentError(f"no agent is called {shown(name)}; agents: {', '.join(names())}")
    return entry


def make_agent(name: str, game: Game | str, options: Options | Mapping[str, Any] | None = None) -> Agent:
    """The agent of a name, such as `random` or `search:400`, to play a game under options."""
    if not isinstance(name, str):
        raise AgentError(f"agent name {shown(name)}: expected a text such as 'search:400'")
    game = game_of(game)
    checked = game.parse_options(options)
    base, colon, argument = name.partition(":")
    entry = known(name)
    if colon and not entry.takes:
        raise AgentError(f"agent {shown(name)}: {base!r} takes nothing after a colon")
    agent = entry.make(game, checked, argument if colon else None)
    if not isinstance(agent, Agent):
        raise AgentError(f"agent {shown(name)}: what makes it returns {shown(agent)}, not an Agent")
    return agent


def seated(game: Game, names: Sequence[str], seats: Sequence[int]) -> dict[int, str]:
    """Which agents sit at some seats: the names in turn, as often as it takes; `AgentError` for more names than seats."""
    if seats and not names:
        raise AgentError(f"{game.id}: no agent is named for seats {', '.join(map(str, seats))}")
    if len(names) > len(seats) > 0:
        raise AgentError(f"{game.id}: {len(names)} agents for {len(seats)} other seats")
    return {seat: names[place % len(names)] for place, seat in enumerate(seats)}


def prepare_agents(game: Game) -> None:
    """Compile views and every agent that can play a game, where no cache has them yet."""
    prepare_views(game)
    for name in names():
        with suppress(AgentError):  # `ppo`, where no policy comes with the package; a game without an evaluation
            make_agent(name, game).prepare()


def integer_argument(agent: str, argument: str | None, default: int, most: int) -> int:
    """The integer from 1 to `most` that follows the colon of an agent's name, or the default."""
    if argument is None:
        return default
    if not argument.isdecimal() or len(argument) > MOST_DIGITS or not 1 <= int(argument) <= most:
        raise AgentError(f"agent {shown(f'{agent}:{argument}')}: allowed after the colon: integers from 1 to {most}")
    return int(argument)


def fingerprint_of(name: str, game: Game, options: Options) -> str:
    """The fingerprint of the agent of a name: what its play depends on apart from sources; `AgentError` if it is not a text."""
    return checked_fingerprint(name, make_agent(name, game, options))


def checked_fingerprint(name: str, agent: Agent) -> str:
    """The agent's fingerprint, if it is one."""
    found = agent.fingerprint()
    if not isinstance(found, str) or len(found) > LONGEST_FINGERPRINT:
        raise AgentError(
            f"agent {name!r}: fingerprint {shown(found)}: expected a text of at most {LONGEST_FINGERPRINT} characters"
        )
    return found


# ---- Agents of other modules


def load_module(where: str) -> str:
    """Import a module or a Python file in which agents are registered; a hash of its sources.

    For a file, the hash covers that file; for a module, all Python files of its package. It does not cover what they import
    from elsewhere; `Agent.fingerprint` may.
    """
    if where.endswith(".py"):
        return _load_file(Path(where).resolve())
    if not all(part.isidentifier() for part in where.split(".")):
        raise AgentError(f"agents from {shown(where)}: expected the name of a module or a .py file")
    try:
        importlib.import_module(where)
    except ImportError as error:
        raise AgentError(f"agents from {where!r}: cannot be imported: {error}") from None
    return _hash_of_package(where.partition(".")[0])


def _load_file(path: Path) -> str:
    """Run a Python file as a module, unless that has been done; what is hashed is what is run."""
    try:
        content = files.read_bytes(path, sources.LARGEST_SOURCE)
        code = compile(content, path, "exec")
    except OSError as error:
        raise AgentError(f"agents from {str(path)!r}: not a Python file: {error.strerror}") from None
    except (SyntaxError, ValueError) as error:
        raise AgentError(f"agents from {str(path)!r}: not a Python file: {error}") from None
    digest = hashlib.sha256(content).hexdigest()[:16]
    name = f"{re.sub(r'[^a-zA-Z0-9_]', '_', path.stem)}_{digest}"  # of its own: there may be other modules of that name
    if name in sys.modules:
        return digest
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        exec(code, module.__dict__)
    except BaseException:
        del sys.modules[name]
        raise
    return digest


def _hash_of_package(name: str) -> str:
    """A hash of all Python files of a package, or of the file of a module."""
    try:
        digest = sources.hash_of_package(name)
    except OSError as error:
        raise AgentError(f"agents from {name!r}: its sources cannot be read: {error}") from None
    if digest == sources.UNKNOWN:
        raise AgentError(f"agents from {name!r}: its sources cannot be found")
    return digest
