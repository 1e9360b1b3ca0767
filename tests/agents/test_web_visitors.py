"""Who visits a table in a real Chromium: two at one table, two at one screen, lost connections, invitations, other sites."""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from cardtable_agents.web.app import Settings
from chromium import enter, in_chromium, visiting
from playwright.sync_api import expect
from web_server import Served, serving

pytestmark = in_chromium


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


# ---- Several persons


def test_two_browsers_at_one_table_and_neither_sees_the_others_cards(server, browser):
    with visiting(browser) as first, visiting(browser) as second:
        made = server.open(seats=("here", "link"), seed=5)
        for visit, link in zip((first, second), made["links"], strict=True):
            visit.page.goto(server.address + link["path"])
            visit.page.wait_for_selector("#picture svg")
        table = server.site.tables.find(made["table"])
        assert table is not None
        searched = own = 0
        for _ in range(12):
            seat = table.table.seat
            mover, other = (first, second) if seat == 0 else (second, first)
            mover.page.wait_for_selector("#moves button")
            number = table.number
            mover.page.locator("#moves button").last.click()
            for visit in (mover, other):
                visit.wait_past(number)
            for viewer, visit in enumerate((first, second)):
                secret = table.table.view(1 - viewer)["hand"][f"player_{1 - viewer}"]
                known = json.dumps(table.table.view(viewer)) + json.dumps(table.table.events(viewer))
                hidden = [card for card in secret if card not in known]
                dom = visit.page.content()
                own += sum(f'aria-label="{card}"' in dom for card in table.table.view(viewer)["hand"][f"player_{viewer}"])
                for card in hidden:
                    searched += 1
                    assert f'aria-label="{card}"' not in dom
                    assert card not in visit.page.inner_text("#log")
                    assert not any(f'"{card}"' in text or f'\\"{card}\\"' in text for text in visit.received)
        assert searched > 20
        assert own > 20  # so a card in the page is found if it is there


