"""TorchRL: specs, masks, seeds and resets of `BatchEnv` are as it expects them, and its own wrappers take our environments."""

import copy
import warnings

import numpy as np
import pytest
from helpers import LEARNERS, Held, Varied, choice, walk_by_hand

from cardtable.errors import IllegalAction, OptionError, ResetNeeded
from cardtable.game.registry import find, game_ids

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own deprecations, on import
    pytest.importorskip("torchrl", reason="TorchRL is not installed")
    import torch
    from examples.libraries import torchrl_ppo
    from tensordict.nn import TensorDictModule
    from torchrl.collectors import Collector
    from torchrl.envs import (
        ActionMask,
        GymEnv,
        PettingZooWrapper,
        RewardSum,
        SerialEnv,
        StepCounter,
        TransformedEnv,
        check_env_specs,
    )
    from torchrl.modules import EGreedyModule
    from torchrl.objectives.value import GAE

import cardtable
from cardtable.envs.torchrl import BatchEnv

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL:UserWarning"),
]
SEED, LANES, TURNS = 5, 3, 3
GAMES = [("muster", {}), ("muster", {"max_turns": 20}), ("artisans", {"num_players": 3}), ("murano", {"num_players": 1})]


def legal(played):
    """Whether every action was legal where it was played."""
    return bool(played["action_mask"].gather(-1, played["action"].unsqueeze(-1)).all())


@pytest.mark.parametrize("game_id", game_ids())
def test_specs_are_those_of_what_is_given(game_id):
    env = BatchEnv(game_id, 6)
    check_env_specs(env, seed=3, break_when_any_done="both")
    assert env.batch_size == (6,)
    seen = env.reset()
    assert env.observation_spec.is_in(seen.select("observation", "action_mask"))
    assert env.rand_step(seen)["next", "reward"].shape == (6, 1)


@pytest.mark.parametrize(("name", "options"), GAMES, ids=str)
def test_games_are_those_of_a_walk_by_hand(name, options):
    """Lanes whose games end are reset alone, as collectors do it; the others go on."""
    game = find(name)
    players = game.parse_options(options).num_players
    env = BatchEnv(game, LANES, Varied(), SEED, **options)
    seen, shown, ends = env.reset(), [[[]] for _ in range(LANES)], [[] for _ in range(LANES)]
    while min(map(len, ends)) < TURNS:
        actions = torch.zeros(LANES, dtype=torch.int64)
        for lane in range(LANES):
            mask = seen["action_mask"][lane].numpy()
            actions[lane] = choice(mask, lane + len(ends[lane]) * LANES, LEARNERS + len(shown[lane][-1]))
            shown[lane][-1].append((seen["observation"][lane].numpy(), mask))
        played, seen = env.step_and_maybe_reset(seen.set("action", actions))
        for lane in np.flatnonzero(played["next", "done"].numpy()):
            ends[lane].append(played["next"][int(lane)])
            shown[lane].append([])
    for lane in range(LANES):
        for turn in range(TURNS):
            seat = (lane + turn) % players
            decisions, table = walk_by_hand(game, options, SEED, lane + turn * LANES, seat)
            assert len(decisions) == len(shown[lane][turn])
            for (told, allowed), (sees, may) in zip(shown[lane][turn], decisions, strict=True):
                assert np.array_equal(told, sees)
                assert np.array_equal(allowed, may == 1)
            end = ends[lane][turn]
            assert end["reward"].item() == pytest.approx(table.result()[0][seat])
            assert end["truncated"].item() == (table.ending.name == "TRUNCATED")
            assert end["terminated"].item()  # also where it was cut off: its return is paid, so nothing is to be estimated
            assert np.array_equal(end["observation"].numpy(), table.observe(seat))


def test_a_game_that_is_cut_off_is_worth_its_return_and_no_estimate_besides():
    rollout = BatchEnv("muster", 4, seed=1, max_turns=6).rollout(40, break_when_any_done=False)
    values = TensorDictModule(lambda seen: torch.full((*seen.shape[:-1], 1), 5.0), ["observation"], ["state_value"])
    GAE(gamma=1.0, lmbda=1.0, value_network=values)(rollout)
    cut_off = rollout["next", "truncated"]
    assert cut_off.any()
    assert torch.equal(rollout["value_target"][cut_off], rollout["next", "reward"][cut_off])


def test_collectors_play_legal_actions_with_a_random_policy():
    for env in (BatchEnv("muster", 8, seed=1), TransformedEnv(BatchEnv("muster", 8, seed=1), ActionMask())):
        collector = Collector(env, None, frames_per_batch=8 * 50, total_frames=8 * 100)
        batches = list(collector)
        assert len(batches) == 2
        assert all(legal(batch) for batch in batches)
        assert sum(int(batch["next", "done"].sum()) for batch in batches) > 2


def test_its_modules_and_transforms_honour_the_masks():
    env = TransformedEnv(BatchEnv("muster", 8, seed=1, max_turns=20))
    env.append_transform(RewardSum())
    env.append_transform(StepCounter())
    actor = torchrl_ppo.new_actor(env.base_env)
    played = env.rollout(60, actor, break_when_any_done=False)
    assert legal(played)
    over = played["next", "done"]
    assert over.sum() > 4
    assert played["next", "episode_reward"][over].abs().max() == 1
    greedy = EGreedyModule(env.action_spec, eps_init=1.0, eps_end=1.0, action_mask_key="action_mask")
    seen = env.reset()
    for _ in range(20):
        seen = greedy(seen.set("action", torch.zeros(8, dtype=torch.int64)))
        assert legal(seen)
        seen = env.step_and_maybe_reset(seen)[1]


