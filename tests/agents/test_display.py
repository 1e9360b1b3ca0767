"""The progress of a run: one line in a terminal, lines now and then elsewhere; and what TensorBoard is given."""

import io
import struct

import pytest
from cardtable_agents.training import board, display, runs
from cardtable_agents.training.board import Board
from cardtable_agents.training.display import Display, describe
from small_runs import small


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def run(tmp_path, counter):
    run = runs.start(small(minutes=1.0, imitation_steps=512), tmp_path)
    run.evaluator.rates = {"random": 0.975, "search:100": 0.5}
    return run


def test_a_line_tells_all_that_one_wants_to_know(run):
    run.latest = {"steps_per_second": 98_765.4, "entropy": 0.8765, "value_error": 0.1234, "agreed": 0.5}
    line = describe(run, "ppo", 0.5)
    for part in ("ppo        50% [########........]", "98,765/s", "random 98%", "search:100 50%", "entropy 0.88", "value error 0.123"):
        assert part in line
    assert "agreed" not in line
    assert "agreed 50%" in describe(run, "imitation", 0.5)
    assert "left" in describe(run, "imitation", 0.5)  # the minutes tell


@pytest.mark.parametrize(("seconds", "shown"), [(None, ""), (5.4, "0:05 left"), (605, "10:05 left"), (7261, "2:01:01 left")])
def test_times_are_written_as_people_write_them(seconds, shown):
    assert display._time_left(seconds) == shown


def test_a_terminal_sees_one_line_per_phase(run, monkeypatch):
    monkeypatch.setattr(display, "REDRAWN", 0.0)
    stream = Terminal()
    shown = Display(run, stream)
    for done in (0.0, 0.5, 1.0):
        shown("imitation", done)
    shown("ppo", 0.1)
    shown.close()
    text = stream.getvalue()
    assert text.count("\n") == 2
    assert text.count("\r") == 4
    assert "\x1b" not in text


def test_a_terminal_is_not_written_to_more_often_than_one_can_read(run):
    stream = Terminal()
    shown = Display(run, stream)
    for done in range(100):
        shown("ppo", done / 1000)
    assert stream.getvalue().count("\r") < 10


def test_a_file_gets_whole_lines_now_and_then(run):
    stream = io.StringIO()
    shown = Display(run, stream)
    for done in range(100):
        shown("ppo", done / 1000)
    shown("ppo", 1.0)
    shown.close()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2  # at first, and at the end
    assert not any(mark in stream.getvalue() for mark in "\r\x1b\b")


# ---- TensorBoard


def events(folder):
    """What event files hold: (step, tag, value) in order; the framing of each record checked for its length."""
    from tensorboard.compat.proto.event_pb2 import Event

    (path,) = folder.glob(board.EVENTS)
    content, found = path.read_bytes(), []
    while content:
        (size,) = struct.unpack("<Q", content[:8])
        found.append(Event.FromString(content[12 : 12 + size]))
        content = content[size + 16 :]
    return found


def scalars(folder):
    return [
        (event.step, value.tag, round(value.simple_value, 4)) for event in events(folder) for value in event.summary.value
    ]


def test_tensorboard_gets_updates_and_evaluations(tmp_path, counter):
    pytest.importorskip("tensorboard")
    run = runs.start(small(steps=1024, imitation_steps=512), tmp_path)
    run.train()
    found = scalars(tmp_path / "tensorboard")
    assert (512, "imitation/agreed", 0.5) in found
    assert [step for step, tag, _ in found if tag == "ppo/entropy"] == [1024, 1536]  # after 512 demonstrations
    assert found[-1][:2] == (1536, "evaluation/random")
    assert not any(tag.endswith(("/seconds", "/steps", "/round", "/done")) for _, tag, _ in found)


def test_a_resumed_run_takes_back_what_tensorboard_had_been_told(tmp_path, counter):
    pytest.importorskip("tensorboard")
    run = runs.start(small(steps=1024), tmp_path)
    run.train()
    lines = len(scalars(tmp_path / "tensorboard"))
    run.board.begin(run.log, 1.0)
    run.board.add({"phase": "ppo", "steps": 99_999, "entropy": 7.0})  # after the last checkpoint
    run.board.close()
    assert len(scalars(tmp_path / "tensorboard")) == lines + 1
    runs.resume(small(steps=1536), tmp_path).train()
    found = scalars(tmp_path / "tensorboard")
    assert [step for step, tag, _ in found if tag == "ppo/entropy"] == [512, 1024, 1536]
    restart = events(tmp_path / "tensorboard")[1]
    assert (restart.step, restart.session_log.status) == (0, restart.session_log.START)


def test_tensorboard_itself_reads_them(tmp_path, counter):
    accumulator = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    runs.start(small(steps=1024), tmp_path).train()
    read = accumulator.EventAccumulator(str(tmp_path / "tensorboard"))
    read.Reload()
    assert [event.step for event in read.Scalars("ppo/entropy")] == [512, 1024]


def test_without_tensorboard_there_is_no_file_and_no_error(tmp_path, monkeypatch):
    monkeypatch.setattr(board.importlib.util, "find_spec", lambda name: None)
    given = Board(tmp_path / "tensorboard")
    given.begin([{"phase": "ppo", "steps": 1, "entropy": 1.0}], 0.0)
    given.add({"phase": "ppo", "steps": 2, "entropy": 1.0})
    given.close()
    assert not (tmp_path / "tensorboard").exists()
