"""`clone`: a copy that shares nothing that changes, made in microseconds."""

import copy

import numpy as np
import pytest
from helpers import VARIANTS, choice, variant_id

import cardtable
from cardtable.envs import aec, wrappers
from cardtable.errors import Busy
from cardtable.game.registry import find, game_ids
from cardtable.table import Table


def play(env, steps):
    """Play some steps in an environment, by what it shows alone."""
    for _ in range(steps):
        if not env.agents:
            return
        seen, _, termination, truncation, _ = env.last()
        table = env.unwrapped.table
        action = None if termination or truncation else choice(seen["action_mask"], 0, len(table.history))
        env.step(action)


def all_of(env):
    """All that an environment shows."""
    raw = env.unwrapped
    shown = [
        raw.agents,
        raw.rewards,
        raw._cumulative_rewards,
        raw.terminations,
        raw.truncations,
        raw.infos,
        raw.agent_selection,
    ]
    seen = [raw.observe(agent) for agent in raw.possible_agents]
    return copy.deepcopy([raw.state_bytes(), raw.table.history, raw.table.movers, shown, seen])


def same(one, other):
    np.testing.assert_equal(one, other)


@pytest.mark.parametrize("steps", [0, 7, 10_000])
@pytest.mark.parametrize("wrapped", [True, False])
@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_clone_goes_on_by_itself(game_id, options, wrapped, steps):
    env = (wrappers.env if wrapped else aec.TableEnv)(find(game_id), **options)
    env.reset(seed=2)
    play(env, steps)
    before = all_of(env)
    cloned = env.clone()
    same(all_of(cloned), before)
    play(cloned, 9)
    same(all_of(env), before)
    play(env, 9)
    same(all_of(env), all_of(cloned))
    assert type(cloned) is type(env)


def test_a_clone_before_the_first_reset_needs_one_too():
    env = cardtable.make("muster")
    cloned = env.clone()
    with pytest.raises(Exception, match=r"reset"):
        cloned.last()
    cloned.reset(seed=1)
    with pytest.raises(Exception, match=r"reset"):
        env.last()


@pytest.mark.parametrize("game_id", game_ids())
def test_a_clone_deals_the_next_game_of_the_run_and_saves_a_replay(game_id):
    env = aec.TableEnv(find(game_id))
    env.reset(seed=4)
    play(env, 5)
    cloned = env.clone()
    assert cloned.replay().to_json() == env.replay().to_json()
    cloned.reset()
    env.reset()
    assert cloned.state_hash() == env.state_hash()


def test_what_is_written_into_the_infos_of_a_clone_stays_there():
    env = aec.TableEnv("muster")
    env.reset(seed=4)
    cloned = env.clone()
    cloned.infos["player_0"]["mine"] = 1
    assert "mine" not in env.infos["player_0"]


def test_a_table_is_not_cloned_in_the_middle_of_a_call():
    table = Table("muster")
    table.deal(1)
    table.door.busy = True
    with pytest.raises(Busy):
        table.clone()
    table.door.busy = False
    assert not table.clone().door.busy
