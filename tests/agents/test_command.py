"""`cmd:COMMAND`: bots as agents. What they are told, and that whatever they do costs their own games and nothing else."""

import json
import os
import resource
import shlex
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from bots import misbehaving
from cardtable_agents.arena import results
from cardtable_agents.arena.match import Match
from cardtable_agents.arena.plan import make_plan
from cardtable_agents.arena.standings import standings, table
from cardtable_agents.arena.tournament import prepare, run
from helpers import SALT, VARIANTS, forgotten, variant_id, walk
from test_bot_process import gone, processes

from cardtable.bots import bot as conversation
from cardtable.bots import faults
from cardtable.cli import terminal
from cardtable.engine.ending import share_the_win
from cardtable.errors import AgentError, OptionError
from cardtable.game.legality import forfeit_returns
from cardtable.game.registry import find
from cardtable.players.agent import Clocks
from cardtable.players.pool import Pool
from cardtable.players.roster import make_agent, names
from cardtable.players.views import view_of
from cardtable.replay import load_verified
from cardtable.story import Reading, Sights
from cardtable.table import Table

BOTS = Path(__file__).parent.parent / "bots"
PYTHON = (sys.executable, "-I", "-S")


def honest(mark="", **settings):
    """The name of an agent: a bot that keeps to the protocol."""
    return "cmd:" + shlex.join([*PYTHON, str(BOTS / "honest.py"), json.dumps(settings), mark])


def bad(kinds, share=1.0, games=1, mark=""):
    """The name of an agent: a bot that does not."""
    return "cmd:" + shlex.join([*PYTHON, str(BOTS / "misbehaving.py"), str(share), str(games), kinds, mark])


@pytest.fixture
def mark():
    return uuid.uuid4().hex


def played(game, options, agent, number=3, *, seat=0, clocks=None, against="random", first=0):
    """Games of a bot, and the agent."""
    game = find(game)
    options = game.parse_options(options)
    bot = make_agent(agent, game, options)
    bot.clocks = clocks or Clocks()
    others = [make_agent(against, game, options) for _ in range(options.num_players - 1)]
    try:
        match = Match(game, options, [*others[:seat], bot, *others[seat:]], seed=3, first=first, number=number, salt=SALT)
        return match.play(), bot
    finally:
        bot.close()


# ---- What a bot is told


def test_the_roster_knows_bots():
    assert "cmd" in names()
    with pytest.raises(AgentError, match="expected a command"):
        make_agent("cmd", "muster")
    with pytest.raises(AgentError, match="there is no program 'no-such-bot'"):
        make_agent("cmd:no-such-bot --level 3", "muster")


@pytest.mark.parametrize(
    ("game", "options"), [("muster", {}), ("artisans", {"num_players": 3}), ("murano", {"num_players": 2})]
)
@pytest.mark.parametrize("games", [1, 5])
def test_a_bot_is_told_what_its_seat_saw_and_nothing_else(tmp_path, game, options, games):
    """Every message, compared with a table on which the game is played again."""
    log, number, seat = tmp_path / "log", 2 if game == "murano" else 5, 1
    wants = ["view", "events", "observation", "mask"]
    found, bot = played(game, options, honest(log=str(log), wants=wants, games=games), number, seat=seat)
    hello, *told = [json.loads(line) for line in log.read_text().splitlines()]
    assert hello["type"] == "hello"
    assert (hello["game"], hello["players"][0], hello["protocol"]) == (find(game).id, "player_0", 1)
    assert told.pop() == {"type": "quit"}
    assert not any(word in line for line in (log.read_text(),) for word in ('"seed"', '"index"', '"deal"', '"rng"'))
    checked, ended = 0, 0
    started = [message["game"] for message in told if message["type"] == "start"]
    assert started == list(range(1, number + 1))
    for deal, own in enumerate(started):  # games are asked about for the first time in the order of their deals
        about = [
            entry | {"type": message["type"]}
            for message in told
            for entry in message.get("asks", [message])
            if entry["game"] == own
        ]
        checked += compare(Table(game, options), found[deal], about, seat)
        ended += about[-1]["type"] == "end"
    assert ended == number
    assert checked == sum(each.decisions[seat] for each in found) > 20
    assert bot.bot.starts == 1
    assert not bot.bot.faults


