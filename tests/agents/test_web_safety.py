"""Attacks on the browser's server: each point of docs/browser.md, "Safety", by somebody who does what it forbids."""

import json
import os
import resource
import socket
import struct
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest
from cardtable_agents.web import catalogue, safety
from cardtable_agents.web.app import Settings
from cardtable_agents.web.replays import MOST_MOVES
from cardtable_agents.web.sockets import MOST_MESSAGES, NOT_YOURS, TOO_MANY
from web_server import WAIT, Talk, serving
from websockets.exceptions import ConnectionClosed, InvalidStatus

from artisans_env.components import BUILT_IN_EDITION
from cardtable.errors import AgentError
from cardtable.game.registry import find
from cardtable.replay import Replay
from cardtable.table import Table

TOKEN = "a-token-that-was-printed"
ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    (folder / "secret.txt").write_text("nobody should read this")
    with serving(Settings(folders=[folder])) as served:
        yield served


def works(server) -> bool:
    """Whether the server still serves those who do nothing wrong."""
    made = server.open()
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        state = talk.hear_turn()
        talk.play(state)
        return talk.hear_turn()["number"] > state["number"]


# ---- Hosts and origins


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "localhost.evil.example", "127.0.0.1.evil.example", "", "a b"]
)
def test_foreign_hosts_are_refused(server, host):
    answer = server.get("/", Host=host.format(port=server.port))
    assert answer.status_code in (400, 403)
    assert "New game" not in answer.text
    with pytest.raises((InvalidStatus, ConnectionClosed)):
        server.socket(server.open()["table"], Host=host.format(port=server.port)).recv(timeout=WAIT)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:{port}", "[::1]:{port}", "192.168.1.7", "LOCALHOST:9000"])
def test_hosts_that_cannot_be_rebound_are_let_in(server, host):
    assert server.get("/", Host=host.format(port=server.port)).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1", "file://", "http://localhost"]
)
def test_foreign_origins_are_refused(server, origin):
    made = server.open()
    for path, body in (
        ("/api/tables", {"game": "muster", "seats": ["here", "random"]}),
        ("/api/options", {"game": "muster"}),
        ("/api/replays", "{}"),
        (f"/api/tables/{made['table']}/replay", {"key": made["links"][0]["key"]}),
    ):
        assert server.post(path, body, Origin=origin).status_code == 403
    assert server.get("/api/start", Origin=origin).status_code == 403
    with pytest.raises(InvalidStatus):
        server.socket(made["table"], Origin=origin)


def test_whatever_changes_something_needs_an_origin(server):
    body = json.dumps({"game": "muster", "seats": ["here", "random"]})
    assert httpx.post(f"{server.address}/api/tables", content=body, timeout=WAIT).status_code == 403
    with pytest.raises(InvalidStatus):
        server.socket(server.open()["table"], Origin="")


def test_every_answer_forbids_what_pages_do_not_need(server):
    for path in ("/", "/static/table.js", "/api/start", "/nothing", "/api/replays/none"):
        headers = server.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers


# ---- The token


def test_with_a_token_nothing_is_served_without_it():
    with serving(Settings(token=TOKEN)) as server:
        for path in ("/", "/table/x", "/static/table.js", "/api/start", "/?token=wrong", "/?token=", "/api/start?token="):
            assert server.get(path).status_code == 403, path
        for cookie in ("", "cardtable=", "cardtable=wrong", f"other={TOKEN}", "cardtable", ";;;=\x01"):
            assert server.get("/api/start", Cookie=cookie).status_code == 403
        assert server.post("/api/tables", {}).status_code == 403
        with pytest.raises(InvalidStatus):
            server.socket("x")
        entered = server.get(f"/table/x?token={TOKEN}")
        assert (entered.status_code, entered.headers["location"]) == (303, "/table/x")
        cookie = entered.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert server.get("/api/start", Cookie=cookie.partition(";")[0]).json()["invite"] == f"?token={TOKEN}"
        assert server.get(f"//evil.example/?token={TOKEN}").headers["location"] == "/"


