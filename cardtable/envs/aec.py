"""The one PettingZoo adapter, for every game: `raw_env`, and `env` in PettingZoo's order-enforcing wrapper."""

import copy
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.env import AECIterable

from cardtable import pictures
from cardtable.engine.ending import Ending
from cardtable.errors import IllegalAction, OptionError, ResetNeeded, UnknownOption
from cardtable.game.events import Event
from cardtable.game.game import Game, agents_of, checked_seed
from cardtable.game.layout import Layout
from cardtable.game.record import LARGEST_SEED
from cardtable.game.registry import game_of
from cardtable.game.sight import View
from cardtable.replay import Replay
from cardtable.support.messages import shown
from cardtable.support.svg import Theme
from cardtable.support.threads import Door, busy, one_at_a_time
from cardtable.table import Table
from cardtable.types import Array, Observation

PIXELS = "rgb_array"
RENDER_MODES = ("ansi", "human", PIXELS)
CHANGING = frozenset(("agents", "rewards", "_cumulative_rewards", "terminations", "truncations"))
"""The lists and dicts of an environment that PettingZoo or a step writes into, besides `infos`, a dict of dicts."""


class TableEnv(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game as a PettingZoo AEC environment.

    Observations are dicts: `observation` (float32 in [0, 1], seen from the agent) and `action_mask` (int8; all zeros
    for an agent that does not decide now). Rewards come once, at the end, to all agents. An illegal action raises
    `IllegalAction` and changes nothing. `infos` hold the same integers at every step, zeros until the game is over;
    `summary` describes the result in words.

    One thread at a time: a call while another thread is in one raises `Busy`. Copies, shallow or deep, and pickles are
    environments of their own with the same game.
    """

    def __init__(self, game: Game | str, *, render_mode: str | None = None, **options: object) -> None:
        super().__init__()
        game = game_of(game)
        self.render_mode = render_mode
        self._renderer = Renderer(game, render_mode)
        self.table = Table(game, game.parse_options(options))
        self.metadata = {"name": game.id, "render_modes": list(RENDER_MODES), "render_fps": 1, "is_parallelizable": False}
        self.possible_agents = agents_of(self.table.players)
        self._index = 0
        self._seed: int | None = None
        self.door = Door()
        self._make_spaces(game)

    def _make_spaces(self, game: Game) -> None:
        vector = spaces.Box(0.0, 1.0, (game.layout.size,), np.float32)
        mask = spaces.Box(0, 1, (game.actions.size,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": vector, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(game.actions.size) for agent in self.possible_agents}
        size = self.table.players * game.layout.size + game.hidden.size
        self.state_space = spaces.Box(0.0, 1.0, (size,), np.float32)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The same object on every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The same object on every call."""
        return self.action_spaces[agent]

    @one_at_a_time
    def __getstate__(self) -> dict[str, Any]:
        """The whole environment at one moment, with copies of everything that changes."""
        changing = {name: value.copy() for name, value in vars(self).items() if isinstance(value, dict | list)}
        return {**vars(self), **changing, "table": copy.copy(self.table)}

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    @one_at_a_time
    def clone(self) -> Self:
        """An independent environment with the same game, made in a few microseconds, for searches. Spaces are shared."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(vars(self))
        copied.table, copied.door = self.table.clone(), Door()
        for name in CHANGING & vars(self).keys():
            setattr(copied, name, getattr(self, name).copy())
        if self.table.dealt:
            copied.infos = {agent: info.copy() for agent, info in self.infos.items()}
        return copied

    # ---- The game

    @one_at_a_time
    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game: number 0 of `seed`, or without a seed the next of the run.

        `options={"deal": {"deck": [names, top first]}}` gives the order of decks; other keys are ignored.
        """
        if seed is not None or self._seed is None:
            number, index = checked_seed(seed), 0
        else:
            number, index = self._seed, (self._index + 1) % (LARGEST_SEED + 1)  # as in a batch, after the last comes the first
        if options is not None and not isinstance(options, Mapping):
            raise OptionError(f"{self.table.game.id}: reset(options={shown(options)}): allowed: a dict, or None")
        self.table.deal(number, index, (options or {}).get("deal"))
        self._seed, self._index = number, index
        self._sit_down()

    def _sit_down(self) -> None:
        """All agents at the table, as its game stands."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: dict.fromkeys(self.table.game.infos, 0) for agent in self.agents}
        self.agent_selection = self.possible_agents[self.table.seat]
        if self.table.ending != Ending.ONGOING:
            self._end()
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Play `action` for the agent selected. After the end of the game, agents leave with None."""
        door, table = self.door, self.table
        if door.busy:
            raise busy(self)
        door.busy = True  # as `one_at_a_time`, at a third of the cost
        try:
            if table.ending:
                self._leave(action)
                return
            table.play(action)  # type: ignore[arg-type]  # None is refused there
            self.agent_selection = self.possible_agents[table.seat]
            if table.ending:
                self._end()
            if self.render_mode == "human":
                self.render()
        finally:
            door.busy = False

    def _leave(self, action: int | None) -> None:
        """The agent selected leaves a game that is over."""
        if not self.agents:
            raise ResetNeeded(f"{self.table.game.id}: the game is over and all agents have left: call reset() first")
        if action is not None:
            raise IllegalAction(f"{self.table.game.id}: action {shown(action)}: the game is over; allowed: None")
        self._was_dead_step(action)

    def _end(self) -> None:
        """Pay the returns to all agents and end the game for all of them, in the same step."""
        returns, _ = self.table.result()
        self.rewards = dict(zip(self.agents, returns, strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, self.table.ending == Ending.TERMINATED)
        self.truncations = dict.fromkeys(self.agents, self.table.ending == Ending.TRUNCATED)
        game = self.table.game
        summaries = game.summary(self.table.record, self.table.options)
        self.infos = {
            agent: {name: summary[name] for name in game.infos} for agent, summary in zip(self.agents, summaries, strict=True)
        }

    def last(self, observe: bool = True) -> tuple[dict[str, Array] | None, float, bool, bool, dict[str, int]]:
        """What the agent selected sees, its reward since it last acted, whether its game is over or cut off, its info."""
        if not self.table.dealt:
            self.table.require_dealt()
        agent = self.agent_selection
        seen = self.observe(agent) if observe else None
        return seen, self._cumulative_rewards[agent], self.terminations[agent], self.truncations[agent], self.infos[agent]

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable:
        """The agents in the order in which they act, for as long as the game lasts."""
        self.table.require_dealt()
        return super().agent_iter(max_iter)

    def observe(self, agent: str) -> dict[str, Array]:
        """What an agent sees now, in fresh arrays; any agent, at any time."""
        table = self.table
        if agent != self.possible_agents[table.seat] or not table.dealt:
            return {"observation": table.observe(self._seat_of(agent)), "action_mask": np.zeros_like(table.mask)}
        door = table.door
        if door.busy:
            raise busy(self)
        door.busy = True  # as `one_at_a_time`, at a third of the cost
        try:
            return {"observation": table.observation.copy(), "action_mask": table.mask.copy()}
        finally:
            door.busy = False

    def _seat_of(self, agent: object) -> int:
        if agent not in self.possible_agents:
            raise OptionError(f"{self.table.game.id}: agent={shown(agent)}: allowed: {', '.join(self.possible_agents)}")
        return self.possible_agents.index(agent)

    def state(self) -> Observation:
        """The full-information vector for centralised critics: all seats' observations, then what no seat sees."""
        return self.table.full_state()

    def render(self) -> str | Array | None:
        """The table as the agent selected sees it, returned ("ansi") or printed ("human"); or as spectators see it, all open,
        as pixels ("rgb_array")."""
        self.table.require_dealt()
        if self.render_mode is None:
            return None
        return self._renderer.render(self.table, self.table.seat, 0 if self.table.players == 1 else None)

    def close(self) -> None:
        """Nothing is held open."""

    # ---- For researchers

    @property
    def observation_layout(self) -> Layout:
        """Name, place, shape and meaning of every part of an observation."""
        return self.table.game.layout

    def action_name(self, action: int) -> str:
        """The notation of an action id."""
        return self.table.game.actions.name_of(action)

    def action_id(self, name: str) -> int:
        """The id of an action in notation."""
        return self.table.game.actions.id_of(name)

    def legal_actions(self) -> list[str]:
        """The names of the legal actions of the agent selected."""
        return self.table.legal_actions()

    def summary(self, agent: str) -> dict[str, Any]:
        """How the game went for an agent: the numbers of its `infos`, names and clauses; empty until the game is over."""
        return self.table.summary(self._seat_of(agent))

    def view(self, agent: str | None) -> View:
        """What an agent sees now, as plain readable data: "?" for what it cannot know. None is a spectator, who sees all."""
        return self.table.view(None if agent is None else self._seat_of(agent))

    def events(self, agent: str | None, since: int = 0) -> list[Event]:
        """What an agent saw happen, from event number `since` on, the deal first. None is a spectator, who sees all."""
        return self.table.events(None if agent is None else self._seat_of(agent), since)

    def picture(self, agent: str | None, *, theme: Theme = "auto") -> str:
        """The table as an agent sees it, as SVG. None is a spectator, who sees all."""
        return self.table.picture(None if agent is None else self._seat_of(agent), theme=theme)

    def _repr_svg_(self) -> str | None:
        """What a notebook shows: the table as the agent selected sees it."""
        return self.table._repr_svg_()

    def state_dict(self) -> dict[str, Any]:
        """The whole state, hidden parts and random stream included, as plain readable data."""
        return self.table.state_dict()

    @one_at_a_time
    def load_state_dict(self, plain: dict[str, Any]) -> None:
        """Go on from a state; rewards so far are forgotten."""
        self.table.load_state_dict(plain)
        self._resume()

    def state_bytes(self) -> bytes:
        """The whole state as bytes."""
        return self.table.state_bytes()

    @one_at_a_time
    def load_state_bytes(self, data: bytes) -> None:
        """Go on from a state; rewards so far are forgotten."""
        self.table.load_state_bytes(data)
        self._resume()

    def _resume(self) -> None:
        self._seed, self._index = int(self.table.record["seed"]), int(self.table.record["index"])
        self._sit_down()

    def state_hash(self) -> str:
        """A short stable hash of the whole state."""
        return self.table.state_hash()

    def redeal(self, seat: int, seed: int | None = None) -> "TableEnv":
        """A copy in which everything that the seat cannot know is drawn anew, consistent with what it has seen."""
        table = self.table.redeal(seat, seed)
        world = TableEnv(table.game, render_mode=self.render_mode, **table.options.to_dict())
        world.table = table
        world._resume()
        return world

    @one_at_a_time
    def replay(self) -> Replay:
        """The game so far, from its deal (or the state it was loaded from), ready to save."""
        self.table.require_dealt()
        return Replay.of(self.table)


class Renderer:
    """Renders tables of a game in one mode. All its frames have the shape of the first, so that they make a film."""

    def __init__(self, game: Game, mode: str | None) -> None:
        """`UnknownOption` for a render mode that there is not, or not here: libraries try some out."""
        reason = None
        if mode is not None and mode not in RENDER_MODES:
            reason = f"allowed: None, {', '.join(RENDER_MODES)}"
        elif mode == PIXELS:
            reason = "this game draws no pictures" if game.picture is None else pictures.why_not()
        if reason:
            words = f"render_mode={shown(mode)}: {reason} (unexpected keyword argument 'render_mode')"
            raise UnknownOption(f"{game.id}: {words}")
        self.mode = mode
        self._shape: pictures.Shape | None = None

    def render(self, table: Table, seat: int, viewer: int | None) -> str | Array | None:
        """The table: as text, as a seat sees it, returned ("ansi") or printed ("human"); as pixels, as a viewer sees it."""
        if self.mode == PIXELS:
            return self._frame(table.picture(viewer, theme="light"))
        text = table.text(seat)
        if self.mode == "ansi":
            return text
        print(text)
        return None

    def _frame(self, picture: str) -> Array:
        if self._shape is None:
            self._shape = pictures.frame_shape(picture)
        return pictures.frame(picture, self._shape)


class OwnGame:
    """What our wrappers have in common: copies share no game, and they are called as what they wrap."""

    env: Any

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    def clone(self) -> Self:
        """An independent environment with the same game, made in a few microseconds, for searches. Spaces are shared."""
        copied = type(self).__new__(type(self))
        copied.__dict__.update(vars(self))
        copied.env = self.env.clone()
        return copied

    def __str__(self) -> str:
        return str(self.env)


class OrderEnforcingEnv(OwnGame, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]  # PettingZoo ships no types
    """PettingZoo's wrapper, for which a reset that fails is none, loading a state is one, and whose copies share no game."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game: number 0 of `seed`, or without a seed the next of the run."""
        self.env.reset(seed=seed, options=options)
        self._has_reset = self._has_updated = True

    def load_state_dict(self, plain: dict[str, Any]) -> None:
        """Go on from a state; rewards so far are forgotten."""
        self.env.load_state_dict(plain)
        self._has_reset = self._has_updated = True

    def load_state_bytes(self, data: bytes) -> None:
        """Go on from a state; rewards so far are forgotten."""
        self.env.load_state_bytes(data)
        self._has_reset = self._has_updated = True

    def _repr_svg_(self) -> str | None:
        """What a notebook shows: the table as the agent selected sees it."""
        shown_picture: str | None = self.env.unwrapped._repr_svg_()
        return shown_picture
