"""Who may ask the browser's server at all: its own pages under its own names, and beyond this machine those with the token."""

import json
import re

import pytest
from cardtable_agents.web.app import Settings
from cardtable_agents.web.command import _is_local
from cardtable_agents.web.safety import HEADERS
from raw_requests import NEW_TABLE, ask, upgrade
from web_server import serving

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


@pytest.fixture(scope="module")
def server():
    with serving() as served:
        yield served


# ---- Hosts and origins


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


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:{port}", "[::1]:{port}", "192.168.1.7", "LOCALHOST:9000"])
def test_hosts_that_cannot_be_rebound_are_let_in(server, host):
    assert server.get("/", Host=host.format(port=server.port)).status_code == 200


def test_a_name_is_let_in_if_it_was_given_at_start():
    with serving(Settings(names=["games.example"])) as served:
        assert ask(served, "GET", "/api/start", [("Host", "games.example:80")]).status == 200
        assert ask(served, "GET", "/api/start", [("Host", "x.games.example:80")]).status == 403


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_foreign_origins_change_nothing_and_get_no_socket(server, origin):
    made, given, host = server.open(), origin.format(port=server.port), ("Host", server.host)
    tables, key = len(server.site.tables), json.dumps({"key": made["links"][0]["key"]}).encode()
    for target, body in (
        ("/api/tables", NEW_TABLE),
        ("/api/replays", b"{}"),
        ("/api/options", b"{}"),
        (f"/api/tables/{made['table']}/replay", key),
    ):
        assert ask(server, "POST", target, [host, ("Origin", given)], body).status == 403
    assert ask(server, "GET", "/api/start", [host, ("Origin", given)]).status == 403
    assert ask(server, "GET", f"/api/tables/{made['table']}", [host, *upgrade(given)]).status == 403
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
        assert "access-control-allow-origin" not in answer.headers
    policy = HEADERS["content-security-policy"]
    assert "unsafe" not in policy
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(policy.split("; "))


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


def test_the_token_is_asked_for_exactly_where_others_can_reach_the_server():
    local = {
        host: _is_local(host) for host in ("127.0.0.1", "127.0.0.2", "::1", "localhost", "0.0.0.0", "::", "192.168.1.2", "box")
    }
    assert [host for host, is_local in local.items() if is_local] == ["127.0.0.1", "127.0.0.2", "::1", "localhost"]


def test_the_tokens_link_gives_a_cookie_that_scripts_cannot_read(guarded):
    answer = ask(guarded, "GET", "/table/abc?token=the-token", [("Host", guarded.host)])
    assert (answer.status, answer.headers["location"]) == (303, "/table/abc")
    cookie, *settings = answer.headers["set-cookie"].split("; ")
    assert cookie == "cardtable=the-token"
    assert {"HttpOnly", "SameSite=lax"} <= set(settings)
    assert guarded.get("/api/start", Cookie=cookie).json()["invite"] == "?token=the-token"


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
