"""Copies, shallow or deep, and pickles keep the games and share nothing with what they are copies of."""

import copy
import pickle

import numpy as np
import pytest
from helpers import VARIANTS, choice, variant_id

from cardtable.envs import aec, wrappers
from cardtable.envs.batch import BatchEnv
from cardtable.envs.gymnasium import SoloEnv
from cardtable.errors import StateError
from cardtable.game.registry import find, game_ids
from cardtable.lanes import Lanes

LANES = 5
STEPS = 30


def by_pickle(thing):
    return pickle.loads(pickle.dumps(thing))


WAYS = [copy.copy, copy.deepcopy, by_pickle]


@pytest.fixture(params=WAYS, ids=lambda way: way.__name__)
def copied(request):
    return request.param


def play_batch(batch, steps, seed=0):
    """All that random legal steps show."""
    generator, shown = np.random.default_rng(seed), []
    for _ in range(steps):
        frame = batch.step(batch.random_actions(generator))
        shown.append([array.tobytes() for array in frame])
    return shown


def all_of(batch):
    return [batch.records().tobytes(), *(array.tobytes() for array in batch.frame)]


# ---- Batches


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_copied_batch_goes_on_like_the_original_and_leaves_it_alone(game_id, options, copied):
    batch = BatchEnv(find(game_id), LANES, seed=3, first=2, **options)
    play_batch(batch, STEPS)
    before = all_of(batch)
    twin = copied(batch)
    assert all_of(twin) == before
    shown = play_batch(twin, STEPS, seed=1)
    assert all_of(batch) == before
    assert play_batch(batch, STEPS, seed=1) == shown
    assert all_of(twin) == all_of(batch)


@pytest.mark.parametrize("game_id", game_ids())
def test_the_frame_of_a_copied_batch_is_its_own_and_read_only(game_id, copied):
    batch = BatchEnv(find(game_id), LANES, seed=3)
    twin = copied(batch)
    for mine, other in zip(twin.frame, batch.frame, strict=True):
        assert not np.shares_memory(mine, other)
        assert not mine.flags.writeable
    assert twin.step(twin.random_actions(np.random.default_rng(0))) is twin.frame
    assert twin.game is batch.game


@pytest.mark.parametrize("game_id", game_ids())
def test_a_copied_batch_resets_to_its_seed_and_to_others(game_id, copied):
    batch = BatchEnv(find(game_id), LANES, seed=3, observe=False)
    start = all_of(batch)
    play_batch(batch, STEPS)
    twin = copied(batch)
    twin.reset()
    assert all_of(twin) == start
    twin.reset(seed=4)
    batch.reset(seed=4)
    assert all_of(twin) == all_of(batch) != start


def test_a_pickle_of_another_version_is_refused():
    batch = BatchEnv(find("muster"), 2, seed=1)
    state = batch.__getstate__()
    lanes = state["_lanes"].__getstate__()
    lanes["records"] = lanes["records"].replace(b"rules 1", b"rules 0")
    with pytest.raises(StateError, match="pickled by another version"):
        Lanes.__new__(Lanes).__setstate__(lanes)


# ---- Tables and environments


@pytest.mark.parametrize("make", [aec.TableEnv, wrappers.env], ids=["raw", "wrapped"])
@pytest.mark.parametrize("game_id", game_ids())
def test_a_copied_environment_goes_on_alone(game_id, make, copied):
    env = make(find(game_id))
    env.reset(seed=4)
    for step in range(12):
        env.step(choice(env.observe(env.agent_selection)["action_mask"], 0, step))
    raw = env.unwrapped
    before, history, mask = raw.state_bytes(), list(raw.table.history), raw.table.mask.tobytes()
    twin = copied(env)
    assert (twin.agents, twin.agent_selection, twin.infos) == (env.agents, env.agent_selection, env.infos)
    for step in range(12, 24):
        twin.step(choice(twin.observe(twin.agent_selection)["action_mask"], 0, step))
    assert (raw.state_bytes(), raw.table.history, raw.table.mask.tobytes()) == (before, history, mask)
    for step in range(12, 24):
        env.step(choice(env.observe(env.agent_selection)["action_mask"], 0, step))
    assert raw.state_bytes() == twin.unwrapped.state_bytes() != before
    assert raw.table.history == twin.unwrapped.table.history


@pytest.mark.parametrize("game_id", game_ids())
def test_a_copied_table_shares_nothing_that_changes(game_id, copied):
    env = aec.TableEnv(find(game_id))
    env.reset(seed=4)
    table = env.table
    twin = copied(table)
    for name in ("mask", "observation", "games"):
        assert not np.shares_memory(getattr(twin, name), getattr(table, name))
    twin.play(choice(twin.mask, 0, 0))
    assert table.history == table.movers == []
    assert len(twin.history) == len(twin.movers) == 1


def test_an_environment_that_was_never_reset_can_be_copied(copied):
    twin = copied(aec.TableEnv(find("muster")))
    twin.reset(seed=1)
    assert twin.agents


def test_a_copied_solo_game_goes_on_alone_and_draws_from_its_own_mask(copied):
    env = SoloEnv(find("murano"))
    env.reset(seed=7)
    before = env.aec.state_bytes()
    twin = copied(env)
    for step in range(20):
        twin.step(choice(twin.action_masks(), 0, step))
        assert twin.action_masks()[twin.action_space.sample()]
    assert env.aec.state_bytes() == before != twin.aec.state_bytes()
    assert env.action_masks()[env.action_space.sample()]


# ---- The learner's environment


def play_learner(env, steps):
    shown = []
    for _ in range(steps):
        observation, rewards, dones, _ = env.step(env.action_masks().argmax(axis=1))
        shown.append((observation.tobytes(), rewards.tobytes(), dones.tobytes()))
    return shown


def test_a_copied_learner_goes_on_like_the_original_and_leaves_it_alone(copied):
    sb3 = pytest.importorskip("cardtable.envs.sb3")
    env = sb3.LearnerVecEnv(find("muster"), 4, seed=3)
    fresh = copied(env)
    assert fresh.reset().tobytes() == env.reset().tobytes()
    play_learner(env, 20)
    masks = env.action_masks().tobytes()
    twin = copied(env)
    shown = play_learner(twin, 60)
    assert env.action_masks().tobytes() == masks
    assert play_learner(env, 60) == shown
