"""The arena: fair pairings, the same results in any number of processes, nothing mixed, nothing left behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from cardtable_agents.arena import results
from cardtable_agents.arena.plan import line_ups, make_plan
from cardtable_agents.arena.results import read_results
from cardtable_agents.arena.standings import standings
from cardtable_agents.arena.tournament import by_the_clock, run
from cardtable_agents.arena.work import cut_all, left_to_play, number_of_deals
from cardtable_agents.players import policy
from cardtable_agents.players.policy import Policy
from helpers import SALT

import artisans_env
from cardtable.cli.main import main
from cardtable.errors import AgentError, OptionError
from cardtable.game.registry import find
from cardtable.replay import Replay


def plan_of(*agents, options=None, seed=4, modules=()):
    return make_plan("muster", {"max_turns": 30} if options is None else options, agents, seed, modules)


PLAN = plan_of("random", "heuristic")

MY_BOTS = """
from cardtable.players.agent import Agent
from cardtable.players.roster import register

@register("first", "the first legal action")
class First(Agent):
    def act(self, views):
        return views.mask.argmax(axis=1)
"""

CHEATS = """
import sys
from cardtable.players.agent import Agent
from cardtable.players.roster import register

@register("cheat", "changes the records of the match")
class Cheat(Agent):
    def act(self, views):
        frame = sys._getframe()
        while "games" not in frame.f_locals:
            frame = frame.f_back
        frame.f_locals["games"].lanes.records["turn"][0] += 1
        return views.mask.argmax(axis=1)
