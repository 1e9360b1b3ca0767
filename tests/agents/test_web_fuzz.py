"""Thousands of malformed requests and messages: each is refused in words, none is a fault of the server, no table changes."""

import json
import time
from collections import Counter
from random import Random
from typing import Any

import httpx
import pytest
from web_games import played
from web_server import WAIT, Talk, serving
from websockets.exceptions import ConnectionClosed

from cardtable.replay import Replay
from tools.attack.damage import hostile_values
from tools.attack.replays import damaged

REQUESTS = 1200
MESSAGES = 1200
REPLAYS = 150
LONGEST_ERROR = 2000
"""Characters of what a refusal says."""
A_SOCKET = 45
"""Messages that one socket sends: fewer than are too many at once."""
LARGEST = 4000
"""Bytes of a message; larger ones close the socket, which another test tries."""
ODD = [
    *hostile_values(), True, False, 0, 1, 2**31, 2**63, -(2**63), 1e308, "0", "muster", "__class__", "é",
    {"do": "play"}, [0], [[0]],
]  # fmt: skip
NAMES = [
    "game", "options", "seats", "seed", "pace", "key", "agent", "do", "action", "number", "seat", "seconds", "edition",
    "\ud800", "",
]  # fmt: skip


@pytest.fixture(scope="module")
def server():
    with serving() as served:
        yield served


def spoilt(valid: dict[str, Any], chance: Random) -> dict[str, Any]:
    """A message with one to three damages: values that are nowhere right, fields too many or too few."""
    message = dict(valid)
    for _ in range(chance.randint(1, 3)):
        name = chance.choice([*valid, *NAMES])
        if chance.random() < 0.15:
            message.pop(name, None)
        elif isinstance(message.get(name), list) and message[name] and chance.random() < 0.5:
            message[name] = [*message[name]]
            message[name][chance.randrange(len(message[name]))] = chance.choice(ODD)
        elif isinstance(message.get(name), dict) and chance.random() < 0.5:
            message[name] = {**message[name], chance.choice(NAMES): chance.choice(ODD)}
        else:
            message[name] = chance.choice(ODD)
    return message


def written(message: object, chance: Random) -> bytes:
    """The message as text; now and then with bytes that are none."""
    content = json.dumps(message).encode()
    if chance.random() < 0.15:
        place = chance.randrange(len(content) + 1)
        content = content[:place] + chance.randbytes(chance.randint(1, 8)) + content[place + chance.randint(0, 8) :]
    return content


def check_answer(answer: httpx.Response, what: str) -> None:
    assert answer.status_code < 500, (what, answer.status_code)
    assert "content-security-policy" in answer.headers, what
    if answer.headers["content-type"] == "application/json" and answer.status_code >= 400:
        assert 0 < len(answer.json()["error"]) < LONGEST_ERROR, what


def test_malformed_requests_are_refused_and_change_nothing(server):
    victim = server.open(seats=("here", "link"))
    table = server.site.tables.find(victim["table"])
    before, chance, outcomes = (table.table.state_bytes(), table.number, table.pace), Random(1), Counter[str]()
    replay = server.post("/api/replays", Replay.of(played(seed=3, moves=20)).to_json()).json()["replay"]
    valid: list[tuple[str, dict[str, Any]]] = [
        ("/api/tables", {"game": "muster", "options": {"num_players": 2}, "seats": ["here", "random"], "seed": 1, "pace": 0}),
        ("/api/tables", {"game": "murano", "options": {"num_players": 3}, "seats": ["here", "random", "link"]}),
        ("/api/options", {"game": "artisans", "options": {"num_players": 3, "max_visits": 2}}),
        (f"/api/tables/{victim['table']}/replay", {"key": victim["links"][0]["key"]}),
        (f"/api/replays/{replay}/values", {"agent": "random"}),
        ("/api/replays", {"format": 1}),
    ]
    with httpx.Client(base_url=server.address, headers={"Origin": server.address}, timeout=WAIT) as client:
        for number in range(REQUESTS):
            path, message = chance.choice(valid)
            content = written(chance.choice(ODD) if chance.random() < 0.1 else spoilt(message, chance), chance)
            answer = client.post(path, content=content)
            check_answer(answer, f"request {number}: {path} {content[:300]!r}")
            outcomes[f"{answer.status_code}"] += 1
    print(f"{REQUESTS} requests: {dict(outcomes)}")
    assert outcomes["400"] > REQUESTS / 2
    assert server.site.tables.find(victim["table"]) is table
    assert (table.table.state_bytes(), table.number, table.pace) == before


