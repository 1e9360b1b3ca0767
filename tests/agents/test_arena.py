"""The arena: fair pairings, files that can be continued, the same results in any number of processes."""

import json

import pytest

from agents.arena import Plan, checked_plan, line_ups, read_results, run, tasks_of
from agents.roster import AgentError
from agents.standings import standings
from cardtable.cli import main
from cardtable.errors import OptionError
from cardtable.replay import Replay

PLAN = Plan("muster_v0", {"max_turns": 30}, ("random", "heuristic"), seed=4)

MY_BOTS = """
from agents import Agent, register

@register("first", "the first legal action")
class First(Agent):
    def act(self, views):
        return views.mask.argmax(axis=1)
"""


def timeless(lines):
    """The games in a fixed order, without the time they took."""
    plain = [{key: value for key, value in line.items() if key != "seconds"} for line in lines]
    return sorted(plain, key=lambda line: (line["deal"], line["agents"]))


def test_agents_are_rotated_through_the_seats():
    assert line_ups(("a", "b"), 2) == [[("a", "b"), ("b", "a")]]
    assert line_ups(("a", "b", "c"), 3) == [[("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]]


def test_more_agents_than_seats_play_every_pairing():
    assert line_ups(("a", "b", "c"), 2) == [[("a", "b"), ("b", "a")], [("a", "c"), ("c", "a")], [("b", "c"), ("c", "b")]]
    assert line_ups(("a", "b"), 1) == [[("a",)], [("b",)]]


def test_fewer_agents_than_seats_fill_the_table_alike():
    [seatings] = line_ups(("a", "b"), 3)
    assert len(seatings) == len(set(seatings)) == 6
    everyone = [agent for seating in seatings for agent in seating]
    assert everyone.count("a") == everyone.count("b")
    assert line_ups(("a", "b"), 4) == [[("a", "b", "a", "b"), ("b", "a", "b", "a")]]
    assert line_ups(("a",), 4) == [[("a", "a", "a", "a")]]


def test_tasks_cover_every_deal_once_from_every_seat():
    done = {(("random", "heuristic"), 3), (("heuristic", "random"), 0)}
    tasks = tasks_of(PLAN, 21, done, workers=2)
    covered = [(task.seating, task.first + k) for task in tasks for k in range(task.number)]
    wanted = {(seating, deal) for seating in (("random", "heuristic"), ("heuristic", "random")) for deal in range(11)}
    assert len(covered) == len(set(covered))
    assert set(covered) == wanted - done


def test_a_run_that_was_interrupted_goes_on(tmp_path):
    whole = run(PLAN, 24, tmp_path / "whole")

    def interrupt(done, total):
        if done >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(PLAN, 24, tmp_path / "broken", progress=interrupt)
    path = tmp_path / "broken" / "games.jsonl"
    kept = read_results(path, PLAN)
    assert 6 <= len(kept) < 24
    with path.open("a") as file:
        file.write('{"agents": ["random", "heu')  # cut off in the middle of a line
    heard = []
    lines = run(PLAN, 24, tmp_path / "broken", progress=lambda done, total: heard.append((done, total)))
    assert heard[0] == (len(kept), 24)
    assert heard[-1] == (24, 24)
    assert timeless(lines) == timeless(whole)
    assert timeless(read_results(path, PLAN)) == timeless(whole)
    assert run(PLAN, 24, tmp_path / "broken") == lines


def test_more_games_are_added_to_those_there_are(tmp_path):
    few = run(PLAN, 4, tmp_path)
    more = run(PLAN, 10, tmp_path)
    assert more[:4] == few
    assert len(more) == 10


def test_results_of_another_plan_are_not_mixed_in(tmp_path):
    run(PLAN, 2, tmp_path)
    with pytest.raises(AgentError, match=r"another plan \(different: seed\)"):
        run(Plan("muster_v0", {"max_turns": 30}, ("random", "heuristic"), seed=5), 2, tmp_path)
    (tmp_path / "games.jsonl").write_text("[1]\nnonsense\n")
    with pytest.raises(AgentError, match="not a file of results"):
        run(PLAN, 2, tmp_path)
    assert PLAN.folder() == PLAN.folder()
    assert PLAN.folder() != Plan("muster_v0", {}, ("random", "heuristic"), seed=4).folder()


def test_the_arena_prints_a_table_draws_a_picture_and_saves_replays(tmp_path, capsys):
    arguments = ["arena", "artisans", "random", "heuristic", "--games", "6", "--workers", "1", "-o", "num_players=3"]
    assert main([*arguments, "--replays", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "95 % interval" in out
    assert "heuristic" in out
    assert (tmp_path / "win_rates.png").read_bytes().startswith(b"\x89PNG")
    lines = [json.loads(line) for line in (tmp_path / "games.jsonl").read_text().splitlines()][1:]
    assert len(lines) == 6
    for line in lines[:2]:
        replay = Replay.load(tmp_path / line["replay"])
        assert replay.verify().result() == (line["returns"], line["scores"])


def test_agents_alone_at_the_table_are_compared_on_the_same_deals(tmp_path):
    (tmp_path / "my_bots.py").write_text(MY_BOTS)
    plan = checked_plan(Plan("murano", {"num_players": 1}, ("random", "first"), 2, (str(tmp_path / "my_bots.py"),)))
    lines = run(plan, 5, tmp_path)
    assert sorted((line["deal"], line["agents"][0]) for line in lines) == [
        (deal, agent) for deal in range(5) for agent in ("first", "random")
    ]
    assert sum(row.entries for row in standings(plan.agents, lines)) == 10
    (tmp_path / "my_bots.py").write_text(MY_BOTS + "# edited")
    with pytest.raises(AgentError, match=r"different: sources"):
        run(plan, 5, tmp_path)


def test_processes_change_nothing_and_know_agents_of_a_file(tmp_path, capsys):
    (tmp_path / "my_bots.py").write_text(MY_BOTS)
    arguments = ["arena", "muster", "first", "random", "--games", "8", "--load", str(tmp_path / "my_bots.py")]
    for workers in ("1", "2"):
        assert main([*arguments, "--workers", workers, "--out", str(tmp_path / workers)]) == 0
    assert "first" in capsys.readouterr().out
    results = [
        [json.loads(line) for line in (tmp_path / workers / "games.jsonl").read_text().splitlines()[1:]] for workers in "12"
    ]
    assert timeless(results[0]) == timeless(results[1])


@pytest.mark.parametrize(
    ("plan", "error", "message"),
    [
        (Plan("muster", {}, ("random", "nobody"), 1), AgentError, "no agent is called 'nobody'"),
        (Plan("muster", {}, ("random", "random"), 1), AgentError, "each may be named once"),
        (Plan("muster", {"colour": 1}, ("random",), 1), OptionError, "unknown option"),
        (Plan("muster", {}, ("random",), -1), OptionError, "seed=-1"),
    ],
)
def test_wrong_plans_are_refused_before_anything_is_played(plan, error, message):
    with pytest.raises(error, match=message):
        checked_plan(plan)