"""


def timeless(lines):
    """The games in a fixed order, without the time they took."""
    plain = [{key: value for key, value in line.items() if key not in ("seconds", "check")} for line in lines]
    return sorted(plain, key=lambda line: (line["deal"], line["agents"]))


def games_in(folder):
    """The games of a folder, without a line that is still being written."""
    return [json.loads(line) for line in (folder / "games.jsonl").read_text().split("\n")[1:-1]]


def save_policy(path, seed):
    """A policy that has learned nothing, and plays differently for each seed."""
    game, generator = find("muster"), np.random.default_rng(seed)
    weight = generator.normal(size=(game.actions.size, game.layout.size))
    policy.save(path, game, Policy([(weight, generator.normal(size=game.actions.size))]), {})
    return f"ppo:{path}"


# ---- Who plays whom


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
    tasks = cut_all(left_to_play(PLAN, range(number_of_deals(PLAN, 21)), done), 2)
    covered = [(seating, task.first + k) for task in tasks for seating in task.seatings for k in range(task.number)]
    assert max(task.number for task in tasks) == 2
    wanted = {(seating, deal) for seating in (("random", "heuristic"), ("heuristic", "random")) for deal in range(11)}
    assert len(covered) == len(set(covered))
    assert set(covered) == wanted - done


def test_an_agent_may_sit_at_a_table_twice(tmp_path, capsys):
    arguments = ["arena", "muster", "random", "random", "--games", "8", "--workers", "1", "-o", "max_turns=30"]
    assert main([*arguments, "--out", str(tmp_path)]) == 0
    rows = [line.split()[:2] for line in capsys.readouterr().out.splitlines()[1:3]]
    assert sorted(rows) == [["random", "8"], ["random#2", "8"]]
    header = json.loads((tmp_path / "games.jsonl").read_text().splitlines()[0])
    assert header["agents"] == ["random", "random"]
    assert [line["agents"] for line in games_in(tmp_path)].count(["random#2", "random"]) == 4


def test_entries_have_labels_of_their_own_whatever_their_names(tmp_path):
    path = save_policy(tmp_path / "x.safetensors", 1)
    (tmp_path / "x.safetensors#2").write_bytes((tmp_path / "x.safetensors").read_bytes())
    for agents in ([path, path, f"{path}#2"], [f"{path}#2", path, path], [path, f"{path}#2", f"{path}#2", path]):
        labels = plan_of(*agents).labels
        assert len(set(labels)) == len(agents)
        assert labels[0] == agents[0]
        assert all(label.startswith(agent) for label, agent in zip(labels, agents, strict=True))


# ---- Going on


def test_a_run_that_was_interrupted_goes_on(tmp_path):
    whole = run(PLAN, 24, tmp_path / "whole", salt=SALT)

    def interrupt(done, total):
        if done >= 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(PLAN, 24, tmp_path / "broken", salt=SALT, progress=interrupt)
    path = tmp_path / "broken" / "games.jsonl"
    kept = read_results(path, PLAN).games
    assert 6 <= len(kept) < 24
    with path.open("a") as file:
        file.write('{"agents": ["random", "heu')  # cut off in the middle of a line
    heard = []
    lines = run(PLAN, 24, tmp_path / "broken", progress=lambda done, total: heard.append((done, total)))
    assert heard[0] == (len(kept), 24)
    assert heard[-1] == (24, 24)
    assert timeless(lines) == timeless(whole)
    assert path.read_bytes() == (tmp_path / "whole" / "games.jsonl").read_bytes()
    assert run(PLAN, 24, tmp_path / "broken") == lines


def test_a_run_that_was_killed_before_its_lines_were_in_order_puts_them_there(tmp_path):
    run(PLAN, 24, tmp_path, salt=SALT)
    path = tmp_path / "games.jsonl"
    header, *games = whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([header, *games[10:], *games[:4], games[7]]))
    run(PLAN, 24, tmp_path)
    assert path.read_bytes() == b"".join(whole)


def test_lines_are_in_the_order_of_the_plan_and_more_games_come_after(tmp_path):
    plan = plan_of("random", "heuristic", "random")
    run(plan, 4, tmp_path, salt=SALT)
    few = (tmp_path / "games.jsonl").read_bytes()
    run(plan, 9, tmp_path, salt=SALT)
    assert (tmp_path / "games.jsonl").read_bytes().startswith(few)
    seatings = [list(seating) for line_up in plan.seatings() for seating in line_up]
    expected = [(deal, seating) for deal in range(5) for seating in seatings]
    assert [(line["deal"], line["agents"]) for line in games_in(tmp_path)] == expected


def test_more_games_are_added_to_those_there_are(tmp_path):
    few = run(PLAN, 4, tmp_path)[:]
    more = run(PLAN, 10, tmp_path)
    assert more[:4] == few
    assert len(more) == 10


def test_an_arena_is_played_again_by_its_salt_and_differs_with_another(tmp_path):
    first = run(PLAN, 6, tmp_path / "first")
    salt = read_results(tmp_path / "first" / "games.jsonl", PLAN).salt
    assert timeless(run(PLAN, 6, tmp_path / "again", salt=salt)) == timeless(first)
    assert timeless(run(PLAN, 6, tmp_path / "other")) != timeless(first)
    with pytest.raises(AgentError, match="holds games with another salt"):
        run(PLAN, 6, tmp_path / "other", salt=salt)
    with pytest.raises(AgentError, match="salt 'ff': allowed: 32 hexadecimal digits"):
        run(PLAN, 6, tmp_path / "wrong", salt="ff")
    assert not (tmp_path / "wrong" / "games.jsonl").exists()


# ---- Nothing mixed


def test_results_of_another_plan_are_not_mixed_in(tmp_path):
    run(PLAN, 2, tmp_path)
    for other, name in (
        (plan_of("random", "heuristic", seed=5), "seed"),
        (plan_of("heuristic", "random"), "agents"),
        (plan_of("random", "heuristic", options={}), "options"),
    ):
        with pytest.raises(AgentError, match=rf"another plan \(different: {name}\)"):
            run(other, 2, tmp_path)
        assert PLAN.folder() != other.folder()
    assert PLAN.folder() == plan_of("random", "heuristic").folder()


def test_a_policy_that_was_replaced_is_another_agent(tmp_path):
    """The table of the old one must not be printed for the new one, nor their games be mixed."""
    name = save_policy(tmp_path / "policy.safetensors", 1)
    old = plan_of(name, "random")
    run(old, 4, tmp_path / "out")
    before = (tmp_path / "out" / "games.jsonl").read_bytes()
    save_policy(tmp_path / "policy.safetensors", 2)
    new = plan_of(name, "random")
    assert new.folder() != old.folder()
    for games in (4, 8):
        with pytest.raises(
            AgentError, match=r"different: the content behind 'ppo:.*policy\.safetensors'\); choose another --out"
        ):
            run(new, games, tmp_path / "out")
    with pytest.raises(AgentError, match="has changed since the arena began"):
        run(old, 8, tmp_path / "out")
    assert (tmp_path / "out" / "games.jsonl").read_bytes() == before
    save_policy(tmp_path / "policy.safetensors", 1)
    assert len(run(plan_of(name, "random"), 8, tmp_path / "out")) == 8


def test_the_policies_of_the_package_count_by_their_content(tmp_path, monkeypatch):
    monkeypatch.setattr(policy, "POLICIES", tmp_path)
    plans = []
    for seed in (1, 2):
        save_policy(tmp_path / "muster_v0.safetensors", seed)
        plans.append(plan_of("ppo", "random"))
    assert plans[0].fingerprints != plans[1].fingerprints
    assert plans[0].folder() != plans[1].folder()


def test_a_file_that_changes_while_the_arena_runs_stops_it(tmp_path):
    """Processes load agents when they start; one that finds another file ends the run, and nothing of it is counted."""
    name = save_policy(tmp_path / "policy.safetensors", 1)
    plan = plan_of(name, "random")

    def replace(done, total):
        save_policy(tmp_path / "policy.safetensors", 2)

    with pytest.raises(AgentError, match=r"agent 'ppo:.*' has changed since the arena began: start it again"):
        run(plan, 8, tmp_path / "out", workers=2, progress=replace)
    assert games_in(tmp_path / "out") == []


EDITION = (Path(artisans_env.__file__).parent / "example_edition.toml").read_text()


def test_an_edition_counts_by_its_content(tmp_path):
    path = tmp_path / "cards.toml"
    path.write_text(EDITION)
    old = make_plan("artisans", {"edition": str(path)}, ["random"])
    first = run(old, 2, tmp_path / "old", salt=SALT)[:]
    changed = EDITION.replace("points = 5", "points = 4", 1)
    assert changed != EDITION
    path.write_text(changed)
    new = make_plan("artisans", {"edition": str(path)}, ["random"])
    assert new.folder() != old.folder()
    with pytest.raises(AgentError, match=r"different: options"):
        run(new, 2, tmp_path / "old")
    assert timeless(run(old, 2, tmp_path / "again", salt=SALT)) == timeless(first)  # its plan holds the old cards


READER = """
from pathlib import Path
from cardtable.players.agent import Agent
from cardtable.players.roster import register

