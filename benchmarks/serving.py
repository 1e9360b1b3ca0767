"""What `cardtable serve` bears: round trips, the first page, many tables at once, memory afterwards.

    python -m benchmarks.serving [--tables 200] [--rate 1000] [--seconds 60] [--rounds 3]

The server runs in a process of its own, with an agent at every table; pages here are sockets that play the first legal move,
at tables of all games in turn. All of them go and come again, round after round, and after each the memory is read: a game
that is not over stays at its table for six hours. The rate counts messages both ways. Not a part of `make bench`: it asks for
a machine that nothing else uses.
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import time
import urllib.request
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
ROUND_TRIPS = 50
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


def processor_time(pid: int) -> float:
    """Seconds that a process has computed, on all cores."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def ask(address: str, path: str, body: object = None) -> bytes:
    """What the server answers."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address + path, data, {"Origin": address})
    with urllib.request.urlopen(request) as answer:
        content: bytes = answer.read()
    return content


@dataclass
class Counts:
    """What pages have said and heard."""

    sent: int = 0
    received: int = 0
    trips: list[float] = field(default_factory=list)
    """Seconds from a move to the state that shows it."""


class Player:
    """A page at a table of its own; plays the first legal move, and opens a new table when a game is over."""

    def __init__(self, address: str, game: str, agent: str, counts: Counts) -> None:
        self._address, self._game, self._agent, self._counts = address, game, agent, counts

    async def play(self, moves: int | None, every: float, until: float) -> None:
        """Play so many moves, one in so many seconds."""
        while time.monotonic() < until and moves != 0:
            seats = {"game": self._game, "seats": ["here", self._agent], "pace": 0}
            made = json.loads(await asyncio.to_thread(ask, self._address, "/api/tables", seats))
            where = f"{self._address.replace('http', 'ws')}/api/tables/{made['table']}"
            async with connect(where, origin=self._address, max_size=None) as socket:  # type: ignore[arg-type]
                await socket.send(json.dumps({"do": "join", "key": made["links"][0]["key"]}))
                moves = await self._play_game(socket, moves, every, until)

    async def _play_game(self, socket: Any, moves: int | None, every: float, until: float) -> int | None:
        state = await self._hear(socket)
        while time.monotonic() < until and moves != 0 and state["turn"] is not None:
            if not state["decides"]:
                state = await self._hear(socket)
                continue
            begun = time.monotonic()
            await socket.send(json.dumps({"do": "play", "action": state["actions"][0]["id"], "number": state["number"]}))
            self._counts.sent += 1
            state = await self._hear(socket)
            self._counts.trips.append(time.monotonic() - begun)
            moves = None if moves is None else moves - 1
            await asyncio.sleep(max(begun + every - time.monotonic(), 0))
        return moves

    async def _hear(self, socket: Any) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(await socket.recv())
        self._counts.received += 1
        return message


async def load(address: str, agent: str, tables: int, rate: float, seconds: float) -> Counts:
    """So many tables at once, with about so many messages a second."""
    counts, until = Counts(), time.monotonic() + seconds
    every = 2.5 * tables / rate  # of a move, its state, and in every other turn the agent's
    players = [Player(address, GAMES[number % len(GAMES)], agent, counts) for number in range(tables)]
    await asyncio.gather(*(player.play(None, every, until) for player in players))
    return counts


def told(name: str, trips: list[float]) -> str:
    """A line about round trips."""
    ordered = sorted(trips)
    middle, late = 1000 * statistics.median(ordered), 1000 * ordered[int(len(ordered) * 0.99)]
    return f"{name}: median {middle:.1f} ms, 99 % within {late:.1f} ms, of {len(ordered):,}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving", description="What `cardtable serve` bears.")
    parser.add_argument("--tables", type=positive_integer, default=200)
    parser.add_argument("--rate", type=positive_integer, default=1000, help="messages a second, both ways")
    parser.add_argument("--seconds", type=positive_integer, default=60)
    parser.add_argument("--rounds", type=positive_integer, default=3, help="the last one is measured (default 3)")
    parser.add_argument("--agent", default="heuristic")
    args = parser.parse_args()
    with server() as (address, pid):
        begun = time.monotonic()
        weight = sum(len(ask(address, path)) for path in PAGES)
        print(f"first page: {1000 * (time.monotonic() - begun):.0f} ms, {weight / 1000:.0f} kB")
        counts = Counts()
        asyncio.run(Player(address, GAMES[0], "random", counts).play(ROUND_TRIPS, 0, time.monotonic() + 600))
        print(told("a move, one table", counts.trips))
        begun_with = memory(pid)
        left = []
        for _ in range(args.rounds - 1):
            asyncio.run(load(address, args.agent, args.tables, args.rate, args.seconds / 4))
            time.sleep(SETTLE)
            left.append(f"{memory(pid):.0f}")
        computed, own = processor_time(pid), time.process_time()
        counts = asyncio.run(load(address, args.agent, args.tables, args.rate, args.seconds))
        held, computed, own = memory(pid), processor_time(pid) - computed, time.process_time() - own
        time.sleep(SETTLE)
        messages = counts.sent + counts.received
        each = f"{1000 * computed / max(messages, 1):.2f} ms of a core each, agents included"
        print(
            f"{args.tables} tables against {args.agent}: {messages / args.seconds:,.0f} messages a second for {args.seconds} s"
        )
        busy = f"a core is busy with them {computed / args.seconds:.0%}, another with the pages {own / args.seconds:.0%}"
        print(f"{messages:,} messages, {each}; {busy}")
        print(told("a move under load", counts.trips))
        settled = memory(pid)
        rounds = f"{', '.join(left)} MB after shorter rounds, {held:.0f} MB, {settled:.0f} MB after"
        print(f"memory: {begun_with:.0f} MB at first, {rounds}")
        print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
