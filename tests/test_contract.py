"""What every game promises, whatever its rules: run on every game and every variant."""

import copy
import json
import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from helpers import VARIANTS, choice, open_table, states, variant_id, walk
from pettingzoo.test import api_test, render_test, seed_test

from cardtable.audit import audit, clause_names
from cardtable.engine import loops
from cardtable.engine.jit import as_games
from cardtable.envs import aec, wrappers
from cardtable.envs.batch import BatchEnv
from cardtable.errors import IllegalAction
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.table import Table

AUDITED_GAMES = 100_000
MASKED_STATES = 20_000
LEAK_PAIRS = 100_000
SAVED_STEPS = 150
HOSTILE: list[Any] = [
    -1,
    10**9,
    2**63,
    1.0,
    0.5,
    None,
    "0",
    "",
    True,
    False,
    np.float64(1),
    np.bool_(True),
    [0],
    np.array([0]),
    {},
]


@pytest.fixture(params=VARIANTS, ids=lambda variant: "-".join(map(variant_id, variant)))
def variant(request: pytest.FixtureRequest) -> tuple[Game, dict[str, Any]]:
    game_id, options = request.param
    return find(game_id), dict(options)


@pytest.fixture(params=game_ids())
def game(request: pytest.FixtureRequest) -> Game:
    return find(request.param)


# ---- PettingZoo's own tests


def test_pettingzoo_api(variant):
    game, options = variant
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(wrappers.env(game, **options), num_cycles=300)
        api_test(aec.TableEnv(game, **options), num_cycles=300)
    said = {str(warning.message).split(".")[0] for warning in caught}
    assert all("Observation is not a NumPy array" in text or "Observation space for each agent" in text for text in said), said


def test_pettingzoo_seed(game):
    seed_test(lambda: wrappers.env(game), num_cycles=200)


def test_pettingzoo_render(game, capsys):
    render_test(lambda **options: wrappers.env(game, **options))
    assert capsys.readouterr().out


# ---- Random play, every position checked


def test_audit_of_random_games(variant, sized):
    game, options = variant
    games = sized(AUDITED_GAMES)
    *_, total = audit(game, options, games)
    print(f"{game.id} {options}: {total.games:,} games, {total.decisions:,} decisions, every position possible")
    assert total.games == games
    assert total.decisions > games


def test_every_clause_is_exercised_in_some_variant(game):
    counts = dict.fromkeys(clause_names(game), 0)
    for options in game.variants:
        *_, total = audit(game, options, 10_000, seed=2)
        for name, count in total.clauses.items():
            counts[name] += count
    print(counts)
    assert not [name for name, count in counts.items() if count == 0]


# ---- Masks


def test_masks_are_sound_and_complete(variant, sized, monkeypatch):
    monkeypatch.setattr(Table, "_refusal", lambda table, number: "refused")  # its words take longer than all else
    game, options = variant
    number = sized(MASKED_STATES) // len(game.variants) + 1
    played, scratch = as_games(game.state.blank()), game.new_scratch()
    mask, observation = np.zeros(game.actions.size, np.int8), np.zeros(game.layout.size, np.float32)
    checked = 0
    for table in states(game, options, number):
        before = table.state_bytes()
        legal = [action for action in range(game.actions.size) if not refuses(table, action)]
        assert legal == np.flatnonzero(table.mask).tolist()
        for action in legal:
            played[:] = table.games
            loops.step_one(played, action, mask, observation, scratch)
            assert loops.check_one(played) == 0, (game.actions.names[action], table.state_dict())
        assert all(refuses(table, value) for value in [*HOSTILE, game.actions.size])
        assert table.state_bytes() == before
        assert legal
        checked += 1
    print(f"{game.id} {options}: {checked:,} states, every id tried")
    assert checked == number


def refuses(table: Table, action: Any) -> bool:
    """Whether the action is refused, as documented."""
    try:
        table.checked_action(action)
    except IllegalAction:
        return True
    return False


def test_nobody_may_act_when_the_game_is_over(variant):
    game, options = variant
    env = play_through(game, options)
    for agent in env.possible_agents:
        assert not env.observe(agent)["action_mask"].any()
    with pytest.raises(IllegalAction, match="the game is over"):
        env.table.checked_action(0)


def play_through(game: Game, options: dict[str, Any], seed: int = 3) -> aec.TableEnv:
    env = aec.TableEnv(game, **options)
    env.reset(seed=seed)
    while not env.table.ending:
        env.step(choice(env.table.mask, 0, len(env.table.history)))
    return env


# ---- Information


