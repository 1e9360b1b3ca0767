"""The log of a training run: lines that survive a kill, and that later versions can read."""

import os

import pytest
from cardtable_agents.training import curves, log

from cardtable.errors import AgentError


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
    with pytest.raises(AgentError, match="exists and will not be overwritten"):
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


def test_logs_of_earlier_versions_are_read_in_the_words_of_today(tmp_path):
    (tmp_path / "log.jsonl").write_text('{"format": "cardtable training 1"}\n{"exam": {"random": 0.5}}\n{"evaluation": {}}\n')
    assert log.read(tmp_path / "log.jsonl") == [{"evaluation": {"random": 0.5}}, {"evaluation": {}}]


def test_the_learning_curve_of_a_log_of_any_version_can_be_drawn(tmp_path):
    written = log.Log(tmp_path / "log.jsonl")
    written.begin({})
    written.add({"phase": "imitation", "round": 1, "seconds": 20.0})
    for seconds, name in ((30.0, "exam"), (90.0, "evaluation"), (150.0, "evaluation")):
        written.add({"phase": "ppo", name: {"random": 0.9, "heuristic": seconds / 300}, "seconds": seconds})
    curves.draw(written.read(), "a run", tmp_path / "curve.png")
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_learning_curve_of_a_game_for_one_shows_returns_of_the_network_and_of_its_search(tmp_path, monkeypatch):
    returns = [{"return": each / 10, "return by search:8": each / 5} for each in range(3)]
    lines = [{"phase": "ppo", "evaluation": each, "seconds": 60.0 * place} for place, each in enumerate(returns)]
    drawn = []
    monkeypatch.setattr(curves, "write_picture", lambda figure, path: drawn.append(figure))
    curves.draw(lines, "alone", tmp_path / "curve.png", 1.0)
    assert [each.get_text() for each in drawn[0].axes[0].get_legend().get_texts()] == ["mean return", "mean return by search:8"]
    monkeypatch.undo()
    curves.draw(lines, "alone", tmp_path / "curve.png", 1.0)
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")
