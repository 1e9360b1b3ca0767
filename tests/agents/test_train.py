"""Training runs: they learn, they survive being killed, and what they leave behind can be played."""

import json
import signal
import subprocess
import sys
import time
from dataclasses import asdict, replace
from unittest.mock import Mock

import numpy as np
import pytest
from cardtable_agents import training
from cardtable_agents.arena.match import Match
from cardtable_agents.network.optimizer import Diverged
from cardtable_agents.players import policy
from cardtable_agents.training import checkpoints, evaluate, log, runs, saving
from cardtable_agents.training.folder import POLICY
from cardtable_agents.training.run import Run
from helpers import SALT
from small_runs import SMALL, contents, small

from cardtable.errors import AgentError, OptionError, UnknownOption
from cardtable.game.registry import find
from cardtable.players.roster import make_agent


def win_rate(game, network, games=200):
    options = game.parse_options({})
    return evaluate.win_rate(game, options, network, make_agent("random", game, options), games)


def test_self_play_raises_the_win_rate_against_random(tmp_path):
    """From nothing: 49 % before and 80 % after, when this was written."""
    run = runs.start(small(steps=131_072, games=128, rollout=8192, opponents=(), layers=(128, 128)), tmp_path)
    before = win_rate(run.game, run.policy)
    run.train()
    assert win_rate(run.game, run.policy) > before + 0.1


def test_imitation_raises_the_win_rate_against_random(tmp_path):
    """From an untrained network to 90 % and more, when this was written."""
    settings = small(teacher="heuristic", imitation_steps=32_768, games=64, rollout=8192, steps=1, learning_rate=(1e-9, 1e-9))
    run = runs.start(settings, tmp_path)
    before = win_rate(run.game, run.policy, 100)
    run.train()
    assert win_rate(run.game, policy.load(tmp_path / POLICY, run.game), 100) > max(before + 0.2, 0.8)


@pytest.mark.parametrize(
    ("game", "options"), [("murano_v0", {"num_players": 1}), ("artisans_v0", {"num_players": 3}), ("murano_v0", {})], ids=str
)
def test_solo_games_and_tables_of_three_can_be_trained(tmp_path, game, options):
    opponents = () if options.get("num_players") == 1 else SMALL["opponents"]
    run = runs.start(small(game, options, opponents=opponents, steps=1024), tmp_path)
    checked = find(game).parse_options(options)
    agent = make_agent(f"ppo:{run.train()}", find(game), checked)
    assert Match(find(game), checked, [agent] * checked.num_players, seed=1, first=0, number=2, salt=SALT).play()
    assert list(run.rates) == (["return"] if checked.num_players == 1 else ["random"])


def test_the_policy_of_a_run_is_exactly_what_its_file_holds(tmp_path):
    run = runs.start(small(), tmp_path)
    loaded = policy.load(run.train(), run.game)
    own = run.policy.cast(np.float64)
    assert all(np.array_equal(one, two) for one, two in zip(loaded._arrays(), own._arrays(), strict=True))
    assert loaded.value is not None


# ---- The story of a run, told with a learner that takes no time


def test_a_run_imitates_then_learns_then_evaluates_and_saves(tmp_path, counter):
    shown = []
    run = runs.start(small(steps=1536, imitation_steps=1000, checkpoint_interval=0.0), tmp_path)
    run.train(lambda phase, done: shown.append((phase, round(done, 2))))
    assert shown == [
        *[("imitation", 0.0), ("imitation", 0.51), ("imitation", 1.0)],
        *[("ppo", 0.0), ("ppo", 0.33), ("ppo", 0.67), ("ppo", 1.0)],
    ]
    assert (run.learner.finished, run.learner.closed) == (1, True)
    kinds = [(line["phase"], "evaluation" in line, line["steps"], line["demonstrations"]) for line in run.log]
    assert kinds[0] == ("imitation", False, 0, 512)
    assert ("ppo", True, 0, 1024) in kinds  # after imitation
    assert kinds[-2:] == [("ppo", True, 1536, 1024), ("ppo", False, 1536, 1024)]
    assert run.log[-1]["done"] is True
    assert run.rates == run.log[-2]["evaluation"]
    assert policy.about(run.path / POLICY)["imitated"] == ["random", 1024]


def learned(run):
    return run.learner.numbers.tolist(), run.learner.steps, run.learner.finished, run.progress.updates, run.progress.rounds


def _stop_after(run, number):
    """What is shown so many times before the run is stopped."""
    shown = []

    def show(phase, done):
        shown.append(phase)
        if len(shown) > number:
            run.stop()

    return show


