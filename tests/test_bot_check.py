"""`cardtable bot --check`: good bots pass, and every kind of bad one is told what is wrong and what to do."""

import sys

import pytest

from cardtable.bots import advice, faults, trial
from cardtable.bots.check import MOST_FAULTS, check_bot, number_of_checks
from cardtable.cli.main import main
from cardtable.game.registry import find
from cardtable.players.agent import Clocks

BOT = """
import json, os, sys, time

mode = sys.argv[1]
READY = {"type": "ready", "protocol": 1, "name": "mode", "games": 1 if mode == "one game" else 3}
READY |= {
    "wants": {"wants": ["view", "events", "observation", "mask", "key", "record"]},
    "unknown wants": {"wants": ["view", "cards"]},
    "protocol": {"protocol": 2},
    "games": {"games": 0},
    "no type": {"type": "redy"},
}.get(mode, {})

def say(message, end="\\n", flush=True):
    sys.stdout.write((message if isinstance(message, str) else json.dumps(message)) + end)
    if flush:
        sys.stdout.flush()

asked = 0
for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "quit" and mode == "stays":
        time.sleep(60)
    if kind == "quit":
        break
    if kind in ("start", "end", "weather") and mode == f"talks at {kind}":
        say({"action": kind})
    if kind == "start" and mode == "first view" and message["view"]["length"]:
        raise RuntimeError("I know only beginnings")
    if kind == "end" and mode == "ends early":
        sys.exit(3)
    if kind == "refused" and mode == "proud":
        raise RuntimeError("I am never wrong")
    if kind == "hello":
        if mode == "wants":
            assert set(READY["wants"]) <= set(message["offers"])
        if mode != "never ready":
            say(READY)
    if kind not in ("ask", "refused"):
        continue
    asked += 1
    asks = message["asks"]
    if mode == "wants":
        assert all(set(READY["wants"]) <= set(ask) for ask in asks)
        assert all([i for i, bit in enumerate(ask["mask"]) if bit] == ask["ids"] for ask in asks)
    field = "ids" if mode == "numbers" else "legal"
    answers = [{"game": ask["game"], "action": ask[field][-1], "info": {"value": 0.5}} for ask in asks]
    if mode == "late":
        time.sleep(30)
    if mode == "dies" and asked == 5:
        os.kill(os.getpid(), 9)
    if mode == "prints":
        say("thinking…")
    if mode == "not legal":
        answers[0]["action"] = 0 if 0 not in asks[0]["ids"] else 545
    if mode == "unknown action":
        answers[0]["action"] = "castle kingside"
    if mode == "wrong info":
        answers[0]["info"]["value"] = 7
    if mode == "no action":
        del answers[0]["action"]
    if mode == "a list":
        answers = [answers]
    if mode == "forgets one" and len(asks) > 1:
        del answers[0]
    if mode == "wrong game" and len(asks) > 1:
        answers[0]["game"] = answers[1]["game"]
    if mode == "too long":
        say("x" * 2_000_000)
    if mode == "closes":
        os.close(1)
        time.sleep(30)
    while mode == "flood":
        say("y" * 1000)
    if mode == "one form" and len(asks) == 1:
        say({"action": answers[0]["action"]})
    else:
        say({"answers": answers}, end="" if mode == "no newline" else "\\n", flush=mode != "no flush")
    if mode == "twice":
        say({"answers": answers})
"""
OPTIONS = {"max_turns": 6}
"""Short games."""


@pytest.fixture
def command(tmp_path):
    (tmp_path / "bot.py").write_text(BOT, encoding="utf-8")
    return lambda mode: f"'{sys.executable}' '{tmp_path}/bot.py' '{mode}'"


def findings(command, seconds=10.0, variants=(OPTIONS,), game="muster"):
    return list(check_bot(command, find(game), variants, Clocks(per_move=seconds)))


@pytest.mark.parametrize("mode", ["names", "numbers", "one game", "one form", "wants"])
def test_a_good_bot_passes(command, mode):
    found = findings(command(mode), 60.0)
    assert [each.found for each in found if each.fault] == []
    assert len(found) == number_of_checks([OPTIONS]) == 10
    how = "0 by name" if mode == "numbers" else "0 by number"
    assert how in found[-1].found


def test_whole_games_of_every_variant_are_played_at_every_seat(command):
    variants = find("artisans").variants
    found = findings(command("names"), 60.0, variants, "artisans")
    assert [each.found for each in found if each.fault] == []
    whole = [each for each in found if each.tried.startswith("plays whole games")]
    assert len(whole) == len(variants)
    for variant, finding in zip(variants, whole, strict=True):
        assert f"at all {variant.get('num_players', 2)} seats" in finding.found


