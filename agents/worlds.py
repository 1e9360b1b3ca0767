"""Records without what a seat cannot know, random bits for agents, and how both are compiled."""

import hashlib
from contextlib import suppress
from functools import cache, partial

import numpy as np

from agents import insight, roster
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


@kernel
def write_keys(games: np.ndarray, seed: np.uint64, keys: np.ndarray) -> None:
    """Random bits for the next decision of each game, by a seed, the game's number and its length."""
    for lane in range(games.shape[0]):
        game = games[lane]
        keys[lane] = rng.stream(rng.stream(seed, game.index), np.uint64(game.length))


@cache
def key_seed(seed: int) -> np.uint64:
    """Where the random bits of agents come from in a match of this seed: nothing leads back from them to the deals."""
    return np.uint64(int.from_bytes(hashlib.sha256(f"agents {seed}".encode()).digest()[:8]))


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
    write_keys(games, np.uint64(0), np.zeros(1, np.uint64))
    forget_many(games, np.zeros(1, np.int8))


def make_views(
    game: Game,
    options: Options,
    games: np.ndarray,
    observation: np.ndarray,
    mask: np.ndarray,
    seed: int,
    *,
    records: bool = True,
) -> Views:
    """What the seats to act see in the games. The arrays become the agent's; the games stay as they are."""
    keys, seats = np.zeros(len(games), np.uint64), games["seat"].astype(np.int8)
    write_keys(games, key_seed(seed), keys)
    forgotten = as_games(np.array(games if records else games[:0]))
    forget_many(forgotten, seats)
    return Views(game, options, observation, mask, seats, keys, forgotten)


def view_of(table: Table, seed: int) -> Views:
    """What the seat to act sees of the game on a table."""
    prepare(table.game)
    games = as_games(np.frombuffer(table.record.tobytes(), table.game.state.dtype).copy())
    return make_views(table.game, table.options, games, table.observation[None].copy(), table.mask[None].copy(), seed)
