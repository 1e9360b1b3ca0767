"""Games between agents, many at once in lockstep: each agent acts on all games in which it is its turn."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from agents import keys, worlds
from agents.agent import Agent
from agents.roster import AgentError
from cardtable import loops
from cardtable.game import ACTION, Game
from cardtable.jit import as_games
from cardtable.options import Options
from cardtable.scoring import Ending


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
        worlds.prepare(game)
        self.game = game
        self.options = options
        self.players = list(players)
        self.seed = seed
        self.salt = keys.new_salt() if salt is None else keys.checked_salt(salt)
        self._secret = keys.secret_of(self.salt)
        self.played = [Played(first + lane) for lane in range(number)]
        self._lanes = np.arange(number)  # which of `played` each record is
        self._blank = game.blank(options, seed)
        self._games = as_games(np.repeat(self._blank, number))
        self._frame = game.new_frame(number, options.num_players)
        self._scratch = game.new_scratch()
        self._decisions = np.zeros((number, options.num_players), np.int64)
        self._seconds = np.zeros((number, options.num_players))
        loops.begin_many(self._games, self._blank, np.uint64(first), self._frame, self._scratch)

    def play(self) -> list[Played]:
        """Play all games to their ends."""
        while len(self._games):
            self._step(self._choose())
            self._drop_ended()
        return self.played

    def _choose(self) -> np.ndarray:
        """The action of each game's seat to act, asked of its agent."""
        actions = np.zeros(len(self._games), ACTION)
        for agent in dict.fromkeys(self.players):
            seats = [seat for seat, player in enumerate(self.players) if player is agent]
            lanes = np.flatnonzero(np.isin(self._frame.seat, seats))
            if len(lanes):
                actions[lanes] = self._ask(agent, lanes)
        return actions

    def _ask(self, agent: Agent, lanes: np.ndarray) -> np.ndarray:
        frame = self._frame
        views = worlds.make_views(
            self.game,
            self.options,
            as_games(self._games[lanes]),
            frame.observation[lanes],
            frame.action_mask[lanes],
            self._secret,
            records=agent.wants_records,
        )
        start = time.perf_counter()
        chosen = np.asarray(agent.act(views))
        seconds = time.perf_counter() - start
        numbers, seats = self._lanes[lanes], frame.seat[lanes]
        self._decisions[numbers, seats] += 1
        self._seconds[numbers, seats] += seconds / len(lanes)
        return self._checked(agent, chosen, lanes)

    def _checked(self, agent: Agent, chosen: np.ndarray, lanes: np.ndarray) -> np.ndarray:
        """The actions, if they are legal. The mask is the match's own: an agent may have written into its copy."""
        who = f"{type(agent).__name__} playing {self.game.id}"
        if chosen.shape != lanes.shape or chosen.dtype.kind not in "iu":
            raise AgentError(f"{who}: {len(lanes)} views, but the choice has shape {chosen.shape} and dtype {chosen.dtype}")
        actions = chosen.astype(ACTION)
        wrong = int(loops.first_illegal(actions, self._frame.action_mask[lanes]))
        if wrong >= 0:
            deal = self.played[self._lanes[lanes[wrong]]].deal
            raise AgentError(f"{who}: action {chosen[wrong]} is not legal (seed {self.seed}, deal {deal})")
        return actions

    def _step(self, actions: np.ndarray) -> None:
        for lane, action in zip(self._lanes, actions, strict=True):
            self.played[lane].actions.append(int(action))
        loops.step_many(self._games, actions, self._blank, self._frame, self._scratch)

    def _drop_ended(self) -> None:
        """Book the games that have ended, and go on with the others."""
        frame = self._frame
        ended = frame.terminated | frame.truncated
        if not ended.any():
            return
        for lane in np.flatnonzero(ended):
            game = self.played[self._lanes[lane]]
            game.ending = (Ending.TRUNCATED if frame.truncated[lane] else Ending.TERMINATED).name.lower()
            game.returns, game.scores = frame.rewards[lane].tolist(), frame.scores[lane].tolist()
            game.decisions = self._decisions[self._lanes[lane]].tolist()
            game.seconds = self._seconds[self._lanes[lane]].tolist()
        self._games = as_games(np.ascontiguousarray(self._games[~ended]))
        self._frame = loops.Frame(*(np.ascontiguousarray(buffer[~ended]) for buffer in frame))
        self._lanes = self._lanes[~ended]
