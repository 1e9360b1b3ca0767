"""The benchmarks run, say what they found in one shape, and a comparison tells worse from noise. No test looks at a time."""

import json
import re
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from functools import cache
from io import StringIO
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from cardtable_agents.training.ppo import PPO

from benchmarks import (
    arithmetic,
    compare,
    curves,
    learners,
    measure,
    ours,
    report,
    scaling,
    startup,
    strength,
    throughput,
    training,
)
from benchmarks.peers import MODULES, openspiel, pettingzoo, pgx, rlcard
from cardtable.errors import CardtableError
from cardtable.game.registry import find, game_ids

BENCHMARKS = {
    "throughput": throughput,
    "startup": startup,
    "scaling": scaling,
    "strength": strength,
    "training": training,
}
LIBRARY_OF = {openspiel: "pyspiel", pettingzoo: "rlcard", rlcard: "rlcard", pgx: "pgx"}
PNG = b"\x89PNG"


class Quick(NamedTuple):
    """A quick run of a benchmark on one game."""

    name: str
    results: dict
    printed: str
    folder: Path


@pytest.fixture(scope="module")
def quick_run(tmp_path_factory):
    """The quick run of a benchmark, run when it is first asked for."""

    @cache
    def run(name):
        folder, printed = tmp_path_factory.mktemp(name), StringIO()
        further = ["--peers"] if name == "throughput" else []
        with chdir(folder), redirect_stdout(printed):
            BENCHMARKS[name].main(["--quick", "--games", "muster", "--out", str(folder), *further])
        return Quick(name, json.loads((folder / f"{name}.json").read_text()), printed.getvalue(), folder)

    return run


@pytest.fixture(params=BENCHMARKS)
def quick(request, quick_run):
    return quick_run(request.param)


