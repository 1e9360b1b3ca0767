"""Every game with every option set that tests and tools go through, and how they open a table and choose."""

from pathlib import Path
from typing import Any

import numpy as np

from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.table import Table

VARIANTS = [(game_id, variant) for game_id in game_ids() for variant in find(game_id).variants]
"""Every game with every option set that its tests go through."""


def variant_id(value: Any) -> str:
    """How pytest names a parameter."""
    if isinstance(value, dict):
        return ",".join(f"{name}={variant_id(setting)}" for name, setting in value.items()) or "default"
    if isinstance(value, list):
        return "-".join(map(str, value))
    return value.stem if isinstance(value, Path) else str(value)


def open_table(game: Game, options: dict[str, Any], seed: int = 1, index: int = 0) -> Table:
    """A dealt game."""
    table = Table(game, game.parse_options(options))
    table.deal(seed, index)
    return table


def choice(mask: np.ndarray, index: int, length: int) -> int:
    """A legal action that depends on the game's number and length alone: the same in a batch and at a table."""
    legal = np.flatnonzero(mask)
    return int(legal[(index * 7919 + length * 104729 + 13) % 65537 % len(legal)])
