"""Compiled loops over many games, written once; the game's kernels come in by record type.

Shapes: n games, A actions, P players, D numbers in an observation. All arrays belong to the caller and are written
in place. `scratch` is room for A action ids.
"""

from typing import NamedTuple

import numpy as np

from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.dispatch import (
    apply,
    check,
    check_fixed,
    derive,
    is_over,
    legal,
    observe,
    observe_hidden,
    redeal_hidden,
    returns,
    scores,
    set_up,
    shuffle_decks,
)
from cardtable.engine.ending import Ending, as_number
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.prefetch import fetch_record, fetch_row
from cardtable.types import Actions, Counts, Flags, Floats, Header, Integers, Mask, Observation, Records, Seats

AHEAD = 2
"""How many lanes before its turn a lane's memory is asked for."""

MOST_KINDS = 32
"""What `check` counts has at most so many kinds."""


class Frame(NamedTuple):
    """What a batch shows after a step. The arrays are the same from step to step, written in place."""

    observation: Observation
    """float32 (n, D): what the seat to act sees; D = 0 if the batch does not observe."""
    action_mask: Mask
    """int8 (n, A): 1 where the seat to act may take the action."""
    seat: Seats
    """int8 (n,): the seat to act."""
    rewards: Floats
    """float32 (n, P): the returns of a game that ended in this step, otherwise 0."""
    scores: Floats
    """float32 (n, P): the scores of a game that ended in this step, otherwise 0."""
    terminated: Flags
    """bool (n,): a game ended by its rules in this step; the lane shows the next game already."""
    truncated: Flags
    """bool (n,): a game was cut off in this step; the lane shows the next game already."""
    episode_length: Integers
    """int32 (n,): decisions of the game that ended in this step, otherwise 0."""
    final_observation: Observation
    """float32 (n, D): where a game ended in this step, what the seat that made its last decision sees at its end; elsewhere
    what an earlier game left there."""


# ---- One game


@kernel
def shuffle_game(games: Records, lane: int, blank: Records, index: np.uint64) -> None:
    """Put game number `index` into a lane, decks shuffled, nothing dealt."""
    games[lane] = blank[0]
    game: Header = games[lane]
    game.index = index
    game.rng = rng.stream(game.seed, index)
    shuffle_decks(game)


@kernel
def begin(games: Records, lane: int, blank: Records, index: np.uint64) -> None:
    """Put game number `index` into a lane, ready for its first decision."""
    shuffle_game(games, lane, blank, index)
    set_up(games[lane])


@helper
def advance(game: Header, action: int) -> int:
    """Play one action; returns the `Ending`."""
    apply(game, action)
    game.length += 1
    return is_over(game)


@helper
def write_mask(game: Header, mask: Mask, scratch: Actions) -> None:
    """Mark the legal actions of the seat to act."""
    mask[:] = 0
    for k in range(legal(game, scratch)):
        mask[unsigned(scratch[k])] = 1


@helper
def show(games: Records, lane: int, frame: Frame, scratch: Actions) -> None:
    """Write seat, mask and observation of a lane."""
    game: Header = games[lane]
    frame.seat[lane] = game.seat
    write_mask(game, frame.action_mask[lane], scratch)
    if frame.observation.shape[1] > 0:
        observe(game, game.seat, frame.observation[lane])


@helper
def record_no_end(frame: Frame) -> None:
    """Write that no game ended."""
    frame.terminated[:] = False
    frame.truncated[:] = False
    frame.rewards[:] = 0
    frame.scores[:] = 0
    frame.episode_length[:] = 0


@helper
def record_no_end_of(lane: int, frame: Frame) -> None:
    """Write that a lane's game has not ended."""
    frame.terminated[lane] = False
    frame.truncated[lane] = False
    frame.rewards[lane] = 0
    frame.scores[lane] = 0
    frame.episode_length[lane] = 0


@kernel
def record_end(games: Records, lane: int, mover: int, ending: int, frame: Frame) -> None:
    """Write how a lane's game ended, with what its last mover sees."""
    game: Header = games[lane]
    frame.terminated[lane] = ending == Ending.TERMINATED
    frame.truncated[lane] = ending == Ending.TRUNCATED
    returns(game, frame.rewards[lane])
    scores(game, frame.scores[lane])
    frame.episode_length[lane] = game.length
    if frame.final_observation.shape[1] > 0:
        observe(game, mover, frame.final_observation[lane])


@helper
def fetch_lane(games: Records, lane: int, frame: Frame) -> None:
    """Ask for the memory of a lane that will be stepped soon; an observation, written but not read, need not be there."""
    fetch_record(games, lane)
    fetch_row(frame.action_mask, lane, frame.action_mask.shape[1])


# ---- Many games: the entry points that Python calls


@kernel
def begin_many(games: Records, blank: Records, first: np.uint64, frame: Frame, scratch: Actions) -> None:
    """Start games number `first`, `first` + 1, … and show them."""
    record_no_end(frame)
    for lane in range(games.shape[0]):
        begin(games, lane, blank, first + np.uint64(lane))
        show(games, lane, frame, scratch)


@helper
def is_marked(mask: Mask, lane: int, action: int) -> bool:
    """Whether the mask of a lane allows an action; any number may be asked for."""
    return 0 <= action < mask.shape[1] and mask[lane, action] != 0


@kernel
def first_illegal(actions: Actions, mask: Mask) -> int:
    """The first lane whose action is out of range or not legal, or NOBODY."""
    for lane in range(actions.shape[0]):
        if not is_marked(mask, lane, actions[lane]):
            return lane
    return NOBODY