def test_results_have_one_shape(quick):
    results = quick.results
    assert (results["format"], results["benchmark"]) == (report.FORMAT, quick.name)
    assert results["versions"]["cardtable"]
    assert results["machine"]["cores"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT[\d:+]+", results["date"])
    assert len({row["what"] for row in results["rows"]}) == len(results["rows"]) > 1
    for row in results["rows"]:
        assert set(compare.NEEDED) <= set(row)
        assert row["rounds"]
        assert row["noise"] >= 0
    assert str(quick.folder) not in json.dumps(results)


def test_runs_print_tables_and_draw_pictures(quick):
    assert f"`python -m benchmarks.{quick.name}`, {quick.results['date'][:10]}" in quick.printed
    assert f"numpy {quick.results['versions']['numpy']}" in quick.printed
    assert re.search(r"\| -+ \| -+: \|", quick.printed)
    pictures = list(quick.folder.glob("*.png"))
    assert pictures
    assert all(path.read_bytes().startswith(PNG) for path in pictures)


def test_results_compare_with_themselves(quick, capsys):
    path = str(quick.folder / f"{quick.name}.json")
    assert compare.main([path, path, "--all"]) == 0
    assert "0 better, 0 worse" in capsys.readouterr().out


def test_every_way_to_play_is_measured(quick_run):
    kinds = {row["kind"] for row in quick_run("throughput").results["rows"] if row["setup"] == "muster_v0"}
    assert {ours.AEC_RAW, ours.AEC_WRAPPED, ours.PLAY_OUTS, ours.threads_kind(ours.PLAY_OUTS)} <= kinds
    for size, observe in product(throughput.QUICK_BATCHES, (True, False)):
        kind = ours.batch_kind(size, observe=observe)
        assert {kind, ours.threads_kind(kind), ours.floor_kind(size)} <= kinds


@pytest.mark.parametrize("game_id", game_ids())
def test_setups_cover_all_player_counts_and_the_heaviest_options(game_id):
    game = find(game_id)
    found = ours.setups(game)
    counts = {game.parse_options(setup.options).num_players for setup in found}
    assert counts == set(game.player_counts) == {game.parse_options(variant).num_players for variant in game.variants}
    assert found[0].name == game_id
    assert not ours.HEAVIEST.keys() - set(game_ids())
    assert len({setup.name for setup in found}) == len(found)


@pytest.mark.parametrize("name", [name for name in MODULES if name != "pgx"])
def test_a_library_plays_or_is_skipped_with_a_line(name, capsys):
    contestants = list(MODULES[name].contestants())
    skipped = capsys.readouterr().err.count("skipped: ")
    assert len(contestants) + skipped >= len(MODULES[name].GAMES)
    for contestant in contestants:
        tally = contestant.work()
        assert tally.decisions > 0
        assert tally.seconds > 0
        assert not contestant.row.ours


def test_pgx_replays_what_it_recorded(monkeypatch):
    pytest.importorskip("pgx")
    monkeypatch.setattr(pgx, "NUM_GAMES", 8)
    tally = pgx.replays("tic_tac_toe")()
    assert 8 * 5 <= tally.decisions <= 8 * 9


@pytest.mark.parametrize("module", MODULES.values())
def test_a_missing_library_is_skipped_with_its_name(module, monkeypatch, capsys):
    for missing in (LIBRARY_OF[module], "pettingzoo.classic.connect_four_v3", "jax"):
        monkeypatch.setitem(sys.modules, missing, None)
    if module is pettingzoo:
        monkeypatch.setattr(pettingzoo, "GAMES", ("connect_four_v3",))
    assert not list(module.contestants())
    assert f"skipped: {module.LIBRARY}" in capsys.readouterr().err


def test_rows_know_best_middle_and_noise():
    fast = measure.Row("a", "g", rounds=[80.0, 100.0, 90.0])
    assert (fast.value, fast.median, fast.noise) == (100, 90, pytest.approx(0.1))
    short = measure.Row("a", "g", better=measure.LOWER, rounds=[3.0, 2.0, 2.2])
    assert (short.value, short.median, short.noise) == (2, 2.2, pytest.approx(0.1))
    assert measure.Row("a", "g", rounds=[0.5], margin=0.04).noise == 0.04
    assert measure.Row("a", "g", rounds=[0.5]).noise == measure.ONCE


def test_contestants_are_measured_in_turn():
    calls = []

    def work(name):
        return lambda: calls.append(name) or measure.Tally(10, 0.5)

    contestants = [measure.Contestant(measure.Row(name, "g"), work(name)) for name in "ab"]
    measure.measure_in_turn(contestants, rounds=2, seconds=2.0)
    assert calls == list("aabbaabb")
    assert contestants[0].row.rounds == [20, 20]


@pytest.mark.parametrize(
    ("number", "text"),
    [(4_828_320, "4.83 M"), (227_598, "228 k"), (1e9, "1 G"), (999_800, "1 M"), (912.4, "912"), (0.0213, "0.0213"), (0, "0")],
)
def test_figures_are_short(number, text):
    assert report.short(number) == text


def test_tables_are_aligned_markdown():
    lines = report.markdown([["game", "rate"], ["muster_v0", "1"]]).splitlines()
    assert lines == ["| game      | rate |", "| --------- | ---: |", "| muster_v0 |    1 |"]


def test_the_page_has_a_place_for_every_table():
    page = report.PAGE.read_text(encoding="utf-8")
    for name in BENCHMARKS:
        written = report.between_markers(page, name, "a table")
        assert f"<!-- {name} -->\n\na table\n\n<!-- end of {name} -->" in written
        assert report.between_markers(written, name, "a table") == written
    with pytest.raises(ValueError, match="no place for speed"):
        report.between_markers(page, "speed", "a table")


def test_publishing_writes_page_results_and_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "PAGE", tmp_path / "README.md")
    monkeypatch.setattr(report, "PUBLISHED", tmp_path / "results")
    report.PAGE.write_text("before\n<!-- scaling -->\nold\n<!-- end of scaling -->\nafter\n")
    monkeypatch.setattr(scaling, "SIZES", (1, 4))
    scaling.main(["--games", "muster", "--rounds", "1", "--seconds", "0.001", "--write"])
    page = report.PAGE.read_text()
    assert page.startswith("before\n")
    assert page.endswith("after\n")
    assert "old" not in page
    assert "| batch 4 " in page
    assert "![scaling](results/scaling.png)" in page
    assert (tmp_path / "results" / "scaling.json").exists()


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        *((name, ["--games", "chess"], "no game is called 'chess'") for name in BENCHMARKS),
        ("throughput", ["--batch", "0"], "allowed: integers from 1"),
        ("throughput", ["--peers", "chess"], "invalid choice: 'chess'"),
        ("scaling", ["--seconds", "0"], "expected a number above 0"),
        ("strength", ["--agents", "random"], "no two that can play"),
        ("training", ["--learn", "chess"], "no game is called 'chess'"),
        ("training", ["--minutes", "0"], "expected a number above 0"),
        ("training", ["--seeds", "0"], "allowed: integers from 1"),
    ],
)
def test_bad_input_is_refused_in_a_line(name, arguments, message, capsys):
    with pytest.raises(SystemExit) as caught:
        BENCHMARKS[name].main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", BENCHMARKS)
