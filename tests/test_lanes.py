"""Lanes of games: what batch, learner, matches and audits stand on."""

import copy
import pickle

import numpy as np
import pytest
from helpers import VARIANTS, choice, open_table, variant_id

from cardtable.engine import random_play, rng
from cardtable.envs.batch import BatchEnv
from cardtable.errors import IllegalAction, OptionError
from cardtable.game.registry import find, game_ids
from cardtable.lanes import Lanes

NUMBER = 6


def new_lanes(game_id="muster", number=NUMBER, seed=3, **options):
    game = find(game_id)
    return Lanes(game, game.parse_options(options), number, seed)


def chosen(lanes, some):
    """A legal action for each of some lanes, that depends on the game alone."""
    records, mask = lanes.records, lanes.frame.action_mask
    return np.array([choice(mask[lane], int(records["index"][lane]), int(records["length"][lane])) for lane in some])


def play_to_an_end(lanes):
    """Play all lanes until the games of some have ended; those lanes."""
    everyone = np.arange(lanes.number)
    while True:
        ended = lanes.advance(everyone, chosen(lanes, everyone))
        if len(ended):
            return ended


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_advancing_and_restarting_plays_the_games_of_a_batch(game_id, options):
    """The batch deals the next game inside its step; lanes that are advanced and restarted show the same."""
    game = find(game_id)
    batch, lanes = BatchEnv(game, NUMBER, 3, **options), Lanes(game, game.parse_options(options), NUMBER, 3)
    everyone = np.arange(NUMBER)
    for _ in range(200):
        actions = chosen(lanes, everyone)
        frame, ended = batch.step(actions), lanes.advance(everyone, actions)
        for name in ("rewards", "scores", "terminated", "truncated", "episode_length"):
            assert np.array_equal(getattr(frame, name), getattr(lanes.frame, name)), name
        assert np.array_equal(frame.final_observation[ended], lanes.frame.final_observation[ended])
        lanes.restart(ended)
        for name in ("observation", "action_mask", "seat"):
            assert np.array_equal(getattr(frame, name), getattr(lanes.frame, name)), name
    assert np.array_equal(batch.records(), lanes.records)


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_the_final_observation_is_what_the_last_mover_sees_at_the_end(game_id, options):
    game = find(game_id)
    batch, seen = BatchEnv(game, 2, 5, **options), 0
    for index in (0, 1):
        table = open_table(game, options, seed=5, index=index)
        while not table.ending:
            mover = table.seat
            table.play(choice(table.mask, index, len(table.history)))
        final = table.observe(mover)
        batch.reset()
        while not (batch.frame.terminated | batch.frame.truncated)[index]:
            records = batch.records()
            batch.step(
                [
                    choice(batch.frame.action_mask[lane], int(records["index"][lane]), int(records["length"][lane]))
                    for lane in (0, 1)
                ]
            )
        assert np.array_equal(batch.frame.final_observation[index], final)
        seen += 1
    assert seen == 2


def test_a_batch_that_does_not_observe_has_no_final_observation():
    assert BatchEnv("muster", 3, observe=False).frame.final_observation.shape == (3, 0)


def test_a_game_that_has_ended_stays_until_its_lane_is_restarted():
    lanes = new_lanes(max_turns=20)
    ended = play_to_an_end(lanes)
    lane, record = int(ended[0]), lanes.records[ended[0]].copy()
    others = np.setdiff1d(np.arange(NUMBER), ended)
    if len(others):
        lanes.advance(others, chosen(lanes, others))
    assert lanes.records[lane] == record
    assert not lanes.frame.action_mask[lane].any()
    with pytest.raises(IllegalAction, match=f"lane {lane}, .* legal: none, the game is over"):
        lanes.advance(ended[:1], [0])
    seat = int(lanes.frame.seat[lane])
    assert np.array_equal(lanes.observe(lane, seat), lanes.frame.final_observation[lane])
    lanes.restart(ended)
    assert lanes.records["index"][lane] == record["index"] + NUMBER
    assert lanes.frame.action_mask[lane].any()
    assert lanes.frame.episode_length[lane] == record["length"], "how the last game ended is told until the lane moves on"
    lanes.advance(ended[:1], chosen(lanes, ended[:1]))
    assert lanes.frame.episode_length[lane] == 0


