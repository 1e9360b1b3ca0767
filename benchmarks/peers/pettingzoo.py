"""PettingZoo's own classic games, driven as our AEC environments are: `last()` + `step()` of recorded games.

Its card games are RLCard's. `raw_env` goes without wrappers, `env` is what its users get.
"""

import importlib
import os
import warnings
from collections.abc import Iterator
from functools import partial
from itertools import product

from benchmarks.measure import Contestant, Row, Unit, if_installed
from benchmarks.turns import turns

LIBRARY = "PettingZoo"
GAMES = ("connect_four_v3", "leduc_holdem_v4", "gin_rummy_v4")
RAW = "raw"
MAKERS = {RAW: "raw_env", "wrapped": "env"}


def replays(name: str, maker: str) -> Unit:
    """A recorded game played again."""
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of PettingZoo's own, on the import of every classic game
        module = importlib.import_module(f"pettingzoo.classic.{name}")
    return turns(getattr(module, maker)())


def contestants() -> Iterator[Contestant]:
    """Two rows for each game."""
    for name, (how, maker) in product(GAMES, MAKERS.items()):
        yield from if_installed(Row(f"{LIBRARY} {name} {how}", LIBRARY, ours=False), partial(replays, name, maker))
