"""Playing in a real Chromium: whole games by clicks alone, keys, the start page, hints, take-back."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from cardtable_agents.web.app import Settings
from chromium import Visit, enter, in_chromium
from playwright.sync_api import Page, Route, expect
from web_server import Served, serving

from cardtable.support.svg import is_named

MOST_TURNS = 2500

pytestmark = in_chromium


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with serving() as served:
        yield served


# ---- Clicks


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
    expect(visit.page.locator("#title")).to_have_text(f"{visit.states()[-1]['title']}: just played")


def test_a_person_who_reads_nothing_plays_against_search(server, visit):
    """From the start page: press the one large button, click what is lit."""
    visit.page.goto(server.address)
    visit.page.click("button.main")
    visit.wait_for_turn()
    assert "search:400" in json.dumps(visit.states()[0]["players"])
    for _ in range(4):
        before = visit.number()
        for _ in range(4):
            visit.choose(lambda: visit.page.locator("#picture .lit").first.dispatch_event("click"))
            if visit.number() != before:
                break
        else:
            visit.page.locator("#moves button").first.click()
        visit.wait_past(before)
        visit.wait_for_turn()


def test_real_mouse_clicks_on_lit_parts_play_a_move(server, visit):
    enter(server, visit)
    before = visit.number()
    for _ in range(5):
        lit = visit.page.locator("#picture .lit")
        box = lit.nth(lit.count() // 2).bounding_box()
        assert box is not None
        middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        visit.choose(lambda middle=middle: visit.page.mouse.click(*middle))
        if visit.number() != before:
            break
    assert visit.number() != before


def test_escape_and_a_second_click_start_again(server, visit):
    enter(server, visit)
    all_moves, number = visit.page.locator("#moves button").count(), visit.number()
    card = next(part for part in visit.page.locator("#picture .lit").all() if names_several(visit, part))
    card.dispatch_event("click")
    expect(visit.page.locator("#chosen")).to_contain_text("go with what you clicked")
    assert 1 < visit.page.locator("#moves button").count() < all_moves
    visit.page.keyboard.press("Escape")
    expect(visit.page.locator("#moves button")).to_have_count(all_moves)
    card.dispatch_event("click")
    visit.page.locator("#picture .chosen").first.dispatch_event("click")
    expect(visit.page.locator("#moves button")).to_have_count(all_moves)
    assert visit.number() == number


def names_several(visit: Visit, part: Any) -> bool:
    names = part.get_attribute("data-part")
    actions = visit.states()[-1]["actions"]
    return 1 < sum(is_named(names, action["block"], action["labels"]) for action in actions) < len(actions)


def test_a_half_chosen_move_outlives_another_pace(server, visit):
    page = visit.page
    enter(server, visit)
    page.locator('#picture .lit[data-part*="|"]').last.click()
    chosen = page.inner_text("#chosen")
    assert "moves go with what you clicked" in chosen
    page.select_option("#pace", "2")
    page.wait_for_timeout(300)
    assert page.inner_text("#chosen") == chosen
    assert page.locator("#picture .chosen").count() == 1


# ---- Keys


def test_keyboard_alone_plays_and_lit_parts_are_buttons(server, visit):
    enter(server, visit)
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


def focused(page: Page) -> str:
    """What has the focus."""
    told: str = page.evaluate("document.activeElement.closest('#moves') ? 'moves' : document.activeElement.id")
    return told


def test_the_focus_stays_with_who_plays_by_keys(server, visit):
    page = visit.page
    enter(server, visit)
    page.keyboard.press("/")
    for _ in range(3):
        before = visit.number()
        page.keyboard.press("Enter")
        visit.wait_past(before)
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


def test_a_game_is_opened_and_played_by_keys_alone(server, visit):
    page = visit.page
    page.goto(server.address)
    page.wait_for_selector("#seats select")
    press_until(page, "select[name=seat1]")
    page.keyboard.type("random")
    press_until(page, "#play")
    page.keyboard.press("Enter")
    page.wait_for_selector("#moves button")
    assert "random" in visit.states()[0]["players"]
    for _ in range(3):
        before = visit.number()
        press_until(page, "#picture .lit")
        visit.choose(lambda: page.keyboard.press("Enter"))
        if visit.number() == before:  # several moves go with the part: the list has the focus
            assert page.evaluate("document.activeElement.closest('#moves, #picture') !== null")
            page.keyboard.press("/")
            page.keyboard.press("Enter")
        visit.wait_past(before)
        visit.wait_for_turn()


def press_until(page: Page, selector: str) -> None:
    """Press Tab until the focus is on what is looked for."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("(wanted) => document.activeElement.matches(wanted)", selector):
            return
    raise AssertionError(f"80 times Tab do not lead to {selector}")


