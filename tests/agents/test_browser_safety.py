"""Attacks on the browser's server over real connections: foreign hosts and origins, others' secrets, paths, markup in names."""

import base64
import json
import os
import re
import select
import shutil
import time
from typing import Any

import numpy as np
import pytest
from cardtable_agents.web import safety
from cardtable_agents.web.app import Settings
from cardtable_agents.web.safety import HEADERS
from raw_requests import WAIT, Answer, ask, connected, request
from web_server import serving
from websockets.exceptions import ConnectionClosed

from cardtable.game.registry import find
from cardtable.replay import Replay
from cardtable.table import Table

SCRIPT = '<img src=x onerror="alert(1)"><script>alert(2)</script>'
"""What would run if it were taken as markup."""
NEW_TABLE = json.dumps({"game": "muster", "seats": ["here", "random"], "pace": 0}).encode()


def played(game_id: str = "muster", seed: int = 1, moves: int = 10_000, **options: Any) -> Table:
    """A game of first legal actions."""
    game = find(game_id)
    table = Table(game, game.parse_options(options))
    table.deal(seed)
    while not table.ending and len(table.history) < moves:
        table.play(int(np.flatnonzero(table.mask)[0]))
    return table


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


# ---- Hosts and origins


def upgrade(origin: str | None) -> list[tuple[str, str]]:
    """The headers by which a page asks for a socket."""
    key = base64.b64encode(bytes(16)).decode()
    given = [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13")]
    return [*given, *([("Origin", origin)] if origin is not None else [])]


FOREIGN_HOSTS = [
    "evil.example", "evil.example:{port}", "127.0.0.1.evil.example", "127.0.0.1.nip.io:{port}", "localhost.evil.example",
    "rebound.localhost.evil.example:{port}", "localhost.:{port}", "127.0.0.1.:{port}", "user@localhost:{port}",
    "localhost@evil.example", "evil.example#localhost", "evil.example/localhost", "localhost:80:{port}", "localhost:",
    "localhost:evil", "127.0.0.1:evil", ":{port}", "[::1", "[::1]evil:{port}", "0x7f000001", "127.1",
    "2130706433", "xn--lcalhost-54a", "localhost,evil.example", "localhost evil.example", "localhost\tevil",
]  # fmt: skip
FOREIGN_ORIGINS = [
    "null", "", "http://evil.example", "https://evil.example", "http://127.0.0.1", "http://127.0.0.1:1", "http://localhost:{port}",
    "http://127.0.0.1:{port}.evil.example", "http://127.0.0.1.evil.example:{port}", "http://user@127.0.0.1:{port}",
    "http://127.0.0.1:{port}@evil.example", "http://127.0.0.1:{port}/", "http://127.0.0.1:0{port}", "HTTP://127.0.0.1:{port}",
    "http://127.0.0.1.:{port}", "ftp://127.0.0.1:{port}", "file://", "127.0.0.1:{port}", "//127.0.0.1:{port}",
    "http://127.0.0.1:{port}, http://evil.example", "http://evil.example, http://127.0.0.1:{port}", "chrome-extension://abcdef",
]  # fmt: skip


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_foreign_hosts_get_nothing(server, host):
    """Names that are rebound to this machine, and tricks to make them look like ours: of requests and of sockets."""
    name, tables = host.format(port=server.port), len(server.site.tables)
    for method, target in (("GET", "/"), ("GET", "/api/start"), ("GET", "/static/table.js"), ("POST", "/api/tables")):
        body = NEW_TABLE if method == "POST" else b""
        answer = ask(server, method, target, [("Host", name), ("Origin", f"http://{name}")], body)
        assert answer.status in (400, 403), target
        assert b"muster" not in answer.body.lower()
    assert ask(server, "GET", "/api/tables/x", [("Host", name), *upgrade(f"http://{name}")]).status in (400, 403)
    assert len(server.site.tables) == tables


@pytest.mark.parametrize("headers", [[], [("Host", "")], [("Host", "127.0.0.1"), ("Host", "evil.example")]])
def test_no_host_and_two_hosts_get_nothing(server, headers):
    assert ask(server, "GET", "/api/start", headers).status in (400, 403)


def test_a_name_is_let_in_if_it_was_given_at_start():
    with serving(Settings(names=["games.example"])) as served:
        assert ask(served, "GET", "/api/start", [("Host", "games.example:80")]).status == 200
        assert ask(served, "GET", "/api/start", [("Host", "x.games.example:80")]).status == 403


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_foreign_origins_change_nothing_and_get_no_socket(server, origin):
    given, host, tables = origin.format(port=server.port), ("Host", server.host), len(server.site.tables)
    for target, body in (("/api/tables", NEW_TABLE), ("/api/replays", b"{}"), ("/api/options", b"{}")):
        assert ask(server, "POST", target, [host, ("Origin", given)], body).status == 403
    assert ask(server, "GET", "/api/start", [host, ("Origin", given)]).status == 403
    assert ask(server, "GET", "/api/tables/x", [host, *upgrade(given)]).status == 403
    assert len(server.site.tables) == tables


def test_without_an_origin_nothing_changes_and_there_is_no_socket(server):
    """Other origins may ask for a page without saying so, but cannot read it; what changes something needs an origin."""
    host, tables = ("Host", server.host), len(server.site.tables)
    assert ask(server, "GET", "/", [host]).status == 200
    assert ask(server, "POST", "/api/tables", [host], NEW_TABLE).status == 403
    assert ask(server, "GET", "/api/tables/x", [host, *upgrade(None)]).status == 403
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "X"):
        assert ask(server, method, "/api/tables", [host], b"{}").status in (400, 403, 405)
    assert len(server.site.tables) == tables
    assert ask(server, "POST", "/api/tables", [host, ("Origin", server.address)], NEW_TABLE).status == 200


