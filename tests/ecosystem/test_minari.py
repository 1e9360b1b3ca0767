"""Minari datasets of our games: loaded as they are, the same games as the tables, never over another; a clone learns."""

import gymnasium
import numpy as np
import pytest

pytest.importorskip("minari", reason="pip install 'cardtable[minari]'")

import minari
import pyarrow.parquet as pq

from benchmarks.libraries import minari as benchmark
from cardtable.cli.main import main
from cardtable.game.registry import find

pytestmark = pytest.mark.filterwarnings("ignore")  # Minari's own

NAME = "muster/random-v0"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("minari")


@pytest.fixture(autouse=True)
def place(folder, monkeypatch):
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(folder / "datasets"))


def command(folder, *more, name=NAME, agents=("random", "random"), out="tables"):
    words = ["data", "muster", *agents, "--games", "10", "--workers", "1", "--minari", name, "--out", str(folder / out)]
    return main([*words, "-o", "max_turns=12", *more])


@pytest.fixture
def dataset(folder):
    if not (folder / "datasets" / NAME).exists():
        assert command(folder) == 0
    return minari.load_dataset(NAME)


def test_every_game_is_an_episode_of_the_first_agents_seat(dataset, folder):
    games, decisions = (pq.read_table(folder / "tables" / f"{kind}.parquet").to_pylist() for kind in ("games", "decisions"))
    own = [row for row in games if row["agent"] == "random"]
    assert dataset.total_episodes == len(own) == 10
    episodes = sorted(tuple(each.actions.tolist()) for each in dataset.iterate_episodes())
    expected = [
        tuple(row["action"] for row in decisions if (row["game"], row["seat"]) == (game["game"], game["seat"])) for game in own
    ]
    assert episodes == sorted(expected)
    assert sorted(each.rewards[-1] for each in dataset.iterate_episodes()) == sorted(row["return"] for row in own)


def test_episodes_end_once_and_every_action_was_legal(dataset):
    for episode in dataset.iterate_episodes():
        steps = len(episode.actions)
        assert episode.observations["observation"].shape == (steps + 1, find("muster").layout.size)
        assert (episode.observations["action_mask"][np.arange(steps), episode.actions] == 1).all()
        assert (episode.terminations | episode.truncations).tolist() == [False] * (steps - 1) + [True]
        assert not episode.rewards[:-1].any()


def test_the_environment_is_recovered_and_its_spaces_hold_the_episodes(dataset):
    env = dataset.recover_environment()
    assert isinstance(env, gymnasium.Env)
    assert env.spec.id == "cardtable/Muster-v0"
    assert env.spec.kwargs["max_turns"] == 12
    assert env.observation_space == dataset.observation_space
    episode = dataset[0]
    first = {key: value[0] for key, value in episode.observations.items()}
    assert dataset.observation_space.contains(first)
    assert env.reset(seed=1)[0]["observation"].shape == first["observation"].shape


def test_a_dataset_is_never_overwritten(dataset, folder, capsys):
    assert command(folder, out="other") == 2
    assert "exists already, and is left as it is" in capsys.readouterr().err
    assert not (folder / "other").exists()
    assert minari.load_dataset(NAME).total_episodes == 10


def test_an_agent_alone_gives_an_episode_for_every_seat(folder):
    assert command(folder, name="muster/alone-v0", agents=("random",), out="alone") == 0
    assert minari.load_dataset("muster/alone-v0").total_episodes == 20


@pytest.mark.parametrize("name", ["", "nonsense", "a b-v0", "muster/x"])
def test_names_that_are_none_are_refused(folder, name, capsys):
    assert command(folder, name=name, out="none") == 2
    assert "--minari" in capsys.readouterr().err
    assert not (folder / "none").exists()


def test_shards_are_merged_first(folder, capsys):
    assert command(folder, "--shard", "1/2", "--salt", "0" * 32, name="muster/shard-v0", out="shard") == 2
    assert "cardtable data merge" in capsys.readouterr().err


@pytest.mark.learns
def test_a_clone_of_the_heuristic_beats_random_play():
    """Of 400 games, chance gives less than 60 % with 4 standard deviations to spare."""
    learned = benchmark.learn(12.0)
    assert learned.before < 0.6 < learned.after