def test_a_run_that_goes_on_elsewhere_says_where(tmp_path, counter, monkeypatch):
    """On another machine, there again, and back where it began: a line for each change, and the lines of learning besides."""
    settings, here = small(steps=8 * 512), saving.machine.description()
    run = runs.start(settings, tmp_path)
    for number, cores in enumerate([here["cores"], 1000, 1000, here["cores"]], start=1):
        monkeypatch.setattr(saving.machine, "description", lambda cores=cores: {**here, "cores": cores})
        run = run if number == 1 else runs.resume(settings, tmp_path, pytest.fail)
        run.train(_stop_after(run, 1))
    noted = [line for line in run.log if "resumed" in line]
    assert [line["resumed"]["machine"]["cores"] for line in noted] == [1000, here["cores"]]
    assert [line["steps"] for line in noted] == [512, 3 * 512]
    assert (log.header(tmp_path / "log.jsonl") or {})["machine"] == here
    assert [line["steps"] for line in run.log if "updates" in line or "entropy" in line] == [512, 1024, 1536, 2048]


@pytest.mark.parametrize("after", range(7))
def test_a_run_that_was_stopped_anywhere_learns_the_same_in_the_end(tmp_path, counter, after):
    settings = small(steps=2048, imitation_steps=1000, evaluation_interval=0.0)
    whole = runs.start(settings, tmp_path / "whole")
    whole.train()
    stopped = runs.start(settings, tmp_path / "stopped")
    stopped.train(_stop_after(stopped, after))
    assert not any("done" in line for line in stopped.log)
    resumed = runs.resume(settings, tmp_path / "stopped", pytest.fail)
    resumed.train()
    assert learned(resumed) == learned(whole)

    def told(run):
        return [{key: value for key, value in line.items() if key != "seconds"} for line in run.log if "evaluation" not in line]

    assert told(resumed) == told(whole)


@pytest.mark.parametrize("threads", [1, 2])
def test_our_learner_resumes_to_the_bit(tmp_path, threads):
    """Imitation, opponents, past selves and all."""
    changes = {"teacher": "heuristic", "imitation_steps": 1000, "opponents": ("random", "self"), "opponent_share": 0.5}
    settings = small(steps=2048, threads=threads, **changes)
    whole = runs.start(settings, tmp_path / "whole")
    whole.train()
    for after in (1, 4):
        path = tmp_path / str(after)
        stopped = runs.start(settings, path)
        stopped.train(_stop_after(stopped, after))
        resumed = runs.resume(settings, path, pytest.fail)
        resumed.train()
        (expected, about), (found, told) = whole.learner.state(), resumed.learner.state()
        assert told == about
        assert {name for name in expected if not np.array_equal(expected[name], found[name])} == set()


