"""The learner's environment: its stream of decisions is what a walk by hand gives, and every result reaches it."""

import numpy as np
import pytest
from helpers import LEARNERS, Held, Varied, choice, walk_by_hand

from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.errors import IllegalAction, OptionError
from cardtable.game.registry import find

SEED = 5
LANES = 3
TURNS = 3
"""Games of each lane that are compared."""
GAMES = [
    ("muster", {}),
    ("muster", {"max_turns": 20}),
    ("artisans", {"num_players": 3}),
    ("artisans", {"num_players": 4}),
    ("murano", {"num_players": 1}),
    ("murano", {"max_rounds": 4}),
]


def streams_of(env):
    """For each lane its first games: the (observation, mask) of each decision, then the reward and info of the end."""
    observation = env.reset()
    games = [[[]] for _ in range(LANES)]
    ends = [[] for _ in range(LANES)]
    while min(map(len, ends)) < TURNS:
        masks = env.action_masks()
        actions = np.zeros(LANES, np.int64)
        for lane in range(LANES):
            number = lane + len(ends[lane]) * LANES
            actions[lane] = choice(masks[lane], number, LEARNERS + len(games[lane][-1]))
            games[lane][-1].append((observation[lane], masks[lane]))
        observation, rewards, dones, infos = env.step(actions)
        assert all(reward == 0 and not info for reward, info, done in zip(rewards, infos, dones, strict=True) if not done)
        for lane in np.flatnonzero(dones):
            ends[lane].append((rewards[lane], infos[lane]))
            games[lane].append([])
    return games, ends


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_streams_are_those_of_a_walk_by_hand(name, options):
    game = find(name)
    players = game.parse_options(options).num_players
    games, ends = streams_of(LearnerVecEnv(game, LANES, Varied(), seed=SEED, **options))
    for lane in range(LANES):
        for turn in range(TURNS):
            seat = (lane + turn) % players
            seen, table = walk_by_hand(game, options, SEED, lane + turn * LANES, seat)
            (reward, info), stream = ends[lane][turn], games[lane][turn]
            returns, scores = table.result()
            assert len(stream) == len(seen) == info["episode"]["l"]
            for (told, allowed), (sees, may) in zip(stream, seen, strict=True):
                assert np.array_equal(told, sees)
                assert np.array_equal(allowed, may == 1)
            assert (info["seat"], info["returns"], info["scores"]) == (seat, returns, scores)
            assert reward == info["episode"]["r"] == returns[seat]
            assert info["truncated"] == (table.ending.name == "TRUNCATED")
            assert info["TimeLimit.truncated"] is False
            assert np.array_equal(info["terminal_observation"], table.observe(seat))


def played_at_random(env, steps, seed=0):
    """Everything that random play of the learner shows."""
    generator, shown = np.random.default_rng(seed), [env.reset()]
    for _ in range(steps):
        masks = env.action_masks()
        actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in masks])
        shown += env.step(actions)[:3]
    return shown


def test_wins_and_losses_reach_the_learner_at_every_seat():
    env, heard = LearnerVecEnv(find("artisans"), 64, seed=1, num_players=3), set()
    generator = np.random.default_rng(0)
    env.reset()
    for _ in range(120):
        actions = np.array([generator.choice(np.flatnonzero(mask)) for mask in env.action_masks()])
        _, rewards, dones, infos = env.step(actions)
        heard |= {(infos[lane]["seat"], bool(rewards[lane] > 0)) for lane in np.flatnonzero(dones)}
    assert heard == {(seat, won) for seat in range(3) for won in (True, False)}


def test_the_same_seed_gives_the_same_course():
    first, again, other = (played_at_random(LearnerVecEnv(find("muster"), 8, seed=seed), 80) for seed in (3, 3, 4))
    assert all(np.array_equal(one, two) for one, two in zip(first, again, strict=True))
    assert not all(np.array_equal(one, two) for one, two in zip(first, other, strict=True))


def test_reset_starts_again_and_arrays_handed_out_stay_as_they_are():
    env = LearnerVecEnv(find("muster"), 4, seed=3)
    shown = played_at_random(env, 20)
    kept = [array.copy() for array in shown]
    assert all(np.array_equal(one, two) for one, two in zip(played_at_random(env, 20), kept, strict=True))
    assert all(np.array_equal(one, two) for one, two in zip(shown, kept, strict=True))
    env.seed(9)
    assert not np.array_equal(env.reset(), kept[0])


def test_illegal_actions_are_refused_and_no_game_moves():
    env = LearnerVecEnv(find("muster"), 4, seed=3)
    observation = env.reset()
    masks = env.action_masks()
    actions = masks.argmax(axis=1)
    wrong = actions.copy()
    wrong[2] = masks[2].argmin()
    for bad, message in (
        (wrong, r"lane 2, player_\d to act: action .* is not legal; legal: .*\(chosen by the learner\)"),
        (actions[:3], "shape"),
        (actions.astype(float), "dtype"),
    ):
        with pytest.raises(IllegalAction, match=message):
            env.step(bad)
    assert np.array_equal(env.action_masks(), masks)
    again = LearnerVecEnv(find("muster"), 4, seed=3)
    assert np.array_equal(again.reset(), observation)
    assert np.array_equal(env.step(actions)[0], again.step(actions)[0])


def test_opponents_that_cheat_are_named():
    class Cheat:
        def act(self, games, observation, mask):
            return mask.argmin(axis=1)

    with pytest.raises(IllegalAction, match=r"\(chosen by Cheat\)"):
        LearnerVecEnv(find("muster"), 4, Cheat(), seed=3).reset()


@pytest.mark.parametrize("number", [0, -1, 2.5, True, "4"])
def test_wrong_numbers_of_games_are_refused(number):
    with pytest.raises(OptionError, match="num_games"):
        LearnerVecEnv(find("muster"), number)


def test_masks_reach_maskable_ppo_in_one_array():
    from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

    env = LearnerVecEnv(find("muster"), 4, seed=3)
    env.reset()
    assert is_masking_supported(env)
    assert np.array_equal(get_action_masks(env).reshape(4, -1), env.action_masks())
    assert len(env.get_attr("render_mode")) == 4
    assert env.env_is_wrapped(object) == [False] * 4


def test_closing_lets_go_of_what_the_opponents_hold():
    agent = Held.of("muster")
    env = LearnerVecEnv("muster", 2, opponents=[agent, "random"])
    assert agent.held
    env.close()
    assert not agent.held
