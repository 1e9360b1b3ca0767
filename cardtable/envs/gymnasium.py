"""A game for one player as a single-agent Gymnasium environment."""

import copy
from typing import Any, Self

import numpy as np
from gymnasium import Env, spaces

from cardtable.envs.aec import RENDER_MODES, TableEnv
from cardtable.errors import OptionError
from cardtable.game.game import Game
from cardtable.game.registry import game_of
from cardtable.support.threads import Door, one_at_a_time
from cardtable.types import Array, Flags, Mask, Observation

ONE = 1
"""Players of a solo game."""


class LegalActions(spaces.Discrete):
    """All actions of a game, of which `sample()` draws one that is legal now; a mask given to it is used instead."""

    def __init__(self, env: TableEnv) -> None:
        super().__init__(env.table.mask.size)
        self._env = env  # a copy of both, made together, draws from its own

    def sample(self, mask: Mask | None = None, probability: Array | None = None) -> np.int64:
        """A random action, uniformly among the legal ones."""
        legal = np.flatnonzero(self._env.table.mask)
        if mask is not None or probability is not None or legal.size == 0:
            return super().sample(mask, probability)
        return np.int64(legal[int(self.np_random.random() * legal.size)])


class SoloEnv(Env[Observation, Any]):
    """The game of one player, over the same table as its PettingZoo environment, which is `aec`.

    Observations are float32 vectors in [0, 1]; `info["action_mask"]` (int8) and `action_masks()` (bool, as sb3-contrib asks
    for it) show the legal actions. The reward comes at the end. An illegal action raises `IllegalAction` and changes nothing.
    Every `info` also holds the numbers of the PettingZoo environment's `infos`; `summary()` describes the result in words.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(self, game: Game | str, *, render_mode: str | None = None, **options: object) -> None:
        game = game_of(game)
        self.aec = TableEnv(game, render_mode=render_mode, **{"num_players": ONE, **options})
        if self.aec.table.players != ONE:
            raise OptionError(f"{game.id}: num_players={self.aec.table.players}: a single-agent environment has one player")
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0.0, 1.0, (game.layout.size,), np.float32)
        self.action_space = LegalActions(self.aec)
        self.door = Door()

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    @one_at_a_time
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Deal a game as `TableEnv.reset` does: number 0 of a seed, or the next of the run, with decks given in `options`."""
        self.aec.reset(seed=seed, options=options)
        super().reset(seed=seed)
        return self._see()

    @one_at_a_time
    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play a legal action."""
        env, agent = self.aec, self.aec.possible_agents[0]
        env.step(env.table.checked_action(action))
        observation, info = self._see()
        return observation, env.rewards[agent], env.terminations[agent], env.truncations[agent], info

    def _see(self) -> tuple[Observation, dict[str, Any]]:
        table, agent = self.aec.table, self.aec.possible_agents[0]
        return table.observation.copy(), {"action_mask": table.mask.copy(), **self.aec.infos[agent]}

    def summary(self) -> dict[str, Any]:
        """How the game went, in numbers and words; empty while it is in progress."""
        return self.aec.summary(self.aec.possible_agents[0])

    def action_masks(self) -> Flags:
        """True where an action is legal now."""
        self.aec.table.require_dealt()
        return self.aec.table.mask.astype(np.bool_)

    def render(self) -> str | Array | None:
        """The table: returned as text ("ansi") or as pixels ("rgb_array"), or printed ("human")."""
        return self.aec.render()
