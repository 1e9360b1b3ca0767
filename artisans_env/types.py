"""The types of Artisans's record and options, written by `python -m tools.make_types` from `state` and `options`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, TypedDict

import numpy as np
import numpy.typing as npt

from artisans_env.components import Edition
from cardtable.types import Header


class State(Header, Protocol):
    """The record of a game of Artisans."""

    max_visits: int
    """visits after which the token must be taken (ART-4.9)"""
    artisan_mode: int
    """how artisans are given out (ART-2.3)"""
    points: npt.NDArray[np.int16]
    """points of each object (ART-1.2); 24"""
    required: npt.NDArray[np.int16]
    """levels that each object requires; 24 × 7"""
    phase: int
    """what the mover decides"""
    round_number: int
    """number of the round"""
    first_player: int
    """who took the token last (ART-3.3)"""
    token_taken: int
    """the first player has the token; otherwise it lies in the centre (ART-3.3)"""
    artisan: npt.NDArray[np.int16]
    """artisan of each seat; 4"""
    visits: npt.NDArray[np.int32]
    """market visits this round, last actions aside (ART-4.9); 4"""
    crafted: npt.NDArray[np.int16]
    """the seat crafted this round (ART-4.6); 4"""
    hand: npt.NDArray[np.int16]
    """cards in each hand; 4 × 7"""
    known: npt.NDArray[np.int16]
    """of those, how many all players know of (ART-9.1); 4 × 7"""
    developed: npt.NDArray[np.int16]
    """cards at each level; 4 × 7 × 4"""
    market: npt.NDArray[np.int16]
    """card in each slot; 5"""
    discard: npt.NDArray[np.int16]
    """cards in the discard; 7"""
    pile: npt.NDArray[np.int16]
    """material pile, the top last; 168"""
    pile_size: int
    """number of things in `pile`"""
    row: npt.NDArray[np.int16]
    """object at each place of the row; 4"""
    reserved: int
    """object that the provident has reserved (ART-8.9)"""
    maker: npt.NDArray[np.int16]
    """who crafted each object; 24"""
    deck_1: npt.NDArray[np.int16]
    """object deck 1, the top (turned up while it is current) last; 10"""
    deck_1_size: int
    """number of things in `deck_1`"""
    deck_2: npt.NDArray[np.int16]
    """object deck 2, the top (turned up while it is current) last; 10"""
    deck_2_size: int
    """number of things in `deck_2`"""
    box: npt.NDArray[np.int16]
    """objects that went back to the box unseen (ART-2.2); 24"""
    box_size: int
    """number of things in `box`"""
    removed: npt.NDArray[np.int16]
    """rest of deck 1, removed in round 7, the seen one last (ART-3.1); 6"""
    removed_size: int
    """number of things in `removed`"""
    hand_size: npt.NDArray[np.int16]
    """cards in each hand; 4"""
    pile_count: npt.NDArray[np.int16]
    """cards in the pile, by material; 7"""
    level: npt.NDArray[np.int16]
    """level of each material; 4 × 7"""
    level_points: npt.NDArray[np.int16]
    """sum of the levels of all developed cards; 4"""
    object_points: npt.NDArray[np.int16]
    """points of own objects; 4"""
    object_count: npt.NDArray[np.int16]
    """number of own objects; 4"""
    bonus: npt.NDArray[np.int16]
    """artisan bonus (ART-8); 4"""
    uses: npt.NDArray[np.int16]
    """own objects that require each material; 4 × 7"""
    deck_points: npt.NDArray[np.int16]
    """objects of each value left in each deck; 2 × 5"""
    lacking: npt.NDArray[np.int16]
    """levels that each seat lacks for each open object; 4 × 6"""


class OptionArguments(TypedDict, total=False):
    """The options of Artisans as keyword arguments."""

    num_players: int
    """2, 3 or 4 (ART-1.1)"""
    artisans: str | Sequence[str]
    """`draft`, `random`, or one name per seat, all different (ART-2.3)"""
    edition: str | PathLike[str] | Mapping[str, Any] | Edition
    """the built-in `reconstruction`, or the path of an edition file (ART-11)"""
    max_visits: int
    """market visits a round, after which a player must take the token (ART-4.9)"""