# ---- Secrets of seats


def closed_with(server, table: str, key: object) -> int:
    """The code with which a page that joins with this key is closed."""
    with server.socket(table) as connection:
        connection.send(json.dumps({"do": "join", "key": key}))
        with pytest.raises(ConnectionClosed) as caught:
            connection.recv(timeout=60)
    assert caught.value.rcvd is not None
    return caught.value.rcvd.code


def test_a_secret_opens_its_own_seat_of_its_own_table_alone(server):
    one, other = (server.open(seats=("here", "link")) for _ in range(2))
    keys = [link["key"] for made in (one, other) for link in made["links"]]
    assert len(set(keys)) == 4
    assert all(re.fullmatch(r"[\w-]{22}", key) for key in keys)  # 16 bytes
    for link in one["links"]:
        with server.joined(one["table"], link["key"]) as talk:
            state = talk.hear()
            assert (state["own"], state["seat"]) == (link["seats"], link["seats"][0])
        assert closed_with(server, other["table"], link["key"]) == 4401
        assert server.post(f"/api/tables/{other['table']}/replay", {"key": link["key"]}).status_code == 404
    for wrong in ("", None, 1, [], {}, keys[0][:-1], keys[0] + "A", keys[0].swapcase(), one["table"], "é", "\ud800", "\0"):
        assert closed_with(server, one["table"], wrong) == 4401
        assert server.post(f"/api/tables/{one['table']}/replay", {"key": wrong}).status_code == 404


def test_a_page_plays_for_no_other_seat(server):
    made = server.open(seats=("here", "link"))
    table = server.site.tables.find(made["table"])
    waits = next(link for link in made["links"] if link["seats"] != [table.turn])
    with server.joined(made["table"], waits["key"]) as talk:
        state = talk.hear()
        assert state["actions"] == []
        for action in table.actions():
            talk.say(do="play", action=action["id"], number=state["number"], seat=table.turn, key=made["links"][0]["key"])
            assert "decides now" in talk.hear("refused")["why"]
        talk.say(do="hint", agent="random", number=state["number"])
        assert "who decides" in talk.hear("refused")["why"]
        talk.say(do="uncover", seat=table.turn)
        talk.hear("refused")
        talk.say(do="take_back")
        talk.hear("refused")
        assert not any(message.get("decides") or message.get("actions") for message in talk.heard)
    assert table.table.history == []


