"""Requests as no browser would make them: byte by byte, over a plain connection."""

import socket
from dataclasses import dataclass
from typing import Any

WAIT = 60.0
"""Seconds that an answer may take on a busy machine."""


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