@kernel
def first_illegal_of(lanes: Counts, actions: Actions, mask: Mask) -> int:
    """The place of the first of some lanes whose action is out of range or not legal, or NOBODY."""
    for place in range(lanes.shape[0]):
        if not is_marked(mask, lanes[place], actions[place]):
            return place
    return NOBODY


@kernel
def step_many(games: Records, actions: Actions, blank: Records, frame: Frame, scratch: Actions) -> int:
    """Play one action in every game; where a game ends, that is recorded, and the lane's next game starts in the same step.

    `frame` shows the games as they stand: its masks say what is legal. Returns the first lane whose action is not, and then
    nothing has changed; otherwise NOBODY.
    """
    wrong = first_illegal(actions, frame.action_mask)
    if wrong != NOBODY:
        return wrong
    record_no_end(frame)
    for lane in range(games.shape[0]):
        fetch_lane(games, lane + AHEAD, frame)
        ending = advance(games[lane], actions[lane])
        if ending != Ending.ONGOING:
            record_end(games, lane, frame.seat[lane], ending, frame)
            begin(games, lane, blank, games[lane].index + np.uint64(games.shape[0]))
        show(games, lane, frame, scratch)
    return NOBODY


@kernel
def advance_lanes(games: Records, lanes: Counts, actions: Actions, frame: Frame, scratch: Actions) -> int:
    """Play one action in each of some lanes. A game that ends stays as it is, without a legal action, until it is restarted.

    Returns the place in `lanes` of the first action that is not legal, and then nothing has changed; otherwise NOBODY.
    """
    wrong = first_illegal_of(lanes, actions, frame.action_mask)
    if wrong != NOBODY:
        return wrong
    for place in range(lanes.shape[0]):
        lane = lanes[place]
        ending = advance(games[lane], actions[place])
        if ending == Ending.ONGOING:
            record_no_end_of(lane, frame)
            show(games, lane, frame, scratch)
        else:
            record_end(games, lane, frame.seat[lane], ending, frame)
            frame.action_mask[lane] = 0
    return NOBODY


@kernel
def begin_lanes(games: Records, lanes: Counts, numbers: Integers, blank: Records, frame: Frame, scratch: Actions) -> None:
    """Start a game of the number given in each of some lanes and show it; how the last one ended stays in the frame."""
    for place in range(lanes.shape[0]):
        begin(games, lanes[place], blank, numbers[place])
        show(games, lanes[place], frame, scratch)


# ---- One game, for the turn-by-turn environment


@helper
def is_legal(game: Header, action: int, scratch: Actions) -> bool:
    """Whether the seat to act may take the action; nobody may when the game is over."""
    if is_over(game) != Ending.ONGOING:
        return False
    for k in range(legal(game, scratch)):
        if scratch[k] == action:
            return True
    return False


@kernel
def step_one(games: Records, action: int, mask: Mask, observation: Observation, scratch: Actions) -> tuple[int, int]:
    """Play one action in games[0]; write mask and observation of who moves now. Returns (seat, ending).

    The seat is NOBODY, and nothing has changed, if the action is not legal: the game itself is asked, not the mask, which
    others can write into.
    """
    game: Header = games[0]
    if not is_legal(game, action, scratch):
        return NOBODY, as_number(Ending.ONGOING)
    ending = advance(game, action)
    look(games, ending, mask, observation, scratch)
    return int(game.seat), as_number(ending)


@kernel
def look(games: Records, ending: int, mask: Mask, observation: Observation, scratch: Actions) -> None:
    """Write mask and observation of the seat to act in games[0]; nobody may act when the game is over."""
    game: Header = games[0]
    if ending == Ending.ONGOING:
        write_mask(game, mask, scratch)
    else:
        mask[:] = 0
    observe(game, game.seat, observation)


@kernel
def deal_one(games: Records, blank: Records, index: np.uint64) -> None:
    """Shuffle the decks of game number `index` into games[0], nothing dealt yet."""
    shuffle_game(games, 0, blank, index)


@kernel
def set_up_one(games: Records) -> None:
    """Deal games[0] from its decks as they lie."""
    set_up(games[0])


@kernel
def ending_of(games: Records) -> int:
    """The `Ending` of games[0]."""
    return as_number(is_over(games[0]))


@kernel
def observe_one(games: Records, seat: int, out: Observation) -> None:
    """What a seat sees in games[0]."""
    observe(games[0], seat, out)


@kernel
def observe_hidden_one(games: Records, out: Observation) -> None:
    """What no seat sees in games[0]."""
    observe_hidden(games[0], out)


@kernel
def result_of(games: Records, rewards: Floats, points: Floats) -> None:
    """Returns and scores of games[0] as it stands."""
    returns(games[0], rewards)
    scores(games[0], points)


@kernel
def redeal_many(games: Records, seat: int, seed: np.uint64) -> None:
    """Draw anew what the seat cannot know, in every game; the record forgets the seed that dealt it."""
    for lane in range(games.shape[0]):
        game: Header = games[lane]
        game.seed = seed
        game.index = np.uint64(lane)
        game.rng = rng.stream(seed, np.uint64(lane))
        redeal_hidden(game, seat)


@kernel
def derive_one(games: Records) -> None:
    """Fill in the derived fields of games[0]."""
    derive(games[0])


def check_one(games: Records) -> int:
    """The number of the first fault of games[0], or 0."""
    return int(first_fault(games, np.zeros(MOST_KINDS, np.int64)))


@kernel
def first_fault(games: Records, counts: Counts) -> int:
    """The number of the first fault of games[0], or 0; `counts` is scratch."""
    return fault_of(games[0], counts)


@kernel
def fault_of(game: Header, counts: Counts) -> int:
    """The number of the first fault of the whole record, or 0."""
    fault = check_fixed(game)
    return check(game, counts) if fault == 0 else fault
