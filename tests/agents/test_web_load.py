"""The load that `benchmarks.serving` puts on a server, in a small size: all is answered, and nobody is left at a table."""

import asyncio
import socket
import time

from web_server import WAIT, serving

from benchmarks.serving import load, memory, server

TABLES, RATE, SECONDS = 10, 150, 3


def test_tables_of_all_games_with_agents_are_answered():
    with server() as (address, pid):
        asyncio.run(load(address, "heuristic", TABLES, RATE, SECONDS))
        before = memory(pid)
        counts = asyncio.run(load(address, "heuristic", TABLES, RATE, SECONDS))
        print(f"{counts.sent} moves, {counts.received} states, {before:.0f} MB, then {memory(pid):.0f} MB")
        assert len(counts.trips) > 2 * TABLES
        assert counts.received > counts.sent


def test_pages_that_go_leave_nothing_behind():
    """No listener, no agent that plays on, no task: whether they say goodbye or not."""
    with serving() as served:
        asyncio.run(load(served.address, "random", TABLES, RATE, SECONDS))
        for _ in range(5):
            made = served.open(seats=("random", "random"), pace=4)
            with served.joined(made["table"], made["links"][0]["key"]) as talk:
                talk.hear()
                talk.connection.socket.shutdown(socket.SHUT_RDWR)  # without a word
        begun = time.monotonic()
        while served.site.lobby._drivers and time.monotonic() - begun < WAIT:
            time.sleep(0.05)
        assert served.site.lobby._drivers == {}
        assert not any(table.listeners for table in served.site.tables._open.values())
