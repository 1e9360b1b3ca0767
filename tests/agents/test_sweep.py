"""`cardtable train sweep`: its file, its folders, that it goes on where it was stopped, and what it says at the end."""

import argparse
import csv
import json
import multiprocessing
import os
import signal
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from cardtable_agents.training import runs
from cardtable_agents.training.evaluate import BY_SEARCH
from cardtable_agents.training.folder import RunFolder
from cardtable_agents.training.log import Log
from cardtable_agents.training.sweep import draws, folders, forecast, form, picture, plan, results
from cardtable_agents.training.sweep.command import add_sweep_arguments, sweep_command
from cardtable_agents.training.sweep.plan import read_sweep
from small_runs import SHORT, contents

from cardtable.errors import AgentError, CardtableError, OptionError

HEAD = 'game = "muster"\nout = "{out}"\n'
GRID = """
seeds = [1, 2]
[settings]
minutes = 2
[grid]
learning_rate = [[5e-4, 5e-5], [1e-3, 1e-4]]
clip = [0.1, 0.2]
"""


@pytest.fixture
def write(tmp_path):
    """Write the file of a sweep; its path."""

    def written(text, name="small.toml"):
        path = tmp_path / name
        path.write_text(HEAD.format(out=(tmp_path / "out").as_posix()) + text)
        return path

    return written


def command(path, *flags):
    """Run the command as the command line would."""
    parser = argparse.ArgumentParser()
    add_sweep_arguments(parser)
    sweep_command(parser.parse_args([str(path), *flags]))


class FakeRun:
    """Writes what a run writes, without training; `rate` tells how strong it becomes."""

    trained: ClassVar[list[str]] = []
    rate = staticmethod(lambda settings: settings.clip + settings.seed / 100)
    opponent = "heuristic"
    interrupt_at: str | None = None
    fail_at: str | None = None

    def __init__(self, settings, path):
        self.settings, self.path, self.log = settings, path, Log(RunFolder(path).log)

    @classmethod
    def start(cls, settings, path):
        run = cls(settings, path)
        (path / "checkpoints").mkdir(exist_ok=True)
        (path / "checkpoints" / "000000000.safetensors").write_bytes(b"")
        run.log.begin({})
        run.began = "start"
        return run

    @classmethod
    def resume(cls, settings, path):
        run = cls(settings, path)
        run.log.cut(1)
        run.began = "resume"
        return run

    def train(self, show):
        type(self).trained.append(f"{self.began} {self.path.name}")
        if self.interrupt_at and self.interrupt_at in self.path.name:
            type(self).interrupt_at = None
            raise KeyboardInterrupt
        if self.fail_at and self.fail_at in self.path.name:
            raise AgentError("the run has diverged")
        for minutes in (1, 2):
            rates = {"random": 0.9, self.opponent: round(self.rate(self.settings) * minutes / 2, 4)}
            if self.settings.expert:
                rates[f"{self.opponent}{BY_SEARCH}{self.settings.expert}"] = 0.99
            self.log.add({"phase": "ppo", "steps": 1000 * minutes, "seconds": 60.0 * minutes, "evaluation": rates})
            show("ppo", minutes / 2)


@pytest.fixture
def fake(monkeypatch):
    """Runs that take no time."""
    made = type("Fake", (FakeRun,), {"trained": []})
    monkeypatch.setattr(runs, "start", made.start)
    monkeypatch.setattr(runs, "resume", made.resume)
    return made


# ---- The file


def test_a_grid_trains_every_combination_with_every_seed(write, tmp_path):
    sweep = read_sweep(write(GRID))
    assert [(run.combination, run.seed, run.settings.learning_rate, run.settings.clip) for run in sweep.runs] == [
        (1, 1, (5e-4, 5e-5), 0.1),
        (1, 2, (5e-4, 5e-5), 0.1),
        (2, 1, (5e-4, 5e-5), 0.2),
        (2, 2, (5e-4, 5e-5), 0.2),
        (3, 1, (1e-3, 1e-4), 0.1),
        (3, 2, (1e-3, 1e-4), 0.1),
        (4, 1, (1e-3, 1e-4), 0.2),
        (4, 2, (1e-3, 1e-4), 0.2),
    ]
    assert {run.settings.minutes for run in sweep.runs} == {2}
    assert sweep.runs[5].name == "003-learning_rate=0.001_0.0001-clip=0.1-seed=2"
    assert sweep.out == tmp_path / "out"