BAD = [
    ("never ready", faults.LATE, "", "flush"),
    ("no type", faults.NOT_AN_ANSWER, "redy", '"type": "ready"'),
    ("protocol", faults.NOT_AN_ANSWER, '"protocol": 2', '"protocol": 1'),
    ("games", faults.NOT_AN_ANSWER, '"games": 0', "`games`"),
    ("unknown wants", faults.NOT_AN_ANSWER, "cards", "`wants`"),
    ("talks at weather", trial.UNASKED, '{"action": "weather"}', "whatever its type"),
    ("talks at start", trial.UNASKED, '{"action": "start"}', "exactly one line"),
    ("talks at end", trial.UNASKED, '{"action": "end"}', "exactly one line"),
    ("twice", trial.UNASKED, '{"answers"', "exactly one line"),
    ("prints", faults.NOT_JSON, "thinking…", "print all else to standard error"),
    ("late", faults.LATE, "", "--time-per-move"),
    ("no flush", faults.LATE, "", "flush"),
    ("no newline", faults.LATE, '{"answers"', "newline"),
    ("dies", faults.ENDED, "", "standard error"),
    ("proud", faults.ENDED, "", "standard error"),
    ("first view", faults.ENDED, "", "standard error"),
    ("ends early", faults.ENDED, "", "standard error"),
    ("closes", faults.CLOSED, "", "until `quit`"),
    ("too long", faults.TOO_LONG, "xxxx", "longest_line"),
    ("flood", faults.FLOOD, "yyyy", "standard output only"),
    ("not legal", faults.NOT_LEGAL, '"answers"', "choose among `legal`"),
    ("unknown action", faults.UNKNOWN_ACTION, "castle kingside", "copy a name of `legal`"),
    ("no action", faults.NOT_AN_ANSWER, '"game"', '{"action": …}'),
    ("a list", faults.MISSING, '"answers"', "every entry"),
    ("forgets one", faults.MISSING, '"answers"', "every entry"),
    ("wrong game", faults.MISSING, '"answers"', "its own `game`"),
    ("wrong info", trial.WRONG_INFO, '"value": 7', "`info` is not shown"),
    ("stays", trial.STAYS, "", "at `quit`"),
]


BY_CHANCE = {"flood": (faults.NOT_JSON, "answers alone"), "twice": (faults.NOT_LEGAL, "choose among `legal`")}
"""What is found if a line too many is read as an answer, before it is noticed that nobody asked."""


@pytest.mark.parametrize(("mode", "reason", "line", "advised"), BAD, ids=[row[0] for row in BAD])
def test_a_bad_bot_is_told_what_is_wrong(command, monkeypatch, mode, reason, line, advised):
    slow = mode in ("never ready", "late", "no flush", "no newline")
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)  # or Python flushes by itself
    monkeypatch.setattr(trial, "READY_SECONDS", 2.0 if mode == "never ready" else 60.0)
    found = [each for each in findings(command(mode), 2.0 if slow else 60.0) if each.fault]
    assert found, "no fault was found"
    reasons = {each.fault.reason: each for each in found}
    if reason not in reasons and mode in BY_CHANCE:
        reason, advised = BY_CHANCE[mode]
    assert reason in reasons, [each.found for each in found]
    assert line in reasons[reason].fault.line
    assert advised in reasons[reason].advice
    assert len(reasons[reason].fault.line) <= 200


def test_every_reason_has_advice():
    written = set(faults.REASONS) - {faults.OUT_OF_TIME, faults.TOO_MANY, faults.NOT_STARTED}  # not of a single answer
    assert set(advice.ADVICE) == written | {trial.UNASKED, trial.STAYS, trial.WRONG_INFO}


def test_a_bot_that_breaks_in_every_variant_is_left_after_a_few(command):
    variants = [{"max_turns": 6 + more} for more in range(MOST_FAULTS + 5)]
    found = findings(command("stays"), 60.0, variants)
    assert sum(each.fault is not None for each in found) == MOST_FAULTS


# ---- The command


def test_the_report_of_a_good_bot(command, capsys):
    assert main(["bot", "--check", command("names"), "muster", "-o", "max_turns=4"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("ok     ") for line in lines[:-1])
    assert lines[-1] == "all 10 checks passed: the bot plays muster_v0"


def test_the_report_of_a_bad_bot(command, capsys):
    assert main(["bot", "--check", command("proud"), "muster", "-o", "max_turns=4"]) == 2
    captured = capsys.readouterr()
    assert "fault  answers again after `refused`: ended: it ended with exit code 1" in captured.out
    assert "       its standard error: RuntimeError: I am never wrong\n" in captured.out
    assert "       what to do: give it the lines" in captured.out
    assert "bot: 1 of 5 checks found a fault" in captured.err
    assert captured.err.endswith("; 5 more were not made\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--check", "no_such_program", "muster"], "there is no program 'no_such_program'"),
        (["--check", "'", "muster"], "no closing quotation"),
        (["--check", "true", "muster", "random"], "'random' is one too many"),
        (["--check", "true", "muster", "-o", "turns=3"], "unknown option 'turns'"),
    ],
    ids=lambda each: str(each)[:30],
)
def test_bad_input_is_refused(arguments, message, capsys):
    assert main(["bot", *arguments]) == 2
    assert message in capsys.readouterr().err
