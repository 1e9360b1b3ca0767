"""Our learner: what it learns from, what it exports, what it refuses."""

import time
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest
from cardtable_agents.network.optimizer import Diverged
from cardtable_agents.players import policy
from cardtable_agents.players.policy import NetworkAgent
from cardtable_agents.training import beginnings
from cardtable_agents.training.evaluate import evaluate
from cardtable_agents.training.ppo import PPO
from cardtable_agents.training.settings import Settings
from cardtable_agents.weights import WeightsError

from cardtable.errors import AgentError, IllegalAction, OptionError
from cardtable.game.registry import find
from cardtable.lanes import Lanes
from cardtable.players import roster
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent

SMALL = {
    "steps": 10_000,
    "threads": 1,
    "precision": "float32",
    "games": 16,
    "rollout": 256,
    "batch": 64,
    "imitation_batch": 64,
    "layers": (64, 64),
    "imitation_steps": 0,
    "snapshot_updates": 1,
    "critic_updates": 1,
}


def learner(game="muster_v0", options=None, **changes):
    settings = Settings(game, options or {}, **{**SMALL, **changes})
    found, checked = settings.parsed()
    return PPO(settings, found, checked)


def parameters(ppo):
    return ppo.network.parameters.flat.copy()


# ---- What it plays is what it exports


@pytest.mark.parametrize(("game", "options"), [("muster_v0", {}), ("artisans_v0", {"num_players": 3}), ("murano_v0", {})])
def test_the_exported_policy_has_the_probabilities_and_values_of_the_learner(tmp_path, game, options):
    """Saved, loaded and played: what the learner noted when it chose is what the policy says of the same position."""
    ppo = learner(game, options)
    for each in range(3):
        ppo.update(each / 3)
    path = tmp_path / "policy.safetensors"
    policy.save(path, ppo.game, ppo.policy, {})
    loaded = policy.load(path, ppo.game)
    worker = ppo.crew.workers[0]
    views, rollout = worker.games.views(), worker.rollout
    worker.games.show(rollout, 0)
    worker.passes.choose(rollout.which(0), rollout.rows, rollout.choices, np.zeros(rollout.lanes, np.int64))
    logits = loaded.logits(views.observation, views.mask)
    expected = logits - np.log(np.exp(logits - logits.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True))
    expected -= logits.max(axis=1, keepdims=True)
    agent = NetworkAgent(ppo.game, ppo.options, loaded)
    for lane, chosen in enumerate(agent.act(views)):
        start, stop = rollout.rows.first_action[lane : lane + 2]
        legal, noted = rollout.rows.action[start:stop], rollout.choices.log_probability[start:stop]
        np.testing.assert_allclose(noted, expected[lane, legal], atol=1e-4)
        ranked = np.sort(noted)
        if ranked[-1] - ranked[-2] > 1e-4:
            assert legal[noted.argmax()] == chosen
    np.testing.assert_allclose(loaded.values(views.observation), rollout.choices.value[: rollout.lanes], atol=1e-4)


# ---- What it learns from


@pytest.mark.parametrize("changes", [{"advice": "heuristic:1"}, {"shaping": 0.5}, {"opponents": ("self", "random")}], ids=str)
def test_advice_shaping_and_past_selves_can_be_learned_with(changes):
    ppo = learner(**changes)
    before = parameters(ppo)
    numbers = [ppo.update(each / 2) for each in range(2)]
    assert np.isfinite(parameters(ppo)).all()
    assert not np.array_equal(parameters(ppo), before)
    assert all(each["entropy"] > 0 and 0 <= each["kl"] < 1 for each in numbers)
    if "opponents" in changes:
        assert len(ppo.past) == 1
        assert not np.array_equal(ppo.past[0].layers[0][0], ppo.policy.layers[0][0])


