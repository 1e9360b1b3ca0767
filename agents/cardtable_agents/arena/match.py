"""Games between agents, many at once in lockstep: each agent acts on all games in which it is its turn.

Agents are code of anybody's, in the same process. What they have played is played again before it counts: see `Match.play`.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from cardtable.engine import loops, traces
from cardtable.engine.ending import Ending
from cardtable.engine.jit import as_games
from cardtable.errors import AgentError
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.game.record import NOBODY
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.views import make_views, prepare_views


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
    """Time that the agents took; games played beside each other share it evenly."""
    actions: list[int] = field(default_factory=list)


class Tables:
    """Games of one seed side by side, from the deal to their ends; a game that has ended leaves."""

    def __init__(
        self, game: Game, options: Options, seed: int, first: int, number: int, places: np.ndarray | None = None
    ) -> None:
        """Deal games number `first` to `first + number - 1`. Traces made with the same `places` can be compared."""
        self.played = [Played(first + each) for each in range(number)]
        self.numbers = np.arange(number)
        """Which of `played` each game is that goes on."""
        self._blank = game.blank(options, seed)
        self.games = as_games(np.repeat(self._blank, number))
        self.frame = game.new_frame(number, options.num_players)
        self._scratch = game.new_scratch()
        self.rounds: list[np.ndarray] = []
        """The actions of every step, one for each game that went on."""
        self._decisions = np.zeros((number, options.num_players), np.int64)
        self._words = self._shown()
        self.places = traces.new_places(self._words) if places is None else places
        self.traces = np.zeros(number, np.uint64)
        """All that stood on each table at every decision, of games that have ended."""
        self._folded = np.zeros(number, np.uint64)
        loops.begin_many(self.games, self._blank, np.uint64(first), self.frame, self._scratch)

    def step(self, actions: np.ndarray) -> int:
        """Play an action in every game that goes on; which of `played` is the first where it is not legal, or NOBODY."""
        for words in self._words:
            traces.fold_many(words, self.places, self._folded)
        self._decisions[self.numbers, self.frame.seat] += 1
        self.rounds.append(actions)
        wrong = int(loops.step_many(self.games, actions, self._blank, self.frame, self._scratch))
        if wrong != NOBODY:
            return int(self.numbers[wrong])
        ended = self.frame.terminated | self.frame.truncated
        if ended.any():
            self._drop(ended)
        return NOBODY

    def _shown(self) -> list[np.ndarray]:
        """All that agents' views are made of, as traces take it."""
        frame = self.frame
        return [traces.words_of(shown) for shown in (self.games, frame.observation, frame.action_mask, frame.seat)]

    def _drop(self, ended: np.ndarray) -> None:
        """Write down how games ended, and go on with the others."""
        frame = self.frame
        self.traces[self.numbers[ended]] = self._folded[ended]
        for lane in np.flatnonzero(ended):
            game = self.played[self.numbers[lane]]
            game.ending = (Ending.TRUNCATED if frame.truncated[lane] else Ending.TERMINATED).name.lower()
            game.returns, game.scores = frame.rewards[lane].tolist(), frame.scores[lane].tolist()
            game.decisions = self._decisions[self.numbers[lane]].tolist()
        self.games = as_games(np.ascontiguousarray(self.games[~ended]))
        self.frame = loops.Frame(*(np.ascontiguousarray(buffer[~ended]) for buffer in frame))
        self.numbers, self._folded = self.numbers[~ended], self._folded[~ended]
        self._words = self._shown()