@register("reader", "plays by its notes")
class Reader(Agent):
    def act(self, views):
        return views.mask.argmax(axis=1)

    def fingerprint(self):
        return Path(__file__).with_name("notes.txt").read_text()
"""


def test_agents_say_what_they_depend_on(tmp_path):
    (tmp_path / "notes.txt").write_text("1")
    bots = tmp_path / "readers.py"
    bots.write_text(READER)
    plan = plan_of("reader", "random", modules=[str(bots)])
    assert plan.fingerprints == ("1", "")
    run(plan, 2, tmp_path / "out")
    (tmp_path / "notes.txt").write_text("2")
    with pytest.raises(AgentError, match="different: the content behind 'reader'"):
        run(plan_of("reader", "random", modules=[str(bots)]), 2, tmp_path / "out")
    (tmp_path / "notes.txt").write_text("2" * 1000)
    with pytest.raises(AgentError, match=r"agent 'reader': fingerprint '222.*: expected a text of at most 500 characters"):
        plan_of("reader", "random", modules=[str(bots)])


def test_sources_of_agents_count_by_what_was_run(tmp_path, monkeypatch):
    """A file is loaded again after an edit; of a package, every Python file counts, whatever its name."""
    file, package = tmp_path / "some_bots.py", tmp_path / "bot_package"
    package.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    for module, edited in ((str(file), file), ("bot_package.players", package / "env.py")):
        (package / "players.py").write_text(MY_BOTS)
        file.write_text(MY_BOTS)
        (package / "env.py").write_text("")
        before = plan_of("first", "random", modules=[module])
        edited.write_text("# edited\n" + edited.read_text())
        after = plan_of("first", "random", modules=[module])
        assert before.sources != after.sources
        with pytest.raises(AgentError, match="edited since the arena began"):
            (edited.write_text("# again\n"), before.make_agents())


def test_files_of_agents_are_loaded_whatever_their_name(tmp_path):
    """`json` is a module already, and two folders may hold a file of the same name."""
    for number, folder in enumerate(("one", "two"), start=1):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "json.py").write_text(MY_BOTS.replace('"first"', f'"first{number}"'))
    plan = plan_of("first1", "first2", modules=[str(tmp_path / folder / "json.py") for folder in ("one", "two")])
    assert len(set(plan.make_agents().values())) == 2
    broken = tmp_path / "broken.py"
    broken.write_text("1 / 0")
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            plan_of("random", modules=[str(broken)])
    broken.write_text("1 /")
    with pytest.raises(AgentError, match=r"broken\.py': not a Python file: invalid syntax"):
        plan_of("random", modules=[str(broken)])


# ---- What it writes


def test_the_arena_prints_a_table_draws_a_picture_and_saves_replays(tmp_path, capsys):
    arguments = ["arena", "artisans", "random", "heuristic", "--games", "6", "--workers", "1", "-o", "num_players=3"]
    assert main([*arguments, "--replays", "--out", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert "95 % interval" in out
    assert "heuristic" in out
    assert (tmp_path / "win_rates.png").read_bytes().startswith(b"\x89PNG")
    lines = games_in(tmp_path)
    assert len(lines) == 6
    for line in lines[:2]:
        replay = Replay.load(tmp_path / line["replay"])
        assert replay.verify().result() == (line["returns"], line["scores"])


def test_replays_of_agents_named_by_paths_have_safe_names_and_overwrite_nothing(tmp_path):
    (tmp_path / "runs" / "x").mkdir(parents=True)
    agents = [save_policy(tmp_path / "runs" / "x" / name, 1) for name in ("a.safetensors", "a:safetensors", "a_safetensors")]
    plan = plan_of(*agents)
    [first] = {results.replay_name(plan.seatings()[0][0], 0)}
    (tmp_path / "out" / "replays").mkdir(parents=True)
    (tmp_path / "out" / "replays" / first).write_text("mine")
    lines = run(plan, 2, tmp_path / "out", replays=True)
    assert len({line["replay"] for line in lines}) == len(lines) == 6
    assert (tmp_path / "out" / "replays" / first).read_text() == "mine"
    for line in lines:
        folder, name = line["replay"].split("/")
        assert folder == "replays"
        assert Replay.load(tmp_path / "out" / folder / name).verify().result() == (line["returns"], line["scores"])
    assert len(list((tmp_path / "out" / "replays").iterdir())) == 7


def test_a_replay_that_was_written_before_a_kill_is_not_written_twice(tmp_path):
    run(PLAN, 2, tmp_path, replays=True, salt=SALT)
    for name in ("games.jsonl", "times.jsonl"):
        (tmp_path / name).unlink()
    run(PLAN, 2, tmp_path, replays=True, salt=SALT)
    assert len(list((tmp_path / "replays").iterdir())) == 2


def test_names_of_replays_differ_wherever_seatings_do():
    seatings = [("a", "b"), ("a-b",), ("a_b",), ("a", "B"), ("a:b",), ("a/b",), ("b", "a"), ("x" * 300, "y"), ("x" * 300, "z")]
    names = [results.replay_name(seating, deal) for seating in seatings for deal in (1, 11)]
    assert len({name.lower() for name in names}) == len(names)
    assert all(len(name) < 130 and name.isascii() and not set(name) & set('/\\:*?"<>|') for name in names)


def test_a_folder_with_a_picture_of_somebody_else_is_left_alone(tmp_path):
    (tmp_path / "win_rates.png").write_text("holidays")
    with pytest.raises(AgentError, match=r"holds a win_rates\.png but no arena results"):
        run(PLAN, 2, tmp_path)
    assert not (tmp_path / "games.jsonl").exists()


def test_agents_alone_at_the_table_are_compared_on_the_same_deals(tmp_path):
    (tmp_path / "my_bots.py").write_text(MY_BOTS)
    plan = make_plan("murano", {"num_players": 1}, ("random", "first"), 2, (str(tmp_path / "my_bots.py"),))
    lines = run(plan, 5, tmp_path)
    assert sorted((line["deal"], line["agents"][0]) for line in lines) == [
        (deal, agent) for deal in range(5) for agent in ("first", "random")
    ]
    assert sum(row.entries for row in standings(plan.labels, lines)) == 10


# ---- Processes


def test_processes_change_nothing_and_know_agents_of_a_file(tmp_path, capsys):
    (tmp_path / "my_bots.py").write_text(MY_BOTS)
    arguments = ["arena", "muster", "first", "random", "--games", "8", "--load", str(tmp_path / "my_bots.py"), "--salt", SALT]
    for workers in ("1", "2"):
        assert main([*arguments, "--workers", workers, "--out", str(tmp_path / workers)]) == 0
    assert "first" in capsys.readouterr().out
    assert (tmp_path / "1" / "games.jsonl").read_bytes() == (tmp_path / "2" / "games.jsonl").read_bytes()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_games_of_an_agent_that_reaches_into_the_match_are_not_counted(tmp_path, workers, capsys):
    (tmp_path / "cheats.py").write_text(CHEATS)
    arguments = ["arena", "muster", "cheat", "random", "--games", "4", "--load", str(tmp_path / "cheats.py")]
    assert main([*arguments, "--workers", workers, "--out", str(tmp_path / "out")]) == 2
    [said] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("cardtable: muster")]
    assert "seed 1, deal" in said
    assert "(Cheat, RandomAgent) has tampered with the match" in said or "(RandomAgent, Cheat)" in said
    assert games_in(tmp_path / "out") == []


def test_two_arenas_do_not_write_into_one_folder(tmp_path):
    refused = []

    def second(done, total):
        if not refused:
            with pytest.raises(AgentError, match="another arena is running there; wait until it ends, or choose") as caught:
                run(PLAN, 4, tmp_path)
            refused.append(caught.value)

    lines = run(PLAN, 4, tmp_path, progress=second)
    assert refused
    assert len(lines) == len(games_in(tmp_path)) == 4
    assert run(PLAN, 4, tmp_path) == lines


ENDLESS = """
import sys
from cardtable_agents.arena.tournament import run
from cardtable_agents.arena.plan import make_plan
from pathlib import Path

