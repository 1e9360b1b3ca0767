"""Training: it learns, it survives being killed, and what it leaves behind can be played."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from cardtable_agents import weights
from cardtable_agents.arena.match import Match
from cardtable_agents.players import policy
from cardtable_agents.players.advice import Adviser
from cardtable_agents.players.policy import SamplingAgent
from cardtable_agents.training import checkpoints, evaluate, imitation, learner, log, training
from cardtable_agents.training.shaping import Guide, GuidedEnv
from cardtable_agents.training.training import Settings
from helpers import SALT

import artisans_env
from cardtable.cli.main import main
from cardtable.envs.sb3 import LearnerVecEnv
from cardtable.errors import AgentError
from cardtable.game.registry import find, game_ids
from cardtable.players.pool import Pool, RandomOpponents
from cardtable.players.roster import make_agent

SMALL = {"games": 16, "opponents": ("random", "self"), "teacher": "random", "imitation_steps": 0, "exams": ("random",)}


@pytest.fixture(autouse=True)
def _one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def short(monkeypatch):
    """Rounds, updates and exams of a second."""
    monkeypatch.setattr(training, "ROUND", 512)
    monkeypatch.setattr(training, "EXAM_GAMES", 4)
    monkeypatch.setattr(training, "SNAPSHOT", 1)
    monkeypatch.setattr(training, "CRITIC_FIRST", 1)
    monkeypatch.setattr(learner, "ROLLOUT", 512)
    monkeypatch.setattr(learner, "BATCH", 256)


def settings(game="muster_v0", options=None, **changes):
    return Settings(game, options or {}, **{**SMALL, **changes})


def win_rate(game, network, games=200):
    options = game.parse_options({})
    return evaluate.win_rate(game, options, network, make_agent("random", game, options), games)


# ---- Learning


def test_ppo_raises_the_win_rate_against_random(tmp_path):
    """From nothing, against random opponents: 49 % before and 70 % after, when this was written."""
    game = find("muster")
    run = training.start(settings(games=128, opponents=("random",), steps=65_536), tmp_path)
    before = win_rate(game, learner.policy_of(run.learner.policy))
    run.run()
    assert win_rate(game, learner.policy_of(run.learner.policy)) > before + 0.1


def test_imitation_raises_the_win_rate_against_random(tmp_path):
    """One round: from an untrained network to 95 % and more, when this was written."""
    game = find("muster")
    run = training.start(settings(teacher="heuristic", imitation_steps=training.ROUND, steps=1), tmp_path)
    before = win_rate(game, learner.policy_of(run.learner.policy), 100)
    run.run()
    assert win_rate(game, policy.load(tmp_path / training.POLICY_FILE, game), 100) > max(before + 0.2, 0.8)


def test_outcomes_are_the_returns_of_the_seat_that_decided():
    seat = np.array([[0, 1], [1, 0], [0, 1], [1, 1]])
    rewards = np.zeros((4, 2, 2), np.float32)
    done = np.zeros((4, 2), np.bool_)
    done[2, 0], rewards[2, 0] = True, (1, -1)  # game 0 ends with its third decision
    outcome = imitation._outcomes(seat, rewards, done)
    assert outcome[:3, 0].tolist() == [1, -1, 1]
    assert np.isnan(outcome[3, 0])
    assert np.isnan(outcome[:, 1]).all()


GUIDED = [("muster", {}), ("artisans", {"num_players": 3}), ("murano", {"num_players": 1})]


@pytest.mark.parametrize(("game_id", "options"), GUIDED, ids=str)
@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_all_that_a_guided_game_pays_is_its_return_less_the_value_of_its_beginning(game_id, options, weight):
    game = find(game_id)
    guide = Guide(game, game.parse_options(options), weight)
    env = GuidedEnv(game, 6, RandomOpponents(1), 1, guide, **options)
    env.reset()
    first, paid, ended, moves_paid = env._worth.copy(), np.zeros(6), 0, 0
    while ended < 12:
        _, rewards, dones, infos = env.step(env.action_masks().argmax(axis=1))
        paid += rewards
        moves_paid += np.count_nonzero(rewards[~dones])
        for lane in np.flatnonzero(dones):
            assert paid[lane] == pytest.approx(infos[lane]["episode"]["r"] - first[lane], abs=1e-5)
            first[lane], paid[lane], ended = env._worth[lane], 0, ended + 1
    assert (moves_paid > 50) == (weight > 0)


@pytest.mark.parametrize("teacher", ["random", "heuristic", "search:8"])
def test_lessons_hold_what_the_teacher_favours_among_legal_actions(teacher):
    game = find("muster")
    options = game.parse_options({})
    guide = Guide(game, options, 1.0)
    room = imitation.Classroom(game, options, make_agent(teacher, game, options), guide, 8, seed=3, first=0)
    lessons = room.lessons(20, None)
    mask = np.unpackbits(lessons.mask, axis=1, count=game.actions.size)
    assert 80 < len(lessons) <= 160
    assert (mask.sum(axis=1) > 1).all()
    assert (np.take_along_axis(mask, lessons.action.astype(int), axis=1)[lessons.favour > 0] == 1).all()
    assert (lessons.favour[:, 0] >= lessons.favour[:, 1]).all()
    assert (lessons.favour.astype(float).sum(axis=1) <= 1.01).all()


def test_the_numpy_policy_is_that_of_the_network():
    env = LearnerVecEnv(find("muster"), 8, seed=1)
    model = learner.new_learner(env, lambda _: 1e-3)
    observation, masks = env.reset(), env.action_masks()
    expected, _ = model.predict(observation, action_masks=masks, deterministic=True)
    assert learner.policy_of(model.policy).best(observation, masks).tolist() == expected.tolist()


def advised_env(game, num_games=8, opponents=None, **options):
    checked = game.parse_options(options)
    guide, adviser = Guide(game, checked, 1.0), Adviser("heuristic:2", game, checked)
    return GuidedEnv(game, num_games, opponents or RandomOpponents(1), 1, guide, adviser, **options)


@pytest.mark.parametrize("game_id", game_ids())
def test_the_numpy_policy_of_an_advised_network_is_that_of_the_network(game_id):
    env = advised_env(find(game_id))
    model = learner.new_learner(env, lambda _: 1e-3, "heuristic:2")
    with torch.no_grad():
        for parameter in model.policy.action_net.parameters():
            parameter.mul_(torch.rand_like(parameter) + 0.5)
    seen, masks = env.reset(), env.action_masks()
    expected, _ = model.predict(seen, action_masks=masks, deterministic=True)
    played = learner.policy_of(model.policy)
    assert played.best(seen, masks).tolist() == expected.tolist()
    assert played.advice.agent == "heuristic:2"
    assert 0 < played.advice.trust != learner.TRUST


@pytest.mark.parametrize(("game_id", "options"), GUIDED, ids=str)
def test_observations_go_on_with_advice_until_the_game_is_over(game_id, options):
    game, ended = find(game_id), 0
    env = advised_env(game, **options)
    seen = env.reset()
    while ended < 4:
        assert env.observation_space.contains(seen[0])
        advice, masks = seen[:, game.layout.size :], env.action_masks()
        assert (advice.max(axis=1) == 1).all()
        assert (advice[~masks] == 0).all()
        seen, _, dones, infos = env.step(advice.argmax(axis=1))
        for lane in np.flatnonzero(dones):
            last = infos[lane]["terminal_observation"]
            assert env.observation_space.contains(last)
            assert (last[game.layout.size :] == 0).all()
            ended += 1


@pytest.mark.usefixtures("short")
def test_an_advised_run_begins_at_the_strength_of_its_adviser_and_resumes(tmp_path):
    wanted = settings(steps=1024, advice="heuristic:2", guidance=1.0, opponents=("heuristic", "self"))
    run = training.start(wanted, tmp_path)
    before = learner.policy_of(run.learner.policy)
    assert win_rate(run.game, before, 40) > 0.9
    run.run()
    resumed = training.resume(wanted, tmp_path)
    assert [each.advice for each in resumed.past] == [each.advice for each in run.past]
    assert learner.advice_of(resumed.learner.policy) == learner.advice_of(run.learner.policy) != before.advice
    played = policy.load(tmp_path / training.POLICY_FILE, run.game)
    assert played.advice == learner.advice_of(run.learner.policy)
    with pytest.raises(AgentError, match=r"another run \(different: advice\)"):
        training.resume(settings(steps=1024, guidance=1.0, opponents=("heuristic", "self")), tmp_path)


@pytest.mark.usefixtures("short")
def test_the_critic_of_an_advised_run_learns_first(tmp_path):
    run = training.start(settings(steps=1024, advice="heuristic:2", opponents=("heuristic:2",)), tmp_path)

    def parts():
        return {name: tensor.clone() for name, tensor in run.learner.policy.state_dict().items()}

    def changed(before):
        return {name for name, tensor in parts().items() if not torch.equal(tensor, before[name])}

    policy_parts = {name for name in parts() if "policy_net" in name or "action_net" in name}
    first = parts()
    run._update()
    assert changed(first) == parts().keys() - policy_parts
    second = parts()
    run._update()
    assert changed(second) == parts().keys()


@pytest.mark.usefixtures("short")
def test_an_advised_policy_can_imitate_too(tmp_path):
    run = training.start(settings(steps=512, advice="heuristic:2", teacher="search:8", imitation_steps=1024), tmp_path)
    agent = make_agent(f"ppo:{run.run()}", run.game, run.options)
    assert agent.policy.advice.trust > learner.TRUST  # imitation ends with surer preferences
    assert Match(run.game, run.options, [agent] * 2, seed=1, first=0, number=2, salt=SALT).play()


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


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize(
    ("game", "options"), [("murano_v0", {"num_players": 1}), ("artisans_v0", {"num_players": 3}), ("murano_v0", {})], ids=str
)
def test_solo_games_and_tables_of_three_can_be_trained(tmp_path, game, options):
    opponents = () if options.get("num_players") == 1 else SMALL["opponents"]
    run = training.start(settings(game, options, opponents=opponents, steps=1024), tmp_path)
    checked = find(game).parse_options(options)
    agent = make_agent(f"ppo:{run.run()}", find(game), checked)
    assert Match(find(game), checked, [agent] * checked.num_players, seed=1, first=0, number=2, salt=SALT).play()
    assert list(run.rates) == (["return"] if checked.num_players == 1 else ["random"])


@pytest.mark.usefixtures("short")
def test_the_same_seed_learns_the_same(tmp_path):
    def learned(number, seed):
        run = training.start(settings(steps=1024, seed=seed), tmp_path / str(number))
        return policy.load(run.run(), find("muster"))

    first, again, other = learned(0, 5), learned(1, 5), learned(2, 6)
    assert all(np.array_equal(one, two) for (one, _), (two, _) in zip(first.layers, again.layers, strict=True))
    assert not np.array_equal(first.layers[0][0], other.layers[0][0])


# ---- What a run leaves behind


@pytest.mark.usefixtures("short")
def test_a_run_resumes_where_it_was(tmp_path):
    started = training.start(settings(steps=1024, teacher="heuristic", imitation_steps=512), tmp_path)
    started.run()
    resumed = training.resume(settings(steps=2048, teacher="heuristic", imitation_steps=512), tmp_path)
    assert (resumed.learner.num_timesteps, resumed.updates, resumed.rounds_done) == (1024, 2, 1)
    assert resumed.env.first >= started.env.next_game
    for name, tensor in started.learner.policy.state_dict().items():
        assert torch.equal(tensor, resumed.learner.policy.state_dict()[name])
    before, after = (run.learner.policy.optimizer.state_dict()["state"] for run in (started, resumed))
    assert all(torch.equal(before[key]["exp_avg"], after[key]["exp_avg"]) for key in before)
    for one, two in zip(started.past, resumed.past, strict=True):
        assert np.array_equal(one.layers[0][0], two.layers[0][0])
    resumed.run()
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["steps"] for line in lines if "approx_kl" in line] == [512, 1024, 1536, 2048]
    assert [line["round"] for line in lines if "round" in line] == [1]
    for line in lines:
        if "approx_kl" in line:
            assert 0 < line["environment_share"] < line["environment_share"] + line["opponents_share"] < 1


KILLED = """
import sys
from pathlib import Path
from cardtable_agents.training import learner, training
from cardtable_agents.training.training import Settings
training.EXAM_GAMES, training.INTERVAL, learner.ROLLOUT, learner.BATCH = 2, 0.0, 512, 256
settings = Settings("muster_v0", {}, ("random", "self"), "random", 0, steps=10**9, games=16)
training.start(settings, Path(sys.argv[1])).run()
"""


@pytest.mark.usefixtures("short")
def test_a_killed_run_loses_no_more_than_an_interval(tmp_path):
    """Killed at an arbitrary moment of writing, learning or playing; then the newest checkpoint damaged as well."""
    folder, deadline = tmp_path / "checkpoints", time.monotonic() + 600  # kernels may have to be compiled first
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], stderr=subprocess.DEVNULL) as child:
        try:
            while not (found := checkpoints.paths(folder)) or int(found[-1].stem) < 4:
                assert time.monotonic() < deadline
                assert child.poll() is None
                time.sleep(0.05)
        finally:
            child.send_signal(signal.SIGKILL)
    told = []
    resumed = training.resume(settings(steps=10**9), tmp_path, told.append)
    steps = resumed.learner.num_timesteps
    assert told == []
    assert steps >= 512 * 4
    newest = checkpoints.paths(folder)[-1]
    newest.write_bytes(newest.read_bytes()[:-1])
    older = training.resume(settings(steps=10**9), tmp_path, told.append)
    assert older.learner.num_timesteps == steps - 512
    assert "damaged" in told[0]
    older._update()
    assert older.learner.num_timesteps == steps


TEN_LIVES = """
import json, os, random, signal, sys, time
from pathlib import Path
import torch
from cardtable_agents.players import policy
from cardtable_agents.training import checkpoints, learner, training
from cardtable_agents.training.training import Settings
from cardtable.game.registry import find
from cardtable.envs.sb3 import LearnerVecEnv

