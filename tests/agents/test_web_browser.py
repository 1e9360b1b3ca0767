"""The pages in a real Chromium: whole games by clicks alone, keys, hints, take-back, two browsers, reload, phone width."""

import json
import os
import re
import shutil
import time
from collections.abc import Iterator
from typing import Any

import pytest
from cardtable_agents.web.app import Settings
from playwright.sync_api import Browser, ConsoleMessage, Page, WebSocket, expect, sync_playwright
from web_server import Served, serving

from cardtable.replay import Replay
from cardtable.table import Table

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1200, "height": 900}
WAIT = 60_000
"""Milliseconds, on a busy machine."""
MOST_TURNS = 2500

NEEDED = bool(os.environ.get("CARDTABLE_NEEDS_BROWSER"))
"""Continuous integration does not skip these tests."""

pytestmark = pytest.mark.skipif(
    CHROMIUM is None and not NEEDED, reason="Chromium is not installed: the pages are not tested in a browser"
)
expect.set_options(timeout=WAIT)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("runs")
    table = Table("muster")
    table.deal(4)
    while not table.ending:
        table.play(int(table.mask.argmax()))
    Replay.of(table).save(folder / "game.json")
    with serving(Settings(folders=[folder])) as served:
        yield served


class Visit:
    """A page, and everything that it received and complained about."""

    def __init__(self, browser: Browser, viewport: dict[str, int] = DESKTOP, **settings: Any) -> None:
        self.context = browser.new_context(viewport=viewport, **settings)  # type: ignore[arg-type]
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(WAIT)
        self.faults: list[str] = []
        self.received: list[str] = []
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
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

    def wait_past(self, number: int) -> None:
        """Wait for a later state. (`wait_for_function` would need `eval`, which pages forbid.)"""
        for _ in range(WAIT // 20):
            if self.number() > number or self.page.is_visible("#cover"):
                return
            self.page.wait_for_timeout(20)
        raise AssertionError(f"nothing has changed since {number}")

    def wait_for_turn(self) -> bool:
        """Wait until this page decides; False if the game is over."""
        self.page.wait_for_selector("#moves button, #ending:not([hidden])")
        return not self.page.is_visible("#ending")

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def visit(browser) -> Iterator[Visit]:
    made = Visit(browser)
    yield made
    assert made.faults == []
    made.close()


def enter(server: Served, visit: Visit, game: str = "muster", link: int = 0, **more: Any) -> dict[str, Any]:
    made = server.open(game, **more)
    visit.page.goto(server.address + made["links"][link]["path"])
    visit.wait_for_turn()
    return made


PLAY_BY_CLICKS = """
async () => {
  const told = { turns: 0, clicks: 0, listed: 0 };
  const turn = () => document.querySelector("#moves button") && !document.querySelector("#choosing").hidden;
  const over = () => !document.querySelector("#ending").hidden;
  const pause = (time) => new Promise((resolve) => setTimeout(resolve, time));
  const number = () => document.querySelector("#picture").dataset.number;
  let random = 12345;
  const draw = (list) => {
    random = (random * 1103515245 + 12345) % 2147483648;
    return list[Math.floor((random / 2147483648) * list.length)];
  };
  const chosen = () => document.querySelector("#chosen").textContent;
  while (!over() && told.turns < MOST_TURNS) {
    while (!turn() && !over()) await pause(2);
    if (over()) break;
    const before = number();
    for (let click = 0; click < 6 && number() === before && turn(); click++) {
      const lit = [...document.querySelectorAll("#picture [data-part].lit")];
      const byPart = lit.length > 0 && click < 4;
      const target = draw(byPart ? lit : [...document.querySelectorAll("#moves button")]);
      told.listed += byPart ? 0 : 1;
      target.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
      told.clicks += 1;
      for (let wait = 0; wait < 10 && number() === before && !chosen(); wait++) await pause(3);
    }
    while (number() === before && !over()) await pause(2);
    told.turns += 1;
  }
  return { ...told, over: over(), outcome: document.querySelector("#outcome").textContent };
}
""".replace("MOST_TURNS", str(MOST_TURNS))


@pytest.mark.parametrize(
    ("game", "options"),
    [("muster", {}), ("artisans", {"max_visits": 2}), ("murano", {"max_rounds": 4, "advantages": "first_game"})],
    ids=["muster", "artisans", "murano"],
)
def test_a_whole_game_by_clicks_alone(server, visit, game, options):
    enter(server, visit, game, options=options, seed=2)
    told = visit.page.evaluate(PLAY_BY_CLICKS)
    print(game, told)
    assert told["over"]
    assert re.search(r"you win|you lose|a shared win", told["outcome"])
    assert told["turns"] > 15
    visit.page.click("#replay")
    visit.page.wait_for_selector("#watch #picture svg")
    expect(visit.page.locator("#step")).to_contain_text("0 of")


def test_a_person_who_reads_nothing_plays_against_search(server, visit):
    """From the start page: press the one large button, click what is lit."""
    visit.page.goto(server.address)
    visit.page.click("button.main")
    visit.wait_for_turn()
    assert "search:400" in json.dumps(visit.states()[0]["players"])
    for _ in range(4):
        before = visit.number()
        for _ in range(4):
            visit.page.locator("#picture .lit").first.dispatch_event("click")
            visit.page.wait_for_timeout(150)
            if visit.number() != before:
                break
        else:
            visit.page.locator("#moves button").first.click()
        visit.wait_past(before)
        visit.wait_for_turn()


def test_real_mouse_clicks_on_lit_parts_play_a_move(server, visit):
    enter(server, visit, seed=3)
    before = visit.number()
    for _ in range(5):
        lit = visit.page.locator("#picture .lit")
        box = lit.nth(lit.count() // 2).bounding_box()
        assert box is not None
        visit.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        visit.page.wait_for_timeout(200)
        if visit.number() != before:
            break
    assert visit.number() != before


def test_escape_and_a_second_click_start_again(server, visit):
    enter(server, visit, seed=3)
    all_moves, number = visit.page.locator("#moves button").count(), visit.number()
    card = next(part for part in visit.page.locator("#picture .lit").all() if _names_several(visit, part))
    card.dispatch_event("click")
    expect(visit.page.locator("#chosen")).to_contain_text("go with what you clicked")
    assert 1 < visit.page.locator("#moves button").count() < all_moves
    visit.page.keyboard.press("Escape")
    expect(visit.page.locator("#moves button")).to_have_count(all_moves)
    card.dispatch_event("click")
    visit.page.locator("#picture .chosen").first.dispatch_event("click")
    expect(visit.page.locator("#moves button")).to_have_count(all_moves)
    assert visit.number() == number


def _names_several(visit: Visit, part: Any) -> bool:
    names = part.get_attribute("data-part")
    actions = visit.states()[-1]["actions"]
    from cardtable.support.svg import is_named

    return 1 < sum(is_named(names, action["block"], action["labels"]) for action in actions) < len(actions)


def test_keyboard_alone_plays_and_lit_parts_are_buttons(server, visit):
    enter(server, visit, seed=3)
    page, before = visit.page, visit.number()
    part = page.locator("#picture .lit").first
    assert part.get_attribute("role") == "button"
    assert part.get_attribute("tabindex") == "0"
    assert part.get_attribute("aria-label")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.closest('#moves') !== null")
    page.keyboard.press("Enter")
    visit.wait_past(before)
    visit.wait_for_turn()
    page.locator("#picture .lit").first.focus()
    page.keyboard.press("Enter")
    visit.wait_for_turn()
    expect(page.locator("#moves button").first).to_be_focused()
    assert page.get_attribute("#log", "aria-live") == "polite"
    assert page.get_attribute("#turn", "role") == "status"


def test_hint_shows_bars_and_the_value_of_the_position(server, visit):
    enter(server, visit, seed=3)
    for agent, words in (("search:100", "worth"), ("heuristic", "worth"), ("ppo", "would play"), ("random", "would play")):
        visit.page.select_option("#adviser", agent)
        visit.page.click("#hint")
        expect(visit.page.locator("#advice")).to_contain_text(f"{agent} would play")
        expect(visit.page.locator("#advice")).to_contain_text(words)
        expect(visit.page.locator("#moves .best")).to_have_count(1)
    visit.page.select_option("#adviser", "search:100")
    visit.page.keyboard.press("Escape")
    visit.page.locator("body").press("h")
    expect(visit.page.locator("#moves .bar")).to_have_count(visit.page.locator("#moves button").count())


def test_take_back_returns_to_the_same_choice(server, visit):
    enter(server, visit, seed=3)
    moves = visit.page.locator("#moves button").all_inner_texts()
    expect(visit.page.locator("#back")).to_be_disabled()
    visit.page.locator("#moves button").first.click()
    expect(visit.page.locator("#back")).to_be_enabled()
    visit.wait_for_turn()
    visit.page.click("#back")
    expect(visit.page.locator("#moves button")).to_have_count(len(moves))
    assert visit.page.locator("#moves button").all_inner_texts() == moves
    expect(visit.page.locator("#log li")).to_have_count(1)


def test_two_browsers_at_one_table_and_neither_sees_the_others_cards(server, browser):
    first, second = Visit(browser), Visit(browser)
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
    for visit in (first, second):
        assert visit.faults == []
        visit.close()


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


def test_a_reload_in_mid_game_goes_on(server, visit):
    enter(server, visit, seed=6)
    for _ in range(3):
        before = visit.number()
        visit.page.locator("#moves button").first.click()
        visit.wait_past(before)
        visit.wait_for_turn()
    moves, log = visit.page.locator("#moves button").all_inner_texts(), visit.page.locator("#log li").all_inner_texts()
    visit.page.reload()
    visit.wait_for_turn()
    assert visit.page.locator("#moves button").all_inner_texts() == moves
    assert visit.page.locator("#log li").all_inner_texts() == log


def test_a_lost_connection_comes_back(server, visit):
    enter(server, visit, seed=6)
    moves, heard = visit.page.locator("#moves button").all_inner_texts(), len(visit.states())
    server.drop_connections()
    while len(visit.states()) == heard:
        visit.page.wait_for_timeout(50)
    expect(visit.page.locator("#connection")).to_be_hidden()
    assert visit.page.locator("#moves button").all_inner_texts() == moves
    before = visit.number()
    visit.page.locator("#moves button").first.click()
    visit.wait_past(before)


def test_a_link_that_opens_nothing_says_so(server, visit):
    visit.page.goto(f"{server.address}/table/nothing#nobody")
    expect(visit.page.locator("#connection")).to_contain_text("opens no table")


def test_a_replay_is_walked_by_keys(server, visit):
    visit.page.goto(f"{server.address}/replay")
    visit.page.click("#replays a")
    visit.page.wait_for_selector("#watch #picture svg")
    steps = int(visit.page.get_attribute("#slider", "max") or 0)
    first = visit.page.inner_html("#picture")
    for number in range(1, 6):
        visit.page.keyboard.press("ArrowRight")
        expect(visit.page.locator("#step")).to_have_text(f"{number} of {steps}")
    expect(visit.page.locator("#sentences li")).not_to_have_count(0)
    assert any(visit.page.inner_html("#picture") != first or time.sleep(0.1) for _ in range(100))  # it comes after the number
    visit.page.keyboard.press("ArrowLeft")
    expect(visit.page.locator("#step")).to_have_text(f"4 of {steps}")
    visit.page.keyboard.press("End")
    expect(visit.page.locator("#step")).to_have_text(f"{steps} of {steps}")
    expect(visit.page.locator("#picture")).to_contain_text("game over")
    visit.page.keyboard.press("Home")
    expect(visit.page.locator("#step")).to_have_text(f"0 of {steps}")
    visit.page.select_option("#seat", "1")
    expect(visit.page.locator("#picture")).to_contain_text("player_1 (you)")
    assert "step=0&seat=1" in visit.page.url


def test_values_of_a_replay_are_a_curve_that_leads_to_the_step(server, visit):
    visit.page.goto(f"{server.address}/replay")
    visit.page.click("#replays a")
    visit.page.wait_for_selector("#watch #picture svg")
    visit.page.select_option("#agent", "heuristic")
    visit.page.click("#value")
    expect(visit.page.locator("#value")).to_be_enabled()
    visit.page.wait_for_selector("#curve svg")
    box = visit.page.locator("#curve svg").bounding_box()
    assert box is not None
    visit.page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
    expect(visit.page.locator("#step")).not_to_contain_text(re.compile("^0 of"))
    expect(visit.page.locator("#worst li")).not_to_have_count(0)


def test_a_forged_file_is_refused_in_words(server, visit, tmp_path):
    path = tmp_path / "forged.json"
    path.write_text('{"format": "<img src=x onerror=alert(1)>"}')
    visit.page.goto(f"{server.address}/replay")
    visit.page.set_input_files("#file", path)
    expect(visit.page.locator("#complaint")).to_contain_text("not a replay")
    visit.faults.clear()  # Chromium writes every status 400 to its console


def test_pages_are_usable_at_phone_width_and_in_the_dark(server, browser):
    visit = Visit(browser, PHONE, color_scheme="dark", has_touch=True, reduced_motion="reduce")
    for path in ("/", "/replay", "/runs"):
        visit.page.goto(server.address + path)
        visit.page.wait_for_timeout(300)
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], path
    for game in ("muster", "artisans", "murano"):
        enter(server, visit, game, seed=2)
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], game
        visit.page.locator("#moves button").first.tap()
    transition = visit.page.evaluate(
        "getComputedStyle(document.querySelector('#picture [data-part]') ?? document.body).transitionDuration"
    )
    assert transition == "0s"
    assert visit.faults == []
    visit.close()