@pytest.mark.parametrize("game", ["artisans", "murano"])
def test_neither_of_two_browsers_holds_the_others_cards(server, browser, game):
    """The whole page and everything that came over the network, searched for what only the other hand knows."""
    made = server.open(game, ("here", "link"), seed=5)
    table = server.site.tables.find(made["table"])
    with visiting(browser) as first, visiting(browser) as second:
        visits = (first, second)
        for visit, link in zip(visits, made["links"], strict=True):
            visit.page.goto(server.address + link["path"])
            visit.page.wait_for_selector("#picture svg")
        compared = 0
        for _ in range(20):
            mover, before = visits[table.table.seat].page, table.number
            mover.wait_for_selector("#moves button")
            buttons = mover.locator("#moves button")
            buttons.nth(buttons.count() // 2).click()
            for visit in visits:
                visit.wait_past(before)
            for seat, visit in enumerate(visits):  # the server is at rest: nobody else uses the table now
                state = visit.states()[-1]
                for world in (table.table.redeal(seat, 1), table.table.redeal(seat, 2)):
                    assert state["picture"] == world.picture(seat)
                    compared += 1
        print(
            f"{game}: {compared} pictures are those of other deals too; {len(first.received) + len(second.received)} messages"
        )


def test_two_persons_at_one_screen_play_with_hands_covered(server, visit):
    made = server.open(seats=("here", "here"), seed=5)
    visit.page.goto(server.address + made["links"][0]["path"])
    turns = 0
    for _ in range(6):
        visit.page.wait_for_selector("#uncover:visible, #moves button")
        if visit.page.is_visible("#uncover"):
            assert visit.page.locator("#picture svg").count() == 0
            assert visit.page.locator("#log li").count() == 0
            assert visit.page.locator("#moves button").count() == 0
            turns += 1
            visit.page.click("#uncover")
        visit.page.wait_for_selector("#moves button")
        before = visit.number()
        visit.page.locator("#moves button").first.click()
        visit.wait_past(before)
    assert turns >= 2


def test_links_for_other_seats_are_shown_and_work(server, browser, visit):
    visit.page.goto(server.address)
    visit.page.wait_for_selector("#seats select")
    visit.page.select_option("[name=seat1]", "link")
    visit.page.click("#play")
    link = visit.page.locator("#list a").first.get_attribute("href")
    assert link is not None
    with visiting(browser) as other:
        other.page.goto(link)
        other.page.wait_for_selector("#picture svg")
        assert other.states()[0]["own"] == [1]
    visit.page.click("#enter")
    visit.page.wait_for_selector("#picture svg")
    assert visit.states()[0]["own"] == [0]
    expect(visit.page.locator("#others a")).to_have_count(1)


# ---- Connections


def test_a_reload_in_mid_game_goes_on(server, visit):
    enter(server, visit)
    for _ in range(3):
        visit.move()
    moves, log = visit.moves(), visit.log()
    visit.page.reload()
    visit.wait_for_turn()
    assert (visit.moves(), visit.log()) == (moves, log)


def test_a_lost_connection_comes_back_by_itself(server, visit):
    enter(server, visit)
    visit.move()
    moves, log = visit.moves(), visit.log()
    for _ in range(3):
        heard = len(visit.states())
        server.drop_connections()
        visit.wait_until(lambda heard=heard: len(visit.states()) > heard, "the table again")
        expect(visit.page.locator("#connection")).to_be_hidden()
    assert (visit.moves(), visit.log()) == (moves, log)
    visit.move()
    expect(visit.page.locator("#connection")).to_be_hidden()
    visit.faults.clear()  # Chromium writes every lost connection to its console


def test_when_the_server_has_ended_the_page_says_so_and_tries_again(visit):
    with serving() as served:
        enter(served, visit)
    expect(visit.page.locator("#connection")).to_contain_text("connection is lost")
    assert visit.page.locator("#picture svg").count() == 1  # what was there can still be read
    visit.faults.clear()  # Chromium writes every lost connection to its console


def test_a_link_that_opens_nothing_says_so(server, visit):
    visit.page.goto(f"{server.address}/table/nothing#nobody")
    expect(visit.page.locator("#connection")).to_contain_text("opens no table")


# ---- Other sites


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


def test_an_invitation_works_when_it_is_clicked_on_another_site(visit):
    """In web mail or a chat: the cookie that the link gives must come along when the page is led on."""
    with serving(Settings(token="the-token")) as served, ThreadingHTTPServer(("127.0.0.1", 0), OtherSite) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        made = open_with_token(served)
        OtherSite.link = f"{served.address}/table/{made['table']}?token=the-token#{made['links'][0]['key']}"
        visit.page.goto(f"http://localhost:{other.server_port}/")
        visit.page.click("a")
        visit.wait_for_turn()
        assert "token" not in visit.page.url
        assert visit.page.evaluate("document.cookie") == ""
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


def test_scripts_of_another_site_reach_nothing(server, visit):
    """What a page elsewhere can try by itself: requests that are sent but not read, sockets, frames."""
    with ThreadingHTTPServer(("127.0.0.1", 0), OtherSite) as other:
        Thread(target=other.serve_forever, daemon=True).start()
        tables = len(server.site.tables)
        visit.page.goto(f"http://localhost:{other.server_port}/")
        tried = visit.page.evaluate(TRY_EVERYTHING, server.address)
        assert tried == ["failed"] * 5
        assert len(server.site.tables) == tables
        other.shutdown()
    visit.faults.clear()  # Chromium writes every refusal to its console


def test_nothing_is_loaded_from_elsewhere(server, visit):
    asked: list[str] = []
    visit.page.on("request", lambda request: asked.append(request.url))
    enter(server, visit)
    visit.page.goto(f"{server.address}/runs")
    assert len(asked) > 8
    assert all(url.startswith(server.address) for url in asked)
    inline = (
        "const script = document.createElement('script'); script.textContent = 'window.ran = 1'; document.body.append(script);"
    )
    assert visit.page.evaluate(f"() => {{ {inline} return window.ran ?? 'blocked'; }}") == "blocked"
    visit.faults.clear()  # Chromium writes what it blocks to its console