torch.set_num_threads(1)
training.EXAM_GAMES, training.INTERVAL, learner.ROLLOUT, learner.BATCH = 2, 0.0, 128, 128
game, folder, chance = find("muster"), Path(sys.argv[1]), random.Random(7)
settings = Settings("muster_v0", {}, ("random", "self"), "random", 0, steps=10**9, games=16)
env = LearnerVecEnv(game, 16, seed=1)
env.reset()
env.step(env.action_masks().argmax(axis=1))  # kernels are loaded once, not in every life

def kept():
    return [int(path.stem) for path in checkpoints.paths(folder / "checkpoints")][-1:]

for life in range(10):
    before, child = kept(), os.fork()
    if not child:
        (training.resume if before else training.start)(settings, folder).run()
    while kept() == before or not (folder / "policy.safetensors").exists():
        assert os.waitpid(child, os.WNOHANG) == (0, 0), "the run ended of itself"
        time.sleep(0.001)
    time.sleep(chance.random() / 4)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    logged = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines(keepends=True) if line.endswith("\\n")]
    learned, saved = logged[-1]["steps"], checkpoints.newest(folder / "checkpoints", sys.exit).about["steps"]
    assert learned - 128 <= saved <= learned, (life, learned, saved)
    policy.load(folder / "policy.safetensors", game)
    print(saved, flush=True)
