"""Self-play: one thread's share of the games. Every seat learns; in some games other agents sit at all seats but one."""

from functools import partial

import numpy as np

from cardtable.engine import rows as engine
from cardtable.engine.jit import as_games, compile_once, kernel
from cardtable.engine.rng import chances
from cardtable.engine.rows import Deals, Rows
from cardtable.game.game import ACTION, Game
from cardtable.game.options import Options
from cardtable.players import keys
from cardtable.players.pool import Opponents
from cardtable.players.views import Views, make_views, prepare_views
from cardtable.types import Actions, Counts, Floats, Mask, Observation, Records
from cardtable_agents.training.rollout import Rollout


class SelfPlay:
    """`lanes` games of one seed, played decision by decision into rollouts.

    The course of a game depends on its number, the seed and what is chosen; so do the random numbers that choices are sampled
    by. Nothing else needs to be remembered to play on: `records` is all there is.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        lanes: int,
        seed: int,
        *,
        first: int = 0,
        step: int | None = None,
        cut_off_loses: bool = True,
        score_weight: float = 0.0,
        pool: Opponents | None = None,
    ) -> None:
        """Games number `first`, `first` + 1, … of the seed; a lane's next game has a number higher by `step` (`lanes`)."""
        prepare(game)
        prepare_views(game)
        self.game, self.options, self.lanes, self.seed = game, options, lanes, seed
        number_step = np.uint64(lanes if step is None else step)
        self.deals = Deals(game.blank(options, seed), number_step, cut_off_loses, float(score_weight))
        self.records: Records = as_games(np.repeat(self.deals.blank, lanes))
        """The records of all games, hidden parts included."""
        self.pool, self.opponent_lanes = pool, 0
        self._key = np.uint64(seed)
        self._secret = keys.secret_of(keys.open_salt(f"selfplay {seed}"))
        self._scratch = game.new_scratch()
        self._dense = np.zeros(game.layout.size, np.float32)
        self._all = np.arange(lanes)
        self._unseen = Rollout(lanes, 0, 1, 1, options.num_players, advised=False, demonstrated=False)
        engine.deal_rows(self.records, self.deals, np.uint64(first), self._scratch, self._unseen.ends)

    def set_opponent_lanes(self, lanes: int) -> None:
        """From now on agents of the pool play all seats but one in the first `lanes` lanes; which one, each game draws.

        Called before a rollout: those lanes then stand at decisions of seats that learn.
        """
        self.opponent_lanes = lanes if self.pool is not None else 0
        self._let_opponents_play(0, self._unseen)

    def show(self, rollout: Rollout, step: int) -> None:
        """Write the decision at which each lane stands as the rows of a step."""
        rollout.make_room(step)
        first = step * self.lanes
        engine.write_rows(self.records, first, self._key, rollout.rows, self._dense, self._scratch)

    def play(self, actions: Actions, rollout: Rollout, step: int) -> None:
        """Play an action in every lane; the lanes then stand at the next decision of a seat that learns."""
        first = step * self.lanes
        engine.play_rows(self.records, self._all, actions, self.deals, first, self._scratch, rollout.ends)
        self._let_opponents_play(first, rollout)

    def views(self, lanes: Counts | None = None) -> Views:
        """What the seats to act see, in all lanes or some; for agents that are asked."""
        lanes = self._all if lanes is None else lanes
        observation, mask = self._look_at(lanes)
        return make_views(self.game, self.options, as_games(self.records[lanes]), observation, mask, self._secret)

    def _look_at(self, lanes: Counts) -> tuple[Observation, Mask]:
        """What the seats to act see and may do in some lanes, in fresh arrays."""
        observation = np.zeros((len(lanes), self.game.layout.size), np.float32)
        mask = np.zeros((len(lanes), self.game.actions.size), np.int8)
        engine.look_at(self.records, lanes, observation, mask, self._scratch)
        return observation, mask

    # ---- Agents at the other seats

    def _let_opponents_play(self, first_row: int, rollout: Rollout) -> None:
        """Ask the pool for actions until all lanes stand at decisions of seats that learn."""
        while self.pool is not None and len(lanes := self._lanes_of_opponents()):
            observation, mask = self._look_at(lanes)
            actions = self.pool.act(as_games(self.records[lanes]), observation, mask)
            engine.play_rows(self.records, lanes, actions, self.deals, first_row, self._scratch, rollout.ends)

    def _lanes_of_opponents(self) -> Counts:
        """The lanes in which an agent of the pool is to act."""
        games = self.records[: self.opponent_lanes]
        learns = (chances(self.seed, games["index"]) * self.options.num_players).astype(np.int64)
        return np.flatnonzero(games["seat"] != learns)


# ---- What belongs to legal actions


@kernel
def gather_legal(first_row: int, rows: Rows, dense: Floats, out: Floats) -> None:
    """Write dense[i, a] for each legal action a of row `first_row` + i."""
    for i in range(dense.shape[0]):
        for k in range(rows.first_action[first_row + i], rows.first_action[first_row + i + 1]):
            out[k] = dense[i, rows.action[k]]


# ---- Compiling


def prepare(game: Game) -> None:
    """Compile what plays rows of a game, if no cache has it yet."""
    game.prepare()
    compile_once(f"{game.id}-rows", partial(_compile, game), record=game.state.dtype)


def _compile(game: Game) -> None:
    options = game.parse_options()
    blank, scratch = game.blank(options, 0), game.new_scratch()
    games, lanes, actions = as_games(blank.copy()), np.zeros(1, np.int64), np.zeros(1, ACTION)
    rollout = Rollout(1, 1, game.layout.size, game.actions.size, options.num_players, advised=False, demonstrated=False)
    deals, dense = Deals(blank, np.uint64(1), True, 0.0), np.zeros(game.layout.size, np.float32)
    engine.deal_rows(games, deals, np.uint64(0), scratch, rollout.ends)
    engine.write_rows(games, 0, np.uint64(0), rollout.rows, dense, scratch)
    actions[0] = rollout.rows.action[0]
    engine.play_rows(games, lanes, actions, deals, 0, scratch, rollout.ends)
    engine.look_at(games, lanes, dense[None], np.zeros((1, game.actions.size), np.int8), scratch)