def test_the_policy_of_an_advised_run_is_held_while_its_values_learn():
    ppo = learner(advice="heuristic:1", entropy=(0.0, 0.0))
    before = ppo.network.parameters["action.weight"].copy(), ppo.network.parameters["trust"].copy()
    values = ppo.network.parameters["value.weight"].copy()
    ppo.update(0.0)
    assert np.array_equal(ppo.network.parameters["action.weight"], before[0])
    assert np.array_equal(ppo.network.parameters["trust"], before[1])
    assert not np.array_equal(ppo.network.parameters["value.weight"], values)
    ppo.update(0.0)
    assert not np.array_equal(ppo.network.parameters["action.weight"], before[0])


def test_imitation_agrees_more_and_more_and_ends_surer():
    ppo = learner(imitation_steps=10_000, teacher="heuristic:1", rollout=2048)
    numbers = [ppo.imitate(2e-3) for _ in range(6)]
    assert numbers[-1]["agreed"] > numbers[0]["agreed"]
    assert numbers[0]["demonstrations"] == 2048
    weight, bias = (each.copy() for each in ppo.policy.layers[-1])
    ppo.finish_imitation()
    np.testing.assert_allclose(ppo.policy.layers[-1][0], ppo.settings.sharpness * weight, rtol=1e-5)
    np.testing.assert_allclose(ppo.policy.layers[-1][1], ppo.settings.sharpness * bias, rtol=1e-5)
    assert not ppo.optimizer.mean.flat.any()


def test_opponents_play_their_share_of_the_games_in_reinforcement_learning_alone():
    ppo = learner(opponents=("random",), opponent_share=0.5, imitation_steps=256, teacher="random")
    worker = ppo.crew.workers[0]
    ppo.imitate(1e-3)
    assert worker.games.opponent_lanes == 0
    ppo.update(0.0)
    assert worker.games.opponent_lanes == 8


def test_games_pay_what_the_settings_say():
    """The first rollouts of learners with the same seed are the same games; all of these are cut off."""

    def paid(**changes):
        worker = learner("muster_v0", {"max_turns": 10}, **changes).crew.workers[0]
        worker.play()
        ends = worker.rollout.ends
        return ends.reward[ends.done]

    lost, even, pointed = paid(), paid(cut_off_loses=False), paid(cut_off_loses=False, score_weight=0.25)
    assert len(lost) == len(even) == len(pointed) > 0
    assert (lost == -1).all()
    np.testing.assert_array_equal(even.sum(axis=1), 0)
    points = (pointed - even) / 0.25
    assert points.any()
    np.testing.assert_array_equal(points.sum(axis=1), 0)
    np.testing.assert_array_equal(np.sign(points), np.sign(even))  # more castles win
    np.testing.assert_array_equal(paid(score_weight=0.25), lost + 0.25 * points)


def test_an_update_says_where_its_time_went():
    numbers = learner(threads=2).update(0.0)
    shares = {name: share for name, share in numbers.items() if name.endswith("_share")}
    assert {"environment_share", "acting_share", "advantages_share", "learning_share", "optimizer_share"} <= set(shares)
    assert 0 < sum(shares.values()) <= 1.01
    assert numbers["steps_per_second"] > 0


# ---- Divergence


def test_a_gradient_that_is_not_finite_ends_the_run():
    ppo = learner()
    ppo.network.parameters["input.weight"][:] = np.nan
    with pytest.raises(Diverged, match="not finite"):
        ppo.update(0.0)


def test_an_update_that_goes_too_far_ends_the_run():
    ppo = learner(learning_rate=(1.0, 1.0), epochs=4, largest_kl=0.1)
    with pytest.raises(Diverged, match=r"moved the policy by .* nats, allowed: 0\.1"):
        list(map(ppo.update, [0.0] * 10))


# ---- Agents that go wrong


class Wrong(Agent):
    """Plays an action that is not legal."""

    def act(self, views):
        return views.mask.argmin(axis=1)