"""


@pytest.mark.usefixtures("short")
def test_a_run_killed_ten_times_ends_with_a_whole_policy(tmp_path):
    """Killed at arbitrary moments; each life goes on from where the one before had been, but for one interval."""
    done = subprocess.run(
        [sys.executable, "-c", TEN_LIVES, str(tmp_path)], capture_output=True, text=True, timeout=900, check=False
    )
    assert done.returncode == 0, done.stderr
    saved = [int(line) for line in done.stdout.splitlines() if line.isdigit()]
    assert len(saved) == 10
    assert saved == sorted(set(saved))
    resumed = training.resume(settings(steps=saved[-1] + 512), tmp_path, pytest.fail)
    assert resumed.learner.num_timesteps == saved[-1]
    agent = make_agent(f"ppo:{resumed.run()}", resumed.game, resumed.options)
    assert Match(resumed.game, resumed.options, [agent] * 2, seed=1, first=0, number=2, salt=SALT).play()
    steps = [line.get("steps", 0) for line in map(json.loads, (tmp_path / "log.jsonl").read_text().splitlines())]
    assert steps == sorted(steps)
    assert steps[-1] == saved[-1] + 512


def test_hostile_checkpoints_run_nothing(tmp_path):
    import pickle

    class Harm:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "harm"),)

    folder = tmp_path / "checkpoints"
    folder.mkdir()
    (folder / "000000001.safetensors").write_bytes(pickle.dumps(Harm()))
    torch.save({"policy": Harm()}, folder / "000000002.safetensors")
    told = []
    assert checkpoints.newest(folder, told.append) is None
    assert len(told) == 2
    assert not (tmp_path / "harm").exists()


@pytest.mark.usefixtures("short")
def test_a_run_does_not_go_on_with_other_files_behind_the_same_names(tmp_path):
    """Opponents and teachers are files, and so is an edition: what is behind a name counts, not the name."""
    game = find("artisans")
    rival, cards = tmp_path / "rival.safetensors", tmp_path / "cards.toml"
    cards.write_text((Path(artisans_env.__file__).parent / "example_edition.toml").read_text())
    network = learner.policy_of(learner.new_learner(LearnerVecEnv(game, 4, seed=1), lambda _: 1e-3).policy)
    policy.save(rival, game, network, {})
    run = settings("artisans_v0", {"edition": str(cards)}, opponents=(f"ppo:{rival}", "self"), steps=512)
    training.start(run, tmp_path / "run").keep()
    assert training.resume(run, tmp_path / "run").updates == 0
    policy.save(rival, game, replace(network, layers=[(weight + 1, bias) for weight, bias in network.layers]), {})
    with pytest.raises(AgentError, match=r"another run \(different: opponents\)"):
        training.resume(run, tmp_path / "run")
    policy.save(rival, game, network, {"about": "the same numbers"})
    cards.write_text(cards.read_text().replace("points = 5", "points = 4", 1))
    with pytest.raises(AgentError, match=r"another run \(different: options\)"):
        training.resume(run, tmp_path / "run")


@pytest.mark.usefixtures("short")
def test_checkpoints_that_do_not_fit_are_refused(tmp_path):
    training.start(settings(steps=512), tmp_path).run()
    with pytest.raises(AgentError, match=r"holds a training run: resume it, overwrite it"):
        training.start(settings(steps=512), tmp_path)
    with pytest.raises(AgentError, match=r"holds another run \(different: seed, games\)"):
        training.resume(settings(steps=512, seed=9, games=8), tmp_path)
    for path in checkpoints.paths(tmp_path / "checkpoints"):
        arrays, about = weights.load(path)
        weights.save(path, {**arrays, "network.action_net.bias": np.zeros(3, np.float32)}, about)
    with pytest.raises(weights.WeightsError, match="does not fit the learner"):
        training.resume(settings(steps=1024), tmp_path)


@pytest.mark.usefixtures("short")
def test_the_command_trains_announces_and_names_what_it_wrote(tmp_path, capsys):
    out = str(tmp_path / "run")
    flags = ["--steps", "512", "--games", "16", "--opponents", "random", "self", "--imitation-steps", "0"]
    assert main(["train", "muster", "--out", out, *flags]) == 0
    text = capsys.readouterr().out
    assert "training muster_v0 for 512 steps" in text
    assert f"cardtable arena muster_v0 ppo:{out}/policy.safetensors heuristic" in text
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "checkpoints",
        "learning_curve.png",
        "log.jsonl",
        "policy.safetensors",
        "tensorboard",
    }
    assert main(["train", "muster", "--out", out, *flags]) == 2
    assert "holds a training run" in capsys.readouterr().err


@pytest.mark.usefixtures("short")
def test_one_process_trains_in_a_folder(tmp_path, capsys):
    flags = ["--steps", "512", "--games", "16", "--opponents", "random", "--imitation-steps", "0"]
    with checkpoints.alone(tmp_path / training.CHECKPOINTS):
        assert main(["train", "muster", "--out", str(tmp_path), *flags]) == 2
    assert f"another process is training in {tmp_path}" in capsys.readouterr().err
    assert not (tmp_path / "log.jsonl").exists()
    assert main(["train", "muster", "--out", str(tmp_path), *flags]) == 0


def contents(folder):
    """Every file of a folder with what it holds."""
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


QUICK = ["--steps", "512", "--games", "16", "--opponents", "random", "--imitation-steps", "0"]


@pytest.mark.parametrize("name", [*training.FILES, "checkpoints/000000003.safetensors"])
@pytest.mark.parametrize("flags", [[], ["--overwrite"]], ids=["plain", "overwrite"])
def test_files_of_others_are_never_overwritten(tmp_path, capsys, name, flags):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / name).write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    before = contents(tmp_path)
    assert main(["train", "muster", "--out", str(tmp_path), *QUICK, *flags]) == 2
    assert f"holds {name}, of no training run: move it away" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("short")
def test_a_run_is_overwritten_only_if_told(tmp_path, capsys):
    command = ["train", "muster", "--out", str(tmp_path), *QUICK]
    assert main(command) == 0
    (tmp_path / "notes.txt").write_text("mine")
    before = contents(tmp_path)
    assert main(command) == 2
    assert "holds a training run: resume it, overwrite it (--overwrite)" in capsys.readouterr().err
    assert contents(tmp_path) == before
    assert main([*command, "--seed", "9", "--overwrite"]) == 0
    after = contents(tmp_path)
    assert after["notes.txt"] == b"mine"
    assert {name for name in after if "tfevents" not in name} == {name for name in before if "tfevents" not in name}
    assert policy.about(tmp_path / training.POLICY_FILE)["seed"] == 9
    assert sum("tfevents" in name for name in after) == 1


def test_a_folder_without_a_run_is_not_resumed_and_not_made(tmp_path, capsys):
    for folder in (tmp_path / "mistyped", tmp_path):
        assert main(["train", "muster", "--out", str(folder), *QUICK, "--resume"]) == 2
        assert f"{folder} holds no training run to resume" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("fails", ["Training", "begin"])
def test_a_run_is_still_there_if_the_one_that_is_to_overwrite_it_cannot_begin(fails, tmp_path, capsys, monkeypatch):
    command = ["train", "muster", "--out", str(tmp_path), *QUICK]
    assert main(command) == 0
    before = contents(tmp_path)
    for refused in (["--seed", "-3"], ["--option", "max_turns=0"]):
        assert main([*command, "--overwrite", *refused]) == 2
        assert contents(tmp_path) == before

    def full_disk(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    owner = training if fails == "Training" else training.Training
    monkeypatch.setattr(owner, fails, full_disk)
    assert main([*command, "--overwrite"]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("short")
def test_a_run_whose_checkpoints_are_all_damaged_is_left_as_it_is(tmp_path, capsys):
    command = ["train", "muster", "--out", str(tmp_path), *QUICK]
    assert main(command) == 0
    for path in checkpoints.paths(tmp_path / "checkpoints"):
        path.write_bytes(path.read_bytes()[:-1])
    before = contents(tmp_path)
    assert main([*command, "--resume"]) == 2
    streams = capsys.readouterr()
    assert "all checkpoints of the run are damaged; nothing was changed" in streams.err
    assert streams.out.count("passed over: ") == len(checkpoints.paths(tmp_path / "checkpoints"))
    assert contents(tmp_path) == before
    assert main([*command, "--overwrite"]) == 0


@pytest.mark.usefixtures("short")
def test_a_run_can_be_resumed_from_its_first_moment(tmp_path):
    """Killed after its first checkpoint, before there is a log or a policy."""
    training.start(settings(steps=512), tmp_path)
    assert not (tmp_path / training.POLICY_FILE).exists()
    (tmp_path / "log.jsonl").unlink()
    training.resume(settings(steps=512), tmp_path).run()
    assert log.is_log(tmp_path / "log.jsonl")
    assert log.read(tmp_path / "log.jsonl")[-1]["steps"] == 512


@pytest.mark.usefixtures("short")
def test_a_run_that_has_diverged_spoils_nothing_that_was_kept(tmp_path):
    run = training.start(settings(steps=512), tmp_path)
    run.run()
    before = contents(tmp_path)
    with torch.no_grad():
        run.learner.policy.action_net.bias[3] = float("nan")
    with pytest.raises(weights.WeightsError, match="the run has diverged"):
        run.keep()
    assert contents(tmp_path) == before


WRONG_ABOUT = [
    *(("steps", value) for value in (None, -1, 0.5, "512", True, [], 10**30, 10**4000)),
    *(("seconds", value) for value in (None, -1.0, float("nan"), float("inf"), "1", 10**400)),
    *(("rates", value) for value in (None, [], {"random": "all"}, {"random": float("nan")}, {"random": [[]]})),
    *(("agreed", value) for value in (None, [], "x" * 10**5)),
    *(("format", value) for value in (None, "cardtable policy 1", ["x" * 10**5], {})),
    *((name, None) for name in ("lines", "next_game", "updates", "rounds_done", "imitation_seconds")),
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a small run, and a checkpoint of it."""
    folder, patch = tmp_path_factory.mktemp("finished"), pytest.MonkeyPatch()
    with patch.context() as small:
        small.setattr(learner, "ROLLOUT", 512)
        small.setattr(training, "EXAM_GAMES", 4)
        training.start(settings(steps=512), folder).run()
    path = checkpoints.paths(folder / "checkpoints")[-1]
    return folder, *weights.load(path)