def test_quick_figures_are_not_published(name, capsys):
    with pytest.raises(SystemExit):
        BENCHMARKS[name].main(["--quick", "--write"])
    assert "not published" in capsys.readouterr().err


def test_imports_load_nothing_heavy(quick_run):
    rows = quick_run("startup").results["rows"]
    assert {row["probe"] for row in rows} >= {"import cardtable", "import cardtable_agents.players.search", "muster_v0, warm"}
    assert [row["probe"] for row in rows if row["heavy"]] == []


def test_memory_of_a_game_is_its_arrays():
    row = scaling.memory(ours.Setup(find("muster"), {}))
    assert sum(row.details["parts"].values()) < row.value < 1.2 * sum(row.details["parts"].values())


def test_agents_that_cannot_play_are_left_out_with_the_reason(capsys):
    assert strength.entrants(find("muster"), ["random", "nobody", "heuristic"]) == ["random", "heuristic"]
    assert "left out: nobody: no agent is called 'nobody'" in capsys.readouterr().err


def test_only_earlier_results_are_overwritten_and_that_is_known_before_anything_is_measured(tmp_path):
    report.require_room(tmp_path / "new", "scaling")
    results_file(tmp_path / "scaling.json", [("a", 100.0, 0.0, True)], "scaling")
    report.require_room(tmp_path, "scaling")
    (tmp_path / "scaling.json").write_text("mine")
    with pytest.raises(CardtableError, match=r"scaling\.json exists and holds no results of a benchmark"):
        scaling.main(["--quick", "--out", str(tmp_path)])
    with pytest.raises(OSError, match=r"scaling\.json"):
        scaling.main(["--quick", "--out", str(tmp_path / "scaling.json")])
    assert (tmp_path / "scaling.json").read_text() == "mine"


# ---- training


def plain_rates(**rates):
    """Plain rows of learners at a game, by their kinds."""
    rows = [training.new_row("muster_v0", kind) for kind in learners.KINDS if kind.name in rates]
    for row in rows:
        row.rounds = [rates[row.details["kind"]]]
        row.details |= {"decisions_per_cpu_second": 2 * row.value, "shares": {"environment": 0.25, "learning": 0.5}}
    return [row.plain() for row in rows]


def points_of(*points):
    return [curves.Point(seconds, 1000 * seconds, rate, games) for seconds, rate, games in points]


class Counting:
    """A learner of ten decisions an update; what it is told of its progress is kept."""

    def __init__(self):
        self.steps, self.told, self.policy = 0, [], "policy"

    def update(self, done):
        self.told.append(done)
        self.steps += 10
        return {"steps_per_second": 1, "environment_share": 0.25, "learning_share": 0.5}


class Steady(learners.Trial):
    """A trial every update of which takes two CPU-seconds."""

    def update(self, done):
        before = self.cpu_seconds
        tally = super().update(done)
        self.cpu_seconds = before + 2
        return tally


