"""Agents by name: `random`, `heuristic`, `search:400`, `ppo`; and `register` for agents of your own."""

import hashlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from agents.agent import Agent
from cardtable import files
from cardtable.errors import CardtableError
from cardtable.game import Game
from cardtable.messages import shown
from cardtable.options import Options

Maker = Callable[[Game, Options, str | None], Agent]
MakerType = TypeVar("MakerType", bound=Maker)

MOST_DIGITS = 18
"""Digits of a number after a colon; Python refuses to read very long ones."""
LARGEST_SOURCE = 10_000_000
"""Bytes of a Python file that registers agents."""
LONGEST_FINGERPRINT = 500


class AgentError(CardtableError):
    """No agent has that name, its argument is wrong, it cannot play the game, or it played an illegal action."""


@dataclass(frozen=True)
class Entry:
    """An agent of the roster."""

    name: str
    line: str
    """What it is, in a line."""
    make: Maker
    argument: str
    """What may follow the colon, such as `N`; empty if nothing may."""


_ROSTER: dict[str, Entry] = {}


def register(name: str, line: str, argument: str = "") -> Callable[[MakerType], MakerType]:
    """A decorator that puts an agent (its class, or a function that makes it) on the roster under a name."""
    if not name or not name.replace("_", "").replace("-", "").isalnum():
        raise AgentError(f"an agent is called by letters, digits, - and _, not {name!r}")

    def put(make: MakerType) -> MakerType:
        _ROSTER[name] = Entry(name, line, make, argument)
        return make

    return put


def names() -> list[str]:
    """The names of all agents."""
    return list(_ROSTER)


def table() -> str:
    """All agents, one line each."""
    rows = [(f"{each.name}:{each.argument}" if each.argument else each.name, each.line) for each in _ROSTER.values()]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {line}" for name, line in rows)


def make_agent(name: str, game: Game, options: Options) -> Agent:
    """The agent of a name, such as `random` or `search:400`, to play a game under options."""
    base, colon, argument = name.partition(":")
    entry = _ROSTER.get(base)
    if entry is None:
        raise AgentError(f"no agent is called {shown(name)}; agents: {', '.join(names())}")
    if colon and not entry.argument:
        raise AgentError(f"agent {shown(name)}: {base!r} takes nothing after a colon")
    return entry.make(game, options, argument if colon else None)


def whole_argument(agent: str, argument: str | None, default: int, most: int) -> int:
    """The whole number from 1 to `most` that follows the colon of an agent's name, or the default."""
    if argument is None:
        return default
    if not argument.isdecimal() or len(argument) > MOST_DIGITS or not 1 <= int(argument) <= most:
        raise AgentError(f"agent {shown(f'{agent}:{argument}')}: allowed after the colon: whole numbers from 1 to {most}")
    return int(argument)


def fingerprint_of(name: str, game: Game, options: Options) -> str:
    """What the play of an agent depends on besides sources, by content; `AgentError` if it does not say so in a text."""
    return checked_fingerprint(name, make_agent(name, game, options))


def checked_fingerprint(name: str, agent: Agent) -> str:
    """The agent's fingerprint, if it is one."""
    found = agent.fingerprint()
    if not isinstance(found, str) or len(found) > LONGEST_FINGERPRINT:
        raise AgentError(f"agent {name!r}: its fingerprint is {shown(found)}, not a text of at most {LONGEST_FINGERPRINT}")
    return found


# ---- Agents of other modules


def load_module(where: str) -> str:
    """Import a module or a Python file in which agents are registered; a hash of its sources.

    A file is covered by itself, a module by all Python files of the package that it is in. What they import from elsewhere
    is not: `Agent.fingerprint` may tell of that.
    """
    if where.endswith(".py"):
        return _load_file(Path(where).resolve())
    if not all(part.isidentifier() for part in where.split(".")):
        raise AgentError(f"agents of {shown(where)}: neither the name of a module nor a file that ends with .py")
    try:
        importlib.import_module(where)
    except ImportError as error:
        raise AgentError(f"agents of {where!r}: cannot be imported: {error}") from None
    return _hash_of_package(where.partition(".")[0])


def _load_file(path: Path) -> str:
    """Run a Python file as a module, unless that has been done; what is hashed is what is run."""
    try:
        content = files.read_bytes(path, LARGEST_SOURCE)
        code = compile(content, path, "exec")
    except OSError as error:
        raise AgentError(f"agents of {str(path)!r}: not a Python file: {error.strerror}") from None
    except (SyntaxError, ValueError) as error:
        raise AgentError(f"agents of {str(path)!r}: not a Python file: {error}") from None
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
    spec = importlib.util.find_spec(name)
    digest = hashlib.sha256(name.encode())
    if spec is not None and spec.submodule_search_locations is not None:
        sources = [(path, root) for root in map(Path, spec.submodule_search_locations) for path in sorted(root.rglob("*.py"))]
    else:
        sources = [(Path(spec.origin), Path(spec.origin).parent)] if spec is not None and spec.origin else []
    try:
        for path, root in sources:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(hashlib.sha256(files.read_bytes(path, LARGEST_SOURCE)).digest())
    except OSError as error:
        raise AgentError(f"agents of {name!r}: its sources cannot be read: {error}") from None
    if not sources:
        raise AgentError(f"agents of {name!r}: its sources cannot be found")
    return digest.hexdigest()[:16]


def _lazily(module: str, name: str) -> Maker:
    """The agent of a class that is imported when it is first needed."""

    def make(game: Game, options: Options, argument: str | None) -> Agent:
        agent = getattr(importlib.import_module(module), name)(game, options, argument)
        assert isinstance(agent, Agent)
        return agent

    return make


register("random", "uniformly at random among the legal actions")(_lazily("agents.agent", "RandomAgent"))
register("heuristic", "the best action by an evaluation of the game, one step ahead, in N redealt worlds (6)", "N")(
    _lazily("agents.heuristic", "HeuristicAgent")
)
register("search", "information-set tree search over redealt worlds, N simulations a move (400)", "N")(
    _lazily("agents.search", "SearchAgent")
)
register("ppo", "a trained policy: the one that comes with the package, or that of a file", "PATH")(
    _lazily("agents.policy", "PolicyAgent")
)