@pytest.mark.parametrize(("name", "value"), WRONG_ABOUT, ids=lambda value: str(value)[:20] if isinstance(value, str) else None)
def test_a_checkpoint_that_tells_nonsense_is_passed_over(finished, tmp_path, name, value):
    _, arrays, about = finished
    path = tmp_path / "000000001.safetensors"
    weights.save(path, arrays, {**about, name: value})
    told = []
    assert checkpoints.newest(tmp_path, told.append) is None
    assert f"its {name} is" in told[0] or "not a file of weights" in told[0]  # Python refuses to read 4,000 digits
    assert len(told[0]) < 1000


WRONG_ARRAYS = {
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
    "not a number": lambda arrays: {**arrays, "network.value_net.bias": np.array([np.nan], np.float32)},
    "a negative square": lambda arrays: {**arrays, "optimizer.0.exp_avg_sq": -1 - arrays["optimizer.0.exp_avg_sq"]},
}


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("change", WRONG_ARRAYS)
def test_a_checkpoint_with_other_numbers_is_refused(finished, tmp_path, change):
    _, arrays, about = finished
    (tmp_path / "checkpoints").mkdir()
    weights.save(tmp_path / "checkpoints" / "000000001.safetensors", WRONG_ARRAYS[change](arrays), about)
    told = []
    with pytest.raises((AgentError, weights.WeightsError), match=r"does not fit|damaged") as caught:
        training.resume(settings(steps=1024), tmp_path, told.append)
    assert max(map(len, [str(caught.value), *told])) < 1000


