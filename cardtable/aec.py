"""The one PettingZoo adapter, for every game: `raw_env`, and `env` in PettingZoo's order-enforcing wrapper."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from cardtable.errors import OptionError
from cardtable.game import Game, agents_of, checked_seed
from cardtable.layout import Layout
from cardtable.replay import Replay
from cardtable.scoring import Ending
from cardtable.table import Table

RENDER_MODES = ("ansi", "human")


class TableEnv(AECEnv):  # type: ignore[misc]  # PettingZoo ships no types
    """A game as a PettingZoo AEC environment.

    Observations are dicts: `observation` (float32 in [0, 1], seen from the agent) and `action_mask` (int8; all zeros
    for an agent that does not decide now). Rewards come once, at the end, to all agents. An illegal action raises
    `IllegalAction` and changes nothing.
    """

    def __init__(self, game: Game, *, render_mode: str | None = None, **options: Any) -> None:
        super().__init__()
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise OptionError(f"{game.id}: render_mode={render_mode!r}: allowed: None, {', '.join(RENDER_MODES)}")
        self.table = Table(game, game.parse_options(options))
        self.render_mode = render_mode
        self.metadata = {"name": game.id, "render_modes": list(RENDER_MODES), "render_fps": 1, "is_parallelizable": False}
        self.possible_agents = agents_of(self.table.players)
        self._index = 0
        self._seed: int | None = None
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

    # ---- The game

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a game: number 0 of `seed`, or without a seed the next of the run.

        `options={"deal": {"deck": [names, top first]}}` gives the order of decks; other keys are ignored.
        """
        if seed is not None or self._seed is None:
            number, index = checked_seed(seed), 0
        else:
            number, index = self._seed, self._index + 1
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
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.table.seat]
        if self.table.ending != Ending.GOES_ON:
            self._end()
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Play `action` for the agent selected. After the end of the game, agents leave with None."""
        table = self.table
        if table.ending:
            self._was_dead_step(action)
            return
        table.play(table.checked_action(action))
        self.agent_selection = self.possible_agents[table.seat]
        if table.ending:
            self._end()
        if self.render_mode == "human":
            self.render()

    def _end(self) -> None:
        """Pay the returns to all agents and end the game for all of them, in the same step."""
        returns, _ = self.table.result()
        self.rewards = dict(zip(self.agents, returns, strict=True))
        self._accumulate_rewards()
        self.terminations = dict.fromkeys(self.agents, self.table.ending == Ending.TERMINATED)
        self.truncations = dict.fromkeys(self.agents, self.table.ending == Ending.TRUNCATED)
        infos = self.table.game.infos(self.table.record, self.table.options)
        self.infos = dict(zip(self.agents, infos, strict=True))

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees now, in fresh arrays; any agent, at any time."""
        table = self.table
        if agent == self.possible_agents[table.seat]:
            return {"observation": table.observation.copy(), "action_mask": table.mask.copy()}
        seat = self.possible_agents.index(agent)
        return {"observation": table.observe(seat), "action_mask": np.zeros_like(table.mask)}

    def state(self) -> np.ndarray:
        """The full-information vector for centralised critics: all seats' observations, then what no seat sees."""
        return self.table.full_state()

    def render(self) -> str | None:
        """The table as the agent selected sees it: returned ("ansi") or printed ("human")."""
        if self.render_mode is None:
            return None
        text = self.table.text()
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

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

    def state_dict(self) -> dict[str, Any]:
        """The whole state, hidden parts and random stream included, as plain readable data."""
        return self.table.state_dict()

    def load_state_dict(self, plain: dict[str, Any]) -> None:
        """Go on from a state; rewards so far are forgotten."""
        self.table.load_state_dict(plain)
        self._resume()

    def state_bytes(self) -> bytes:
        """The whole state as bytes."""
        return self.table.state_bytes()

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
        copy = TableEnv(table.game, render_mode=self.render_mode, **table.options.to_dict())
        copy.table = table
        copy._resume()
        return copy

    def replay(self) -> Replay:
        """The game so far, from its deal (or the state it was loaded from), ready to save."""
        return Replay.of(self.table)


def env(game: Game, **options: Any) -> AECEnv:
    """`TableEnv` in PettingZoo's order-enforcing wrapper."""
    return wrappers.OrderEnforcingWrapper(TableEnv(game, **options))
