"""What keeps strangers out: hosts, origins, the token, bounds on connections and on what they send.

Names that are rebound to this machine carry a name in `Host`, so numbers and `localhost` are let in and names only if they were
given at start. Scripts of other pages carry their `Origin`.
"""

import asyncio
import hmac
import ipaddress
import time
from collections.abc import Collection
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from cardtable.errors import CardtableError

COOKIE = "cardtable"
LARGEST_MESSAGE = 4096
"""Bytes of a message of a socket."""
LARGEST_REQUEST = 1 << 16
"""Bytes of the body of a request, apart from replays."""
LARGEST_UPLOAD = 1 << 22
"""Bytes of a replay; a usual one has 50,000."""
MOST_DISCARDED = 1 << 24
"""Bytes of a body that are read though it is too large: who is still sending would not see the answer."""
MOST_CONNECTIONS = 700
MOST_BYTES = 1 << 16
"""Bytes that a socket may send at once, beyond what it may send a second."""
BYTES_A_SECOND = 1 << 14
MOST_WAIT = 10.0
"""Seconds that a connection may take for its first request, and a socket for its key."""
MOST_AFTERWARDS = 2.0
"""Seconds that a body may go on after the request has been answered."""
LONGEST_BODY = 30.0
"""Seconds that the body of a request may take."""

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""What every answer carries."""


class Guard:
    """Lets a request or a socket through if it comes from where it may."""

    def __init__(self, app: ASGIApp, names: Collection[str] = (), token: str = "") -> None:
        """`names` are names of this machine besides `localhost`; with a token, all need it."""
        self._app, self._names, self._token = app, {"localhost", *names}, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or hand on."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        fault = self._fault(scope, headers)
        if fault:
            await _refuse(fault, scope, receive, send)
        elif not self._may_enter(headers):
            await self._ask_for_token(scope, receive, send)
        else:
            await self._app(scope, receive, _with_headers(send))

    def _fault(self, scope: Scope, headers: Headers) -> str:
        """Why this may not come in, or nothing."""
        host, origin = headers.get("host", ""), headers.get("origin")
        if not self._is_ours(host):
            return "the Host of this request is not a name of this server; see --name"
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if (changes or origin is not None) and origin not in (f"http://{host}", f"https://{host}"):
            return "the Origin of this request is not this server"
        return ""

    def _is_ours(self, host: str) -> bool:
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if name.lower() in self._names:
            return True
        try:
            ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return True

    def _may_enter(self, headers: Headers) -> bool:
        return not self._token or self._is_token(_cookie(headers.get("cookie", "")))

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._token.encode())

    async def _ask_for_token(self, scope: Scope, receive: Receive, send: Send) -> None:
        """A link with the token is kept as a cookie, and the token vanishes from the address."""
        (given,) = parse_qs(scope["query_string"].decode("latin-1")).get("token", [""])[:1]
        if scope["type"] == "websocket" or scope["method"] != "GET" or not self._is_token(given):
            await _refuse("this needs the token that `cardtable serve` printed: open that link first", scope, receive, send)
            return
        response = RedirectResponse(scope["path"] if not scope["path"].startswith("//") else "/", 303)
        # `lax`: with `strict`, a link that is clicked on another site leads to a page that the cookie does not come along to
        response.set_cookie(COOKIE, self._token, httponly=True, samesite="lax")
        await response(scope, receive, _with_headers(send))


def _cookie(text: str) -> str:
    try:
        found = SimpleCookie(text).get(COOKIE)
    except CookieError:
        return ""
    return found.value if found else ""


async def _refuse(why: str, scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 4403, "reason": why[:120]})  # before it is accepted: status 403
        return
    await JSONResponse({"error": why}, 403)(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    """The same, with the headers that every answer carries."""

    async def sent(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sent


class Unread(CardtableError):
    """The body of a request is too large or too slow: the rest of it is not read, and the connection is closed."""


async def body_of(request: Request, largest: int = LARGEST_REQUEST) -> bytes:
    """The body of a request; `Unread` if it has more bytes, or takes too long."""
    content, size = bytearray(), 0
    try:
        async with asyncio.timeout(LONGEST_BODY):
            async for part in request.stream():
                size += len(part)
                if size <= largest:
                    content += part
                elif size > largest + MOST_DISCARDED:
                    break
    except TimeoutError:
        raise Unread(f"the request took longer than {LONGEST_BODY:g} seconds") from None
    if size > largest:
        raise Unread(f"the request is too large: allowed: {largest:,} bytes")
    return bytes(content)


# ---- Connections


class BoundedConnection(H11Protocol):
    """A connection, if there are not too many; one that asks for nothing is closed."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        """Take the connection, or drop it at once: what there is goes on."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            self.connections.discard(self)
            transport.abort()
        else:
            self.loop.call_later(MOST_WAIT, self._drop_if_silent)

    def on_response_complete(self) -> None:
        """What is sent on after the answer is read by nobody: who does not stop is dropped once the answer could be read."""
        super().on_response_complete()
        self.loop.call_later(MOST_AFTERWARDS, self._drop_if_sending, self.cycle)

    def _drop_if_sending(self, answered: object) -> None:
        if self.cycle is answered and self.conn.their_state is h11.SEND_BODY:
            self.transport.abort()

    def _drop_if_silent(self) -> None:
        if self in self.connections and self.cycle is None:
            self.transport.abort()


class BoundedSocket(WebSocketsSansIOProtocol):
    """A socket that may send so many bytes a second, whatever they are: messages, pings or parts that never end."""

    _left = float(MOST_BYTES)
    _at = 0.0

    def data_received(self, data: bytes) -> None:
        """Read, or drop the connection."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * BYTES_A_SECOND, MOST_BYTES) - len(data)
        self._at = now
        if self._left < 0:
            self.transport.abort()
        else:
            super().data_received(data)
