"""MaskablePPO as the learner of a run: opponents from a pool with past selves, clocks, weights that are kept."""

import json
import subprocess
import sys
import time

import numpy as np
import pytest
from cardtable_agents import weights
from cardtable_agents.arena.match import Match
from cardtable_agents.network.optimizer import Diverged
from cardtable_agents.players import policy
from cardtable_agents.players.policy import SamplingAgent
from cardtable_agents.training import checkpoints, evaluate, runs
from cardtable_agents.training.clocks import Clocks
from cardtable_agents.training.make import PACKAGES, require_learner
from cardtable_agents.training.opponents import TrainingPool
from helpers import SALT
from small_runs import small

from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.errors import AgentError
from cardtable.game.registry import find
from cardtable.players.pool import Pool
from cardtable.players.roster import make_agent

torch = pytest.importorskip("torch")
from cardtable_agents.training.sb3.learner import PARTS, TARGET_KL, StableBaselines  # noqa: E402


def learner(game="muster", **changes):
    settings = small(game, learner="sb3", **changes)
    return StableBaselines(settings, *settings.parsed())


# ---- Learning


def test_the_numpy_policy_is_that_of_the_network():
    given = learner()
    observation, masks = given.games.reset(), given.games.action_masks()
    expected, _ = given.model.predict(observation, action_masks=masks, deterministic=True)
    assert given.policy.best(observation, masks).tolist() == expected.tolist()


def test_the_settings_reach_the_algorithm():
    given = learner(
        layers=(32, 16),
        rollout=640,
        batch=64,
        epochs=2,
        clip=0.1,
        value_weight=0.7,
        gradient=0.9,
        gamma=0.99,
        gae_lambda=0.8,
        games=8,
    )
    model = given.model
    assert [layer.shape[0] for layer, _ in given.policy.layers[:-1]] == [32, 16]
    assert (model.n_steps, model.batch_size, model.n_epochs) == (80, 64, 2)
    assert (model.gamma, model.gae_lambda, model.clip_range(1), model.target_kl) == (0.99, 0.8, 0.1, TARGET_KL)
    assert (model.vf_coef, model.max_grad_norm) == (0.7, 0.9)


def test_an_update_learns_at_its_rates_and_tells_how_it_went():
    given = learner(learning_rate=(1e-3, 1e-5), entropy=(0.02, 0.0))
    before = given.policy
    told = given.update(0.0)
    assert (given.network.optimizer.param_groups[0]["lr"], given.model.ent_coef) == (1e-3, 0.02)
    assert given.steps == 512
    assert {"steps_per_second", "return", "kl", "entropy", "value_error", *(f"{part}_share" for part in PARTS)} == set(told)
    assert told["entropy"] > 0
    assert 0 < told["environment_share"] < told["environment_share"] + told["opponents_share"] < 1
    assert not np.array_equal(before.layers[0][0], given.policy.layers[0][0])
    given.update(0.5)
    assert given.network.optimizer.param_groups[0]["lr"] == pytest.approx(5.05e-4)
    assert given.model.ent_coef == pytest.approx(0.01)
    assert given.steps == 1024


def test_it_raises_the_win_rate_against_random(tmp_path):
    """From nothing, against random opponents: 49 % before and 70 % after, when this was written."""
    changes = {"games": 128, "opponents": ("random",), "rollout": 16_384, "batch": 1024, "layers": (256, 256)}
    run = runs.start(small(learner="sb3", steps=65_536, epochs=4, **changes), tmp_path)
    options, random = run.options, make_agent("random", run.game, run.options)
    before = evaluate.win_rate(run.game, options, run.policy, random, 200)
    run.train()
    assert evaluate.win_rate(run.game, options, run.policy, random, 200) > before + 0.1


def test_numbers_that_are_none_are_noticed_and_not_saved(tmp_path):
    run = runs.start(small(learner="sb3"), tmp_path)
    kept = [path.read_bytes() for path in checkpoints.paths(tmp_path / "checkpoints")]
    with torch.no_grad():
        run.learner.network.action_net.bias[3] = float("nan")
    with pytest.raises(Diverged, match=r"diverged in update 1: .*the last good checkpoint is .*000000000\.safetensors"):
        run.train()
    assert [path.read_bytes() for path in checkpoints.paths(tmp_path / "checkpoints")] == kept
    assert not (tmp_path / "policy.safetensors").exists()


@pytest.mark.parametrize(("game", "options"), [("murano_v0", {"num_players": 1}), ("artisans_v0", {"num_players": 3})], ids=str)
def test_solo_games_and_tables_of_three_can_be_trained(tmp_path, game, options):
    opponents = () if options["num_players"] == 1 else ("random", "self")
    run = runs.start(small(game, options, learner="sb3", opponents=opponents), tmp_path)
    agent = make_agent(f"ppo:{run.train()}", run.game, run.options)
    assert Match(run.game, run.options, [agent] * run.options.num_players, seed=1, first=0, number=2, salt=SALT).play()