def test_the_token_is_asked_for_exactly_where_others_can_reach_the_server():
    from cardtable_agents.web.command import _is_local

    local = {
        host: _is_local(host) for host in ("127.0.0.1", "127.0.0.2", "::1", "localhost", "0.0.0.0", "::", "192.168.1.2", "box")
    }
    assert [host for host, is_local in local.items() if is_local] == ["127.0.0.1", "127.0.0.2", "::1", "localhost"]


# ---- Seats


def test_a_link_opens_no_other_seat_and_no_other_table(server):
    made, other = server.open(seats=("here", "link")), server.open(seats=("here", "link"))
    (mine, theirs), strange = made["links"], other["links"][0]
    for key in (strange["key"], "", mine["key"][:-1], mine["key"].swapcase(), None, [mine["key"]], {"key": mine["key"]}):
        with server.joined(made["table"], key) as talk, pytest.raises(ConnectionClosed) as closed:
            talk.hear()
        assert closed.value.rcvd.code == NOT_YOURS
    with server.joined(made["table"], mine["key"]) as talk:
        state = talk.hear()
        assert (state["seat"], state["own"]) == (0, [0])
        talk.say(do="uncover", seat=1)
        assert talk.hear("refused")
    with server.joined(made["table"], theirs["key"]) as talk:
        seen = talk.hear()
        assert (seen["seat"], seen["own"]) == (1, [1])
        waiting, deciding = (theirs, state) if state["decides"] else (mine, seen)
    with server.joined(made["table"], waiting["key"]) as talk:
        talk.hear()
        talk.say(do="play", action=deciding["actions"][0]["id"], number=deciding["number"])
        assert "decides now" in talk.hear("refused")["why"]
        talk.say(do="play", action=deciding["actions"][0]["id"], number=deciding["number"], seat=deciding["seat"])
        assert "decides now" in talk.hear("refused")["why"]
        talk.say(do="hint", agent="random", number=deciding["number"])
        assert talk.hear("refused")


def test_secrets_and_seed_are_in_no_message(server):
    made = server.open(seats=("here", "link"), seed=987654321987)
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        text = json.dumps(talk.hear())
    assert "987654321987" not in text
    assert all(link["key"] not in text for link in made["links"])


def test_who_says_nothing_is_shown_nothing(server, monkeypatch):
    monkeypatch.setattr("cardtable_agents.web.sockets.MOST_WAIT", 0.3)
    with server.socket(server.open()["table"]) as connection, pytest.raises(ConnectionClosed) as closed:
        connection.recv(timeout=WAIT)
    assert closed.value.rcvd.code == NOT_YOURS


# ---- Paths, files, commands


TRICKS = [
    "../app.py",
    "..%2fapp.py",
    "%2e%2e%2fapp.py",
    "..\\app.py",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "....//app.py",
    "table.js%00.html",
    "table.js/",
    "TABLE.JS",
    "__init__.py",
    "~root",
    "secret.txt",
    "../secret.txt",
    "..%2fsecret.txt",
    "file:///etc/passwd",
    "con",
    "x" * 5000,
]


@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick[:20])
def test_no_path_leads_out_of_what_is_served(server, trick):
    tried = 0
    for before in ("/static/", "/api/replays/", "/api/arenas/", "/api/trainings/"):
        with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as raw:  # httpx would tidy the path
            raw.sendall(f"GET {before}{trick} HTTP/1.1\r\nHost: {server.host}\r\nConnection: close\r\n\r\n".encode())
            answer = b"".join(iter(lambda: raw.recv(65536), b""))
        tried += 1
        assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 400", b"HTTP/1.1 307", b"HTTP/1.1 414"))
        assert b"nobody should read" not in answer
        assert b"root:" not in answer
        assert b"import " not in answer
    assert tried == 4


def test_links_in_folders_are_not_followed(tmp_path):
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    table = Table("muster")
    table.deal(1)
    Replay.of(table).save(outside / "game.json")
    Replay.of(table).save(inside / "own.json")
    (inside / "link.json").symlink_to(outside / "game.json")
    (inside / "folder").symlink_to(outside)
    with serving(Settings(folders=[inside])) as server:
        assert [each["name"] for each in server.get("/api/replays").json()["replays"]] == ["own.json"]


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
    with pytest.raises(AgentError, match="no such agent"):
        catalogue.agent_list(["nobody:1"])


