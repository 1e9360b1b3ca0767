"""`BatchVectorEnv`: many games side by side as one vector environment of Tianshou."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from cardtable.envs import not_installed
from cardtable.envs.batch import checked_number
from cardtable.envs.gymnasium import LegalActions
from cardtable.envs.learner import GivenOpponents, Learner
from cardtable.errors import IllegalAction, OptionError
from cardtable.game.game import Game, checked_seed
from cardtable.game.registry import game_of
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer
from cardtable.support.threads import Door, one_at_a_time
from cardtable.types import Array, Counts, Flags, Floats, Mask

try:
    from tianshou.data import Batch
    from tianshou.env import BaseVectorEnv
except ModuleNotFoundError as error:
    raise not_installed("tianshou", error) from None

Ids = int | list[int] | Array | None
"""Numbers of lanes, as Tianshou names them: one, some, or None for all."""


class Lane(NamedTuple):
    """One of the games, as an action space looks at it."""

    learner: Learner
    number: int

    def mask(self) -> Mask:
        """int8 (A,): 1 where the learner may take the action; all 0 where the game is over."""
        mask: Mask = self.learner.lanes.frame.action_mask[self.number]
        return mask


class BatchVectorEnv(BaseVectorEnv):  # type: ignore[misc]  # Tianshou's types are not read
    """`num_games` games, in each of which one seat learns and opponents play the others.

    A step goes from one decision of the learner to its next. Observations are batches of `obs` (float32 in [0, 1]) and `mask`
    (bool), where Tianshou's policies look for them. The reward is 0 until the game ends, then the return of the learner's
    seat. A game that is cut off is terminated and truncated: its return is paid, so nothing is left that Tianshou should
    estimate on top of it. A game that is over stays as it ended until it is reset. `reset` deals the next games, or after
    `seed` the first ones of that seed.

    An illegal action raises `IllegalAction` and changes nothing, or loses the game with `illegal="lose"`. One thread at a time:
    a call while another thread is in one raises `Busy`.
    """

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        opponents: GivenOpponents = None,
        seed: int | None = None,
        *,
        seat: int | None = None,
        illegal: str = "raise",
        **options: object,
    ) -> None:
        """Opponents are agents or their names, one of which is drawn for each game and seat; none play at random.

        `seat` is where the learner always sits; None moves it on with every game. All others are options of the game.
        """
        game = game_of(game)
        self.env_num = checked_number(game, num_games)
        checked = game.parse_options(options)
        self._learner = Learner(game, checked, self.env_num, opponents, seed, seat=seat, illegal=illegal, rests=True)
        self._next_seed: int | None = None
        self._told = np.array([{"env_id": lane} for lane in range(self.env_num)])
        self._attributes = self._spaces(game)
        self.is_async, self.is_closed = False, False
        self.waiting_id: list[int] = []
        self.ready_id = list(range(self.env_num))
        self.door = Door()

    def _spaces(self, game: Game) -> dict[str, list[Any]]:
        """What Tianshou asks each game for."""
        size = game.actions.size
        vector = spaces.Box(0.0, 1.0, (game.layout.size,), np.float32)
        seen = spaces.Dict({"obs": vector, "mask": spaces.MultiBinary(size)})
        return {
            "observation_space": [seen] * self.env_num,
            "action_space": [LegalActions(size, Lane(self._learner, lane)) for lane in range(self.env_num)],
            "metadata": [{"render_modes": []}] * self.env_num,
            "spec": [None] * self.env_num,
        }

    # ---- What Tianshou calls

    @one_at_a_time
    def reset(self, /, env_id: Ids = None, *, seed: int | None = None, **_: object) -> tuple[Batch, Array]:
        """Deal all games, or some; of all, the first ones of a seed if one is given."""
        self._assert_is_not_closed()
        learner, which = self._learner, self._which(env_id)
        if seed is not None:
            self._next_seed = checked_seed(seed)
        everywhere = len(which) == self.env_num
        if everywhere and (self._next_seed is not None or not learner.ready):
            learner.deal(self._next_seed)
            self._next_seed = None
        else:
            learner.deal_next(np.sort(which))
        return self._see(which), self._told[which]

    @one_at_a_time
    def step(self, action: Any, id: Ids = None) -> tuple[Batch, Floats, Flags, Flags, Array]:  # noqa: ANN401
        """Play an action of the learner in each of some games, or in all, then the other seats up to its next decision."""
        self._assert_is_not_closed()
        learner, which = self._learner, self._which(id)
        learner.lanes  # noqa: B018  # before a reset, there are none
        learner.require_playing(which)
        played = np.sort(which)
        learner.step(learner.checked(self._placed(action, which), played), played)
        flags = learner.over[which], learner.truncated[which]
        return self._see(which), learner.rewards[which], *flags, self._told[which]

    def seed(self, seed: int | list[int] | None = None) -> list[Any]:
        """The next reset of all games deals the first ones of this seed: one is for all games."""
        if seed is not None and not is_integer(seed):
            raise OptionError(f"{self._learner.game.id}: seed={shown(seed)}: allowed: one integer, for all games, or None")
        self._next_seed = None if seed is None else checked_seed(seed)
        return [seed] * self.env_num

    def get_env_attr(self, key: str, id: Ids = None) -> list[Any]:
        """An attribute of some games; they have those that Gymnasium's environments have."""
        if key not in self._attributes:
            raise AttributeError(f"{self._learner.game.id}: the games have no {key!r}; they have {', '.join(self._attributes)}")
        return [self._attributes[key][lane] for lane in self._which(id)]

    def set_env_attr(self, key: str, value: object, id: Ids = None) -> None:
        """Refused: the games have no attributes of their own."""
        raise AttributeError(f"{self._learner.game.id}: {key!r} cannot be set: the games have no attributes of their own")

    def render(self, **_: object) -> list[Any]:
        """Nothing is drawn."""
        return [None] * self.env_num

    def close(self) -> None:
        """Let go of what opponents hold."""
        self._learner.close()
        self.is_closed = True

    # ---- What is given and seen

    def _which(self, given: Ids) -> Counts:
        """Numbers of lanes as they were given; `OptionError` if they are not."""
        if given is None:
            return np.arange(self.env_num)
        which = np.atleast_1d(np.asarray(given))
        within = which.dtype.kind in "iu" and which.ndim == 1 and len(which) and 0 <= which.min() <= which.max() < self.env_num
        if not within or len(np.unique(which)) < len(which):
            allowed = f"different integers from 0 to {self.env_num - 1}, or None for all"
            raise OptionError(f"{self._learner.game.id}: games {shown(given)}: allowed: {allowed}")
        return which.astype(np.int64)

    def _placed(self, given: npt.ArrayLike, which: Counts) -> Array:
        """The actions of some lanes, each at the place of its lane."""
        actions = np.asarray(given)
        if actions.shape != which.shape or actions.dtype.kind not in "iu":
            raise IllegalAction(
                f"{self._learner.game.id}: actions have shape {actions.shape} and dtype {actions.dtype}; expected integers of "
                f"shape {which.shape}"
            )
        placed = np.zeros(self.env_num, actions.dtype)
        placed[which] = actions
        return placed

    def _see(self, which: Counts) -> Batch:
        return Batch(obs=self._learner.observation[which], mask=self._learner.mask[which].view(np.bool_))
