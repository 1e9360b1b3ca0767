"""`cardtable serve` under load: round trips, the first page, many tables at once, memory afterwards.

    python -m benchmarks.serving [--tables 200] [--rate 1000] [--seconds 60] [--rounds 3]

The server runs in a process of its own, with an agent at every table; pages here are sockets that play the first legal move,
at tables of all games in turn. Moves are made so often that there are as many messages a second as asked for, both ways
counted; if there are fewer, all pages wait for the server. All of them go and come again, round after round, and after each the
memory is read: a game that is not over stays at its table for six hours. Not a part of `make bench`: it asks for a machine that
nothing else uses.
"""

import argparse
import asyncio
import json
import math
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

from cardtable.cli.arguments import positive_integer

ADDRESS = re.compile(r"open (http://127\.0\.0\.1:\d+)/")
PAGES = ("/", "/static/start.js", "/static/page.js", "/static/style.css", "/api/start")
"""What the first page needs."""
GAMES = ("muster", "artisans", "murano")
ALONE_RATE, ALONE_SECONDS = 100, 3
"""Messages a second at one table alone, and how long."""
SETTLE = 3.0
"""Seconds after the tables are closed before the memory is read."""


@contextmanager
def server() -> Iterator[tuple[str, int]]:
    """A server on a free port: its address and process."""
    command = [sys.executable, "-m", "cardtable", "serve", "--port", "0", "--runs", "."]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        found = None
        while found is None:
            line = process.stdout.readline()
            assert line, "the server has ended"
            found = ADDRESS.search(line)
        yield found[1], process.pid
    finally:
        process.terminate()
        process.communicate()


def memory(pid: int) -> float:
    """Megabytes that a process holds."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(re.findall(r"VmRSS:\s+(\d+)", status)[0]) / 1024


@dataclass(frozen=True)
class Usage:
    """Seconds that the threads of a process have computed, and that they could have but no core was free."""

    computed: float
    waited: float

    @classmethod
    def of(cls, pid: int) -> "Usage":
        """So far."""
        threads = [each.read_text().split() for each in Path(f"/proc/{pid}/task").glob("*/schedstat")]
        return cls(*(sum(int(fields[place]) for fields in threads) / 1e9 for place in (0, 1)))

    def __sub__(self, earlier: "Usage") -> "Usage":
        return Usage(self.computed - earlier.computed, self.waited - earlier.waited)


def ask(address: str, path: str, body: object = None) -> bytes:
    """What the server answers."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Origin": address})
    with urllib.request.urlopen(request) as answer:
        content: bytes = answer.read()
    return content


