"""Tables of Murano for tests of what is shown: dealt games, with what matters put in place."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from cardtable.engine import loops
from cardtable.engine.jit import as_games
from cardtable.table import Table
from murano_env.env import GAME

BOARD = {
    "advantages": ["present", "expert", "magician", "visionary"],
    "markets": ["red", "green", "yellow", "blue"],
    "selector": ["notch 3"],
    "ring": ["segment 0"],
}
"""A board that is known: the Selector points at notch 3, every notch faces the segment of its number."""


def open_game(deal: Mapping[str, Any] = BOARD, **options: Any) -> Table:
    """A dealt game; with the Grandmaster the Selector starts on gap 11, and options may give the Advantages."""
    table = Table(GAME, GAME.parse_options(options))
    left_out = {"selector"} if options.get("grandmaster") else set()
    if options.get("interactive") or not isinstance(options.get("advantages", "random"), str):
        left_out.add("advantages")
    table.deal(1, deal={name: cards for name, cards in deal.items() if name not in left_out})
    return table


def changed(table: Table, **fields: Any) -> Table:
    """The table with other values in some fields, unchecked. A dict replaces the entries that it names."""
    plain = table.state_dict()
    for name, value in fields.items():
        if isinstance(value, Mapping) and plain[name].keys() >= value.keys() and is_by_label(name):
            plain[name].update(value)
        else:
            plain[name] = value
    del plain["game"], plain["rules"]
    records = GAME.state_under(table.options).restore(plain)
    loops.derive_one(as_games(records))
    table._put(as_games(records), {})
    return table


def is_by_label(name: str) -> bool:
    """Whether a field has entries that all are there, so that some can be replaced."""
    return next(not each.count or len(each.axes) > 1 for each in GAME.state.fields if each.name == name)


def play(table: Table, *actions: str) -> Table:
    """Play actions by name; each must be legal."""
    for name in actions:
        table.play(table.checked_action(GAME.actions.id_of(name)))
    return table


def play_until(table: Table, is_reached: Callable[[Table], bool], seed: int = 1) -> Table:
    """Play at random until something holds or the game is over."""
    generator = np.random.default_rng(seed)
    while not table.ending and not is_reached(table):
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
    return table


def piece(table: Table, seat: int, name: str) -> np.ndarray:
    """A piece of what a seat sees, in its shape."""
    shape = next(each.shape for each in GAME.layout.pieces if each.name == name)
    return table.observe(seat)[GAME.layout[name]].reshape(shape)


def labelled(table: Table, seat: int, name: str) -> dict[str, Any]:
    """A piece of what a seat sees, by the labels of its last axis."""
    each = next(each for each in GAME.layout.pieces if each.name == name)
    return dict(zip(each.axes[-1], piece(table, seat, name).T, strict=True))
