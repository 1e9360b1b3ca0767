"""Tianshou: collectors and policies take `BatchVectorEnv` and our PettingZoo environments as they are."""

import warnings

import numpy as np
import pytest
from helpers import LEARNERS, Held, Varied, choice, walk_by_hand

from cardtable.errors import IllegalAction, OptionError, ResetNeeded
from cardtable.game.registry import find, game_ids

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own deprecations, on import
    pytest.importorskip("tianshou", reason="Tianshou is not installed")
    import torch
    from examples.libraries import tianshou_ppo
    from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv

import cardtable
from cardtable.envs.tianshou import BatchVectorEnv

SEED, LANES, TURNS = 5, 3, 3
GAMES = [("muster", {}), ("muster", {"max_turns": 20}), ("artisans", {"num_players": 3}), ("murano", {"num_players": 1})]


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_games_are_those_of_a_walk_by_hand(name, options):
    """Games that end are reset alone; the others go on."""
    game = find(name)
    players = game.parse_options(options).num_players
    env = BatchVectorEnv(game, LANES, Varied(), SEED, **options)
    seen, _ = env.reset()
    shown, ends = [[[]] for _ in range(LANES)], [[] for _ in range(LANES)]
    while min(map(len, ends)) < TURNS:
        actions = np.zeros(LANES, np.int64)
        for lane in range(LANES):
            actions[lane] = choice(seen.mask[lane], lane + len(ends[lane]) * LANES, LEARNERS + len(shown[lane][-1]))
            shown[lane][-1].append((seen.obs[lane].copy(), seen.mask[lane].copy()))
        seen, rewards, terminated, truncated, _ = env.step(actions)
        over = np.flatnonzero(terminated | truncated)
        for lane in over:
            assert terminated[lane]  # also where it was cut off: its return is paid, so nothing is to be estimated
            ends[lane].append((rewards[lane], truncated[lane], seen.obs[lane].copy()))
            shown[lane].append([])
        if len(over):
            seen[over] = env.reset(over)[0]
    for lane in range(LANES):
        for turn in range(TURNS):
            seat = (lane + turn) % players
            decisions, table = walk_by_hand(game, options, SEED, lane + turn * LANES, seat)
            assert len(decisions) == len(shown[lane][turn])
            for (told, allowed), (sees, may) in zip(shown[lane][turn], decisions, strict=True):
                assert np.array_equal(told, sees)
                assert np.array_equal(allowed, may == 1)
            reward, cut_off, final = ends[lane][turn]
            assert reward == pytest.approx(table.result()[0][seat])
            assert cut_off == (table.ending.name == "TRUNCATED")
            assert np.array_equal(final, table.observe(seat))


def collector_of(env, policy=None):
    policy = policy or MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space[0])
    collector = Collector(policy, env, VectorReplayBuffer(100 * len(env), len(env)), exploration_noise=True)
    collector.reset()
    return collector


@pytest.mark.parametrize("random", [False, True])
def test_collectors_play_legal_actions(random):
    collector = collector_of(BatchVectorEnv("muster", 4, seed=1, max_turns=20))
    stats = collector.collect(n_step=4 * 60, random=random)
    batch, _ = collector.buffer.sample(0)
    assert np.take_along_axis(batch.obs.mask, batch.act[:, None], axis=1).all()
    assert stats.n_collected_episodes > 4
    assert collector.collect(n_episode=5).n_collected_episodes == 5  # some lanes are played alone towards the end


