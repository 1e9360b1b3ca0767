"""Games between agents, many at once in lockstep: each agent acts on all games in which it is its turn.

Agents are code of anybody's, in the same process. What they have played is played again before it counts: see `Match.play`.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import numpy as np

from cardtable.engine import traces
from cardtable.engine.ending import Ending
from cardtable.engine.jit import as_games
from cardtable.errors import AgentError, IllegalAction
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.game.registry import game_of
from cardtable.lanes import Lanes
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable.players.views import make_views, prepare_views
from cardtable.types import Actions, Bits, Counts


@dataclass
class Played:
    """One game that agents have played. Lists have an entry for each seat."""

    deal: int
    """The number of the game under the seed of the match."""
    ending: str = ""
    returns: list[float] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    decisions: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """Time that the agents took; games played side by side share it evenly."""
    actions: list[int] = field(default_factory=list)


class Games:
    """Games of one seed side by side, from the deal to their ends, with a trace of everything that agents were shown."""

    def __init__(self, game: Game, options: Options, seed: int, first: int, number: int, places: Bits | None = None) -> None:
        """Deal games number `first` to `first + number - 1`. Traces made with the same `places` can be compared."""
        self.first = first
        self.lanes = Lanes(game, options, number, seed, first=first)
        self.going_on = np.arange(number)
        """The lanes whose games are in progress."""
        self.rounds: list[Actions] = []
        """The actions of every step, one for each game that went on."""
        frame = self.lanes.frame
        self._words = [
            traces.words_of(shown) for shown in (self.lanes.records, frame.observation, frame.action_mask, frame.seat)
        ]
        self.places = traces.new_places(self._words) if places is None else places
        self.traces = np.zeros(number, np.uint64)
        """All that stood on each table at every decision."""
        self.decisions = np.zeros((number, options.num_players), np.int64)

    def step(self, actions: Actions) -> None:
        """Play an action in every game in progress; `IllegalAction` naming the lane if one is not legal."""
        for words in self._words:
            traces.fold_many(words, self.going_on, self.places, self.traces)
        self.decisions[self.going_on, self.lanes.frame.seat[self.going_on]] += 1
        self.rounds.append(actions)
        if len(self.lanes.advance(self.going_on, actions)):
            self.going_on = self.going_on[~self.lanes.ended[self.going_on]]

    def played(self, lane: int) -> Played:
        """How a lane's game, which has ended, went; without the time that agents took and their actions."""
        frame = self.lanes.frame
        ending = Ending.TRUNCATED if frame.truncated[lane] else Ending.TERMINATED
        returns, scores = frame.rewards[lane].tolist(), frame.scores[lane].tolist()
        return Played(self.first + lane, ending.name.lower(), returns, scores, self.decisions[lane].tolist())

    def actions(self) -> list[list[int]]:
        """The actions of each game."""
        lengths = self.decisions.sum(axis=1)
        table = np.zeros((len(lengths), len(self.rounds)), ACTION)
        for step, actions in enumerate(self.rounds):
            table[lengths > step, step] = actions
        return [row[:length].tolist() for row, length in zip(table, lengths, strict=True)]


class Match:
    """Games of one seed between agents, `players[seat]` at each seat."""

    def __init__(
        self,
        game: Game | str,
        options: Options | Mapping[str, Any] | None,
        players: Sequence[Agent | str],
        seed: int,
        first: int,
        number: int,
        salt: str | None = None,
    ) -> None:
        """Deal games number `first` to `first + number - 1`.

        The agents' random bits come from a salt that they do not know: a new one if none is given. The same seed and the
        same salt give the same games.
        """
        self.game = game = game_of(game)
        self.options = options = game.parse_options(options)
        self.players = [make_agent(each, game, options) if isinstance(each, str) else each for each in players]
        if len(self.players) != options.num_players:
            raise AgentError(f"{game.id}: a match of {options.num_players} players, found {len(self.players)} agents")
        prepare_views(game)
        self.seed, self.first, self.number = seed, first, number
        self.salt = keys.new_salt() if salt is None else keys.checked_salt(salt)
        self._secret = keys.secret_of(self.salt)
        self._games = Games(game, options, seed, first, number)
        self._seconds = np.zeros((number, options.num_players))

    def play(self) -> list[Played]:
        """Play all games to their ends.

        Then the actions are played once more, on tables that no agent has seen. `AgentError` if anything was different
        there: a record, what an agent was shown, whose turn it was, what was legal, how a game ended.
        """
        games = self._games
        while len(games.going_on):
            self._step(games, self._choose())
        self._verify(games)
        actions = games.actions()
        return [
            replace(games.played(lane), seconds=self._seconds[lane].tolist(), actions=actions[lane])
            for lane in range(self.number)
        ]

    def _choose(self) -> Actions:
        """The action of each game's seat to act, asked of its agent."""
        going_on, frame = self._games.going_on, self._games.lanes.frame
        actions = np.zeros(len(going_on), ACTION)
        for agent in dict.fromkeys(self.players):
            seats = [seat for seat, player in enumerate(self.players) if player is agent]
            places = np.flatnonzero(np.isin(frame.seat[going_on], seats))
            if len(places):
                actions[places] = self._ask(agent, going_on[places])
        return actions

    def _ask(self, agent: Agent, asked: Counts) -> Actions:
        """An agent's actions in some lanes, if they are legal. The masks are the match's own, the agent has copies."""
        lanes = self._games.lanes
        views = make_views(
            self.game,
            self.options,
            as_games(lanes.records.take(asked)),
            lanes.frame.observation[asked],
            lanes.frame.action_mask[asked],
            self._secret,
            records=agent.wants_records,
        )
        start = time.perf_counter()
        chosen = agent.act(views)
        seconds = time.perf_counter() - start
        self._seconds[asked, lanes.frame.seat[asked]] += seconds / len(asked)
        try:
            return lanes.require_legal(asked, chosen)
        except IllegalAction as error:
            raise AgentError(f"{type(agent).__name__} ({self._where(error.lane)}): {error}") from None

    def _step(self, games: Games, actions: Actions) -> None:
        """Play actions that were legal when they were chosen."""
        try:
            games.step(actions)
        except IllegalAction as error:
            self._refuse(error.lane)

    def _verify(self, games: Games) -> None:
        """Play the actions of the match again and compare."""
        again = Games(self.game, self.options, self.seed, self.first, self.number, games.places)
        for actions in games.rounds:
            self._step(again, actions)
        for lane in range(self.number):
            if again.traces[lane] != games.traces[lane] or again.played(lane) != games.played(lane):
                self._refuse(lane)

    def _where(self, lane: int | None) -> str:
        """Which game is meant; all of them if no lane is known."""
        deals = f"deals {self.first} to {self.first + self.number - 1}" if lane is None else f"deal {self.first + lane}"
        return f"seed {self.seed}, {deals}"

    def _refuse(self, lane: int | None) -> NoReturn:
        agents = ", ".join(dict.fromkeys(type(player).__name__ for player in self.players))
        raise AgentError(
            f"{self.game.id}: {self._where(lane)}: the games do not follow from their actions: one of "
            f"the agents ({agents}) has tampered with the match; none of its games count"
        )
