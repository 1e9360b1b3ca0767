"""Sockets: what a page and the server say to each other about one table.

A page is sent the newest state whenever something has changed and it has taken the one before: a slow one misses states in
between, and nothing piles up.
"""

import asyncio
import json
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect

from cardtable.errors import CardtableError, OptionError
from cardtable.game.legality import action_ids
from cardtable.players.agent import Agent
from cardtable.players.views import Views
from cardtable.support.messages import cut, shown
from cardtable_agents.web.hints import Hint, hint
from cardtable_agents.web.safety import MOST_WAIT
from cardtable_agents.web.tables import HERE, LINK, PERSON, Link, OpenTable, Tables
from cardtable_agents.web.thinkers import Thinkers

NOT_YOURS, TOO_MANY = 4401, 4429
"""Codes that a socket is closed with: no seat by that key; too many connections or messages."""
MOST_PAGES = 16
"""Pages that have one table open."""
MOST_MESSAGES, MESSAGES_A_SECOND = 300.0, 100.0
"""What a page may send at once, and then in a second: more than scripts that play for fun, less than a flood."""
LONGEST_FAULT = 300


class Driver:
    """Plays for the agents of a table, as long as somebody looks on."""

    def __init__(self, table: OpenTable, thinkers: Thinkers) -> None:
        self._table, self._thinkers = table, thinkers
        self._changed = asyncio.Event()
        self._ended = False
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Go on, unless it does already."""
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    def end(self) -> None:
        """Play no more, even if an agent is still thinking."""
        self._ended = True
        self._changed.set()

    def notice(self) -> None:
        """Something has changed at the table."""
        self._changed.set()

    async def _run(self) -> None:
        while not self._ended:
            self._changed.clear()
            if self._table.agent is None or self._table.fault:
                await self._changed.wait()
            else:
                await self._move(self._table.agent)

    async def _move(self, name: str) -> None:
        """Let an agent choose, wait until people have seen where the game stands, and play."""
        table, number, views = self._table, self._table.number, self._table.views()
        try:
            action = await self._thinkers.ask(name, table.table.game, table.table.options, lambda agent: _choice(agent, views))
        except Exception as error:  # whatever an agent of somebody else's raises
            table.fail(f"{name} cannot move: {cut(error, LONGEST_FAULT)}", number)
            return
        await self._pause(number)
        try:
            if not self._ended:
                table.play_for_agent(action, number)
        except CardtableError as error:
            table.fail(f"{name} cannot move: {cut(error, LONGEST_FAULT)}", number)

    async def _pause(self, number: int) -> None:
        """Wait as long as the pace asks for, which people may change meanwhile."""
        table = self._table
        while not self._ended and number == table.number and (left := table.changed_at + table.pace - time.monotonic()) > 0:
            self._changed.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._changed.wait(), left)


def _choice(agent: Agent, views: Views) -> int:
    (action,) = action_ids(views.game, agent.act(views), 1)
    return int(action)


class Page:
    """One page that has a table open."""

    def __init__(self, socket: WebSocket, table: OpenTable, link: Link, thinkers: Thinkers, agents: Sequence[str]) -> None:
        self._socket, self._table, self._link = socket, table, link
        self._thinkers, self._agents = thinkers, agents
        self._uncovered: int | None = link.seats[0] if len(link.seats) == 1 else None
        self._waiting: list[dict[str, Any]] = []
        self._due = asyncio.Event()
        self._stale = True
        self._told: tuple[int | None, int] = (None, 0)
        self._log: object = None
        self._hinting: asyncio.Task[None] | None = None
        self._left, self._at = MOST_MESSAGES, time.monotonic()

    # ---- What it is sent

    def state(self) -> dict[str, Any]:
        """Where the game stands, as this page may see it."""
        table, covered = self._table, self._covered()
        decides = covered is None and table.turn is not None and table.turn == self._viewer()
        state = {
            "type": "state",
            "number": table.number,
            "game": table.table.game.id,
            "title": table.table.game.title,
            "seat": self._viewer(),
            "own": list(self._link.seats),
            "players": [PERSON if who in (HERE, LINK) else who for who in table.seats],
            "turn": table.turn,
            "decides": decides,
            "covered": covered,
            "actions": table.actions() if decides else [],
            "take_back": table.can_take_back(self._link),
            "pace": table.pace,
            "sets_pace": table.may_set_pace(self._link),
            "fault": table.fault,
        }
        if covered is None:
            state |= {"picture": table.picture(self._viewer()), "log": self._news(), "end": table.end(self._viewer())}
        return state

    def _viewer(self) -> int | None:
        """The seat that is shown; None for who watches agents."""
        return self._uncovered

    def _covered(self) -> int | None:
        """The seat whose person is to come to the screen."""
        seats, turn = self._link.seats, self._table.turn
        if len(seats) < 2 or turn is None:
            return None if self._uncovered is not None or not seats else seats[0]
        if turn in seats:
            return turn if turn != self._uncovered else None
        return seats[0] if self._uncovered is None else None

    def _news(self) -> dict[str, Any]:
        """What happened since this page was told last."""
        log = self._table.log(self._viewer())
        known = self._told[1] if self._log is log and self._told[0] == self._viewer() else 0
        self._log, self._told = log, (self._viewer(), len(log))
        return {"from": known, "entries": log[known:]}

    def notice(self) -> None:
        """Something has changed at the table."""
        self._stale = True
        self._due.set()

    async def _send(self) -> None:
        """Send the newest state, and answers, whenever there are any."""
        while True:
            await self._due.wait()
            self._due.clear()
            messages, self._waiting = self._waiting, []
            if self._stale:
                self._stale = False
                messages.insert(0, self.state())
            for message in messages:
                await self._socket.send_text(json.dumps(message))

    # ---- What it asks for

    async def run(self) -> None:
        """Talk to the page until it is gone."""
        self._due.set()
        sending = asyncio.get_running_loop().create_task(self._send())
        try:
            while not sending.done():
                await self._receive()
        except (WebSocketDisconnect, RuntimeError, KeyError):  # gone, closed by us, or bytes where text belongs
            pass
        finally:
            for task in filter(None, (sending, self._hinting)):
                task.cancel()

    async def _receive(self) -> None:
        message = await self._socket.receive_text()
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * MESSAGES_A_SECOND, MOST_MESSAGES) - 1
        self._at = now
        if self._left < 0:
            await self._socket.close(TOO_MANY, "too many messages")
            raise WebSocketDisconnect(TOO_MANY)
        try:
            self._do(read_message(message))
        except CardtableError as error:
            self._answer({"type": "refused", "why": str(error)})

    def _do(self, asked: dict[str, Any]) -> None:
        match asked.get("do"):
            case "play":
                seat = self._viewer() if self._covered() is None else None
                self._table.play(self._link, seat, asked.get("action"), asked.get("number"))
            case "uncover":
                self._uncover(asked.get("seat"))
            case "take_back":
                self._table.take_back(self._link)
            case "pace":
                self._table.set_pace(self._link, asked.get("seconds"))
            case "hint":
                self._ask_for_hint(asked.get("agent"), asked.get("number"))
            case other:
                raise OptionError(f"do={shown(other)}: allowed: play, uncover, take_back, hint, pace")

    def _uncover(self, seat: object) -> None:
        if seat is None or seat != self._covered():
            raise OptionError(f"seat={shown(seat)}: it is not this seat's turn at this screen")
        self._uncovered = self._covered()
        self.notice()

    def _answer(self, message: dict[str, Any]) -> None:
        self._waiting.append(message)
        self._due.set()

    # ---- Hints

    def _ask_for_hint(self, name: object, number: object) -> None:
        if name not in self._agents:
            raise OptionError(f"agent {shown(name)}: allowed: {', '.join(self._agents)}")
        if number != self._table.number or self._table.turn is None or self._covered() is not None:
            raise OptionError("the table has changed since: ask again")
        if self._link.seats and self._table.turn != self._viewer():
            raise OptionError("a hint is for who decides")
        if self._hinting is not None and not self._hinting.done():
            raise OptionError("one hint at a time")
        self._hinting = asyncio.get_running_loop().create_task(self._hint(str(name)))

    async def _hint(self, name: str) -> None:
        table, number, views = self._table, self._table.number, self._table.views()
        actions = [action["id"] for action in table.actions()]

        def ask(agent: Agent) -> Hint:
            return hint(agent, views)

        try:
            found = await self._thinkers.ask(name, table.table.game, table.table.options, ask)
        except Exception as error:  # whatever an agent of somebody else's raises
            self._answer({"type": "refused", "why": f"{name} has no hint: {cut(error, LONGEST_FAULT)}"})
            return
        named = {"agent": name, "name": table.table.game.actions.names[found.best]}
        self._answer({"type": "hint", "number": number, **named, **found.plain(actions)})


def read_message(text: str) -> dict[str, Any]:
    """What a page asks for; `OptionError` if it is not an object."""
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):
        asked = None
    if not isinstance(asked, dict):
        raise OptionError(f"{shown(text)} is not a JSON object")
    return asked


class Lobby:
    """Leads pages to their tables, and lets agents play there while somebody looks on."""

    def __init__(self, tables: Tables, thinkers: Thinkers, agents: Sequence[str]) -> None:
        self._tables, self._thinkers, self._agents = tables, thinkers, agents
        self._drivers: dict[str, Driver] = {}

    async def serve(self, socket: WebSocket) -> None:
        """Let a page that knows a key of the table have it open, until it is gone."""
        with suppress(WebSocketDisconnect):
            await socket.accept()
            await self._receive(socket)

    async def _receive(self, socket: WebSocket) -> None:
        table = self._tables.find(socket.path_params["table"])
        link = await _joined(socket, table)
        if table is None or link is None:
            await socket.close(NOT_YOURS, "this link opens no table: it may have been closed")
        elif len(table.listeners) > MOST_PAGES:
            await socket.close(TOO_MANY, "too many pages have this table open")
        else:
            await self._talk(Page(socket, table, link, self._thinkers, self._agents), table)

    async def _talk(self, page: Page, table: OpenTable) -> None:
        driver = self._drivers.setdefault(table.id, Driver(table, self._thinkers))
        table.listeners |= {page.notice, driver.notice}
        driver.start()
        try:
            await page.run()
        finally:
            table.listeners.discard(page.notice)
            if table.listeners == {driver.notice}:
                table.listeners.clear()
                table.rest()
                del self._drivers[table.id]
                driver.end()


async def _joined(socket: WebSocket, table: OpenTable | None) -> Link | None:
    """What the page's first message opens."""
    try:
        asked = read_message(await asyncio.wait_for(socket.receive_text(), MOST_WAIT))
    except (TimeoutError, CardtableError, WebSocketDisconnect, KeyError):
        return None
    return table.link_of(asked.get("key")) if table is not None and asked.get("do") == "join" else None
