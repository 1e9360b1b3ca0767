"""Visits to the pages in a real Chromium.

`CARDTABLE_NEEDS_BROWSER=1` makes it a failure if there is no browser.
"""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, WebSocket, expect
from web_server import Served

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NEEDED = bool(os.environ.get("CARDTABLE_NEEDS_BROWSER"))
"""Continuous integration does not skip these tests."""
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WAIT = 60_000
"""Milliseconds, on a busy machine."""
PHONE, DESKTOP = (390, 844), (1200, 900)

in_chromium = pytest.mark.skipif(
    CHROMIUM is None and not NEEDED, reason="Chromium is not installed: the pages are not tested in a browser"
)
expect.set_options(timeout=WAIT)


class Visit:
    """A page of a new visitor, and everything that it received and complained about."""

    def __init__(self, browser: Browser, size: tuple[int, int] = DESKTOP, **settings: Any) -> None:
        self.context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **settings)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        self.faults: list[str] = []
        self.dialogs: list[str] = []
        self.received: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.dialogs.append(dialog.message), dialog.dismiss()))
        self.page.on("websocket", self._listen)

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda content: self.received.append(str(content)))

    def states(self) -> list[dict[str, Any]]:
        return [state for state in map(json.loads, self.received) if state["type"] == "state"]

    def number(self) -> int:
        return int(self.page.get_attribute("#picture", "data-number") or -1)

    def moves(self) -> list[str]:
        return self.page.locator("#moves button").all_inner_texts()

    def log(self) -> list[str]:
        return self.page.locator("#log li").all_inner_texts()

    def wait_until(self, condition: Callable[[], bool], what: str) -> None:
        """Wait as long as it takes on a busy machine. (`wait_for_function` would need `eval`, which pages forbid.)"""
        for _ in range(WAIT // 20):
            if condition():
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"waited in vain: {what}")

    def wait_past(self, number: int) -> None:
        """Wait for a later state."""
        self.wait_until(lambda: self.number() > number or self.page.is_visible("#cover"), f"a state after {number}")

    def wait_for_turn(self) -> bool:
        """Wait until this page decides; False if the game is over."""
        self.page.wait_for_selector("#moves button, #ending:not([hidden])")
        return not self.page.is_visible("#ending")

    def choose(self, click: Callable[[], None]) -> None:
        """Click a lit part, and wait for what comes of it: fewer moves that go with it, or the next state."""
        before = self._choice()
        click()
        self.wait_until(lambda: self._choice() != before, "what comes of a click")

    def _choice(self) -> tuple[int, str, int]:
        return self.number(), self.page.inner_text("#chosen"), self.page.locator("#picture .chosen").count()

    def move(self) -> None:
        """Play the middle one of the moves, and wait until it is this page's turn again, or the game is over."""
        before, buttons = self.number(), self.page.locator("#moves button")
        buttons.nth(buttons.count() // 2).click()
        self.wait_past(before)
        self.wait_for_turn()


@contextmanager
def visiting(browser: Browser, size: tuple[int, int] = DESKTOP, **settings: Any) -> Iterator[Visit]:
    """A visit that ends without a complaint of the browser, nor a dialog, which only a script from a name would open."""
    made = Visit(browser, size, **settings)
    yield made
    assert (made.faults, made.dialogs) == ([], [])
    made.context.close()


def enter(server: Served, visit: Visit, game: str = "muster", **more: Any) -> dict[str, Any]:
    """Sit down at a new table."""
    made = server.open(game, **{"seed": 3, **more})
    visit.page.goto(server.address + made["links"][0]["path"])
    visit.wait_for_turn()
    return made
