"""Compiled loops over many games, written once; the game's kernels come in by record type.

Shapes: n games, A actions, P players, D numbers in an observation. All arrays belong to the caller and are written
in place. `scratch` is room for A action ids.
"""

from typing import Any, NamedTuple

import numpy as np

from cardtable.engine import rng
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
    witness,
)
from cardtable.engine.ending import Ending, as_number
from cardtable.engine.jit import helper, kernel, unsigned
from cardtable.engine.prefetch import fetch_record, fetch_row
from cardtable.game.record import NOBODY

AHEAD = 2
"""How many lanes before its turn a lane's memory is asked for."""

MOST_KINDS = 32
"""What `check` counts has at most so many kinds."""

POLICY = np.uint64(0x706F6C696379)
"""Tells the stream of a random policy from the stream of the game that it plays."""


class Frame(NamedTuple):
    """What a batch shows after a step. The arrays are the same from step to step, written in place."""

    observation: np.ndarray
    """float32 (n, D): what the seat to act sees; D = 0 if the batch does not observe."""
    action_mask: np.ndarray
    """int8 (n, A): 1 where the seat to act may take the action."""
    seat: np.ndarray
    """int8 (n,): the seat to act."""
    rewards: np.ndarray
    """float32 (n, P): the returns of a game that ended in this step, otherwise 0."""
    scores: np.ndarray
    """float32 (n, P): the scores of a game that ended in this step, otherwise 0."""
    terminated: np.ndarray
    """bool (n,): a game ended by its rules in this step; the lane shows the next game already."""
    truncated: np.ndarray
    """bool (n,): a game was cut off in this step; the lane shows the next game already."""
    episode_length: np.ndarray
    """int32 (n,): decisions of the game that ended in this step, otherwise 0."""


# ---- One game


@kernel
def shuffle_game(games: np.ndarray, lane: int, blank: np.ndarray, index: np.uint64) -> None:
    """Put game number `index` into a lane, decks shuffled, nothing dealt."""
    games[lane] = blank[0]
    game = games[lane]
    game.index = index
    game.rng = rng.stream(game.seed, index)
    shuffle_decks(game)


@kernel
def begin(games: np.ndarray, lane: int, blank: np.ndarray, index: np.uint64) -> None:
    """Put game number `index` into a lane, ready for its first decision."""
    shuffle_game(games, lane, blank, index)
    set_up(games[lane])


@helper
def advance(game: Any, action: int) -> int:
    """Play one action; returns the `Ending`."""
    apply(game, action)
    game.length += 1
    return is_over(game)


@helper
def write_mask(game: Any, mask: np.ndarray, scratch: np.ndarray) -> None:
    """Mark the legal actions of the seat to act."""
    mask[:] = 0
    for k in range(legal(game, scratch)):
        mask[unsigned(scratch[k])] = 1


@helper
def show(games: np.ndarray, lane: int, frame: Frame, scratch: np.ndarray) -> None:
    """Write seat, mask and observation of a lane."""
    game = games[lane]
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
def record_end(game: Any, lane: int, ending: int, frame: Frame) -> None:
    """Write how a lane's game ended."""
    frame.terminated[lane] = ending == Ending.TERMINATED
    frame.truncated[lane] = ending == Ending.TRUNCATED
    returns(game, frame.rewards[lane])
    scores(game, frame.scores[lane])
    frame.episode_length[lane] = game.length


@kernel
def random_action(game: Any, state: np.uint64, scratch: np.ndarray) -> int:
    """One of the legal actions, by the state of the policy's stream."""
    return scratch[rng.below(state, legal(game, scratch))]


@kernel
def policy_stream(game: Any, policy_seed: np.uint64) -> np.uint64:
    """Where the stream of a random policy starts that plays this game."""
    return rng.stream(policy_seed ^ POLICY, game.index)


@helper
def fetch_lane(games: np.ndarray, lane: int, frame: Frame) -> None:
    """Ask for the memory of a lane that will be stepped soon; an observation, written but not read, need not be there."""
    fetch_record(games, lane)
    fetch_row(frame.action_mask, lane, frame.action_mask.shape[1])


# ---- Many games: the entry points that Python calls


@kernel
def begin_many(games: np.ndarray, blank: np.ndarray, first: np.uint64, frame: Frame, scratch: np.ndarray) -> None:
    """Start games number `first`, `first` + 1, … and show them."""
    record_no_end(frame)
    for lane in range(games.shape[0]):
        begin(games, lane, blank, first + np.uint64(lane))
        show(games, lane, frame, scratch)


