"""Games as tables: they tell what was played, are the same whoever plays, go on after a kill, and overwrite nothing."""

import json
import os

import numpy as np
import pytest

pytest.importorskip("pyarrow", reason="pip install 'cardtable[data]'")

import pyarrow as pa
import pyarrow.parquet as pq
from cardtable_agents.arena.match import Match
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.processes import played_here
from cardtable_agents.arena.shards import Shard
from cardtable_agents.arena.work import Task, joined
from cardtable_agents.data import dataset, tables
from helpers import SALT, open_table

from cardtable.cli.main import main
from cardtable.errors import AgentError
from cardtable.game.registry import find
from cardtable.players import roster
from cardtable.players.agent import Agent, Decisions, Forfeit

PLAN = make_plan("muster", {"max_turns": 12}, ("random", "random", "random"), seed=4)
GAMES = 14


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(tables, "GAMES_A_PART", 4)


def here(work, tasks):
    return played_here(work, tasks, 1)


def make(folder, **arguments):
    return dataset.make(PLAN, GAMES, folder, arguments.pop("executor", here), salt=SALT, **arguments)


def contents(folder):
    return [(folder / f"{kind}.parquet").read_bytes() for kind in dataset.KINDS]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tables, "GAMES_A_PART", 4)
        make(folder, observations=True)
    return folder


def test_tables_tell_what_was_played(whole):
    games, decisions = (pq.read_table(whole / f"{kind}.parquet").to_pylist() for kind in dataset.KINDS)
    assert len(games) == 3 * GAMES * 2
    assert len({row["game"] for row in games}) == 3 * GAMES
    game = find("muster")
    for number in (0, 3, 3 * GAMES - 1):
        rows = [row for row in games if row["game"] == number]
        made = [row for row in decisions if row["game"] == number]
        [played] = Match(game, PLAN.options, ["random", "random"], PLAN.seed, rows[0]["deal"], 1, SALT).play()
        assert [row["action"] for row in made] == played.actions
        assert [row["return"] for row in rows] == played.returns
        assert [row["score"] for row in rows] == played.scores
        assert [row["decisions"] for row in rows] == played.decisions
        assert {row["ending"] for row in rows} == {played.ending}
        table = open_table(game, {"max_turns": 12}, PLAN.seed, rows[0]["deal"])
        for place, row in enumerate(made):
            assert (row["decision"], row["seat"], row["agent"]) == (place, table.seat, rows[table.seat]["agent"])
            assert row["legal"] == np.flatnonzero(table.mask).tolist()
            assert row["forced"] == (len(row["legal"]) == 1)
            assert row["name"] == game.actions.names[row["action"]]
            np.testing.assert_array_equal(np.array(row["observation"], np.float32), table.observation)
            table.play(row["action"])
        assert table.ending


def test_files_say_what_they_are_about_and_have_a_row_group_for_each_part(whole):
    file = pq.ParquetFile(whole / "decisions.parquet")
    about = json.loads(file.schema_arrow.metadata[b"cardtable"])
    assert (about["agents"], about["games"], about["salt"]) == (["random"] * 3, GAMES, SALT)
    assert file.num_row_groups == 3 * 4
    assert file.schema_arrow.field("observation").type == pa.list_(pa.float32(), find("muster").layout.size)
    assert sorted(path.name for path in whole.iterdir()) == [
        "dataset.json",
        "dataset.lock",
        "decisions.parquet",
        "games.parquet",
    ]


def test_a_run_that_was_interrupted_goes_on_to_the_same_files(whole, tmp_path):
    def interrupt(done, total):
        if done >= 12:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(tmp_path, observations=True, progress=interrupt)
    assert list((tmp_path / "parts").iterdir())
    (tmp_path / "parts" / "00000011.games.parquet").write_bytes(b"a part whose other table is missing")
    heard = []
    make(tmp_path, observations=True, progress=lambda done, total: heard.append((done, total)))
    assert heard[0] == (12, 3 * GAMES)
    assert heard[-1] == (3 * GAMES, 3 * GAMES)
    assert contents(tmp_path) == contents(whole)
    make(tmp_path, observations=True, executor=lambda work, tasks: pytest.fail("it is whole"))


def test_shards_put_together_are_the_files_of_one_machine(whole, tmp_path):
    folders = [tmp_path / str(number) for number in (1, 2, 3)]
    for number, folder in enumerate(folders, start=1):
        make(folder, observations=True, shard=Shard(number, 3).aligned)
        assert not (folder / "games.parquet").exists()
    with pytest.raises(AgentError, match="games are missing: deals 2 to 3"):
        dataset.merge([folders[0], folders[2]], tmp_path / "out")
    assert not (tmp_path / "out").exists()
    dataset.merge([folders[2], folders[0], folders[1], folders[0]], tmp_path / "out")
    assert contents(tmp_path / "out") == contents(whole)


