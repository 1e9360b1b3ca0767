"""Gymnasium: a game for one player (`SoloEnv`), one seat against opponents (`LearnerEnv`), many of these (`LearnerVectorEnv`).

`gymnasium.make("cardtable/Muster-v0", opponents="heuristic")` and `gymnasium.make_vec("cardtable/Muster-v0", 256)` lead here.
"""

import copy
from collections.abc import Mapping
from typing import Any, Protocol, Self

import numpy as np
from gymnasium import Env, spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from cardtable.engine import random_play
from cardtable.envs.aec import RENDER_MODES, Renderer, TableEnv
from cardtable.envs.batch import checked_number
from cardtable.envs.learner import GivenOpponents, Learner
from cardtable.envs.wrappers import checked_mask_place
from cardtable.errors import OptionError, ResetNeeded, UnknownOption
from cardtable.game.game import ACTION, Game
from cardtable.game.registry import game_of
from cardtable.support.messages import shown
from cardtable.support.threads import Door, one_at_a_time
from cardtable.table import Table
from cardtable.types import Array, Flags, Floats, Mask, Observation

ONE = 1
"""Players of a solo game."""
NOT_DONE = {
    "deal": "decks can be given to the PettingZoo environment, not here",
    "reset_mask": "lanes are dealt their next games by step(), and reset() deals all of them",
}
"""Options of a reset that are refused where one seat learns."""

Seen = Observation | dict[str, Array]
"""An observation: a vector, or a dict of the vector and the mask."""


class HasMask(Protocol):
    """What says which actions are legal now."""

    def mask(self) -> Mask:
        """int8 (A,), or (n, A) for many games."""


class LegalActions(spaces.Discrete):
    """All actions of a game, of which `sample()` draws one that is legal now; a mask given to it is used instead."""

    def __init__(self, size: int, env: HasMask) -> None:
        super().__init__(size)
        self._env = env  # a copy of both, made together, draws from its own

    def sample(self, mask: Mask | None = None, probability: Array | None = None) -> np.int64:
        """A random action, uniformly among the legal ones."""
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        legal = np.flatnonzero(self._env.mask())
        return super().sample() if legal.size == 0 else np.int64(legal[int(self.np_random.random() * legal.size)])


class LegalBatch(spaces.MultiDiscrete):
    """An action for each of many games, of which `sample()` draws legal ones; a mask given to it is used instead."""

    def __init__(self, number: int, size: int, env: HasMask) -> None:
        super().__init__(np.full(number, size))
        self._env = env

    def sample(self, mask: Any = None, probability: Any = None) -> Any:  # noqa: ANN401  # as Gymnasium declares it
        """A random action for each game, uniformly among the legal ones."""
        if mask is not None or probability is not None:
            return super().sample(mask, probability)
        mask, actions = self._env.mask(), np.zeros(len(self.nvec), ACTION)
        random_play.choose_many(mask, self.np_random.random(len(mask)), actions)
        return actions.astype(self.dtype)


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
        self.action_space = LegalActions(game.actions.size, self)
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

    def mask(self) -> Mask:
        """int8 (A,): 1 where an action is legal now; all 0 before the first deal."""
        return self.aec.table.mask

    def action_masks(self) -> Flags:
        """True where an action is legal now."""
        self.aec.table.require_dealt()
        return self.aec.table.mask.astype(np.bool_)

    def render(self) -> str | Array | None:
        """The table: returned as text ("ansi") or as pixels ("rgb_array"), or printed ("human")."""
        return self.aec.render()

    def _repr_svg_(self) -> str | None:
        """What a notebook shows: the table as the player sees it."""
        return self.aec._repr_svg_()


