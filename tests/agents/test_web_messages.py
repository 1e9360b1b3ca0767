"""Requests and messages that are oversized, endless, too many or nonsense are cut off, and players play on."""

import json
import select
import socket
import time
from contextlib import suppress

import pytest
from cardtable_agents.web import safety
from cardtable_agents.web.sockets import MOST_MESSAGES, TOO_MANY
from raw_requests import connected, frame, raw_socket, request
from web_server import WAIT, Talk, serving, works
from websockets.exceptions import ConnectionClosed


@pytest.fixture(scope="module")
def server():
    with serving() as served:
        yield served


# ---- Requests without end


def sent_until_cut_off(raw: socket.socket, endless: bytes) -> int:
    """How many bytes can be sent before the server closes the connection."""
    sent = 0
    while sent < 1 << 28:
        try:
            raw.sendall(endless)
        except OSError:
            break
        sent += len(endless)
    return sent


def test_a_body_without_end_is_not_read_on(server):
    with connected(server) as raw:
        head = f"POST /api/tables HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.address}\r\n"
        raw.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        assert sent_until_cut_off(raw, b"10000\r\n" + b"x" * 65536 + b"\r\n") < 1 << 25
    assert works(server)


def test_headers_without_end_are_not_read_on(server):
    with connected(server) as raw:
        raw.sendall(f"GET / HTTP/1.1\r\nHost: {server.host}\r\n".encode())
        assert sent_until_cut_off(raw, b"X-More: " + b"x" * 4096 + b"\r\n") < 1 << 25
    assert works(server)


ENDLESS = [
    ("POST", "/api/tables", "http://evil.example", 403),
    ("GET", "/api/start", None, 200),
    ("POST", "/nowhere", "own", 404),
    ("PUT", "/api/tables", "own", 405),
]


@pytest.mark.parametrize(("method", "target", "origin", "status"), ENDLESS)
def test_who_goes_on_sending_after_the_answer_is_dropped(server, monkeypatch, method, target, origin, status):
    """Whatever the answer is, which comes first; the server answers others all the while."""
    monkeypatch.setattr(safety, "MOST_AFTERWARDS", 0.2)
    origins = [] if origin is None else [("Origin", server.address if origin == "own" else origin)]
    headers = [("Host", server.host), *origins, ("Transfer-Encoding", "chunked"), ("Connection", "keep-alive")]
    chunk, heard = b"10000\r\n" + b" " * 65536 + b"\r\n", b""
    with connected(server) as connection:
        connection.sendall(request(method, target, headers))
        begun = time.monotonic()
        with pytest.raises(OSError):  # noqa: PT012  # reading and writing take turns
            while time.monotonic() - begun < WAIT:
                connection.sendall(chunk)
                if select.select([connection], [], [], 0)[0]:
                    heard += connection.recv(1 << 16)
        heard += what_is_left(connection)
    assert heard.startswith(f"HTTP/1.1 {status} ".encode())
    assert server.get("/api/start").status_code == 200


def what_is_left(connection: socket.socket) -> bytes:
    """What had come before a connection was cut, if it has not been read yet."""
    try:
        return connection.recv(1 << 16)
    except OSError:
        return b""


# ---- Messages


def test_oversized_messages_close_the_socket(server):
    made = server.open()
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        talk.hear()
        talk.connection.send("x" * (safety.LARGEST_MESSAGE + 1))
        assert code_of_close(talk) == 1009
    assert works(server)


def code_of_close(talk: Talk) -> int | None:
    """What the server says when it closes a socket, after whatever else it says."""
    while True:
        try:
            talk.hear()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None


@pytest.mark.parametrize(
    ("first", "endless"),
    [
        (frame(1, b"{"), frame(0, b" " * 100)),
        (frame(1, b"{"), frame(0)),
        (b"", frame(9, b"ping", last=True)),
        (b"", frame(10, b"pong", last=True)),
        (b"", frame(1, b"{}", last=True)),
        (b"", frame(2, b"\xff" * 100, last=True)),
    ],
    ids=["parts", "empty parts", "pings", "pongs", "messages", "bytes"],
)
def test_endless_messages_are_cut_off(server, first, endless):
    made = server.open()
    with raw_socket(server, made["table"]) as raw:
        raw.sendall(frame(1, json.dumps({"do": "join", "key": made["links"][0]["key"]}).encode(), last=True) + first)
        assert sent_until_cut_off(raw, endless * 100) < 1 << 25
    assert works(server)


def test_too_many_messages_close_the_socket(server):
    made = server.open()
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        with suppress(ConnectionClosed):
            for _ in range(int(MOST_MESSAGES) * 3):
                talk.say(do="nothing")
        assert code_of_close(talk) in (TOO_MANY, None)
    assert works(server)


def test_nonsense_is_refused_in_words_and_changes_nothing(server):
    made = server.open()
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        number = talk.hear_turn()["number"]
        tried = [
            "",
            "x",
            "[]",
            "7",
            "null",
            '{"do": 1}',
            '{"do": ["play"]}',
            '{"do": "join"}',
            "[" * 3000,
            '{"do": "play", "action": 1e999, "number": 0}',
        ]
        for text in tried:
            talk.connection.send(text)
            assert talk.hear("refused")["why"]
        talk.say(do="pace", seconds=0)
        assert talk.hear()["number"] == number
    assert len(tried) == 10
