"""Arenas in parts: every deal in one of them, put together to the file of one machine, to the byte."""

import sys

import pytest
from cardtable_agents.arena import cutting
from cardtable_agents.arena.cutting import Cutter
from cardtable_agents.arena.merge import merge
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.shards import Shard
from cardtable_agents.arena.tournament import run
from cardtable_agents.arena.work import Task, left_to_play
from helpers import SALT

from cardtable.cli.main import main
from cardtable.errors import AgentError

PLAN = make_plan("muster", {"max_turns": 20}, ("random", "random", "random"), seed=4)
GAMES = 14
"""For each of three line-ups: seven deals."""


def content(folder):
    return (folder / "games.jsonl").read_bytes()


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A folder with the whole arena, and three with its shards."""
    folder = tmp_path_factory.mktemp("shards")
    run(PLAN, GAMES, folder / "whole", salt=SALT, replays=True)
    for number in (1, 2, 3):
        run(PLAN, GAMES, folder / str(number), salt=SALT, replays=True, shard=Shard(number, 3))
    return folder


def shards(played, *numbers):
    return [played / str(number) for number in numbers or (1, 2, 3)]


@pytest.mark.parametrize("of", [1, 2, 3, 7, 10])
@pytest.mark.parametrize("deals", [0, 1, 7, 100])
@pytest.mark.parametrize("grain", [1, 3])
def test_every_deal_is_in_one_shard(of, deals, grain):
    parts = [Shard(number, of).aligned(deals, grain) for number in range(1, of + 1)]
    assert [deal for part in parts for deal in part] == list(range(deals))
    assert all(part.start % grain == 0 for part in parts if part)
    if grain == 1:
        assert parts == [Shard(number, of)(deals) for number in range(1, of + 1)]
        assert max(map(len, parts)) - min(map(len, parts)) <= 1


# ---- Putting them together


def test_shards_put_together_are_the_file_of_one_machine(played, tmp_path):
    merged = merge(shards(played, 3, 1, 2), tmp_path)
    assert (merged.plan, merged.games, merged.doubles, merged.gaps) == (PLAN, 3 * GAMES, 0, [])
    assert content(tmp_path) == content(played / "whole")
    names = {path.name for path in (tmp_path / "replays").iterdir()}
    assert len(names) == 3 * GAMES
    for name in names:
        assert (tmp_path / "replays" / name).read_bytes() == (played / "whole" / "replays" / name).read_bytes()
    assert len((tmp_path / "times.jsonl").read_bytes().splitlines()) == 3 * GAMES


def test_the_same_games_in_two_folders_count_once(played, tmp_path):
    merged = merge([*shards(played), played / "1"], tmp_path)
    assert merged.doubles == 3 * 4
    assert content(tmp_path) == content(played / "whole")
    merge(shards(played, 2, 3), tmp_path)
    assert content(tmp_path) == content(played / "whole")


def test_gaps_are_told_of_and_nothing_is_written(played, tmp_path):
    with pytest.raises(AgentError, match="missing: deals 2 to 3 of random-random#2 and random#2-random, deals 2 to 3"):
        merge(shards(played, 1, 3), tmp_path / "out")
    with pytest.raises(AgentError, match="games are missing: deals 4 to 6 of"):
        merge(shards(played, 1, 2), tmp_path / "out", GAMES)
    with pytest.raises(AgentError, match="games are missing: deal 7 of"):
        merge(shards(played), tmp_path / "out", GAMES + 1)
    assert not (tmp_path / "out").exists()


def test_what_is_missing_can_be_played_after_merging_the_rest(played, tmp_path, capsys):
    command = ["arena", "merge", *map(str, shards(played, 1, 3)), "--out", str(tmp_path)]
    assert main(command) == 2
    assert "--gaps merges what there is" in capsys.readouterr().err
    assert main([*command, "--gaps"]) == 0
    told = capsys.readouterr().out
    assert "30 games of 2 folders" in told
    assert "missing: deals 2 to 3 of" in told
    assert "95 % interval" in told
    run(PLAN, GAMES, tmp_path, replays=True)
    assert content(tmp_path) == content(played / "whole")


def test_shards_of_other_plans_and_salts_are_refused(played, tmp_path):
    other = make_plan("muster", {"max_turns": 20}, ("random", "random", "random"), seed=5)
    run(other, GAMES, tmp_path / "plan", salt=SALT, shard=Shard(2, 3))
    run(PLAN, GAMES, tmp_path / "salt", shard=Shard(2, 3))
    for wrong, message in (("plan", r"another plan \(different: seed\)"), ("salt", "played with another salt")):
        with pytest.raises(AgentError, match=message):
            merge([played / "1", tmp_path / wrong, played / "3"], tmp_path / "out")
    with pytest.raises(AgentError, match="played with another salt"):
        merge(shards(played), tmp_path / "salt")
    assert not (tmp_path / "out").exists()


def test_games_that_differ_between_folders_are_refused(played, tmp_path):
    """No honest run leaves that, but a bot that draws its own numbers does."""
    with pytest.raises(AgentError, match=r"2 and .*forged hold deal 2 of random-random#2, and not the same game"):
        merge([played / "1", forged(played / "2", tmp_path / "forged"), *shards(played, 2, 3)], tmp_path / "out")


def forged(folder, out):
    """Results in which the first game has another score."""
    from cardtable_agents.arena import results

    lines = results.read_results(folder / "games.jsonl", PLAN).games
    lines[0]["scores"] = [99.0, 0.0]
    with results.open_results(out, PLAN, SALT) as writer:
        writer.append([line | {"replay": ""} for line in lines])
    return out


@pytest.mark.parametrize("what", ["nothing", "file", "damaged"])
def test_folders_without_results_are_refused(played, tmp_path, what, capsys):
    wrong = tmp_path / "wrong"
    if what == "file":
        wrong.write_text("")
    elif what == "damaged":
        wrong.mkdir()
        (wrong / "games.jsonl").write_bytes(content(played / "1").replace(b'"deal": 1', b'"deal": 5', 1))
    for folders in ([wrong, played / "1"], [played / "1", wrong]):
        assert main(["arena", "merge", *map(str, folders), "--out", str(tmp_path / "out")]) == 2
        told = capsys.readouterr().err
        assert "wrong" in told
        assert len(told.splitlines()) == 1
    assert not (tmp_path / "out").exists()


# ---- The command


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1.0/2", "1/1000000", "²/4"])
def test_wrong_shards_are_refused(text, capsys):
    with pytest.raises(SystemExit):
        main(["arena", "muster", "random", "random", f"--shard={text}"])
    assert "allowed: I/N with 1 <= I <= N" in capsys.readouterr().err


def test_a_shard_needs_a_salt_and_a_folder(tmp_path, capsys):
    command = ["arena", "muster", "random", "random", "--shard", "1/2"]
    assert main([*command, "--out", str(tmp_path / "out")]) == 2
    assert "--shard 1/2 needs --salt, the same for all shards; here is a new one: --salt " in capsys.readouterr().err
    assert main([*command, "--salt", SALT]) == 2
    assert "--shard 1/2 needs --out, a folder of its own for each shard" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_without_ray_the_extra_is_named(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.setattr("cardtable_agents.arena.cluster.find_spec", lambda name: None)
    assert main(["arena", "muster", "random", "random", "--ray", "--out", str(tmp_path / "out")]) == 2
    assert "pip install 'cardtable[ray]'" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


# ---- Tasks long enough to be sent


def cut_up(cutter, seconds_of_a_deal):
    """Every task in order, as if one machine played them."""
    tasks = []
    while (task := cutter.next()) is not None:
        tasks.append(task)
        cutter.learn(task, seconds_of_a_deal * task.number)
    return tasks


@pytest.mark.parametrize("seconds", [0.00001, 0.01, 3.0, 100.0])
@pytest.mark.parametrize("grain", [1, 64])
def test_tasks_are_cut_by_the_time_that_they_take(seconds, grain):
    left = left_to_play(PLAN, range(5000), set())
    tasks = cut_up(Cutter(left, grain), seconds)
    covered = [(seating, task.first + k) for task in tasks for seating in task.seatings for k in range(task.number)]
    assert len(covered) == len(set(covered)) == 6 * 5000
    assert all(task.first % grain == 0 for task in tasks)
    assert all(task.games <= cutting.LARGEST_TASK + grain * 2 for task in tasks)
    if seconds == 0.01 and grain == 1:
        assert sorted({task.number for task in tasks}) == [2, 16, 128, 5000 - 146 - 3 * 1500, 1500]


def test_one_task_of_a_line_up_is_out_until_it_has_told_something():
    cutter = Cutter([Task((("a", "b"),), 0, 1000), Task((("a", "c"),), 0, 1000)])
    first, second = cutter.next(), cutter.next()
    assert {first.seatings, second.seatings} == {(("a", "b"),), (("a", "c"),)}
    assert cutter.next() is None
    cutter.learn(first, None)  # its process was new
    again = cutter.next()
    assert (again.first, again.number) == (first.first + first.number, first.number)
    assert cutter.next() is None
    cutter.learn(again, 3.0)
    assert [cutter.next().number for _ in range(3)] == [10, 10, 10]
