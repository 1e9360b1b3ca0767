"""What `benchmarks.pictures` measures, in a small size. No test looks at a time."""

from chromium import in_chromium
from web_server import serving

from benchmarks.pictures import drawn, first_page, round_trips
from cardtable.game.registry import find


def test_pictures_and_frames_are_drawn_at_positions_of_games():
    drawing, frames = drawn(find("muster"), players=2, positions=20)
    assert len(drawing) == len(frames) == 20
    assert min(frames) > 0


@in_chromium
def test_the_first_page_and_moves_in_a_browser_are_timed(browser):
    with serving() as served:
        taken, weight = first_page(browser, served.address)
        times = round_trips(browser, served.address, find("murano"), moves=3)
        games = len(served.site.tables)
    assert taken > 0
    assert weight > 10_000
    assert len(times) == 3
    assert min(times) > 0
    assert games == 1