def test_an_option_clash_is_explained_while_choosing(server, visit):
    visit.page.goto(server.address)
    visit.page.click("text=Murano")
    visit.page.select_option("#number", "1")
    visit.page.click("#details summary")
    visit.page.check("[name=option-draft]")
    expect(visit.page.locator("#complaint")).to_contain_text("The Challenge is played without it")
    visit.page.uncheck("[name=option-draft]")
    expect(visit.page.locator("#complaint")).to_be_hidden()
    visit.faults.clear()  # Chromium writes every status 400 to its console


def test_links_for_other_seats_are_shown_and_work(server, browser, visit):
    visit.page.goto(server.address)
    visit.page.wait_for_selector("#seats select")
    visit.page.select_option("[name=seat1]", "link")
    visit.page.click("#play")
    link = visit.page.locator("#list a").first.get_attribute("href")
    assert link is not None
    other = Visit(browser)
    other.page.goto(link)
    other.page.wait_for_selector("#picture svg")
    assert other.states()[0]["own"] == [1]
    visit.page.click("#enter")
    visit.page.wait_for_selector("#picture svg")
    assert visit.states()[0]["own"] == [0]
    expect(visit.page.locator("#others a")).to_have_count(1)
    other.close()


def test_nothing_is_loaded_from_elsewhere(server, browser):
    visit = Visit(browser)
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
    visit.close()
