"""`BatchEnv`: many games side by side as one batched environment of TorchRL."""

from typing import Any, Self

import numpy as np

from cardtable.engine import random_play
from cardtable.envs import not_installed
from cardtable.envs.batch import checked_number
from cardtable.envs.learner import GivenOpponents, Learner
from cardtable.errors import IllegalAction
from cardtable.game.game import ACTION, Game, checked_seed
from cardtable.game.registry import game_of
from cardtable.support.messages import shown
from cardtable.support.threads import Door, one_at_a_time
from cardtable.types import Array, Counts, Flags

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
    from torchrl.envs import EnvBase
except ModuleNotFoundError as error:
    raise not_installed("torchrl", error) from None

OBSERVATION, MASK, ACTIONS, REWARD = "observation", "action_mask", "action", "reward"
DONE, TERMINATED, TRUNCATED = "done", "terminated", "truncated"
RESET, STEP = "_reset", "_step"
"""The entries of TorchRL's tensordicts; the last two say which games to deal anew, and which to play."""


class LegalActions(Categorical):  # type: ignore[misc]  # TorchRL's types are not read
    """An action for each game, of which `rand()` draws legal ones.

    Clones have the same mask, which the environment writes in place: a random policy that a collector makes from a clone
    draws legal actions, too.
    """

    def clone(self) -> Self:
        """A spec with the same mask, not a copy of it."""
        return type(self)(n=self.space.n, shape=self.shape, device=self.device, dtype=self.dtype, mask=self.mask)

    def to(self, dest: torch.dtype | torch.device | str | int | None) -> Categorical:
        """The spec in another place or of another dtype, with its mask."""
        moved: Categorical = super().to(dest)
        if moved is not self:
            moved.update_mask(self.mask)
        return moved

    def rand(self, shape: torch.Size | None = None) -> torch.Tensor:
        """Random actions, uniformly among the legal ones, by the random numbers of PyTorch."""
        if shape or self.mask is None or self.mask.ndim != 2:
            drawn: torch.Tensor = super().rand(shape)
            return drawn
        actions = np.zeros(len(self.mask), ACTION)
        chances = torch.rand(len(self.mask), dtype=torch.float64).numpy()
        random_play.choose_many(self.mask.cpu().numpy().view(np.int8), chances, actions)
        return torch.as_tensor(actions, dtype=self.dtype, device=self.device)


class BatchEnv(EnvBase):  # type: ignore[misc]  # likewise
    """`num_games` games, in each of which one seat learns and opponents play the others.

    A step goes from one decision of the learner to its next. Tensordicts hold `observation` (float32 in [0, 1]),
    `action_mask` (bool), `action` (an id for each game), `reward` (0 until the game ends, then the return of the learner's
    seat), `terminated` and `truncated`. A game that is cut off is both: its return is paid, so nothing is left that TorchRL
    should estimate on top of it. A game that is over stays as it ended until it is reset; its mask is all True, so that
    samplers do not fail. `reset` deals the next games, or after `set_seed` the first ones of the seed.

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
        device: torch.device | str | None = None,
        **options: object,
    ) -> None:
        """Opponents are agents or their names, one of which is drawn for each game and seat; none play at random.

        `seat` is where the learner always sits; None moves it on with every game. All others are options of the game.
        """
        game = game_of(game)
        number = checked_number(game, num_games)
        checked = game.parse_options(options)
        learner = Learner(game, checked, number, opponents, seed, seat=seat, illegal=illegal, rests=True)
        super().__init__(device=device, batch_size=[number])
        self._learner = learner
        self._next_seed: int | None = None
        self.door = Door()
        self._make_specs(game, number)

    def _make_specs(self, game: Game, number: int) -> None:
        size, device = game.actions.size, self.device
        vectors = Bounded(0.0, 1.0, (number, game.layout.size), dtype=torch.float32, device=device)
        masks = Binary(size, (number, size), dtype=torch.bool, device=device)
        self.observation_spec = Composite({OBSERVATION: vectors, MASK: masks}, shape=(number,), device=device)
        legal = torch.ones((number, size), dtype=torch.bool, device=device)
        self.action_spec = LegalActions(size, (number,), dtype=torch.int64, device=device, mask=legal)
        self.reward_spec = Unbounded((number, 1), dtype=torch.float32, device=device)
        flags = {name: Categorical(2, (number, 1), dtype=torch.bool, device=device) for name in (DONE, TERMINATED, TRUNCATED)}
        self.done_spec = Composite(flags, shape=(number,), device=device)

    # ---- What TorchRL calls

    @one_at_a_time
    def _reset(self, /, tensordict: TensorDictBase | None = None, **_: object) -> TensorDict:
        """Deal all games, or those that the tensordict names."""
        learner, which = self._learner, _named(tensordict, RESET)
        if which is None and (self._next_seed is not None or not learner.ready):
            learner.deal(self._next_seed)
            self._next_seed = None
        else:
            learner.deal_next(which)
        return self._see(self._flags(False, False))

    @one_at_a_time
    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        """Play an action of the learner in each game, or in those that the tensordict names, and the other seats."""
        learner, which = self._learner, _named(tensordict, STEP)
        actions = self._given(tensordict)
        learner.lanes  # noqa: B018  # before a reset, there are none
        learner.require_playing(np.arange(learner.number) if which is None else which)
        learner.step(learner.checked(actions, which), which)
        rewards = torch.from_numpy(learner.rewards.copy()).unsqueeze(-1)
        return self._see({REWARD: rewards, **self._flags(learner.over, learner.truncated)})

    def _set_seed(self, seed: int | None) -> None:
        """The next reset of all games deals the first ones of this seed."""
        self._next_seed = None if seed is None else checked_seed(seed)

    def close(self, *, raise_if_closed: bool = True) -> None:
        """Let go of what opponents hold."""
        super().close(raise_if_closed=raise_if_closed)
        self._learner.close()

    def _given(self, tensordict: TensorDictBase) -> Array:
        actions = tensordict.get(ACTIONS, None)
        if actions is None:
            raise IllegalAction(f"{self._learner.game.id}: no {ACTIONS!r} in {shown(list(tensordict.keys()))}")
        return np.asarray(actions.numpy(force=True))

    def _see(self, told: dict[str, Any]) -> TensorDict:
        """What the learner sees, and what it is told besides; the mask of the action spec is that of these positions."""
        learner = self._learner
        mask = torch.from_numpy(learner.mask.view(np.bool_))
        self.full_action_spec[ACTIONS].mask.copy_(mask)
        seen = {OBSERVATION: torch.from_numpy(learner.observation), MASK: mask, **told}
        return TensorDict(seen, batch_size=self.batch_size, device=self.device)

    def _flags(self, over: Flags | bool, truncated: Flags | bool) -> dict[str, torch.Tensor]:
        rows = np.zeros((3, self._learner.number, 1), np.bool_)
        rows[0, :, 0], rows[1, :, 0], rows[2, :, 0] = over, over, truncated
        return dict(zip((DONE, TERMINATED, TRUNCATED), torch.from_numpy(rows), strict=True))


def _named(tensordict: TensorDictBase | None, entry: str) -> Counts | None:
    """The numbers of the games that an entry of a tensordict names; None if it names none apart, that is all."""
    flags = None if tensordict is None else tensordict.get(entry, None)
    if flags is None or bool(flags.all()):
        return None
    return np.flatnonzero(flags.reshape(-1).numpy(force=True))
