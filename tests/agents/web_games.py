"""Games that tests of the browser's pages show: played ones, and one with markup in its names."""

import json
from typing import Any

import numpy as np

from cardtable.game.registry import find
from cardtable.table import Table

SCRIPT = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
"""What would run if it were taken as markup."""


def played(game_id: str = "muster", seed: int = 1, moves: int = 10_000, **options: Any) -> Table:
    """A game of first legal actions."""
    game = find(game_id)
    table = Table(game, game.parse_options(options))
    table.deal(seed)
    while not table.ending and len(table.history) < moves:
        table.play(int(np.flatnonzero(table.mask)[0]))
    return table


def scripted() -> Table:
    """A game of Artisans all of whose cards have markup in their names, each another."""
    game = find("artisans")
    path = next(each["edition"] for each in game.variants if "edition" in each)
    edition, count = json.loads(json.dumps(game.parse_options({"edition": path}).to_dict()["edition"])), 0
    for rows in edition.values():
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict) and isinstance(row.get("name"), str):
                row["name"], count = f"{SCRIPT}{count}", count + 1
    assert count
    return played("artisans", moves=40, edition=edition)
