"""Replays, arenas and trainings in folders, as pages get them; while they are written, damaged, or forged. And the command."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest
from cardtable_agents.arena import results, standings, tournament
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.training import listing
from cardtable_agents.training.folder import LOG
from cardtable_agents.training.log import FORMAT, Log
from cardtable_agents.web import replays, runs
from cardtable_agents.web.app import Settings
from web_server import Served, serving

from cardtable.cli.main import main
from cardtable.errors import AgentError

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made: Path = tmp_path_factory.mktemp("runs")
    tournament.run(make_plan("muster", {}, ["random", "heuristic"]), 6, made / "demo" / "arena", workers=1, replays=True)
    training = made / "demo" / "training"
    training.mkdir()
    log = Log(training / "log.jsonl")
    log.begin({"settings": {"game": "muster_v0", "options": {}, "learner": "cardtable"}})
    for minute in range(1, 4):
        log.add({"phase": "self-play", "steps": 1000 * minute, "seconds": 60 * minute, "evaluation": {"random": 0.3 * minute}})
    return made


@pytest.fixture(scope="module")
def server(folder) -> Served:
    with serving(Settings(folders=[folder])) as served:
        yield served


def one(server: Served, kind: str) -> dict:
    (found,) = server.get("/api/runs").json()[kind]
    return found


def test_the_log_of_trainings_is_where_this_test_writes_it():
    assert LOG == "log.jsonl"
    assert FORMAT


def test_an_arena_has_the_table_that_the_command_prints(server, folder):
    listed = one(server, "arenas")
    assert (listed["game"], listed["agents"], listed["running"], listed["fault"]) == (
        "Muster",
        ["random", "heuristic"],
        False,
        "",
    )
    arena = server.get(f"/api/arenas/{listed['id']}").json()
    path = folder / "demo" / "arena" / results.RESULTS
    rows = standings.standings(("random", "heuristic"), results.read_results(path, results.read_plan(path)).games)
    assert [(row["agent"], row["rate"], row["elo"]) for row in arena["rows"]] == [
        (row.agent, row.rate, row.elo) for row in rows
    ]
    assert arena["games"] == 6
    assert len(arena["replays"]) == 6
    for each in arena["replays"]:
        head = server.get(f"/api/replays/{each['id']}").json()
        assert head["name"] == f"demo/arena: {' – '.join(each['agents'])}, deal {each['deal']}"
        assert head["result"]["returns"] == each["returns"]


def test_an_arena_that_is_being_written_is_shown_as_far_as_it_is(server, folder):
    path, listed = folder / "demo" / "arena" / results.RESULTS, one(server, "arenas")
    whole = path.read_bytes()
    try:
        path.write_bytes(whole + b'{"agents": ["random"')
        assert server.get(f"/api/arenas/{listed['id']}").json()["games"] == 6
        path.write_bytes(whole.replace(b'"deal": 0', b'"deal": 1', 1))
        damaged = server.get(f"/api/arenas/{listed['id']}")
        assert damaged.status_code == 400
        assert "damaged" in damaged.json()["error"]
        path.write_bytes(whole[:50])
        assert one(server, "arenas")["fault"]
        path.write_bytes(b"")
        assert server.get(f"/api/arenas/{listed['id']}").status_code == 400
    finally:
        path.write_bytes(whole)


def test_a_training_has_its_curves_and_a_line_that_is_cut_off_is_left_out(server, folder):
    listed = one(server, "trainings")
    assert (listed["game"], listed["steps"], listed["minutes"]) == ("Muster", 3000, 3)
    run = server.get(f"/api/trainings/{listed['id']}").json()
    assert run["curves"] == {"random": [[1, 0.3], [2, 0.6], [3, pytest.approx(0.9)]]}
    assert run["even"] == 0.5
    path = folder / "demo" / "training" / "log.jsonl"
    whole = path.read_text()
    try:
        path.write_text(whole + '{"phase": "self-pl')
        assert len(server.get(f"/api/trainings/{listed['id']}").json()["curves"]["random"]) == 3
        path.write_text(whole + "nonsense\n")
        assert server.get(f"/api/trainings/{listed['id']}").status_code == 400
        assert "damaged" in one(server, "trainings")["state"]
    finally:
        path.write_text(whole)


def test_a_training_with_options_has_the_title_of_its_game(tmp_path):
    for name, game, options in (("a", "artisans_v0", {"num_players": 3}), ("b", "muster_v0", {}), ("c", "chess", {})):
        (tmp_path / name).mkdir()
        Log(tmp_path / name / LOG).begin({"settings": {"game": game, "options": options}})
    assert [each["game"] for each in runs.list_trainings([tmp_path])] == ["Artisans num_players=3", "Muster", "chess"]


def test_a_folder_that_may_not_be_read_hides_no_other(server, folder, monkeypatch):
    scandir, iterdir, closed = os.scandir, Path.iterdir, folder / "closed"
    closed.mkdir()

    def refuse(path):
        if Path(path) == closed:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    monkeypatch.setattr(listing.os, "scandir", lambda path: refuse(path) or scandir(path))
    monkeypatch.setattr(Path, "iterdir", lambda path: refuse(path) or iterdir(path))
    try:
        assert one(server, "trainings")["name"].endswith("training")
        assert len(server.get("/api/replays").json()["replays"]) == 6
    finally:
        closed.rmdir()


def test_a_file_that_cannot_be_read_is_told_without_where_it_lies(server, folder, monkeypatch):
    def refuse(place):
        raise PermissionError(errno.EACCES, "Permission denied", str(place.path))

    monkeypatch.setattr(runs, "arena", refuse)
    answer = server.get(f"/api/arenas/{one(server, 'arenas')['id']}")
    assert (answer.status_code, answer.json()) == (500, {"error": "a file cannot be read: Permission denied"})


def test_only_so_many_replays_are_looked_for(folder, tmp_path, monkeypatch):
    looked, iterdir = [], Path.iterdir
    monkeypatch.setattr(Path, "iterdir", lambda path: looked.append(path) or iterdir(path))
    monkeypatch.setattr(replays, "MOST_FOUND", 3)
    assert len(replays.replays_in([folder, tmp_path])) == 3
    assert looked
    assert tmp_path not in looked


def test_plans_with_nonsense_in_them_are_refused(tmp_path):
    path = tmp_path / results.RESULTS
    for text in ("", "{}", "[]", "x", "[" * 5000, json.dumps({"game": SCRIPT}), json.dumps({"game": "muster_v0", "agents": 7})):
        path.write_text(text + "\n")
        with pytest.raises(AgentError, match="cannot be read"):
            results.read_plan(path)


def test_values_of_a_replay_grow_until_every_decision_has_one(server):
    number = server.get("/api/replays").json()["replays"][0]["id"]
    steps = len(server.get(f"/api/replays/{number}").json()["moves"])
    for name in ("heuristic", "random"):
        found = {"done": -1}
        while found["done"] < steps:
            found = server.post(f"/api/replays/{number}/values", {"agent": name}).json()
            assert found["fault"] == ""
            assert found["of"] == steps
            time.sleep(0.05)
        assert [row["step"] for row in found["values"]] == list(range(steps))
        told = [row for row in found["values"] if row["loss"] is not None]
        assert bool(told) == (name == "heuristic")
        assert all(row["loss"] >= 0 for row in told)
        assert all(row["loss"] == 0 for row in told if row["played"] == row["best"])
    assert server.post(f"/api/replays/{number}/values", {"agent": "ppo:/etc/passwd"}).status_code == 400


def test_frames_show_a_replay_as_a_seat_saw_it(server):
    number = server.get("/api/replays").json()["replays"][0]["id"]
    seen = [server.get(f"/api/replays/{number}/10?seat={seat}").json()["picture"] for seat in (0, 1, "all")]
    assert len(set(seen)) == 3
    assert "player_0 (you)" in seen[0]
    assert "player_1 (you)" in seen[1]
    assert "(you)" not in seen[2]


# ---- The command


def test_serve_says_where_it_is_and_ends_by_an_interrupt(tmp_path):
    command = [sys.executable, "-m", "cardtable", "serve", "--port", "0", "--runs", str(tmp_path), "--player", "search:20"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        address = re.search(r"open (http://127\.0\.0\.1:\d+)/ ", line)[1]
        start = httpx.get(f"{address}/api/start", timeout=60).json()
        assert "search:20" in start["agents"]
        assert start["invite"] == ""
    finally:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--runs", "no-such-folder"], "no such folder"),
        (["--port", "70000"], "allowed: 0"),
        (["--player", "nobody"], "no agent is called 'nobody'"),
        (["--player", "ppo:no/such/policy.safetensors"], "it can play no game"),
        (["--player", "cmd:no-such-program"], "it can play no game"),
        (["--host", "no such host", "--port", "0"], "see --host and --port"),
    ],
)
def test_serve_refuses_what_it_cannot_do(arguments, words, capsys):
    assert main(["serve", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_serve_without_its_libraries_names_the_extra(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve"]) == 2
    assert "pip install 'cardtable[web]'" in capsys.readouterr().err
