"""Random play inside compiled loops: playing out, traces of what games show, audits with every position checked."""

import numpy as np

from cardtable.engine import rng
from cardtable.engine.constants import NOBODY
from cardtable.engine.dispatch import check, check_fixed, is_over, legal, observe, witness
from cardtable.engine.ending import Ending
from cardtable.engine.jit import kernel
from cardtable.engine.loops import Frame, advance, begin, fault_of, record_end, record_no_end_of, show, write_mask
from cardtable.types import Actions, Bits, Counts, Floats, Header, Mask, Records

POLICY = np.uint64(0x706F6C696379)
"""Tells the stream of a random policy from the stream of the game that it plays."""


# ---- Random actions


@kernel
def nth_legal(mask: Mask, number: int) -> int:
    """The legal action with `number` legal ones below it."""
    action = -1
    while number >= 0:
        action += 1
        number -= mask[action]
    return action


@kernel
def choose_many(mask: Mask, chances: Floats, actions: Actions) -> None:
    """Choose a legal action in every lane: of k legal ones, the one that a number in [0, 1) falls on."""
    for lane in range(mask.shape[0]):
        total = 0
        for action in range(mask.shape[1]):
            total += mask[lane, action]
        actions[lane] = nth_legal(mask[lane], int(chances[lane] * total))


@kernel
def random_action(game: Header, state: np.uint64, scratch: Actions) -> int:
    """One of the legal actions, by the state of the policy's stream."""
    return scratch[rng.below(state, legal(game, scratch))]


@kernel
def policy_stream(game: Header, policy_seed: np.uint64) -> np.uint64:
    """Where the stream of a random policy starts that plays this game."""
    return rng.stream(policy_seed ^ POLICY, game.index)


@kernel
def decision_stream(game: Header, policy_seed: np.uint64) -> np.uint64:
    """A state for one random choice, by the game's number and length alone."""
    return rng.fold(policy_stream(game, policy_seed), game.length)


@kernel
def choose_by_number(games: Records, policy_seed: np.uint64, scratch: Actions, actions: Actions) -> None:
    """Choose a legal action in every game, uniformly at random, by its number and length."""
    for lane in range(games.shape[0]):
        actions[lane] = random_action(games[lane], decision_stream(games[lane], policy_seed), scratch)


@kernel
def play_until(games: Records, lanes: Counts, seats: Counts, policy_seed: np.uint64, frame: Frame, scratch: Actions) -> None:
    """In some lanes, play random legal actions, as `choose_by_number` chooses them, until a seat is to act or the game ends.

    `seats` has the seat for each of the lanes. A game that ends stays as it is, without a legal action, until it is restarted.
    """
    for place in range(lanes.shape[0]):
        lane = lanes[place]
        game: Header = games[lane]
        ending, mover = is_over(game), game.seat
        while ending == Ending.ONGOING and game.seat != seats[place]:
            mover = game.seat
            ending = advance(game, random_action(game, decision_stream(game, policy_seed), scratch))
        if ending == Ending.ONGOING:
            record_no_end_of(lane, frame)
            show(games, lane, frame, scratch)
        else:
            record_end(games, lane, mover, ending, frame)
            frame.action_mask[lane] = 0


# ---- Playing out


@kernel
def play_out_many(games: Records, blank: Records, policy_seed: np.uint64, frame: Frame, scratch: Actions) -> int:
    """Play every game to its end by uniformly random legal actions, record its end, start the lane's next game.

    Returns the number of decisions. What the policy draws depends on `policy_seed` and the game's number.
    """
    decisions = 0
    for lane in range(games.shape[0]):
        game: Header = games[lane]
        policy = policy_stream(game, policy_seed)
        ending, mover = is_over(game), frame.seat[lane]  # the last mover of a game that is over already
        while ending == Ending.ONGOING:
            policy, mover = rng.advance(policy), game.seat
            ending = advance(game, random_action(game, policy, scratch))
            decisions += 1
        record_end(games, lane, mover, ending, frame)
        begin(games, lane, blank, game.index + np.uint64(games.shape[0]))
        show(games, lane, frame, scratch)
    return decisions


# ---- Traces: what a game did, in one number


@kernel
def trace_many(games: Records, policy_seed: np.uint64, frame: Frame, bits: Bits, scratch: Actions, traces: Bits) -> int:
    """Play every game to its end at random and hash all it showed: observations, masks, choices.

    `frame` is of one game; `bits` is its observation seen as unsigned integers. Returns the number of decisions.
    """
    decisions = 0
    for lane in range(games.shape[0]):
        game: Header = games[lane]
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
def varied_action(count: int, state: np.uint64, scratch: Actions, block: Counts, played: Counts) -> int:
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
    games: Records,
    policy_seed: np.uint64,
    scratch: Actions,
    block: Counts,
    played: Counts,
    counts: Counts,
) -> tuple[int, int, int]:
    """Play every game to its end at random, check each position, count clauses.

    What stays the same through a game is checked before and after it.
    Every second game is played by uniformly random actions, the others by `varied_action`.
    Returns (decisions, the first lane with a faulty or stuck position or NOBODY, the fault's number).
    """
    decisions = 0
    for lane in range(games.shape[0]):
        game: Header = games[lane]
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
def witness_one(games: Records, action: int, counts: Counts) -> None:
    """Count the clauses that an action exercises in games[0], before it is played; NOBODY when the game is over."""
    witness(games[0], action, counts)
