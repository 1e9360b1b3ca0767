"""Other forms of the PettingZoo environment: masks in `infos`, illegal actions that lose, all agents in one step."""

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils import BaseWrapper
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from cardtable.envs.aec import OrderEnforcingEnv, OwnGame, TableEnv
from cardtable.errors import IllegalAction, OptionError, ResetNeeded
from cardtable.game.game import Game
from cardtable.game.legality import Illegal, action_id, checked_illegal, forfeit_returns
from cardtable.game.registry import game_of
from cardtable.support.messages import shown
from cardtable.types import Mask

MaskPlace = Literal["observation", "info"]
"""Where masks are: in observations that are dicts of `observation` and `action_mask`, or in infos, as their `action_mask`."""


def checked_mask_place(game: Game, given: object) -> str:
    """Where masks are to be, if it is one of the two places; `OptionError` otherwise."""
    if given not in get_args(MaskPlace):
        raise OptionError(f"{game.id}: mask={shown(given)}: allowed: {', '.join(get_args(MaskPlace))}")
    return str(given)


class IllegalLoses(OwnGame, BaseWrapper):  # type: ignore[misc]  # PettingZoo ships no types
    """An illegal action ends the game: the agent that chose it loses, the others share the win. `illegal` says who did."""

    def __init__(self, env: TableEnv) -> None:
        super().__init__(env)
        self.illegal: str | None = None

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game, as `TableEnv.reset` does."""
        self.env.reset(seed=seed, options=options)
        self.illegal = None

    def load_state_dict(self, plain: dict[str, Any]) -> None:
        """Go on from a state; rewards so far are forgotten."""
        self.env.load_state_dict(plain)
        self.illegal = None

    def load_state_bytes(self, data: bytes) -> None:
        """Go on from a state; rewards so far are forgotten."""
        self.env.load_state_bytes(data)
        self.illegal = None

    def step(self, action: int | None) -> None:
        """Play `action` for the agent selected, or lose the game by it. After the end of the game, agents leave with None."""
        env: TableEnv = self.env
        if self.illegal is not None:
            self._leave(env, action)
        elif env.table.dealt and not env.table.ending and not env.table.mask[action_id(env.table.game, action)]:
            self._lose(env)
        else:
            env.step(action)

    def _lose(self, env: TableEnv) -> None:
        self.illegal = env.agent_selection
        returns = forfeit_returns(env.table.players, env.table.seat)
        env.rewards = dict(zip(env.agents, returns, strict=True))
        env._accumulate_rewards()
        env.terminations = dict.fromkeys(env.agents, True)

    def _leave(self, env: TableEnv, action: int | None) -> None:
        if not env.agents:
            raise ResetNeeded(f"{env.table.game.id}: the game is over and all agents have left: call reset() first")
        if action is not None:
            raise IllegalAction(f"{env.table.game.id}: action {shown(action)}: the game is over; allowed: None")
        env._was_dead_step(action)

    def observe(self, agent: str) -> dict[str, Any]:
        """What an agent sees now; nobody may act in a game that has been lost."""
        seen: dict[str, Any] = self.env.observe(agent)
        if self.illegal is not None:
            seen["action_mask"] = np.zeros_like(seen["action_mask"])
        return seen


class MaskInInfo(OwnGame, BaseWrapper):  # type: ignore[misc]  # PettingZoo ships no types
    """Observations are vectors, and masks are in `infos[agent]["action_mask"]`: for wrappers that expect a Box.

    Until something is played, an agent's mask is the same object wherever it is told: infos are compared by `==`, which with
    two equal arrays is an error.
    """

    def __init__(self, env: AECEnv) -> None:
        super().__init__(env)
        self._spaces = {agent: env.observation_space(agent)["observation"] for agent in env.possible_agents}
        self._told: dict[str, Mask] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game, as `TableEnv.reset` does."""
        self._told = {}
        self.env.reset(seed=seed, options=options)

    def step(self, action: int | None) -> None:
        """Play `action` for the agent selected."""
        self._told = {}
        self.env.step(action)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object on every call."""
        space: spaces.Space[Any] = self._spaces[agent]
        return space

    def observe(self, agent: str) -> Any:  # noqa: ANN401  # an array
        """What an agent sees now, as a vector."""
        return self.env.observe(agent)["observation"]

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """The infos of all agents, each with its mask; all zeros for an agent that does not decide now."""
        inner: dict[str, dict[str, Any]] = self.env.infos
        return {agent: self._info(agent, info, self.env.observe(agent)["action_mask"]) for agent, info in inner.items()}

    @infos.setter
    def infos(self, given: dict[str, dict[str, Any]]) -> None:
        self.env.infos = given

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What the agent selected sees, its reward since it last acted, whether its game is over or cut off, its info."""
        seen, reward, terminated, truncated, info = self.env.last()
        told = self._info(self.env.agent_selection, info, seen["action_mask"])
        return (seen["observation"] if observe else None), reward, terminated, truncated, told

    def _info(self, agent: str, info: dict[str, Any], mask: Mask) -> dict[str, Any]:
        """An info with a mask, or with an equal one that has been told already."""
        if agent not in self._told or not np.array_equal(self._told[agent], mask):
            self._told = {**self._told, agent: mask}  # clones have the earlier ones
        return {**info, "action_mask": self._told[agent]}


