"""What the seats to act see: `Views`, made from records without what the seat cannot know."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from cardtable.engine import rng, traces
from cardtable.engine.dispatch import forget_hidden
from cardtable.engine.jit import as_games, compile_calls, compile_once, kernel
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.seen import Seen
from cardtable.table import Table
from cardtable.types import Bits, Header, Integers, Mask, Observation, Records, Seats


@dataclass(frozen=True)
class Views:
    """What the seats to act see in n games. Nothing here depends on what a seat cannot know.

    In the records, everything that a seat cannot know has been put into a fixed order, and seed and random stream are removed.
    Agents never see the true records.
    """

    game: Game
    options: Options
    observation: Observation
    """float32 (n, D): what the seat to act observes."""
    mask: Mask
    """int8 (n, A): 1 where an action is legal."""
    seat: Seats
    """int8 (n,): the seat to act."""
    key: Bits
    """uint64 (n,): random bits for this decision, the only ones that an agent may use. They depend on the deal, the number
    of the decision and the salt of the match, which no agent knows. So a choice does not depend on which games are played side
    by side, and the bits reveal nothing about the deal."""
    records: Records
    """(n,) records of the games with what the seat cannot know forgotten; empty for an agent that does not want them."""
    seen: Sequence[Seen] = ()
    """What happened in each game, for an agent that wants stories; empty where games have no history."""

    def __len__(self) -> int:
        return len(self.seat)

    def world(self, number: int, seed: int) -> Table:
        """A table with game `number` in which everything that its seat to act cannot know is drawn anew."""
        table = Table(self.game, self.options)
        table.load_state_bytes(self.game.pack(self.records[number : number + 1]))
        return table.redeal(int(self.seat[number]), seed)


@kernel
def forget_many(games: Records, seats: Integers) -> None:
    """Forget, in each record, what its seat cannot know: hidden cards, the seed, the random stream."""
    for lane in range(games.shape[0]):
        game: Header = games[lane]
        game.seed = np.uint64(0)
        game.index = np.uint64(0)
        game.rng = rng.stream(np.uint64(0), np.uint64(game.length))
        forget_hidden(game, seats[lane])
        game.rng = np.uint64(0)


def prepare_views(game: Game) -> None:
    """Compile what makes views, if no cache has it yet."""
    game.prepare()
    compile_once(f"{game.id}-views", partial(_compile, game), record=game.state.dtype)


def _compile(game: Game) -> None:
    games = game.blank(game.parse_options(), seed=0)
    keys.write_keys(games, keys.secret_of(""), np.zeros(1, np.uint64))
    compile_calls([(forget_many, games, np.zeros(1, np.int8))])
    traces.prepare()


def make_views(
    game: Game,
    options: Options,
    games: Records,
    observation: Observation,
    mask: Mask,
    secret: Bits,
    *,
    records: bool = True,
    seen: Sequence[Seen] = (),
) -> Views:
    """What the seats to act see in the games; their keys are made with a secret (`keys.secret_of`).

    The arrays become the agent's; the games stay as they are.
    """
    bits, seats = np.zeros(len(games), np.uint64), games["seat"].astype(np.int8)
    keys.write_keys(games, secret, bits)
    forgotten = as_games(np.array(games if records else games[:0]))
    forget_many(forgotten, seats)
    return Views(game, options, observation, mask, seats, bits, forgotten, seen)


def view_of(table: Table, salt: str, *, stories: bool = False) -> Views:
    """What the seat to act sees of the game on a table; its key depends on the salt. `stories`: and what happened."""
    prepare_views(table.game)
    games = as_games(np.frombuffer(table.record.tobytes(), table.game.state.dtype).copy())
    observation, mask = table.observation[None].copy(), table.mask[None].copy()
    seen = (Seen(table, table.seat),) if stories else ()
    return make_views(table.game, table.options, games, observation, mask, keys.secret_of(salt), seen=seen)
