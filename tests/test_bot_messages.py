"""The messages of the bot protocol: what cannot be taken is told, whatever is in a line."""

import json
import random

import pytest

from cardtable.bots import messages
from cardtable.bots.faults import MISSING, NOT_AN_ANSWER, NOT_JSON, NOT_LEGAL, UNKNOWN_ACTION, Fault
from cardtable.bots.messages import Answer, Info, decode, encode, read_answers, read_info, read_ready
from cardtable.game.registry import find
from cardtable.players.agent import Clocks

GAME = find("muster")
ACTIONS = GAME.actions
LEGAL = [0, 2, 5]
ONE = [messages.entry(7, 0, 3, ACTIONS, LEGAL, {"move": 1.0, "game": None})]
TWO = [*ONE, messages.entry(8, 0, 4, ACTIONS, LEGAL, {"move": 1.0, "game": None})]


def test_messages_are_lines():
    for message in (
        messages.hello(GAME, GAME.parse_options({}), Clocks(2.5)),
        messages.start(1, 0, {"hand": "é"}),
        messages.ask(TWO),
        messages.refused(TWO, {7: Fault(MISSING, "no"), 8: Fault(NOT_LEGAL, "not now")}),
        messages.end(1, "terminated", [1.0], [1.0], []),
        messages.leave(),
        messages.ready("bot", "1", ["view"], 64),
        messages.answers({7: 0, 8: "x"}),
    ):
        line = encode(message)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert decode(line.removesuffix(b"\n")) == json.loads(line) == message


@pytest.mark.parametrize(
    ("given", "action"),
    [
        ({"action": 2}, 2),
        ({"action": ACTIONS.names[5]}, 5),
        ({"action": 2, "game": 7, "more": [1], "type": "answer"}, 2),
        ({"answers": [{"game": 7, "action": 0}]}, 0),
        ({"answers": [{"game": 99, "action": 0}, {"game": 7, "action": 0}]}, 0),
    ],
)
def test_answers_to_one_question(given, action):
    assert read_answers(given, ONE, ACTIONS) == ({7: Answer(action)}, {})


def test_answers_to_several_questions_come_in_any_order_and_the_right_ones_count():
    given = {"answers": [{"game": 8, "action": 2}, {"game": 7, "action": 1}]}
    answers, faults = read_answers(given, TWO, ACTIONS)
    assert answers == {8: Answer(2)}
    assert {game: fault.reason for game, fault in faults.items()} == {7: NOT_LEGAL}


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"action": 1}, NOT_LEGAL),
        ({"action": ACTIONS.names[1]}, NOT_LEGAL),
        ({"action": "castle"}, UNKNOWN_ACTION),
        ({"action": -1}, UNKNOWN_ACTION),
        ({"action": 10**30}, UNKNOWN_ACTION),
        ({"action": 2.0}, NOT_AN_ANSWER),
        ({"action": True}, NOT_AN_ANSWER),
        ({"action": None}, NOT_AN_ANSWER),
        ({"action": [2]}, NOT_AN_ANSWER),
        ({"action": 2, "game": 6}, MISSING),
        ({"answers": []}, MISSING),
        ({"answers": [{"game": 7}]}, NOT_AN_ANSWER),
        ({"answers": [{"game": 7, "action": 2}] * 2}, NOT_AN_ANSWER),
    ],
)
def test_answers_that_cannot_be_played(given, reason):
    answers, faults = read_answers(given, ONE, ACTIONS)
    assert answers == {}
    assert faults[7].reason == reason


@pytest.mark.parametrize("given", [{}, {"answers": 3}, {"answers": None}, {"type": "ready"}])
def test_objects_that_are_no_answers(given):
    with pytest.raises(Fault, match="expected") as caught:
        read_answers(given, ONE, ACTIONS)
    assert caught.value.reason == NOT_AN_ANSWER
    with pytest.raises(Fault, match="answers"):
        read_answers({"action": 2}, TWO, ACTIONS)


@pytest.mark.parametrize(
    "line", [b"", b"x", b"\xff", b'{"a": NaN}', b"[" * 10**5, b'{"a":' * 10**5, b"{" + b"1" * 10**5, b'{"a": 1} {}', b"\0"]
)
def test_lines_that_are_no_json(line):
    with pytest.raises(Fault) as caught:
        decode(line)
    assert caught.value.reason == NOT_JSON


@pytest.mark.parametrize("line", [b"3", b"[]", b"null", b'"text"', b"true"])
def test_json_that_is_no_message(line):
    with pytest.raises(Fault, match="expected an object") as caught:
        decode(line)
    assert caught.value.reason == NOT_AN_ANSWER


def test_ready_says_what_a_bot_wants():
    assert read_ready({"type": "ready", "protocol": 1}) == messages.Ready()
    given = {"type": "ready", "protocol": 1, "name": "a\nb", "wants": ["events", "view", "view"], "games": 1024, "more": 1}
    assert read_ready(given) == messages.Ready("a\\nb", "", ("view", "events"), 1024)


def test_info_is_kept_as_far_as_it_can_be_shown():
    name = ACTIONS.names[3]
    info, wrong = read_info({"value": -1, "moves": {name: 0.5}, "text": "\x1b[2J" + "x" * 10_000}, ACTIONS)
    assert (info.value, info.moves, wrong) == (-1, {name: 0.5}, [])
    assert len(info.text) <= messages.LONGEST_TEXT
    assert info.text.isprintable()
    for bad in (
        {"value": 2},
        {"value": "1"},
        {"value": True},
        {"moves": {"castle": 1}},
        {"moves": {name: 2}},
        {"text": 3},
        [],
        3,
    ):
        info, wrong = read_info(bad, ACTIONS)
        assert info == Info()
        assert len(wrong) == 1
    assert read_info({"value": float("inf"), "text": "x"}, ACTIONS)[0] == Info(text="x")


def test_random_objects_are_answers_or_faults():
    """Nothing but a `Fault` is ever raised, and what is accepted is legal."""
    generator, accepted, cases = random.Random(1), 0, 5_000

    def anything(depth=0):
        simple = [None, True, 0, 2, 7, 8, -1, 1e300, 10**50, "", "action", ACTIONS.names[2], "\ud800", 2.0]
        if depth > 3 or generator.random() < 0.5:
            return generator.choice(simple)
        if generator.random() < 0.4:
            return [anything(depth + 1) for _ in range(generator.randrange(4))]
        keys = ["action", "answers", "game", "info", "value", "moves", "text", "x"]
        return {generator.choice(keys): anything(depth + 1) for _ in range(generator.randrange(5))}

    for _ in range(cases):
        given = {"answers": [{"game": generator.choice([7, 8]), "action": anything(2), "info": anything(1)}]}
        if generator.random() < 0.5:
            given = {generator.choice(["action", "answers", "game"]): anything(), "action": anything(3)}
        try:
            answers, faults = read_answers(given, generator.choice([ONE, TWO]), ACTIONS)
        except Fault:
            continue
        accepted += len(answers)
        assert all(answer.action in LEGAL for answer in answers.values())
        assert all(str(fault).isprintable() for fault in faults.values())
    assert accepted > 100