def test_a_rollout_may_last_until_all_games_are_over():
    env = BatchEnv("muster", 6, seed=1)
    played = env.rollout(1000, break_when_any_done=False, break_when_all_done=True)
    assert played["next", "done"][:, -1].all()
    lengths = {int(row.squeeze(-1).int().argmax()) for row in played["next", "done"]}
    assert len(lengths) > 1
    assert played["next", "reward"][:, -1].abs().sum() > 0


def test_the_same_seed_gives_the_same_games_and_reset_the_next():
    def shown(env, seed):
        torch.manual_seed(seed)
        env.set_seed(seed)
        return env.rollout(40, break_when_any_done=False)

    one, other = BatchEnv("muster", 4, "heuristic:1"), BatchEnv("muster", 4, "heuristic:1")
    first = shown(one, 3)
    assert (first == shown(other, 3)).all()
    assert (first == shown(one, 3)).all()
    assert not (first == shown(one, 4)).all()
    again = one.reset()
    assert not (again["observation"] == one.reset()["observation"]).all()


def test_other_lanes_stay_as_they_are_when_one_is_reset():
    env = BatchEnv("muster", 3, seed=1)
    before = env.reset()
    reset = torch.tensor([[False], [True], [False]])
    after = env.reset(before.clone().set("_reset", reset))
    same = (after["observation"] == before["observation"]).all(-1)
    assert same.tolist() == [True, False, True]


def test_wrong_calls_are_refused_and_no_game_moves():
    env = BatchEnv("muster", 3, seed=1)
    with pytest.raises(ResetNeeded, match="call reset"):
        env.step(env.fake_tensordict().select("action"))
    seen = env.reset()
    wrong = seen["action_mask"].int().argmin(-1)
    with pytest.raises(IllegalAction, match=r"lane 0, .* is not legal"):
        env.step(seen.clone().set("action", wrong))
    with pytest.raises(IllegalAction, match="no 'action' in"):
        env.step(seen.clone())
    with pytest.raises(IllegalAction, match="dtype float32"):
        env.step(seen.clone().set("action", torch.zeros(3)))
    right = seen["action_mask"].int().argmax(-1)
    moved, twin = env.step(seen.clone().set("action", right)), BatchEnv("muster", 3, seed=1)
    assert (moved["next"] == twin.step(twin.reset().set("action", right))["next"]).all()
    loses = BatchEnv("muster", 3, seed=1, illegal="lose")
    over = loses.step(loses.reset().set("action", wrong))
    assert over["next", "terminated"].all()
    assert (over["next", "reward"] == -1).all()
    with pytest.raises(ResetNeeded, match=r"lanes \[0, 1, 2\]: the game is over: reset them first"):
        loses.step(over["next"].select("observation", "action_mask").set("action", wrong))


def test_closing_lets_go_of_what_the_opponents_hold():
    agent = Held.of("muster")
    env = BatchEnv("muster", 2, opponents=[agent, "random"])
    assert agent.held
    env.close()
    assert not agent.held


@pytest.mark.parametrize("wrong", [{"opponents": "nobody"}, {"seat": 2}, {"illegal": "win"}, {"streamlind": True}], ids=str)
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ValueError, match=r"nobody|seat=2|illegal='win'|streamlind"):
        BatchEnv("muster", 2, **wrong)
    with pytest.raises(OptionError, match="num_games=0"):
        BatchEnv("muster", 0)


def test_copies_are_environments_of_their_own():
    env = BatchEnv("muster", 3, seed=1)
    seen = env.reset()
    twin = copy.deepcopy(env)
    action = seen["action_mask"].int().argmax(-1)
    assert (env.step(seen.clone().set("action", action)) == twin.step(seen.clone().set("action", action))).all()


def test_batches_may_be_stacked():
    """With a policy that looks at masks, also where games of a batch end at different times."""
    choose = lambda masks: masks.flatten(0, 1).float().multinomial(1).view(masks.shape[:2])  # noqa: E731
    policy = TensorDictModule(choose, ["action_mask"], ["action"])
    env = SerialEnv(2, [lambda: BatchEnv("muster", 3, seed=1, max_turns=6), lambda: BatchEnv("muster", 3, seed=2, max_turns=6)])
    played = env.rollout(60, policy, break_when_any_done=False)
    assert played.shape == (2, 3, 60)
    assert legal(played)
    ends = played["next", "done"].sum(dim=(0, 1)).flatten()
    assert ((ends > 0) & (ends < 6)).any()


def test_a_reset_may_be_of_no_game():
    env = BatchEnv("muster", 3, seed=1)
    seen = env.reset()
    again = env.reset(seen.clone().set("_reset", torch.zeros(3, 1, dtype=torch.bool)))
    assert (again["action_mask"] == seen["action_mask"]).all()
    assert env.step(env.rand_action(again))["next", "action_mask"].any(-1).all()


# ---- Its own wrappers


@pytest.mark.parametrize("name", ["Artisans", "Murano", "Muster"])
def test_games_are_made_by_id(name):
    env = GymEnv(f"cardtable/{name}-v0", mask="observation", categorical_action_encoding=True, illegal="lose")
    check_env_specs(env)
    masked = TransformedEnv(GymEnv(f"cardtable/{name}-v0", mask="observation", categorical_action_encoding=True), ActionMask())
    assert legal(masked.rollout(20, break_when_any_done=False).apply(lambda each: each))


@pytest.mark.parametrize("game_id", game_ids())
def test_pettingzoo_environments_are_wrapped(game_id):
    env = PettingZooWrapper(cardtable.make(game_id), use_mask=True)
    check_env_specs(env)
    assert env.rollout(30).shape[0] == 30


@pytest.mark.learns
def test_its_ppo_learns():
    before, after, _ = torchrl_ppo.learn(seconds=15, games=300)
    assert before < 0.65
    assert after > 0.75