def test_a_secret_opens_nothing_after_its_table_is_gone():
    with serving(Settings(most_tables=2)) as served:
        gone = served.open()
        served.site.tables.find(gone["table"]).used_at -= 2 * 3600  # tables of the last hour are not closed for others
        for _ in range(2):
            served.open()
        assert closed_with(served, gone["table"], gone["links"][0]["key"]) == 4401
        assert served.post(f"/api/tables/{gone['table']}/replay", {"key": gone["links"][0]["key"]}).status_code == 404


# ---- Paths


TRICKS = [
    "..", "../", "../../../../etc/passwd", "..%2f..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "~root", ".", "%2e",
    "%252e%252e%252fetc%252fpasswd", "....//....//etc/passwd", "..%5c..%5cwindows", "..\\\\..\\\\windows", "/etc/passwd",
    "//etc/passwd", "%2fetc%2fpasswd", "file:///etc/passwd", "%00", "table.js%00.html", "..%00/", "secret%2fwords.txt",
    "linked%2fwords.txt", "linked", "linked.json", "linked%2fhidden.json", "good.json", "passwords.json", "spoilt.json",
    "good.json%2f..%2f..%2fsecret%2fwords.txt", "%ff%fe", "%c0%ae%c0%ae%c0%af", "__init__.py", "..%2fapp.py", "a" * 9000,
    "%2e%2e%2f" * 900, "9" * 5000, "0" * 5000, "-1", "1e3", "NaN", "*", "?", "%3f", ";", "%0d%0aSet-Cookie:a=b",
]  # fmt: skip
PLACES = [
    "/{trick}", "/static/{trick}", "/table/{trick}", "/replay/{trick}", "/runs/{trick}", "/api/{trick}", "/api/replays/{trick}",
    "/api/replays/{trick}/file", "/api/replays/{trick}/0", "/api/replays/x/{trick}", "/api/replays/{good}/{trick}",
    "/api/replays/{good}/0?seat={trick}", "/api/arenas/{trick}", "/api/trainings/{trick}", "/api/tables/{trick}",
    "/api/tables/{trick}/replay",
]  # fmt: skip


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


# ---- Markup in names


def scripted(edition: Any) -> Any:
    """An edition all of whose cards have markup in their names, each another."""
    text, count = json.dumps(edition), 0
    data = json.loads(text)
    for rows in data.values():
        for row in rows if isinstance(rows, list) else []:
            if isinstance(row, dict) and isinstance(row.get("name"), str):
                row["name"], count = f"{SCRIPT}{count}", count + 1
    assert count
    return data


def test_every_answer_carries_the_policy(server):
    """Pages, files, data, refusals and what is not there: all with the Content-Security-Policy and its companions."""
    own = [("Host", server.host), ("Origin", server.address)]
    answers = [
        ask(server, "GET", target, own)
        for target in ("/", "/table/x", "/replay", "/runs", "/api/start", "/nowhere", "/api/replays/x")
    ]
    answers += [ask(server, "GET", f"/static/{name}", own) for name in ("style.css", "table.js", "icon.svg", "none.js")]
    answers += [ask(server, "POST", "/api/tables", own, b"{"), ask(server, "POST", "/", own, b"{}")]
    answers += [ask(server, "GET", "/", [("Host", "evil.example")]), ask(server, "POST", "/api/tables", own[:1], NEW_TABLE)]
    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert "default-src 'none'" in policy


# ---- Bodies without end


