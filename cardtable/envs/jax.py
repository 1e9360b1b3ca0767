"""JAX: many games inside `jit`, `scan` and the like, as pure functions: `LearnerEnv("muster", 256)`.

The whole state of the games is in arrays, and goes through the compiled engine by a callback. So a state can be stepped twice,
kept, gone back to, saved; nothing is remembered outside of it.
"""

import threading
from typing import Any, NamedTuple

import numpy as np

from cardtable.envs import not_installed
from cardtable.envs.batch import checked_number
from cardtable.envs.learner import Course, GivenOpponents, Learner
from cardtable.game.game import Game
from cardtable.game.registry import game_of
from cardtable.types import Array

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError as error:
    raise not_installed("jax", error) from None


class State(NamedTuple):
    """Where all games are: a pytree of arrays with a row for each game."""

    records: jax.Array
    """uint8 (n, bytes): the records of the games, hidden parts included. A policy that looks at them cheats."""
    mask: jax.Array
    """int8 (n, A): 1 where the learner may take the action."""
    seats: jax.Array
    """int32 (n,): the learner's seat."""
    decisions: jax.Array
    """int32 (n,): how many decisions the learner has made in the game."""


class TimeStep(NamedTuple):
    """What the learner is shown: a pytree of arrays with a row for each game."""

    observation: jax.Array
    """float32 (n, D): what the learner sees at its decision."""
    mask: jax.Array
    """bool (n, A): where it may take the action; at least one."""
    reward: jax.Array
    """float32 (n,): the learner's return of the game that ended in this step, otherwise 0."""
    done: jax.Array
    """bool (n,): a game ended in this step; the row shows the next one already."""
    truncated: jax.Array
    """bool (n,): it was cut off. Its return has been paid all the same: there is nothing to estimate."""
    seat: jax.Array
    """int32 (n,): where the learner sits now."""


class LearnerEnv:
    """`num_games` games, in each of which one seat learns and opponents play the others.

    A step goes from one decision of the learner to its next. When a game ends, its row shows the first decision of the next
    game in the same step. Row i plays games i, i + n, i + 2n, … of a seed that the key is turned into; the learner moves on one
    seat each time, unless it is given a `seat`. `reset` and `step` may be called in `jit`, `scan`, `cond` and `vmap`, and from
    several threads. An illegal action is an error of the computation; with `illegal="lose"` it loses the game.
    """

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        *,
        opponents: GivenOpponents = None,
        seat: int | None = None,
        illegal: str = "raise",
        **options: object,
    ) -> None:
        """Opponents are agents or their names, one of which is drawn for each game and seat; none play at random."""
        self.game = game = game_of(game)
        self.num_games = checked_number(game, num_games)
        self.options = game.parse_options(options)
        self.num_actions, self.observation_size = game.actions.size, game.layout.size
        self._learner = Learner(game, self.options, self.num_games, opponents, 0, seat=seat, illegal=illegal)
        self._lock = threading.Lock()
        self._state, self._timestep = self._shapes()
        game.prepare()

    def reset(self, key: jax.Array) -> tuple[State, TimeStep]:
        """Deal the games of a key, up to the learner's first decisions."""
        seed = jax.random.bits(key, (2,), jnp.uint32)
        return self._call(self._deal, seed)

    def step(self, state: State, actions: jax.Array) -> tuple[State, TimeStep]:
        """Play an action of the learner in every game, then the other seats up to its next decision."""
        return self._call(self._play, state, actions)

    def _call(self, function: Any, *arrays: Any) -> tuple[State, TimeStep]:  # noqa: ANN401  # a pytree of arrays
        shapes = (self._state, self._timestep)
        result: tuple[State, TimeStep] = jax.pure_callback(function, shapes, *arrays, vmap_method="sequential")
        return result

    def _shapes(self) -> tuple[State, TimeStep]:
        """The shapes and dtypes of what callbacks return."""
        number, actions = self.num_games, self.num_actions

        def rows(dtype: Any, *size: int) -> Any:  # noqa: ANN401  # any dtype; stands for an array
            return jax.ShapeDtypeStruct((number, *size), dtype)

        counts, flags = rows(jnp.int32), rows(jnp.bool_)
        state = State(rows(jnp.uint8, self.game.state.dtype.itemsize), rows(jnp.int8, actions), counts, counts)
        seen, mask = rows(jnp.float32, self.observation_size), rows(jnp.bool_, actions)
        return state, TimeStep(seen, mask, rows(jnp.float32), flags, flags, counts)

    # ---- Callbacks: numpy alone, as JAX in here could wait for itself

    def _deal(self, seed: Array) -> tuple[State, TimeStep]:
        high, low = np.asarray(seed).tolist()
        with self._lock:
            self._learner.deal(high << 32 | low)
            return self._see()

    def _play(self, state: State, actions: Array) -> tuple[State, TimeStep]:
        records, mask, seats, decisions = (np.asarray(each) for each in state)
        games = records.view(self.game.state.dtype)[:, 0]
        with self._lock:
            learner = self._learner
            learner.go_on_from(Course(games, mask, seats, decisions))
            learner.step(learner.checked(np.asarray(actions)))
            return self._see()

    def _see(self) -> tuple[State, TimeStep]:
        learner = self._learner
        records, mask, seats, decisions = learner.course()
        rows = records.view(np.uint8, np.ndarray).reshape(self.num_games, -1)
        ended, truncated = learner.over, learner.truncated
        state = (rows, mask, seats.astype(np.int32), decisions.astype(np.int32))
        seen = (learner.observation, mask.astype(np.bool_), learner.rewards.copy(), ended, truncated, seats.astype(np.int32))
        return State._make(state), TimeStep._make(seen)
