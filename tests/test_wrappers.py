"""Other forms of the PettingZoo environment: illegal actions that lose, masks in infos, all agents in one step."""

import copy
import warnings

import numpy as np
import pytest
from helpers import VARIANTS, choice, variant_id
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import cardtable
from artisans_env import artisans_v0
from cardtable.envs import wrappers
from cardtable.errors import IllegalAction, OptionError, ResetNeeded
from cardtable.game.registry import find, game_ids
from murano_env import murano_v0
from muster_env import muster_v0

VERSIONS = [artisans_v0, murano_v0, muster_v0]


@pytest.fixture(params=game_ids())
def game(request):
    return find(request.param)


def illegal_action(env):
    return int(np.flatnonzero(env.unwrapped.table.mask == 0)[0])


def play(env, decisions):
    """So many legal decisions."""
    for number in range(decisions):
        env.step(choice(env.unwrapped.table.mask, 1, number))


# ---- Illegal actions


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_an_illegal_action_may_lose_the_game(game_id, options):
    env = wrappers.env(game_id, illegal="lose", **options)
    env.reset(seed=3)
    play(env, 7)
    loser, players = env.agent_selection, env.num_agents
    env.step(illegal_action(env))
    assert env.illegal == loser
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    returns = env.rewards
    assert returns[loser] == min(returns.values()) < 0
    if players > 1:
        assert sum(returns.values()) == pytest.approx(0)
        assert len({value for agent, value in returns.items() if agent != loser}) == 1
    for agent in env.possible_agents:
        assert env.observe(agent)["action_mask"].sum() == 0
    for _ in range(players):
        *_, terminated, _, _ = env.last()
        assert terminated
        with pytest.raises(IllegalAction, match="the game is over; allowed: None"):
            env.step(0)
        env.step(None)
    assert env.agents == []
    with pytest.raises(ResetNeeded):
        env.env.step(None)  # PettingZoo's wrapper only warns
    env.reset(seed=3)
    assert env.illegal is None
    play(env, 3)


def test_an_illegal_action_raises_otherwise_and_what_is_no_action_always_does(game):
    env = wrappers.env(game)
    env.reset(seed=3)
    with pytest.raises(IllegalAction, match="is not legal"):
        env.step(illegal_action(env))
    loses = wrappers.env(game, illegal="lose")
    loses.reset(seed=3)
    for wrong in (-1, game.actions.size, 1.5, "pass", None):
        with pytest.raises(IllegalAction):
            loses.step(wrong)
    assert loses.illegal is None
    assert not any(loses.terminations.values())


@pytest.mark.parametrize("load", ["state_dict", "state_bytes"])
def test_loading_a_state_goes_on_after_a_loss(game, load):
    env = wrappers.env(game, illegal="lose")
    env.reset(seed=3)
    saved = getattr(env, load)()
    env.step(illegal_action(env))
    getattr(env, f"load_{load}")(saved)
    assert env.illegal is None
    play(env, 2)


@pytest.mark.parametrize("make_copy", [copy.copy, copy.deepcopy, lambda env: env.clone()], ids=["copy", "deepcopy", "clone"])
@pytest.mark.parametrize("form", [{"illegal": "lose"}, {"mask": "info"}, {"illegal": "lose", "mask": "info"}], ids=str)
def test_copies_share_no_game(form, make_copy):
    env = wrappers.env("muster", **form)
    env.reset(seed=5)
    twin = make_copy(env)
    play(twin, 4)
    assert twin.unwrapped.table.history
    assert not env.unwrapped.table.history
    if "illegal" in form:
        twin.step(illegal_action(twin))
        assert (env.illegal, twin.illegal) == (None, twin.agent_selection)


@pytest.mark.parametrize("wrong", [{"illegal": "win"}, {"illegal": None}, {"mask": "both"}, {"mask": 1}], ids=str)
def test_other_forms_are_refused(wrong):
    (name,) = wrong
    with pytest.raises(OptionError, match=rf"{name}=.*: allowed: "):
        cardtable.make("muster", **wrong)


# ---- Masks in infos