def test_a_file_that_names_no_folder_has_one_by_its_own_name(tmp_path):
    path = tmp_path / "clips.toml"
    path.write_text('game = "muster"\n[grid]\nclip = [0.1, 0.2]\n')
    sweep = read_sweep(path)
    assert sweep.out == Path("runs/clips")
    assert sweep.seeds == (1,)


def test_seeds_alone_are_a_sweep(write):
    sweep = read_sweep(write("seeds = [4, 7]\n"))
    assert [run.name for run in sweep.runs] == ["001-seed=4", "001-seed=7"]


def test_names_of_folders_are_safe_and_never_shared(write):
    sweep = read_sweep(write('[grid]\nopponents = [["random", "self"], ["search:3"], ["search:30"]]\n'))
    names = [run.name for run in sweep.runs]
    assert names[0] == "001-opponents=random_self-seed=1"
    assert names[1].startswith("002-opponents=search_3-")  # the colon is replaced, so a hash tells it from others
    assert len({name.partition("-")[2] for name in names}) == 3
    assert not any(set(name) & set(':/\\ "*?<>|') for name in names)
    long = plan._name(1, {f"setting_{number}": number / 3 for number in range(30)}, 1)
    assert len(long) < 120


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("sed = [1]\n[grid]\nclip = [0.1]\n", "unknown key 'sed'; allowed: game, out, seeds"),
        ("seeds = 3\n[grid]\nclip = [0.1]\n", "seeds: expected a list of integers such as [1, 2, 3], found 3"),
        ("seeds = []\n[grid]\nclip = [0.1]\n", "seeds: expected a list of integers"),
        ("seeds = [1, 2.5]\n[grid]\nclip = [0.1]\n", "seeds: expected a list of integers"),
        ("seeds = [true]\n[grid]\nclip = [0.1]\n", "seeds: expected a list of integers"),
        ("seeds = [1, 2, 1]\n", "seeds: 1 is there twice"),
        ("seeds = [-1, 2]\n", "the run with seed=-1: seed=-1: allowed: integers from 0"),
        ("", "nothing to compare: expected [grid], [random] or several seeds"),
        ("[grid]\n", "[grid] is empty"),
        ("grid = 3\n", "grid: expected a table [grid], found 3"),
        ("[grid]\nclip = 0.1\n", "[grid] clip: expected a list of values, found 0.1"),
        ("[grid]\nclip = []\n", "[grid] clip: expected a list of values, found []"),
        ("[grid]\nclip = [0.1, 0.1]\n", "[grid] clip: 0.1 is there twice"),
        ("[grid]\nclip = [0.1, -1]\n", "the run with clip=-1, seed=1: clip=-1: allowed: numbers above 0"),
        ("[grid]\nlearning_rate = [1e-3, 1e-4]\n", "learning_rate=0.001: allowed: a tuple of"),
        ("[grid]\nlr = [1]\n", "[grid]: unknown setting 'lr'; allowed: steps, minutes"),
        ("[grid]\nseed = [1, 2]\n", "[grid] seed: seeds = […] at the top"),
        ("[grid]\nevaluation_games = [1, 2]\n", "[grid] evaluation_games: it says how runs are compared"),
        ("[settings]\nlr = 1\n[grid]\nclip = [0.1]\n", "[settings]: unknown setting 'lr'"),
        ("[settings]\noptions = 1\n[grid]\nclip = [0.1]\n", "[settings] options: they are given in [options]"),
        ("[settings]\nclip = 0.2\n[grid]\nclip = [0.1]\n", "clip is in [settings], and differs between the runs"),
        ("[settings]\nminutes = 2020-01-01\n[grid]\nclip = [0.1]\n", "['minutes']: datetime.date(2020, 1, 1) is a date"),
        ('[settings]\nteacher = "nobody"\n[grid]\nclip = [0.1]\n', "no agent is called 'nobody'"),
        ("[options]\nnum_players = 9\n[grid]\nclip = [0.1]\n", "num_players=9"),
        ("[options]\nplayers = 2\n[grid]\nclip = [0.1]\n", "players"),
        ("[grid]\nclip = [0.1]\n[random]\nnumber = 2\n", "found [grid] and [random]"),
        ("[grid\n", "not a TOML file"),
        ("[random]\nclip = [0.1]\n", "[random] number: expected how many combinations to draw, an integer from 1, found None"),
        ("[random]\nnumber = 3\n", "[random] names no settings"),
        ("[random]\nnumber = 3\nseed = -1\nclip = [0.1]\n", "[random] seed: expected an integer from 0"),
        ("[random]\nnumber = 3\nclip = [0.1, 0.2]\n", "[random] number=3: only 2 different combinations were found"),
        ("[random]\nnumber = 3\nclip = 0.1\n", "[random] clip: expected a list of choices, or {low"),
        ("[random]\nnumber = 3\nclip = {low = 0.1}\n", "[random] clip: expected a list of choices, or {low"),
        ("[random]\nnumber = 3\nclip = {low = 0.3, high = 0.1}\n", "[random] clip: low=0.3 is not below high=0.1"),
        ("[random]\nnumber = 3\nclip = {low = 0, high = 1, log = true}\n", "low=0: with log = true only numbers above 0"),
        ("[random]\nnumber = 3\nclip = {low = nan, high = 1}\n", "[random] clip low: nan is not a number"),
        ("[random]\nnumber = 3\nclip = {low = '1', high = 1}\n", "[random] clip low: '1' is not a number"),
        ("[random]\nnumber = 3\nclip = {low = [0.1], high = 1}\n", "expected lists of equal length"),
        ("[random]\nnumber = 3\nclip = {low = 0.1, high = 1, log = 3}\n", "[random] clip log: expected true or false"),
    ],
)
def test_wrong_files_are_refused_with_file_and_key_before_anything_is_made(write, tmp_path, fake, text, message):
    path = write(text)
    with pytest.raises(CardtableError) as error:
        command(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("head", "message"),
    [("", "game: expected a text"), ('game = "chess"', "game: "), ("game = 3", "game: expected a text")],
)
def test_a_file_without_a_game_that_exists_is_refused(tmp_path, head, message):
    path = tmp_path / "file.toml"
    path.write_text(f"{head}\n[grid]\nclip = [0.1]\n")
    with pytest.raises(OptionError, match=message):
        read_sweep(path)


