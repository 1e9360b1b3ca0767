"""Games between agents, many at once in lockstep: each agent acts on all games in which it is its turn.

Agents are code of anybody's, in the same process. What they have played is played again before it counts: see `Match.play`.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NoReturn

import numpy as np

from cardtable.engine import loops, traces
from cardtable.engine.ending import Ending
from cardtable.engine.jit import as_games
from cardtable.errors import AgentError, IllegalAction
from cardtable.game.game import ACTION, Game
from cardtable.game.legality import action_ids, forfeit_returns
from cardtable.game.options import Options
from cardtable.game.registry import game_of
from cardtable.lanes import Lanes
from cardtable.players import keys
from cardtable.players.agent import Agent, Decisions
from cardtable.players.roster import make_agent
from cardtable.players.seen import Seen
from cardtable.players.views import make_views, prepare_views
from cardtable.story import Chronicle, Sights
from cardtable.types import Actions, Bits, Counts

FORFEIT = "forfeit"
"""The ending of a game that an agent has given up."""


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
    forfeit: dict[str, Any] | None = None
    """Which seat has given the game up, the reason, a detail for people and the line of a bot that caused it."""


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
        self.left: dict[int, Counts] = {}
        """Number of steps before -> the lanes whose games were given up then."""

    def leave(self, lanes: Counts) -> None:
        """Games in progress are given up by the seats to act; the scores are as they stand."""
        frame = self.lanes.frame
        self._trace(lanes)
        for lane in lanes.tolist():
            loops.result_of(self.lanes.records[lane : lane + 1], frame.rewards[lane], frame.scores[lane])
            frame.rewards[lane] = forfeit_returns(frame.rewards.shape[1], int(frame.seat[lane]))
        self.left[len(self.rounds)] = lanes
        self.going_on = self.going_on[~np.isin(self.going_on, lanes)]

    def _trace(self, lanes: Counts) -> None:
        """Note all that stands on some tables now."""
        for words in self._words:
            traces.fold_many(words, lanes, self.places, self.traces)

    def step(self, actions: Actions) -> None:
        """Play an action in every game in progress; `IllegalAction` naming the lane if one is not legal."""
        self._trace(self.going_on)
        self.decisions[self.going_on, self.lanes.frame.seat[self.going_on]] += 1
        self.rounds.append(actions)
        if len(self.lanes.advance(self.going_on, actions)):
            self.going_on = self.going_on[~self.lanes.ended[self.going_on]]

    def played(self, lane: int) -> Played:
        """How a lane's game, which has ended, went; without the time that agents took and their actions."""
        frame = self.lanes.frame
        returns, scores = frame.rewards[lane].tolist(), frame.scores[lane].tolist()
        return Played(self.first + lane, self._ending(lane), returns, scores, self.decisions[lane].tolist())

    def _ending(self, lane: int) -> str:
        if any(lane in lanes for lanes in self.left.values()):
            return FORFEIT
        return (Ending.TRUNCATED if self.lanes.frame.truncated[lane] else Ending.TERMINATED).name.lower()

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
        self._made_here = [player for player, each in zip(self.players, players, strict=True) if isinstance(each, str)]
        if len(self.players) != options.num_players:
            raise AgentError(f"{game.id}: a match of {options.num_players} players, found {len(self.players)} agents")
        prepare_views(game)
        self.seed, self.first, self.number = seed, first, number
        self.salt = keys.new_salt() if salt is None else keys.checked_salt(salt)
        self._secret = keys.secret_of(self.salt)
        self._games = Games(game, options, seed, first, number)
        self._seconds = np.zeros((number, options.num_players))
        self._forfeits: dict[int, dict[str, Any]] = {}
        self._chronicles: list[Chronicle] = []
        if any(player.wants_stories for player in self.players):
            sights, records = Sights(game, options), self._games.lanes.records
            self._chronicles = [Chronicle(sights, options, as_games(records[lane : lane + 1].copy())) for lane in range(number)]

    def play(self) -> list[Played]:
        """Play all games to their ends.

        Then the actions are played once more, on tables that no agent has seen. `AgentError` if anything was different
        there: a record, what an agent was shown, whose turn it was, what was legal, how a game ended.
        """
        games = self._games
        try:
            while len(games.going_on):
                self._play_on(games)
        finally:
            for player in self._made_here:
                player.close()
        self._verify(games)
        actions = games.actions()
        return [
            replace(
                games.played(lane),
                seconds=self._seconds[lane].tolist(),
                actions=actions[lane],
                forfeit=self._forfeits.get(lane),
            )
            for lane in range(self.number)
        ]

    def _play_on(self, games: Games) -> None:
        """One decision in every game in progress; agents that want stories hear of those that are over then."""
        before, forfeited = games.going_on, len(self._forfeits)
        actions = self._choose()
        if len(self._forfeits) > forfeited:
            games.leave(np.array([lane for lane in before.tolist() if lane in self._forfeits]))
            actions = actions[np.isin(before, games.going_on)]
        for chronicle, action in zip(self._chronicles_of(games.going_on), actions.tolist(), strict=False):
            chronicle.history.append(action)
        if len(actions):
            self._step(games, actions)
        if self._chronicles and len(games.going_on) < len(before):
            self._tell_end(np.setdiff1d(before, games.going_on))

    def _chronicles_of(self, lanes: Counts) -> list[Chronicle]:
        """The chronicles of some lanes; none if no agent wants stories."""
        return [self._chronicles[lane] for lane in lanes.tolist()] if self._chronicles else []

    def _tell_end(self, lanes: Counts) -> None:
        """Tell agents that want stories how games have ended."""
        for lane in lanes.tolist():
            played = self._games.played(lane)
            for seat, player in enumerate(self.players):
                if player.wants_stories:
                    player.game_over(Seen(self._chronicles[lane], seat), played.ending, played.scores, played.returns)

    def _choose(self) -> Actions:
        """The action of each game's seat to act, asked of its agent; of games that are given up, any number."""
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
            seen=self._seen(asked) if agent.wants_stories else (),
        )
        start = time.perf_counter()
        decisions = agent.decide(views)
        seconds = time.perf_counter() - start
        self._seconds[asked, lanes.frame.seat[asked]] += seconds / len(asked)
        try:
            if decisions.forfeits:
                return self._without_forfeits(asked, decisions)
            return lanes.require_legal(asked, decisions.actions)
        except IllegalAction as error:
            raise AgentError(f"{type(agent).__name__} ({self._where(error.lane)}): {error}") from None

    def _seen(self, lanes: Counts) -> list[Seen]:
        """The course of the games in some lanes, as the seats to act may know it."""
        seats = self._games.lanes.frame.seat[lanes].tolist()
        return [Seen(chronicle, seat) for chronicle, seat in zip(self._chronicles_of(lanes), seats, strict=True)]

    def _without_forfeits(self, asked: Counts, decisions: Decisions) -> Actions:
        """The actions in some lanes, if they are legal where the game is not given up; `_forfeits` has the others."""
        lanes = self._games.lanes
        chosen, stays = action_ids(self.game, decisions.actions, len(asked)), np.ones(len(asked), np.bool_)
        for place, forfeit in decisions.forfeits.items():
            stays[place] = False
            self._forfeits[int(asked[place])] = {"seat": int(lanes.frame.seat[asked[place]]), **asdict(forfeit)}
        lanes.require_legal(asked[stays], chosen[stays])
        return chosen

    def _step(self, games: Games, actions: Actions) -> None:
        """Play actions that were legal when they were chosen."""
        try:
            games.step(actions)
        except IllegalAction as error:
            self._refuse(error.lane)

    def _verify(self, games: Games) -> None:
        """Play the actions of the match again and compare."""
        again = Games(self.game, self.options, self.seed, self.first, self.number, games.places)
        for number in range(len(games.rounds) + 1):
            if number in games.left:
                again.leave(games.left[number])
            if number < len(games.rounds):
                self._step(again, games.rounds[number])
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
