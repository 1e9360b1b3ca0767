"""Nothing that a page sends reaches a file, an agent or a command that was not given at start."""

import json
import os
import shutil

import pytest
from cardtable_agents.web import catalogue
from cardtable_agents.web.app import Settings
from raw_requests import Answer, ask
from web_games import played
from web_server import serving

from cardtable.errors import AgentError
from cardtable.replay import Replay

TRICKS = [
    "..", "../", "../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "~root", ".", "%2e",
    "%252e%252e%252fetc%252fpasswd", "....//....//etc/passwd", "..%5c..%5cwindows", "..\\\\..\\\\windows", "/etc/passwd",
    "//etc/passwd", "%2fetc%2fpasswd", "file:///etc/passwd", "%00", "table.js%00.html", "..%00/", "secret%2fwords.txt",
    "linked%2fwords.txt", "linked", "linked.json", "linked%2fhidden.json", "good.json", "passwords.json", "spoilt.json",
    "good.json%2f..%2f..%2fsecret%2fwords.txt", "%ff%fe", "%c0%ae%c0%ae%c0%af", "__init__.py", "..%2fapp.py", "a" * 9000,
    "table.js/", "TABLE.JS", "con", "secret.txt",
    "%2e%2e%2f" * 900, "9" * 5000, "0" * 5000, "-1", "1e3", "NaN", "*", "?", "%3f", ";", "%0d%0aSet-Cookie:a=b",
]  # fmt: skip
PLACES = [
    "/{trick}", "/static/{trick}", "/table/{trick}", "/replay/{trick}", "/runs/{trick}", "/api/{trick}", "/api/replays/{trick}",
    "/api/replays/{trick}/file", "/api/replays/{trick}/0", "/api/replays/x/{trick}", "/api/replays/{good}/{trick}",
    "/api/replays/{good}/0?seat={trick}", "/api/arenas/{trick}", "/api/trainings/{trick}", "/api/tables/{trick}",
    "/api/tables/{trick}/replay",
]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A runs folder with a replay and links out of it, and a secret beside it."""
    place = tmp_path_factory.mktemp("place")
    runs, secret = place / "runs", place / "secret"
    runs.mkdir()
    secret.mkdir()
    replay = Replay.of(played())
    replay.save(runs / "good.json")
    replay.save(secret / "hidden.json")
    (secret / "words.txt").write_text("the words that nobody sees")
    (runs / "linked.json").symlink_to(secret / "hidden.json")
    (runs / "linked").symlink_to(secret)
    (runs / "passwords.json").symlink_to("/etc/passwd")
    (runs / "spoilt.json").write_text("{")
    return runs


@pytest.fixture(scope="module")
def server(folder):
    with serving(Settings(folders=[folder])) as served:
        yield served


# ---- Paths


def test_no_trick_with_a_path_reaches_a_file(server):
    """Every trick at every place that has a name in its path: never a file, never a fault of the server."""
    (good,) = [each["id"] for each in server.get("/api/replays").json()["replays"] if each["name"] == "good.json"]
    own, tried = [("Host", server.host), ("Origin", server.address)], 0
    for place in PLACES:
        for trick in TRICKS:
            answer = ask(server, "GET", place.format(trick=trick, good=good), own)
            check_harmless(answer, f"{place} {trick[:60]}")
            tried += 1
    posted = [place for place in PLACES if place.endswith(("/replay", "/api/replays/{trick}"))]
    for place in [*posted, "/api/replays/{trick}/values"]:
        for trick in TRICKS:
            body = json.dumps({"key": trick, "agent": trick}).encode()
            check_harmless(ask(server, "POST", place.format(trick=trick, good=good), own, body), f"POST {place} {trick[:60]}")
            tried += 1
    print(f"{tried} paths tried")
    assert tried > 700


def check_harmless(answer: Answer, what: str) -> None:
    assert answer.status in (200, 303, 307, 400, 403, 404, 405, 413, 414, 431), (answer.status, what)
    assert b"root:" not in answer.body, what
    assert b"nobody sees" not in answer.body, what
    assert b"import " not in answer.body, what
    assert b"Traceback" not in answer.body, what
    assert "set-cookie" not in answer.headers, what


def test_links_in_a_runs_folder_are_not_followed(server):
    found = server.get("/api/replays").json()["replays"]
    assert sorted(each["name"] for each in found) == ["good.json", "spoilt.json"]
    (spoilt,) = [each["id"] for each in found if each["name"] == "spoilt.json"]
    answer = server.get(f"/api/replays/{spoilt}")
    assert answer.status_code == 400
    assert os.sep + "runs" not in answer.json()["error"]


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path):
    """Listed as a file, a link when it is opened."""
    runs = tmp_path / "runs"
    runs.mkdir()
    Replay.of(played()).save(runs / "game.json")
    shutil.copy(runs / "game.json", tmp_path / "other.json")
    with serving(Settings(folders=[runs])) as served:
        ((number,),) = [[each["id"] for each in served.get("/api/replays").json()["replays"]]]
        (runs / "game.json").unlink()
        (runs / "game.json").symlink_to(tmp_path / "other.json")
        assert served.get(f"/api/replays/{number}").status_code == 404


# ---- Names of agents and files


@pytest.mark.parametrize(
    "name",
    ["ppo:/etc/passwd", "cmd:touch /tmp/x", "search:100000", "search:401", "ppo:", "nobody", "", "here\0", 7, None, ["random"]],
)
def test_pages_cannot_name_agents_that_are_not_in_the_list(server, name):
    answer = server.post("/api/tables", {"game": "muster", "seats": ["here", name]})
    assert answer.status_code == 400
    assert "seats=" in answer.json()["error"]
    made = server.open()
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        state = talk.hear_turn()
        talk.say(do="hint", agent=name, number=state["number"])
        assert "agent" in talk.hear("refused")["why"]


def test_agents_named_at_start_are_in_the_list():
    assert catalogue.agent_list(["ppo:mine.safetensors"])[-1] == "ppo:mine.safetensors"
    with pytest.raises(AgentError, match="no agent is called"):
        catalogue.agent_list(["nobody:1"])


@pytest.mark.parametrize("edition", ["/etc/passwd", "../secret.txt", "reconstruction2", 7, ["/etc/passwd"]])
def test_options_of_pages_open_no_file(server, edition):
    for path in ("/api/tables", "/api/options"):
        answer = server.post(path, {"game": "artisans", "options": {"edition": edition}, "seats": ["here", "random"]})
        assert answer.status_code == 400
        assert "not taken from pages" in answer.json()["error"]
