"""The types of Murano's record and options, written by `python -m tools.make_types` from `state` and `options`."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Protocol, TypedDict

import numpy as np
import numpy.typing as npt

from cardtable.types import Header
from murano_env.components import Edition


class State(Header, Protocol):
    """The record of a game of Murano."""

    max_rounds: int
    """rounds after which the game is cut off (MUR-12.3)"""
    ring_face: int
    """option (MUR-2.1)"""
    advantage_mode: int
    """how the Advantages are found (MUR-2.5)"""
    expert_deck: int
    """option (MUR-2.5)"""
    draft: int
    """option (MUR-9.1)"""
    interactive: int
    """option (MUR-9.2)"""
    grandmaster: int
    """option (MUR-11)"""
    circle: npt.NDArray[np.int16]
    """shard at each notch (MUR-1.4); 12"""
    ring: npt.NDArray[np.int16]
    """shard on each segment (MUR-1.4); 12"""
    recipe: npt.NDArray[np.int16]
    """shards of each Creation; 24 × 4"""
    category: npt.NDArray[np.int16]
    """categories of each Creation; 24 × 4"""
    phase: int
    """what the seat to act decides"""
    turn: int
    """whose turn it is"""
    round_number: int
    """number of the round"""
    last_round: int
    """the game ends with this round (MUR-11.7, 12.1)"""
    selector_set: int
    """the Selector has been turned, or stays by card 11 (MUR-4.1, 8.11)"""
    takes: int
    """pairs taken this turn (MUR-4.1, 8.12)"""
    repetition: int
    """card 12 was used this turn (MUR-8.12)"""
    collect_closed: int
    """Collect is over (MUR-3.2)"""
    negotiations: int
    """Negotiate actions of this turn (MUR-5, 8.10)"""
    privilege: int
    """card 10 was used this turn (MUR-8.10)"""
    passed: int
    """the pass of MUR-5.4 was made this turn"""
    follow_up: int
    """card that may follow the last action (MUR-8.6, 8.7)"""
    works_made: int
    """works made this turn (MUR-6.3)"""
    quotation: int
    """the last work of this turn paid 8L and card 14 has not been used on it (MUR-8.14)"""
    turn_over: int
    """the turn has ended, its Challenge card is under way (MUR-10.1)"""
    missing: int
    """shards of the pair still to be replaced (MUR-4.2)"""
    sale: int
    """Lira that the Sell under way will pay (MUR-5.3, 8.4)"""
    offered: npt.NDArray[np.int16]
    """connected segments not picked yet under card 5 (MUR-8.5); 5"""
    arranged: npt.NDArray[np.int16]
    """old positions picked so far by card 8 (MUR-8.8); 7"""
    arranged_size: int
    """number of things in `arranged`"""
    chosen_market: int
    """where card 13 takes a shard (MUR-8.13)"""
    chosen_shard: int
    """shard of card 13 or 20 (MUR-8.13, 9.6)"""
    selector: int
    """notch of the Selector; none: on gap 11 (MUR-11.3)"""
    ring_offset: int
    """segment that notch 0 faces (MUR-1.6)"""
    gap_lira: npt.NDArray[np.int16]
    """Lira on each gap (MUR-11.2); 12"""
    advantage: npt.NDArray[np.int16]
    """card under each tile; 4"""
    warehouse: npt.NDArray[np.int16]
    """shards in stock; 5"""
    market: npt.NDArray[np.int16]
    """shards in each market; 4 × 5"""
    first_shards: npt.NDArray[np.int16]
    """shards for the markets before set-up (MUR-2.3); 4"""
    first_shards_size: int
    """number of things in `first_shards`"""
    lira: npt.NDArray[np.int16]
    """Lira of each seat; 4"""
    bench: npt.NDArray[np.int16]
    """shards on each Workbench; 4 × 5"""
    owl: int
    """who has the Owl (MUR-11.6)"""
    hand: npt.NDArray[np.int16]
    """cards of each seat, position 1 first; 4 × 7"""
    hand_size: npt.NDArray[np.int16]
    """number of things in `hand`; 4"""
    works: npt.NDArray[np.int16]
    """works of each seat, the first made first; 4 × 7"""
    works_size: npt.NDArray[np.int16]
    """number of things in `works`; 4"""
    set_aside: npt.NDArray[np.int16]
    """works that have been used (MUR-7.3); 24"""
    deck: npt.NDArray[np.int16]
    """Creations not dealt, the top last; 24"""
    deck_size: int
    """number of things in `deck`"""
    pack: npt.NDArray[np.int16]
    """pack in front of each seat (MUR-9.1); 4 × 8"""
    pack_size: npt.NDArray[np.int16]
    """number of things in `pack`; 4"""
    drafted: npt.NDArray[np.int16]
    """cards drafted, in order (MUR-9.1); 4 × 7"""
    drafted_size: npt.NDArray[np.int16]
    """number of things in `drafted`; 4"""
    box: npt.NDArray[np.int16]
    """last card of each pack, by the seat that held it last; 4"""
    box_size: int
    """number of things in `box`"""
    mixed: npt.NDArray[np.int16]
    """the seat has used card 8: its order is its own (MUR-15.1); 4"""
    challenge: npt.NDArray[np.int16]
    """stack of Challenge cards, the top last; 6"""
    challenge_size: int
    """number of things in `challenge`"""
    revealed: npt.NDArray[np.int16]
    """Challenge cards revealed so far; 6"""
    revealed_size: int
    """number of things in `revealed`"""
    left_out: npt.NDArray[np.int16]
    """Challenge cards that are not in the stack; 10"""
    left_out_size: int
    """number of things in `left_out`"""
    bench_size: npt.NDArray[np.int16]
    """shards on each Workbench; 4"""
    market_size: npt.NDArray[np.int16]
    """shards in each market; 4"""
    ready: npt.NDArray[np.int16]
    """works not set aside: with both categories, or with one alone; 4 × 4 × 4"""


class OptionArguments(TypedDict, total=False):
    """The options of Murano as keyword arguments."""

    num_players: int
    """1 (The Challenge, solo) to 4 (MUR-1.1, 10)"""
    ring: str
    """face of the Ring: `A` or `B` (MUR-2.1)"""
    advantages: str | Sequence[int]
    """`random`, `first_game` (cards 1–4), or four ids in tile order: art, jewels, tableware, animals (MUR-2.5)"""
    expert_deck: bool
    """cards 1 and 2 are not drawn (MUR-2.5)"""
    draft: bool
    """hands are drafted (MUR-9.1)"""
    interactive: bool
    """one of the Advantages is an interactive card, 17–20 (MUR-9.2)"""
    grandmaster: bool
    """the Grandmaster's Challenge (MUR-11)"""
    edition: str | PathLike[str] | Mapping[str, Any] | Edition
    """the built-in `reconstruction`, or the path of an edition file (MUR-13)"""
    max_rounds: int
    """rounds after which the game is cut off; not in solo or grandmaster (MUR-12.3)"""