def test_a_mask_in_an_info_is_that_of_the_position_whatever_becomes_of_the_one_before():
    env, plain = wrappers.env("muster", mask="info"), wrappers.env("muster")
    for each in (env, plain):
        each.reset(seed=4)
    agent, before = env.agent_selection, env.last()[-1]["action_mask"]
    assert env.infos[agent]["action_mask"] is before
    kept, twin = before.copy(), env.clone()
    before[:] = 1
    for each in (env, twin):
        assert np.array_equal(each.infos[agent]["action_mask"], kept)
        assert np.array_equal(each.last()[-1]["action_mask"], kept)
    saved, action = plain.state_dict(), int(kept.argmax())
    for each in (env, plain):
        each.step(action)
    assert np.array_equal(env.infos[agent]["action_mask"], plain.observe(agent)["action_mask"])
    env.load_state_dict(saved)
    assert np.array_equal(env.last()[-1]["action_mask"], kept)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.GAME.id)
def test_masks_may_be_in_infos(version):
    env, plain = version.env(mask="info"), version.env()
    env.reset(seed=4)
    plain.reset(seed=4)
    for number in range(40):
        agent = env.agent_selection
        seen, *_, info = env.last()
        expected = plain.last()[0]
        assert np.array_equal(seen, expected["observation"])
        assert np.array_equal(info["action_mask"], expected["action_mask"])
        assert env.observation_space(agent).contains(seen)
        assert env.observation_space(agent) is env.observation_space(agent)
        for other in env.agents:
            assert np.array_equal(env.infos[other]["action_mask"], plain.observe(other)["action_mask"])
        action = choice(info["action_mask"], 1, number)
        env.step(action)
        plain.step(action)
    assert env.last(observe=False)[0] is None


# ---- PettingZoo's own tests


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: version.GAME.id)
def test_all_forms_pass_the_tests_of_pettingzoo(version):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for usual in (
            "The old environment creation API",
            "Observation is not a NumPy array",
            "Observation space for each agent",
        ):
            warnings.filterwarnings("ignore", message=usual)
        api_test(version.env(illegal="lose"), num_cycles=100)
        seed_test(lambda: version.env(illegal="lose"), num_cycles=100)
        parallel_api_test(version.parallel_env(), num_cycles=100)
        parallel_seed_test(lambda: version.parallel_env(illegal="lose"), num_cycles=100)
        api_test(version.env(mask="info"), num_cycles=100)
        seed_test(lambda: version.env(mask="info"), num_cycles=100)
        parallel_api_test(version.parallel_env(mask="info", illegal="lose"), num_cycles=100)
        parallel_seed_test(lambda: version.parallel_env(mask="info", illegal="lose"), num_cycles=100)
        render_test(lambda **options: version.env(illegal="lose", **options))
        render_test(lambda **options: version.env(mask="info", illegal="lose", **options))


def test_a_parallel_step_plays_the_action_of_the_agent_whose_turn_it_is(game):
    parallel, turns = wrappers.parallel_env(game), wrappers.env(game)
    observations, infos = parallel.reset(seed=6)
    turns.reset(seed=6)
    decisions = 0
    assert {info["active_agent"] for info in infos.values()} == {turns.agent_selection}
    while parallel.agents:
        active = turns.agent_selection
        assert np.array_equal(observations[active]["action_mask"], turns.observe(active)["action_mask"])
        action = choice(observations[active]["action_mask"], 1, decisions)
        observations, rewards, *_, infos = parallel.step(dict.fromkeys(parallel.agents, action))
        turns.step(action)
        decisions += 1
        assert all(infos[agent]["active_agent"] == turns.agent_selection for agent in parallel.agents)
    assert rewards == turns.rewards
    assert decisions == len(turns.unwrapped.table.history)


def test_wrong_parallel_steps_are_told_and_change_nothing():
    parallel = wrappers.parallel_env("muster")
    with pytest.raises(ResetNeeded, match="call reset"):
        parallel.step({"player_0": 0})
    observations, infos = parallel.reset(seed=6)
    active = infos["player_0"]["active_agent"]
    (other,) = set(parallel.agents) - {active}
    for wrong in ({}, {other: 0}, {"nobody": 0}, 5, None):
        with pytest.raises(IllegalAction, match=f"none is of {active}, whose turn it is"):
            parallel.step(wrong)
    with pytest.raises(IllegalAction, match="is not legal"):
        parallel.step({active: int(observations[active]["action_mask"].argmin())})
    assert parallel.unwrapped.table.history == []
    while parallel.agents:
        mask = observations[infos[parallel.agents[0]]["active_agent"]]["action_mask"]
        observations, *_, infos = parallel.step(dict.fromkeys(parallel.agents, int(mask.argmax())))
    with pytest.raises(ResetNeeded, match="call reset"):
        parallel.step({active: 0})