def compare(table, game, told, seat):
    """Whether the messages about a game, one after another, are what a table says; how many decisions there were."""
    table.deal(3, game.deal)
    start, *asks, end = told
    assert start["type"] == "start"
    assert start["seat"] == seat
    assert start["view"] == plain(table.view(seat))
    known = 0
    for asked in asks:
        while len(table.history) < asked["decision"]:
            table.play(game.actions[len(table.history)])
        assert table.seat == asked["seat"] == seat
        assert asked["legal"] == table.legal_actions()
        assert asked["ids"] == np.flatnonzero(table.mask).tolist()
        assert asked["events"] == plain(table.events(seat, known))
        known += len(asked["events"])
        assert asked["view"] == plain(table.view(seat))
        assert asked["mask"] == table.mask.tolist()
        assert asked["observation"] == table.observation.tolist()
        assert asked["clock"] == {"move": 30.0, "game": None}
    for action in game.actions[len(table.history) :]:
        table.play(action)
    assert end["events"] == plain(table.events(seat, known))
    assert (end["ending"], end["scores"], end["returns"]) == (game.ending, game.scores, game.returns)
    return len(asks)


def plain(data):
    return json.loads(json.dumps(data))


def test_what_is_not_wanted_is_not_sent(tmp_path):
    log = tmp_path / "log"
    played("muster", {}, honest(log=str(log), by="name"), 2)
    asks = [entry for line in log.read_text().splitlines() for entry in json.loads(line).get("asks", [])]
    assert {key for entry in asks for key in entry} == {"game", "seat", "decision", "legal", "ids", "clock"}


def test_the_seats_of_a_bot_that_plays_itself_are_games_of_their_own(tmp_path):
    log = tmp_path / "log"
    game = find("muster")
    options = game.parse_options({})
    bot = make_agent(honest(log=str(log), wants=["events"], games=4), game, options)
    games = Match(game, options, [bot, bot], 1, 0, 2, SALT).play()
    bot.close()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert sorted((line["game"], line["seat"]) for line in lines if line["type"] == "start") == [(1, 0), (2, 0), (3, 1), (4, 1)]
    assert sum(line["type"] == "end" for line in lines) == 4
    assert all(game.forfeit is None for game in games)


def test_views_of_forgotten_records_are_those_of_the_true_ones():
    """So agents' records are enough to make views; and reading what has changed is as good as reading all."""
    checked = 0
    for variant in VARIANTS:
        game, options = find(variant[0]), variant[1]
        sights = reading = None
        for number, at in enumerate(walk(game, options, 1)):
            if at.length == 0:
                sights = Sights(at.game, at.options)
                reading = Reading(sights)
            assert reading.open(at.games) == sights.open(at.games)
            if number % 5 == 0:
                for seat in range(at.players):
                    assert sights.view(forgotten(at, seat), seat) == at.view(seat), variant_id(variant)
                    checked += 1
    assert checked > 500


def test_without_history_a_bot_gets_the_table_as_it_is(tmp_path):
    log = tmp_path / "log"
    game = find("muster")
    options = game.parse_options({})
    bot = make_agent(honest(log=str(log), wants=["view", "events"], games=8), game, options)
    at = Table(game, options)
    at.deal(5)
    at.play(int(np.flatnonzero(at.mask)[0]))
    views = view_of(at, SALT)
    for _ in range(2):
        assert at.mask[bot.act(views)[0]]
    bot.close()
    messages = [json.loads(line) for line in log.read_text().splitlines()][1:-1]
    assert [message["type"] for message in messages] == ["start", "ask", "end"] * 2
    start, ask, end = messages[3:]
    assert start["game"] == ask["asks"][0]["game"] == end["game"] == 2
    assert start["view"] == ask["asks"][0]["view"] == plain(at.view(at.seat))
    assert (ask["asks"][0]["events"], end["ending"], end["scores"]) == ([], "left", None)


