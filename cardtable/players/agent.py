"""What an agent is: `Agent`."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from cardtable.errors import AgentError, OptionError
from cardtable.game.game import Game
from cardtable.game.legality import action_ids
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.seen import Seen
from cardtable.players.views import Views, view_of
from cardtable.support.messages import shown
from cardtable.table import Table
from cardtable.types import Actions

LEFT = "left"
"""What an agent is told of a game that goes on without it, or nobody knows how."""
LONGEST_TIME = 1e6
"""Seconds that a clock may give, at most: eleven days."""


@dataclass(frozen=True)
class Clocks:
    """Seconds that a bot may take: for a decision, and for all its decisions of a game; None is no limit."""

    per_move: float | None = 30.0
    per_game: float | None = None

    def __post_init__(self) -> None:
        for name, seconds in (("per move", self.per_move), ("per game", self.per_game)):
            if seconds is not None and not 0 < seconds <= LONGEST_TIME:
                raise OptionError(f"time {name} {shown(seconds)}: allowed: seconds above 0 up to {LONGEST_TIME:,.0f}, or none")


@dataclass(frozen=True)
class Forfeit:
    """Why an agent gives up a game in which it cannot play."""

    reason: str
    """In a word or two."""
    detail: str = ""
    """In words for people."""
    line: str = ""
    """What a bot wrote that caused it, cut short."""


@dataclass(frozen=True)
class Decisions:
    """What an agent has decided about n views."""

    actions: Actions
    """(n,): a legal action for each view, apart from those that are forfeited."""
    forfeits: Mapping[int, Forfeit] = field(default_factory=dict)
    """Number of the view -> why the agent gives its game up."""


class Agent(ABC):
    """A player of one game under given options. What it plays depends on its views alone, unless it wants stories or is
    not `repeatable`."""

    about = ""
    """What the agent is, in a line: what `cardtable agents` prints."""
    takes = ""
    """What may follow the colon in `name:argument`, such as `N`; empty if nothing may."""
    wants_records = True
    """False for an agent that looks at observations and masks only; making records takes time."""
    wants_stories = False
    """True for an agent that is to be told what happened in its games (`views.seen`), and when they are over (`game_over`)."""
    keeps_time = False
    """True for an agent that plays by `clocks`."""
    repeatable = True
    """False for an agent whose play also depends on how fast the machine is: the same game may take another course."""
    clocks = Clocks()
    """What an agent that keeps time has for its decisions; others may take as long as they like."""

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        """`argument` is what follows the colon in `name:argument`, if anything does."""
        self.game = game
        self.options = options
        self.argument = argument

    def prepare(self) -> None:  # noqa: B027  # most agents have nothing to compile
        """Compile what the agent needs, before many processes ask for it."""

    def fingerprint(self) -> str:
        """Identifies what the agent's play depends on, apart from its sources: a hash of the files that it has read.

        The arena writes it into its results, and never mixes games of agents whose fingerprints differ.
        """
        return ""

    @abstractmethod
    def act(self, views: Views) -> Actions:
        """One legal action for each view: integers of shape (n,)."""

    def decide(self, views: Views) -> Decisions:
        """What the agent plays, and which games it forfeits; only an agent that wants stories can do that."""
        return Decisions(self.act(views))

    def remark(self) -> str:
        """What the agent says of its last decision, for who may know what its seat knows; most say nothing."""
        return ""

    def game_over(self, seen: Seen, ending: str, scores: Sequence[float] | None, returns: Sequence[float] | None) -> None:  # noqa: B027
        """A game is over that an agent that wants stories has been asked about; or left, with neither scores nor returns."""

    def close(self) -> None:  # noqa: B027  # most agents hold nothing
        """Let go of what the agent holds outside of Python, such as processes; it takes them up again when it is asked."""

    def choose(self, env: object, seed: int | None = None) -> int:
        """The action that the agent would play now in an environment of its game, for the agent selected there.

        `env` is a `TableEnv`, wrapped or not, or a `Table`. An agent that draws random numbers draws the same ones with the
        same seed at the same decision; without a seed it draws new ones.
        """
        table = env if isinstance(env, Table) else getattr(getattr(env, "unwrapped", env), "table", None)
        who = type(self).__name__
        if not isinstance(table, Table):
            raise AgentError(f"{who}.choose: {shown(env)} is not a cardtable environment; allowed: a TableEnv or a Table")
        if table.game is not self.game or table.options != self.options:
            raise AgentError(
                f"{who} was made for {self.game.id} with {shown(self.options.to_dict())}, the environment plays "
                f"{table.game.id} with {shown(table.options.to_dict())}"
            )
        table.require_dealt()
        if table.ending:
            raise AgentError(f"{who}.choose: the game is over: there is nothing to choose")
        salt = keys.new_salt() if seed is None else keys.open_salt(f"choose {seed}")
        (chosen,) = action_ids(self.game, self.act(view_of(table, salt, stories=self.wants_stories)), 1)
        return table.checked_action(chosen)


def set_clocks(agents: Collection[Agent], clocks: Clocks | None) -> Clocks | None:
    """Give the agents that keep time their clocks, the usual ones if there are none; which ones, None if no agent keeps time.

    `OptionError` for clocks that nobody would keep.
    """
    keeping = [agent for agent in agents if agent.keeps_time]
    if clocks is not None and not keeping:
        raise OptionError("a time per move or per game is for bots (cmd:COMMAND), and none of the agents is one")
    for agent in keeping:
        agent.clocks = clocks or Clocks()
    return (clocks or Clocks()) if keeping else None