def test_too_many_runs_are_refused_before_they_are_listed(write):
    names = ("epochs", "rollout", "batch", "games", "steps", "imitation_batch")
    many = "\n".join(f"{name} = {list(range(1, 101))}" for name in names)
    with pytest.raises(OptionError, match="1,000,000,000,000 combinations × 2 seeds are 2,000,000,000,000 runs, at most 1,000"):
        read_sweep(write(f"seeds = [1, 2]\n[grid]\n{many}\n"))
    with pytest.raises(OptionError, match="at most 1,000"):
        read_sweep(write(f"seeds = {list(range(1001))}\n"))
    with pytest.raises(OptionError, match="at most 1,000"):
        read_sweep(write("[random]\nnumber = 1001\nclip = {low = 0.1, high = 1}\n"))


# ---- Drawing at random


def drawn(number=50, seed=1, **sources):
    return draws.random({"number": number, "seed": seed, **sources}, "[random]", 1)


def test_draws_stay_within_their_ranges_and_can_be_repeated():
    sources = {"a": {"low": 1e-4, "high": 1e-2, "log": True}, "b": {"low": 2, "high": 4}, "c": ["x", "y"]}
    found = drawn(**sources)
    assert found == drawn(**sources)
    assert found != drawn(seed=2, **sources)
    assert all(1e-4 <= each["a"] <= 1e-2 for each in found)
    assert 10 < sum(each["a"] < 1e-3 for each in found) < 40  # factors are equally likely: half of them are below
    assert {each["b"] for each in found} == {2, 3, 4}
    assert {each["c"] for each in found} == {"x", "y"}
    assert all(float(f"{each['a']:.3g}") == each["a"] for each in found)


def test_more_draws_begin_with_the_same_ones():
    sources = {"a": {"low": 0.0, "high": 1.0}, "b": [1, 2]}
    assert drawn(60, **sources)[:50] == drawn(50, **sources)


def test_a_range_of_lists_draws_points_between_them():
    for each in drawn(a={"low": [1e-4, 1e-5], "high": [1e-2, 1e-3], "log": True}):
        assert each["a"][0] / each["a"][1] == pytest.approx(10, rel=0.02)