def test_an_agent_of_a_table_has_its_story(tmp_path):
    log = tmp_path / "log"
    bot = make_agent(honest(log=str(log), wants=["events"]), "muster")
    at = Table("muster")
    for deal in range(2):
        at.deal(5, deal)
        for _ in range(6):
            at.play(bot.choose(at))
    bot.close()
    messages = [json.loads(line) for line in log.read_text().splitlines()][1:-1]
    assert [message["ending"] for message in messages if message["type"] == "end"] == ["left", "left"]  # one for each seat
    asks = [entry for message in messages for entry in message.get("asks", [])]
    assert len(asks) == 12
    assert next(event for asked in asks if asked["game"] == 3 for event in asked["events"]) == {"event": "start"}


def test_what_a_bot_says_of_its_answers_is_kept():
    game = find("muster")
    options = game.parse_options({})
    bot = make_agent(honest(), game, options)
    at = Table(game, options)
    at.deal(1)
    (chosen,) = bot.act(view_of(at, SALT))
    (info,) = bot.info
    assert (info.value, info.moves, info.text) == (0.5, {game.actions.names[chosen]: 1.0}, "game 1")
    assert (bot.bot.ready.name, bot.bot.ready.version) == ("honest", "1")
    bot.close()


# ---- Faults, kind by kind

AGAIN_EACH_TIME = {
    "illegal": faults.NOT_LEGAL,
    "unknown_name": faults.UNKNOWN_ACTION,
    "numbers_as_text": faults.UNKNOWN_ACTION,
    "fractions": faults.NOT_AN_ANSWER,
    "truth_values": faults.NOT_AN_ANSWER,
    "huge_integers": faults.UNKNOWN_ACTION,
    "nothing_at_all": faults.NOT_AN_ANSWER,
    "lists_of_actions": faults.NOT_AN_ANSWER,
    "wrong_types": None,
    "duplicates": faults.NOT_AN_ANSWER,
    "other_games": faults.MISSING,
    "games_by_text": faults.MISSING,
    "some_missing": faults.MISSING,
    "empty_line": faults.NOT_JSON,
    "empty_object": faults.NOT_AN_ANSWER,
    "not_json": faults.NOT_JSON,
    "cut_off": faults.NOT_JSON,
    "garbage": faults.NOT_JSON,
    "invalid_utf8": faults.NOT_JSON,
    "zero_bytes": faults.NOT_JSON,
    "not_a_number": faults.NOT_JSON,
    "infinity": faults.NOT_JSON,
    "deep": faults.NOT_JSON,
    "deep_objects": faults.NOT_JSON,
    "digits": faults.NOT_JSON,
    "wide": faults.MISSING,
    "exits": faults.ENDED,
    "raises": faults.ENDED,
    "kills_itself": faults.ENDED,
    "closes_output": faults.CLOSED,
    "leaves_a_child": faults.ENDED,
    "leaves_a_child_far_away": faults.ENDED,
    "long_line": faults.TOO_LONG,
    "endless_line": faults.TOO_LONG,
    "hang": faults.LATE,
    "slowly": faults.LATE,
    "half_a_line": faults.LATE,
    "ignores_its_end": faults.LATE,
    "flood_of_errors": faults.LATE,
    "has_children_and_hangs": faults.LATE,
}
"""Kinds of misbehaviour that forfeit a game if they come twice at the same decision, and the reason that is given."""


def test_all_kinds_are_tried():
    forgiven = {"debug_text", "two_answers", "answers_early", "flood", "never_reads", "answers_and_exits", "closes_input"}
    assert {*AGAIN_EACH_TIME, *forgiven} == set(misbehaving.KINDS)


