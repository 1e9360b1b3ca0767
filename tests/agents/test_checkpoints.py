"""Checkpoints: a run goes on from the newest whole one, and from nothing that is damaged, foreign or of another run."""

import json
import os

import numpy as np
import pytest
import torch
from cardtable_agents import weights
from cardtable_agents.training import checkpoints, runs
from cardtable_agents.training.settings import MAY_CHANGE
from small_runs import contents, small

from cardtable.errors import AgentError


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a small run, and a checkpoint of it."""
    folder = tmp_path_factory.mktemp("finished")
    runs.start(small(), folder).train()
    path = checkpoints.paths(folder / "checkpoints")[-1]
    return folder, *weights.load(path)


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


def test_the_newest_checkpoints_are_kept(tmp_path):
    run = runs.start(small(checkpoints_kept=2), tmp_path)
    for _ in range(4):
        run.save()
    assert [path.name for path in checkpoints.paths(tmp_path / "checkpoints")] == [
        "000000003.safetensors",
        "000000004.safetensors",
    ]


def test_runs_that_differ_and_checkpoints_that_do_not_fit_are_refused(finished, tmp_path):
    folder, arrays, about = finished
    with pytest.raises(AgentError, match=r"holds a training run: resume it, overwrite it"):
        runs.start(small(), folder)
    with pytest.raises(AgentError, match=r"holds another run \(different: seed, games\)"):
        runs.resume(small(seed=9, games=8), folder)
    (tmp_path / "checkpoints").mkdir()
    changed = {**arrays, "network.action_net.bias": np.zeros(3, np.float32)}
    weights.save(tmp_path / "checkpoints" / "000000001.safetensors", changed, about)
    with pytest.raises(weights.WeightsError, match="does not fit the learner"):
        runs.resume(small(steps=1024), tmp_path)


def test_runs_of_earlier_versions_can_be_resumed(tmp_path):
    """Their checkpoints recorded fewer settings, one of them by another name, and their logs had exams."""
    settings = small(steps=20_000, snapshot_updates=20, rollout=16_384, batch=1024, imitation_round=40_960, critic_updates=4)
    runs.start(settings, tmp_path).save()
    path = checkpoints.paths(tmp_path / "checkpoints")[-1]
    arrays, about = weights.load(path)
    names = ("game", "options", "seed", "games", "teacher", "opponents", "advice")
    former = {**{name: about["agreed"][name] for name in names}, "guidance": 0.0}
    assert set(former) < {*about["agreed"], *MAY_CHANGE, "guidance"}
    weights.save(path, arrays, {**about, "agreed": former, "lines": 2})
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write(json.dumps({"phase": "ppo", "steps": 0, "exam": {"random": 0.5}, "seconds": 1.0}) + "\n")
    resumed = runs.resume(settings, tmp_path, pytest.fail)
    resumed.save()
    assert resumed.log.lines == 2
    assert checkpoints.read(checkpoints.paths(tmp_path / "checkpoints")[-1]).about["agreed"] == settings.fixed()
    weights.save(path, arrays, {**about, "agreed": {**former, "guidance": 0.5}})
    for later in checkpoints.paths(tmp_path / "checkpoints"):
        if later != path:
            later.unlink()
    with pytest.raises(AgentError, match=r"another run \(different: shaping\)"):
        runs.resume(settings, tmp_path, pytest.fail)


def test_a_run_that_has_diverged_spoils_nothing_that_was_kept(tmp_path):
    run = runs.start(small(), tmp_path)
    run.train()
    before = contents(tmp_path)
    with torch.no_grad():
        run.learner.network.action_net.bias[3] = float("nan")
    with pytest.raises(weights.WeightsError, match="the run has diverged"):
        run.save()
    assert contents(tmp_path) == before


WRONG_ABOUT = [
    *(("steps", value) for value in (None, -1, 0.5, "512", True, [], 10**30, 10**4000)),
    *(("seconds", value) for value in (None, -1.0, float("nan"), float("inf"), "1", 10**400)),
    *(("rates", value) for value in (None, [], {"random": "all"}, {"random": float("nan")}, {"random": [[]]})),
    *(("agreed", value) for value in (None, [], "x" * 10**5)),
    *(("format", value) for value in (None, "cardtable policy 1", ["x" * 10**5], {})),
    *((name, None) for name in ("lines", "next_game", "updates", "rounds_done", "imitation_seconds")),
]


@pytest.mark.parametrize(("name", "value"), WRONG_ABOUT, ids=lambda value: str(value)[:20] if isinstance(value, str) else None)
def test_a_checkpoint_that_tells_nonsense_is_passed_over(finished, tmp_path, name, value):
    _, arrays, about = finished
    path = tmp_path / "000000001.safetensors"
    weights.save(path, arrays, {**about, name: value})
    told = []
    assert checkpoints.newest(tmp_path, told.append) is None
    assert f"its {name} is" in told[0] or "not a weights file" in told[0]  # Python refuses to read 4,000 digits
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


@pytest.mark.parametrize("change", WRONG_ARRAYS)
def test_a_checkpoint_with_other_numbers_is_refused(finished, tmp_path, change):
    _, arrays, about = finished
    (tmp_path / "checkpoints").mkdir()
    weights.save(tmp_path / "checkpoints" / "000000001.safetensors", WRONG_ARRAYS[change](arrays), about)
    told = []
    with pytest.raises((AgentError, weights.WeightsError), match=r"does not fit|damaged") as caught:
        runs.resume(small(steps=1024), tmp_path, told.append)
    assert max(map(len, [str(caught.value), *told])) < 1000
