"""What pictures cost: drawing, frames, and a move as somebody at a browser sees it.

    python -m benchmarks.pictures [--games muster …] [--positions 40]

Pictures are drawn, and frames of films made, at positions along a random game, as the seat to act sees it; their time is that
of the processor. In Chromium, if there is one, the first page is opened, then a table at which `random` plays at once; a round
trip is from the click on a move until the browser has painted the next position. That is time that passes: it means little on a
machine that has other work to do. Not a part of `make bench`.
"""

import argparse
import json
import os
import random
import shutil
import statistics
import sys
import time
from typing import Any

import numpy as np

from benchmarks.serving import ask, server
from cardtable import pictures
from cardtable.cli import console
from cardtable.cli.arguments import positive_integer
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.table import Table

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
SEED = 1
APART = 3
"""Decisions from one position to the next."""
MOVE = """
() => new Promise((resolve) => {
  const picture = document.querySelector("#picture");
  const before = picture.dataset.number;
  const begun = performance.now();
  new MutationObserver((_, observer) => {
    if (picture.dataset.number === before) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begun)));
  }).observe(picture, { childList: true, attributes: true });
  document.querySelector("#moves button").click();
})
"""
"""Play the first move; how many milliseconds until the next position is painted."""


def drawn(game: Game, players: int, positions: int) -> tuple[list[float], list[float]]:
    """Milliseconds of the processor to draw a picture, and to make a frame of it, at so many positions."""
    table, draw = Table(game, {"num_players": players}), random.Random(SEED)
    table.deal(SEED)
    shape = pictures.frame_shape(table.picture(table.seat))
    drawing, frames = [], []
    for number in range(positions):
        for _ in range(APART):
            if table.ending:
                table.deal(SEED, number)
            table.play(draw.choice(np.flatnonzero(table.mask).tolist()))
        begun = time.process_time()
        picture = table.picture(table.seat)
        between = time.process_time()
        pictures.frame(picture, shape)
        drawing.append(1000 * (between - begun))
        frames.append(1000 * (time.process_time() - between))
    return drawing, frames


def told(times: list[float]) -> str:
    """The middle one and the longest, in milliseconds."""
    return f"{statistics.median(times):5.1f} (at most {max(times):.1f})"


def pages(games: list[Game], moves: int) -> None:
    """Open the pages in Chromium, play, and print."""
    from playwright.sync_api import sync_playwright

    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        print("Chromium is not installed: no pages are opened")
        return
    with server() as (address, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        taken, weight = first_page(browser, address)
        print(f"first page: {taken:.0f} ms until a game can be begun, {weight / 1000:.0f} kB")
        for game in games:
            print(f"  {game.id:<12} a move, ms until it is painted: {told(round_trips(browser, address, game, moves))}")
        browser.close()


def first_page(browser: Any, address: str) -> tuple[float, int]:
    """Milliseconds until a new visitor can begin a game, and how many bytes came."""
    page = browser.new_page()
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    begun = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("#play:enabled")
    taken = 1000 * (time.perf_counter() - begun)
    page.wait_for_timeout(200)
    page.close()
    return taken, sum(sizes)


def round_trips(browser: Any, address: str, game: Game, moves: int) -> list[float]:
    """Milliseconds of moves at a table, each until it is painted; the first few, in which all is loaded, do not count."""
    seats = {"game": game.id, "seats": ["here", "random"], "pace": 0, "seed": SEED}
    page, loading = browser.new_page(), 5
    times: list[float] = []
    page.goto(address + _opened(address, seats))
    while len(times) < moves + loading:
        page.wait_for_selector("#moves button, #ending:not([hidden])")
        if page.is_visible("#ending"):
            page.goto("about:blank")
            page.goto(address + _opened(address, seats))
            continue
        times.append(page.evaluate(MOVE))
    page.close()
    return times[loading:]


def _opened(address: str, seats: dict[str, Any]) -> str:
    """The path of a new table."""
    path: str = json.loads(ask(address, "/api/tables", seats))["links"][0]["path"]
    return path


def measure(games: list[Game], positions: int) -> None:
    """Measure and print."""
    print("ms of processor time for a picture, and for a frame of it (rgb_array)")
    for game in games:
        for players in game.player_counts:
            drawing, frames = drawn(game, players, positions)
            print(f"  {game.id:<12} {players} players  {told(drawing)}  {told(frames)}")
    pages(games, positions)
    print(f"machine: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")


def main() -> None:
    """Measure some games, or all that are installed."""
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m benchmarks.pictures", description=__doc__, formatter_class=layout)
    parser.add_argument("--games", nargs="+", metavar="GAME", default=game_ids(), help="games to measure (default: all)")
    parser.add_argument("--positions", type=positive_integer, default=40, help="of each game, and as many moves (default 40)")
    args = parser.parse_args()
    measure([find(name) for name in args.games], args.positions)


if __name__ == "__main__":
    sys.exit(console.run("python -m benchmarks.pictures", main))
