"""What a person meets in a real Chromium beyond the usual game: lost connections, invitations, small screens, keys, markup.

`CARDTABLE_NEEDS_BROWSER=1` makes it a failure if there is no browser.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from cardtable_agents.web.app import Settings
from playwright.sync_api import Browser, Page, Playwright, WebSocketRoute, expect, sync_playwright
from test_browser_safety import SCRIPT, played, scripted
from web_server import Served, serving

from cardtable.game.registry import find
from cardtable.replay import Replay

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
REQUIRED = bool(os.environ.get("CARDTABLE_NEEDS_BROWSER"))
QUIET = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
WAIT = 60_000
"""Milliseconds, on a busy machine."""
PHONE, DESKTOP = (390, 844), (1200, 900)
FINGER = 24
"""Pixels that a part needs for a finger to meet it."""
SMALLEST_TEXT = 9.0
"""Pixels of the smallest words of a picture."""

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not REQUIRED, reason="Chromium is not installed: the pages are not tested in a browser"
)
expect.set_options(timeout=WAIT)


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(playwright) -> Iterator[Browser]:
    assert CHROMIUM, "CARDTABLE_NEEDS_BROWSER is set, but there is no chromium"
    launched = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
    yield launched
    launched.close()


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


@contextmanager
def page_of(browser: Browser, size: tuple[int, int] = DESKTOP, **settings: Any) -> Iterator[Page]:
    """A page of a new visitor, which may run no dialog."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, **settings)
    page = context.new_page()
    page.set_default_timeout(WAIT)
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    yield page
    assert dialogs == []
    context.close()


def enter(server: Served, page: Page, game: str = "muster", **more: Any) -> dict[str, Any]:
    made = server.open(game, **{"seed": 3, **more})
    page.goto(server.address + made["links"][0]["path"])
    page.wait_for_selector("#moves button")
    return made


def number(page: Page) -> str:
    return page.get_attribute("#picture", "data-number") or ""


