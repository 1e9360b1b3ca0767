"""Training runs: they learn, they survive being killed, and what they leave behind can be played."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace

import numpy as np
import pytest
import torch
from cardtable_agents.arena.match import Match
from cardtable_agents.players import policy
from cardtable_agents.training import checkpoints, evaluate, log, runs
from cardtable_agents.training.folder import POLICY
from cardtable_agents.training.settings import Settings
from helpers import SALT
from small_runs import SMALL, small

from cardtable.errors import AgentError
from cardtable.game.registry import find
from cardtable.players.roster import make_agent

ALONE = {"threads": 1, "games": 16, "opponents": ("random",), "teacher": "random", "imitation_steps": 0}
"""Settings of a run against `random` alone; its numbers are the defaults."""


def win_rate(game, network, games=200):
    options = game.parse_options({})
    return evaluate.win_rate(game, options, network, make_agent("random", game, options), games)


def test_ppo_raises_the_win_rate_against_random(tmp_path):
    """From nothing, against random opponents: 49 % before and 70 % after, when this was written."""
    game = find("muster")
    run = runs.start(Settings("muster", **{**ALONE, "games": 128}, steps=65_536), tmp_path)
    before = win_rate(game, run.learner.policy)
    run.train()
    assert win_rate(game, run.learner.policy) > before + 0.1


def test_imitation_raises_the_win_rate_against_random(tmp_path):
    """One round: from an untrained network to 95 % and more, when this was written."""
    game = find("muster")
    settings = Settings("muster", **{**ALONE, "teacher": "heuristic", "imitation_steps": Settings.imitation_round}, steps=1)
    run = runs.start(settings, tmp_path)
    before = win_rate(game, run.learner.policy, 100)
    run.train()
    assert win_rate(game, policy.load(tmp_path / POLICY, game), 100) > max(before + 0.2, 0.8)


def test_an_advised_run_begins_at_the_strength_of_its_adviser_and_resumes(tmp_path):
    wanted = small(steps=1024, advice="heuristic:2", shaping=1.0, opponents=("heuristic", "self"))
    run = runs.start(wanted, tmp_path)
    before = run.learner.policy
    assert win_rate(run.game, before, 40) > 0.9
    run.train()
    resumed = runs.resume(wanted, tmp_path)
    assert [each.advice for each in resumed.pool.past] == [each.advice for each in run.pool.past]
    assert resumed.learner.policy.advice == run.learner.policy.advice != before.advice
    played = policy.load(tmp_path / POLICY, run.game)
    assert played.advice == run.learner.policy.advice
    with pytest.raises(AgentError, match=r"another run \(different: advice\)"):
        runs.resume(small(steps=1024, shaping=1.0, opponents=("heuristic", "self")), tmp_path)


def test_the_critic_of_an_advised_run_learns_first(tmp_path):
    run = runs.start(small(steps=1024, advice="heuristic:2", opponents=("heuristic:2",)), tmp_path)

    def parts():
        return {name: tensor.clone() for name, tensor in run.learner.network.state_dict().items()}

    def changed(before):
        return {name for name, tensor in parts().items() if not torch.equal(tensor, before[name])}

    policy_parts = {name for name in parts() if "policy_net" in name or "action_net" in name}
    first = parts()
    run._update()
    assert changed(first) == parts().keys() - policy_parts
    second = parts()
    run._update()
    assert changed(second) == parts().keys()


def test_an_advised_policy_can_imitate_too(tmp_path):
    run = runs.start(small(steps=512, advice="heuristic:2", teacher="search:8", imitation_steps=1024), tmp_path)
    agent = make_agent(f"ppo:{run.train()}", run.game, run.options)
    assert agent.policy.advice.trust > run.settings.trust  # imitation ends with surer preferences
    assert Match(run.game, run.options, [agent] * 2, seed=1, first=0, number=2, salt=SALT).play()


@pytest.mark.parametrize(
    ("game", "options"), [("murano_v0", {"num_players": 1}), ("artisans_v0", {"num_players": 3}), ("murano_v0", {})], ids=str
)
def test_solo_games_and_tables_of_three_can_be_trained(tmp_path, game, options):
    opponents = () if options.get("num_players") == 1 else SMALL["opponents"]
    run = runs.start(small(game, options, opponents=opponents, steps=1024), tmp_path)
    checked = find(game).parse_options(options)
    agent = make_agent(f"ppo:{run.train()}", find(game), checked)
    assert Match(find(game), checked, [agent] * checked.num_players, seed=1, first=0, number=2, salt=SALT).play()
    assert list(run.evaluator.rates) == (["return"] if checked.num_players == 1 else ["random"])


def test_the_same_seed_learns_the_same(tmp_path):
    def learned(number, seed):
        run = runs.start(small(steps=1024, seed=seed), tmp_path / str(number))
        return policy.load(run.train(), find("muster"))

    first, again, other = learned(0, 5), learned(1, 5), learned(2, 6)
    assert all(np.array_equal(one, two) for (one, _), (two, _) in zip(first.layers, again.layers, strict=True))
    assert not np.array_equal(first.layers[0][0], other.layers[0][0])


# ---- What a run leaves behind


def test_a_run_resumes_where_it_was(tmp_path):
    started = runs.start(small(steps=1024, teacher="heuristic", imitation_steps=512), tmp_path)
    started.train()
    resumed = runs.resume(small(steps=2048, teacher="heuristic", imitation_steps=512), tmp_path)
    assert (resumed.learner.steps, resumed.progress.updates, resumed.progress.rounds) == (1024, 2, 1)
    assert resumed.games.first >= started.games.next_game
    for name, tensor in started.learner.network.state_dict().items():
        assert torch.equal(tensor, resumed.learner.network.state_dict()[name])
    before, after = (run.learner.network.optimizer.state_dict()["state"] for run in (started, resumed))
    assert all(torch.equal(before[key]["exp_avg"], after[key]["exp_avg"]) for key in before)
    for one, two in zip(started.pool.past, resumed.pool.past, strict=True):
        assert np.array_equal(one.layers[0][0], two.layers[0][0])
    resumed.train()
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line["steps"] for line in lines if "approx_kl" in line] == [512, 1024, 1536, 2048]
    assert [line["round"] for line in lines if "round" in line] == [1]
    for line in lines:
        if "approx_kl" in line:
            assert 0 < line["environment_share"] < line["environment_share"] + line["opponents_share"] < 1


KILLED = """
import json, sys
from pathlib import Path
from cardtable_agents.training import runs
from cardtable_agents.training.settings import settings_for