def test_all_learners_that_can_run_are_measured_and_learn(quick_run):
    quick = quick_run("training")
    rows = quick.results["rows"]
    kinds = [kind.name for kind in learners.available(learners.KINDS)]
    assert [row["kind"] for row in rows if "kind" in row] == kinds
    assert {"float32", "float32, SB3's epochs"} <= set(kinds)
    for row in rows:
        if "kind" in row:
            assert row["updates"] >= training.QUICK_ROUNDS
            assert 0 < sum(row["shares"].values()) <= 1.01
            assert row["ours"] == ("work" in row)
    for name in kinds:
        assert f"| muster_v0: {name} " in quick.printed
    assert re.search(r"\| float32, 512 × 64 × 64 +\| +\d+ \|", quick.printed)
    (learned,) = [row for row in rows if row.get("learner") == learners.OURS_NAME]
    (curve,) = curves.curves_in(learned)
    assert len(curve) == training.QUICK_LEARNING.points
    assert curve[-1].decisions >= curve[0].decisions > 0
    assert curve[-1].seconds >= 60 * training.QUICK_LEARNING.minutes


def test_pictures_are_drawn_again_from_the_file_of_results(quick_run, tmp_path):
    results = json.loads((quick_run("training").folder / "training.json").read_text())
    training.draw(results["rows"], tmp_path / "training.png")
    assert {path.name for path in tmp_path.iterdir()} == {"training.png", "training-muster_v0.png"}


def test_learning_may_be_left_out(monkeypatch, capsys):
    monkeypatch.setattr(training, "KINDS", learners.ONE_THREAD[:1])
    training.main(["--quick", "--games", "muster", "--learn"])
    printed = capsys.readouterr().out
    assert "| share of time " in printed
    assert "**Learning**" not in printed
    assert " ×)" not in printed  # there is no SB3 to be compared with


def test_learning_curves_of_an_earlier_run_are_taken_over(quick_run, monkeypatch, tmp_path, capsys):
    earlier = quick_run("training").folder / "training.json"
    monkeypatch.setattr(training, "KINDS", learners.ONE_THREAD[:1])
    training.main(["--quick", "--games", "muster", "--curves", str(earlier), "--out", str(tmp_path)])
    rows = json.loads((tmp_path / "training.json").read_text())["rows"]
    kept = [row for row in json.loads(earlier.read_text())["rows"] if "curves" in row]
    assert [row for row in rows if "curves" in row] == kept != []
    assert "**Learning**" in capsys.readouterr().out


def test_both_learn_by_self_play_alone_in_one_thread_with_the_same_layers():
    theirs, mine = (kind.settings("muster", learners.FULL) for kind in learners.learning_kinds(learners.FULL))
    assert theirs.layers == mine.layers == (256, 256)
    assert theirs.threads == mine.threads == 1
    assert (theirs.opponents, mine.opponents) == (("self",), ())
    assert mine.imitation_steps == 0
    alike = learners.ALIKE_KIND.settings("muster", learners.FULL)
    assert (alike.batch, alike.epochs) == (theirs.batch, theirs.epochs)


def test_kinds_that_cannot_run_are_skipped_with_the_reason(monkeypatch, capsys):
    monkeypatch.setattr(learners, "has_torch", lambda: False)
    monkeypatch.setattr(learners, "cores", lambda: 1)
    names = [kind.name for kind in learners.available((*learners.ONE_THREAD, *learners.TWO_THREADS))]
    assert names == ["float32"]
    said = capsys.readouterr().err
    assert "skipped: bfloat16: PyTorch is not installed" in said
    assert "skipped: float32, 2 threads: 2 threads on 1 cores" in said


def test_speeds_are_divided_by_those_of_sb3_and_of_one_thread():
    speeds = training.Speeds(plain_rates(SB3=4000.0, float32=100_000.0, **{"float32, 2 threads": 180_000.0}))
    table = training.rate_table(speeds, "decisions/s", "value")
    assert table == [
        ["decisions/s", "SB3", "float32", "float32, 2 threads"],
        ["muster_v0", "4 k", "100 k (25.0 ×)", "180 k (45.0 ×)"],
    ]
    assert training.rate_table(speeds, "", "decisions_per_cpu_second")[1][1:3] == ["8 k", "200 k (25.0 ×)"]
    assert training.thread_table(speeds) == [["two threads ÷ one", "float32"], ["muster_v0", "1.80"]]
    alone = training.Speeds(plain_rates(float32=100_000.0))
    assert training.rate_table(alone, "", "value")[1] == ["muster_v0", "100 k"]


