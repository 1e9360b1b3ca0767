"""Games are found by name: here, in PettingZoo's registry, with or without their version."""

import importlib

import pettingzoo
import pytest

import cardtable
from cardtable.envs.aec import TableEnv
from cardtable.envs.registration import learner_id
from cardtable.game.registry import find, game_ids


@pytest.mark.parametrize("game_id", game_ids())
def test_every_way_to_make_a_game_gives_the_same_game(game_id):
    name = game_id.rpartition("_v")[0]
    module = importlib.import_module(f"{name}_env.{game_id}")
    environments = [
        module.env(),
        module.raw_env(),
        cardtable.make(game_id),
        cardtable.make(name),
        pettingzoo.make("aec", f"cardtable/{game_id}"),
    ]
    hashes = set()
    for env in environments:
        env.reset(seed=3)
        assert isinstance(env.unwrapped, TableEnv)
        assert env.unwrapped.metadata["name"] == game_id
        assert str(env) == game_id
        hashes.add(env.unwrapped.state_hash())
    assert len(hashes) == 1
    batch = module.batch_env(2, seed=3)
    environments[0].reset(seed=3)
    observed = environments[0].observe(environments[0].agent_selection)
    assert (batch.frame.observation[0] == observed["observation"]).all()


def test_options_reach_the_game_by_every_way():
    for env in (cardtable.make("muster", max_turns=7), pettingzoo.make("aec", "cardtable/muster_v0", max_turns=7)):
        env.reset(seed=1)
        assert env.unwrapped.state_dict()["max_turns"] == 7


def test_names_find_the_same_game():
    game = find("muster_v0")
    assert find("muster") is find("cardtable/muster_v0") is game
    assert "muster_v0" in cardtable.game_ids()


@pytest.mark.parametrize(
    ("game_id", "expected"),
    [("muster_v0", "cardtable/Muster-v0"), ("light_masters_v12", "cardtable/LightMasters-v12"), ("whist", ""), ("_v0", "")],
)
def test_gymnasium_knows_games_by_names_in_its_own_manner(game_id, expected):
    assert learner_id(game_id) == expected