runs.start(settings_for(**json.loads(sys.argv[2])), Path(sys.argv[1])).train()
"""


def plain(settings):
    """Settings as text, for another process."""
    given = asdict(settings)
    return json.dumps({"game_id": given.pop("game"), **given})


def test_a_killed_run_loses_no_more_than_an_interval(tmp_path):
    """Killed at an arbitrary moment of writing, learning or playing; then the newest checkpoint damaged as well."""
    settings = small(steps=10**9, evaluation_games=2, evaluation_interval=0.0, checkpoint_interval=0.0)
    folder, deadline = tmp_path / "checkpoints", time.monotonic() + 600  # kernels may have to be compiled first
    with subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path), plain(settings)], stderr=subprocess.DEVNULL) as child:
        try:
            while not (found := checkpoints.paths(folder)) or int(found[-1].stem) < 4:
                assert time.monotonic() < deadline
                assert child.poll() is None
                time.sleep(0.05)
        finally:
            child.send_signal(signal.SIGKILL)
    told = []
    resumed = runs.resume(settings, tmp_path, told.append)
    steps = resumed.learner.steps
    assert told == []
    assert steps >= 512 * 4
    newest = checkpoints.paths(folder)[-1]
    newest.write_bytes(newest.read_bytes()[:-1])
    older = runs.resume(settings, tmp_path, told.append)
    assert older.learner.steps == steps - 512
    assert len(told) == 1
    assert told[0].startswith(f"skipped: {newest}: ")
    older._update()
    assert older.learner.steps == steps


TEN_LIVES = """
import json, os, random, signal, sys, time
from pathlib import Path
from cardtable_agents.players import policy
from cardtable_agents.training import checkpoints, runs
from cardtable_agents.training.settings import settings_for
from cardtable.game.registry import find
from cardtable.envs.sb3 import LearnerVecEnv

game, folder, chance = find("muster"), Path(sys.argv[1]), random.Random(7)
settings = settings_for(**json.loads(sys.argv[2]))
env = LearnerVecEnv(game, 16, seed=1)
env.reset()
env.step(env.action_masks().argmax(axis=1))  # kernels are loaded once, not in every life

def kept():
    return [int(path.stem) for path in checkpoints.paths(folder / "checkpoints")][-1:]

for life in range(10):
    before, child = kept(), os.fork()
    if not child:
        (runs.resume if before else runs.start)(settings, folder).train()
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


def test_a_run_killed_ten_times_ends_with_a_whole_policy(tmp_path):
    """Killed at arbitrary moments; each life goes on from where the one before had been, but for one interval."""
    often = {"evaluation_games": 2, "evaluation_interval": 0.0, "checkpoint_interval": 0.0}
    settings = small(steps=10**9, rollout=128, batch=128, **often)
    command = [sys.executable, "-c", TEN_LIVES, str(tmp_path), plain(settings)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    saved = [int(line) for line in done.stdout.splitlines() if line.isdigit()]
    assert len(saved) == 10
    assert saved == sorted(set(saved))
    resumed = runs.resume(replace(settings, steps=saved[-1] + 512), tmp_path, pytest.fail)
    assert resumed.learner.steps == saved[-1]
    agent = make_agent(f"ppo:{resumed.train()}", resumed.game, resumed.options)
    assert Match(resumed.game, resumed.options, [agent] * 2, seed=1, first=0, number=2, salt=SALT).play()
    steps = [line.get("steps", 0) for line in map(json.loads, (tmp_path / "log.jsonl").read_text().splitlines())]
    assert steps == sorted(steps)
    assert steps[-1] == saved[-1] + 512


def test_a_run_can_be_resumed_from_its_first_moment(tmp_path):
    """Killed after its first checkpoint, before there is a log or a policy."""
    runs.start(small(steps=512), tmp_path)
    assert not (tmp_path / POLICY).exists()
    (tmp_path / "log.jsonl").unlink()
    runs.resume(small(steps=512), tmp_path).train()
    assert log.is_log(tmp_path / "log.jsonl")
    assert log.read(tmp_path / "log.jsonl")[-1]["steps"] == 512
