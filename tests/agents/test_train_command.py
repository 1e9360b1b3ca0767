"""`cardtable train`: its flags, what it prints, and that it overwrites nothing by accident."""

import argparse
import errno

import pytest
from cardtable_agents.players import policy
from cardtable_agents.training import checkpoints, runs
from cardtable_agents.training.command import add_arguments, settings_of
from cardtable_agents.training.folder import CHECKPOINTS, FILES, POLICY
from cardtable_agents.training.saving import Saver
from cardtable_agents.training.settings import settings_for
from cardtable_agents.training.train import Run
from small_runs import QUICK, contents

from cardtable.cli.main import main


@pytest.mark.usefixtures("short_command")
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


@pytest.mark.usefixtures("short_command")
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


@pytest.mark.usefixtures("short_command")
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


@pytest.mark.usefixtures("short_command")
@pytest.mark.parametrize(("owner", "fails"), [(runs, "Run"), (Saver, "begin")], ids=["Run", "begin"])
def test_a_run_is_still_there_if_the_one_that_is_to_overwrite_it_cannot_begin(owner, fails, tmp_path, capsys, monkeypatch):
    command = ["train", "muster", "--out", str(tmp_path), *QUICK]
    assert main(command) == 0
    before = contents(tmp_path)
    for refused in (["--seed", "-3"], ["--option", "max_turns=0"]):
        assert main([*command, "--overwrite", *refused]) == 2
        assert contents(tmp_path) == before

    def full_disk(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(owner, fails, full_disk)
    assert main([*command, "--overwrite"]) == 2
    assert "No space left on device" in capsys.readouterr().err
    assert contents(tmp_path) == before


@pytest.mark.usefixtures("short_command")
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


@pytest.mark.usefixtures("short_command")
def test_an_interrupt_leaves_a_checkpoint_and_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(Run, "_update", interrupted)
    assert main(["train", "muster", "--out", str(tmp_path), *QUICK]) != 0
    assert "--resume to continue" in capsys.readouterr().out
    assert len(checkpoints.paths(tmp_path / "checkpoints")) == 2  # that of its first moment, and this one


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--opponents", "mastermind"], "no agent is called 'mastermind'"),
        (["--imitate", "search:0"], "from 1"),
        (["--advice", "heuristic:0"], "from 1"),
        (["--advice", "random"], "agent 'random' gives no advice"),
        (["-o", "num_players=7"], "num_players=7"),
    ],
)
def test_wrong_flags_are_refused_before_anything_is_made(tmp_path, capsys, flags, message):
    assert main(["train", "muster", "--out", str(tmp_path / "run"), *flags]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("flag", ["--shaping", "--guidance"])
def test_shaping_is_a_share(flag, tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["train", "muster", "--out", str(tmp_path / "run"), flag, "2"])
    assert "2: allowed: numbers from 0 to 1" in capsys.readouterr().err


def parsed(*flags):
    """The settings that flags lead to."""
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    return settings_of(parser.parse_args(["muster", "--out", "run", *flags]))


def test_flags_become_settings():
    given = parsed(
        *("--steps", "9", "--minutes", "2.5", "--seed", "4", "--games", "8", "--opponents", "random", "self"),
        *("--imitate", "random", "--imitation-steps", "7", "--shaping", "0.5", "--threads", "1"),
    )
    expected = settings_for(
        "muster",
        steps=9,
        minutes=2.5,
        seed=4,
        games=8,
        opponents=("random", "self"),
        teacher="random",
        imitation_steps=7,
        shaping=0.5,
        threads=1,
        command=given.command,
    )
    assert given == expected
    assert given.command.startswith("cardtable")


def test_flags_that_are_left_out_are_as_the_settings_have_them():
    given = parsed()
    assert given == settings_for("muster", command=given.command)


def test_the_former_name_of_shaping_is_still_understood():
    assert parsed("--guidance", "0.25").shaping == parsed("--shaping", "0.25").shaping == 0.25


def test_an_advised_run_imitates_only_if_asked():
    assert parsed("--advice", "heuristic").imitation_steps == 0
    assert parsed("--advice", "heuristic", "--imitate", "random").imitation_steps > 0
