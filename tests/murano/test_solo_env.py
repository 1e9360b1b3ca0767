"""The Challenge as a single-agent Gymnasium environment (MUR-10)."""

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from cardtable.errors import IllegalAction, OptionError
from murano_env.env import EXAMPLE_EDITION, raw_env
from murano_env.solo_env import MuranoSolo

from .tables import changed, open_game

NAME = "cardtable/MuranoSolo-v0"


def make(**options):
    """The environment without Gymnasium's wrappers."""
    return gymnasium.make(NAME, **options).unwrapped


def play_to_the_end(env, seed):
    """A game of legal actions that the space draws; observations, rewards, and the last step."""
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    seen, rewards = [observation], []
    while True:
        assert info["action_mask"].any()
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        seen.append(observation)
        rewards.append(reward)
        if terminated or truncated:
            return seen, rewards, (terminated, truncated, info)


@pytest.mark.parametrize(
    "options",
    [{}, {"ring": "B", "advantages": [8, 13, 14, 16]}, {"expert_deck": True}, {"edition": EXAMPLE_EDITION}],
    ids=lambda options: "-".join(options) or "default",
)
def test_gymnasiums_checker_has_nothing_to_say(options, capsys):
    for _ in range(10):  # the checker draws actions at random
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            check_env(make(**options))


def test_every_way_to_make_it_gives_the_same_game():
    environments = [make(), MuranoSolo()]
    hashes = set()
    for env in environments:
        assert isinstance(env, MuranoSolo)
        env.reset(seed=4)
        hashes.add(env.aec.state_hash())
    table = raw_env(num_players=1)
    table.reset(seed=4)
    assert hashes == {table.state_hash()}


def test_the_mask_is_told_in_info_and_by_action_masks():
    env = make()
    observation, info = env.reset(seed=1)
    for _ in range(40):
        assert info["action_mask"].dtype == np.int8
        assert env.action_masks().dtype == np.bool_
        assert np.array_equal(info["action_mask"], env.action_masks())
        assert np.array_equal(env.aec.observe("player_0")["action_mask"], info["action_mask"])
        assert np.array_equal(env.aec.observe("player_0")["observation"], observation)
        observation, *_, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))


def test_the_space_draws_legal_actions_and_obeys_a_mask():
    env = make()
    env.reset(seed=2)
    assert {int(env.action_space.sample()) for _ in range(200)} == set(np.flatnonzero(env.action_masks()))
    only = np.zeros(env.action_space.n, np.int8)
    only[100] = 1
    assert env.action_space.sample(mask=only) == 100


def test_an_illegal_action_is_refused_and_changes_nothing():
    env = make()
    _, info = env.reset(seed=3)
    before = env.aec.state_hash()
    for action in (int(np.flatnonzero(info["action_mask"] == 0)[0]), -1, 243, 0.5, None):
        with pytest.raises(IllegalAction):
            env.step(action)
    assert env.aec.state_hash() == before
    env.step(int(np.flatnonzero(info["action_mask"])[0]))


@pytest.mark.clause("MUR-10.4")
def test_the_reward_comes_at_the_end():
    env = make()
    _, rewards, (terminated, truncated, info) = play_to_the_end(env, seed=5)
    assert rewards == [0.0] * (len(rewards) - 1) + [-1.0]
    assert (terminated, truncated) == (True, False)
    summary = env.summary()
    assert (summary["rank"], summary["ended_by"], info["decisions"]) == (None, "MUR-10.2", len(rewards))
    assert not info["action_mask"].any()
    with pytest.raises(IllegalAction, match="the game is over"):
        env.step(0)


@pytest.mark.clause("MUR-10.4")
@pytest.mark.parametrize(("lira", "reward"), [(39, 0.25), (40, 0.5), (49, 0.75), (50, 1.0)])
def test_a_win_is_worth_its_rank(lira, reward):
    env = make()
    env.reset(seed=1)
    won = changed(
        open_game(num_players=1),
        last_round=True,
        selector_set=True,
        takes=1,
        negotiations=1,
        lira={"player_0": lira},
        hand={"player_0": []},
    )
    env.aec.table._put(won._games, {})
    *_, info = env.step(env.aec.action_id("end turn"))
    assert env.aec.rewards["player_0"] == reward
    assert info["score"] == lira


def test_games_follow_from_the_seed():
    env = make()
    first, *_ = play_to_the_end(env, seed=6)
    second, *_ = play_to_the_end(env, seed=6)
    assert all(np.array_equal(one, other) for one, other in zip(first, second, strict=True))
    env.reset(seed=6)
    hashes = {env.aec.state_hash()}
    for _ in range(3):
        env.reset()
        hashes.add(env.aec.state_hash())
    assert len(hashes) == 4


def test_decks_can_be_given():
    env = make()
    env.reset(seed=1, options={"deal": {"challenge": ["ring", "ring", "selector", "red", "blue", "market"]}})
    assert env.aec.state_dict()["challenge"][::-1] == ["ring", "ring", "selector", "red", "blue", "market"]


def test_copies_play_on_alike_and_draw_from_their_own_masks():
    env = make()
    env.reset(seed=7)
    for copied in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert copied.aec.state_hash() == env.aec.state_hash()
        before = env.action_masks()
        copied.step(copied.aec.action_id("turn selector"))
        assert np.array_equal(env.action_masks(), before)
        assert {int(copied.action_space.sample()) for _ in range(200)} == set(np.flatnonzero(copied.action_masks()))


def test_options_that_are_not_for_one_player_are_refused():
    with pytest.raises(OptionError, match="num_players=2: a single-agent environment has one player"):
        make(num_players=2)
    with pytest.raises(OptionError, match="draft=True with num_players=1"):
        make(draft=True)
    with pytest.raises(OptionError, match="render_mode='picture'"):
        MuranoSolo(render_mode="picture")


def test_it_is_shown_as_text(capsys):
    env = make(render_mode="ansi")
    env.reset(seed=1)
    assert "Challenge: 6 in the stack" in env.render()
    make(render_mode="human").reset(seed=1)
    assert "Challenge: 6 in the stack" in capsys.readouterr().out
    silent = make()
    silent.reset(seed=1)
    assert silent.render() is None


def test_maskable_ppo_plays_it():
    contrib = pytest.importorskip("sb3_contrib")
    model = contrib.MaskablePPO("MlpPolicy", gymnasium.make(NAME), n_steps=32, batch_size=32, n_epochs=1, seed=1)
    model.learn(64)
