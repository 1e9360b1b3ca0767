"""Write the golden games: one recorded game for every game and variant. Run only with a new rules version.

`python tests/make_golden.py`
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from helpers import VARIANTS, choice, open_table, variant_id

from cardtable.game import Game
from cardtable.registry import find
from cardtable.replay import Replay

GOLDEN = Path(__file__).parent / "golden"


def golden_games() -> Iterator[tuple[Path, Game, dict[str, Any], int]]:
    """(file, game, options, seed) of every golden game."""
    for game_id, options in VARIANTS:
        name = variant_id(options).replace("=True", "").replace("=", "_").replace(",", "+")
        yield GOLDEN / game_id / f"{name}.json", find(game_id), dict(options), 20


def main() -> None:
    """Play and save all of them."""
    for path, game, options, seed in golden_games():
        table = open_table(game, options, seed)
        while not table.ending:
            table.play(choice(table.mask, 1, len(table.history)))
        path.parent.mkdir(parents=True, exist_ok=True)
        Replay.of(table).save(path)
        print(f"{path.name}: {len(table.history)} decisions")


if __name__ == "__main__":
    main()