class Broken(Agent):
    """Fails."""

    def act(self, views):
        raise ArithmeticError("lost")


@pytest.mark.parametrize(("agent", "error"), [(Wrong, IllegalAction), (Broken, ArithmeticError)])
@pytest.mark.parametrize("threads", [1, 2])
def test_an_opponent_or_teacher_that_goes_wrong_ends_the_rollout_in_every_thread(threads, agent, error):
    """Also the teacher's actions are checked: the engine plays what it is given."""
    ppo = learner(threads=threads, opponents=("random",), opponent_share=1.0, teacher="random", imitation_steps=1)
    for worker in ppo.crew.workers:
        worker.pool.members[0] = worker._teacher = agent(ppo.game, ppo.options)
    before = parameters(ppo)
    with pytest.raises(error):
        ppo.update(0.0)
    with pytest.raises(error):
        ppo.imitate(1e-3)
    assert np.array_equal(parameters(ppo), before)
    ppo.close()


class Slow(Agent):
    """Takes its time, and counts."""

    asked = 0

    def act(self, views):
        self.asked += 1
        time.sleep(0.02)
        return views.mask.argmax(axis=1)


def test_a_thread_does_not_finish_a_rollout_that_nobody_waits_for():
    """After an error in another thread, or a second interrupt, a run ends at once, however slow an opponent or teacher is."""
    ppo = learner(threads=2, opponents=("random",), opponent_share=1.0, rollout=4096)
    (one, two), slow = ppo.crew.workers, Slow(ppo.game, ppo.options)
    one.pool.members[0], two.pool.members[0] = Broken(ppo.game, ppo.options), slow
    with pytest.raises(ArithmeticError):
        ppo.update(0.0)
    ppo.close()
    assert slow.asked < two.rollout.steps / 2


class Held(Agent):
    """Holds something outside of Python, as bots do, until it is closed."""

    made: ClassVar[list["Held"]] = []
    closed = 0

    def __init__(self, game, options, argument=None):
        super().__init__(game, options, argument)
        self.made.append(self)

    def act(self, views):
        return views.mask.argmax(axis=1)

    def close(self):
        self.closed += 1


@pytest.fixture
def held(monkeypatch):
    monkeypatch.setitem(roster._REGISTERED, "held", roster.Entry("holds something", Held, ""))
    monkeypatch.setattr(Held, "made", [])
    return Held


def test_opponents_and_teachers_are_let_go_with_the_learner(held):
    ppo = learner(threads=2, opponents=("held", "self"), teacher="held", imitation_steps=1)
    ppo.imitate(1e-3)
    ppo.update(0.0)
    assert [each.closed for each in held.made] == [0] * 4
    ppo.close()
    assert [each.closed for each in held.made] == [1] * 4


def test_opponents_of_an_evaluation_are_let_go_after_it(held):
    game = find("muster")
    rates = evaluate(game, game.parse_options({}), learner().policy, ["random", "held"], games=2)
    assert set(rates) == {"random", "held"}
    assert [each.closed for each in held.made] == [1]


# ---- Beginning with a policy


def test_a_run_begins_as_the_policy_that_it_starts_with(tmp_path):
    first = learner("artisans_v0")
    first.update(0.0)
    path = tmp_path / "policy.safetensors"
    policy.save(path, first.game, first.policy, {})
    for players in (2, 3):
        second = learner("artisans_v0", {"num_players": players}, start=str(path), seed=9)
        for one, two in zip(first.policy.layers, second.policy.layers, strict=True):
            np.testing.assert_allclose(one[0], two[0], atol=1e-6)
        assert np.array_equal(first.policy.value[0], second.policy.value[0]) == (players == 2)
    with pytest.raises(OptionError, match=r"a policy with layers=\(64, 64\), expected \(128, 64\)"):
        learner("artisans_v0", start=str(path), layers=(128, 64))
    with pytest.raises(AgentError, match="its game is 'artisans_v0', expected 'muster_v0'"):
        learner("muster_v0", start=str(path))