# ---- Options, hints, take-back


def test_an_option_clash_is_explained_while_choosing(server, visit):
    visit.page.goto(server.address)
    visit.page.click("text=Murano")
    visit.page.select_option("#number", "1")
    visit.page.click("#details summary")
    visit.page.check("[name=option-draft]")
    expect(visit.page.locator("#complaint")).to_contain_text("The Challenge is played without it")
    expect(visit.page.locator("#complaint")).to_be_in_viewport()
    expect(visit.page.locator("[name=option-draft]")).to_be_in_viewport()
    visit.page.uncheck("[name=option-draft]")
    expect(visit.page.locator("#complaint")).to_be_hidden()
    visit.faults.clear()  # Chromium writes every status 400 to its console


def test_an_answer_about_options_of_before_says_nothing(server, visit):
    held: list[Route] = []
    visit.page.goto(server.address)
    visit.page.click("text=Murano")
    visit.page.select_option("#number", "1")
    visit.page.click("#details summary")
    visit.page.route(
        "**/api/options", lambda route: held.append(route) if "draft" in (route.request.post_data or "") else route.continue_()
    )
    visit.page.check("[name=option-draft]")
    visit.wait_until(lambda: bool(held), "a question that is held back")
    with visit.page.expect_response("**/api/options"):
        visit.page.uncheck("[name=option-draft]")
    with visit.page.expect_response("**/api/options"):
        held[0].continue_()
    visit.page.wait_for_timeout(200)
    expect(visit.page.locator("#complaint")).to_be_hidden()
    visit.faults.clear()  # Chromium writes every status 400 to its console


def test_a_list_of_names_is_written_with_commas(server, visit):
    visit.page.goto(server.address)
    visit.page.click("text=Artisans")
    visit.page.click("#details summary")
    visit.page.fill("[name=option-artisans]", "night_worker, sculptor")
    visit.page.click("#play")
    visit.wait_for_turn()
    expect(visit.page.locator("#picture")).to_contain_text("Night worker")


def test_the_seed_of_a_saved_game_deals_its_cards_again(server, visit):
    seed = 2**64 - 1
    visit.page.goto(server.address)
    visit.page.click("text=Pace and cards")
    visit.page.fill("#seed", str(seed))
    visit.page.click("#play")
    visit.wait_for_turn()
    table = server.site.tables.find(visit.page.url.split("/")[-1].partition("#")[0])
    assert table.table.start["seed"] == seed


def test_hint_shows_bars_and_the_value_of_the_position(server, visit):
    enter(server, visit)
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


def test_a_hint_that_fails_is_not_waited_for_and_forgotten_at_the_next(visit):
    broken = "ppo:nowhere.safetensors"
    with serving(Settings(["random", broken])) as served:
        enter(served, visit)
        visit.page.select_option("#adviser", broken)
        visit.page.click("#hint")
        expect(visit.page.locator("#complaint")).to_contain_text(f"{broken} has no hint")
        expect(visit.page.locator("#advice")).to_be_empty()
        visit.page.select_option("#adviser", "random")
        visit.page.click("#hint")
        expect(visit.page.locator("#advice")).to_contain_text("random would play")
        expect(visit.page.locator("#complaint")).to_be_hidden()


def test_who_sits_where_is_told(server, visit):
    enter(server, visit, seats=("here", "heuristic"))
    expect(visit.page.locator("#players")).to_have_text("player_0: you \u00b7 player_1: heuristic")
    table = server.open("muster", seats=("random", "link"))
    visit.page.goto(server.address + table["links"][-1]["path"])
    expect(visit.page.locator("#players")).to_have_text("player_0: random \u00b7 player_1: you")


def test_take_back_returns_to_the_same_choice(server, visit):
    enter(server, visit)
    moves = visit.moves()
    expect(visit.page.locator("#back")).to_be_disabled()
    visit.page.locator("#moves button").first.click()
    expect(visit.page.locator("#back")).to_be_enabled()
    visit.wait_for_turn()
    visit.page.click("#back")
    expect(visit.page.locator("#moves button")).to_have_count(len(moves))
    assert visit.moves() == moves
    expect(visit.page.locator("#log li")).to_have_count(1)
