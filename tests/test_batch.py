"""The batch environment: many games in one call."""

import numpy as np
import pytest
from helpers import VARIANTS, choice, open_table, variant_id

from cardtable.engine import loops
from cardtable.envs.batch import BatchEnv
from cardtable.errors import IllegalAction, OptionError
from cardtable.game.registry import find, game_ids


@pytest.fixture(params=game_ids())
def game(request):
    return find(request.param)


def legal_actions(batch):
    return batch.random_actions(np.random.default_rng(3))


@pytest.mark.parametrize(
    "wrong",
    [
        np.zeros(15, int),
        np.zeros((16, 1), int),
        np.zeros(16),
        np.zeros(16, bool),
        np.zeros(16, object),
        0,
        None,
        "0" * 16,
        [[0] * 16],
        [1.5] * 16,
    ],
    ids=str,
)
def test_arrays_of_wrong_shape_or_type_are_refused(game, wrong):
    batch = BatchEnv(game, 16, seed=1)
    before = batch.records().tobytes()
    with pytest.raises(IllegalAction, match="expected integers of shape"):
        batch.step(wrong)
    assert batch.records().tobytes() == before


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint16, np.uint64])
def test_any_integer_type_and_stride_is_taken(game, dtype):
    expected, batch = BatchEnv(game, 8, seed=1), BatchEnv(game, 8, seed=1)
    actions = np.array([np.flatnonzero(row)[0] for row in batch.frame.action_mask])
    if actions.max() > np.iinfo(dtype).max:
        return
    strided = np.repeat(actions, 2).astype(dtype)[::2]
    expected.step(actions)
    batch.step(strided)
    assert batch.records().tobytes() == expected.records().tobytes()


def test_unsigned_actions_beyond_the_range_are_not_wrapped(game):
    batch = BatchEnv(game, 4, seed=1)
    actions = legal_actions(batch).astype(np.uint64)
    actions[2] = np.uint64(2**64 - 1)
    with pytest.raises(IllegalAction, match=r"lane 2, player_. to act: action 18446744073709551615 "):
        batch.step(actions)


def test_frames_are_the_same_read_only_arrays(game):
    batch = BatchEnv(game, 4, seed=1)
    first = batch.reset()
    second = batch.step(legal_actions(batch))
    assert all(a is b for a, b in zip(first, second, strict=True))
    for array in second:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_an_ended_game_is_reported_and_the_next_begins_in_the_same_step(game_id, options):
    game = find(game_id)
    batch, table = BatchEnv(game, 1, seed=6, **options), open_table(game, options, seed=6)
    while not table.ending:
        action = choice(table.mask, 0, len(table.history))
        assert not batch.frame.rewards.any()
        frame = batch.step([action])
        table.play(action)
    returns, scores = table.result()
    assert frame.rewards[0].tolist() == returns
    assert frame.scores[0].tolist() == scores
    assert frame.episode_length[0] == len(table.history)
    assert (bool(frame.terminated[0]), bool(frame.truncated[0])) == (table.ending == 1, table.ending == 2)
    following = open_table(game, options, seed=6, index=1)
    assert np.array_equal(frame.action_mask[0], following.mask)
    assert np.array_equal(frame.observation[0], following.observation)
    assert frame.seat[0] == following.seat
    frame = batch.step([choice(following.mask, 1, 0)])
    assert not frame.rewards.any()
    assert frame.episode_length[0] == 0


def test_without_observation_the_game_is_the_same(game):
    seen, unseen = BatchEnv(game, 8, seed=2), BatchEnv(game, 8, seed=2, observe=False)
    assert unseen.frame.observation.shape == (8, 0)
    for _ in range(200):
        actions = legal_actions(seen)
        seen.step(actions)
        unseen.step(actions)
    assert seen.records().tobytes() == unseen.records().tobytes()


def test_random_actions_are_legal_and_reach_every_legal_action(game):
    batch = BatchEnv(game, 1, seed=2)
    generator = np.random.default_rng(0)
    chosen = {int(batch.random_actions(generator)[0]) for _ in range(2_000)}
    assert chosen == set(np.flatnonzero(batch.frame.action_mask[0]).tolist())


def test_play_out_depends_on_seeds_not_on_the_batch(game):
    whole = BatchEnv(game, 12, seed=5)
    whole.play_out(9)
    for first in (0, 4, 8):
        part = BatchEnv(game, 4, seed=5, first=first)
        part.play_out(9)
        lanes = slice(first, first + 4)
        assert np.array_equal(part.frame.scores, whole.frame.scores[lanes])
        assert np.array_equal(part.frame.episode_length, whole.frame.episode_length[lanes])
    other = BatchEnv(game, 12, seed=5)
    other.play_out(10)
    assert not np.array_equal(other.frame.episode_length, whole.frame.episode_length)


def test_play_out_counts_decisions_and_shows_the_next_games(game):
    batch = BatchEnv(game, 6, seed=5)
    decisions = batch.play_out()
    assert decisions == batch.frame.episode_length.sum() > 0
    assert (batch.frame.terminated | batch.frame.truncated).all()
    following = open_table(game, {}, seed=5, index=6)
    assert np.array_equal(batch.frame.observation[0], following.observation)
    batch.step(legal_actions(batch))


def test_reset_starts_the_run_again(game):
    batch = BatchEnv(game, 3, seed=5)
    start = batch.records().tobytes()
    batch.play_out()
    batch.reset()
    assert batch.records().tobytes() == start
    batch.reset(seed=6)
    assert batch.records().tobytes() != start
    assert batch.seed == 6


@pytest.mark.parametrize("number", [0, -1, 1.5, None, True, "3"])
def test_the_number_of_games_is_a_positive_whole_number(game, number):
    with pytest.raises(OptionError, match="num_games="):
        BatchEnv(game, number)


def test_unknown_options_are_refused(game):
    with pytest.raises(OptionError, match=rf"{game.id}: unknown option 'colour'; allowed: num_players"):
        BatchEnv(game, 2, colour="red")


def test_stepping_compiles_only_once(game):
    batch = BatchEnv(game, 2, seed=1)
    batch.step(legal_actions(batch))
    if not hasattr(loops.step_many, "signatures"):
        return  # plain Python
    compiled = len(loops.step_many.signatures)
    for options in game.variants:
        batch = BatchEnv(game, 5, seed=1, observe=False, **options)
        batch.step(legal_actions(batch).astype(np.int32))
    assert len(loops.step_many.signatures) == compiled
