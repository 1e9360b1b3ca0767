"""Who plays the other seats while one learns: `Opponents`, at random or agents drawn from a pool."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from cardtable.engine import loops, random_play
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import as_games
from cardtable.engine.rng import chances
from cardtable.errors import IllegalAction
from cardtable.game.game import ACTION, Game
from cardtable.game.legality import action_ids, refusal
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.views import make_views, prepare_views
from cardtable.types import Actions, Counts, Mask, Observation, Records


class Opponents(Protocol):
    """Who plays the other seats."""

    def act(self, games: Records, observation: Observation, mask: Mask) -> Actions:
        """A legal action for the seat to act in each game: integers of shape (n,).

        `observation` and `mask` are what those seats see. `games` are copies of the records, hidden parts included: who
        looks at them forgets first what the seat cannot know.
        """


class RandomOpponents:
    """Opponents that play uniformly at random among the legal actions, by the game's number and length."""

    def __init__(self, seed: int) -> None:
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Draw other random numbers from now on."""
        self.seed = seed

    def act(self, games: Records, observation: Observation, mask: Mask) -> Actions:
        """A legal action for each game; `Lanes.play_until` plays the same ones, many in a call."""
        actions, scratch = np.zeros(len(games), ACTION), np.zeros(mask.shape[1] + 1, ACTION)
        random_play.choose_by_number(games, np.uint64(self.seed), scratch, actions)
        return actions


class Pool:
    """Agents that share the seats; what a seat cannot know is forgotten before they are asked.

    Who plays depends on the game's number and the seat, so an agent plays a game to its end. Places whose agent is replaced
    (`members[i] = …`) change hands.
    """

    def __init__(self, game: Game, options: Options, members: Sequence[Agent], seed: int) -> None:
        prepare_views(game)
        for agent in members:
            agent.prepare()
        self.game, self.options = game, options
        self.members = list(members)
        self.reseed(seed)

    def reseed(self, seed: int) -> None:
        """Draw who plays, and the members' random bits, by another seed from now on."""
        self.seed = seed
        self._secret = keys.secret_of(keys.open_salt(f"pool {seed}"))

    def act(self, games: Records, observation: Observation, mask: Mask) -> Actions:
        """A legal action for each game, asked of the member that plays it."""
        actions = np.zeros(len(games), ACTION)
        place = (chances(self.seed, games["index"], games["seat"]) * len(self.members)).astype(np.int64)
        members = [self.members[number] for number in place]
        for agent in dict.fromkeys(members):
            lanes = np.array([lane for lane, member in enumerate(members) if member is agent])
            views = make_views(
                self.game,
                self.options,
                as_games(games[lanes]),
                observation[lanes],
                mask[lanes],
                self._secret,
                records=agent.wants_records,
            )
            try:
                actions[lanes] = self._legal(agent.act(views), games, lanes, mask)
            except IllegalAction as error:
                raise IllegalAction(f"{error} (chosen by {type(agent).__name__})") from None
        return actions

    def _legal(self, given: Actions, games: Records, lanes: Counts, mask: Mask) -> Actions:
        """What a member chose for some of the games, if it is legal there; `IllegalAction` otherwise."""
        chosen = action_ids(self.game, given, len(lanes))
        place = int(loops.first_illegal_of(lanes, chosen, mask))
        if place != NOBODY:
            lane = lanes[place]
            where = f"game number {games['index'][lane]}, player_{games['seat'][lane]} to act"
            raise IllegalAction(refusal(self.game, int(chosen[place]), mask[lane], where))
        return chosen