def test_random_runs_are_planned(write):
    sweep = read_sweep(write("[random]\nnumber = 5\nclip = {low = 0.05, high = 0.3}\nepochs = [1, 2]\n"))
    assert len(sweep.runs) == 5
    assert all(0.05 <= run.settings.clip <= 0.3 and run.settings.epochs in (1, 2) for run in sweep.runs)


# ---- Training, stopping, going on


def test_a_sweep_trains_every_run_once_and_compares_them(write, tmp_path, fake, capsys):
    path = write(GRID)
    command(path)
    assert [each.split()[0] for each in fake.trained] == ["start"] * 8
    text = capsys.readouterr().out
    assert "4 combinations × 2 seeds = 8 runs, 0 of them ended earlier" in text
    assert "run 8 of 8: 004-learning_rate=0.001_0.0001-clip=0.2-seed=2: against heuristic 22.0% after 2.0 min" in text
    assert "time left: 14 min" in text
    assert "was chosen on these deals" in text
    before = contents(tmp_path / "out")
    command(path)
    assert len(fake.trained) == 8
    assert "8 of them ended earlier" in capsys.readouterr().out
    assert contents(tmp_path / "out").keys() == before.keys()


def test_what_was_interrupted_resumes_and_what_is_done_is_skipped(write, tmp_path, fake, capsys):
    path = write(GRID)
    fake.interrupt_at = "002-"
    with pytest.raises(KeyboardInterrupt):
        command(path)
    stopped = tmp_path / "out" / "002-learning_rate=0.0005_5e-05-clip=0.2-seed=1"
    assert len(fake.trained) == 3
    command(path, "--dry-run")
    assert f"{stopped}  (begun)" in capsys.readouterr().out
    command(path)
    assert fake.trained[3] == f"resume {stopped.name}"
    assert [each.split()[0] for each in fake.trained[4:]] == ["start"] * 5


def test_a_run_that_was_killed_before_its_first_checkpoint_starts_again(write, tmp_path, fake):
    path = write(GRID)
    first = read_sweep(path).runs[0]
    folders.write_record(tmp_path / "out" / first.name, first.settings, folders.BEGUN)
    (tmp_path / "out" / folders.MARK).write_text(json.dumps({"format": folders.FORMAT}))
    command(path)
    assert fake.trained[0] == f"start {first.name}"


def test_a_kill_leaves_nothing_that_stops_the_sweep(write, tmp_path, fake):
    """Parts of files, an empty folder, a lock that nobody holds."""
    path = write(GRID)
    first = tmp_path / "out" / read_sweep(path).runs[0].name
    first.mkdir(parents=True)
    (first / ".run.json.0123abcd.part").write_text("{")
    (tmp_path / "out" / folders.LOCK).write_text("")
    (tmp_path / "out" / folders.MARK).write_text(json.dumps({"format": folders.FORMAT}))
    command(path)
    assert len(fake.trained) == 8


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("minutes = 2", "minutes = 3", "minutes: there 2, here 3"),
        ("minutes = 2", "minutes = 2\nepochs = 7", "epochs: there"),
        ('game = "muster"', 'game = "artisans"', "game: there 'muster_v0', here 'artisans_v0'"),
    ],
)
def test_a_file_that_was_changed_is_refused_and_nothing_is_overwritten(write, tmp_path, fake, before, after, message):
    path = write(GRID)
    command(path)
    path.write_text(path.read_text().replace(before, after))
    found = contents(tmp_path / "out")
    for flags in ([], ["--dry-run"], ["--table"]):
        with pytest.raises(AgentError, match="was trained with other settings") as error:
            command(path, *flags)
        assert message in str(error.value)
        assert str(path) in str(error.value)
    assert contents(tmp_path / "out") == found
    assert len(fake.trained) == 8


def test_a_grid_that_has_grown_keeps_what_is_trained(write, tmp_path, fake, capsys):
    path = write(GRID)
    command(path)
    path.write_text(path.read_text().replace("[0.1, 0.2]", "[0.1, 0.15, 0.2]").replace("[1, 2]", "[1, 2, 3]"))
    command(path)
    assert len(fake.trained) == 18
    assert len(set(fake.trained)) == 18
    path.write_text(path.read_text().replace("[0.1, 0.15, 0.2]", "[0.15]"))
    capsys.readouterr()
    command(path)
    assert len(fake.trained) == 18
    assert "also holds 12 runs that" in capsys.readouterr().out