# ---- The log


def test_a_line_that_was_cut_off_is_left_out_and_cut(tmp_path):
    written = log.Log(tmp_path / "log.jsonl")
    written.begin({"seed": 1})
    written.add({"steps": 1})
    written.add({"steps": 2})
    with written.path.open("a") as file:
        file.write('{"steps": 3')
    assert log.read(written.path) == [{"steps": 1}, {"steps": 2}]
    written.cut(3)
    written.add({"steps": 4})
    assert log.read(written.path) == [{"steps": 1}, {"steps": 2}, {"steps": 4}]
    written.cut(9)  # more than there are, after a loss of power
    assert written.lines == 4


def test_an_earlier_log_is_not_overwritten(tmp_path):
    (tmp_path / "log.jsonl").write_text("mine")
    with pytest.raises(AgentError, match="exists, and is not overwritten"):
        log.Log(tmp_path / "log.jsonl").begin({})
    assert not log.is_log(tmp_path / "log.jsonl")
    assert (tmp_path / "log.jsonl").read_text() == "mine"


def test_a_damaged_line_of_a_log_is_named(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"format": "cardtable training 1"}\n{}\n{"steps" 3}\n')
    with pytest.raises(AgentError, match=r"log\.jsonl: line 3 is damaged"):
        log.read(tmp_path / "log.jsonl")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no such device here")