def test_nothing_hidden_leaks(variant, sized):
    """Whatever a seat cannot know is drawn anew: nothing it is shown changes by a bit, and the redraw really differs."""
    game, options = variant
    pairs, differing, number = 0, 0, sized(LEAK_PAIRS) // len(game.variants) + 1
    observation, redealt = np.zeros(game.layout.size, np.float32), np.zeros(game.layout.size, np.float32)
    mask, scratch = np.zeros(game.actions.size, np.int8), game.new_scratch()
    world = as_games(game.state.blank())
    for table in walk(game, options, games=number):
        hidden = hidden_part(table.games)
        for seat in range(table.players):
            world[:] = table.games
            loops.redeal_many(world, seat, np.uint64(pairs))
            assert loops.check_one(world) == 0
            loops.observe_one(table.games, seat, observation)
            loops.observe_one(world, seat, redealt)
            assert observation.tobytes() == redealt.tobytes()
            if seat == table.seat:
                loops.look(world, 0, mask, redealt, scratch)
                assert mask.tobytes() == table.mask.tobytes()
            differing += hidden != hidden_part(world)
            pairs += 1
        if pairs >= number:
            break
    print(f"{game.id} {options}: {pairs:,} (state, seat) pairs, {differing:,} redeals differ from the truth")
    assert pairs >= number
    assert differing > pairs // 2


def hidden_part(games: np.ndarray) -> bytes:
    """All of a record but what a redeal always changes: its seed, number and stream."""
    plain = games.copy()
    for name in ("seed", "index", "rng"):
        plain[name] = 0
    return plain.tobytes()


def test_a_redeal_changes_what_no_seat_sees(game):
    """So a number of an observation that depended on it would differ in the test above."""
    table = open_table(game, dict(game.variants[0]))
    truth = as_games(np.frombuffer(table.record.tobytes(), game.state.dtype).copy())
    changed = 0
    for seed in range(20):
        world = as_games(truth.copy())
        loops.redeal_many(world, 0, np.uint64(seed))
        hidden = [np.zeros(game.hidden.size, np.float32) for _ in range(2)]
        loops.observe_hidden_one(truth, hidden[0])
        loops.observe_hidden_one(world, hidden[1])
        changed += hidden[0].tobytes() != hidden[1].tobytes()
    assert changed > 0


def test_observations_stay_in_their_space(variant):
    game, options = variant
    env = aec.TableEnv(game, **options)
    for seed in range(5):
        env.reset(seed=seed)
        assert env.state_space.contains(env.state())
        while not env.table.ending:
            for agent in env.agents:
                seen = env.observe(agent)
                assert env.observation_space(agent).contains(seen)
                assert seen["action_mask"].any() == (agent == env.agent_selection)
            env.step(choice(env.table.mask, seed, len(env.table.history)))
        assert env.state_space.contains(env.state())


def test_every_number_of_the_observation_is_used(game):
    """Over all variants each observed number takes more than one value: nothing is dead weight."""
    lows, highs = np.ones(game.layout.size), np.zeros(game.layout.size)
    for options in game.variants:
        for table in walk(game, dict(options), games=40):
            for seat in range(table.players):
                seen = table.observe(seat)
                np.minimum(lows, seen, out=lows)
                np.maximum(highs, seen, out=highs)
    constant = [label for label, low, high in zip(game.layout.labels(), lows, highs, strict=True) if low == high]
    assert not constant


def test_arrays_handed_out_never_change(game):
    env = aec.TableEnv(game)
    env.reset(seed=1)
    kept = []
    while not env.table.ending:
        seen = env.observe(env.agent_selection)
        kept.append((seen, copy.deepcopy(seen)))
        env.step(choice(env.table.mask, 0, len(env.table.history)))
    for seen, remembered in kept:
        assert all(np.array_equal(seen[key], remembered[key]) for key in seen)


def test_the_state_vector_holds_every_seat_and_the_hidden_part(game):
    table = open_table(game, {})
    full = table.full_state()
    size = game.layout.size
    for seat in range(table.players):
        assert np.array_equal(full[seat * size : (seat + 1) * size], table.observe(seat))
    assert full[table.players * size :].any()


# ---- Rewards and ends


def test_rewards_come_once_to_all_and_sum_to_zero(variant):
    game, options = variant
    for seed in range(10):
        env = aec.TableEnv(game, **options)
        env.reset(seed=seed)
        while not env.table.ending:
            assert not any(env.rewards.values())
            env.step(choice(env.table.mask, seed, len(env.table.history)))
        rewards = np.array(list(env.rewards.values()))
        assert len(rewards) == 1 or abs(rewards.sum()) < 1e-6
        assert (abs(rewards) <= 1).all()
        assert all(env.terminations.values()) != all(env.truncations.values())
        total = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            assert terminated or truncated
            assert "score" in info
            total[agent] += reward
            env.step(None)
        assert np.allclose(list(total.values()), rewards)
        assert env.agents == []


