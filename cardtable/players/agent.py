"""What an agent is: `Agent`."""

from abc import ABC, abstractmethod

from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.game.legality import action_ids
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.views import Views, view_of
from cardtable.support.messages import shown
from cardtable.table import Table
from cardtable.types import Actions


class Agent(ABC):
    """A player of one game under given options. What it plays depends on its views alone: it remembers nothing."""

    about = ""
    """What the agent is, in a line: what `cardtable agents` prints."""
    takes = ""
    """What may follow the colon in `name:argument`, such as `N`; empty if nothing may."""
    wants_records = True
    """False for an agent that looks at observations and masks only; making records takes time."""

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
        (chosen,) = action_ids(self.game, self.act(view_of(table, salt)), 1)
        return table.checked_action(chosen)
