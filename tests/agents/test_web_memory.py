"""What a server holds on to when pages go: the game itself, and nothing that was made to show it."""

import asyncio
import gc
import time
import weakref
from collections import Counter

import pytest
from cardtable_agents.web.sockets import Driver, Page
from cardtable_agents.web.tables import HERE, IDLE, OVER, OpenTable, Tables
from starlette.websockets import WebSocket
from web_server import WAIT, serving

from benchmarks.serving import load
from cardtable.game.events import Happening
from cardtable.game.registry import find
from cardtable.players.seen import Seen
from cardtable.story import Reading, Sights, Story

SHOWING = (Page, Driver, WebSocket, Story, Sights, Reading, Happening, Seen)
"""What is made for pages and agents that look on."""
TABLES, RATE, SECONDS = 9, 150, 2
GAMES = ("muster", "artisans", "murano")


def alive() -> Counter[str]:
    """How many there are of each kind."""
    gc.collect()
    return Counter(type(each).__name__ for each in gc.get_objects() if type(each) in SHOWING)


def opened(game: str) -> OpenTable:
    found = find(game)
    return OpenTable(found, found.parse_options(), (HERE, "random"), seed=1, pace=0.0)


def shown(table: OpenTable) -> object:
    """All that a page is sent of a table."""
    page = Page(None, table, table.links[0], None, ["random"])  # type: ignore[arg-type]
    return page.state()


def play(table: OpenTable, moves: int) -> None:
    """Play the first legal moves at all seats."""
    for _ in range(moves):
        if table.turn is not None:
            table.table.play(int(table.table.mask.argmax()))


def test_pages_that_go_take_with_them_what_was_made_for_them():
    """Round after round, whatever is left over while games go on."""
    with serving() as served:
        before = alive()
        for _ in range(2):
            asyncio.run(load(served.address, "heuristic", TABLES, RATE, SECONDS))
            begun = time.monotonic()
            while alive() != before and time.monotonic() - begun < WAIT:
                time.sleep(0.05)
            assert alive() == before
        assert len(served.site.tables) >= 2 * TABLES


@pytest.mark.parametrize("game", GAMES)
def test_a_table_at_rest_keeps_no_log_and_is_shown_as_before(game):
    before, table = alive(), opened(game)
    play(table, 20)
    seen = shown(table)
    assert alive() - before
    table.rest()
    assert alive() == before
    assert not table._logs
    assert not table._told
    assert shown(table) == seen


@pytest.mark.parametrize(("moves", "patience"), [(5, IDLE), (10_000, OVER)])
def test_a_table_that_is_closed_is_let_go(moves, patience):
    tables, table = Tables(), opened("muster")
    play(table, moves)
    shown(table)
    tables.add(table)
    table.rest()
    table.used_at -= patience + 1
    held, game = weakref.ref(table), weakref.ref(table.table)
    del table
    tables.add(opened("muster"))
    gc.collect()
    assert held() is None
    assert game() is None