def test_what_a_learner_does_not_tell_apart_is_the_rest():
    _, line = training.share_table(training.Speeds(plain_rates(SB3=4000.0)))
    assert line == ["muster_v0: SB3", "25.0%", "", "", "", "50.0%", "", "25.0%"]


def test_operations_are_counted_as_by_hand():
    # 3 inputs into 4 units, into 5 units, into 2 legal actions and 1 value; two epochs
    work = arithmetic.Work(inputs=3, actions=2, layers=(4, 5), seats=1, epochs=2)
    # forward: 3·4 and 3·5 weights at the ends, 4·5 between, a multiplication and an addition each
    assert work.acting() == (2 * (12 + 15), 2 * 20)
    # an epoch: forward; the gradient by all weights; and by the units of all layers but the inputs
    assert work.learning() == (2 * (2 * 12 + 2 * 12 + 6 * 15), 2 * 6 * 20)
    assert work.bound(sparse_speed=10.0, hidden_speed=20.0) == pytest.approx((54 + 276) / 10 + (40 + 240) / 20)


def test_the_work_of_a_decision_is_that_of_the_rollout():
    settings = learners.ONE_THREAD[0].settings("muster", learners.QUICK)
    learner = PPO(settings, *settings.parsed())
    learner.update(0.0)
    rollout, work = learner.crew.workers[0].rollout, arithmetic.work_of(learner)
    used = rollout.rows.value[: rollout.rows.first_input[rollout.number]]
    assert np.all(used != 0)
    assert work.inputs == len(used) / 512
    assert 1 < work.actions < learner.game.actions.size
    assert (work.layers, work.seats, work.epochs) == ((64, 64), 2, settings.epochs)
    learner.close()


def test_trials_count_decisions_and_the_time_of_parts():
    trial = learners.Trial(Counting())
    assert trial().decisions == trial.update(0.5).decisions == 10
    assert (trial.decisions, trial.updates, trial.learner.told) == (20, 2, [0.0, 0.5])
    assert trial.shares == {"environment": pytest.approx(0.25), "learning": pytest.approx(0.5)}


def test_learners_are_evaluated_at_the_end_of_the_update_that_passes_a_mark():
    trial, evaluated = Steady(Counting()), []
    marks = curves.Plan(minutes=0.1, seeds=1, games=8, points=5).marks()
    assert marks == pytest.approx([1.5, 6 / 8**0.5, 3, 6 / 2**0.5, 6])
    points = curves.follow(trial, marks, lambda policy: evaluated.append(policy) or 0.5, 8)
    assert [(point.seconds, point.decisions) for point in points] == [(2, 10), (4, 20), (4, 20), (6, 30), (6, 30)]
    assert len(evaluated) == 3  # not twice after the same update
    assert trial.learner.told == pytest.approx([0, 1 / 3, 2 / 3])


def test_curves_of_seeds_are_pooled_by_their_games():
    pooled = curves.pooled([points_of((1, 0.2, 100), (4, 0.4, 100)), points_of((3, 0.5, 300), (6, 0.8, 300))])
    assert pooled == [curves.Point(2, 2000, pytest.approx(0.425), 400), curves.Point(5, 5000, pytest.approx(0.7), 400)]
    low, high = pooled[1].interval
    assert (low, high) == (pytest.approx(0.6534, abs=1e-3), pytest.approx(0.7428, abs=1e-3))


@pytest.mark.parametrize(
    ("rates", "seconds"),
    [((0.1, 0.3, 0.5), 2), ((0.4, 0.2, 0.5), 4), ((0.3, 0.3, 0.3), 1), ((0.1, 0.5, 0.2), None)],
)
def test_a_rate_is_reached_when_it_is_not_lost_again(rates, seconds):
    found = curves.reached(points_of(*((2**number, rate, 100) for number, rate in enumerate(rates))), 0.3)
    assert (found and found.seconds) == seconds