def test_a_run_killed_between_the_last_round_and_the_end_of_imitation_still_ends_it(tmp_path, counter, monkeypatch):
    settings = small(imitation_steps=512, checkpoint_interval=0.0)
    run = runs.start(settings, tmp_path)
    monkeypatch.setattr(counter, "finish_imitation", lambda self: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        run.train()
    monkeypatch.undo()
    checkpoint = checkpoints.newest(tmp_path / "checkpoints", pytest.fail)
    assert (checkpoint.about["rounds"], checkpoint.about["imitation_over"]) == (1, False)


def test_a_run_that_diverges_says_what_to_do_and_keeps_its_last_good_checkpoint(tmp_path, counter):
    counter.diverges_at = 3
    run = runs.start(small(steps=5120, checkpoint_interval=0.0), tmp_path)
    with pytest.raises(Diverged) as caught:
        run.train()
    newest = checkpoints.paths(tmp_path / "checkpoints")[-1]
    for words in ("diverged in update 3: a number is none", f"the last good checkpoint is {newest}", "a lower --learning-rate"):
        assert words in str(caught.value)
    assert run.learner.closed
    assert checkpoints.read(newest).about["updates"] == 2
    assert policy.about(tmp_path / POLICY)["steps"] == 1024
    counter.diverges_at = None
    resumed = runs.resume(small(steps=5120, learning_rate=(1e-5, 1e-6), entropy=(0.0, 0.0), gradient=0.1), tmp_path)
    resumed.train()
    assert resumed.learner.steps == 5120


def test_a_run_that_diverges_in_imitation_can_be_resumed_as_it_says(tmp_path, counter, monkeypatch):
    given = {"imitation_steps": 1024, "checkpoint_interval": 0.0}
    run = runs.start(small(**given), tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(counter, "imitate", Mock(side_effect=Diverged("a number is none")))
        with pytest.raises(Diverged, match=r"round of imitation 1: .* a lower --imitation-rate \(--imitation-gradient may"):
            run.train()
    resumed = runs.resume(small(**given, imitation_rate=(1e-5, 1e-6), imitation_gradient=0.1), tmp_path)
    resumed.train()
    assert resumed.progress.rounds == 2


def test_numbers_that_are_not_finite_are_never_saved(tmp_path, counter):
    run = runs.start(small(), tmp_path)
    run.train()
    before = contents(tmp_path)
    run.learner.numbers[1] = np.inf
    with pytest.raises(Diverged, match="'numbers' holds numbers that are not finite"):
        run.save()
    assert contents(tmp_path) == before


# ---- From Python


def test_training_from_python_is_one_call(tmp_path, monkeypatch, counter, capsys):
    monkeypatch.chdir(tmp_path)
    given = {**SMALL, "evaluation_opponents": ("random",)}
    run = training.train("muster", steps=512, options={"max_turns": 40}, **given)
    assert isinstance(run, Run)
    assert run.path.as_posix() == "runs/muster_v0"
    assert run.policy.layers
    assert set(run.rates) == {"random"}
    assert run.log[-1]["done"] is True
    assert run.settings.options == {"max_turns": 40}
    again = training.train("muster", steps=512, **given)
    assert again.path.as_posix() == "runs/muster_v0-2"
    longer = training.train("muster", steps=1024, out=again.path, resume=True, **given)
    assert longer.learner.updates == 2
    assert capsys.readouterr() == ("", "")  # no progress where there is no terminal
    training.train("muster", steps=1024, out="elsewhere", progress=True, **given)
    assert "ppo       100%" in capsys.readouterr().err


def test_wrong_calls_from_python_make_nothing(tmp_path, monkeypatch, counter):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UnknownOption, match="unknown setting 'rate'"):
        training.train("muster", rate=1)
    with pytest.raises(OptionError, match="rollout=16: with games=16"):
        training.train("muster", **{**SMALL, "rollout": 16, "batch": 16})
    with pytest.raises(AgentError, match="no agent is called 'nobody'"):
        training.train("muster", **{**SMALL, "opponents": ["nobody"]})
    for how in ("resume", "overwrite"):
        with pytest.raises(AgentError, match=f"to {how} a run, name its folder"):
            training.train("muster", **{how: True}, **SMALL)
    with pytest.raises(AgentError, match="resume a run or overwrite it: expected one of the two"):
        training.train("muster", out=tmp_path / "run", resume=True, overwrite=True, **SMALL)
    assert not list(tmp_path.iterdir())


def test_an_interrupt_stops_after_the_rollout_and_a_second_one_at_once(tmp_path, monkeypatch, counter, capsys):
    update = counter.update

    def interrupted(self, done):
        signal.raise_signal(signal.SIGINT)
        return update(self, done)

    monkeypatch.setattr(counter, "update", interrupted)
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        training.train("muster", steps=5120, out=tmp_path, **SMALL)
    assert signal.getsignal(signal.SIGINT) is before
    assert "stopping after this rollout" in capsys.readouterr().err
    newest = checkpoints.newest(tmp_path / "checkpoints", pytest.fail)
    assert newest.about["updates"] == 1

    def impatient(self, done):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(counter, "update", impatient)
    with pytest.raises(KeyboardInterrupt):
        training.train("muster", steps=5120, out=tmp_path, resume=True, **SMALL)
    assert checkpoints.newest(tmp_path / "checkpoints", pytest.fail).about == newest.about


# ---- Killed


KILLED = """
import json, sys
from pathlib import Path
from cardtable_agents.training import runs
from cardtable_agents.training.settings import settings_for

settings = json.loads(sys.argv[2])
runs.start(settings_for(settings.pop("game"), **settings), Path(sys.argv[1])).train()
"""


def plain(settings):
    """Settings as text, for another process."""
    return json.dumps(asdict(settings))


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
    older.learner.update(0.0)
    assert older.learner.steps == steps


TEN_LIVES = """
import json, os, random, signal, sys, time
from dataclasses import replace
from pathlib import Path
from cardtable_agents.players import policy
from cardtable_agents.training import checkpoints, runs
from cardtable_agents.training.settings import settings_for
from cardtable.game.registry import find

game, folder, chance = find("muster"), Path(sys.argv[1]), random.Random(7)
given = json.loads(sys.argv[2])
settings = settings_for(given.pop("game"), **given)
runs.start(replace(settings, steps=128), folder / "first").train()  # kernels are loaded once, not in every life

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


def test_a_run_can_be_resumed_from_its_first_moment(tmp_path, counter):
    """Killed after its first checkpoint, before there is a log or a policy."""
    runs.start(small(steps=512), tmp_path)
    assert not (tmp_path / POLICY).exists()
    (tmp_path / "log.jsonl").unlink()
    runs.resume(small(steps=512), tmp_path).train()
    assert log.is_log(tmp_path / "log.jsonl")
    assert log.read(tmp_path / "log.jsonl")[-1]["steps"] == 512
