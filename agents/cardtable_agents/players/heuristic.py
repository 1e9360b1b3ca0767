"""`heuristic`: the action whose position, one step ahead, has the best value on average over redealt worlds."""

from functools import partial
from typing import NamedTuple

import numpy as np

from cardtable.audit import fresh_games
from cardtable.engine import rng
from cardtable.engine.dispatch import legal, redeal_hidden, returns
from cardtable.engine.ending import Ending
from cardtable.engine.jit import as_games, compile_once, kernel
from cardtable.engine.loops import advance
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.game.record import MAX_PLAYERS
from cardtable.players.agent import Agent
from cardtable.players.roster import integer_argument
from cardtable.players.views import Views, prepare_views
from cardtable_agents.evaluations import evaluation
from cardtable_agents.evaluations.evaluation import ROOM, evaluate

WORLDS = 6
"""In how many redealt worlds each action is tried: enough to judge an unseen draw, few enough for speed."""
MOST_WORLDS = 1000
LEAD = 0.005
"""How much value the best action is rated above others of the same value. At Murano it is often to end the turn, and the others
spend money or works for nothing."""


class Desk(NamedTuple):
    """Room to think: what kernels write into."""

    world: np.ndarray
    """A record: a redealt world."""
    trial: np.ndarray
    """A record: the world after an action."""
    actions: np.ndarray
    """Ids of legal actions."""
    values: np.ndarray
    """The value of each of them."""
    seats: np.ndarray
    """The value of a position for each seat."""
    room: np.ndarray
    """What evaluations write into."""
    weights: np.ndarray
    """What evaluations weigh with."""


def new_desk(game: Game) -> Desk:
    """Room for one decision at a time."""
    return Desk(
        as_games(game.state.blank()),
        as_games(game.state.blank()),
        game.new_scratch(),
        np.zeros(game.actions.size + 1),
        np.zeros(MAX_PLAYERS),
        np.zeros(ROOM),
        np.array(evaluation.find(game).weights),
    )


@kernel
def put_world(games: np.ndarray, lane: int, seat: int, stream: np.uint64, world: np.ndarray) -> None:
    """Copy a game and draw anew what the seat cannot know."""
    world[0] = games[lane]
    game = world[0]
    game.rng = stream
    redeal_hidden(game, seat)


@kernel
def value_after(action: int, desk: Desk) -> None:
    """Write the value for each seat of the position that an action leads to in the desk's world."""
    desk.trial[0] = desk.world[0]
    game = desk.trial[0]
    if advance(game, action) == Ending.ONGOING:
        evaluate(game, desk.weights, desk.seats, desk.room)
    else:
        returns(game, desk.seats)


@kernel
def evaluate_many(games: np.ndarray, seats: np.ndarray, desk: Desk, values: np.ndarray) -> None:
    """Write the value of every game, all of which go on, for a seat of it."""
    for lane in range(games.shape[0]):
        evaluate(games[lane], desk.weights, desk.seats, desk.room)
        values[lane] = desk.seats[seats[lane]]


@kernel
def rate_actions(games: np.ndarray, lane: int, seat: int, key: np.uint64, number: int, desk: Desk) -> int:
    """Write every legal action and its value for the seat, summed over a number of worlds that are the same for all actions.

    Returns how many there are. The value of an action without an alternative is 0: nobody needs to know.
    """
    count = legal(games[lane], desk.actions)
    desk.values[:count] = 0
    if count == 1:
        return count
    for each in range(number):
        put_world(games, lane, seat, rng.stream(key, np.uint64(each)), desk.world)
        for k in range(count):
            value_after(desk.actions[k], desk)
            desk.values[k] += desk.seats[seat]
    return count


@kernel
def first_best(count: int, desk: Desk) -> int:
    """Which of the rated actions has the best value; of equals the one offered first, so that a turn ends in time."""
    best = 0
    for k in range(1, count):
        if desk.values[k] > desk.values[best]:
            best = k
    return best


@kernel
def choose_many(games: np.ndarray, seats: np.ndarray, keys: np.ndarray, number: int, desk: Desk, actions: np.ndarray) -> None:
    """The best action in every game."""
    for lane in range(games.shape[0]):
        count = rate_actions(games, lane, seats[lane], keys[lane], number, desk)
        actions[lane] = desk.actions[first_best(count, desk)]


@kernel
def rate_many(games: np.ndarray, seats: np.ndarray, keys: np.ndarray, number: int, desk: Desk, values: np.ndarray) -> None:
    """Write the mean value of every legal action in every game, that of the best with its lead; others stay as they are."""
    for lane in range(games.shape[0]):
        count = rate_actions(games, lane, seats[lane], keys[lane], number, desk)
        for k in range(count):
            values[lane, desk.actions[k]] = desk.values[k] / number
        values[lane, desk.actions[first_best(count, desk)]] += LEAD


class HeuristicAgent(Agent):
    """Plays the best one-step value; `heuristic:N` looks at N worlds."""

    about = "the best action by an evaluation of the game, one step ahead, in N redealt worlds (6)"
    takes = "N"

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        evaluation.require(game, "heuristic")
        super().__init__(game, options, argument)
        self.worlds = integer_argument("heuristic", argument, WORLDS, MOST_WORLDS)
        self.desk = new_desk(game)

    def prepare(self) -> None:
        """Compile the evaluation, if no cache has it yet."""
        prepare_views(self.game)
        compile_once(f"{self.game.id}-heuristic", partial(_compile, self.game), __name__, self.game.state.dtype)

    def act(self, views: Views) -> np.ndarray:
        """The best action of each view."""
        self.prepare()
        actions = np.zeros(len(views), ACTION)
        choose_many(views.records, views.seat, views.key, self.worlds, self.desk, actions)
        return actions

    def rate(self, views: Views) -> np.ndarray:
        """float32 (n, A): the value of each legal action of each view, minus infinity for the others.

        The action that the agent would play has `LEAD` more.
        """
        self.prepare()
        values = np.full(views.mask.shape, -np.inf, np.float32)
        rate_many(views.records, views.seat, views.key, self.worlds, self.desk, values)
        return values


def _compile(game: Game) -> None:
    games = fresh_games(game, game.variants[0], 1, seed=0)
    desk, key = new_desk(game), np.zeros(1, np.uint64)
    seats = games["seat"].astype(np.int8)
    choose_many(games, seats, key, 1, desk, np.zeros(1, ACTION))
    rate_many(games, seats, key, 1, desk, np.zeros((1, game.actions.size), np.float32))
    evaluate_many(games, np.zeros(1, np.int64), desk, np.zeros(1, np.float32))