@pytest.mark.parametrize("kind", AGAIN_EACH_TIME)
def test_two_faults_at_a_decision_forfeit_the_game(kind, mark):
    reason = AGAIN_EACH_TIME[kind]
    clocks = Clocks(per_move=0.3 if reason == faults.LATE else 60)
    games, bot = played("muster", {}, bad(kind, mark=mark), 2, clocks=clocks, seat=1)
    for game in games:
        assert (game.ending, game.returns, game.forfeit["seat"]) == ("forfeit", [1.0, -1.0], 1)
        assert game.forfeit["reason"] == reason or (reason is None and game.forfeit["reason"] in faults.REASONS)
        assert len(json.dumps(game.forfeit)) < 1500
        assert (game.forfeit["detail"] + game.forfeit["line"]).isprintable()
        assert len(game.actions) == sum(game.decisions)
    assert sum(bot.bot.faults.values()) == 4
    assert processes(mark) == []


@pytest.mark.parametrize("kind", ["two_answers", "answers_early", "never_reads", "answers_and_exits", "closes_input", "flood"])
def test_a_bot_that_answers_and_then_does_what_it_likes_can_go_on(kind, mark):
    games, _ = played("muster", {"max_turns": 6}, bad(kind, share=0.3, mark=mark), 3, clocks=Clocks(per_move=2))
    assert kind == "flood" or sum(each.decisions[0] for each in games) > 0
    assert all(each.ending != "forfeit" or each.forfeit["reason"] in faults.REASONS for each in games)
    assert processes(mark) == []


# ---- Faults, at random


