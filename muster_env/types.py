"""The types of Muster's record and options, written by `python -m tools.make_types` from `state` and `options`."""

from typing import Protocol, TypedDict

import numpy as np
import numpy.typing as npt

from cardtable.types import Header


class State(Header, Protocol):
    """The record of a game of Muster."""

    streamlined: int
    """option (MUS-7.1)"""
    power_of_unity: int
    """option (MUS-7.2)"""
    over_the_rainbow: int
    """option (MUS-7.3)"""
    max_turns: int
    """turns after which the game is cut off (MUS-6.5)"""
    turn: int
    """turns completed by both players together"""
    draws_due: int
    """cards that the mover still has to draw in this refill (MUS-5.1)"""
    laid: int
    """castle space that the mover laid a card on this turn (MUS-4.4a)"""
    turned_up: int
    """Rainbow card that waits to be placed (MUS-4.3b)"""
    hand: npt.NDArray[np.int16]
    """cards in each hand, by kind; 2 × 27"""
    known: npt.NDArray[np.int16]
    """of those, how many all players know of (MUS-8.2); 2 × 27"""
    pile: npt.NDArray[np.int16]
    """draw pile, the top last; 47"""
    pile_size: int
    """number of things in `pile`"""
    castle: npt.NDArray[np.int16]
    """castle spaces (MUS-2.2); 5 × 47"""
    castle_size: npt.NDArray[np.int16]
    """number of things in `castle`; 5"""
    column: npt.NDArray[np.int16]
    """columns on each side, under the Wizards (MUS-2.2); 2 × 5 × 45"""
    column_size: npt.NDArray[np.int16]
    """number of things in `column`; 2 × 5"""
    wizards: npt.NDArray[np.int16]
    """Wizards on top of each column; 2 × 5"""
    top: npt.NDArray[np.int16]
    """strength on top of each column, its Wizards left aside; 0 if empty; 2 × 5"""
    castle_top: npt.NDArray[np.int16]
    """visible card of each castle space; 5"""
    castle_second: npt.NDArray[np.int16]
    """card under the visible one; 5"""
    reachable: npt.NDArray[np.int16]
    """cards above the highest Rainbow Castle; 5 × 6"""
    pile_count: npt.NDArray[np.int16]
    """cards in the pile, by kind; 27"""
    standing: npt.NDArray[np.int16]
    """total strength and banner cards of each column (MUS-6.2, 6.3); 2 × 5"""
    bridges: npt.NDArray[np.int16]
    """bit s is set if a Bridge in the column stands for strength s; 2 × 5"""


class OptionArguments(TypedDict, total=False):
    """The options of Muster as keyword arguments."""

    num_players: int
    """always 2 (MUS-1.1)"""
    streamlined: bool
    """the beginners' game: strengths may jump, Bridges stay (MUS-7.1)"""
    power_of_unity: bool
    """only strength 1 opens a column (MUS-7.2)"""
    over_the_rainbow: bool
    """several Bridges in a row in one action (MUS-7.3)"""
    max_turns: int
    """turns of both players after which the game is cut off (MUS-6.5)"""