def test_a_full_disk_is_an_error_that_names_the_log(tmp_path):
    (tmp_path / "log.jsonl").symlink_to("/dev/full")
    with pytest.raises(OSError, match=r"No space left on device: '.*log\.jsonl'"):
        log.Log(tmp_path / "log.jsonl").add({"steps": 1})


@pytest.mark.usefixtures("short")
def test_an_interrupt_leaves_a_checkpoint_and_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(training.Training, "_update", interrupted)
    flags = ["--steps", "512", "--games", "16", "--opponents", "random", "--imitation-steps", "0"]
    assert main(["train", "muster", "--out", str(tmp_path), *flags]) != 0
    assert "--resume goes on" in capsys.readouterr().out
    assert len(checkpoints.paths(tmp_path / "checkpoints")) == 2  # that of its first moment, and this one


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--opponents", "mastermind"], "no agent is called 'mastermind'"),
        (["--imitate", "search:0"], "whole numbers from 1"),
        (["--advice", "heuristic:0"], "whole numbers from 1"),
        (["--advice", "random"], "agent 'random' gives no advice"),
        (["-o", "num_players=7"], "num_players=7"),
    ],
)
def test_wrong_flags_are_refused_before_anything_is_made(tmp_path, capsys, flags, message):
    assert main(["train", "muster", "--out", str(tmp_path / "run"), *flags]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_guidance_is_a_share(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["train", "muster", "--out", str(tmp_path / "run"), "--guidance", "2"])
    assert "2 is not a number from 0 to 1" in capsys.readouterr().err


def test_past_selves_draw_their_actions():
    game = find("muster")
    options = game.parse_options({})
    env = LearnerVecEnv(game, 4, seed=1)
    network = learner.policy_of(learner.new_learner(env, lambda _: 1e-3).policy)
    agent = SamplingAgent(game, options, network)
    first, second = (Match(game, options, [agent] * 2, 1, 0, 1, salt).play()[0].actions for salt in (SALT, SALT))
    assert first == second