# ---- Resuming


def test_weights_optimizer_and_past_selves_are_restored(tmp_path):
    started = runs.start(small(learner="sb3", steps=1024), tmp_path)
    started.train()
    resumed = runs.resume(small(learner="sb3", steps=2048), tmp_path)
    one, two = started.learner, resumed.learner
    assert (two.steps, two.updates, resumed.progress.updates) == (1024, 2, 2)
    assert two.games.first >= one.games.next_game
    assert all(torch.equal(tensor, two.network.state_dict()[name]) for name, tensor in one.network.state_dict().items())
    before, after = (each.network.optimizer.state_dict()["state"] for each in (one, two))
    assert all(torch.equal(before[key]["exp_avg"], after[key]["exp_avg"]) for key in before)
    assert all(np.array_equal(a.layers[0][0], b.layers[0][0]) for a, b in zip(one.pool.past, two.pool.past, strict=True))
    resumed.train()
    assert [line["steps"] for line in resumed.log if "kl" in line] == [512, 1024, 1536, 2048]


def test_the_same_seed_learns_the_same(tmp_path):
    def learned(number, seed):
        run = runs.start(small(learner="sb3", steps=1024, seed=seed), tmp_path / str(number))
        return policy.load(run.train(), find("muster"))

    first, again, other = learned(0, 5), learned(1, 5), learned(2, 6)
    assert all(np.array_equal(one, two) for (one, _), (two, _) in zip(first.layers, again.layers, strict=True))
    assert not np.array_equal(first.layers[0][0], other.layers[0][0])


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The arrays and the plain data of a checkpoint."""
    folder = tmp_path_factory.mktemp("finished")
    runs.start(small(learner="sb3"), folder).train()
    return weights.load(checkpoints.paths(folder / "checkpoints")[-1])


WRONG_ARRAYS = {
    "another shape": lambda arrays: {**arrays, "network.action_net.bias": np.zeros(3, np.float32)},
    "one missing": lambda arrays: {name: array for name, array in arrays.items() if name != "network.value_net.bias"},
    "one more": lambda arrays: {**arrays, "x" * 10**4: np.zeros(3)},
    "a number that is none": lambda arrays: {**arrays, "optimizer.one.step": np.zeros(3)},
    "a moment of another shape": lambda arrays: {**arrays, "optimizer.0.exp_avg": np.zeros(3, np.float32)},
    "a parameter that is not there": lambda arrays: {**arrays, "optimizer.99.step": np.array(1.0, np.float32)},
    "no step": lambda arrays: {name: array for name, array in arrays.items() if name != "optimizer.0.step"},
    "a past self too many": lambda arrays: (
        arrays | {name.replace("past.0.", "past.1."): array for name, array in arrays.items() if name.startswith("past.0.")}
    ),
    "half a past self": lambda arrays: {name: array for name, array in arrays.items() if name != "past.0.1.weight"},
    "other numbers": lambda arrays: {**arrays, "network.value_net.bias": np.zeros(1, np.int64)},
    "an infinite self": lambda arrays: (
        arrays | {name: np.full_like(array, 9e8) for name, array in arrays.items() if name.startswith("past.0.")}
    ),
    "an infinite learner": lambda arrays: (
        arrays
        | {name: np.full_like(array, 9e8) for name, array in arrays.items() if "policy_net" in name or "action_net" in name}
    ),
    "a negative square": lambda arrays: {**arrays, "optimizer.0.exp_avg_sq": -1 - arrays["optimizer.0.exp_avg_sq"]},
}


@pytest.mark.parametrize("change", WRONG_ARRAYS)
def test_a_state_with_other_numbers_is_refused_and_changes_nothing(finished, change):
    arrays, about = finished
    given = learner()
    before = {name: tensor.clone() for name, tensor in given.network.state_dict().items()}
    with pytest.raises(weights.WeightsError, match="does not fit the learner") as caught:
        given.restore(WRONG_ARRAYS[change](arrays), about["learner"])
    assert len(str(caught.value)) < 1000
    assert all(torch.equal(tensor, before[name]) for name, tensor in given.network.state_dict().items())
    assert (given.steps, given.pool.past) == (0, [])


@pytest.mark.parametrize("name", ["steps", "updates", "next_game"])
@pytest.mark.parametrize("value", [None, -1, 0.5, "512", True, 10**30], ids=str)
def test_a_state_that_tells_nonsense_is_refused(finished, name, value):
    arrays, about = finished
    with pytest.raises(weights.WeightsError, match=f"its {name} is"):
        learner().restore(arrays, {**about["learner"], name: value})


# ---- Opponents


def test_every_member_of_a_pool_plays_and_keeps_its_games():
    game = find("artisans")
    options = game.parse_options({"num_players": 4})
    asked = {}

    def member(name):
        agent = make_agent("random", game, options)
        act = agent.act
        agent.act = lambda views: (asked.setdefault(name, []).append(len(views)), act(views))[1]
        return agent

    pool = Pool(game, options, [member(name) for name in "abc"], seed=1)
    env = LearnerVecEnv(game, 30, pool, seed=1, num_players=4)
    env.reset()
    for _ in range(20):
        env.step(env.action_masks().argmax(axis=1))
    assert set(asked) == {"a", "b", "c"}
    assert min(map(sum, asked.values())) > 0.2 * sum(map(sum, asked.values()))


def new_pool(*opponents):
    settings = small(learner="sb3", opponents=opponents)
    return TrainingPool(*settings.parsed(), settings, Clocks(PARTS))


def test_the_learner_takes_the_place_of_its_oldest_past_self():
    first, second, third = (learner(seed=seed).policy for seed in range(3))
    pool = new_pool("self", "random", "self")
    assert (pool.places, pool.past) == ([0, 2], [])
    pool.seat([])
    assert pool.past == []
    pool.add(first)
    assert pool.past == [first, first]
    pool.add(second)
    pool.add(third)
    assert pool.past == [second, third]
    seated = [getattr(member, "policy", None) for member in pool.members]
    assert seated == [second, None, third]


def test_a_pool_without_past_selves_stays_as_it_is():
    pool = new_pool("random")
    pool.add(learner().policy)
    assert pool.past == []


def test_past_selves_draw_their_actions_by_the_key():
    game = find("muster")
    options = game.parse_options({})
    agent = SamplingAgent(game, options, learner().policy)
    first, again, other = (
        Match(game, options, [agent] * 2, 1, 0, 1, salt).play()[0].actions for salt in (SALT, SALT, SALT[::-1])
    )
    assert first == again != other


# ---- Clocks


def test_what_a_part_spends_in_another_counts_for_that_other_alone():
    clocks = Clocks(("environment", "opponents", "advice"))
    with clocks.time("environment"):
        time.sleep(0.02)
        with clocks.time("opponents"):
            time.sleep(0.05)
        with clocks.time("advice"):
            time.sleep(0.03)
    taken = clocks.take()
    assert taken["opponents"] >= 0.05
    assert taken["advice"] >= 0.03
    assert 0.02 <= taken["environment"] < 0.05  # without the 0.08 inside
    with pytest.raises(ZeroDivisionError), clocks.time("opponents"):
        time.sleep(0.01 + 1 // 0)
    with clocks.time("environment"):
        time.sleep(0.02)
    assert clocks.take()["environment"] >= 0.02
    assert set(clocks.take().values()) == {0.0}


# ---- What it needs


def test_packages_that_are_missing_are_named_before_anything_is_made(tmp_path, monkeypatch):
    monkeypatch.setattr("cardtable_agents.training.make.PACKAGES", (*PACKAGES, "no_such_package"))
    with pytest.raises(AgentError, match=r"not installed \(no_such_package\): pip install 'cardtable\[sb3\]'"):
        runs.start(small(learner="sb3"), tmp_path / "run")
    assert not (tmp_path / "run").exists()
    require_learner(small())


WITHOUT_TORCH = """
import json, sys
class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "stable_baselines3", "sb3_contrib", "tensorflow"):
            raise ImportError(f"{name} is blocked")
