"""Before the first reset everything that needs a game says so; loading a state counts as a reset."""

import numpy as np
import pytest

from cardtable.envs import aec, wrappers
from cardtable.envs.gymnasium import SoloEnv
from cardtable.errors import ResetNeeded
from cardtable.game.registry import find, game_ids
from cardtable.table import Table

FIRST = r"call reset\(\) first"

ASKED = {
    "step": lambda env: env.step(0),
    "step None": lambda env: env.step(None),
    "last": lambda env: env.last(),
    "render": lambda env: env.render(),
    "observe the first": lambda env: env.observe("player_0"),
    "observe another": lambda env: env.observe("player_1"),
    "state": lambda env: env.state(),
    "state_dict": lambda env: env.state_dict(),
    "state_bytes": lambda env: env.state_bytes(),
    "state_hash": lambda env: env.state_hash(),
    "redeal": lambda env: env.redeal(0, 1),
    "replay": lambda env: env.replay(),
    "legal_actions": lambda env: env.legal_actions(),
    "summary": lambda env: env.summary("player_0"),
    "agent_iter": lambda env: list(env.agent_iter()),
}
LET_THROUGH = ["state_dict", "state_bytes", "state_hash", "redeal", "replay", "legal_actions", "summary"]
"""What PettingZoo's wrapper does not guard."""


@pytest.fixture(params=game_ids())
def game(request):
    return find(request.param)


@pytest.mark.parametrize("render_mode", [None, "ansi", "human"])
@pytest.mark.parametrize("asked", ASKED)
def test_an_environment_says_call_reset_first(game, asked, render_mode, capsys):
    env = aec.TableEnv(game, render_mode=render_mode)
    with pytest.raises(ResetNeeded, match=FIRST):
        ASKED[asked](env)
    assert capsys.readouterr().out == ""
    env.reset(seed=1)
    assert env.state_hash() == dealt(game).state_hash()


def dealt(game):
    table = Table(game, game.parse_options({}))
    table.deal(1)
    return table


@pytest.mark.parametrize("asked", LET_THROUGH)
def test_so_does_what_the_wrapper_lets_through(game, asked):
    with pytest.raises(ResetNeeded, match=FIRST):
        ASKED[asked](wrappers.env(game))


def test_a_failed_reset_is_none(game):
    env = wrappers.env(game)
    with pytest.raises(ValueError, match="seed="):
        env.reset(seed=-1)
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before step"):
        env.step(0)
    with pytest.raises(ResetNeeded, match=FIRST):
        env.unwrapped.step(0)


@pytest.mark.parametrize("asked", ["legal_actions", "full_state", "result", "text", "state_dict", "state_bytes", "state_hash"])
def test_a_table_says_so_too(game, asked):
    with pytest.raises(ResetNeeded, match=FIRST):
        getattr(Table(game, game.parse_options({})), asked)()


@pytest.mark.parametrize("asked", ["observe", "moves_seen_by", "redeal", "play", "checked_action", "summary"])
def test_a_table_says_so_of_seats_and_actions(game, asked):
    with pytest.raises(ResetNeeded, match=FIRST):
        getattr(Table(game, game.parse_options({})), asked)(0)


@pytest.mark.parametrize("make", [aec.TableEnv, wrappers.env], ids=["raw", "wrapped"])
def test_loading_a_state_counts_as_a_reset(game, make):
    table = dealt(game)
    for load in (
        lambda env: env.load_state_dict(table.state_dict()),
        lambda env: env.load_state_bytes(table.state_bytes()),
    ):
        env = make(game)
        load(env)
        assert env.state_hash() == table.state_hash()
        observation, *_ = env.last()
        env.step(int(np.flatnonzero(observation["action_mask"])[0]))
        assert env.state_hash() != table.state_hash()


def test_a_state_that_is_refused_does_not_count(game):
    env = wrappers.env(game)
    with pytest.raises(ValueError, match="state"):
        env.load_state_dict({})
    with pytest.raises(AssertionError, match="reset"):
        env.step(0)


def test_after_all_agents_have_left_a_reset_is_asked_for(game):
    env = aec.TableEnv(game)
    env.reset(seed=1)
    while not env.table.ending:
        env.step(int(np.flatnonzero(env.table.mask)[0]))
    for _ in env.possible_agents:
        env.step(None)
    with pytest.raises(ResetNeeded, match=FIRST):
        env.step(None)


@pytest.mark.parametrize(
    "ask",
    [
        lambda env: env.step(0),
        lambda env: env.render(),
        lambda env: env.action_masks(),
        lambda env: env.summary(),
        lambda env: env.aec.state_dict(),
    ],
    ids=["step", "render", "action_masks", "summary", "state_dict"],
)
def test_a_solo_environment_says_call_reset_first(ask):
    with pytest.raises(ResetNeeded, match=FIRST):
        ask(SoloEnv(find("murano")))


@pytest.mark.parametrize(
    "ask",
    [
        lambda env: env.step(np.zeros(2, int)),
        lambda env: env.step_async(np.zeros(2, int)),
        lambda env: env.step_wait(),
        lambda env: env.action_masks(),
        lambda env: env.seats,
    ],
    ids=["step", "step_async", "step_wait", "action_masks", "seats"],
)
def test_a_learners_environment_says_call_reset_first(ask):
    sb3 = pytest.importorskip("cardtable.envs.sb3")
    with pytest.raises(ResetNeeded, match=FIRST):
        ask(sb3.LearnerVecEnv(find("muster"), 2, seed=1))