@dataclass
class Counts:
    """What pages have said and heard since they were all at their tables."""

    sent: int = 0
    received: int = 0
    trips: list[float] = field(default_factory=list)
    """Seconds from a move to the state that shows it."""
    in_second: Counter[int] = field(default_factory=Counter)
    """Messages in each second."""
    begun: float = math.inf
    until: float = math.inf

    @property
    def over(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() >= self.until

    @property
    def messages(self) -> int:
        """Both ways."""
        return self.sent + self.received

    def begin(self, seconds: float) -> None:
        """Count from now on, for so long."""
        self.begun = time.monotonic()
        self.until = self.begun + seconds

    def add(self, sent: int = 0, received: int = 0) -> None:
        """Count messages, if it has begun and is not over."""
        now = time.monotonic()
        if self.begun <= now < self.until:
            self.sent += sent
            self.received += received
            self.in_second[int(now - self.begun)] += sent + received


class Pacer:
    """Lets pages move, one after another, so that there are so many messages a second, answers included.

    If fewer were exchanged so far, nobody waits: pages catch up as fast as the server answers.
    """

    def __init__(self, counts: Counts, rate: float) -> None:
        self._counts, self._rate = counts, rate
        self._next = asyncio.Lock()

    async def turn(self) -> None:
        """Wait until the next move is due."""
        async with self._next:
            due = self._counts.begun + self._counts.messages / self._rate
            await asyncio.sleep(max(due - time.monotonic(), 0))
            self._counts.add(sent=1)


class Player:
    """A page at a table of its own; plays the first legal move, and opens a new table when a game is over."""

    def __init__(self, address: str, game: str, agent: str, counts: Counts, pacer: Pacer) -> None:
        self._address, self._game, self._agent = address, game, agent
        self._counts, self._pacer = counts, pacer
        self._socket: Any = None
        self._state: dict[str, Any] = {}

    async def open(self) -> None:
        """Open a table, and hear where the game stands."""
        seats = {"game": self._game, "seats": ["here", self._agent], "pace": 0}
        made = json.loads(await asyncio.to_thread(ask, self._address, "/api/tables", seats))
        where = f"{self._address.replace('http', 'ws')}/api/tables/{made['table']}"
        self._socket = await connect(where, origin=self._address, max_size=None, open_timeout=None)  # type: ignore[arg-type]
        await self._socket.send(json.dumps({"do": "join", "key": made["links"][0]["key"]}))
        await self._hear()

    async def play(self) -> None:
        """Play until the time is over, and go."""
        while not self._counts.over:
            if self._state["turn"] is None:
                await self._socket.close()
                await self.open()
            elif self._state["decides"]:
                await self._pacer.turn()
                await self._move()
            else:
                await self._hear()
        await self._socket.close()

    async def _move(self) -> None:
        begun, state = time.monotonic(), self._state
        await self._socket.send(json.dumps({"do": "play", "action": state["actions"][0]["id"], "number": state["number"]}))
        await self._hear()
        self._counts.trips.append(time.monotonic() - begun)

    async def _hear(self) -> None:
        self._state = json.loads(await self._socket.recv())
        self._counts.add(received=1)


async def load(address: str, agent: str, tables: int, rate: float, seconds: float) -> Counts:
    """So many tables at once and, when all are open, so many messages a second for so long."""
    counts = Counts()
    pacer = Pacer(counts, rate)
    players = [Player(address, GAMES[number % len(GAMES)], agent, counts, pacer) for number in range(tables)]
    await asyncio.gather(*(player.open() for player in players))
    counts.begin(seconds)
    await asyncio.gather(*(player.play() for player in players))
    return counts


def told(name: str, trips: list[float]) -> str:
    """A line about round trips."""
    ordered = sorted(trips)
    middle, late = 1000 * statistics.median(ordered), 1000 * ordered[int(len(ordered) * 0.99)]
    return f"{name}: median {middle:.1f} ms, 99 % within {late:.1f} ms, of {len(ordered):,}"


def main() -> None:
    """Measure and print."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m benchmarks.serving", description=__doc__, formatter_class=layout)
    parser.add_argument("--tables", type=positive_integer, default=200, help="open at the same time (default %(default)s)")
    parser.add_argument("--rate", type=positive_integer, default=1000, help="messages a second, both ways (default 1000)")
    parser.add_argument("--seconds", type=positive_integer, default=60, help="of the last round, others a quarter (default 60)")
    parser.add_argument("--rounds", type=positive_integer, default=3, help="the last one is measured (default 3)")
    parser.add_argument("--agent", default="heuristic", help="who sits at every table (default %(default)s)")
    args = parser.parse_args()
    with server() as (address, pid):
        begun = time.monotonic()
        weight = sum(len(ask(address, path)) for path in PAGES)
        print(f"first page: {1000 * (time.monotonic() - begun):.0f} ms, {weight / 1000:.0f} kB")
        print(told("a move, one table", asyncio.run(load(address, "random", 1, ALONE_RATE, ALONE_SECONDS)).trips))
        held = [memory(pid)]
        for _ in range(args.rounds - 1):
            asyncio.run(load(address, args.agent, args.tables, args.rate, args.seconds / 4))
            time.sleep(SETTLE)
            held.append(memory(pid))
        before, own = Usage.of(pid), time.process_time()
        counts = asyncio.run(load(address, args.agent, args.tables, args.rate, args.seconds))
        used, own = Usage.of(pid) - before, time.process_time() - own
        time.sleep(SETTLE)
        held.append(memory(pid))
    slowest = min(counts.in_second[second] for second in range(args.seconds))
    rate = f"{counts.messages / args.seconds:,.0f} messages a second for {args.seconds} s, {slowest:,} in the slowest second"
    print(f"{args.tables} tables against {args.agent}, {args.rate:,} messages a second asked for: {rate}")
    each = f"{1000 * used.computed / max(counts.messages, 1):.2f} ms of a core for each, agents included"
    print(f"server: {each}; {used.computed / args.seconds:.0%} of a core; waited {used.waited:.0f} s for one to be free")
    print(f"pages: {own / args.seconds:.0%} of a core")
    print(told("a move under load", counts.trips))
    after = ", ".join(f"{each:.0f}" for each in held[1:])
    print(f"memory: {held[0]:.0f} MB at first; after each round: {after}")
    print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