# ---- Saving


def test_save_and_restore_all_through_a_game(variant, sized):
    """At steps spread over the game; from some of them it is played to the end as well."""
    game, options = variant
    original, table = open_table(game, options, seed=9), open_table(game, options, seed=9)
    final = play_on(original, 0)
    by_dict, by_bytes = Table(game, table.options), Table(game, table.options)
    stride = -(-len(original.history) // sized(SAVED_STEPS))
    for step, action in enumerate(original.history):
        if step % stride == 0:
            packed = table.state_bytes()
            by_dict.load_state_dict(json.loads(json.dumps(table.state_dict())))
            by_bytes.load_state_bytes(packed)
            assert by_dict.state_bytes() == by_bytes.state_bytes() == packed
            assert by_dict.state_hash() == table.state_hash()
            if step // stride % 25 == 0:
                assert play_on(by_dict, step) == final
        table.play(action)


def play_on(table: Table, step: int) -> str:
    """Play to the end; the actions depend on the number of the step alone."""
    while not table.ending:
        table.play(choice(table.mask, 0, step))
        step += 1
    return table.state_hash()


def test_deepcopy_and_pickle_keep_the_game(variant):
    game, options = variant
    env = wrappers.env(game, **options)
    env.reset(seed=4)
    for step in range(12):
        env.step(choice(env.observe(env.agent_selection)["action_mask"], 0, step))
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.unwrapped.state_bytes() == env.unwrapped.state_bytes()
        assert twin.agent_selection == env.agent_selection
        before = env.unwrapped.state_bytes()
        twin.step(choice(twin.observe(twin.agent_selection)["action_mask"], 0, 12))
        assert env.unwrapped.state_bytes() == before != twin.unwrapped.state_bytes()
        assert twin.unwrapped.replay().verify().state_hash() == twin.unwrapped.state_hash()


# ---- Determinism


def test_a_game_depends_on_seed_number_and_actions_alone(variant):
    """The same games at tables and in batches of several sizes: every final state is the same."""
    game, options = variant
    wanted = 21
    expected = [table_course(game, options, index) for index in range(wanted)]
    for size in (1, 7, 64):
        assert batch_course(game, options, size, wanted) == expected


def table_course(game: Game, options: dict[str, Any], index: int) -> tuple[int, tuple[float, ...]]:
    table = open_table(game, options, seed=11, index=index)
    while not table.ending:
        table.play(choice(table.mask, index, len(table.history)))
    return len(table.history), tuple(table.result()[1])


def batch_course(game: Game, options: dict[str, Any], size: int, wanted: int) -> list[tuple[int, tuple[float, ...]]]:
    batch = BatchEnv(game, size, seed=11, **options)
    index, length = np.arange(size), np.zeros(size, int)
    ended: dict[int, tuple[int, tuple[float, ...]]] = {}
    while not all(number in ended for number in range(wanted)):
        actions = [choice(batch.frame.action_mask[lane], int(index[lane]), int(length[lane])) for lane in range(size)]
        frame = batch.step(actions)
        length += 1
        for lane in np.flatnonzero(frame.terminated | frame.truncated):
            ended[int(index[lane])] = (int(frame.episode_length[lane]), tuple(frame.scores[lane].tolist()))
            index[lane] += size
            length[lane] = 0
    return [ended[number] for number in range(wanted)]


def test_after_the_last_number_comes_the_first(game):
    env = aec.TableEnv(game)
    env.reset(seed=8)
    env.load_state_dict({**env.state_dict(), "index": 2**64 - 1})
    env.reset()
    assert env.state_hash() == open_table(game, {}, seed=8, index=0).state_hash()


def test_the_next_game_without_a_seed_is_the_next_of_the_run(game):
    env = aec.TableEnv(game)
    env.reset(seed=8)
    for index in range(1, 4):
        env.reset()
        assert env.state_hash() == open_table(game, {}, seed=8, index=index).state_hash()


# ---- Names


def test_names_and_ids_are_inverse(game):
    names = [game.actions.name_of(action) for action in range(game.actions.size)]
    assert [game.actions.id_of(name) for name in names] == list(range(game.actions.size))
    assert game.actions.id_of(f"  {names[0].upper()} ") == 0
    for wrong in (-1, game.actions.size):
        with pytest.raises(IllegalAction, match="ids are 0 to"):
            game.actions.name_of(wrong)
    for wrong_name in ("", "fly", None, 3):
        with pytest.raises(IllegalAction, match="no action is called"):
            game.actions.id_of(wrong_name)  # type: ignore[arg-type]


def test_legal_actions_are_the_mask_in_words(game):
    table = open_table(game, {})
    assert [game.actions.id_of(name) for name in table.legal_actions()] == np.flatnonzero(table.mask).tolist()
