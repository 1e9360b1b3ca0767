"""Names stay text: what pages are sent and what they are built from. test_web_replays.py shows the same in a browser."""

import os
from pathlib import Path

from web_games import scripted
from web_server import serving

from cardtable.replay import Replay

FOLDER = Path(__file__).parent.parent.parent / "agents" / "cardtable_agents" / "web" / "static"


def test_script_in_names_stays_text():
    with serving() as server:
        answer = server.post("/api/replays", Replay.of(scripted()).to_json())
        assert answer.status_code == 200, answer.text
        number, seen = answer.json()["replay"], 0
        for step in range(0, 41, 8):
            picture = server.get(f"/api/replays/{number}/{step}?seat=all").json()["picture"]
            assert "<script" not in picture
            assert "<img" not in picture
            seen += "&lt;img" in picture
    assert seen > 2


def test_pages_are_built_from_text_alone():
    scripts = sorted(FOLDER.glob("*.js"))
    assert len(scripts) >= 6
    for path in scripts:
        content = path.read_text()
        for forbidden in (
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "srcdoc",
            "text/html",
        ):
            assert forbidden not in content, (path.name, forbidden)
    for path in [*scripts, *FOLDER.glob("*.html"), *FOLDER.glob("*.css")]:
        content = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in content
        assert "https://" not in content
        assert "<script>" not in content
        assert " style=" not in content
        assert 'onclick="' not in content


def test_everything_a_page_loads_is_small():
    weight = sum(os.path.getsize(path) for path in FOLDER.iterdir())
    print(f"{weight:,} bytes of pages, scripts and styles")
    assert weight < 300_000
