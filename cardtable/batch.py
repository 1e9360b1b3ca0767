"""`BatchEnv`: many games of one kind, stepped in one compiled call, into arrays that are reused."""

from typing import Any

import numpy as np

from cardtable import loops
from cardtable.errors import IllegalAction, OptionError
from cardtable.game import ACTION, Game, checked_seed
from cardtable.loops import Frame
from cardtable.record import is_whole


class BatchEnv:
    """`num_games` games side by side.

    Lane i plays games number i, i + num_games, i + 2 num_games, … of the seed, counted from `first`: a game's course
    depends on its number and the actions, not on the batch. A lane whose game ends shows the next game in the same step.

    The arrays of a frame are read-only views of buffers that the next call overwrites: copy what you keep.
    `checks=False` leaves out the test that every action is legal; an illegal action then breaks its game silently.
    """

    def __init__(
        self,
        game: Game,
        num_games: int,
        seed: int | None = None,
        *,
        first: int = 0,
        observe: bool = True,
        checks: bool = True,
        **options: Any,
    ) -> None:
        if not is_whole(num_games) or num_games < 1:
            raise OptionError(f"{game.id}: num_games={num_games!r}: allowed: whole numbers from 1")
        game.prepare()
        self.game = game
        self.options = game.parse_options(options)
        self.num_games = int(num_games)
        self.num_players = self.options.num_players
        self.seed = checked_seed(seed)
        self.first = checked_seed(first)
        self.checks = checks
        self._blank = game.blank(self.options, self.seed)
        self._games = np.repeat(self._blank, self.num_games).view(type(self._blank))
        self._scratch = game.new_scratch()
        self._buffers = game.new_frame(self.num_games, self.num_players, observe=observe)
        self.frame = Frame(*(_read_only(buffer) for buffer in self._buffers))
        self.reset()

    def reset(self, seed: int | None = None) -> Frame:
        """Start the first `num_games` games again, of a new seed if one is given."""
        if seed is not None:
            self.seed = checked_seed(seed)
            self._blank = self.game.blank(self.options, self.seed)
        loops.begin_many(self._games, self._blank, np.uint64(self.first), self._buffers, self._scratch)
        return self.frame

    def step(self, actions: Any) -> Frame:
        """Play one action in every game. An illegal action raises `IllegalAction` naming its lane; nothing changes."""
        ids = self._checked_actions(actions)
        loops.step_many(self._games, ids, self._blank, self._buffers, self._scratch)
        return self.frame

    def _checked_actions(self, actions: Any) -> np.ndarray:
        try:
            ids = np.asarray(actions)
        except (TypeError, ValueError) as error:
            raise IllegalAction(f"{self.game.id}: actions are no array of whole numbers: {error}") from None
        if ids.shape != (self.num_games,) or ids.dtype.kind not in "iu":
            raise IllegalAction(
                f"{self.game.id}: actions have shape {ids.shape} and dtype {ids.dtype}; "
                f"wanted are whole numbers in shape ({self.num_games},)"
            )
        ids = np.ascontiguousarray(ids, ACTION)
        if self.checks:
            lane = int(loops.first_illegal(ids, self._buffers.action_mask))
            if lane >= 0:
                raise IllegalAction(f"{self.game.id}: lane {lane}: {self._refusal(lane, int(np.asarray(actions)[lane]))}")
        return ids

    def _refusal(self, lane: int, action: int) -> str:
        if not 0 <= action < self.game.actions.size:
            return f"action {action} is not in 0 to {self.game.actions.size - 1}"
        legal = [self.game.actions.names[number] for number in np.flatnonzero(self._buffers.action_mask[lane])]
        seat = int(self._buffers.seat[lane])
        return (
            f"action {action} ({self.game.actions.names[action]}) is not legal for player_{seat}; legal: {', '.join(legal[:8])}"
        )

    def random_actions(self, generator: np.random.Generator) -> np.ndarray:
        """A uniformly random legal action for every game, in a fresh array."""
        actions = np.zeros(self.num_games, ACTION)
        loops.choose_many(self._buffers.action_mask, generator.random(self.num_games), actions)
        return actions

    def play_out(self, policy_seed: int = 0) -> int:
        """Play every game to its end by random legal actions inside the compiled loop; returns the decisions made.

        The frame holds rewards, scores and lengths of the games that ended, and shows the next ones.
        """
        seed = np.uint64(checked_seed(policy_seed))
        return int(loops.play_out_many(self._games, self._blank, seed, self._buffers, self._scratch))

    def records(self) -> np.ndarray:
        """A copy of the records of all games, hidden parts included."""
        return np.array(self._games)


def _read_only(buffer: np.ndarray) -> np.ndarray:
    view = buffer.view()
    view.flags.writeable = False
    return view