def test_files_of_others_are_left_alone(write, tmp_path, fake):
    path = write(GRID)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "notes.txt").write_text("mine")
    for flags in ([], ["--dry-run"], ["--table"]):
        with pytest.raises(AgentError, match=r"holds 'notes.txt', and no sweep"):
            command(path, *flags)
    (tmp_path / "out" / "notes.txt").unlink()
    command(path)
    first = tmp_path / "out" / read_sweep(path).runs[0].name
    (first / folders.RECORD).unlink()
    found = contents(tmp_path / "out")
    with pytest.raises(AgentError, match="holds files that no sweep wrote"):
        command(path)
    (first / folders.RECORD).write_text(json.dumps({"format": folders.RUN_FORMAT, "state": "perhaps"}))
    with pytest.raises(AgentError, match=r"run.json is damaged"):
        command(path)
    (first / folders.RECORD).unlink()
    assert contents(tmp_path / "out") == found


def test_one_process_trains_a_sweep_while_others_may_look(write, fake, capsys):
    path = write(GRID)
    with folders.alone(read_sweep(path)):
        with pytest.raises(AgentError, match="another process is training the sweep"):
            command(path)
        command(path, "--table")
    assert "no run has been evaluated yet" in capsys.readouterr().out


def test_a_run_that_fails_does_not_stop_the_others_and_is_not_tried_again(write, tmp_path, fake, capsys):
    path = write(GRID)
    fake.fail_at = "003-"
    command(path)
    text = capsys.readouterr().out
    assert len(fake.trained) == 8
    assert text.count("the run has diverged") == 4  # two as they end, two below the table
    assert text.index("\n  4  0.001 → 0.0001") < text.index("\n  3  0.001 → 0.0001")
    fake.fail_at = None
    command(path)
    assert len(fake.trained) == 8
    assert "2 runs failed earlier; to try one again delete its folder" in capsys.readouterr().out


def test_runs_side_by_side_have_one_thread_unless_the_file_says_otherwise(write):
    sweep = read_sweep(write(GRID))
    assert {run.settings.threads for run in sweep.with_threads(1).runs} == {1}
    own = read_sweep(write(GRID.replace("minutes = 2", "minutes = 2\nthreads = 2")))
    assert {run.settings.threads for run in own.with_threads(1).runs} == {2}


def test_a_run_is_resumed_with_the_threads_that_it_was_begun_with(write, tmp_path, fake):
    sweep = read_sweep(write(GRID)).with_threads(1)
    with folders.alone(sweep):
        folders.write_record(tmp_path / "out" / sweep.runs[0].name, sweep.runs[0].settings, folders.BEGUN)
    found = folders.places(read_sweep(sweep.file))
    assert [place.run.settings.threads for place in found[:2]] == [1, None]


# ---- What it tells


def test_a_dry_run_lists_the_runs_and_their_time_and_makes_nothing(write, tmp_path, fake, capsys):
    path = write(GRID)
    command(path, "--dry-run")
    text = capsys.readouterr().out
    assert text.count("seed=") == 8
    assert "4 combinations × 2 seeds = 8 runs, 8 left to train; time: 16 min" in text
    command(path, "--dry-run", "--jobs", "2")
    assert "time: 8 min" in capsys.readouterr().out
    assert not (tmp_path / "out").exists()


def test_a_forecast_learns_from_runs_that_have_ended(write):
    by_steps = replace(read_sweep(write(GRID)).runs[0].settings, steps=1000, minutes=None)
    forecaster = forecast.Forecast(jobs=2)
    assert forecaster.rest([(by_steps, 0.0)] * 4) is None
    assert "unknown" in forecast.told(None)
    forecaster.taken += [100.0, 200.0]
    assert forecaster.rest([(by_steps, 0.0)] * 4) == 300
    assert forecaster.rest([(by_steps, 100.0)]) == 50
    assert forecaster.rest([(replace(by_steps, minutes=1.0), 0.0)]) == 60
    assert [forecast.told(seconds) for seconds in (7, 300, 9000)] == ["7 s", "5 min", "2 h 30 min"]