def move(page: Page) -> None:
    """Play the middle one of the moves, and wait until it is this page's turn again, or the game is over."""
    before, buttons = number(page), page.locator("#moves button")
    buttons.nth(buttons.count() // 2).click()
    expect(page.locator("#picture")).not_to_have_attribute("data-number", before)
    page.wait_for_selector("#moves button, #ending:not([hidden])")


# ---- Connections


def test_a_lost_connection_is_told_and_comes_back_by_itself(server, browser):
    with page_of(browser) as page:
        routes: list[WebSocketRoute] = []

        def pass_on(route: WebSocketRoute) -> None:
            routes.append(route)
            route.connect_to_server()

        page.route_web_socket("**/api/tables/*", pass_on)
        enter(server, page)
        move(page)
        moves, log = page.locator("#moves button").all_inner_texts(), page.locator("#log li").all_inner_texts()
        for lost in range(1, 4):
            routes[-1].close(code=1012, reason="restarting")
            expect(page.locator("#connection")).to_be_hidden()
            while len(routes) <= lost:
                page.wait_for_timeout(50)
            page.wait_for_selector("#moves button")
        assert page.locator("#moves button").all_inner_texts() == moves
        assert page.locator("#log li").all_inner_texts() == log
        move(page)
        expect(page.locator("#connection")).to_be_hidden()


def test_when_the_server_has_ended_the_page_says_so_and_tries_again(browser):
    with page_of(browser) as page:
        with serving() as served:
            enter(served, page)
        expect(page.locator("#connection")).to_contain_text("connection is lost")
        assert page.locator("#picture svg").count() == 1  # what was there can still be read


class OtherSite(BaseHTTPRequestHandler):
    """A page of another site with a link."""

    link = ""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(f'<a href="{self.link}">come and play</a>'.encode())

    def log_message(self, *_: Any) -> None:
        pass


def test_an_invitation_works_when_it_is_clicked_on_another_site(browser):
    """In web mail or a chat: the cookie that the link gives must come along when the page is led on."""
    with serving(Settings(token="the-token")) as served, ThreadingHTTPServer(("127.0.0.1", 0), OtherSite) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        made = open_with_token(served)
        OtherSite.link = f"{served.address}/table/{made['table']}?token=the-token#{made['links'][0]['key']}"
        with page_of(browser) as page:
            page.goto(f"http://localhost:{other.server_port}/")
            page.click("a")
            page.wait_for_selector("#moves button")
            assert "token" not in page.url
            assert page.evaluate("document.cookie") == ""
        other.shutdown()


def open_with_token(served: Served) -> dict[str, Any]:
    answer = served.post("/api/tables", {"game": "muster", "seats": ["here", "random"]}, Cookie="cardtable=the-token")
    made: dict[str, Any] = answer.json()
    return made


TRY_EVERYTHING = """
async (address) => {
  const failed = () => "failed";
  const body = JSON.stringify({ game: "muster", seats: ["here", "random"] });
  const ask = (more) => fetch(`${address}/api/tables`, { method: "POST", body, ...more });
  const post = (more) => ask(more).then((answer) => answer.status, failed);
  const read = () => fetch(`${address}/api/start`).then((answer) => answer.text(), failed);
  const open = () => new Promise((resolve) => {
    const socket = new WebSocket(`${address.replace("http", "ws")}/api/tables/x`);
    socket.onopen = () => resolve("open");
    socket.onerror = () => resolve("failed");
  });
  const frame = () => new Promise((resolve) => {
    const made = document.createElement("iframe");
    made.onload = () => resolve(made.contentDocument ? "read" : "failed");
    made.src = `${address}/`;
    document.body.append(made);
  });
  return [await post({}), await post({ mode: "no-cors" }), await read(), await open(), await frame()];
}
"""


def test_scripts_of_another_site_reach_nothing(server, browser):
    """What a page elsewhere can try by itself: requests that are sent but not read, sockets, frames."""
    with ThreadingHTTPServer(("127.0.0.1", 0), OtherSite) as other, page_of(browser) as page:
        Thread(target=other.serve_forever, daemon=True).start()
        tables = len(server.site.tables)
        page.goto(f"http://localhost:{other.server_port}/")
        tried = page.evaluate(TRY_EVERYTHING, server.address)
        assert tried == ["failed"] * 5
        assert len(server.site.tables) == tables
        other.shutdown()


# ---- Cards of others


@pytest.mark.parametrize("game", ["artisans", "murano"])
def test_neither_of_two_browsers_holds_the_others_cards(server, browser, game):
    """The whole page and everything that came over the network, searched for what only the other hand knows."""
    made = server.open(game, ("here", "link"), seed=5)
    table = server.site.tables.find(made["table"])
    received: list[list[str]] = [[], []]
    with page_of(browser) as first, page_of(browser) as second:
        pages = (first, second)
        for heard, page, link in zip(received, pages, made["links"], strict=True):
            page.on("websocket", lambda socket, heard=heard: socket.on("framereceived", lambda text: heard.append(str(text))))
            page.goto(server.address + link["path"])
            page.wait_for_selector("#picture svg")
        compared = 0
        for _ in range(20):
            mover, before = pages[table.table.seat], str(table.number)
            mover.wait_for_selector("#moves button")
            buttons = mover.locator("#moves button")
            buttons.nth(buttons.count() // 2).click()
            for seat, page in enumerate(pages):
                expect(page.locator("#picture")).not_to_have_attribute("data-number", before)
                expect(page.locator("#picture")).to_have_attribute("data-number", str(table.number))
                state = json.loads(next(text for text in reversed(received[seat]) if '"state"' in text))
                for world in (table.table.redeal(seat, 1), table.table.redeal(seat, 2)):
                    assert state["picture"] == world.picture(seat)
                    compared += 1
        print(f"{game}: {compared} pictures are those of other deals too; {sum(map(len, received))} messages")


# ---- Markup in names


def test_no_name_becomes_markup(browser, tmp_path):
    """Names of cards, files, folders and agents that would run as a script: they are there, as text."""
    game, runs = find("artisans"), tmp_path / "runs"
    (runs / "<b onclick=alert(1)>").mkdir(parents=True)
    path = next(each["edition"] for each in game.variants if "edition" in each)
    edition = scripted(game.parse_options({"edition": path}).to_dict()["edition"])
    Replay.of(played("artisans", moves=40, edition=edition)).save(
        runs / "<b onclick=alert(1)>" / "<img src=x onerror=alert(3)>.json"
    )
    with serving(Settings(agents=("random", SCRIPT), folders=[runs])) as served, page_of(browser) as page:
        page.goto(served.address)
        page.wait_for_selector("#seats select")
        assert SCRIPT in page.locator("#seats option").all_text_contents()
        page.goto(f"{served.address}/replay")
        page.click("#replays a")
        page.wait_for_selector("#picture svg")
        expect(page.locator("#title")).to_contain_text("onerror=alert(3)")
        for _ in range(8):
            page.keyboard.press("PageDown")
            page.wait_for_timeout(50)
        expect(page.locator("#picture")).to_contain_text("onerror")
        for made in ("#picture img", "#picture script", "main img", "b", "body script"):
            assert page.locator(made).count() == 0, made
        page.goto(f"{served.address}/runs")
        page.wait_for_selector("#all:not([hidden])")
        assert page.locator("main img, main b").count() == 0


# ---- Small and large screens, keys


@pytest.mark.parametrize("game", ["muster", "artisans", "murano"])
def test_on_a_phone_nothing_is_too_wide_and_what_is_lit_is_large_enough(server, browser, game):
    with page_of(browser, PHONE, has_touch=True, color_scheme="dark", reduced_motion="reduce") as page:
        enter(server, page, game)
        smallest = []
        for _ in range(25):
            assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
            smallest += page.evaluate(
                """() => [...document.querySelectorAll("#picture .lit")].map((part) => {
                  const box = part.getBoundingClientRect();
                  return [Math.min(box.width, box.height), part.getAttribute("aria-label")];
                })"""
            )
            if page.is_visible("#ending"):
                break
            move(page)
        print(f"{game}: {len(smallest)} lit parts, the smallest {min(smallest)}")
        assert min(size for size, _ in smallest) >= FINGER
        assert min(words(page)) >= SMALLEST_TEXT


@pytest.mark.parametrize(("game", "players"), [("muster", 2), ("artisans", 2), ("artisans", 4), ("murano", 2), ("murano", 4)])
def test_on_a_desktop_the_words_of_a_picture_can_be_read(server, browser, game, players):
    with page_of(browser) as page:
        options = {"num_players": players} if game != "muster" else {}
        enter(server, page, game, seats=("here", *["random"] * (players - 1)), options=options)
        assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP[0]
        assert min(words(page)) >= SMALLEST_TEXT


def words(page: Page) -> list[float]:
    """The sizes of all words of the picture, in pixels of the screen."""
    sizes: list[float] = page.evaluate(
        """() => {
          const svg = document.querySelector("#picture svg");
          const scale = svg.getScreenCTM().a;
          return [...svg.querySelectorAll("text")].map((text) => Number(text.getAttribute("font-size")) * scale);
        }"""
    )
    return sizes


def test_a_picture_that_is_wider_than_a_phone_stays_where_it_was_scrolled_to(server, browser):
    with page_of(browser, PHONE, has_touch=True) as page:
        enter(server, page)
        page.evaluate("document.querySelector('#picture').scrollLeft = 80")
        move(page)
        assert page.evaluate("document.querySelector('#picture').scrollLeft") == 80


def focused(page: Page) -> str:
    """What has the focus."""
    told: str = page.evaluate("document.activeElement.closest('#moves') ? 'moves' : document.activeElement.id")
    return told


def test_the_focus_stays_with_who_plays_by_keys(server, browser):
    with page_of(browser) as page:
        enter(server, page)
        page.keyboard.press("/")
        for _ in range(3):
            before = number(page)
            page.keyboard.press("Enter")
            expect(page.locator("#picture")).not_to_have_attribute("data-number", before)
            page.wait_for_selector("#moves button:focus")
        page.keyboard.press("Tab")
        chosen = page.evaluate("document.activeElement.dataset.action")
        page.keyboard.press("h")
        page.wait_for_selector("#moves .best")
        assert page.evaluate("document.activeElement.dataset.action") == chosen
        page.focus("#pace")
        page.keyboard.press("ArrowDown")
        page.wait_for_timeout(300)
        assert focused(page) == "pace"
        page.keyboard.press("Shift+Tab")
        assert focused(page) == "adviser"


def test_a_half_chosen_move_outlives_another_pace(server, browser):
    with page_of(browser) as page:
        enter(server, page)
        page.locator('#picture .lit[data-part*="|"]').last.click()
        chosen = page.inner_text("#chosen")
        assert "moves go with what you clicked" in chosen
        page.select_option("#pace", "2")
        page.wait_for_timeout(300)
        assert page.inner_text("#chosen") == chosen
        assert page.locator("#picture .chosen").count() == 1


def test_a_game_is_opened_and_played_by_keys_alone(server, browser):
    with page_of(browser) as page:
        page.goto(server.address)
        page.wait_for_selector("#seats select")
        press_until(page, "select[name=seat1]")
        page.keyboard.type("random")
        press_until(page, "#play")
        page.keyboard.press("Enter")
        page.wait_for_selector("#moves button")
        assert "random" in page.inner_text("#log") or page.title()
        for _ in range(3):
            before = number(page)
            press_until(page, "#picture .lit")
            page.keyboard.press("Enter")
            page.wait_for_timeout(300)
            if number(page) == before:  # several moves go with the part: the list has the focus
                assert page.evaluate("document.activeElement.closest('#moves, #picture') !== null")
                page.keyboard.press("/")
                page.keyboard.press("Enter")
            expect(page.locator("#picture")).not_to_have_attribute("data-number", before)
            page.wait_for_selector("#moves button")


def press_until(page: Page, selector: str) -> None:
    """Press Tab until the focus is on what is looked for."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"80 times Tab do not lead to {selector}")


def test_a_file_that_is_too_large_is_refused_in_words(server, browser, tmp_path):
    path = tmp_path / "large.json"
    path.write_text(" " * (6 << 20))
    with page_of(browser) as page:
        page.goto(f"{server.address}/replay")
        page.set_input_files("#file", path)
        expect(page.locator("#complaint")).to_contain_text("too large")
