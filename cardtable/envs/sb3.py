"""`LearnerVecEnv`: a Stable-Baselines3 `VecEnv` in which every lane is the stream of decisions of one learning seat."""

import copy
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import Wrapper, spaces
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from cardtable.engine.jit import as_games
from cardtable.envs.batch import checked_number
from cardtable.errors import IllegalAction, OptionError, ResetNeeded
from cardtable.game.game import Game, checked_index, checked_seed
from cardtable.game.options import Options
from cardtable.game.registry import game_of
from cardtable.lanes import Lanes
from cardtable.players.agent import Agent
from cardtable.players.pool import Opponents, Pool, RandomOpponents
from cardtable.players.roster import make_agent
from cardtable.support.messages import shown
from cardtable.support.threads import Door, one_at_a_time
from cardtable.types import Actions, Counts, Flags, Floats, Observation, Records

LEARNER = "the learner"
"""Who chose an action, in messages."""


GivenOpponents = Opponents | Agent | str | Sequence[Agent | str] | None


class LearnerVecEnv(VecEnv):
    """`num_games` games, in each of which one seat learns and opponents play the others.

    A step goes from one decision of the learner to its next; the other seats are played in batch in between. Whenever a game
    ends, whoever made the last move, the learner gets its return (`done`), and the lane shows its first decision of the next
    game. Lane i plays games i, i + n, i + 2n, … of the seed, counted from `first`; the learner moves on one seat each time.

    `infos` of an ended game hold `terminal_observation`, `episode` (SB3's statistics), `seat`, `returns` and `scores` of all
    seats, and `truncated`. `TimeLimit.truncated` is False even for a game that was cut off: it has been scored and its
    return is paid, so nothing is left that SB3 should estimate on top of it.

    One thread at a time: a call while another thread is in one raises `Busy`. Copies and pickles continue the same games.
    """

    render_mode = None

    def __init__(
        self,
        game: Game | str,
        num_games: int,
        opponents: GivenOpponents = None,
        seed: int | None = None,
        *,
        first: int = 0,
        **options: object,
    ) -> None:
        """Opponents are agents or their names, one of which is drawn for each game and seat; none play at random."""
        self.game = game_of(game)
        num_games = checked_number(self.game, num_games)
        self.options = self.game.parse_options(options)
        self.game_seed = checked_seed(seed)
        self.first = checked_index(first, "first")
        self.opponents = _opponents(self.game, self.options, opponents, self.game_seed)
        self._lanes: Lanes | None = None
        self._rewards = np.zeros(num_games, np.float32)
        self._dones = np.zeros(num_games, np.bool_)
        self.next_game = self.first
        """The number of the first game that no lane has begun yet, nor any after it."""
        self._ready = False
        self._chosen: Actions | None = None
        self.door = Door()
        observations = spaces.Box(0.0, 1.0, (self.game.layout.size,), np.float32)
        super().__init__(num_games, observations, spaces.Discrete(self.game.actions.size))

    # ---- What Stable-Baselines3 calls

    @one_at_a_time
    def reset(self) -> Observation:
        """Start the first games of the seed; the observations of the learner's first decisions."""
        self._ready, self._chosen = False, None
        if self._seeds[0] is not None:
            self.game_seed = checked_seed(self._seeds[0])
        self._reset_seeds()
        self._start = time.perf_counter()
        if self._lanes is None:
            self._lanes = Lanes(self.game, self.options, self.num_envs, self.game_seed, first=self.first)
        else:
            self._lanes.deal(self.game_seed, self.first)
        self._learner = np.arange(self.num_envs) % self.options.num_players
        self.next_game = self.first + self.num_envs
        self._decisions = np.zeros(self.num_envs, np.int64)
        self._clear()
        self._play_opponents(self._lanes)
        self.reset_infos = [{} for _ in range(self.num_envs)]
        self._ready = True
        return self._lanes.frame.observation.copy()

    @one_at_a_time
    def step_async(self, actions: Actions) -> None:
        """Take the learner's actions; one that is not legal raises `IllegalAction`, and no game moves."""
        try:
            self._chosen = self._dealt_lanes().require_legal(np.arange(self.num_envs), actions)
        except IllegalAction as error:
            raise IllegalAction(f"{error} (chosen by {LEARNER})") from None

    @one_at_a_time
    def step_wait(self) -> tuple[Observation, Floats, Flags, list[dict[str, Any]]]:
        """Play them, and the other seats until each lane is at a decision of the learner.

        An error of the opponents leaves the lanes in the midst of a step: `reset` starts them again.
        """
        lanes = self._dealt_lanes()
        chosen, self._chosen = self._chosen, None
        if chosen is None:
            raise IllegalAction(f"{self.game.id}: no actions to play: call step_async(actions) first")
        self._ready = False
        self._clear()
        self._decisions += 1
        self._play(lanes, np.arange(self.num_envs), chosen, LEARNER)
        self._play_opponents(lanes)
        self._ready = True
        return lanes.frame.observation.copy(), self._rewards.copy(), self._dones.copy(), self._infos

    def _dealt_lanes(self) -> Lanes:
        """The games, if they have been dealt."""
        if self._lanes is None or not self._ready:
            raise ResetNeeded(f"{self.game.id}: no games have been dealt, or a step has failed: call reset() first")
        return self._lanes

    @one_at_a_time
    def action_masks(self) -> Flags:
        """bool (n, A): True where the learner may take the action."""
        return self._dealt_lanes().frame.action_mask.astype(np.bool_)

    def close(self) -> None:
        """Nothing is open."""

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute, the same for each of the lanes asked for."""
        return [getattr(self, attr_name)] * len(self._indices(indices))

    def set_attr(self, attr_name: str, value: object, indices: VecEnvIndices = None) -> None:
        """Set an attribute for all lanes."""
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: object, indices: VecEnvIndices = None, **method_kwargs: object
    ) -> list[Any]:
        """What a method returns for all lanes together, as the only entry: MaskablePPO stacks the masks faster so."""
        return [getattr(self, method_name)(*method_args, **method_kwargs)]

    def env_is_wrapped(self, wrapper_class: type[Wrapper[Any, Any, Any, Any]], indices: VecEnvIndices = None) -> list[bool]:
        """No lane is wrapped in anything."""
        return [False] * len(self._indices(indices))

    def _indices(self, indices: VecEnvIndices) -> Sequence[int]:
        return list(self._get_indices(indices))

    # ---- Play

    @property
    def seats(self) -> Counts:
        """The learner's seat in each lane."""
        self._dealt_lanes()
        return self._learner.copy()

    @one_at_a_time
    def records(self) -> Records:
        """A copy of the records of all games, hidden parts included."""
        return np.array(self._dealt_lanes().records)

    def _clear(self) -> None:
        self._rewards[:] = 0
        self._dones[:] = False
        self._infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]

    def _play_opponents(self, lanes: Lanes) -> None:
        """Play the other seats until each lane is at a decision of the learner."""
        frame, who = lanes.frame, type(self.opponents).__name__
        while len(others := np.flatnonzero(frame.seat != self._learner)):
            games = as_games(lanes.records.take(others))  # at a tenth of the time of records[others]
            self._play(lanes, others, self.opponents.act(games, frame.observation[others], frame.action_mask[others]), who)

    def _play(self, lanes: Lanes, played: Counts, actions: npt.ArrayLike, who: str) -> None:
        """Play one action in each of some lanes; a lane whose game ends continues with its next game."""
        try:
            ended = lanes.advance(played, actions)
        except IllegalAction as error:
            raise IllegalAction(f"{error} (chosen by {who})") from None
        for lane in ended.tolist():
            self._tell(lanes, lane)
        if len(ended):
            lanes.restart(ended)
            self._learner[ended] = (self._learner[ended] + 1) % self.options.num_players
            self.next_game = max(self.next_game, int(lanes.records["index"][ended].max()) + 1)

    def _tell(self, lanes: Lanes, lane: int) -> None:
        """Report to the learner how the lane's game ended, unless it made no decision in that game."""
        if not self._decisions[lane]:
            return
        frame, seat, length = lanes.frame, int(self._learner[lane]), int(self._decisions[lane])
        reward = float(frame.rewards[lane, seat])
        self._rewards[lane], self._dones[lane], self._decisions[lane] = reward, True, 0
        self._infos[lane] = {
            "terminal_observation": lanes.observe(lane, seat),
            "TimeLimit.truncated": False,
            "truncated": bool(frame.truncated[lane]),
            "episode": {"r": reward, "l": length, "t": round(time.perf_counter() - self._start, 6)},
            "seat": seat,
            "returns": frame.rewards[lane].tolist(),
            "scores": frame.scores[lane].tolist(),
        }

    # ---- Copies and pickles

    @one_at_a_time
    def __getstate__(self) -> dict[str, Any]:
        """Everything that `__setstate__` does not rebuild; nothing that changes is shared with this environment."""
        return {name: _own(value) for name, value in vars(self).items() if name != "door"}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved)
        self.door = Door()


