"""`Learner`: one learning seat in each of many games, the other seats played by opponents.

Every single-agent adapter (Gymnasium, Stable-Baselines3, RLlib, TorchRL, Tianshou, JAX) stands on it; it needs none of
their libraries.
"""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardtable.engine.jit import as_games
from cardtable.errors import IllegalAction, OptionError, ResetNeeded
from cardtable.game.game import Game, checked_index, checked_seed
from cardtable.game.legality import action_ids, checked_illegal, forfeit_returns
from cardtable.game.options import Options
from cardtable.lanes import Lanes
from cardtable.players.agent import Agent
from cardtable.players.pool import Opponents, Pool, RandomOpponents
from cardtable.players.roster import make_agent
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer
from cardtable.types import Actions, Counts, Flags, Floats, Mask, Observation, Records

LEARNER = "the learner"
"""Who chose an action, in messages."""

GivenOpponents = Opponents | Agent | str | Sequence[Agent | str] | None


class Ended(NamedTuple):
    """How a game of the learner ended."""

    observation: Observation
    """What its seat sees at the end."""
    seat: int
    reward: float
    returns: list[float]
    """Of all seats."""
    scores: list[float]
    decisions: int
    """How many decisions the learner made in it."""
    truncated: bool
    illegal: bool
    """An illegal action of the learner has lost it."""


class Course(NamedTuple):
    """Where the games of a learner are, in arrays: what it takes to go on from there."""

    records: Records
    """(n,): the games, hidden parts included."""
    mask: Mask
    """int8 (n, A): 1 where the learner may take the action."""
    seats: Counts
    """(n,): the learner's seat in each lane."""
    decisions: Counts
    """(n,): how many decisions the learner has made in each game."""