sys.meta_path.insert(0, Blocked())
from pathlib import Path
import cardtable_agents.training
light = [name for name in ("numpy.random", "cardtable_agents.training.run", "tensorboard") if name in sys.modules]
from cardtable_agents.training import train
run = train("muster", out=Path(sys.argv[1]), **json.loads(sys.argv[2]))
print(json.dumps([light, [name for name in ("torch", "stable_baselines3", "tensorflow") if name in sys.modules]]))
"""


def test_our_learner_and_tensorboard_need_no_torch(tmp_path):
    pytest.importorskip("tensorboard")
    given = {"steps": 512, "games": 16, "rollout": 512, "batch": 256, "layers": [64], "threads": 1, "precision": "float32"}
    given |= {"imitation_steps": 0, "evaluation_games": 2, "evaluation_opponents": ["random"]}
    command = [sys.executable, "-W", "error", "-c", WITHOUT_TORCH, str(tmp_path), json.dumps(given)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900)
    assert done.returncode == 0, done.stderr
    light, loaded = json.loads(done.stdout.splitlines()[-1])
    assert "cardtable_agents.training.run" not in light
    assert "tensorboard" not in light
    assert loaded == []
    assert [line for line in done.stderr.splitlines() if not line.startswith("cardtable: ")] == []  # but for compiling
    assert list((tmp_path / "tensorboard").glob("events.out.tfevents.*"))