class LearnerEnv(Env[Seen, Any]):
    """One seat of a game learns, opponents play the others: a step goes from one of its decisions to its next.

    The reward comes at the end of the game, whoever makes the last move. Without a seed, `reset` deals the next game, and the
    learner moves on one seat; `seat` keeps it where it is. An illegal action raises `IllegalAction` and changes nothing, or
    loses the game with `illegal="lose"`. `info` holds the `seat`, and at the end `returns` and `scores` of all seats.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012  # as Gymnasium declares it

    def __init__(
        self,
        game: Game | str,
        *,
        opponents: GivenOpponents = None,
        seat: int | None = None,
        mask: str = "info",
        illegal: str = "raise",
        render_mode: str | None = None,
        **options: object,
    ) -> None:
        """Opponents are agents or their names, one of which is drawn for each game and seat; none play at random."""
        game = game_of(game)
        self.render_mode = render_mode
        self._renderer = Renderer(game, render_mode)
        self._mask_place = checked_mask_place(game, mask)
        checked = game.parse_options(options)
        self._learner = Learner(game, checked, 1, opponents, None, seat=seat, illegal=illegal, rests=True)
        self._table: Table | None = None
        self.observation_space = _observations(game, self._mask_place)
        self.action_space = LegalActions(game.actions.size, self)
        self.door = Door()

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    @one_at_a_time
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Seen, dict[str, Any]]:
        """Deal a game, up to the learner's first decision: number 0 of a seed, or without one the next."""
        _refuse_what_is_not_done(self._learner.game, options)
        super().reset(seed=seed)
        self._learner.deal_first_or_next(seed)
        self._show()
        return self._see()

    @one_at_a_time
    def step(self, action: Any) -> tuple[Seen, float, bool, bool, dict[str, Any]]:  # noqa: ANN401  # any integer
        """Play an action of the learner, then the other seats up to its next decision or the end."""
        learner = self._learner
        if learner.lanes and learner.resting[0]:
            raise ResetNeeded(f"{learner.game.id}: the game is over: call reset() first")
        learner.step(learner.checked(np.array([action])))
        seen, info = self._see()
        self._show()
        return seen, float(learner.rewards[0]), bool(learner.terminated[0]), bool(learner.truncated[0]), info

    def _see(self) -> tuple[Seen, dict[str, Any]]:
        learner, ended = self._learner, self._learner.ended.get(0)
        seen, info = _placed(self._mask_place, learner.observation[0], learner.mask[0])
        info["seat"] = int(learner.seats[0])
        if ended is not None:
            returns, scores = np.array(ended.returns, np.float32), np.array(ended.scores, np.float32)
            info |= {"returns": returns, "scores": scores, "decisions": ended.decisions, "illegal": ended.illegal}
        return seen, info

    def mask(self) -> Mask:
        """int8 (A,): 1 where the learner may take the action; all 0 before the first deal."""
        return self._learner.mask[0] if self._learner.ready else np.zeros(self._learner.game.actions.size, np.int8)

    def action_masks(self) -> Flags:
        """True where the learner may take the action, as sb3-contrib asks for it."""
        mask: Flags = self._learner.mask[0].astype(np.bool_)
        return mask

    def render(self) -> Any:  # noqa: ANN401  # text, or pixels
        """The table as the learner sees it: returned ("ansi", "rgb_array") or printed ("human")."""
        if self.render_mode is None:
            return None
        table, seat = self._shown_table(), int(self._learner.seats[0])
        return self._renderer.render(table, seat, seat)

    def _repr_svg_(self) -> str | None:
        """What a notebook shows: the table as the learner sees it."""
        learner = self._learner
        if not learner.ready or learner.game.picture is None:
            return None
        return self._shown_table().picture(int(learner.seats[0]))

    def _shown_table(self) -> Table:
        """The game as a table, which can be drawn."""
        lanes = self._learner.lanes
        if self._table is None:
            self._table = Table(lanes.game, lanes.options)
        self._table.load_state_bytes(lanes.game.pack(lanes.records))
        return self._table

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close(self) -> None:
        """Let go of what opponents hold."""
        self._learner.close()


class LearnerVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games side by side, in each of which one seat learns and opponents play the others.

    `info["action_mask"]` has a row for each game (or observations are dicts: `mask="observation"`). When a game ends: with
    `autoreset_mode` NEXT_STEP (the default) the lane shows its end, the next step deals its next game, and the action given
    for it is ignored; with SAME_STEP the lane shows the next game at once, and the end is in `info["final_obs"]` and
    `info["final_info"]`. One seed is for all games: lane i plays games i, i + n, i + 2n, … of it.
    """

    def __init__(
        self,
        game: Game | str,
        num_envs: int = 1,
        *,
        opponents: GivenOpponents = None,
        seat: int | None = None,
        mask: str = "info",
        illegal: str = "raise",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: None = None,
        **options: object,
    ) -> None:
        """Opponents are agents or their names, one of which is drawn for each game and seat; none play at random.

        `render_mode` is there for who gives it to all environments: many games are not drawn.
        """
        game = game_of(game)
        if render_mode is not None:
            words = f"render_mode={shown(render_mode)}: allowed: None (unexpected keyword argument 'render_mode')"
            raise UnknownOption(f"{game.id}: {words}")
        self.num_envs = checked_number(game, num_envs, "num_envs")
        self._mask_place = checked_mask_place(game, mask)
        self._mode = _checked_mode(game, autoreset_mode)
        self.metadata = {"render_modes": [], "autoreset_mode": self._mode}
        rests = self._mode == AutoresetMode.NEXT_STEP
        checked = game.parse_options(options)
        self._learner = Learner(game, checked, self.num_envs, opponents, None, seat=seat, illegal=illegal, rests=rests)
        self.single_observation_space = _observations(game, self._mask_place)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.single_action_space = spaces.Discrete(game.actions.size)
        self.action_space = LegalBatch(self.num_envs, game.actions.size, self)
        self.door = Door()

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    @one_at_a_time
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal the first games of a seed; without one, the next games."""
        _refuse_what_is_not_done(self._learner.game, options)
        super().reset(seed=seed)
        self._learner.deal_first_or_next(seed)
        return self._see()

    @one_at_a_time
    def step(self, actions: Any) -> tuple[Any, Floats, Flags, Flags, dict[str, Any]]:  # noqa: ANN401  # an array of integers
        """Play an action of the learner in every game, then the other seats up to its next decision."""
        learner = self._learner
        learner.step(learner.checked(actions))
        seen, info = self._see()
        if learner.ended:
            info |= self._ends()
        return seen, learner.rewards.copy(), learner.terminated, learner.truncated, info

    def _see(self) -> tuple[Any, dict[str, Any]]:
        learner, everywhere = self._learner, np.ones(self.num_envs, np.bool_)
        seen, info = _placed(self._mask_place, learner.observation, learner.mask)
        info["seat"] = learner.seats.copy()
        return seen, info | {f"_{name}": everywhere for name in info}

    def _ends(self) -> dict[str, Any]:
        """How games ended, in Gymnasium's form: arrays with a row for each lane, and where they hold something."""
        learner, players = self._learner, self._learner.options.num_players
        where = np.zeros(self.num_envs, np.bool_)
        told: dict[str, Any] = {
            "returns": np.zeros((self.num_envs, players), np.float32),
            "scores": np.zeros((self.num_envs, players), np.float32),
            "decisions": np.zeros(self.num_envs, np.int64),
            "illegal": np.zeros(self.num_envs, np.bool_),
        }
        for lane, ended in learner.ended.items():
            where[lane] = True
            for name, rows in told.items():
                rows[lane] = getattr(ended, name)
        told |= {f"_{name}": where for name in told}
        if self._mode == AutoresetMode.NEXT_STEP:
            return told
        final = np.full(self.num_envs, None, object)
        for lane, ended in learner.ended.items():
            nothing = np.zeros(learner.game.actions.size, np.int8)
            final[lane] = _placed(self._mask_place, ended.observation, nothing)[0]
        told["seat"] = np.array([learner.ended[lane].seat if where[lane] else 0 for lane in range(self.num_envs)])
        told["_seat"] = where
        return {"final_obs": final, "_final_obs": where, "final_info": told, "_final_info": where}

    def mask(self) -> Mask:
        """int8 (n, A): 1 where the learner may take the action; where a game is over, all 1: the next action is ignored."""
        return self._learner.mask

    def action_masks(self) -> Flags:
        """bool (n, A): True where the learner may take the action."""
        return self._learner.mask.astype(np.bool_)

    def close_extras(self, **_: Any) -> None:  # noqa: ANN401  # as Gymnasium declares it
        """Let go of what opponents hold. One that could not be made is closed, too, and has none."""
        if hasattr(self, "_learner"):
            self._learner.close()


# ---- What is given


def _observations(game: Game, place: str) -> spaces.Space[Any]:
    vector = spaces.Box(0.0, 1.0, (game.layout.size,), np.float32)
    if place == "info":
        return vector
    return spaces.Dict({"observation": vector, "action_mask": spaces.Box(0, 1, (game.actions.size,), np.int8)})


def _placed(place: str, observation: Observation, mask: Mask) -> tuple[Any, dict[str, Any]]:
    """(what is observed, the beginning of the info), with the mask where it is asked for."""
    if place == "info":
        return observation, {"action_mask": mask}
    return {"observation": observation, "action_mask": mask}, {}


def _refuse_what_is_not_done(game: Game, options: Mapping[str, Any] | None) -> None:
    """`OptionError` for options of a reset that others take and that would be ignored here; unknown ones are, everywhere."""
    if options is not None and not isinstance(options, Mapping):
        raise OptionError(f"{game.id}: reset(options={shown(options)}): allowed: a dict, or None")
    for name, reason in NOT_DONE.items():
        if name in (options or {}):
            raise OptionError(f"{game.id}: reset(options={{{name!r}: …}}): {reason}")


def _checked_mode(game: Game, given: object) -> AutoresetMode:
    allowed = (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP)
    for mode in allowed:
        if given in (mode, mode.value, mode.name):
            return mode
    raise OptionError(f"{game.id}: autoreset_mode={shown(given)}: allowed: {', '.join(mode.name for mode in allowed)}")