@pytest.mark.parametrize("edition", ["/etc/passwd", "../secret.txt", "reconstruction2", 7, ["/etc/passwd"]])
def test_options_of_pages_open_no_file(server, edition):
    for path in ("/api/tables", "/api/options"):
        answer = server.post(path, {"game": "artisans", "options": {"edition": edition}, "seats": ["here", "random"]})
        assert answer.status_code == 400
        assert "not taken from pages" in answer.json()["error"]


# ---- Forged replays


@pytest.fixture(scope="module")
def replay() -> dict:
    table = Table("artisans")
    table.deal(1)
    for _ in range(30):
        table.play(int(table.mask.argmax()))
    plain: dict = json.loads(Replay.of(table).to_json())
    return plain


def forged(replay: dict, **changes: object) -> str:
    return json.dumps({**replay, **changes})


def test_an_honest_replay_is_taken(server, replay):
    answer = server.post("/api/replays", json.dumps(replay))
    assert answer.status_code == 200, answer.text
    number = answer.json()["replay"]
    assert len(server.get(f"/api/replays/{number}").json()["moves"]) == 30
    frame = server.get(f"/api/replays/{number}/30?seat=0").json()
    assert "<svg" in frame["picture"]
    assert server.get(f"/api/replays/{number}/file").json() == replay
    for wrong in ("31?seat=0", "0?seat=2", "0?seat=x", "0?seat=-1", "99999999999?seat=0"):
        assert server.get(f"/api/replays/{number}/{wrong}").status_code == 400, wrong


def test_forged_replays_are_refused(server, replay):
    moves = replay["moves"]
    tried = [
        "",
        "null",
        "[" * 100_000,
        "{" * 1000,
        '"' + "x" * 10_000,
        "\ud83d",
        forged(replay, moves=moves[:-1]),
        forged(replay, moves=[*moves[:3], {**moves[3], "action": "take token"}, *moves[4:]]),
        forged(replay, moves=[{**moves[0], "hash": "0" * 16}, *moves[1:]]),
        forged(replay, moves=[{**move, "seat": 1 - move["seat"]} for move in moves]),
        forged(replay, moves=[moves[0]] * (MOST_MOVES + 1)),
        forged(replay, moves=[None]),
        forged(replay, result={"ending": "terminated", "scores": [99, 0], "returns": [1, -1]}),
        forged(replay, start={"seed": 2, "index": 0}),
        forged(replay, start={"seed": -1, "index": 0}),
        forged(replay, start={"state": {"game": "artisans_v0"}}),
        forged(replay, start={"path": "/etc/passwd"}),
        forged(replay, game="../../etc/passwd"),
        forged(replay, game="<script>alert(1)</script>"),
        forged(replay, rules=99),
        forged(replay, options={**replay["options"], "num_players": 4}),
        forged(replay, extra=1),
    ]
    for text in tried:
        answer = server.post("/api/replays", text.encode("utf-8", "surrogatepass"))
        assert answer.status_code == 400, text[:80]
        assert answer.json()["error"]
    assert works(server)