ENDLESS = [
    ("POST", "/api/tables", "http://evil.example", 403),
    ("GET", "/api/start", None, 200),
    ("POST", "/nowhere", "own", 404),
    ("PUT", "/api/tables", "own", 405),
]


@pytest.mark.parametrize(("method", "target", "origin", "status"), ENDLESS)
def test_who_goes_on_sending_after_the_answer_is_dropped(server, monkeypatch, method, target, origin, status):
    """Whatever the answer is, which comes first; the server answers others all the while."""
    monkeypatch.setattr(safety, "MOST_AFTERWARDS", 0.2)
    origins = [] if origin is None else [("Origin", server.address if origin == "own" else origin)]
    headers = [("Host", server.host), *origins, ("Transfer-Encoding", "chunked"), ("Connection", "keep-alive")]
    chunk, heard = b"10000\r\n" + b" " * 65536 + b"\r\n", b""
    with connected(server) as connection:
        connection.sendall(request(method, target, headers))
        begun = time.monotonic()
        with pytest.raises(OSError):  # noqa: PT012  # reading and writing take turns
            while time.monotonic() - begun < WAIT:
                connection.sendall(chunk)
                if select.select([connection], [], [], 0)[0]:
                    heard += connection.recv(1 << 16)
                    assert heard.startswith(f"HTTP/1.1 {status} ".encode())
    assert heard
    assert server.get("/api/start").status_code == 200


# ---- The token


@pytest.fixture(scope="module")
def guarded():
    with serving(Settings(token="the-token")) as served:
        yield served


def test_beyond_this_machine_every_page_needs_the_token(guarded):
    own = [("Host", guarded.host), ("Origin", guarded.address)]
    wrong = [
        [],
        [("Cookie", "cardtable=the-toke")],
        [("Cookie", "other=the-token")],
        [("Cookie", "cardtable=")],
        [("Cookie", "\xff=;;cardtable")],
    ]
    for cookie in wrong:
        for target in (
            "/",
            "/static/table.js",
            "/api/start",
            "/?token=",
            "/?token=wrong",
            "/?token=the-token%00",
            "/?nekot=the-token",
        ):
            assert ask(guarded, "GET", target, [*own, *cookie]).status == 403
        assert ask(guarded, "POST", "/api/tables?token=the-token", [*own, *cookie], NEW_TABLE).status == 403
        assert ask(guarded, "GET", "/api/tables/x?token=the-token", [own[0], *upgrade(guarded.address), *cookie]).status == 403
    assert len(guarded.site.tables) == 0
    right = [*own, ("Cookie", "cardtable=the-token")]
    assert ask(guarded, "GET", "/", right).status == 200
    assert ask(guarded, "POST", "/api/tables", right, NEW_TABLE).status == 200


def test_the_tokens_link_gives_a_cookie_that_scripts_cannot_read(guarded):
    answer = ask(guarded, "GET", "/table/abc?token=the-token", [("Host", guarded.host)])
    assert (answer.status, answer.headers["location"]) == (303, "/table/abc")
    assert "cardtable=the-token" in answer.headers["set-cookie"]
    assert "httponly" in answer.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    "query",
    ["a&" * 50, "token=%ff%fe", "token=" + "x" * 9000, "%", "token=a&token=the-token", "&&&", "token[]=x"],
)
def test_odd_queries_are_refused_without_the_token(guarded, query):
    assert ask(guarded, "GET", f"/?{query}", [("Host", guarded.host)]).status == 403


@pytest.mark.parametrize(
    "path", ["//evil.example", "/\\evil.example", "/%5cevil.example", "///evil.example", "/%2f/evil.example", "/a%0d%0ab:c"]
)
def test_the_tokens_link_leads_nowhere_else(guarded, path):
    answer = ask(guarded, "GET", f"{path}?token=the-token", [("Host", guarded.host)])
    assert answer.status == 303
    assert re.fullmatch(r"/(?![/\\]).*|/", answer.headers["location"])
