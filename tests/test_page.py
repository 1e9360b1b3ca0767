"""A replay as one HTML file: what is in it, that it loads nothing, and what its script does in a browser."""

import json
import re
import shutil
import subprocess
import tomllib

import numpy as np
import pytest
from helpers import open_table

from cardtable.cli import telling
from cardtable.cli.main import main
from cardtable.cli.page import page
from cardtable.game.events import decisions
from cardtable.game.registry import find, game_ids
from cardtable.replay import Replay, rewound
from murano_env.env import EXAMPLE_EDITION

DECISIONS = 30
LARGEST = 25_000
"""Bytes for each decision, at most."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
EVIL = ("</script><script>document.title=1//", "<img src=x onerror=document.title=1>", "'\"><b>&amp;<!--")
"""Names that a page must not take for anything else."""


def played(game_id, decisions=DECISIONS, **options):
    """A game after some random decisions."""
    table, generator = open_table(find(game_id), options), np.random.default_rng(2)
    while not table.ending and len(table.history) < decisions:
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
    return table


def data_of(text):
    """What the script of a page works with."""
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])


def picture_at(data, step):
    """The picture that the script shows at a step."""
    return "".join(data["pieces"][number] for number in data["pictures"][step])


def evil_edition():
    """An edition with a card whose name is a script."""
    content = tomllib.loads(EXAMPLE_EDITION.read_text(encoding="utf-8"))
    for number, creation in enumerate(content["creations"]):
        creation["name"] = f"{EVIL[number % len(EVIL)]}{number}"
    return content


# ---- What is in it


@pytest.mark.parametrize("seat", [None, 1])
@pytest.mark.parametrize("game_id", game_ids())
def test_a_page_has_every_picture_and_every_sentence(game_id, seat):
    table = played(game_id)
    text = page(table, seat)
    data = data_of(text)
    assert len(data["pictures"]) == len(data["told"]) == DECISIONS + 1
    for step in (0, 1, DECISIONS // 2, DECISIONS):
        assert picture_at(data, step) == rewound(table, step).picture(seat)
    parts = decisions(table.events(seat))
    assert data["told"] == [telling.story(table.game, part, seat) for part in parts]
    assert len(text.encode()) < LARGEST * DECISIONS


def test_a_page_loads_nothing_from_elsewhere():
    text = page(played("murano_v0"), None)
    without_names = text.replace("http://www.w3.org/2000/svg", "")
    assert "://" not in without_names
    assert "default-src 'none'" in text
    assert re.findall(r"<(?:link|img|iframe|object|embed)\b", text) == []
    assert len(re.findall(r"<script\b", text)) == 2


def test_names_of_an_edition_cannot_end_the_script():
    text = page(played("murano_v0", 3, edition=evil_edition()), None)
    assert len(re.findall(r"</script", text)) == 2
    assert "<img" not in text
    assert "<b>" not in picture_at(data_of(text), 0)


def test_a_seats_page_shows_no_card_that_the_seat_cannot_know():
    table = played("murano_v0", 10)
    hidden = table.view(None)["hand"]["player_1"]
    text = page(table, 0)
    assert hidden
    assert [card for card in hidden if card in text and card not in str(table.events(0)) + str(table.view(0)["hand"])] == []


# ---- The command


def test_the_command_writes_a_page_and_replaces_nothing(tmp_path, capsys):
    replay, out = tmp_path / "game.json", tmp_path / "game.html"
    Replay.of(played("muster_v0", 5)).save(replay)
    assert main(["replay", str(replay), "--html", str(out), "--seat", "0"]) == 0
    assert "5 decisions, as player_0 sees it" in capsys.readouterr().out
    before = out.read_text(encoding="utf-8")
    assert len(data_of(before)["pictures"]) == 6
    assert main(["replay", str(replay), "--html", str(out)]) != 0
    assert "exists" in capsys.readouterr().err
    assert out.read_text(encoding="utf-8") == before
    assert main(["replay", str(replay), "--html", str(out), "--overwrite"]) == 0
    assert main(["replay", str(replay), "--overwrite"]) != 0
    assert "--overwrite goes with --html only" in capsys.readouterr().err


# ---- The script, in a browser


def shown_by_a_browser(text, tmp_path, *, step="", script=""):
    """The page after its script, and one of ours, have run."""
    path = tmp_path / "page.html"
    path.write_text(text.replace("</body>", f"<script>{script}</script></body>"), encoding="utf-8")
    command = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'browser'}", "--dump-dom"]
    done = subprocess.run([*command, f"{path.as_uri()}{step}"], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def press(*keys):
    """A script that presses keys, then tells where we are."""
    presses = "".join(f"document.dispatchEvent(new KeyboardEvent('keydown', {{key: {json.dumps(key)}}}));" for key in keys)
    return f"{presses} document.title = place.textContent + location.hash;"


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
class TestInABrowser:
    def test_the_address_names_the_step(self, tmp_path):
        table = played("muster_v0", 6)
        shown = shown_by_a_browser(page(table, None), tmp_path, step="#step=4")
        assert '<output id="place">4 of 6</output>' in shown
        assert len(re.findall('<li class="now">', shown)) == 1
        words = re.findall(r"<text[^>]*>([^<]*)</text>", rewound(table, 4).picture(None))
        assert re.findall(r"<text[^>]*>([^<]*)</text>", shown) == [word.replace("&#x27;", "'") for word in words]

    @pytest.mark.parametrize(
        ("keys", "place"),
        [
            (["ArrowRight", "ArrowRight", "ArrowLeft"], "1 of 6#step=1"),
            (["End", "ArrowRight"], "6 of 6#step=6"),
            (["End", "Home", "ArrowLeft"], "0 of 6#step=0"),
        ],
        ids=str,
    )
    def test_keys_go_through_the_game(self, keys, place, tmp_path):
        shown = shown_by_a_browser(page(played("muster_v0", 6), 0), tmp_path, script=press(*keys))
        assert f"<title>{place}</title>" in shown

    def test_an_address_beyond_the_end_is_the_end(self, tmp_path):
        shown = shown_by_a_browser(page(played("muster_v0", 6), 0), tmp_path, step="#step=999")
        assert "6 of 6" in shown

    def test_a_script_in_a_cards_name_is_a_name(self, tmp_path):
        text = page(played("murano_v0", 8, edition=evil_edition()), None)
        shown = shown_by_a_browser(text, tmp_path, script=press("End", "Home").replace("document.title =", "window.was ="))
        assert "<title>1" not in shown
        assert "<img" not in shown
        assert "&lt;img src=x" in shown