@pytest.mark.parametrize("edition", ["/etc/passwd", str(ROOT / "README.md"), "/dev/zero", "/proc/self/environ"])
def test_a_replay_that_names_a_file_opens_none(server, replay, edition, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    monkeypatch.setattr("cardtable.support.files.read_bytes", refuse)
    answer = server.post("/api/replays", forged(replay, options={**replay["options"], "edition": edition}))
    assert answer.status_code == 400
    assert "edition" in answer.json()["error"]


def test_uploads_are_bounded(server):
    assert "too large" in server.post("/api/replays", "x" * (safety.LARGEST_UPLOAD + 1)).json()["error"]
    assert "too large" in server.post("/api/tables", "x" * (safety.LARGEST_REQUEST + 1)).json()["error"]
    assert works(server)


def sent_until_cut_off(raw: socket.socket, endless: bytes) -> int:
    """How many bytes can be sent before the server closes the connection."""
    sent = 0
    while sent < 1 << 28:
        try:
            raw.sendall(endless)
        except OSError:
            break
        sent += len(endless)
    return sent


def test_a_body_without_end_is_not_read_on(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as raw:
        head = f"POST /api/tables HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.address}\r\n"
        raw.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        assert sent_until_cut_off(raw, b"10000\r\n" + b"x" * 65536 + b"\r\n") < 1 << 25
    assert works(server)


def test_headers_without_end_are_not_read_on(server):
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as raw:
        raw.sendall(f"GET / HTTP/1.1\r\nHost: {server.host}\r\n".encode())
        assert sent_until_cut_off(raw, b"X-More: " + b"x" * 4096 + b"\r\n") < 1 << 25
    assert works(server)


# ---- Messages


def test_oversized_messages_close_the_socket(server):
    made = server.open()
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        talk.hear()
        talk.connection.send("x" * (safety.LARGEST_MESSAGE + 1))
        assert code_of_close(talk) == 1009
    assert works(server)


def code_of_close(talk: Talk) -> int | None:
    """What the server says when it closes a socket, after whatever else it says."""
    while True:
        try:
            talk.hear()
        except ConnectionClosed as closed:
            return closed.rcvd.code if closed.rcvd else None


def raw_socket(server, table: str) -> socket.socket:
    """A socket after its handshake, whose frames we write ourselves."""
    raw = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT)
    raw.sendall(
        f"GET /api/tables/{table} HTTP/1.1\r\nHost: {server.host}\r\nOrigin: {server.address}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    assert raw.recv(4096).startswith(b"HTTP/1.1 101")
    return raw


def frame(opcode: int, content: bytes = b"", *, last: bool = False) -> bytes:
    assert len(content) < 126
    return struct.pack("!BB4s", opcode | (0x80 if last else 0), 0x80 | len(content), b"\0" * 4) + content


@pytest.mark.parametrize(
    ("first", "endless"),
    [
        (frame(1, b"{"), frame(0, b" " * 100)),
        (frame(1, b"{"), frame(0)),
        (b"", frame(9, b"ping", last=True)),
        (b"", frame(10, b"pong", last=True)),
        (b"", frame(1, b"{}", last=True)),
        (b"", frame(2, b"\xff" * 100, last=True)),
    ],
    ids=["parts", "empty parts", "pings", "pongs", "messages", "bytes"],
)
def test_endless_messages_are_cut_off(server, first, endless):
    made = server.open()
    with raw_socket(server, made["table"]) as raw:
        raw.sendall(frame(1, json.dumps({"do": "join", "key": made["links"][0]["key"]}).encode(), last=True) + first)
        assert sent_until_cut_off(raw, endless * 100) < 1 << 25
    assert works(server)


def test_too_many_messages_close_the_socket(server):
    made = server.open()
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        with suppress(ConnectionClosed):
            for _ in range(int(MOST_MESSAGES) * 3):
                talk.say(do="nothing")
        assert code_of_close(talk) in (TOO_MANY, None)
    assert works(server)


def test_nonsense_is_refused_in_words_and_changes_nothing(server):
    made = server.open()
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        number = talk.hear_turn()["number"]
        tried = [
            "",
            "x",
            "[]",
            "7",
            "null",
            '{"do": 1}',
            '{"do": ["play"]}',
            '{"do": "join"}',
            "[" * 3000,
            '{"do": "play", "action": 1e999, "number": 0}',
        ]
        for text in tried:
            talk.connection.send(text)
            assert talk.hear("refused")["why"]
        talk.say(do="pace", seconds=0)
        assert talk.hear()["number"] == number
    assert len(tried) == 10


def test_a_page_that_does_not_read_keeps_nobody_waiting(server):
    made = server.open(seats=("random", "random"), game="artisans")
    with raw_socket(server, made["table"]) as raw:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        raw.sendall(frame(1, json.dumps({"do": "join", "key": made["links"][0]["key"]}).encode(), last=True))
        assert works(server)
        table = server.site.tables.find(made["table"])
        begun = time.monotonic()
        while not table.table.ending:  # the agents go on all the same
            assert time.monotonic() - begun < WAIT
            time.sleep(0.05)


def test_pages_of_one_table_are_bounded(server):
    made, codes = server.open(), []
    with ExitStack() as stack:
        for _ in range(30):
            talk = stack.enter_context(server.joined(made["table"], made["links"][0]["key"]))
            try:
                talk.hear()
            except ConnectionClosed as closed:
                codes.append(closed.rcvd.code)
    assert set(codes) == {TOO_MANY}
    assert len(codes) >= 10


# ---- Connections


def test_thousands_of_connections_are_dropped_and_players_play_on():
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(3000, hard - 500 if hard > 0 else 3000)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(min(hard, 8192), resource.getrlimit(resource.RLIMIT_NOFILE)[0]), hard))
    with serving() as server:
        made = server.open()
        with server.joined(made["table"], made["links"][0]["key"]) as talk:
            state = talk.hear_turn()
            crowd = []
            for _ in range(wanted):
                crowd.append(socket.create_connection(("127.0.0.1", server.port), timeout=WAIT))
            talk.play(state)
            assert talk.hear_turn()["number"] > state["number"]
            dropped = 0
            for each in crowd:
                each.settimeout(0.02)
                try:
                    dropped += each.recv(1) == b""
                except TimeoutError:
                    pass
                except OSError:
                    dropped += 1
            assert dropped >= wanted - safety.MOST_CONNECTIONS
        for each in crowd:
            each.close()
        assert works(server)
    print(f"{wanted:,} connections, {dropped:,} dropped")


