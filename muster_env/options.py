"""The options of Muster (MUS-7). All combine (MUS-7.4)."""

from dataclasses import dataclass

from cardtable.options import Options
from muster_env.constants import DEFAULT_MAX_TURNS, LARGEST_MAX_TURNS, PLAYERS


@dataclass(frozen=True)
class MusterOptions(Options):
    """`streamlined`: MUS-7.1. `power_of_unity`: MUS-7.2. `over_the_rainbow`: MUS-7.3. `max_turns`: MUS-6.5."""

    num_players: int = PLAYERS
    streamlined: bool = False
    power_of_unity: bool = False
    over_the_rainbow: bool = False
    max_turns: int = DEFAULT_MAX_TURNS

    def validate(self) -> None:
        """Raise `OptionError` for a wrong value."""
        self.require_int("num_players", PLAYERS, PLAYERS)
        self.require_bool("streamlined")
        self.require_bool("power_of_unity")
        self.require_bool("over_the_rainbow")
        self.require_int("max_turns", 1, LARGEST_MAX_TURNS)
