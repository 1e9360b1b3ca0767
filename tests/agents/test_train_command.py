"""`cardtable train`: its flags, what it prints, and that it overwrites nothing by accident."""

import errno
import shlex
import signal
import sys
from pathlib import Path

import pytest
from cardtable_agents.players import policy
from cardtable_agents.training import checkpoints, curves, runs
from cardtable_agents.training.folder import CHECKPOINTS, FILES, POLICY
from cardtable_agents.training.saving import Saver
from small_runs import QUICK, contents, small

from cardtable.cli.main import main

BOTS = Path(__file__).parent.parent / "bots"


@pytest.mark.usefixtures("counter")
def test_the_command_trains_announces_and_names_what_it_wrote(tmp_path, capsys):
    out = str(tmp_path / "run")
    flags = [*QUICK, "--opponents", "random", "self"]
    assert main(["train", "muster", "--out", out, *flags]) == 0
    streams = capsys.readouterr()
    assert "training muster_v0 for 512 steps" in streams.out
    assert "PPO by self-play on 16 games at once, 1 thread; 25% of them against random, self" in streams.out
    assert f"cardtable arena muster_v0 ppo:{out}/policy.safetensors random" in streams.out
    assert "ppo       100%" in streams.err
    assert not any(mark in streams.err for mark in "\r\x1b")
    assert {path.name for path in (tmp_path / "run").iterdir()} == {
        "checkpoints",
        "learning_curve.png",
        "log.jsonl",
        "policy.safetensors",
        "tensorboard",
    }
    assert main(["train", "muster", "--out", out, *flags]) == 2
    assert "holds a training run" in capsys.readouterr().err


@pytest.mark.usefixtures("counter")
def test_the_command_that_it_names_can_be_given_to_a_shell(tmp_path, capsys):
    bot = shlex.join([sys.executable, "-I", "-S", str(BOTS / "honest.py"), "{}"])
    flags = ["--evaluation-opponents", f"cmd:{bot}", "--evaluation-games", "2"]
    assert main(["train", "muster", "--out", str(tmp_path / "a run"), *QUICK, *flags, "-o", "max_turns=4"]) == 0
    (named,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("cardtable arena "))
    assert shlex.split(named)[2:] == ["muster_v0", f"ppo:{tmp_path}/a run/policy.safetensors", f"cmd:{bot}"]


@pytest.mark.usefixtures("counter")
def test_one_process_trains_in_a_folder(tmp_path, capsys):
    with checkpoints.alone(tmp_path / CHECKPOINTS):
        assert main(["train", "muster", "--out", str(tmp_path), *QUICK]) == 2
    assert f"another process is training in {tmp_path}" in capsys.readouterr().err
    assert not (tmp_path / "log.jsonl").exists()
    assert main(["train", "muster", "--out", str(tmp_path), *QUICK]) == 0


@pytest.mark.parametrize("name", [*FILES, "checkpoints/000000003.safetensors"])
@pytest.mark.parametrize("flags", [[], ["--overwrite"]], ids=["plain", "overwrite"])
def test_files_of_others_are_never_overwritten(tmp_path, capsys, name, flags):
    (tmp_path / "checkpoints").mkdir()
    (tmp_path / name).write_text("mine")
    (tmp_path / "notes.txt").write_text("mine")
    before = contents(tmp_path)
    assert main(["train", "muster", "--out", str(tmp_path), *QUICK, *flags]) == 2
    assert f"holds {name}, not written by a training run: move it away" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("counter")
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
    assert policy.about(tmp_path / POLICY)["seed"] == 9
    assert sum("tfevents" in name for name in after) == 1


def test_a_folder_without_a_run_is_not_resumed_and_not_made(tmp_path, capsys):
    for folder in (tmp_path / "mistyped", tmp_path):
        assert main(["train", "muster", "--out", str(folder), *QUICK, "--resume"]) == 2
        assert f"{folder} holds no training run to resume" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_a_file_is_no_folder_of_a_run(tmp_path, capsys):
    (tmp_path / "notes").write_text("mine")
    for out in (tmp_path / "notes", tmp_path / "notes" / "run"):
        assert main(["train", "muster", "--out", str(out), *QUICK]) == 2
        streams = capsys.readouterr()
        assert f"{tmp_path / 'notes'} is not a folder: choose another one" in streams.err
        assert not streams.out
    assert contents(tmp_path) == {"notes": b"mine"}