# ---- Checkpoints


def state_of(ppo):
    arrays, about = ppo.state()
    return {name: array.copy() for name, array in arrays.items()}, about


def test_a_state_of_another_learner_is_refused_and_changes_nothing():
    ppo, other = learner(), learner(layers=(128, 64))
    before = parameters(ppo)
    arrays, about = state_of(ppo)
    with pytest.raises(WeightsError, match="'parameters' is"):
        ppo.restore(*state_of(other))
    for name, wrong, message in (
        ("updates", -1, "its updates is -1"),
        ("steps", True, "its steps is True"),
        ("precision", "float8", "its precision is 'float8'"),
    ):
        with pytest.raises(WeightsError, match=message):
            ppo.restore(arrays, {**about, name: wrong})
    with pytest.raises(WeightsError, match="negative"):
        ppo.restore({**arrays, "optimizer.exp_avg_sq": arrays["optimizer.exp_avg_sq"] - 1}, about)
    with pytest.raises(WeightsError, match="'more'"):
        ppo.restore({**arrays, "more": np.zeros(1)}, about)
    assert np.array_equal(parameters(ppo), before)


def test_a_run_that_chose_a_precision_goes_on_only_where_there_is_one(monkeypatch):
    ppo = learner()
    before = parameters(ppo)
    arrays, about = state_of(ppo)
    arrays["parameters"] += 1
    monkeypatch.setattr(beginnings, "has_torch", lambda: False)
    with pytest.raises(AgentError, match="the run has learned with precision=bfloat16, and to go on it needs PyTorch"):
        ppo.restore(arrays, {**about, "precision": "bfloat16"})
    assert np.array_equal(parameters(ppo), before)


@pytest.mark.parametrize(("field", "value"), [("seat", 3), ("num_players", 4), ("hand", 77)])
def test_games_of_a_state_that_are_no_positions_are_refused_and_change_nothing(field, value):
    """What is not checked here, compiled kernels would use as an index."""
    ppo = learner()
    before, records = parameters(ppo), ppo.crew.workers[0].games.records.copy()
    arrays, about = state_of(ppo)
    arrays["parameters"] += 1
    arrays["games.0"].view(ppo.game.state.dtype)[5][field] = value
    with pytest.raises(WeightsError, match=r"games\.0, game 5: "):
        ppo.restore(arrays, about)
    assert np.array_equal(parameters(ppo), before)
    assert ppo.crew.workers[0].games.records.tobytes() == records.tobytes()


def test_games_of_a_state_that_are_over_are_refused():
    ppo = learner()
    lanes = Lanes(ppo.game, ppo.options, 1, seed=1)
    random = np.random.default_rng(0)
    while not len(lanes.advance(np.array([0]), lanes.random_actions(random))):
        pass
    arrays, about = state_of(ppo)
    arrays["games.0"].view(ppo.game.state.dtype)[2] = lanes.records[0]
    with pytest.raises(WeightsError, match=r"games\.0, game 2: it is over"):
        ppo.restore(arrays, about)


def test_as_many_threads_as_cores_is_a_number_when_a_run_is_resumed():
    one, two = (Settings("muster_v0", {}, **{**SMALL, "threads": threads}) for threads in (1, 2))
    left_out = replace(one, threads=None)
    assert one.differences(two.fixed()) == ["threads"]
    assert left_out.differences(replace(one, threads=left_out.thread_number).fixed()) == []


def test_a_trained_policy_is_an_agent_like_others(tmp_path):
    ppo = learner()
    path = tmp_path / "policy.safetensors"
    policy.save(path, ppo.game, ppo.policy, {})
    agent = make_agent(f"ppo:{path}", find("muster"), ppo.options)
    views = ppo.crew.workers[0].games.views()
    assert (np.take_along_axis(views.mask, agent.act(views)[:, None], axis=1) == 1).all()
