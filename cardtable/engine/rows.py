"""Decisions as rows for a learner: what is not zero of an observation, and the legal actions. Decisions with one legal action
are played, not shown.

Four of five numbers of an observation are zero and few actions are legal, so a network that looks at rows has little to do.
All rows lie one after the other in long arrays: those of row r begin at `first_input[r]` and `first_action[r]` and end where
the next row's begin.
"""

from typing import NamedTuple

import numpy as np

from cardtable.engine import rng
from cardtable.engine.dispatch import legal, observe, returns, scores
from cardtable.engine.ending import Ending
from cardtable.engine.jit import helper, kernel
from cardtable.engine.loops import AHEAD, advance, begin, write_mask
from cardtable.engine.prefetch import fetch_record
from cardtable.types import Actions, Counts, Flags, Floats, Header, Integers, Mask, Observation, Records, Seats

INPUT, ACTION_ID = np.int16, np.int16
"""Which number of an observation, which action: games have a few hundred of each."""
CHANCE_STEP = np.float32(2.0**-24)
LOW_BITS = np.uint64(40)
"""A chance has as many bits as a float32 holds exactly: more of them would now and then be rounded up to 1."""

GAMES, CUT_OFF, FORCED = range(3)
"""What `Ends.counts` counts: games that ended, those of them that were cut off, decisions that were forced."""


class Rows(NamedTuple):
    """Decisions, m rows; there is one more entry of `first_input` and `first_action`, where the last row ends."""

    first_input: Counts
    """int64 (m + 1,): where the inputs of each row begin."""
    input: Integers
    """int16: which numbers of the observation are not zero, row after row."""
    value: Floats
    """float32: these numbers."""
    first_action: Counts
    """int64 (m + 1,): where the legal actions of each row begin."""
    action: Integers
    """int16: the ids of all legal actions, row after row."""
    seat: Seats
    """int8 (m,): the seat to act."""
    chance: Floats
    """float32 (m,): a random number in [0, 1) for each decision, by the number and the length of its game."""


class Ends(NamedTuple):
    """Where games ended after a row's action, before the lane's next row."""

    done: Flags
    """bool (m,): the game ended."""
    reward: Floats
    """float32 (m, P): what it paid each seat."""
    counts: Counts
    """int64 (3,): see `GAMES`."""
    score: Floats
    """float32 (P,): scratch, the scores of a game."""


class Deals(NamedTuple):
    """How lanes are dealt their games."""

    blank: Records
    """(1,) record: what every game starts from."""
    step: np.uint64
    """By how much the number of a lane's next game is higher."""
    cut_off_loses: bool
    """Whether a game that is cut off is a loss for all seats; otherwise it pays what its returns say."""
    score_weight: float
    """What a game pays besides for each point of a seat's score above the mean of the others' scores."""


@helper
def skip_forced(game: Header, ending: int, scratch: Actions, counts: Counts) -> int:
    """Play on while there is one legal action; how the game stands then."""
    while ending == Ending.ONGOING and legal(game, scratch) == 1:
        ending = advance(game, scratch[0])
        counts[FORCED] += 1
    return ending


@kernel
def record_end(game: Header, ending: int, deals: Deals, row: int, ends: Ends) -> None:
    """Write what a game paid. Only a row's first game counts: a later one was over before anybody had a choice."""
    ends.counts[GAMES] += 1
    if ending == Ending.TRUNCATED:
        ends.counts[CUT_OFF] += 1
    if ends.done[row]:
        return
    ends.done[row] = True
    players = game.num_players
    returns(game, ends.reward[row])
    if ending == Ending.TRUNCATED and deals.cut_off_loses:
        for seat in range(players):
            ends.reward[row, seat] = -1.0 / max(players - 1, 1)
    if deals.score_weight > 0:
        pay_scores(game, deals.score_weight, ends.score, ends.reward[row])


@helper
def pay_scores(game: Header, weight: float, score: Floats, reward: Floats) -> None:
    """Reward each seat for its score, as far as it is above the mean of the others'; alone, for all of it."""
    players = game.num_players
    scores(game, score)
    total = np.float32(0)
    for seat in range(players):
        total += score[seat]
    for seat in range(players):
        others = (total - score[seat]) / max(players - 1, 1)
        reward[seat] += np.float32(weight) * (score[seat] - others)


@kernel
def deal_rows(games: Records, deals: Deals, first: np.uint64, scratch: Actions, ends: Ends) -> None:
    """Deal games number `first`, `first` + 1, … and play them to their first choice."""
    for lane in range(games.shape[0]):
        begin(games, lane, deals.blank, first + np.uint64(lane))
        to_next_choice(games, lane, Ending.ONGOING, deals, lane, scratch, ends)


@helper
def to_next_choice(games: Records, lane: int, ending: int, deals: Deals, row: int, scratch: Actions, ends: Ends) -> None:
    """Play a lane on to a decision between several actions, in a new game where the last one has ended."""
    ending = skip_forced(games[lane], ending, scratch, ends.counts)
    while ending != Ending.ONGOING:
        record_end(games[lane], ending, deals, row, ends)
        begin(games, lane, deals.blank, games[lane].index + deals.step)
        ending = skip_forced(games[lane], Ending.ONGOING, scratch, ends.counts)


@kernel
def play_rows(
    games: Records, lanes: Counts, actions: Actions, deals: Deals, first_row: int, scratch: Actions, ends: Ends
) -> None:
    """Play an action in each of some lanes, and what is forced after it; ends belong to row `first_row` + lane.

    Actions are those of rows: legal.
    """
    for each in range(lanes.shape[0]):
        if each + AHEAD < lanes.shape[0]:
            fetch_record(games, lanes[each + AHEAD])
        lane = lanes[each]
        ending = advance(games[lane], actions[each])
        to_next_choice(games, lane, ending, deals, first_row + lane, scratch, ends)


@kernel
def write_rows(games: Records, first_row: int, key: np.uint64, rows: Rows, dense: Observation, scratch: Actions) -> None:
    """Write row `first_row` + lane for every lane; `dense` is scratch for an observation.

    There must be room for an observation and all actions of every lane.
    """
    for lane in range(games.shape[0]):
        fetch_record(games, lane + AHEAD)
        game: Header = games[lane]
        row = first_row + lane
        rows.seat[row] = game.seat
        bits = rng.stream(rng.stream(key, game.index), np.uint64(game.length))
        rows.chance[row] = np.float32(bits >> LOW_BITS) * CHANCE_STEP
        observe(game, game.seat, dense)
        at = rows.first_input[row]
        for number in range(dense.shape[0]):
            rows.input[at] = number
            rows.value[at] = dense[number]
            at += 1 if dense[number] != 0 else 0
        rows.first_input[row + 1] = at
        at = rows.first_action[row]
        count = legal(game, scratch)
        for k in range(count):
            rows.action[at + k] = scratch[k]
        rows.first_action[row + 1] = at + count


@kernel
def seats_to_act(games: Records, seats: Seats) -> None:
    """Write the seat to act of every lane."""
    for lane in range(games.shape[0]):
        seats[lane] = games[lane].seat


@kernel
def look_at(games: Records, lanes: Counts, observation: Observation, mask: Mask, scratch: Actions) -> None:
    """Write what the seat to act sees and may do in each of some lanes."""
    for each in range(lanes.shape[0]):
        game: Header = games[lanes[each]]
        observe(game, game.seat, observation[each])
        write_mask(game, mask[each], scratch)