class Learner:
    """`number` lanes of games, in each of which one seat learns and opponents play the others.

    A step goes from one decision of the learner to its next; the other seats are played in batch in between. Whenever a game
    ends, whoever made the last move, the learner gets its return. Lane i plays games i, i + n, i + 2n, … of the seed, counted
    from `first`; the learner moves on one seat each time. A game that ends before the learner decides anything is passed over.

    With `rests`, a lane whose game has ended stays as it ended, and the next step deals its next game and ignores the action
    given for it. Otherwise it goes on with the next game in the same step. Some of the lanes may be played or dealt alone.
    """

    def __init__(
        self,
        game: Game,
        options: Options,
        number: int,
        opponents: GivenOpponents,
        seed: int | None,
        *,
        first: int = 0,
        seat: int | None = None,
        illegal: str = "raise",
        rests: bool = False,
    ) -> None:
        """Opponents are agents or their names, one of which is drawn for each game and seat; none play at random.

        `seat` is where the learner always sits; None moves it on with every game.
        """
        self.game, self.options, self.number = game, options, number
        self.seed = checked_seed(seed)
        self.first = checked_index(first, "first")
        self.seat = _checked_seat(game, options, seat)
        self.illegal = checked_illegal(game, illegal)
        self.rests = rests
        self.opponents = opponents_of(game, options, opponents, self.seed)
        self.rewards: Floats = np.zeros(number, np.float32)
        self.ended: dict[int, Ended] = {}
        """The lanes in which a game of the learner ended in the last step."""
        self.next_game = self.first
        """The number of the first game that no lane has begun yet, nor any after it."""
        self._lanes: Lanes | None = None
        self._ready = False

    # ---- Playing

    def deal(self, seed: int | None = None) -> None:
        """Start the first games, of a new seed if one is given, up to the learner's first decisions.

        A new seed is one for the opponents, too, if they are ours: the same seed and actions give the same games.
        """
        number = None if seed is None else checked_seed(seed)
        self._ready = False
        if number is not None:
            self.seed = number
            if isinstance(self.opponents, RandomOpponents | Pool):
                self.opponents.reseed(number)
        if self._lanes is None:
            self._lanes = Lanes(self.game, self.options, self.number, self.seed, first=self.first)
        else:
            self._lanes.deal(self.seed, self.first)
        self.seats: Counts = self._seats_of(np.arange(self.number))
        """The learner's seat in each lane."""
        self.next_game = self.first + self.number
        self._decisions = np.zeros(self.number, np.int64)
        self._resting = np.zeros(self.number, np.bool_)
        self._clear()
        self._play_others(self._lanes)
        self._ready = True

    def deal_next(self, which: Counts | None = None) -> None:
        """Give up games in progress and deal each lane, or each of some, its next one, up to the learner's first decision."""
        lanes = self.lanes
        self._ready = False
        self._clear()
        self._begin(lanes, np.arange(self.number) if which is None else which)
        self._play_others(lanes)
        self._ready = True

    def deal_first_or_next(self, seed: int | None) -> None:
        """Deal the first games of a seed; without one the next, or the first if there are none to go on from."""
        if seed is not None or not self._ready:
            self.deal(seed)
        else:
            self.deal_next()

    def checked(self, actions: npt.ArrayLike, which: Counts | None = None) -> Actions:
        """The learner's actions in an array of our own, one for each lane; of some lanes, if only those are to be played, the
        others' are not looked at. `IllegalAction` if one may not be played (see `illegal`)."""
        lanes = self.lanes
        if self.illegal == "raise" and which is None and not self._resting.any():
            return self._require_legal(lanes, np.arange(self.number), actions)
        chosen = action_ids(self.game, actions, self.number)
        if self.illegal == "raise":
            playing, _ = self._sorted(which)
            self._require_legal(lanes, playing, chosen[playing])
        return chosen

    def _sorted(self, which: Counts | None) -> tuple[Counts, Counts]:
        """Of some lanes, or of all: those in which a game is in progress, and those that rest."""
        lanes = np.arange(self.number) if which is None else which
        resting = self._resting[lanes]
        return lanes[~resting], lanes[resting]

    def _require_legal(self, lanes: Lanes, played: Counts, actions: npt.ArrayLike) -> Actions:
        try:
            return lanes.require_legal(played, actions)
        except IllegalAction as error:
            raise IllegalAction(f"{error} (chosen by {LEARNER})") from None

    def step(self, chosen: Actions, which: Counts | None = None) -> None:
        """Play actions that `checked` has given, and the other seats until each lane is at a decision of the learner; in some
        lanes, if only those are to be played: the others stay as they are.

        An error of the opponents leaves the lanes in the midst of a step: `deal` starts them again.
        """
        lanes = self.lanes
        self._ready = False
        self._clear()
        playing, resting = self._sorted(which)
        self._begin(lanes, resting)
        self._decisions[playing] += 1
        if self.illegal == "lose":
            playing = self._lose(lanes, playing, chosen)
        self._play(lanes, playing, chosen[playing], LEARNER)
        self._play_others(lanes)
        self._ready = True

    def _lose(self, lanes: Lanes, playing: Counts, chosen: Actions) -> Counts:
        """End the games in which the learner chose an illegal action; the lanes in which it did not."""
        legal = lanes.frame.action_mask[playing, chosen[playing]] == 1
        for lane in playing[~legal].tolist():
            self._tell_loss(lanes, lane)
        self._go_on(lanes, playing[~legal])
        rest: Counts = playing[legal]
        return rest

    def _play_others(self, lanes: Lanes) -> None:
        """Play the other seats until each lane is at a decision of the learner, or at the end of a game if lanes rest."""
        while len(others := np.flatnonzero((lanes.frame.seat != self.seats) & ~self._resting)):
            if type(self.opponents) is RandomOpponents:
                self._after_the_end(lanes, lanes.play_until(others, self.seats[others], self.opponents.seed))
            else:
                self._play(lanes, others, self._asked(lanes, others), type(self.opponents).__name__)

    def _asked(self, lanes: Lanes, others: Counts) -> Actions:
        """What the opponents choose in some lanes."""
        frame, games = lanes.frame, as_games(lanes.records.take(others))  # at a tenth of the time of records[others]
        return self.opponents.act(games, frame.observation[others], frame.action_mask[others])

    def _play(self, lanes: Lanes, played: Counts, actions: npt.ArrayLike, who: str) -> None:
        """Play one action in each of some lanes."""
        try:
            ended = lanes.advance(played, actions)
        except IllegalAction as error:
            raise IllegalAction(f"{error} (chosen by {who})") from None
        self._after_the_end(lanes, ended)

    def _after_the_end(self, lanes: Lanes, ended: Counts) -> None:
        """Report games that have ended. Their lanes go on with the next one, or rest if the learner is to see the end."""
        for lane in ended.tolist():
            self._tell(lanes, lane)
        self._go_on(lanes, ended)

    def _go_on(self, lanes: Lanes, ended: Counts) -> None:
        """Deal lanes their next game, or let them rest if the learner has been told of an end there."""
        if self.rests:
            told = np.array([lane in self.ended for lane in ended.tolist()], np.bool_)
            self._resting[ended[told]] = True
            ended = ended[~told]
        self._begin(lanes, ended)

    def _begin(self, lanes: Lanes, which: Counts) -> None:
        """Deal some lanes their next game; there may be none of them."""
        if not len(which):
            return
        lanes.restart(which)
        self._resting[which] = False
        self._decisions[which] = 0
        self.seats[which] = self._seats_of(self.seats[which] + 1)
        self.next_game = max(self.next_game, int(lanes.records["index"][which].max()) + 1)

    def _seats_of(self, wanted: Counts) -> Counts:
        """Where the learner sits, if it would be moved on to these seats."""
        seats: Counts = wanted % self.options.num_players if self.seat is None else np.full_like(wanted, self.seat)
        return seats

    # ---- Going back

    def course(self) -> Course:
        """Where the games are, in arrays of our own; `OptionError` if lanes rest, which have ends to report."""
        self._refuse_rests()
        lanes = self.lanes
        return Course(self.game.copy(lanes.records), lanes.frame.action_mask.copy(), self.seats.copy(), self._decisions.copy())

    def go_on_from(self, course: Course) -> None:
        """Go on from where a learner of the same game, options, opponents and number of lanes was.

        The next step is as it would have been there. What is given must be as `course` gave it: it is not checked. What the
        learner sees is not shown before that step.
        """
        self._refuse_rests()
        seed = int(course.records["seed"][0])
        if self._lanes is None or seed != self.seed or not self._ready:
            self.deal(seed)
        lanes = self.lanes
        lanes.go_on_from(course.records, course.mask)
        self.seats[:], self._decisions[:] = course.seats, course.decisions
        self.next_game = int(course.records["index"].max()) + 1
        self._clear()

    def _refuse_rests(self) -> None:
        if self.rests:
            raise OptionError(f"{self.game.id}: rests=True: allowed: False, for a learner that goes back")

    # ---- What the learner is told

    def _clear(self) -> None:
        self.rewards[:] = 0
        self.ended = {}

    def _tell(self, lanes: Lanes, lane: int) -> None:
        """Report to the learner how the lane's game ended, unless it made no decision in that game."""
        if self._decisions[lane]:
            frame = lanes.frame
            returns, scores = frame.rewards[lane].tolist(), frame.scores[lane].tolist()
            self._report(lanes, lane, returns, scores, truncated=bool(frame.truncated[lane]), illegal=False)

    def _tell_loss(self, lanes: Lanes, lane: int) -> None:
        """Report that an illegal action has lost the lane's game."""
        returns = forfeit_returns(self.options.num_players, int(self.seats[lane]))
        self._report(lanes, lane, returns, [0.0] * self.options.num_players, truncated=False, illegal=True)

    def _report(
        self, lanes: Lanes, lane: int, returns: list[float], scores: list[float], *, truncated: bool, illegal: bool
    ) -> None:
        seat = int(self.seats[lane])
        self.rewards[lane] = returns[seat]
        observation, decisions = lanes.observe(lane, seat), int(self._decisions[lane])
        if self.rests:
            lanes.frame.observation[lane] = observation
        self.ended[lane] = Ended(observation, seat, returns[seat], returns, scores, decisions, truncated, illegal)

    def close(self) -> None:
        """Let go of what opponents hold outside of Python, such as the processes of bots; they take it up again if asked."""
        if isinstance(self.opponents, Pool):
            for agent in self.opponents.members:
                agent.close()

    def require_playing(self, which: Counts) -> None:
        """`ResetNeeded` naming the lanes, of some, whose games are over: for libraries that deal the next ones themselves."""
        _, resting = self._sorted(which)
        if len(resting):
            raise ResetNeeded(f"{self.game.id}: lanes {shown(resting.tolist())}: the game is over: reset them first")

    @property
    def lanes(self) -> Lanes:
        """The games, if they have been dealt."""
        if self._lanes is None or not self._ready:
            raise ResetNeeded(f"{self.game.id}: no games have been dealt, or a step has failed: call reset() first")
        return self._lanes

    @property
    def ready(self) -> bool:
        """Whether games have been dealt, and no step has failed since."""
        return self._ready

    @property
    def observation(self) -> Observation:
        """What the learner sees in each lane, in a fresh array; at the end of a game if the lane rests."""
        return self.lanes.frame.observation.copy()

    @property
    def mask(self) -> Mask:
        """int8 (n, A), in a fresh array: 1 where the learner may take the action; all 1 where a lane rests.

        The next action of a lane that rests is ignored, so any will do; a sampler that finds none allowed would fail.
        """
        mask = self.lanes.frame.action_mask.copy()
        mask[self._resting] = 1
        return mask

    @property
    def resting(self) -> Flags:
        """bool (n,): the lane's game is over, and the next step deals another."""
        return self._resting.copy()

    @property
    def terminated(self) -> Flags:
        """bool (n,): a game of the learner ended in the last step, by the rules or by an illegal action."""
        return self._flags(False)

    @property
    def truncated(self) -> Flags:
        """bool (n,): a game of the learner was cut off in the last step. Its return is paid all the same."""
        return self._flags(True)

    @property
    def over(self) -> Flags:
        """bool (n,): a game of the learner ended in the last step, in whatever way: for libraries that would otherwise add an
        estimate to the return of a game that was cut off."""
        return self.terminated | self.truncated

    def _flags(self, truncated: bool) -> Flags:
        flags = np.zeros(self.number, np.bool_)
        flags[[lane for lane, ended in self.ended.items() if ended.truncated == truncated]] = True
        return flags

    # ---- Copies and pickles

    def __getstate__(self) -> dict[str, Any]:
        """Nothing that changes is shared with this learner."""
        return {name: _own(value) for name, value in vars(self).items()}

    def __setstate__(self, saved: dict[str, Any]) -> None:
        vars(self).update(saved)


def _own(value: object) -> object:
    """A copy of an array, a dict or lanes; other values as they are."""
    return copy.copy(value) if isinstance(value, np.ndarray | Lanes | dict) else value


# ---- What is given


def opponents_of(game: Game, options: Options, given: GivenOpponents, seed: int) -> Opponents:
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


def _checked_seat(game: Game, options: Options, given: object) -> int | None:
    if given is None or (is_integer(given) and 0 <= int(given) < options.num_players):
        return None if given is None else int(given)
    raise OptionError(f"{game.id}: seat={shown(given)}: allowed: 0 to {options.num_players - 1}, or None for all in turn")
