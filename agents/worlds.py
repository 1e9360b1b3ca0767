"""Records without what a seat cannot know, random bits for agents, and how both are compiled."""

from contextlib import suppress
from functools import partial

import numpy as np

from agents import insight, keys, roster, traces
from agents.agent import Views
from agents.insight import forget
from cardtable import rng
from cardtable.game import Game
from cardtable.jit import as_games, compile_once, kernel
from cardtable.options import Options
from cardtable.table import Table


@kernel
def forget_many(games: np.ndarray, seats: np.ndarray) -> None:
    """Forget, in each record, what its seat cannot know: hidden cards, the seed, the random stream."""
    for lane in range(games.shape[0]):
        game = games[lane]
        game.seed = np.uint64(0)
        game.index = np.uint64(0)
        game.rng = rng.stream(np.uint64(0), np.uint64(game.length))
        forget(game, seats[lane])
        game.rng = np.uint64(0)


def prepare(game: Game) -> None:
    """Compile what makes views, if no cache has it yet."""
    game.prepare()
    insight.load(game)
    compile_once(f"{game.id}-views", partial(_compile, game), package="agents")


def prepare_all(game: Game) -> None:
    """Compile views and every agent that can play a game, where no cache has them yet."""
    prepare(game)
    for name in roster.names():
        with suppress(roster.AgentError):  # `ppo`, where no policy comes with the package; a game without an evaluation
            roster.make_agent(name, game, game.parse_options({})).prepare()


def _compile(game: Game) -> None:
    from cardtable.audit import fresh_games

    games = fresh_games(game, game.variants[0], 1, seed=0)
    keys.write_keys(games, keys.secret_of(""), np.zeros(1, np.uint64))
    forget_many(games, np.zeros(1, np.int8))
    traces.prepare()


def make_views(
    game: Game,
    options: Options,
    games: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
    secret: np.ndarray,
    *,
    records: bool = True,
) -> Views:
    """What the seats to act see in the games; their keys are made with a secret (`keys.secret_of`).

    The arrays become the agent's; the games stay as they are.
    """
    bits, seats = np.zeros(len(games), np.uint64), games["seat"].astype(np.int8)
    keys.write_keys(games, secret, bits)
    forgotten = as_games(np.array(games if records else games[:0]))
    forget_many(forgotten, seats)
    return Views(game, options, observation, mask, seats, bits, forgotten)


def view_of(table: Table, salt: str) -> Views:
    """What the seat to act sees of the game on a table; its key depends on the salt."""
    prepare(table.game)
    games = as_games(np.frombuffer(table.record.tobytes(), table.game.state.dtype).copy())
    observation, mask = table.observation[None].copy(), table.mask[None].copy()
    return make_views(table.game, table.options, games, observation, mask, keys.secret_of(salt))