@kernel
def first_illegal(actions: np.ndarray, mask: np.ndarray) -> int:
    """The first lane whose action is out of range or not legal, or NOBODY."""
    for lane in range(actions.shape[0]):
        action = actions[lane]
        if action < 0 or action >= mask.shape[1] or mask[lane, action] == 0:
            return lane
    return NOBODY


@kernel
def nth_legal(mask: np.ndarray, number: int) -> int:
    """The legal action with `number` legal ones below it."""
    action = -1
    while number >= 0:
        action += 1
        number -= mask[action]
    return action


@kernel
def choose_many(mask: np.ndarray, chances: np.ndarray, actions: np.ndarray) -> None:
    """Choose a legal action in every lane: of k legal ones, the one that a number in [0, 1) falls on."""
    for lane in range(mask.shape[0]):
        total = 0
        for action in range(mask.shape[1]):
            total += mask[lane, action]
        actions[lane] = nth_legal(mask[lane], int(chances[lane] * total))


@kernel
def step_many(games: np.ndarray, actions: np.ndarray, blank: np.ndarray, frame: Frame, scratch: np.ndarray) -> int:
    """Play one action in every game; a game that ends is booked and the lane's next game starts in the same step.

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
            record_end(games[lane], lane, ending, frame)
            begin(games, lane, blank, games[lane].index + np.uint64(games.shape[0]))
        show(games, lane, frame, scratch)
    return NOBODY


@kernel
def play_out_many(games: np.ndarray, blank: np.ndarray, policy_seed: np.uint64, frame: Frame, scratch: np.ndarray) -> int:
    """Play every game to its end by uniformly random legal actions, book it, start the lane's next game.

    Returns the number of decisions. What the policy draws depends on `policy_seed` and the game's number.
    """
    decisions = 0
    for lane in range(games.shape[0]):
        game = games[lane]
        policy = policy_stream(game, policy_seed)
        ending = is_over(game)
        while ending == Ending.ONGOING:
            policy = rng.advance(policy)
            ending = advance(game, random_action(game, policy, scratch))
            decisions += 1
        record_end(game, lane, ending, frame)
        begin(games, lane, blank, game.index + np.uint64(games.shape[0]))
        show(games, lane, frame, scratch)
    return decisions


# ---- One game, for the turn-by-turn environment


@helper
def is_legal(game: Any, action: int, scratch: np.ndarray) -> bool:
    """Whether the seat to act may take the action; nobody may when the game is over."""
    if is_over(game) != Ending.ONGOING:
        return False
    for k in range(legal(game, scratch)):
        if scratch[k] == action:
            return True
    return False


@kernel
def step_one(games: np.ndarray, action: int, mask: np.ndarray, observation: np.ndarray, scratch: np.ndarray) -> tuple[int, int]:
    """Play one action in games[0]; write mask and observation of who moves now. Returns (seat, ending).

    The seat is NOBODY, and nothing has changed, if the action is not legal: the game itself is asked, not the mask, which
    others can write into.
    """
    game = games[0]
    if not is_legal(game, action, scratch):
        return NOBODY, as_number(Ending.ONGOING)
    ending = advance(game, action)
    look(games, ending, mask, observation, scratch)
    return int(game.seat), as_number(ending)


@kernel
def look(games: np.ndarray, ending: int, mask: np.ndarray, observation: np.ndarray, scratch: np.ndarray) -> None:
    """Write mask and observation of the seat to act in games[0]; nobody may act when the game is over."""
    game = games[0]
    if ending == Ending.ONGOING:
        write_mask(game, mask, scratch)
    else:
        mask[:] = 0
    observe(game, game.seat, observation)


@kernel
def deal_one(games: np.ndarray, blank: np.ndarray, index: np.uint64) -> None:
    """Shuffle the decks of game number `index` into games[0], nothing dealt yet."""
    shuffle_game(games, 0, blank, index)


@kernel
def set_up_one(games: np.ndarray) -> None:
    """Deal games[0] from its decks as they lie."""
    set_up(games[0])


@kernel
def ending_of(games: np.ndarray) -> int:
    """The `Ending` of games[0]."""
    return as_number(is_over(games[0]))


@kernel
def observe_one(games: np.ndarray, seat: int, out: np.ndarray) -> None:
    """What a seat sees in games[0]."""
    observe(games[0], seat, out)


@kernel
def observe_hidden_one(games: np.ndarray, out: np.ndarray) -> None:
    """What no seat sees in games[0]."""
    observe_hidden(games[0], out)


@kernel
def result_of(games: np.ndarray, rewards: np.ndarray, points: np.ndarray) -> None:
    """Returns and scores of games[0] as it stands."""
    returns(games[0], rewards)
    scores(games[0], points)


@kernel
def redeal_many(games: np.ndarray, seat: int, seed: np.uint64) -> None:
    """Draw anew what the seat cannot know, in every game; the record forgets the seed that dealt it."""
    for lane in range(games.shape[0]):
        game = games[lane]
        game.seed = seed
        game.index = np.uint64(lane)
        game.rng = rng.stream(seed, np.uint64(lane))
        redeal_hidden(game, seat)


@kernel
def derive_one(games: np.ndarray) -> None:
    """Fill in the derived fields of games[0]."""
    derive(games[0])


def check_one(games: np.ndarray) -> int:
    """The number of the first fault of games[0], or 0."""
    return int(first_fault(games, np.zeros(MOST_KINDS, np.int64)))


@kernel
def first_fault(games: np.ndarray, counts: np.ndarray) -> int:
    """The number of the first fault of games[0], or 0; `counts` is scratch."""
    return fault_of(games[0], counts)


@kernel
def fault_of(game: Any, counts: np.ndarray) -> int:
    """The number of the first fault of the whole record, or 0."""
    fault = check_fixed(game)
    return check(game, counts) if fault == 0 else fault


# ---- Traces: what a game did, in one number


@kernel
def trace_many(
    games: np.ndarray, policy_seed: np.uint64, frame: Frame, bits: np.ndarray, scratch: np.ndarray, traces: np.ndarray
) -> int:
    """Play every game to its end at random and hash all it showed: observations, masks, choices.

    `frame` is of one game; `bits` is its observation seen as unsigned integers. Returns the number of decisions.
    """
    decisions = 0
    for lane in range(games.shape[0]):
        game = games[lane]
        policy = policy_stream(game, policy_seed)
        trace = policy
        while is_over(game) == Ending.ONGOING:
            observe(game, game.seat, frame.observation[0])
            for k in range(bits.shape[0]):
                trace = rng.fold(trace, bits[k])
            write_mask(game, frame.action_mask[0], scratch)
            policy = rng.advance(policy)
            action = nth_legal(frame.action_mask[0], rng.below(policy, legal(game, scratch)))
            for k in range(frame.action_mask.shape[1]):
                trace = rng.fold(trace, frame.action_mask[0, k])
            trace = rng.fold(trace, action)
            advance(game, action)
            decisions += 1
        traces[lane] = trace
    return decisions


# ---- Audits: random play with every position checked


@kernel
def varied_action(count: int, state: np.uint64, scratch: np.ndarray, block: np.ndarray, played: np.ndarray) -> int:
    """One of the first `count` actions, of the blocks of actions played least in this game: rare kinds come up soon.

    `block` gives the block of each action id, `played` counts how often each block was played.
    """
    least = played[block[scratch[0]]]
    for k in range(count):
        least = min(least, played[block[scratch[k]]])
    candidates = 0
    for k in range(count):
        if played[block[scratch[k]]] == least:
            scratch[candidates] = scratch[k]
            candidates += 1
    action = scratch[rng.below(state, candidates)]
    played[block[action]] += 1
    return action


@kernel
def audit_many(
    games: np.ndarray,
    policy_seed: np.uint64,
    scratch: np.ndarray,
    block: np.ndarray,
    played: np.ndarray,
    counts: np.ndarray,
) -> tuple[int, int, int]:
    """Play every game to its end at random, check each position, count clauses.

    What stays the same through a game is checked before and after it.
    Every second game is played by uniformly random actions, the others by `varied_action`.
    Returns (decisions, the first lane with a faulty or stuck position or NOBODY, the fault's number).
    """
    decisions = 0
    for lane in range(games.shape[0]):
        game = games[lane]
        policy = policy_stream(game, policy_seed)
        played[:] = 0
        fault = fault_of(game, scratch)
        while fault == 0 and is_over(game) == Ending.ONGOING:
            count = legal(game, scratch)
            if count == 0:
                return decisions, lane, 0
            policy = rng.advance(policy)
            if lane % 2 == 0:
                action = scratch[rng.below(policy, count)]
            else:
                action = varied_action(count, policy, scratch, block, played)
            witness(game, action, counts)
            advance(game, action)
            decisions += 1
            fault = check(game, scratch)
        if fault == 0:
            witness(game, NOBODY, counts)
            fault = check_fixed(game)
        if fault != 0:
            return decisions, lane, fault
    return decisions, NOBODY, 0


@kernel
def witness_one(games: np.ndarray, action: int, counts: np.ndarray) -> None:
    """Count the clauses that an action exercises in games[0], before it is played; NOBODY when the game is over."""
    witness(games[0], action, counts)
