"""Put the tables of every spec page in place: the docstring of each `*_env/env.py`, from the code it documents.

`python -m tools.make_spec`
"""

import importlib
import re
from pathlib import Path

from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.game.spec import spec_text
from cardtable.support import files

BEGIN, END = "<!-- tables: cardtable spec -->", "<!-- end of tables -->"


def spec_page(game: Game) -> Path:
    """The file whose docstring is the game's spec page."""
    module = importlib.import_module(f"{game.id.rpartition('_v')[0]}_env.env")
    assert module.__file__ is not None
    return Path(module.__file__)


def with_tables(text: str, game: Game) -> str:
    """The page with its tables printed anew."""
    tables = f"{BEGIN}\n\n{spec_text(game)}\n\n{END}"
    return re.sub(f"{re.escape(BEGIN)}.*?{re.escape(END)}", lambda _: tables, text, count=1, flags=re.DOTALL)


def main() -> None:
    """Write all spec pages."""
    for game_id in game_ids():
        game = find(game_id)
        path = spec_page(game)
        files.write_whole(path, with_tables(path.read_text(encoding="utf-8"), game))
        print(path.name, game_id)


if __name__ == "__main__":
    main()