def test_the_table_is_sorted_by_the_mean_and_has_every_seed(write, fake, capsys):
    path = write(GRID)
    command(path)
    capsys.readouterr()
    command(path, "--table")
    lines = capsys.readouterr().out.splitlines()
    assert " ".join(lines[0].split()) == "no. learning_rate clip win rate 95 % interval seed 1 seed 2 steps minutes"
    assert [line.split()[0] for line in lines[1:5]] == ["2", "4", "1", "3"]
    low, high = 0.215 - 12.706 * 0.005, 0.215 + 12.706 * 0.005
    assert lines[1].split()[4:] == ["0.2", "21.5%", f"{low:.1%}", "to", f"{high:.1%}", "21.0%", "22.0%", "2,000", "2.0"]
    assert lines[5].startswith("win rate against heuristic in the last evaluation (200 games, the same deals for all)")
    assert lines[6].startswith("95 % interval: Student's")


def test_the_best_settings_are_told_as_toml_and_as_flags(write, tmp_path, fake, capsys):
    command(write(GRID + "[options]\nmax_turns = 80\n"))
    text = capsys.readouterr().out
    flags = "cardtable train muster_v0 --minutes 2 --learning-rate 0.0005 5e-05 --clip 0.2 -o max_turns=80 --out DIR"
    assert flags in text
    policy = tmp_path / "out" / "002-learning_rate=0.0005_5e-05-clip=0.2-seed=2" / "policy.safetensors"
    assert f"cardtable arena muster_v0 ppo:{policy} heuristic --seed 2 -o max_turns=80" in text
    assert tomllib.loads((tmp_path / "out" / results.BEST).read_text()) == {
        "game": "muster_v0",
        "options": {"max_turns": 80},
        "settings": {"minutes": 2, "learning_rate": [5e-4, 5e-5], "clip": 0.2},
    }


def test_results_are_written_as_csv_json_and_picture(write, tmp_path, fake):
    command(write(GRID))
    with (tmp_path / "out" / results.CSV).open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 8
    assert rows[0] == {
        "combination": "2",
        "learning_rate": "0.0005_5e-05",
        "clip": "0.2",
        "seed": "1",
        "state": "done",
        "opponent": "heuristic",
        "rate": "0.21",
        "steps": "2000",
        "minutes": "2.0",
        "folder": "002-learning_rate=0.0005_5e-05-clip=0.2-seed=1",
    }
    found = json.loads((tmp_path / "out" / results.JSON).read_text())
    assert [each["number"] for each in found["combinations"]] == [2, 4, 1, 3]
    assert found["combinations"][0]["runs"][0]["curve"] == [[1.0, 1000, 0.105], [2.0, 2000, 0.21]]
    assert (tmp_path / "out" / results.PICTURE).read_bytes().startswith(b"\x89PNG")


def test_seeds_that_are_not_done_are_in_brackets_and_do_not_count(write, fake, capsys):
    path = write(GRID)
    fake.interrupt_at = "seed=2"
    with pytest.raises(KeyboardInterrupt):
        command(path)
    sweep = read_sweep(path)
    running = folders.places(sweep)[1]
    Log(RunFolder(running.path).log).add({"phase": "ppo", "steps": 5, "seconds": 6.0, "evaluation": {"heuristic": 0.9}})
    capsys.readouterr()
    command(path, "--table")
    text = capsys.readouterr().out
    first = text.splitlines()[1].split()
    assert first[4:] == ["0.1", "11.0%", "–", "11.0%", "(90.0%)", "1,002", "1.1"]
    assert "(90.0%)" in first
    assert "(in brackets: so far" in text


def test_a_single_seed_has_the_interval_of_its_games(write, fake, capsys):
    command(write(GRID.replace("[1, 2]", "[1]")))
    text = capsys.readouterr().out
    assert "95 % interval: Wilson's, over the games of one seed" in text
    assert "21.0%  15.9% to 27.2%" in text


def test_runs_that_learn_from_search_are_compared_by_their_networks(write, fake, capsys):
    """With those that do not; and whoever met the search is no agent of an arena."""
    command(write(GRID.replace("[grid]", "[grid]\nexpert = [0, 8]")))
    text = capsys.readouterr().out
    assert "win rate against heuristic in the last evaluation" in text
    assert "99.0%" not in text
    assert BY_SEARCH not in text


