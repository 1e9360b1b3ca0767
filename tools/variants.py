"""Every game with every option set that tests and tools go through, and how they open a table and choose."""

from typing import Any

import numpy as np

from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.table import Table
from cardtable.types import Mask
from tools.variant_names import variant_id

VARIANTS = [(game_id, variant) for game_id in game_ids() for variant in find(game_id).variants]
"""Every game with every option set that its tests go through."""

__all__ = ["VARIANTS", "choice", "open_table", "variant_id"]


def open_table(game: Game, options: dict[str, Any], seed: int = 1, index: int = 0) -> Table:
    """A dealt game."""
    table = Table(game, game.parse_options(options))
    table.deal(seed, index)
    return table


def choice(mask: Mask, index: int, length: int) -> int:
    """A legal action that depends on the game's number and length alone: the same in a batch and at a table."""
    legal = np.flatnonzero(mask)
    return int(legal[(index * 7919 + length * 104729 + 13) % 65537 % len(legal)])