class Values(torch.nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.layer = torch.nn.Linear(inputs, outputs)

    def forward(self, obs, state=None, info=None):
        return self.layer(torch.as_tensor(obs)), state


@pytest.mark.parametrize("chance", [0.0, 1.0])
def test_its_masked_q_learning_plays_legal_actions(chance):
    env = BatchVectorEnv("muster", 4, seed=1)
    space = env.observation_space[0]["obs"]
    model = Values(space.shape[0], int(env.action_space[0].n))
    policy = DiscreteQLearningPolicy(model=model, action_space=env.action_space[0], eps_inference=chance)
    collector = collector_of(env, policy)
    collector.collect(n_step=4 * 20)
    batch, _ = collector.buffer.sample(0)
    assert len(batch) == 80
    assert np.take_along_axis(batch.obs.mask, batch.act[:, None], axis=1).all()


def test_the_same_seed_gives_the_same_games_and_reset_the_next():
    env = BatchVectorEnv("muster", 3)
    env.seed(4)
    first = env.reset()[0].obs
    assert not np.array_equal(env.reset()[0].obs, first)
    env.seed(4)
    assert np.array_equal(env.reset()[0].obs, first)
    assert np.array_equal(BatchVectorEnv("muster", 3, seed=4).reset()[0].obs, first)
    assert np.array_equal(env.reset(seed=4)[0].obs, first)


def test_some_games_may_be_played_in_any_order():
    one, other = BatchVectorEnv("muster", 4, seed=1), BatchVectorEnv("muster", 4, seed=1)
    seen = one.reset()[0]
    other.reset()
    actions = seen.mask.argmax(axis=1)
    together = one.step(actions)[0]
    last, *_, info = other.step(actions[[3, 0]], [3, 0])
    assert np.array_equal(last.obs, together.obs[[3, 0]])
    assert [each["env_id"] for each in info] == [3, 0]
    middle = other.step(actions[1:3], np.array([1, 2]))[0]
    assert np.array_equal(middle.obs, together.obs[1:3])


def test_wrong_calls_are_refused_and_no_game_moves():
    env = BatchVectorEnv("muster", 3, seed=1)
    with pytest.raises(ResetNeeded):
        env.step([0, 0, 0])
    seen = env.reset()[0]
    right, wrong = seen.mask.argmax(axis=1), seen.mask.argmin(axis=1)
    for bad, games in ((wrong, None), (right[:2], None), (right.astype(float), None), (wrong[:1], 1)):
        with pytest.raises(IllegalAction):
            env.step(bad, games)
    for games in ([3], [-1], [0, 0], [0.5], []):
        with pytest.raises(OptionError, match="allowed: different integers from 0 to 2"):
            env.step(right[: len(games)], games)
    for seed in ([1, 2, 3], 1.5, -1):
        with pytest.raises(OptionError, match="seed="):
            env.seed(seed)
    with pytest.raises(AttributeError, match="have no 'np_random'"):
        env.get_env_attr("np_random")
    twin = BatchVectorEnv("muster", 3, seed=1)
    twin.reset()
    assert np.array_equal(env.step(right)[0].obs, twin.step(right)[0].obs)
    loses = BatchVectorEnv("muster", 3, seed=1, illegal="lose")
    loses.reset()
    _, rewards, terminated, _, _ = loses.step(wrong)
    assert terminated.all()
    assert (rewards == -1).all()
    with pytest.raises(ResetNeeded, match=r"lanes \[0, 1, 2\]: the game is over: reset them first"):
        loses.step(right)


def test_closing_lets_go_of_what_the_opponents_hold():
    agent = Held.of("muster")
    env = BatchVectorEnv("muster", 2, opponents=[agent, "random"])
    assert agent.held
    env.close()
    assert not agent.held


@pytest.mark.parametrize("wrong", [{"opponents": "nobody"}, {"seat": 2}, {"illegal": "win"}, {"streamlind": True}], ids=str)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ValueError, match=r"nobody|seat=2|illegal='win'|streamlind"):
        BatchVectorEnv("muster", 2, **wrong)


@pytest.mark.parametrize("game_id", game_ids())
def test_pettingzoo_environments_are_taken_as_they_are(game_id):
    """Its batches need infos of the same keys and shapes at every step, the last one included."""
    made = [lambda: PettingZooEnv(cardtable.make(game_id))] * 2
    env = made[0]()
    one = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=env.action_space)
    agents = MultiAgentOffPolicyAlgorithm(algorithms=[one for _ in env.agents], env=env)
    collector = Collector(agents, DummyVectorEnv(made), VectorReplayBuffer(4000, 2))
    collector.reset()
    stats = collector.collect(n_episode=2)
    assert stats.n_collected_episodes == 2
    assert set(np.unique(stats.returns)) != {0.0}


@pytest.mark.learns
def test_its_ppo_learns():
    before, after, _ = tianshou_ppo.learn(seconds=20, games=300)
    assert before < 0.65
    assert after > 0.75
