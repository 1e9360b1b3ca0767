"""What belongs to one thread refuses a second one; what is checked is what is played."""

import copy
import pickle
import threading

import numpy as np
import pytest
from helpers import choice, open_table

from cardtable.engine import loops, random_play
from cardtable.engine.constants import NOBODY
from cardtable.engine.jit import as_games
from cardtable.envs import aec
from cardtable.envs.batch import BatchEnv
from cardtable.errors import Busy, IllegalAction, OptionError, ResetNeeded
from cardtable.game.game import ACTION
from cardtable.game.registry import find, game_ids
from cardtable.support.threads import Door
from tools.attack.threads import threads_on_a_batch


@pytest.fixture(params=game_ids())
def game(request):
    return find(request.param)


def run_meanwhile(monkeypatch, name, call, meanwhile):
    """Call something that uses a loop, and something else in another thread while that is in the loop; what that raises."""
    module = loops if hasattr(loops, name) else random_play
    loop, raised = getattr(module, name), []

    def attempt():
        try:
            meanwhile()
        except Exception as error:
            raised.append(error)

    def interrupted(*args):
        monkeypatch.setattr(module, name, loop)
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
        return loop(*args)

    monkeypatch.setattr(module, name, interrupted)
    call()
    assert len(raised) <= 1
    return raised[0] if raised else None


# ---- Batches


BATCH_CALLS = {
    "step": lambda batch: batch.step(batch.frame.action_mask.argmax(axis=1)),
    "reset": lambda batch: batch.reset(),
    "reset to another seed": lambda batch: batch.reset(seed=9),
    "random_actions": lambda batch: batch.random_actions(np.random.default_rng(1)),
    "play_out": lambda batch: batch.play_out(),
    "records": lambda batch: batch.records(),
    "pickle": lambda batch: pickle.dumps(batch),
    "deepcopy": lambda batch: copy.deepcopy(batch),
    "copy": lambda batch: copy.copy(batch),
}


@pytest.mark.parametrize("call", BATCH_CALLS)
def test_a_batch_that_is_busy_in_another_thread_refuses_and_nothing_changes(game, call, monkeypatch):
    batch, twin = BatchEnv(game, 4, seed=1), BatchEnv(game, 4, seed=1)
    refused = run_meanwhile(monkeypatch, "step_many", lambda: BATCH_CALLS["step"](batch), lambda: BATCH_CALLS[call](batch))
    assert isinstance(refused, Busy)
    assert "this BatchEnv is busy" in str(refused)
    BATCH_CALLS["step"](twin)
    assert (batch.records().tobytes(), batch.seed) == (twin.records().tobytes(), twin.seed)
    for mine, other in zip(batch.frame, twin.frame, strict=True):
        assert mine.tobytes() == other.tobytes()
    BATCH_CALLS[call](batch)


@pytest.mark.parametrize(
    ("name", "call"), [("begin_many", "reset"), ("play_out_many", "play_out"), ("choose_many", "random_actions")]
)
def test_it_is_busy_in_every_call(game, name, call, monkeypatch):
    batch = BatchEnv(game, 4, seed=1)
    refused = run_meanwhile(monkeypatch, name, lambda: BATCH_CALLS[call](batch), lambda: BATCH_CALLS["step"](batch))
    assert isinstance(refused, Busy)
    assert (batch.records()["length"] == 0).all()


def test_a_batch_is_free_again_after_a_refused_step(game):
    batch = BatchEnv(game, 4, seed=1)
    with pytest.raises(IllegalAction):
        batch.step([-1] * 4)
    stepped = threading.Thread(target=lambda: batch.step(batch.frame.action_mask.argmax(axis=1)))
    stepped.start()
    stepped.join()
    assert (batch.records()["length"] == 1).all()


def test_a_copied_door_is_open():
    door = Door()
    door.busy = True
    assert not any(twin.busy for twin in (copy.copy(door), copy.deepcopy(door), pickle.loads(pickle.dumps(door))))


def test_the_actions_that_are_played_are_a_copy(game, monkeypatch):
    """A thread may write into the array that was given while the kernel, without the GIL, looks at it."""
    batch, played = BatchEnv(game, 4, seed=1), []
    monkeypatch.setattr(loops, "step_many", lambda games, actions, *rest: played.append(actions) or NOBODY)
    given = np.zeros(4, ACTION)
    batch.step(given)
    assert not np.shares_memory(played[0], given)


def test_the_kernel_refuses_what_is_not_legal_and_moves_nothing(game):
    batch = BatchEnv(game, 6, seed=1)
    games, frame = as_games(batch.records()), loops.Frame(*(array.copy() for array in batch.frame))
    blank, scratch = game.blank(batch.options, 1), game.new_scratch()
    before = [games.tobytes(), *(array.tobytes() for array in frame)]
    for lane in (0, 3, 5):
        for wrong in (-1, -(2**62), game.actions.size, 2**62, int(np.flatnonzero(frame.action_mask[lane] == 0)[0])):
            actions = frame.action_mask.argmax(axis=1).astype(ACTION)
            actions[lane] = wrong
            assert loops.step_many(games, actions, blank, frame, scratch) == lane
            assert [games.tobytes(), *(array.tobytes() for array in frame)] == before
    assert loops.step_many(games, frame.action_mask.argmax(axis=1).astype(ACTION), blank, frame, scratch) == NOBODY
    assert (games["length"] == 1).all()