def test_other_datasets_and_files_of_others_are_left_alone(whole, tmp_path):
    before = contents(whole)
    with pytest.raises(AgentError, match=r"holds another dataset .observations: True, not False"):
        make(whole)
    with pytest.raises(AgentError, match="games: 14, not 15"):
        dataset.make(PLAN, 15, whole, here, observations=True)
    with pytest.raises(AgentError, match=r"another plan .different: seed"):
        dataset.make(make_plan("muster", {"max_turns": 12}, ["random"] * 3, seed=5), GAMES, whole, here)
    assert contents(whole) == before
    (tmp_path / "games.parquet").write_text("mine")
    with pytest.raises(AgentError, match=r"holds a games\.parquet but no dataset\.json"):
        make(tmp_path)
    assert (tmp_path / "games.parquet").read_text() == "mine"


@pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 10_000, '{"format": "cardtable data 1"}'])
def test_headers_that_are_none_are_refused(tmp_path, text):
    (tmp_path / "dataset.json").write_text(text)
    with pytest.raises(AgentError, match=r"dataset\.json: cannot be read"):
        make(tmp_path)


def test_tables_are_on_the_disk_before_the_parts_are_removed(tmp_path, monkeypatch):
    make(tmp_path, shard=Shard(1, 1).aligned)
    synced, fsync = [], os.fsync

    def note(descriptor):
        synced.append(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    make(tmp_path)
    assert {(tmp_path / f"{kind}.parquet").stat().st_ino for kind in dataset.KINDS} <= {*synced}


def test_a_damaged_part_is_told_of(tmp_path):
    make(tmp_path, shard=Shard(1, 1).aligned)
    (tmp_path / "parts" / "00000002.decisions.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(AgentError, match=r"00000002\.decisions\.parquet: damaged .* delete it"):
        make(tmp_path)


class Quitter(Agent):
    """Gives up every game in which it is asked, as a bot does that cannot be started."""

    def act(self, views):
        return views.mask.argmax(axis=1)

    def decide(self, views):
        return Decisions(self.act(views), {place: Forfeit("ended") for place in range(len(views))})


def test_games_that_are_given_up_before_the_first_decision_have_rows_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setitem(roster._REGISTERED, "quitter", roster.Entry("gives up", Quitter, ""))
    plan = make_plan("muster", {"max_turns": 12}, ("quitter", "quitter", "random"), seed=4)
    dataset.make(plan, 8, tmp_path, here, observations=True)
    games, decisions = (pq.read_table(tmp_path / f"{kind}.parquet") for kind in dataset.KINDS)
    assert games.num_rows == 3 * 8 * 2
    assert sum(each == "ended" for each in games["forfeit"].to_pylist()) == 3 * 8
    assert {*decisions["agent"].to_pylist()} == {"random"}
    of_quitters = [row["decisions"] for row in games.to_pylist() if row["agent"].startswith("quitter")]
    assert set(of_quitters) == {0}


@pytest.mark.parametrize("observations", [True, False])
def test_observations_are_made_only_where_they_are_wanted(tmp_path, monkeypatch, observations):
    """In a part of Murano they would take some hundred megabytes."""
    noted, moments = [], tables.moments
    monkeypatch.setattr(tables, "moments", lambda *given: noted.append(moments(*given)) or noted[-1])
    make(tmp_path, observations=observations)
    size = PLAN.checked()[0].layout.size if observations else 0
    assert {found.observation.shape[1] for found in noted} == {size}


def test_the_command_says_where_tables_are_and_needs_pyarrow(tmp_path, capsys, monkeypatch):
    command = ["data", "muster", "random", "random", "--games", "4", "--workers", "1", "--out", str(tmp_path / "out")]
    assert main(command) == 0
    assert "decisions.parquet" in capsys.readouterr().out
    monkeypatch.setattr("cardtable_agents.data.command.find_spec", lambda name: None)
    assert main(command) == 2
    assert "pip install 'cardtable[data]'" in capsys.readouterr().err


def test_tasks_are_joined_where_they_touch():
    one, other = (("a", "b"),), (("a", "c"),)
    tasks = [Task(one, 4, 2), Task(other, 0, 4), Task(one, 0, 4), Task(one, 8, 2)]
    assert joined(tasks) == [Task(one, 0, 6), Task(one, 8, 2), Task(other, 0, 4)]
