"""A server of the browser's pages in a thread of its own, and clients that say where they come from."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn
from cardtable_agents.web.app import Settings, Site, make_app
from cardtable_agents.web.command import server_config
from websockets.sync.client import ClientConnection, connect

WAIT = 60.0
"""Seconds that an answer may take on a busy machine."""


class Served:
    """A server that is running."""

    def __init__(self, port: int, site: Site, server: uvicorn.Server) -> None:
        self.port, self.site, self._server = port, site, server
        self.host = f"127.0.0.1:{port}"
        self.address = f"http://{self.host}"

    def drop_connections(self) -> None:
        """Cut every connection, as a network does that fails."""
        for connection in tuple(self._server.server_state.connections):
            connection.loop.call_soon_threadsafe(connection.transport.abort)

    def get(self, path: str, **headers: str) -> httpx.Response:
        return httpx.get(self.address + path, headers=headers, timeout=WAIT)

    def post(self, path: str, body: object, **headers: str) -> httpx.Response:
        content = body if isinstance(body, str | bytes) else json.dumps(body)
        return httpx.post(self.address + path, content=content, headers={"Origin": self.address, **headers}, timeout=WAIT)

    def open(self, game: str = "muster", seats: tuple[str, ...] = ("here", "random"), **more: Any) -> dict[str, Any]:
        """A new table: its id and its links."""
        answer = self.post("/api/tables", {"game": game, "seats": list(seats), "pace": 0, **more})
        assert answer.status_code == 200, answer.text
        made: dict[str, Any] = answer.json()
        return made

    def socket(self, table: str, **headers: str) -> ClientConnection:
        given = {"Origin": self.address, **headers}
        origin = given.pop("Origin")
        where = f"ws://{self.host}/api/tables/{table}"
        return connect(where, origin=origin or None, additional_headers=given, open_timeout=WAIT, max_size=None)  # type: ignore[arg-type]

    @contextmanager
    def joined(self, table: str, key: str) -> Iterator["Talk"]:
        """A page that has a table open."""
        with self.socket(table) as connection:
            talk = Talk(connection)
            talk.say(do="join", key=key)
            yield talk


class Talk:
    """What a page and the server say to each other."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection
        self.heard: list[dict[str, Any]] = []

    def say(self, **message: Any) -> None:
        self.connection.send(json.dumps(message))

    def hear(self, kind: str = "state") -> dict[str, Any]:
        """The next message of a kind."""
        while True:
            message: dict[str, Any] = json.loads(self.connection.recv(timeout=WAIT))
            self.heard.append(message)
            if message["type"] == kind:
                return message

    def hear_turn(self) -> dict[str, Any]:
        """The next state in which this page decides, or that ends the game."""
        while True:
            state = self.hear()
            if state["decides"] or state["turn"] is None or state["covered"] is not None:
                return state

    def play(self, state: dict[str, Any], place: int = 0) -> None:
        self.say(do="play", action=state["actions"][place]["id"], number=state["number"])


@contextmanager
def serving(settings: Settings | None = None) -> Iterator[Served]:
    """A server on a port that is free."""
    app = make_app(settings or Settings())
    listening = socket.create_server(("127.0.0.1", 0), backlog=512)
    server = uvicorn.Server(server_config(app))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    begun = time.monotonic()
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() - begun < WAIT
        time.sleep(0.01)
    try:
        yield Served(listening.getsockname()[1], app.state.site, server)
    finally:
        server.should_exit = True
        thread.join(WAIT)
        listening.close()
        app.state.site.thinkers.close()


def works(server: Served) -> bool:
    """Whether the server still serves those who do nothing wrong."""
    made = server.open()
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        state = talk.hear_turn()
        talk.play(state)
        return bool(talk.hear_turn()["number"] > state["number"])
