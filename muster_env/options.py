"""The options of Muster (MUS-7). All combine (MUS-7.4)."""

from dataclasses import dataclass

from cardtable.game.options import Options, option
from muster_env.constants import DEFAULT_MAX_TURNS, LARGEST_MAX_TURNS, PLAYERS


@dataclass(frozen=True)
class MusterOptions(Options):
    """The variants of the rule book, and the limit of a game's length."""

    num_players: int = option(PLAYERS, "always 2 (MUS-1.1)")
    streamlined: bool = option(False, "the beginners' game: strengths may jump, Bridges stay (MUS-7.1)")
    power_of_unity: bool = option(False, "only strength 1 opens a column (MUS-7.2)")
    over_the_rainbow: bool = option(False, "several Bridges in a row in one action (MUS-7.3)")
    max_turns: int = option(DEFAULT_MAX_TURNS, "turns of both players after which the game is cut off (MUS-6.5)")

    def validate(self) -> None:
        """Raise `OptionError` for a wrong value."""
        self.require_int("num_players", PLAYERS, PLAYERS)
        self.require_bool("streamlined")
        self.require_bool("power_of_unity")
        self.require_bool("over_the_rainbow")
        self.require_int("max_turns", 1, LARGEST_MAX_TURNS)