def test_a_frame_does_not_lead_to_arrays_that_can_be_written(game):
    """Whoever could mark an illegal action as legal could play it."""
    for array in BatchEnv(game, 4, seed=1).frame:
        assert not isinstance(array.base, np.ndarray)
        assert array.base.readonly
        for unlock in (lambda array: array.setflags(write=True), lambda array: setattr(array.flags, "writeable", True)):
            with pytest.raises(ValueError, match="WRITEABLE"):
                unlock(array)


def test_no_option_leaves_the_checks_out(game):
    with pytest.raises(TypeError, match="checks"):
        BatchEnv(game, 2, checks=False)


# ---- Tables and environments


def test_a_mask_that_was_written_into_makes_nothing_legal(game):
    table = open_table(game, {})
    illegal = np.flatnonzero(table.mask == 0).tolist()
    before = table.state_bytes()
    table.mask[:] = 1
    for action in illegal:
        with pytest.raises(IllegalAction):
            table.play(action)
    assert table.state_bytes() == before
    assert table.history == table.movers == []


def test_nobody_plays_on_when_the_game_is_over(game):
    table = open_table(game, {})
    while not table.ending:
        table.play(choice(table.mask, 0, len(table.history)))
    before = table.state_bytes()
    table.mask[:] = 1
    for action in range(game.actions.size):
        with pytest.raises(IllegalAction):
            table.play(action)
    assert table.state_bytes() == before


ENV_CALLS = {
    "step": lambda env: env.step(choice(env.table.mask, 0, 0)),
    "reset": lambda env: env.reset(),
    "observe the agent selected": lambda env: env.observe(env.agent_selection),
    "observe another": lambda env: env.observe("player_1"),
    "state": lambda env: env.state(),
    "state_dict": lambda env: env.state_dict(),
    "state_bytes": lambda env: env.state_bytes(),
    "state_hash": lambda env: env.state_hash(),
    "redeal": lambda env: env.redeal(0, 1),
    "legal_actions": lambda env: env.legal_actions(),
    "replay": lambda env: env.replay(),
    "summary": lambda env: env.summary("player_0"),
    "deepcopy": lambda env: copy.deepcopy(env),
    "pickle": lambda env: pickle.dumps(env),
    "render": lambda env: env.render(),
}


@pytest.mark.parametrize("call", ENV_CALLS)
def test_an_environment_that_is_busy_in_another_thread_refuses_and_nothing_changes(game, call, monkeypatch):
    env, twin = aec.TableEnv(game, render_mode="ansi"), aec.TableEnv(game)
    env.reset(seed=1)
    twin.reset(seed=1)
    refused = run_meanwhile(monkeypatch, "step_one", lambda: ENV_CALLS["step"](env), lambda: ENV_CALLS[call](env))
    assert isinstance(refused, Busy)
    ENV_CALLS["step"](twin)
    assert (env.state_bytes(), env.table.history) == (twin.state_bytes(), twin.table.history)
    ENV_CALLS[call](env)


@pytest.mark.parametrize("seat", [-1, 4, 99, 1.0, None, "0", True])
def test_there_is_nothing_to_see_from_a_seat_that_is_none(game, seat):
    table = open_table(game, {})
    for ask in (table.observe, table.moves_seen_by, table.summary, table.redeal):
        with pytest.raises(OptionError, match="seat="):
            ask(seat)


# ---- The learner's environment


class Failing:
    """Opponents that fail at their second decision."""

    def __init__(self):
        self.asked = 0

    def act(self, games, observation, mask):
        self.asked += 1
        if self.asked == 2:
            raise RuntimeError("out of ideas")
        return mask.argmax(axis=1)


def play_on(env, steps=20):
    for _ in range(steps):
        env.step(env.action_masks().argmax(axis=1))


@pytest.fixture
def learner():
    sb3 = pytest.importorskip("cardtable.envs.sb3")
    env = sb3.LearnerVecEnv(find("muster"), 4, seed=3)
    env.reset()
    return env


@pytest.mark.parametrize("call", ["reset", "step_wait", "action_masks", "__getstate__"])
def test_a_learners_environment_that_is_busy_refuses(learner, call, monkeypatch):
    learner.step_async(learner.action_masks().argmax(axis=1))
    refused = run_meanwhile(monkeypatch, "advance_lanes", learner.step_wait, getattr(learner, call))
    assert isinstance(refused, Busy)
    play_on(learner)


def test_actions_are_played_once(learner):
    learner.step(learner.action_masks().argmax(axis=1))
    with pytest.raises(IllegalAction, match="step_async"):
        learner.step_wait()


def test_a_step_that_failed_half_way_asks_for_a_reset(learner):
    learner.opponents = Failing()
    with pytest.raises(RuntimeError, match="out of ideas"):
        play_on(learner)
    with pytest.raises(ResetNeeded, match=r"call reset\(\) first"):
        learner.action_masks()
    learner.reset()
    learner.step(learner.action_masks().argmax(axis=1))


# ---- All of it, by force


def test_threads_on_one_batch_and_one_environment_harm_nothing():
    tally = threads_on_a_batch(2, seed=1)
    print(tally.report())
    assert not tally.failures
    assert tally.outcomes["batch unharmed"] == tally.outcomes["environment unharmed"] == len(game_ids())
    assert tally.outcomes["worked"] > 100
    assert tally.outcomes["refused as busy"] > 0
