"""What a client of the server may name. Some names read files or run programs: only the person who starts it allows these.

An `edition` may be the path of a file; `ppo:PATH` reads one, `cmd:COMMAND` runs a program.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cardtable.errors import AgentError, OptionError
from cardtable.game.game import Game
from cardtable.support.messages import listed, shown

LARGEST_ARGUMENT = 10_000
"""The largest number after the colon of an agent's name: `search:10000` answers in seconds."""
EDITION = "edition"


@dataclass(frozen=True)
class Permissions:
    """What was allowed when the server was started, besides what is harmless."""

    agents: tuple[str, ...] = ()
    """Names of agents with whatever follows their colon, exactly as clients may give them."""
    editions: tuple[str, ...] = ()
    """Edition files, exactly as clients may name them."""

    def require_agent(self, name: str) -> None:
        """Refuse an agent that may read files, run programs or take very long, by what follows its colon."""
        _, colon, argument = name.partition(":")
        small = argument.isascii() and argument.isdecimal() and len(argument) <= len(str(LARGEST_ARGUMENT))
        if colon and name not in self.agents and not (small and int(argument) <= LARGEST_ARGUMENT):
            raise AgentError(f"agent {shown(name)}: after the colon, {self.allowed_after_colon()}")

    def allowed_after_colon(self) -> str:
        """What may follow the colon of an agent's name, in words."""
        return (
            f"allowed here: integers up to {LARGEST_ARGUMENT:,}{_besides(self.agents)} "
            "(cardtable mcp --allow-agent NAME allows more)"
        )

    def require_options(self, game: Game, options: Mapping[str, Any]) -> None:
        """Refuse an option that reads a file; the content of an edition may be given instead."""
        edition = options.get(EDITION)
        built_in = {name: default for name, default, _ in game.options.table()}.get(EDITION)
        if isinstance(edition, str) and edition not in (built_in, *self.editions):
            raise OptionError(
                f"{game.id}: edition={shown(edition)}: allowed here: {built_in!r}, the content of an edition as an object"
                f"{_besides(self.editions)} (cardtable mcp --allow-edition FILE allows files)"
            )


NOTHING_MORE = Permissions()


def _besides(names: tuple[str, ...]) -> str:
    return f", or {listed(names)}" if names else ""