class Match:
    """Games of one seed between agents, `players[seat]` at each seat."""

    def __init__(
        self,
        game: Game,
        options: Options,
        players: Sequence[Agent],
        seed: int,
        first: int,
        number: int,
        salt: str | None = None,
    ) -> None:
        """Deal games number `first` to `first + number - 1`.

        The agents' random bits come from a salt that they do not know: a new one if none is given. The same seed and the
        same salt give the same games.
        """
        prepare_views(game)
        self.game = game
        self.options = options
        self.players = list(players)
        self.seed, self.first, self.number = seed, first, number
        self.salt = keys.new_salt() if salt is None else keys.checked_salt(salt)
        self._secret = keys.secret_of(self.salt)
        self._tables = Tables(game, options, seed, first, number)
        self._seconds = np.zeros((number, options.num_players))

    def play(self) -> list[Played]:
        """Play all games to their ends.

        Then the actions are played once more, on tables that no agent has seen. `AgentError` if anything was different
        there: a record, what an agent was shown, whose turn it was, what was legal, how a game ended.
        """
        tables = self._tables
        while len(tables.numbers):
            wrong = tables.step(self._choose())
            if wrong != NOBODY:  # it was legal when it was chosen
                self._refuse(wrong)
        self._verify(tables)
        actions = _by_game(tables)
        return [
            replace(played, seconds=seconds, actions=actions[number])
            for number, (played, seconds) in enumerate(zip(tables.played, self._seconds.tolist(), strict=True))
        ]

    def _choose(self) -> np.ndarray:
        """The action of each game's seat to act, asked of its agent."""
        actions = np.zeros(len(self._tables.numbers), ACTION)
        for agent in dict.fromkeys(self.players):
            seats = [seat for seat, player in enumerate(self.players) if player is agent]
            lanes = np.flatnonzero(np.isin(self._tables.frame.seat, seats))
            if len(lanes):
                actions[lanes] = self._ask(agent, lanes)
        return actions

    def _ask(self, agent: Agent, lanes: np.ndarray) -> np.ndarray:
        frame = self._tables.frame
        views = make_views(
            self.game,
            self.options,
            as_games(self._tables.games[lanes]),
            frame.observation[lanes],
            frame.action_mask[lanes],
            self._secret,
            records=agent.wants_records,
        )
        start = time.perf_counter()
        chosen = np.asarray(agent.act(views))
        seconds = time.perf_counter() - start
        self._seconds[self._tables.numbers[lanes], frame.seat[lanes]] += seconds / len(lanes)
        return self._checked(agent, chosen, lanes)

    def _checked(self, agent: Agent, chosen: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """The actions, if they are legal. The mask is the match's own: an agent may have written into its copy."""
        who = f"{type(agent).__name__} playing {self.game.id}"
        if chosen.shape != lanes.shape or chosen.dtype.kind not in "iu":
            raise AgentError(f"{who}: {len(lanes)} views, but the choice has shape {chosen.shape} and dtype {chosen.dtype}")
        actions = chosen.astype(ACTION)
        wrong = int(loops.first_illegal(actions, self._tables.frame.action_mask[lanes]))
        if wrong >= 0:
            deal = self.first + int(self._tables.numbers[lanes[wrong]])
            raise AgentError(f"{who}: action {chosen[wrong]} is not legal (seed {self.seed}, deal {deal})")
        return actions

    def _verify(self, tables: Tables) -> None:
        """Play the actions of the match again and compare."""
        again = Tables(self.game, self.options, self.seed, self.first, self.number, tables.places)
        for actions in tables.rounds:
            if len(actions) != len(again.numbers):  # a game ended sooner or later than it did
                self._refuse(int(again.numbers[0]) if len(again.numbers) else 0)
            wrong = again.step(actions)
            if wrong != NOBODY:
                self._refuse(wrong)
        for number in range(self.number):
            if again.traces[number] != tables.traces[number] or again.played[number] != tables.played[number]:
                self._refuse(number)

    def _refuse(self, number: int) -> None:
        agents = ", ".join(dict.fromkeys(type(player).__name__ for player in self.players))
        raise AgentError(
            f"{self.game.id}: seed {self.seed}, deal {self.first + number}: the game that was played is not what its actions "
            f"lead to: one of the agents ({agents}) has reached into the match; none of its games count"
        )


def _by_game(tables: Tables) -> list[list[int]]:
    """The actions of each game."""
    lengths = np.array([sum(played.decisions) for played in tables.played], np.int64)
    table = np.zeros((len(lengths), len(tables.rounds)), ACTION)
    for step, actions in enumerate(tables.rounds):
        table[lengths > step, step] = actions
    return [row[:length].tolist() for row, length in zip(table, lengths, strict=True)]
