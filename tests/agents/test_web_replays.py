"""Replays in a real Chromium: walked by keys, their values, files that are refused, names with markup in them."""

import re
from collections.abc import Iterator

import pytest
from cardtable_agents.arena import tournament
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.web.app import Settings
from chromium import in_chromium
from playwright.sync_api import Page, expect
from web_games import SCRIPT, played, scripted
from web_server import Served, serving

from cardtable.replay import Replay

pytestmark = in_chromium


@pytest.fixture(scope="module")
def server(tmp_path_factory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("runs")
    Replay.of(played(seed=4)).save(folder / "game.json")
    with serving(Settings(folders=[folder])) as served:
        yield served


@pytest.fixture
def watched(server, visit) -> Page:
    """The page of a replay."""
    visit.page.goto(f"{server.address}/replay")
    visit.page.click("#replays a")
    visit.page.wait_for_selector("#watch #picture svg")
    page: Page = visit.page
    return page


def test_a_replay_is_walked_by_keys(visit, watched):
    steps = int(watched.get_attribute("#slider", "max") or 0)
    first = watched.inner_html("#picture")
    for number in range(1, 6):
        watched.keyboard.press("ArrowRight")
        expect(watched.locator("#step")).to_have_text(f"{number} of {steps}")
    expect(watched.locator("#sentences li")).not_to_have_count(0)
    visit.wait_until(lambda: watched.inner_html("#picture") != first, "another picture")  # it comes after the number
    watched.keyboard.press("ArrowLeft")
    expect(watched.locator("#step")).to_have_text(f"4 of {steps}")
    watched.keyboard.press("End")
    expect(watched.locator("#step")).to_have_text(f"{steps} of {steps}")
    expect(watched.locator("#picture")).to_contain_text("game over")
    watched.keyboard.press("Home")
    expect(watched.locator("#step")).to_have_text(f"0 of {steps}")
    watched.select_option("#seat", "1")
    expect(watched.locator("#picture")).to_contain_text("player_1 (you)")
    assert "step=0&seat=1" in watched.url


def test_back_and_forward_lead_from_a_replay_to_the_choice_and_again_to_the_replay(server, visit, tmp_path):
    page, file = visit.page, tmp_path / "game.json"
    Replay.of(played(seed=5)).save(file)
    page.goto(f"{server.address}/replay")
    page.wait_for_selector("#replays a")
    page.set_input_files("#file", file)
    page.wait_for_selector("#watch #picture svg")
    page.click("#auto")
    page.go_back()
    expect(page.locator("#choose")).to_be_visible()
    page.keyboard.press("ArrowRight")  # no replay is open that it could walk
    page.wait_for_timeout(1200)  # longer than autoplay stays at a step
    assert page.url == f"{server.address}/replay"
    page.go_forward()
    expect(page.locator("#watch")).to_be_visible()
    expect(page.locator("#choose")).to_be_hidden()
    expect(page.locator("#auto")).to_have_text("Play")


def test_another_seat_in_the_address_is_shown_and_one_that_nobody_has_is_not(watched):
    for seat, chosen in (("1", "1"), ("7", "all")):
        watched.evaluate("(seat) => { location.hash = location.hash.replace(/seat=\\w+/, `seat=${seat}`) }", seat)
        expect(watched.locator("#seat")).to_have_value(chosen)
        expect(watched.locator("#picture")).to_contain_text("(you)" if chosen == "1" else "player_1")
        expect(watched.locator("#complaint")).to_be_hidden()


def test_values_of_a_replay_are_a_curve_that_leads_to_the_step(watched):
    watched.select_option("#agent", "heuristic")
    watched.click("#value")
    expect(watched.locator("#value")).to_be_enabled()
    watched.wait_for_selector("#curve svg")
    box = watched.locator("#curve svg").bounding_box()
    assert box is not None
    watched.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
    expect(watched.locator("#step")).not_to_contain_text(re.compile("^0 of"))
    expect(watched.locator("#worst li")).not_to_have_count(0)


def test_what_was_told_of_one_replay_is_not_told_of_the_next(watched, tmp_path):
    watched.select_option("#agent", "heuristic")
    watched.click("#value")
    expect(watched.locator("#worst li")).not_to_have_count(0)
    watched.go_back()
    Replay.of(played(seed=5)).save(tmp_path / "game.json")
    watched.set_input_files("#file", tmp_path / "game.json")
    expect(watched.locator("#title")).to_contain_text("your file")
    expect(watched.locator("#disagreements")).to_be_hidden()
    expect(watched.locator("#progress")).to_be_empty()
    expect(watched.locator("#curve svg")).to_have_count(0)


def test_play_at_the_end_begins_at_the_start(watched):
    watched.keyboard.press("End")
    expect(watched.locator("#picture")).to_contain_text("game over")
    watched.click("#auto")
    expect(watched.locator("#step")).to_contain_text(re.compile("^[0-5] of"))
    expect(watched.locator("#auto")).to_have_text("Pause")


def test_a_forged_file_is_refused_in_words(server, visit, tmp_path):
    path = tmp_path / "forged.json"
    path.write_text('{"format": "<img src=x onerror=alert(1)>"}')
    visit.page.goto(f"{server.address}/replay")
    visit.page.set_input_files("#file", path)
    expect(visit.page.locator("#complaint")).to_contain_text("not a replay")
    visit.faults.clear()  # Chromium writes every status 400 to its console


def test_a_file_that_is_too_large_is_refused_in_words(server, visit, tmp_path):
    path = tmp_path / "large.json"
    path.write_text(" " * (6 << 20))
    page = visit.page
    page.goto(f"{server.address}/replay")
    page.set_input_files("#file", path)
    expect(page.locator("#complaint")).to_contain_text("too large")
    visit.faults.clear()  # Chromium writes every status 400 to its console


def test_no_name_becomes_markup(visit, tmp_path):
    """Names of cards, files, folders and agents that would run as a script: they are there, as text."""
    runs, page = tmp_path / "runs", visit.page
    (runs / "<b onclick=alert(1)>").mkdir(parents=True)
    Replay.of(scripted()).save(runs / "<b onclick=alert(1)>" / "<img src=x onerror=alert(3)>.json")
    with serving(Settings(agents=("random", SCRIPT), folders=[runs])) as served:
        page.goto(served.address)
        page.wait_for_selector("#seats select")
        assert SCRIPT in page.locator("#seats option").all_text_contents()
        page.goto(f"{served.address}/replay")
        page.click("#replays a")
        page.wait_for_selector("#picture svg")
        expect(page.locator("#title")).to_contain_text("onerror=alert(3)")
        for _ in range(8):
            page.keyboard.press("PageDown")
        expect(page.locator("#picture")).to_contain_text("onerror")
        for made in ("#picture img", "#picture script", "main img", "b", "body script"):
            assert page.locator(made).count() == 0, made
        page.goto(f"{served.address}/runs")
        page.wait_for_selector("#all:not([hidden])")
        assert page.locator("main img, main b").count() == 0


def test_an_arena_without_replays_says_how_to_keep_them(visit, tmp_path):
    tournament.run(make_plan("muster", {}, ["random", "random"]), 2, tmp_path / "arena", workers=1)
    with serving(Settings(folders=[tmp_path])) as served:
        visit.page.goto(f"{served.address}/runs")
        visit.page.click("#arenas a")
        expect(visit.page.locator("#shown")).to_contain_text("cardtable arena --replays keeps them")
