"""Replays that pages send: honest ones are taken, forged and oversized ones are refused, and none opens a file."""

import json
from pathlib import Path

import pytest
from cardtable_agents.web import safety
from cardtable_agents.web.replays import MOST_MOVES
from web_games import played
from web_server import serving, works

from cardtable.replay import Replay

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def server():
    with serving() as served:
        yield served


@pytest.fixture(scope="module")
def replay() -> dict:
    plain: dict = json.loads(Replay.of(played("artisans", moves=30)).to_json())
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