def _own(value: object) -> object:
    """A copy of an array or of lanes; other values as they are."""
    return copy.copy(value) if isinstance(value, np.ndarray | Lanes) else value


def _opponents(game: Game, options: Options, given: GivenOpponents, seed: int) -> Opponents:
    """What was given, as opponents."""
    if given is None:
        return RandomOpponents(seed)
    if isinstance(given, str | Agent):
        given = [given]
    if isinstance(given, Sequence):
        if not given and options.num_players > 1:
            raise OptionError(f"{game.id}: opponents=[]: expected at least one agent")
        return Pool(game, options, [_member(game, options, each) for each in given], seed)
    if isinstance(given, type) or not callable(getattr(given, "act", None)):
        raise _not_an_agent(game, given)
    return given


def _member(game: Game, options: Options, given: object) -> Agent:
    """An agent, given as it is or by its name."""
    if isinstance(given, str):
        return make_agent(given, game, options)
    if not isinstance(given, Agent):
        raise _not_an_agent(game, given)
    if given.game is not game or given.options != options:
        raise OptionError(
            f"{game.id}: opponents: {type(given).__name__} plays {given.game.id} with {shown(given.options.to_dict())}, not "
            f"this game with {shown(options.to_dict())}"
        )
    return given


def _not_an_agent(game: Game, given: object) -> OptionError:
    return OptionError(f"{game.id}: opponents={shown(given)}: allowed: names of agents, agents, or None")