def memory():
    """Megabytes that this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def test_a_thousand_misbehaviours_cost_their_own_games_and_nothing_else(mark, sized):
    """Until that many have been counted; every match ends, every game has a result, no process and little memory is left."""
    wanted, misbehaved, games, first = sized(1000), 0, [], 0
    played("muster", {"max_turns": 40}, honest(mark), 12)  # loads what is compiled
    before, peak = memory(), 0.0
    reasons = Counter()
    while misbehaved < wanted:
        found, bot = played(
            "muster", {"max_turns": 40}, bad("all", 0.5, mark=mark), 12, clocks=Clocks(per_move=0.15), first=first
        )
        games += found
        first += 12
        misbehaved += sum(bot.bot.faults.values()) + bot.bot.unasked
        reasons += bot.bot.faults
        peak = max(peak, memory())
        assert processes(mark) == []
    forfeits = [game.forfeit for game in games if game.forfeit]
    print(f"{misbehaved} misbehaviours in {len(games)} games, {len(forfeits)} forfeits, {peak - before:.0f} MB: {reasons}")
    assert all((game.ending == "forfeit") == (game.forfeit is not None) for game in games)
    assert all(game.returns == [-1.0, 1.0] for game in games if game.forfeit)
    assert {forfeit["reason"] for forfeit in forfeits} <= set(faults.REASONS)
    assert len(reasons) >= 8
    assert peak - before < 100


def test_a_batch_with_faults_costs_only_the_games_that_have_them(mark):
    """The answers that are in order are played; the missing one is asked for once more."""
    games, bot = played("muster", {}, bad("some_missing", games=8, mark=mark), 8)
    reasons = {game.forfeit["reason"] for game in games if game.forfeit}
    assert reasons == {faults.MISSING}
    assert sum(sum(game.decisions) for game in games) > 8
    assert bot.bot.starts == 1


def test_a_batch_without_an_answer_is_asked_about_one_by_one(monkeypatch, mark):
    games, bot = played("muster", {"max_turns": 16}, bad("exits", share=0.4, games=8, mark=mark), 8)
    assert bot.bot.starts > 1
    assert any(game.forfeit is None for game in games) or bot.bot.faults[faults.ENDED] > 8
    assert {game.forfeit["reason"] for game in games if game.forfeit} <= {faults.ENDED, faults.TOO_MANY}


def test_ten_faults_in_a_row_forfeit_all_games_in_progress():
    games, bot = played("muster", {}, bad("not_json"), 20)
    found = Counter(game.forfeit["reason"] for game in games)
    assert found == {faults.NOT_JSON: 4, faults.TOO_MANY: 16}
    assert bot.bot.faults == {faults.NOT_JSON: 10}
    assert "10 faults in a row" in games[-1].forfeit["detail"]
    assert games[-1].forfeit["line"] == "I play the first one"


def test_a_bot_that_does_not_start_is_an_error_before_the_first_game(monkeypatch):
    monkeypatch.setattr(conversation, "READY_SECONDS", 0.3)
    bot = make_agent("cmd:sleep 1000", "muster")
    bot.clocks = Clocks(per_move=0.3)
    with pytest.raises(AgentError, match="it does not get ready: no answer in time"):
        bot.prepare()
    for command, message in (
        ("false", "it does not get ready: it ended with exit code 1"),
        ("echo hello", "not JSON .*; it wrote: hello$"),
        ("""echo '{"type": "ready", "protocol": 2}'""", "protocol: 2: expected 1"),
        ("""echo '{"type": "ready", "protocol": 1, "games": 0}'""", "games: 0: expected an integer from 1 to 1,024"),
        ("""echo '{"type": "ready", "protocol": 1, "wants": ["deal"]}'""", "wants: .*: expected a list of view, events"),
        ("""echo '{"type": "ready", "protocol": 1, "name": 3}'""", "name: 3: expected a text"),
    ):
        with pytest.raises(AgentError, match=message):
            make_agent(f"cmd:{command}", "muster").prepare()


def test_a_bot_that_does_not_start_any_more_forfeits(tmp_path):
    program = tmp_path / "bot"
    program.write_text(f"#!/bin/sh\nexec {shlex.join([*PYTHON, str(BOTS / 'honest.py'), '{}'])}\n")
    program.chmod(0o755)
    game = find("muster")
    options = game.parse_options({})
    bot = make_agent(f"cmd:{program}", game, options)
    bot.prepare()
    bot.close()
    program.unlink()
    games = Match(game, options, [bot, make_agent("random", game, options)], 3, 0, 3, SALT).play()
    assert {each.forfeit["reason"] for each in games} == {faults.NOT_STARTED}


# ---- Clocks


def test_a_game_that_is_out_of_time_is_forfeited():
    games, bot = played("muster", {}, honest(sleep=0.1), 2, clocks=Clocks(per_move=60, per_game=0.35))
    assert [game.forfeit["reason"] for game in games] == [faults.OUT_OF_TIME] * 2
    assert all(1 <= game.decisions[0] <= 3 for game in games)
    assert all(game.seconds[0] > 0.3 for game in games)
    assert bot.bot.starts <= 3


def test_the_time_of_a_batch_is_shared(tmp_path):
    """To 8 asks a bot may take 8 times as long as to one."""
    log = tmp_path / "log"
    games, bot = played(
        "muster", {"max_turns": 4}, honest(sleep=0.2, games=8, log=str(log)), 8, clocks=Clocks(per_move=1, per_game=30)
    )
    assert not bot.bot.faults
    assert all(game.forfeit is None for game in games)
    clocks = [entry["clock"] for line in log.read_text().splitlines() for entry in json.loads(line).get("asks", [])]
    assert clocks[0] == {"move": 1, "game": 30.0}
    assert 29 < clocks[-1]["game"] < 30


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), float("inf"), 1e9])
def test_clocks_are_seconds(seconds):
    with pytest.raises(OptionError, match=r"time per game .*: allowed: seconds above 0"):
        Clocks(per_game=seconds)


def test_clocks_without_a_bot_are_refused():
    with pytest.raises(OptionError, match="is for bots"):
        make_plan("muster", {}, ["random", "heuristic"], clocks=Clocks(per_move=1))


# ---- Forfeits in an arena


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_who_forfeits_loses_and_the_others_share_the_win(players):
    for seat in range(players):
        expected = np.ones(players)
        expected[seat] = 0
        if players > 1:
            share_the_win(expected, players)
        else:
            expected[:] = -1
        assert forfeit_returns(players, seat) == pytest.approx(expected)


def test_an_arena_books_forfeits_and_goes_on(tmp_path, mark):
    plan = make_plan("muster", {"max_turns": 30}, [honest(mark), bad("not_json", 0.2, mark=mark), "random"], seed=4)
    prepare(plan)
    assert processes(mark) == []
    lines = run(plan, 6, tmp_path, workers=2)
    assert gone(mark)
    assert len(lines) == 18
    forfeits = [line for line in lines if line["ending"] == "forfeit"]
    assert forfeits
    for line in forfeits:
        assert line["agents"][line["forfeit"]["seat"]] == plan.agents[1]
        assert line["returns"][line["forfeit"]["seat"]] == -1
        assert line["forfeit"]["line"] == "I play the first one"
    again = results.read_results(tmp_path / results.RESULTS, plan).games
    assert again == lines
    assert json.loads((tmp_path / results.RESULTS).read_text().splitlines()[0])["clocks"] == {
        "per_move": 30.0,
        "per_game": None,
    }
    rows = standings(plan.labels, again)
    assert {row.agent: row.forfeits for row in rows} == {plan.agents[1]: len(forfeits), plan.agents[0]: 0, "random": 0}
    assert "forfeits" in table(rows)
    assert "forfeits" not in table([row for row in rows if not row.forfeits])
    with pytest.raises(AgentError, match="different: clocks"):
        run(make_plan("muster", {"max_turns": 30}, plan.agents, seed=4, clocks=Clocks(1)), 6, tmp_path)


def test_replays_of_forfeited_games_end_where_they_were_given_up(tmp_path):
    plan = make_plan("muster", {}, [bad("exits", 0.1), "random"], seed=4)
    lines = run(plan, 6, tmp_path, replays=True)
    for line in lines:
        _, at = load_verified(tmp_path / line["replay"])
        assert len(at.history) == sum(line["decisions"])
        assert bool(at.ending) == (line["ending"] != "forfeit")
        assert at.result()[1] == line["scores"]
    assert any(line["ending"] == "forfeit" for line in lines)


def test_forfeits_are_checked_when_results_are_read():
    plan = make_plan("muster", {}, ("random", "heuristic"))
    known = results.places_of(plan)
    why = {"seat": 1, "reason": "late", "detail": "no answer in time", "line": ""}
    line = {"agents": ["random", "heuristic"], "deal": 0, "ending": "forfeit", "returns": [1.0, -1.0], "scores": [0.0, 0.0]}
    line |= {"decisions": [1, 1], "forfeit": why}
    assert results._fault(line, known) == ""
    for wrong in (
        None,
        3,
        {},
        why | {"seat": 2},
        why | {"seat": True},
        why | {"line": 3},
        why | {"x": 1},
        why | {"line": "x" * 9999},
    ):
        assert "forfeit" in results._fault(line | {"forfeit": wrong}, known)
    assert "forfeit" in results._fault(line | {"ending": "terminated"}, known)
    del line["forfeit"]
    assert "forfeit" in results._fault(line, known)
    assert results._fault(line | {"ending": "terminated"}, known) == ""


def test_alone_who_forfeits_comes_last():
    line = {"deal": 0, "decisions": [1], "seconds": [0.1], "returns": [-1.0]}
    why = {"seat": 0, "reason": "late", "detail": "", "line": ""}
    lines = [line | {"agents": ["a"], "scores": [9.0], "forfeit": why}, line | {"agents": ["b"], "scores": [2.0]}]
    assert [(row.agent, row.won) for row in standings(["a", "b"], lines)] == [("b", 1.0), ("a", 0.0)]


def test_a_solo_game_can_be_forfeited():
    games, _ = played("murano", {"num_players": 1}, bad("not_json"), 2)
    assert [(game.ending, game.returns) for game in games] == [("forfeit", [-1.0])] * 2


def test_other_programs_and_files_are_other_agents(tmp_path):
    def fingerprint(command):
        return make_agent(f"cmd:{command}", "muster").fingerprint()

    script = tmp_path / "bot.py"
    script.write_text("one")
    first = fingerprint(f"cat {script} --level 3")
    assert first == fingerprint(f"cat {script} --level 4")  # the name of the agent differs
    script.write_text("two")
    os.utime(script, ns=(1, 1))
    assert first != fingerprint(f"cat {script} --level 3")
    assert fingerprint("cat") != fingerprint("true")


def test_no_bot_outlives_an_arena_that_is_killed(tmp_path, mark):
    agents = [honest(mark, sleep=0.05), bad("hang", 0.1, mark=mark)]
    command = [sys.executable, "-m", "cardtable", "arena", "muster", *agents, "--games", "1000", "--workers", "2", "--out"]
    with subprocess.Popen([*command, str(tmp_path)], stderr=subprocess.DEVNULL) as arena:
        deadline = time.monotonic() + 120
        while len(processes(mark)) < 6 and time.monotonic() < deadline:  # the arena, and bots with their guardians
            time.sleep(0.1)
        assert len(processes(mark)) >= 6
        arena.send_signal(signal.SIGKILL)
    assert gone(mark, 30)


# ---- Elsewhere


def test_in_a_pool_a_bot_plays_and_a_bad_one_is_an_error():
    game = find("muster")
    options = game.parse_options({})
    at = Table(game, options)
    at.deal(1)
    observation, mask = at.observation[None], at.mask[None]
    with_bot = Pool(game, options, [make_agent(honest(), game, options)], seed=1)
    assert at.mask[with_bot.act(at.games, observation, mask)[0]]
    with_bad_one = Pool(game, options, [make_agent(bad("illegal"), game, options)], seed=1)
    with pytest.raises(AgentError, match="forfeits its game: not legal"):
        with_bad_one.act(at.games, observation, mask)
    for pool in (with_bot, with_bad_one):
        pool.members[0].close()


def test_a_person_plays_a_bot_in_the_terminal(tmp_path, mark):
    log, said, answers = tmp_path / "log", [], iter(["1", "1", "u", "1"])
    path = terminal.play(
        find("muster"),
        {"max_turns": 6},
        [honest(mark, log=str(log), wants=["events"])],
        seed=1,
        save=tmp_path / "game.json",
        clocks=Clocks(per_move=60),
        ask=lambda _: next(answers, "1"),
        say=said.append,
    )
    assert path.exists()
    assert processes(mark) == []
    messages = [json.loads(line) for line in log.read_text().splitlines()]
    assert messages[0]["time"] == {"per_move": 60, "per_game": None}
    endings = [message["ending"] for message in messages if message["type"] == "end"]
    assert endings[0] == "left"  # a move was taken back
    assert endings[-1] in ("terminated", "truncated")
    assert messages[-1] == {"type": "quit"}


def test_a_hint_of_a_bot_says_what_the_bot_says(tmp_path, mark):
    said, answers = [], iter(["h"])
    terminal.play(
        find("muster"),
        {},
        ["random"],
        seed=1,
        hint=honest(mark),
        save=tmp_path / "game.json",
        ask=lambda _: next(answers, "q"),
        say=said.append,
    )
    (advice,) = (text for text in said if text.startswith("hint: "))
    assert advice.endswith("): it expects to win 0.5 (-1 to 1); it says: game 1")
    assert processes(mark) == []


def test_a_bot_that_fails_to_give_a_hint_does_not_end_the_game(tmp_path, mark):
    said, answers = [], iter(["h", "1", "h"])
    path = terminal.play(
        find("muster"),
        {},
        ["random"],
        seed=1,
        hint=bad("hang", mark=mark),
        save=tmp_path / "game.json",
        clocks=Clocks(per_move=0.3),
        ask=lambda _: next(answers, "q"),
        say=said.append,
    )
    failed = [text for text in said if text.startswith("no hint: ")]
    assert len(failed) == 2
    assert "late: no answer in time" in failed[0]
    assert len(load_verified(path)[1].history) == 1
    assert processes(mark) == []


def test_the_error_of_a_bot_in_the_terminal_names_it_and_keeps_the_game(tmp_path, mark):
    with pytest.raises(AgentError, match=r"forfeits its game: not JSON.*; it wrote: I play the first one$"):
        terminal.play(
            find("muster"), {}, [bad("not_json", mark=mark)], seed=1, save=tmp_path / "game.json", ask=lambda _: "1", say=list
        )
    assert (tmp_path / "game.json").exists()
    assert processes(mark) == []