@pytest.mark.parametrize(("best", "said"), [(0.4, "1/8.0 of the time"), (0.2, "Ours does not reach that: 20.0%")])
def test_the_headline_says_when_ours_is_as_good(best, said):
    theirs, mine = learners.learning_kinds(learners.FULL)
    game = find("muster")
    rows = [
        curves.row_of(game, theirs, [points_of((10, 0.1, 100), (80, 0.3, 100))]),
        curves.row_of(game, mine, [points_of((10, best, 100), (80, best, 100))]),
    ]
    times = curves.time_rows(rows, game.id)
    assert [row.value for row in times] == ([8] if best > 0.3 else [])
    headline = curves.headline([row.plain() for row in rows], game.id)
    assert "SB3 wins 30.0% [21.9, 39.6] after 80 CPU-seconds, 80 k decisions" in headline
    assert said in headline
    assert curves.headline([rows[0].plain()], game.id) == ""


# ---- compare


def results_file(path, rows, benchmark="throughput"):
    plain = [measure.Row(what, "g", rounds=[value], margin=noise, ours=mine).plain() for what, value, noise, mine in rows]
    path.write_text(json.dumps({"format": report.FORMAT, "benchmark": benchmark, "rows": plain}))
    return str(path)


@pytest.mark.parametrize(
    ("value", "noise", "limit", "code", "word"),
    [
        (100, 0.0, "0.1", 0, "0 better, 0 worse"),
        (98, 0.0, "0.1", 0, "0 better, 0 worse"),  # less than any two runs differ
        (95, 0.0, "0.1", 0, "0 better, 1 worse"),
        (85, 0.0, "0.1", 1, "0 better, 1 worse"),
        (85, 0.2, "0.1", 0, "0 better, 0 worse"),  # within its noise
        (85, 0.0, "0.2", 0, "0 better, 1 worse"),
        (130, 0.0, "0.1", 0, "1 better, 0 worse"),
    ],
)
def test_compare_tells_worse_from_noise(tmp_path, capsys, value, noise, limit, code, word):
    old = results_file(tmp_path / "old.json", [("a", 100.0, 0.0, True)])
    new = results_file(tmp_path / "new.json", [("a", float(value), noise, True)])
    assert compare.main([old, new, "--limit", limit]) == code
    printed = capsys.readouterr()
    assert word in printed.out
    assert ("worse by more than" in printed.err) == (code == 1)


def test_compare_takes_the_machine_out(tmp_path, capsys):
    peers = [(f"peer {number}", 10.0, 0.0, False) for number in range(3)]
    slower = [(what, value / 2, noise, mine) for what, value, noise, mine in peers]
    old = results_file(tmp_path / "old.json", [("a", 100.0, 0.0, True), ("b", 100.0, 0.0, True), *peers])
    new = results_file(tmp_path / "new.json", [("a", 50.0, 0.0, True), ("b", 40.0, 0.0, True), *slower])
    assert compare.main([old, new]) == 1
    printed = capsys.readouterr()
    assert "Machine × 0.50" in printed.out
    assert "b: × 0.80" in printed.err
    assert "a: ×" not in printed.err


def test_compare_knows_that_less_time_is_better():
    old = measure.Row("start", "g", unit="s", better=measure.LOWER, rounds=[2.0]).plain()
    assert compare.gain(old, old | {"value": 1.0}) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "cannot be read"),
        ("[]", "not a results file"),
        ("[" * 100_000, "cannot be read"),
        (json.dumps({"format": report.FORMAT}), "no benchmark or no rows"),
        (json.dumps({"format": report.FORMAT, "benchmark": "throughput", "rows": [3]}), "no benchmark or no rows"),
        (json.dumps({"format": report.FORMAT, "benchmark": "throughput", "rows": [{}]}), "row 0 has no what"),
        (json.dumps({"format": report.FORMAT, "benchmark": "throughput", "rows": []}), "no row in common"),
        (json.dumps({"format": report.FORMAT, "benchmark": "startup", "rows": []}), "expected the same benchmark"),
    ],
)
def test_compare_refuses_other_files(tmp_path, capsys, text, message):
    old = results_file(tmp_path / "old.json", [("a", 1.0, 0.0, True)])
    (tmp_path / "new.json").write_text(text)
    assert compare.main([old, str(tmp_path / "new.json")]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("name", [*BENCHMARKS, "compare"])
def test_help_explains(name):
    done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}", "--help"], capture_output=True, text=True, check=True)
    assert f"usage: python -m benchmarks.{name}" in done.stdout