def test_odd_methods_and_queries_are_no_faults(server):
    chance, tried = Random(2), 0
    replay = server.post("/api/replays", Replay.of(played(seed=3, moves=20)).to_json()).json()["replay"]
    words = ["all", "0", "1", "9", "-1", "", "\u0663", "\ud7ff", "%ff", "1e3", "00", "0x0", "null", "a" * 3000, "9" * 4400, "²"]
    paths = [
        "/",
        "/api/start",
        f"/api/replays/{replay}",
        f"/api/replays/{replay}/",
        "/api/runs",
        "/api/arenas/x",
        "/static/x",
        "/api/tables/x",
    ]
    with httpx.Client(base_url=server.address, headers={"Origin": server.address}, timeout=WAIT) as client:
        for _ in range(300):
            method = chance.choice(["GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
            more = chance.choice(["", f"?seat={chance.choice(words)}", f"/{chance.choice(words)}"])
            path = chance.choice(paths) + more
            answer = client.request(method, path.replace("//", "/"), content=b"{}" if method == "POST" else None)
            assert answer.status_code < 500, (method, path[:200], answer.status_code)
            tried += 1
        for step in words:
            for seat in words:
                answer = client.get(f"/api/replays/{replay}/{step or 'x'}", params={"seat": seat})
                assert answer.status_code in (200, 400, 404), (step[:20], seat[:20])
                tried += 1
    print(f"{tried} requests")


def test_damaged_replays_are_refused_or_the_same_game(server):
    chance, outcomes = Random(3), Counter[int]()
    original = Replay.of(played(seed=3, moves=20))
    for number in range(REPLAYS):
        content, how = damaged(original.to_json(), chance)
        answer = server.post("/api/replays", content)
        check_answer(answer, f"replay {number}: {how}")
        outcomes[answer.status_code] += 1
        if answer.status_code == 200:
            moves = server.get(f"/api/replays/{answer.json()['replay']}").json()["moves"]
            assert [(move["seat"], move["action"]) for move in moves] == [(m["seat"], m["action"]) for m in original.moves], how
    print(f"{REPLAYS} damaged replays: {dict(outcomes)}")
    assert outcomes[400] > REPLAYS / 2


# ---- Sockets


def test_malformed_messages_are_refused_and_change_nothing(server):
    """Of a person, in a state in which they decide."""
    made = server.open(seats=("here", "link"))
    table = server.site.tables.find(made["table"])
    link = next(each for each in made["links"] if table.turn in each["seats"])
    before, chance, outcomes, sent = table.table.state_bytes(), Random(4), Counter[str](), 0
    while sent < MESSAGES:
        with server.joined(made["table"], link["key"]) as talk:
            state = talk.hear()
            action, number = state["actions"][0]["id"], state["number"]
            valid: list[dict[str, Any]] = [
                {"do": "play", "action": action, "number": number},
                {"do": "uncover", "seat": 0},
                {"do": "take_back"},
                {"do": "hint", "agent": "random", "number": number},
                {"do": "join", "key": link["key"]},
            ]
            for _ in range(A_SOCKET):
                content = written(malformed(chance, valid, number), chance)[:LARGEST].decode("utf-8", "replace")
                talk.connection.send(content)
                answer = json.loads(talk.connection.recv(timeout=WAIT))
                while answer["type"] == "state" and answer["number"] == number:  # an answer comes after the state
                    answer = json.loads(talk.connection.recv(timeout=WAIT))
                number = answer.get("number", number)
                assert answer["type"] in ("refused", "hint", "state"), content
                assert len(answer.get("why", "")) < LONGEST_ERROR
                outcomes[answer["type"]] += 1
                sent += 1
                assert table.table.state_bytes() == before, content
    print(f"{sent} messages: {dict(outcomes)}")
    assert outcomes["refused"] > MESSAGES * 0.8


def malformed(chance: Random, valid: list[dict[str, Any]], number: int) -> object:
    """Anything but a move that may be played."""
    while True:
        message = chance.choice(ODD) if chance.random() < 0.1 else spoilt(chance.choice(valid), chance)
        if not isinstance(message, dict) or message.get("do") != "play" or not plays(message, number):
            return message


def plays(message: dict[str, Any], number: int) -> bool:
    return message.get("number") == number and isinstance(message.get("action"), int)


def test_first_messages_that_are_no_key_open_nothing(server):
    made, chance = server.open(), Random(5)
    for _ in range(100):
        message = spoilt({"do": "join", "key": "x"}, chance)
        with server.socket(made["table"]) as connection:
            connection.send(written(message, chance)[:LARGEST].decode("utf-8", "replace"))
            with pytest.raises(ConnectionClosed) as caught:
                connection.recv(timeout=WAIT)
            assert caught.value.rcvd is not None
            assert caught.value.rcvd.code == 4401, message


def test_binary_messages_close_the_socket_and_nothing_else(server):
    made = server.open()
    for content in (b"", b"{}", b"\xff" * 100, json.dumps({"do": "take_back"}).encode()):
        with server.joined(made["table"], made["links"][0]["key"]) as talk:
            talk.hear()
            talk.connection.send(content)
            with pytest.raises(ConnectionClosed):
                hear_on(talk)
    with server.joined(made["table"], made["links"][0]["key"]) as talk:
        assert talk.hear()["type"] == "state"


def hear_on(talk: Talk) -> None:
    """Hear until there is no more."""
    while True:
        talk.connection.recv(timeout=WAIT)


def test_nothing_of_all_this_is_left_behind(server):
    """No page listens at a table that it has left, and no agent plays there."""
    begun = time.monotonic()
    while any(table.listeners for table in server.site.tables._open.values()) and time.monotonic() - begun < WAIT:
        time.sleep(0.05)
    assert not any(table.listeners for table in server.site.tables._open.values())
    assert server.site.lobby._drivers == {}
