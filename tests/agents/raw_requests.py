"""Requests as no browser would make them: byte by byte, over a plain connection."""

import base64
import json
import socket
import struct
from dataclasses import dataclass
from typing import Any

WAIT = 60.0
"""Seconds that an answer may take on a busy machine."""
NEW_TABLE = json.dumps({"game": "muster", "seats": ["here", "random"], "pace": 0}).encode()
"""A request that opens a table."""


@dataclass(frozen=True)
class Answer:
    """What came back: status 0 if the connection was closed without an answer."""

    status: int
    headers: dict[str, str]
    body: bytes


def connected(served: Any) -> socket.socket:
    """A connection that says nothing yet."""
    return socket.create_connection(("127.0.0.1", served.port), timeout=WAIT)


def request(method: str, target: str, headers: list[tuple[str, str]], body: bytes = b"") -> bytes:
    """A request, written as it is given; its length is added if there is a body."""
    if body:
        headers = [*headers, ("Content-Length", str(len(body)))]
    if "Connection" not in dict(headers):
        headers = [*headers, ("Connection", "close")]
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers), "", ""]
    return "\r\n".join(lines).encode("latin-1") + body


def ask(served: Any, method: str, target: str, headers: list[tuple[str, str]], body: bytes = b"") -> Answer:
    """The answer to such a request."""
    with connected(served) as connection:
        connection.sendall(request(method, target, headers, body))
        return read_answer(connection)


def read_answer(connection: socket.socket) -> Answer:
    """What is sent until the connection is closed."""
    content = b""
    try:
        while part := connection.recv(1 << 16):
            content += part
    except ConnectionError:
        pass
    head, _, body = content.partition(b"\r\n\r\n")
    first, *rest = head.decode("latin-1").split("\r\n")
    status = int(first.split()[1]) if first else 0
    return Answer(status, {name.lower(): value for name, _, value in (line.partition(": ") for line in rest)}, body)


def upgrade(origin: str | None) -> list[tuple[str, str]]:
    """The headers by which a page asks for a socket."""
    key = base64.b64encode(bytes(16)).decode()
    given = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13")]
    return [*given, *([("Origin", origin)] if origin is not None else [])]


def raw_socket(served: Any, table: str) -> socket.socket:
    """A socket after its handshake, whose frames we write ourselves."""
    raw = connected(served)
    raw.sendall(request("GET", f"/api/tables/{table}", [("Host", served.host), *upgrade(served.address)]))
    assert raw.recv(4096).startswith(b"HTTP/1.1 101")
    return raw


def frame(opcode: int, content: bytes = b"", *, last: bool = False) -> bytes:
    """A frame of a page's socket."""
    assert len(content) < 126
    return struct.pack("!BB4s", opcode | (0x80 if last else 0), 0x80 | len(content), b"\0" * 4) + content
