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
from cardtable.types import Actions, Bits, Floats, Header, Integers, Records
from cardtable_agents.evaluations import evaluation as evaluations
from cardtable_agents.evaluations.evaluation import evaluate

WORLDS = 6
"""How many redealt worlds each action is tried in: enough to average over unseen draws, few enough for speed."""
MOST_WORLDS = 1000
LEAD = 0.005
"""What `rate` adds to the value of the action that the agent would play, to set it apart from others of the same value. In
Murano that action is often to end the turn, and the others spend money or works for nothing."""


class Scratch(NamedTuple):
    """What the kernels of `heuristic` and `search` work in: they allocate nothing."""

    world: Records
    """(1,) record: a redealt world."""
    trial: Records
    """(1,) record: the world after an action."""
    actions: Actions
    """Ids of legal actions."""
    values: Floats
    """The value of each of them."""
    seat_values: Floats
    """The value of a position for each seat."""
    evaluation: Records
    """(1,) record: the evaluation's own scratch."""
    weights: Records
    """(1,) record: the evaluation's weights, a copy."""


def new_scratch(game: Game) -> Scratch:
    """Scratch for one decision at a time."""
    evaluation = evaluations.find(game)
    return Scratch(
        as_games(game.state.blank()),
        as_games(game.state.blank()),
        game.new_scratch(),
        np.zeros(game.actions.size + 1),
        np.zeros(MAX_PLAYERS),
        evaluation.new_scratch(),
        evaluation.new_weights(),
    )


@kernel
def put_world(games: Records, lane: int, seat: int, stream: np.uint64, world: Records) -> None:
    """Copy a game and draw anew what the seat cannot know."""
    world[0] = games[lane]
    game: Header = world[0]
    game.rng = stream
    redeal_hidden(game, seat)


@kernel
def value_after(action: int, scratch: Scratch) -> None:
    """Write the value for each seat of the position that an action leads to in `scratch.world`."""
    scratch.trial[0] = scratch.world[0]
    game: Header = scratch.trial[0]
    if advance(game, action) == Ending.ONGOING:
        evaluate(game, scratch.weights[0], scratch.seat_values, scratch.evaluation[0])
    else:
        returns(game, scratch.seat_values)


@kernel
def evaluate_many(games: Records, seats: Integers, scratch: Scratch, values: Floats) -> None:
    """Write the value of every game for one of its seats. None of the games may be over."""
    for lane in range(games.shape[0]):
        evaluate(games[lane], scratch.weights[0], scratch.seat_values, scratch.evaluation[0])
        values[lane] = scratch.seat_values[seats[lane]]


@kernel
def rate_actions(games: Records, lane: int, seat: int, key: np.uint64, number: int, scratch: Scratch) -> int:
    """Write every legal action and its value for the seat, summed over `number` worlds, the same ones for all actions.

    Returns how many actions there are. An action without an alternative is not evaluated: its value is 0.
    """
    count = legal(games[lane], scratch.actions)
    scratch.values[:count] = 0
    if count == 1:
        return count
    for each in range(number):
        put_world(games, lane, seat, rng.stream(key, np.uint64(each)), scratch.world)
        for k in range(count):
            value_after(scratch.actions[k], scratch)
            scratch.values[k] += scratch.seat_values[seat]
    return count


@kernel
def first_best(count: int, scratch: Scratch) -> int:
    """Which of the rated actions has the best value; on a tie the first, so that a turn ends in time."""
    best = 0
    for k in range(1, count):
        if scratch.values[k] > scratch.values[best]:
            best = k
    return best


@kernel
def choose_many(games: Records, seats: Integers, keys: Bits, number: int, scratch: Scratch, actions: Actions) -> None:
    """The best action in every game."""
    for lane in range(games.shape[0]):
        count = rate_actions(games, lane, seats[lane], keys[lane], number, scratch)
        actions[lane] = scratch.actions[first_best(count, scratch)]


@kernel
def rate_many(games: Records, seats: Integers, keys: Bits, number: int, scratch: Scratch, values: Floats) -> None:
    """Write the mean value of every legal action in every game, plus `LEAD` for the best; other actions' values stay."""
    for lane in range(games.shape[0]):
        count = rate_actions(games, lane, seats[lane], keys[lane], number, scratch)
        for k in range(count):
            values[lane, scratch.actions[k]] = scratch.values[k] / number
        values[lane, scratch.actions[first_best(count, scratch)]] += LEAD


class HeuristicAgent(Agent):
    """Plays the best one-step value; `heuristic:N` looks at N worlds."""

    about = "the best action by an evaluation of the game, one step ahead, in N redealt worlds (6)"
    takes = "N"

    def __init__(self, game: Game, options: Options, argument: str | None = None) -> None:
        evaluations.require(game, "heuristic")
        super().__init__(game, options, argument)
        self.worlds = integer_argument("heuristic", argument, WORLDS, MOST_WORLDS)
        self.scratch = new_scratch(game)

    def prepare(self) -> None:
        """Compile the evaluation, if no cache has it yet."""
        prepare_views(self.game)
        compile_once(f"{self.game.id}-heuristic", partial(_compile, self.game), __name__, self.game.state.dtype)

    def act(self, views: Views) -> Actions:
        """The best action of each view."""
        self.prepare()
        actions = np.zeros(len(views), ACTION)
        choose_many(views.records, views.seat, views.key, self.worlds, self.scratch, actions)
        return actions

    def rate(self, views: Views) -> Floats:
        """float32 (n, A): the value of each legal action of each view, minus infinity for the others.

        The action that the agent would play has `LEAD` more.
        """
        self.prepare()
        values = np.full(views.mask.shape, -np.inf, np.float32)
        rate_many(views.records, views.seat, views.key, self.worlds, self.scratch, values)
        return values


def _compile(game: Game) -> None:
    games = fresh_games(game, game.variants[0], 1, seed=0)
    scratch, key = new_scratch(game), np.zeros(1, np.uint64)
    seats = games["seat"].astype(np.int8)
    choose_many(games, seats, key, 1, scratch, np.zeros(1, ACTION))
    rate_many(games, seats, key, 1, scratch, np.zeros((1, game.actions.size), np.float32))
    evaluate_many(games, np.zeros(1, np.int64), scratch, np.zeros(1, np.float32))