def test_a_game_for_one_player_is_compared_by_its_return(write, fake, capsys, tmp_path):
    fake.opponent = "return"
    fake.rate = staticmethod(lambda settings: -3 * settings.clip)
    path = write(GRID.replace("[grid]", "[options]\nnum_players = 1\n[grid]"))
    path.write_text(path.read_text().replace("muster", "murano"))
    command(path)
    text = capsys.readouterr().out
    assert "mean return in the last evaluation" in text
    assert "-0.300  -0.300 to -0.300" in text  # below 0, and not cut off there
    assert "win rate" not in text
    assert "policy.safetensors --seed 2" in text  # nobody to play against
    assert (tmp_path / "out" / results.PICTURE).exists()


def test_intervals_of_shares_end_at_0_and_1():
    assert results.interval([0.1, 0.9], share=True, games=200) == (0.0, 1.0)
    assert results.interval([0.1, 0.9], share=False, games=200)[0] < -4
    assert results.interval([0.4], share=False, games=200) is None
    assert results.interval([], share=True, games=200) is None


def test_the_mean_curve_is_over_what_seeds_have_in_common():
    def outcome(*points, state=folders.BEGUN):
        place = folders.Place(None, Path(), state)
        return results.Outcome(place, "heuristic", tuple(results.Point(*point) for point in points), 0.0, 0)

    done = outcome((0, 0, 0.1), (4, 40, 0.2), state=folders.DONE)
    assert picture.mean_curve([done, outcome((0, 0, 0.9))], lambda point: point.minutes)[1][-1] == pytest.approx(0.2)
    seeds = [outcome((0, 0, 0.0), (2, 20, 0.4)), outcome((1, 10, 0.4), (4, 40, 1.0)), outcome()]
    at, mean, low, high = picture.mean_curve(seeds, lambda point: point.minutes)
    assert (at[0], at[-1]) == (1, 2)
    assert (mean[0], low[0], high[0]) == pytest.approx((0.3, 0.2, 0.4))
    assert mean[-1] == pytest.approx(0.5)
    assert picture.mean_curve([outcome()], lambda point: point.steps) is None
    assert picture.mean_curve([outcome((0, 0, 0.1)), outcome((1, 1, 0.1))], lambda point: point.steps) is None


def test_toml_can_be_read_again():
    options = {"edition": {"a b": ['quo"te', "ä\\\x7f"]}, "flag": True}
    settings = {"learning_rate": (1e-3, 1e-05), "teacher": "search:100", "steps": 10**6}
    assert tomllib.loads(form.toml("muster_v0", options, settings)) == {
        "game": "muster_v0",
        "options": options,
        "settings": {**settings, "learning_rate": [1e-3, 1e-5]},
    }


# ---- For real

SETTINGS = {**SHORT, "steps": 512, "games": 16, "opponents": ["random"], "imitation_steps": 0}
TINY = f"{form.toml('muster', {}, SETTINGS).partition(chr(10))[2]}[grid]\ngamma = [1.0, 0.9]\n"


def test_a_sweep_for_real(write, tmp_path, capsys):
    path = write(TINY)
    command(path)
    text = capsys.readouterr().out
    assert "2 combinations × 1 seed = 2 runs" in text
    for run in read_sweep(path).runs:
        folder = RunFolder(tmp_path / "out" / run.name)
        assert folder.policy.exists()
        assert json.loads((folder.path / folders.RECORD).read_text())["state"] == "done"
    rows = json.loads((tmp_path / "out" / results.JSON).read_text())["combinations"]
    assert all(0 <= row["mean"] <= 1 and row["runs"][0]["steps"] >= 512 for row in rows)
    command(path, "--jobs", "2")
    assert "2 of them ended earlier" in capsys.readouterr().out


def test_a_sweep_that_was_killed_goes_on_in_two_processes(write, tmp_path, capsys):
    path = write(TINY)
    child = multiprocessing.get_context("spawn").Process(target=command, args=(path,))
    child.start()
    second = tmp_path / "out" / read_sweep(path).runs[1].name
    limit = time.monotonic() + 300
    while not (second / folders.RECORD).exists() and child.is_alive() and time.monotonic() < limit:
        time.sleep(0.01)
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    assert child.exitcode == -signal.SIGKILL
    command(path, "--jobs", "2")
    text = capsys.readouterr().out
    assert "1 of them ended earlier" in text
    assert [place.state for place in folders.places(read_sweep(path))] == ["done", "done"]
