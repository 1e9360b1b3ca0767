"""`python -m tools.load_server`: many tables with agents and many messages a second on a server of its own; times and memory.

The server runs in a process of its own on 127.0.0.1, is talked to from here as pages would, and ends with this command. A
message is a move, or, while an agent thinks, a pace that there is not, which is refused: the time until the answer is counted.
"""

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.request import Request, urlopen

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.errors import CardtableError

GAMES = ("muster", "artisans", "murano")
WAIT = 120.0
"""Seconds that an answer may take on a busy machine."""
HALVES = 2
"""All pages go in the middle: what is left then and what is left at the end would differ if something piled up."""
SETTLE = 3.0
"""Seconds after which what was closed is counted as closed."""


@dataclass
class Counts:
    """What was sent, and how long the answers took."""

    seconds: list[float] = field(default_factory=list)
    kinds: dict[str, int] = field(default_factory=dict)
    games: int = 0
    """Games that came to their ends."""

    def add(self, kind: str, taken: float) -> None:
        """Count an answer."""
        self.seconds.append(taken)
        self.kinds[kind] = self.kinds.get(kind, 0) + 1


# ---- The server


class Server:
    """A server in a process of its own."""

    def __init__(self) -> None:
        command = [sys.executable, "-c", "import cardtable.cli.main as cli; cli.main()", "serve", "--port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        first = self._process.stdout.readline()
        if not first.startswith("open http"):
            raise CardtableError(f"the server did not start: {first.strip()}")
        self.address = first.split()[1].rstrip("/")
        self.host = self.address.removeprefix("http://")

    def ask(self, path: str, body: object = None) -> Any:
        """What the server answers to a request."""
        content = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.address + path, content, {"Origin": self.address}), timeout=WAIT) as answer:
            return json.loads(answer.read())

    def open(self, number: int) -> dict[str, Any]:
        """A new table, of the three games in turn: a person and an agent."""
        seats = ["here", ("random", "heuristic")[number // len(GAMES) % 2]]
        made: dict[str, Any] = self.ask("/api/tables", {"game": GAMES[number % len(GAMES)], "seats": seats, "pace": 0})
        return made

    def megabytes(self) -> float:
        """Memory that the server has now; 0 where the system does not tell."""
        try:
            with open(f"/proc/{self._process.pid}/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
        except OSError:
            return 0.0

    def close(self) -> None:
        """End it."""
        self._process.terminate()
        self._process.communicate(timeout=WAIT)


@contextlib.contextmanager
def served() -> Iterator[Server]:
    """A server that ends with the block."""
    server = Server()
    try:
        yield server
    finally:
        server.close()


# ---- Pages


class Page:
    """A person at one table who plays as fast as asked, and opens another table when the game is over."""

    def __init__(self, server: Server, number: int, counts: Counts) -> None:
        self._server, self._number, self._counts = server, number, counts
        self._state: dict[str, Any] = {}

    async def play(self, pause: float, until: float) -> None:
        """Send a message every so many seconds, if the answer to the one before has come."""
        await asyncio.sleep(pause * (self._number % 100) / 100)
        while time.monotonic() < until:
            made = await asyncio.to_thread(self._server.open, self._number)
            with contextlib.suppress(ConnectionClosed):
                await self._sit_down(made, pause, until)

    async def _sit_down(self, made: dict[str, Any], pause: float, until: float) -> None:
        address, origin = f"ws://{self._server.host}/api/tables/{made['table']}", self._server.address
        async with connect(address, origin=origin, max_size=None, open_timeout=WAIT, ping_interval=None) as socket:  # type: ignore[arg-type]
            await socket.send(json.dumps({"do": "join", "key": made["links"][0]["key"]}))
            self._state = json.loads(await socket.recv())
            due = time.monotonic()
            while time.monotonic() < until and self._state["turn"] is not None:
                await self._say(socket)
                due = max(due + pause, time.monotonic() - 1)
                await asyncio.sleep(max(due - time.monotonic(), 0))
            self._counts.games += self._state["turn"] is None

    async def _say(self, socket: ClientConnection) -> None:
        """A move if it is this page's turn, else what is refused; until it is answered."""
        message, begun = self._message(), time.monotonic()
        await socket.send(json.dumps(message))
        while True:
            answer = json.loads(await asyncio.wait_for(socket.recv(), WAIT))
            newer = answer["type"] == "state" and answer["number"] > self._state["number"]
            if answer["type"] == "state":
                self._state = answer
            if (newer and message["do"] == "play") or answer["type"] == "refused":
                break
        self._counts.add(message["do"], time.monotonic() - begun)

    def _message(self) -> dict[str, Any]:
        if not self._state["decides"]:
            return {"do": "pace", "seconds": -1}
        actions = self._state["actions"]
        return {"do": "play", "action": actions[len(actions) // 2]["id"], "number": self._state["number"]}


async def hold(server: Server, tables: int, rate: float, seconds: float, counts: Counts) -> tuple[float, float]:
    """Play at so many tables for so long; the seconds it took, and the most memory that the server had."""
    begun = time.monotonic()
    playing = [Page(server, number, counts).play(tables / rate, begun + seconds) for number in range(tables)]
    everything = asyncio.gather(*playing)
    most = 0.0
    while not everything.done():
        most = max(most, server.megabytes())
        await asyncio.wait([everything], timeout=0.5)
    await everything
    return time.monotonic() - begun, most


# ---- The report


def measure(tables: int, rate: float, seconds: float) -> dict[str, Any]:
    """Put a server under load; what was seen."""
    counts = Counts()
    with served() as server:
        warm = Counts()
        asyncio.run(hold(server, len(GAMES) * 2, 60, 2.0, warm))
        before = server.megabytes()
        taken, during = 0.0, 0.0
        after: list[float] = []
        for _ in range(HALVES):
            lasted, most = asyncio.run(hold(server, tables, rate, seconds / HALVES, counts))
            time.sleep(SETTLE)
            taken, during, after = taken + lasted, max(during, most), [*after, server.megabytes()]
        alive = bool(server.ask("/api/start")["games"])
    times = sorted(counts.seconds)
    return {
        "tables": tables,
        "messages": len(times),
        "a_second": len(times) / taken,
        "kinds": counts.kinds,
        "games": counts.games,
        "median_ms": 1000 * statistics.median(times) if times else 0.0,
        "p99_ms": 1000 * times[int(0.99 * (len(times) - 1))] if times else 0.0,
        "longest_ms": 1000 * times[-1] if times else 0.0,
        "megabytes": {"before": before, "during": during, "after": after},
        "alive": alive,
    }


def report(found: dict[str, Any]) -> str:
    """What was seen, in words."""
    kinds = ", ".join(f"{number:,} {kind}" for kind, number in sorted(found["kinds"].items()))
    memory = found["megabytes"]
    middle, end = memory["after"]
    return "\n".join(
        [
            f"{found['tables']} tables, {found['messages']:,} messages ({kinds}), {found['a_second']:.0f} a second, "
            f"{found['games']} games to their ends",
            f"until the answer: median {found['median_ms']:.1f} ms, 99 % below {found['p99_ms']:.1f} ms, "
            f"longest {found['longest_ms']:.1f} ms",
            f"memory of the server: {memory['before']:.0f} MB before, {memory['during']:.0f} MB at most, "
            f"{middle:.0f} MB when all pages had gone in the middle, {end:.0f} MB at the end",
        ]
    )


def main(argv: list[str] | None = None) -> int:
    """Measure and report; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tools.load_server", description="Put `cardtable serve` under load.")
    parser.add_argument("--tables", type=positive_integer, default=200, help="tables that are open at a time (default 200)")
    parser.add_argument("--rate", type=positive_integer, default=1000, help="messages a second that are tried (default 1000)")
    parser.add_argument("--seconds", type=positive_integer, default=60, help="how long (default 60)")
    args = parser.parse_args(argv)

    def run() -> int:
        found = measure(args.tables, args.rate, args.seconds)
        print(report(found))
        return int(not found["alive"])

    return console.run("python -m tools.load_server", run)


if __name__ == "__main__":
    sys.exit(main())