@pytest.mark.parametrize("flags", [["--out", "new/run"], []], ids=["named", "new"])
def test_a_run_that_cannot_begin_leaves_no_folder_and_announces_nothing(flags, tmp_path, capsys, monkeypatch):
    def fails(*_):
        raise MemoryError

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runs, "Run", fails)
    assert main(["train", "muster", *flags, *QUICK]) == 2
    streams = capsys.readouterr()
    assert (streams.out, streams.err) == ("", "cardtable: not enough memory\n")
    assert [path.name for path in tmp_path.rglob("*")] in ([], ["runs"])


@pytest.mark.usefixtures("counter")
def test_a_run_that_cannot_be_resumed_is_not_announced(tmp_path, capsys):
    command = ["train", "muster", "--out", str(tmp_path), *QUICK]
    assert main(command) == 0
    before = contents(tmp_path)
    capsys.readouterr()
    assert main([*command, "--seed", "2", "--resume"]) == 2
    streams = capsys.readouterr()
    assert "holds another run (different: seed)" in streams.err
    assert not streams.out
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("counter")
@pytest.mark.parametrize(("owner", "fails"), [(runs, "Run"), (Saver, "begin")], ids=["Run", "begin"])
def test_a_run_is_still_there_if_the_one_that_is_to_overwrite_it_cannot_begin(owner, fails, tmp_path, capsys, monkeypatch):
    command = ["train", "muster", "--out", str(tmp_path), *QUICK]
    assert main(command) == 0
    before = contents(tmp_path)
    for refused in (["--batch", "513"], ["--option", "max_turns=0"]):
        assert main([*command, "--overwrite", *refused]) == 2
        assert contents(tmp_path) == before

    def full_disk(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(owner, fails, full_disk)
    assert main([*command, "--overwrite"]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("counter")
def test_a_run_whose_checkpoints_are_all_damaged_is_left_as_it_is(tmp_path, capsys):
    command = ["train", "muster", "--out", str(tmp_path), *QUICK]
    assert main(command) == 0
    for path in checkpoints.paths(tmp_path / "checkpoints"):
        path.write_bytes(path.read_bytes()[:-1])
    before = contents(tmp_path)
    assert main([*command, "--resume"]) == 2
    streams = capsys.readouterr()
    assert "all checkpoints of the run are damaged; nothing was changed" in streams.err
    assert streams.out.count("skipped: ") == len(checkpoints.paths(tmp_path / "checkpoints"))
    assert contents(tmp_path) == before
    assert main([*command, "--overwrite"]) == 0


def test_an_interrupt_leaves_a_checkpoint_and_says_how_to_go_on(tmp_path, capsys, monkeypatch, counter):
    update = counter.update

    def interrupted(self, done):
        signal.raise_signal(signal.SIGINT)
        return update(self, done)

    monkeypatch.setattr(counter, "update", interrupted)
    assert main(["train", "muster", "--out", str(tmp_path), *QUICK]) == 130
    assert "--resume and the same --out to continue" in capsys.readouterr().out
    assert checkpoints.newest(tmp_path / "checkpoints", pytest.fail).about["updates"] == 1
    monkeypatch.setattr(counter, "update", update)
    assert main(["train", "muster", "--out", str(tmp_path), *QUICK, "--resume"]) == 0


def test_a_run_that_diverges_ends_like_other_errors(tmp_path, capsys, counter):
    counter.diverges_at = 1
    assert main(["train", "muster", "--out", str(tmp_path), *QUICK]) == 2
    error = capsys.readouterr().err.splitlines()[-1]
    assert error.startswith(f"cardtable: {tmp_path}: the run has diverged in update 1: a number is none")
    assert "--resume and a lower --learning-rate" in error
    assert not (tmp_path / POLICY).exists()


@pytest.mark.usefixtures("counter")
def test_runs_without_a_folder_get_a_new_one(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for expected in ("runs/muster_v0", "runs/muster_v0-2"):
        assert main(["train", "muster", *QUICK]) == 0
        assert f"into {expected}\n" in capsys.readouterr().out
    for flag, word in (("--resume", "resume"), ("--overwrite", "overwrite")):
        assert main(["train", "muster", *QUICK, flag]) == 2
        assert f"to {word} a run, name its folder: --out DIR" in capsys.readouterr().err
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_a_game_must_be_named(capsys):
    assert main(["train"]) == 2
    assert "which game? cardtable train GAME" in capsys.readouterr().err


@pytest.mark.usefixtures("counter")
def test_without_a_library_for_pictures_there_is_none(tmp_path, capsys, monkeypatch):
    def missing(*_):
        raise ImportError("matplotlib")

    monkeypatch.setattr(curves, "draw", missing)
    assert main(["train", "muster", "--out", str(tmp_path), *QUICK]) == 0
    assert "no learning curve: pip install 'cardtable[train]'" in capsys.readouterr().out


@pytest.mark.usefixtures("counter")
def test_a_solo_game_has_a_mean_return_and_nobody_for_the_arena(tmp_path, capsys):
    assert main(["train", "murano", "--out", str(tmp_path), *QUICK, "-o", "num_players=1"]) == 0
    text = capsys.readouterr().out
    assert "mean return: " in text
    assert "cardtable arena" not in text


# ---- What there is


@pytest.mark.usefixtures("counter")
def test_runs_are_listed_with_their_states_and_nothing_changes(tmp_path, capsys, monkeypatch, counter):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "--list"]) == 0
    assert capsys.readouterr().out == "no runs in runs\n"
    assert not list(tmp_path.iterdir())
    assert main(["train", "muster", *QUICK, "-o", "max_turns=40"]) == 0
    runs.start(small("artisans", minutes=1.0), tmp_path / "runs" / "deep" / "down")
    (tmp_path / "runs" / "notes").mkdir()
    (tmp_path / "runs" / "notes" / "log.jsonl").write_text("mine")
    made = sorted(tmp_path.rglob("*"))
    capsys.readouterr()
    with checkpoints.alone(tmp_path / "runs" / "deep" / "down" / CHECKPOINTS):
        before = contents(tmp_path)
        assert main(["train", "--list"]) == 0
        assert "running" in capsys.readouterr().out
    assert main(["train", "--list", "runs"]) == 0
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines[0][:5] == ["run", "game", "learner", "state", "steps"]
    assert lines[1][:5] == ["runs/deep/down", "artisans_v0", "cardtable", "interrupted", "0"]
    assert lines[2][:6] == ["runs/muster_v0", "muster_v0", "max_turns=40", "cardtable", "done", "512"]
    assert lines[2][7] == "random"
    assert len(lines) == 3
    assert contents(tmp_path) == before
    assert set(made) <= set(tmp_path.rglob("*"))


def test_a_folder_that_is_not_there_cannot_be_listed(tmp_path, capsys):
    assert main(["train", "--list", str(tmp_path / "mistyped")]) == 2
    assert "mistyped: no such folder" in capsys.readouterr().err
    assert main(["train", "--list", str(tmp_path)]) == 0
    assert f"no runs in {tmp_path}" in capsys.readouterr().out


@pytest.mark.parametrize(
    "text",
    [
        '{"format": "cardtable training 1"}\n',
        '{"format": "cardtable training 1", "settings": 3}\n{"steps": "many", "seconds": null, "evaluation": 3}\n',
        '{"format": "cardtable training 1", "settings": {"game": ["x"], "options": {"a": 1}}}\n{"evaluation": {"a": "b"}}\n',
        '{"format": "cardtable training 1", "settings": {}}\n{"steps" 3}\n',
    ],
)
def test_strange_logs_are_listed_as_far_as_they_can_be_read(text, tmp_path, capsys):
    (tmp_path / "log.jsonl").write_text(text)
    assert main(["train", "--list", str(tmp_path)]) == 0
    assert str(tmp_path) in capsys.readouterr().out


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--opponents", "mastermind"], "no agent is called 'mastermind'"),
        (["--imitate", "search:0"], "from 1"),
        (["--advice", "heuristic:0"], "from 1"),
        (["--advice", "random"], "agent 'random' gives no advice"),
        (["-o", "num_players=7"], "num_players=7"),
        (["--start", "nowhere.safetensors"], "nowhere.safetensors: cannot be read"),
        (["--learner", "sb3", "--advice", "heuristic"], "learner='sb3' does not do this"),
        (["--layers", "100"], "multiples of 64"),
        (["--games", "100000000"], "rollout=65536: with games=100000000"),
    ],
)
def test_wrong_flags_are_refused_before_anything_is_made(tmp_path, capsys, flags, message):
    assert main(["train", "muster", "--out", str(tmp_path / "run"), *flags]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
