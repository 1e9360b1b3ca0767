"""What an agent is, and what it sees: `Agent` and `Views`."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from cardtable import loops
from cardtable.game import ACTION, Game
from cardtable.options import Options
from cardtable.table import Table


@dataclass(frozen=True)
class Views:
    """What the seats to act see in n games. Nothing here depends on what a seat cannot know.

    Whoever asks an agent to act makes the records first: all that a seat cannot know is drawn anew or put in a fixed
    order, and seed and random stream are gone. The true records stay behind.
    """

    game: Game
    options: Options
    observation: np.ndarray
    """float32 (n, D): what the seat to act observes."""
    mask: np.ndarray
    """int8 (n, A): 1 where an action is legal."""
    seat: np.ndarray
    """int8 (n,): the seat to act."""
    key: np.ndarray
    """uint64 (n,): random bits for this decision, the only ones that an agent may use. They depend on the salt of the match,
    which no agent knows, the deal and the number of the decision, so a choice does not depend on which games are played
    beside each other, and nothing leads from them to the deal."""
    records: np.ndarray
    """(n,) records of the games with what the seat cannot know forgotten; empty for an agent that does not want them."""

    def __len__(self) -> int:
        return len(self.seat)

    def world(self, number: int, seed: int) -> Table:
        """A table with game `number` in which all that its seat to act cannot know is drawn anew."""
        table = Table(self.game, self.options)
        table.load_state_bytes(self.game.pack(self.records[number : number + 1]))
        return table.redeal(int(self.seat[number]), seed)


class Agent(ABC):
    """A player of one game under given options. What it plays depends on its views alone: it remembers nothing."""

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
        """What the agent's play depends on besides its sources, by content: a hash of the files that it has read.

        The arena writes it into its results, and mixes no games of agents whose fingerprints differ.
        """
        return ""

    @abstractmethod
    def act(self, views: Views) -> np.ndarray:
        """One legal action for each view: whole numbers in shape (n,)."""


class RandomAgent(Agent):
    """Plays uniformly at random among the legal actions."""

    wants_records = False

    def act(self, views: Views) -> np.ndarray:
        """One legal action for each view, drawn by its key."""
        actions = np.zeros(len(views), ACTION)
        loops.choose_many(views.mask, (views.key >> np.uint64(11)) * 2.0**-53, actions)
        return actions
