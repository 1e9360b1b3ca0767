"""The pages on small and large screens, in a real Chromium."""

from collections.abc import Iterator

import pytest
from cardtable_agents.web.app import Settings
from cardtable_agents.web.catalogue import AGENTS
from cardtable_agents.web.tables import HERE, OpenTable
from chromium import DESKTOP, PHONE, enter, in_chromium, visiting
from playwright.sync_api import Page
from web_games import played
from web_server import Served, serving

from cardtable.game.registry import find
from cardtable.replay import Replay

FINGER = 24
"""Pixels that a part needs for a finger to meet it."""
SMALLEST_TEXT = 9.0
"""Pixels of the smallest words of a picture."""

LONG_NAME = f"ppo:runs/demo/training/{'a_policy_of_a_long_name_' * 4}.safetensors"
"""As `--player` names agents: by their files."""

pytestmark = in_chromium


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


@pytest.mark.parametrize(("path", "shown"), [("/", "#seats select"), ("/replay", "#file"), ("/runs", "#all:not([hidden])")])
def test_no_other_page_is_too_wide_for_a_phone(server, browser, path, shown):
    with visiting(browser, PHONE, has_touch=True, color_scheme="dark") as visit:
        visit.page.goto(server.address + path)
        visit.page.wait_for_selector(shown, state="attached")
        assert visit.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_agents_with_long_names_make_no_page_wider(browser, size):
    with serving(Settings([*AGENTS, LONG_NAME])) as served, visiting(browser, size) as visit:
        replay = served.post("/api/replays", Replay.of(played()).to_json()).json()["replay"]
        for path, shown in (("/", "#seats select"), (f"/replay#id={replay}", "#watch #picture svg")):
            visit.page.goto(served.address + path)
            visit.page.wait_for_selector(shown)
            assert cut_off(visit.page) == []
        enter(served, visit)
        visit.page.select_option("#adviser", LONG_NAME)
        assert cut_off(visit.page) == []
        table = OpenTable(find("muster"), find("muster").parse_options(), (HERE, LONG_NAME))
        served.site.tables.add(table)
        visit.page.goto(f"{served.address}/table/{table.id}#{table.links[0].key}")
        visit.wait_for_turn()
        while visit.page.is_visible("#moves button"):
            before = visit.number()
            visit.page.locator("#moves button").first.click()
            visit.wait_past(before)
        visit.page.wait_for_selector("#complaint:not([hidden])")  # there is no such file
        assert visit.page.inner_text("#turn") == f"player_1 ({LONG_NAME}) cannot move."
        assert cut_off(visit.page) == []


def cut_off(page: Page) -> list[str]:
    """What reaches beyond the screen, or beyond the column that it stands in; pictures apart, which are scrolled."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll("main *")].filter((each) => {
          const box = each.getBoundingClientRect();
          const edge = each.closest("aside, main").getBoundingClientRect().right;
          return !each.closest(".picture") && box.width && box.right > Math.min(edge, innerWidth) + 1;
        }).map((each) => `${each.tagName}#${each.id}`)"""
    )
    return found


@pytest.mark.parametrize("game", ["muster", "artisans", "murano"])
def test_on_a_phone_nothing_is_too_wide_and_what_is_lit_is_large_enough(server, browser, game):
    with visiting(browser, PHONE, has_touch=True, color_scheme="dark", reduced_motion="reduce") as visit:
        page = visit.page
        enter(server, visit, game)
        page.locator("#moves button").first.tap()
        visit.wait_for_turn()
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
            visit.move()
        print(f"{game}: {len(smallest)} lit parts, the smallest {min(smallest)}")
        assert min(size for size, _ in smallest) >= FINGER
        assert min(words(page)) >= SMALLEST_TEXT
        moving = "getComputedStyle(document.querySelector('#picture [data-part]')).transitionDuration"
        assert page.evaluate(moving) == "0s"  # as was asked for


@pytest.mark.parametrize(("game", "players"), [("muster", 2), ("artisans", 2), ("artisans", 4), ("murano", 2), ("murano", 4)])
def test_on_a_desktop_the_words_of_a_picture_can_be_read(server, visit, game, players):
    options = {"num_players": players} if game != "muster" else {}
    enter(server, visit, game, seats=("here", *["random"] * (players - 1)), options=options)
    assert visit.page.evaluate("document.documentElement.scrollWidth") <= DESKTOP[0]
    assert min(words(visit.page)) >= SMALLEST_TEXT


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
    with visiting(browser, PHONE, has_touch=True) as visit:
        enter(server, visit)
        visit.page.evaluate("document.querySelector('#picture').scrollLeft = 80")
        visit.move()
        assert visit.page.evaluate("document.querySelector('#picture').scrollLeft") == 80


def test_on_a_phone_the_whole_table_can_be_seen_at_once(server, browser):
    hidden = "(() => { const place = document.querySelector('#picture'); return place.scrollWidth - place.clientWidth; })()"
    with visiting(browser, PHONE, has_touch=True) as visit:
        enter(server, visit)
        assert visit.page.evaluate(hidden) > PHONE[0] / 2
        visit.page.locator("#whole").tap()
        assert visit.page.evaluate(hidden) == 0
        visit.move()
        visit.page.reload()
        visit.wait_for_turn()
        assert visit.page.evaluate(hidden) == 0  # as it was left
        visit.page.locator("#whole").tap()
        assert visit.page.evaluate(hidden) > PHONE[0] / 2


@pytest.mark.parametrize("size", [PHONE, (1280, 800)], ids=["phone", "desktop"])
def test_the_button_that_begins_a_game_is_in_view_at_once(server, browser, size):
    with visiting(browser, size) as visit:
        visit.page.goto(server.address)
        visit.page.wait_for_selector("#seats select")
        box = visit.page.locator("#play").bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1]


def test_without_a_table_there_is_nothing_to_press(server, visit):
    visit.page.goto(f"{server.address}/table/none#none")
    visit.page.wait_for_selector("#connection:not([hidden])")
    assert visit.page.is_disabled("#hint")
    assert visit.page.is_disabled("#back")
    visit.page.keyboard.press("h")


def test_on_a_desktop_nobody_is_asked_whether_to_see_the_whole_table(server, visit):
    enter(server, visit)
    assert not visit.page.is_visible("#whole")