@pytest.mark.parametrize("call", ["step", "advance", "require_legal"])
def test_there_is_one_gate_with_one_wording(call):
    lanes = new_lanes()
    everyone = np.arange(NUMBER)
    ask = lanes.step if call == "step" else lambda actions: getattr(lanes, call)(everyone, actions)
    good = chosen(lanes, everyone)
    wrong = int(np.flatnonzero(lanes.frame.action_mask[4] == 0)[0])
    for action, words in (
        (wrong, f"action {wrong} .* is not legal; legal: "),
        (-1, "action -1 is not in 0 to"),
        (10**6, "not in 0 to"),
    ):
        bad = good.copy()
        bad[4] = action
        before = pickle.dumps(lanes)
        with pytest.raises(IllegalAction, match=f"muster_v0: lane 4, player_. to act: .*{words}"):
            ask(bad)
        assert pickle.dumps(lanes) == before
    for shape in (good[:-1], good[None], good.astype(float), "x", [[0]]):
        with pytest.raises(IllegalAction, match=r"expected integers of shape \(6,\)"):
            ask(shape)


def test_an_integer_too_large_for_any_action_is_named_as_it_was_given():
    lanes = new_lanes()
    with pytest.raises(IllegalAction, match=f"lane 0, .*action {2**64 - 1} is not in 0 to"):
        lanes.step(np.full(NUMBER, 2**64 - 1, np.uint64))


@pytest.mark.parametrize(
    "some",
    [[0, 0], [-1], [NUMBER], [2, 1], [0, 10**6], np.array([True, False]), [1.0], [[1]], 3],
    ids=str,
)
@pytest.mark.parametrize("call", ["advance", "require_legal", "restart"])
def test_lanes_that_are_not_there_or_named_twice_are_refused(call, some):
    """Kernels would write past the records; a second action of one lane would be played without being checked."""
    lanes = new_lanes()
    before = pickle.dumps(lanes)
    actions = [int(lanes.frame.action_mask[0].argmax())] * np.size(some)
    arguments = (some,) if call == "restart" else (some, actions)
    with pytest.raises(OptionError, match=r"muster_v0: lanes .*expected increasing integers, each the number of a lane"):
        getattr(lanes, call)(*arguments)
    assert pickle.dumps(lanes) == before


def test_lanes_may_be_integers_of_any_kind_or_none_at_all():
    lanes, other = new_lanes(), new_lanes()
    for some in ([1, 4], np.array([1, 4], np.int32), np.array([1, 4], np.uint64), []):
        lanes.advance(some, chosen(lanes, some).astype(int))
        other.advance(np.array(some, np.int64), chosen(other, some).astype(int))
        lanes.restart(some)
        other.restart(np.array(some, np.int64))
    assert np.array_equal(lanes.records, other.records)
    assert lanes.records["index"].tolist() == [0, 1 + 3 * NUMBER, 2, 3, 4 + 3 * NUMBER, 5]


@pytest.mark.parametrize(("lane", "seat"), [(-1, 0), (NUMBER, 0), (0, -1), (0, 2)])
def test_only_a_seat_of_a_lane_can_look(lane, seat):
    with pytest.raises(OptionError, match=f"lane {lane}, seat {seat}: allowed: lanes 0 to 5, seats 0 to 1"):
        new_lanes().observe(lane, seat)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, lambda lanes: pickle.loads(pickle.dumps(lanes))])
def test_copies_go_on_by_themselves(duplicate):
    lanes = new_lanes()
    copied = duplicate(lanes)
    everyone = np.arange(NUMBER)
    actions = chosen(lanes, everyone)
    before = lanes.records.copy()
    copied.advance(everyone, actions)
    assert np.array_equal(lanes.records, before)
    lanes.advance(everyone, actions)
    assert np.array_equal(lanes.records, copied.records)
    assert all(np.array_equal(one, other) for one, other in zip(lanes.frame, copied.frame, strict=True))


@pytest.mark.parametrize("game_id", game_ids())
def test_playing_out_leaves_the_final_observation_of_the_last_mover(game_id):
    batch = BatchEnv(game_id, 3, 5)
    batch.play_out(7)
    for index in range(3):
        table = open_table(find(game_id), {}, seed=5, index=index)
        policy = np.uint64(rng.stream(np.uint64(7) ^ random_play.POLICY, np.uint64(index)))
        while not table.ending:
            policy, mover = np.uint64(rng.advance(policy)), table.seat
            table.play(int(random_play.random_action(table.games[0], policy, table.game.new_scratch())))
        assert len(table.history) == batch.frame.episode_length[index]
        assert np.array_equal(batch.frame.final_observation[index], table.observe(mover))