def test_connections_that_ask_for_nothing_are_closed(monkeypatch):
    monkeypatch.setattr(safety, "MOST_WAIT", 0.3)
    with serving() as server, socket.create_connection(("127.0.0.1", server.port), timeout=WAIT) as raw:
        raw.sendall(b"GET / HT")
        with suppress(ConnectionResetError):
            assert raw.recv(1) == b""


def test_tables_are_bounded():
    with serving(Settings(most_tables=3)) as server, ExitStack() as stack:
        for _ in range(3):
            made = server.open()
            stack.enter_context(server.joined(made["table"], made["links"][0]["key"])).hear()
        refused = server.post("/api/tables", {"game": "muster", "seats": ["here", "random"]})
        assert refused.status_code == 400
        assert "allowed: 3" in refused.json()["error"]


# ---- Script in names


def test_script_in_names_stays_text():
    game, script = find("artisans"), "<script>alert(1)</script>"
    text = json.dumps(BUILT_IN_EDITION.plain())
    for number, name in enumerate(BUILT_IN_EDITION.names()):
        text = text.replace(json.dumps(name), json.dumps(f"{script}{number}"))
    table = Table(game, game.parse_options({"edition": json.loads(text)}))
    table.deal(1)
    for _ in range(40):
        table.play(int(table.mask.argmax()))
    with serving() as server:
        answer = server.post("/api/replays", Replay.of(table).to_json())
        assert answer.status_code == 200, answer.text
        number, seen = answer.json()["replay"], 0
        for step in range(0, 41, 8):
            picture = server.get(f"/api/replays/{number}/{step}?seat=all").json()["picture"]
            assert "<script" not in picture
            seen += "&lt;script" in picture
    assert seen > 2


def test_pages_are_built_from_text_alone():
    folder = ROOT / "agents" / "cardtable_agents" / "web" / "static"
    scripts = sorted(folder.glob("*.js"))
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
    for path in [*scripts, *folder.glob("*.html"), *folder.glob("*.css")]:
        content = path.read_text().replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in content
        assert "https://" not in content
        assert "<script>" not in content
        assert " style=" not in content
        assert 'onclick="' not in content


def test_everything_a_page_loads_is_small():
    folder = ROOT / "agents" / "cardtable_agents" / "web" / "static"
    weight = sum(os.path.getsize(path) for path in folder.iterdir())
    print(f"{weight:,} bytes of pages, scripts and styles")
    assert weight < 300_000
