"""Connections, tables and pages are bounded; those that are idle, or do not read, keep nobody waiting."""

import json
import resource
import select
import socket
import time
from contextlib import ExitStack, suppress

import pytest
from cardtable_agents.web import safety
from cardtable_agents.web.app import Settings
from cardtable_agents.web.sockets import TOO_MANY
from raw_requests import connected, frame, raw_socket
from web_server import WAIT, serving, works
from websockets.exceptions import ConnectionClosed


@pytest.fixture(scope="module")
def server():
    with serving() as served:
        yield served


def test_thousands_of_connections_are_dropped_and_players_play_on():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(3000, hard - 500 if hard > 0 else 3000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(min(hard, 8192), resource.getrlimit(resource.RLIMIT_NOFILE)[0]), hard))
    with serving() as server:
        made = server.open()
        with server.joined(made["table"], made["links"][0]["key"]) as talk:
            state = talk.hear_turn()
            crowd = [connected(server) for _ in range(wanted)]
            talk.play(state)
            assert talk.hear_turn()["number"] > state["number"]
            dropped = count_dropped(crowd, wanted - safety.MOST_CONNECTIONS)
            assert dropped >= wanted - safety.MOST_CONNECTIONS
        for each in crowd:
            each.close()
        assert works(server)
    print(f"{wanted:,} connections, {dropped:,} dropped")


def count_dropped(crowd: list[socket.socket], wanted: int) -> int:
    """How many connections the server has closed, as soon as they are as many as are wanted or it has had all its time."""
    poll, begun, dropped = select.poll(), time.monotonic(), 0
    for each in crowd:
        poll.register(each, select.POLLIN)
    while dropped < wanted and time.monotonic() - begun < WAIT:
        for descriptor, _ in poll.poll(1000):  # nobody has asked for anything: what can be read is the end
            poll.unregister(descriptor)
            dropped += 1
    return dropped


def test_connections_that_ask_for_nothing_are_closed(monkeypatch):
    monkeypatch.setattr(safety, "MOST_WAIT", 0.3)
    with serving() as server, connected(server) as raw:
        raw.sendall(b"GET / HT")
        with suppress(ConnectionResetError):
            assert raw.recv(1) == b""


def test_tables_are_bounded():
    with serving(Settings(most_tables=3)) as server, ExitStack() as stack:
        for _ in range(3):
            made = server.open()
            stack.enter_context(server.joined(made["table"], made["links"][0]["key"])).hear()
        refused = server.post("/api/tables", {"game": "muster", "seats": ["here", "random"]})
        assert refused.status_code == 400
        assert "allowed: 3" in refused.json()["error"]


def test_pages_of_one_table_are_bounded(server):
    made, codes = server.open(), []
    with ExitStack() as stack:
        for _ in range(30):
            talk = stack.enter_context(server.joined(made["table"], made["links"][0]["key"]))
            try:
                talk.hear()
            except ConnectionClosed as closed:
                codes.append(closed.rcvd.code)
    assert set(codes) == {TOO_MANY}
    assert len(codes) >= 10


def test_a_page_that_does_not_read_keeps_nobody_waiting(server):
    made = server.open(seats=("random", "random"), game="artisans")
    with raw_socket(server, made["table"]) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.sendall(frame(1, json.dumps({"do": "join", "key": made["links"][0]["key"]}).encode(), last=True))
        assert works(server)
        table = server.site.tables.find(made["table"])
        begun = time.monotonic()
        while not table.table.ending:  # the agents go on all the same
            assert time.monotonic() - begun < WAIT
            time.sleep(0.05)