class TurnsInParallel(turn_based_aec_to_parallel_wrapper):  # type: ignore[misc]  # PettingZoo ships no types
    """PettingZoo's parallel form of games with turns, which says whose turn it is from the first deal on, and what is wrong."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], dict[str, Any]]:
        """Deal a game, as `TableEnv.reset` does."""
        observations, infos = super().reset(seed=seed, options=options)
        active = self.aec_env.agent_selection
        return observations, {agent: {**info, "active_agent": active} for agent, info in infos.items()}

    def step(self, actions: Mapping[str, Any]) -> tuple[dict[str, Any], ...]:
        """Play the action of the agent whose turn it is; those of the others are not looked at."""
        if not getattr(self, "agents", None):
            raise ResetNeeded(f"{self}: no game is in progress: call reset() first")
        active = self.aec_env.agent_selection
        if not isinstance(actions, Mapping) or active not in actions:
            raise IllegalAction(f"{self}: actions={shown(actions)}: none is of {active}, whose turn it is")
        told: tuple[dict[str, Any], ...] = super().step(actions)
        return told

    def __str__(self) -> str:
        return str(self.aec_env)


def env(
    game: Game | str,
    *,
    render_mode: str | None = None,
    illegal: Illegal = "raise",
    mask: MaskPlace = "observation",
    **options: object,
) -> AECEnv:
    """The environment in PettingZoo's order-enforcing wrapper.

    An illegal action raises `IllegalAction` and changes nothing, or loses the game with `illegal="lose"`. With `mask="info"`
    observations are vectors and masks are in `infos`.
    """
    game = game_of(game)
    checked_illegal(game, illegal)
    checked_mask_place(game, mask)
    made: AECEnv = TableEnv(game, render_mode=render_mode, **options)
    if illegal == "lose":
        made = IllegalLoses(made)
    if mask == "info":
        made = MaskInInfo(made)
    return OrderEnforcingEnv(made)


def parallel_env(
    game: Game | str,
    *,
    render_mode: str | None = None,
    illegal: Illegal = "raise",
    mask: MaskPlace = "observation",
    **options: object,
) -> ParallelEnv:
    """The environment as PettingZoo's parallel one: of the actions given, that of the agent whose turn it is is played.

    `infos[agent]["active_agent"]` says whose turn it is.
    """
    return TurnsInParallel(env(game, render_mode=render_mode, illegal=illegal, mask=mask, **options))