if __name__ == "__main__":
    run(make_plan("muster", {}, ["random", "random"]), 10**6, Path(sys.argv[1]), workers=2)
"""


def group_is_gone(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs groups of processes")
def test_workers_end_when_their_parent_is_killed(tmp_path):
    (tmp_path / "endless.py").write_text(ENDLESS)
    command = [sys.executable, str(tmp_path / "endless.py"), str(tmp_path / "out")]
    deadline = time.monotonic() + 300  # kernels may have to be compiled first
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.DEVNULL) as parent:
        try:
            while not (tmp_path / "out" / "games.jsonl").exists() or len(games_in(tmp_path / "out")) < 4:
                assert time.monotonic() < deadline
                assert parent.poll() is None
                time.sleep(0.05)
            os.kill(parent.pid, signal.SIGKILL)
            parent.wait()
            while not group_is_gone(parent.pid):
                assert time.monotonic() < deadline
                time.sleep(0.05)
        finally:
            if not group_is_gone(parent.pid):
                os.killpg(parent.pid, signal.SIGKILL)
    plan = make_plan("muster", {}, ["random", "random"])
    kept = len(read_results(tmp_path / "out" / "games.jsonl", plan).games)
    assert len(run(plan, kept + 2, tmp_path / "out")) >= kept  # its lock is free


def test_a_worker_that_dies_is_told_of_in_a_line(tmp_path):
    bots = MY_BOTS.replace('"first"', '"mortal"').replace("return views.mask.argmax(axis=1)", "__import__('os')._exit(3)")
    (tmp_path / "mortal.py").write_text(bots)
    plan = plan_of("mortal", "random", modules=[str(tmp_path / "mortal.py")])
    with pytest.raises(AgentError, match="a worker process was killed"):
        run(plan, 8, tmp_path / "out", workers=2)


# ---- Bad input


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("muster", {}, ("random", "nobody"), 1), AgentError, "no agent is called 'nobody'"),
        (("muster", {"colour": 1}, ("random",), 1), OptionError, "unknown option"),
        (("muster", {}, ("random",), -1), OptionError, "seed=-1"),
    ],
)
def test_wrong_plans_are_refused_before_anything_is_played(arguments, error, message):
    with pytest.raises(error, match=message):
        make_plan(*arguments)


def test_agents_that_play_by_the_clock_are_named():
    """Their games cannot be repeated; the command says so before it plays."""
    plan = make_plan("muster", {}, ["search:5ms", "search:5", "random", "search:2ms:net"])
    assert by_the_clock(plan) == ["search:5ms", "search:2ms:net"]
