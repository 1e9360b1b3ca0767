"""Checkpoints: a run goes on from the newest whole one, and from nothing that is damaged, foreign or of another run."""

import os
import pickle

import numpy as np
import pytest
from cardtable_agents import weights
from cardtable_agents.training import checkpoints, run, runs
from small_runs import Counter, small

from cardtable.errors import AgentError


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The folder of a small run, and a checkpoint of it."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "make_learner", Counter)
        runs.start(small(), folder).train()
    path = checkpoints.paths(folder / "checkpoints")[-1]
    return folder, *weights.load(path)


def test_hostile_checkpoints_run_nothing(tmp_path):
    class Harm:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "harm"),)

    folder = tmp_path / "checkpoints"
    folder.mkdir()
    (folder / "000000001.safetensors").write_bytes(pickle.dumps(Harm()))
    np.savez(folder / "objects.npz", harm=np.array([Harm()], dtype=object))
    (folder / "objects.npz").rename(folder / "000000002.safetensors")
    told = []
    assert checkpoints.newest(folder, told.append) is None
    assert len(told) == 2
    assert not (tmp_path / "harm").exists()


def test_the_newest_checkpoints_are_kept(tmp_path, counter):
    run = runs.start(small(checkpoints_kept=2), tmp_path)
    for _ in range(4):
        run.save()
    assert [path.name for path in checkpoints.paths(tmp_path / "checkpoints")] == [
        "000000003.safetensors",
        "000000004.safetensors",
    ]


def test_runs_that_differ_and_checkpoints_that_do_not_fit_are_refused(finished, tmp_path, counter):
    folder, arrays, about = finished
    with pytest.raises(AgentError, match=r"holds a training run: resume it, overwrite it"):
        runs.start(small(), folder)
    with pytest.raises(AgentError, match=r"holds another run \(different: seed, games\)"):
        runs.resume(small(seed=9, games=8), folder)
    (tmp_path / "checkpoints").mkdir()
    weights.save(tmp_path / "checkpoints" / "000000001.safetensors", {**arrays, "more": np.zeros(3)}, about)
    with pytest.raises(weights.WeightsError, match="does not fit the learner"):
        runs.resume(small(steps=1024), tmp_path)


def test_a_state_of_another_learner_is_refused(finished, tmp_path):
    """Settings of the same run, a learner that finds another one's arrays."""
    _, arrays, about = finished
    (tmp_path / "checkpoints").mkdir()
    weights.save(tmp_path / "checkpoints" / "000000001.safetensors", arrays, about)
    with pytest.raises(weights.WeightsError, match="does not fit the learner"):
        runs.resume(small(), tmp_path)


def test_runs_of_earlier_versions_are_refused_in_words_and_can_be_overwritten(finished, tmp_path, counter):
    _, arrays, about = finished
    (tmp_path / "checkpoints").mkdir()
    former = {**about, "format": "cardtable checkpoint 1"}
    weights.save(tmp_path / "checkpoints" / "000000001.safetensors", arrays, former)
    with pytest.raises(AgentError, match=r"of an earlier version \(cardtable checkpoint 1\) and cannot be resumed"):
        runs.resume(small(), tmp_path, lambda line: None)
    with pytest.raises(AgentError, match="overwrite it"):
        runs.start(small(), tmp_path)
    runs.start(small(), tmp_path, overwrite=True).train()
    assert checkpoints.newest(tmp_path / "checkpoints", pytest.fail).about["format"] == checkpoints.FORMAT


WRONG_ABOUT = [
    *(("steps", value) for value in (None, -1, 0.5, "512", True, [], 10**30, 10**4000)),
    *(("seconds", value) for value in (None, -1.0, float("nan"), float("inf"), "1", 10**400)),
    *(("rates", value) for value in (None, [], {"random": "all"}, {"random": float("nan")}, {"random": [[]]})),
    *(("agreed", value) for value in (None, [], "x" * 10**5)),
    *(("learner", value) for value in (None, [], "x" * 10**5)),
    *(("format", value) for value in (None, "cardtable policy 1", ["x" * 10**5], {})),
    *(("imitation_over", value) for value in (None, 1, "yes")),
    *((name, None) for name in ("lines", "updates", "rounds", "demonstrations", "imitation_seconds")),
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


@pytest.mark.parametrize("wrong", [np.nan, np.inf, -1e30], ids=str)
def test_a_checkpoint_of_a_diverged_run_is_passed_over(finished, tmp_path, wrong):
    _, arrays, about = finished
    weights.save(tmp_path / "000000001.safetensors", {**arrays, "numbers": np.array([0.0, wrong])}, about)
    told = []
    assert checkpoints.newest(tmp_path, told.append) is None
    assert "not finite or exceed" in told[0]


def test_integers_may_be_as_large_as_they_are(finished, tmp_path):
    """Records of games hold seeds."""
    _, arrays, about = finished
    weights.save(tmp_path / "000000001.safetensors", {**arrays, "seeds": np.array([2**62])}, about)
    assert checkpoints.newest(tmp_path, pytest.fail).arrays["seeds"][0] == 2**62
