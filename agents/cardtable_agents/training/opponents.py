"""`TrainingPool`: the opponents of a run, agents by name and past selves of the learner; what they take is counted apart."""

from collections.abc import Sequence

from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players.pool import Pool
from cardtable.players.roster import make_agent
from cardtable.types import Actions, Mask, Observation, Records
from cardtable_agents.players.policy import Policy, SamplingAgent
from cardtable_agents.training.clocks import Clocks
from cardtable_agents.training.settings import SELF, Settings


class TrainingPool:
    """The opponents of a run: agents by name, and past selves of the learner in the places called `self`."""

    def __init__(self, game: Game, options: Options, settings: Settings, clocks: Clocks) -> None:
        names = ["random" if name == SELF else name for name in settings.opponents]  # until there are past selves
        self._pool = Pool(game, options, [make_agent(name, game, options) for name in names], settings.seed)
        self._clocks = clocks
        self.members = self._pool.members
        """Who plays, by place."""
        self.places = [place for place, name in enumerate(settings.opponents) if name == SELF]
        """The places that past selves have."""
        self.past: Sequence[Policy] = []
        """The policies in these places, the oldest first; none before there is one."""

    def act(self, games: Records, observation: Observation, mask: Mask) -> Actions:
        """A legal action for each game."""
        with self._clocks.time("opponents"):
            return self._pool.act(games, observation, mask)

    def seat(self, past: Sequence[Policy]) -> None:
        """Put past selves into their places, one each; none leaves the places as they are."""
        self.past = list(past)
        for place, policy in zip(self.places if past else [], self.past, strict=True):
            self.members[place] = SamplingAgent(self._pool.game, self._pool.options, policy)

    def add(self, policy: Policy) -> None:
        """Put a policy into the pool in place of the oldest past self; into all such places if it is the first."""
        self.seat([*self.past[1:], policy] if self.past else [policy] * len(self.places))

    def close(self) -> None:
        """Let go of what the members hold outside of Python, such as the processes of bots."""
        for agent in self.members:
            agent.close()
