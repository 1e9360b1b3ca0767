"""Arenas and tables on a real Ray cluster of this machine: one of two nodes is killed, the files are those of one process."""

import dataclasses
import time

import pytest

pytest.importorskip("ray", reason="pip install 'cardtable[ray]'")

from cardtable_agents.arena import cluster, cutting
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.tournament import run
from helpers import SALT

from cardtable.cli.main import main
from cardtable.errors import AgentError

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own

PLAN = make_plan("muster", {}, ("random", "random"), seed=4)
GAMES = 1200
NODE = {"num_cpus": 1, "object_store_memory": 80_000_000, "include_dashboard": False}


@pytest.fixture(scope="module")
def nodes():
    """A cluster whose head plays nothing, and a node that does."""
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": 0})
    try:
        made.add_node(**NODE)
        yield made
    finally:
        made.shutdown()


@pytest.fixture(autouse=True)
def short_tasks(monkeypatch):
    monkeypatch.setattr(cutting, "TASK_SECONDS", 0.2)
    monkeypatch.setattr(cutting, "TELLING", 0.01)


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """The file of one process."""
    folder = tmp_path_factory.mktemp("alone")
    run(PLAN, GAMES, folder, salt=SALT)
    return (folder / "games.jsonl").read_bytes()


def on_ray(nodes, plan=PLAN):
    return lambda work, tasks: cluster.played_on_ray(work, tasks, plan, nodes.address)


def test_a_node_that_is_killed_costs_a_retry_and_nothing_else(nodes, alone, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "RETRIES", 0)  # so that the driver, not Ray, has to send tasks again
    lost, mortal = [], nodes.add_node(**NODE)
    send_again = cluster.Driver._send_again
    monkeypatch.setattr(
        cluster.Driver, "_send_again", lambda self, task, error: (lost.append(task), send_again(self, task, error))
    )

    def progress(done, total):
        if done > GAMES / 4 and mortal in nodes.list_all_nodes():
            nodes.remove_node(mortal, allow_graceful=False)

    run(PLAN, GAMES, tmp_path, salt=SALT, executor=on_ray(nodes), progress=progress)
    assert mortal not in nodes.list_all_nodes()
    assert lost
    assert (tmp_path / "games.jsonl").read_bytes() == alone


def test_ray_itself_plays_tasks_of_a_dead_node_again(nodes, alone, tmp_path):
    mortal = nodes.add_node(**NODE)

    def progress(done, total):
        if done > GAMES / 4 and mortal in nodes.list_all_nodes():
            nodes.remove_node(mortal, allow_graceful=False)

    run(PLAN, GAMES, tmp_path, salt=SALT, executor=on_ray(nodes), progress=progress)
    assert (tmp_path / "games.jsonl").read_bytes() == alone


def test_an_interrupted_arena_keeps_its_games_and_goes_on_without_ray(nodes, alone, tmp_path):
    def interrupt(done, total):
        if done > GAMES / 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(PLAN, GAMES, tmp_path, salt=SALT, executor=on_ray(nodes), progress=interrupt)
    kept = len((tmp_path / "games.jsonl").read_bytes().splitlines()) - 1
    assert GAMES / 4 < kept < GAMES
    run(PLAN, GAMES, tmp_path)
    assert (tmp_path / "games.jsonl").read_bytes() == alone


def test_the_command_plays_a_shard_with_replays_on_a_cluster(nodes, tmp_path, capsys):
    arguments = ["arena", "muster", "random", "random", "--games", "12", "--salt", SALT, "--shard", "2/3", "--replays"]
    assert main([*arguments, "--workers", "1", "--out", str(tmp_path / "here")]) == 0
    assert main([*arguments, "--ray", nodes.address, "--out", str(tmp_path / "there")]) == 0
    capsys.readouterr()
    here, there = (sorted((tmp_path / each).rglob("*.json*")) for each in ("here", "there"))
    assert len(here) == 4 + 2
    for one, other in zip(here, there, strict=True):
        assert one.name == other.name
        assert one.name == "times.jsonl" or one.read_bytes() == other.read_bytes()


def test_tables_made_on_a_cluster_are_those_of_one_machine(nodes, tmp_path, capsys, monkeypatch):
    """A node is killed when the first parts are there."""
    pytest.importorskip("pyarrow", reason="pip install 'cardtable[data]'")
    from cardtable_agents.data import dataset

    mortal, write_part = nodes.add_node(**NODE), dataset.write_part

    def write(folder, part):
        write_part(folder, part)
        if mortal in nodes.list_all_nodes():
            nodes.remove_node(mortal, allow_graceful=False)

    arguments = ["data", "muster", "random", "random", "--games", str(GAMES), "--observations", "--salt", SALT]
    assert main([*arguments, "--workers", "1", "--out", str(tmp_path / "here")]) == 0
    monkeypatch.setattr(dataset, "write_part", write)
    assert main([*arguments, "--ray", nodes.address, "--out", str(tmp_path / "there")]) == 0
    capsys.readouterr()
    assert mortal not in nodes.list_all_nodes()
    names = ["dataset.json", *(f"{kind}.parquet" for kind in dataset.KINDS)]
    assert [(tmp_path / "here" / name).read_bytes() == (tmp_path / "there" / name).read_bytes() for name in names] == [True] * 3


def test_a_node_with_other_sources_is_told_of(nodes, tmp_path):
    """Whoever plays there would play something else."""
    other = dataclasses.replace(PLAN, sources="those of another version")
    with pytest.raises(AgentError, match=r"node .*: the sources of engine or agents there are not those of this command"):
        run(PLAN, GAMES, tmp_path, salt=SALT, executor=on_ray(nodes, other))


MORTAL = """
import os
from cardtable import Agent, register

@register("mortal", "ends its process")
class Mortal(Agent):
    def act(self, views):
        os._exit(3)
"""


def test_an_agent_that_ends_its_process_every_time_is_not_played_for_ever(nodes, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "RETRIES", 0)
    monkeypatch.setattr(cluster, "MOST_LOSSES", 1)
    (tmp_path / "mortal.py").write_text(MORTAL)
    plan = make_plan("muster", {}, ("mortal", "random"), 4, [str(tmp_path / "mortal.py")])
    with pytest.raises(AgentError, match=r"deals 0 to 1 of .*mortal.* end the process that plays them, every time"):
        run(plan, 8, tmp_path / "out", executor=on_ray(nodes, plan))


def test_errors_of_agents_are_told_as_they_would_be_here(nodes, tmp_path):
    (tmp_path / "wrong.py").write_text(
        MORTAL.replace("mortal", "wrong").replace("os._exit(3)", "return views.mask.argmin(axis=1)")
    )
    plan = make_plan("muster", {}, ("wrong", "random"), 4, [str(tmp_path / "wrong.py")])
    with pytest.raises(AgentError, match=r"^Mortal \(seed 4, deal 0\): muster_v0: lane 0, player_0 to act: action") as caught:
        run(plan, 8, tmp_path / "out", executor=on_ray(nodes, plan))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:1", "nobody answers there"),
        ("nonsense", "allowed: HOST:PORT"),
        ("ray://localhost:10001", "allowed: HOST:PORT"),
        (":6379", "allowed: HOST:PORT"),
        ("localhost:0", "allowed: HOST:PORT"),
        ("localhost:99999", "allowed: HOST:PORT"),
    ],
)
def test_addresses_without_a_cluster_are_refused_at_once(tmp_path, capsys, address, message):
    start = time.monotonic()
    command = ["arena", "muster", "random", "random", "--ray", address, "--out", str(tmp_path / "out")]
    assert main(command) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    assert time.monotonic() - start < 60
