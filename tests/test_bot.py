"""`cardtable bot GAME AGENT`: an agent of ours plays through the protocol as it does in process, and says nothing else."""

import json
import subprocess
import sys
from base64 import b64encode
from io import BytesIO

import numpy as np
import pytest
from cardtable_agents.arena.match import Match
from helpers import SALT, VARIANTS, variant_id, views_along_a_game

from cardtable.bots.serving import Served, serve
from cardtable.cli.main import main
from cardtable.errors import AgentError
from cardtable.game.registry import find, game_ids
from cardtable.players.agent import Agent

OFFERS = ["view", "events", "observation", "mask", "key", "record"]


def hello(game, options, /, **changes):
    """What an arena says first."""
    plain = options.to_dict()
    return {
        "type": "hello",
        "protocol": 1,
        "game": game.id,
        "rules": game.rules_version,
        "options": plain,
        "offers": OFFERS,
        **changes,
    }


def ask_of(views, place):
    """The entry of an `ask` for one view, with all that can be wanted."""
    ids = np.flatnonzero(views.mask[place])
    return {
        "game": place + 100,
        "seat": int(views.seat[place]),
        "legal": [views.game.actions.names[each] for each in ids],
        "ids": ids.tolist(),
        "observation": views.observation[place].tolist(),
        "key": str(views.key[place]),
        "record": b64encode(views.game.pack(views.records[place : place + 1])).decode(),
    }


class ThroughProtocol(Agent):
    """An arena's side in a few lines: every view goes through the text of a message."""

    def __init__(self, game, options, name):
        super().__init__(game, options)
        self.served = Served(game, name)
        self.asked = 0
        self.ready = self.say(hello(game, options))

    def say(self, message):
        return json.loads(json.dumps(self.served.answer(json.loads(json.dumps(message)))))

    def act(self, views):
        asks = [ask_of(views, place) for place in range(len(views))]
        wanted = {"game", "seat", "legal", "ids", *self.ready["wants"]}
        answers = self.say({"type": "ask", "asks": [{name: ask[name] for name in wanted} for ask in asks]})["answers"]
        self.asked += len(answers)
        assert [each["game"] for each in answers] == [ask["game"] for ask in asks]
        return np.array([each["action"] for each in answers])


def played(game, options, agents, number):
    """The actions of some games."""
    return [each.actions for each in Match(game, options, agents, seed=4, first=0, number=number, salt=SALT).play()]


def check_equal(game, options, name, number):
    """The agent plays the same games at all seats, in process and through the protocol; how many decisions were compared."""
    seats = game.parse_options(options).num_players
    through = ThroughProtocol(game, game.parse_options(options), name)
    plain = played(game, options, [name] * seats, number)
    assert played(game, options, [through] * seats, number) == plain
    assert through.asked == sum(map(len, plain)) > 0
    return through.asked


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
@pytest.mark.parametrize("name", ["random", "heuristic"])
def test_an_agent_plays_the_same_games_through_the_protocol(name, game_id, options):
    print(check_equal(find(game_id), options, name, number=3), "decisions")


@pytest.mark.parametrize(("game_id", "options"), VARIANTS[::4], ids=variant_id)
def test_a_search_plays_the_same_games_through_the_protocol(game_id, options):
    print(check_equal(find(game_id), options, "search:20", number=1), "decisions")


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_policy_plays_the_same_games_through_the_protocol(game_id, options):
    print(check_equal(find(game_id), options, "ppo", number=2), "decisions")


@pytest.mark.parametrize("game_id", game_ids())
def test_a_bot_in_a_process_of_its_own_plays_the_same_games(game_id):
    """The whole way: `cmd:` in the arena, a process, `cardtable bot` in it."""
    game, number = find(game_id), 3
    bot = f"cmd:'{sys.executable}' -m cardtable bot {game_id} heuristic"
    plain = played(game, {}, ["heuristic"] * 2, number)
    assert played(game, {}, [bot] * 2, number) == plain
    print(sum(map(len, plain)), "decisions")


# ---- Messages that are wrong


MUSTER = find("muster")
OPTIONS = MUSTER.parse_options({})


def lines(*messages):
    return [json.dumps(message).encode() + b"\n" for message in messages]


def said(agent, *messages):
    """All that a bot of Muster writes."""
    output = BytesIO()
    serve(MUSTER, agent, lines(*messages), output)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def an_ask(**changes):
    """A question about the first decision of a game."""
    (views,) = views_along_a_game(MUSTER, steps=1)
    return {"type": "ask", "asks": [{**ask_of(views, 0), **changes}]}


def test_a_bot_answers_hello_asks_and_refusals_and_nothing_else():
    ask = an_ask()
    start = {"type": "start", "game": 100, "seat": 0, "view": {}}
    end = {"type": "end", "game": 100, "ending": "terminated", "scores": [1, 2], "returns": [-1, 1]}
    refused = {**ask, "type": "refused"}
    ready, *answers = said(
        "heuristic", hello(MUSTER, OPTIONS), start, ask, refused, {"type": "news"}, end, {"type": "quit"}, ask
    )
    assert ready["type"] == "ready"
    assert ready["name"] == "heuristic"
    assert set(ready["wants"]) <= set(OFFERS)
    assert len(answers) == 2, "one each to ask and refused, none after quit"
    assert answers[0]["answers"][0]["action"] in ask["asks"][0]["ids"]


def test_an_agent_that_needs_no_records_wants_none():
    assert said("random", hello(MUSTER, OPTIONS))[0]["wants"] == ["observation", "key"]
    assert said("heuristic", hello(MUSTER, OPTIONS))[0]["wants"] == ["observation", "record", "key"]


def test_an_arena_without_keys_leaves_the_agent_to_draw_its_own():
    ask = an_ask()
    del ask["asks"][0]["key"]
    greeting = hello(MUSTER, OPTIONS, offers=["observation"])
    drawn = {said("random", greeting, ask)[1]["answers"][0]["action"] for _ in range(60)}
    assert len(drawn) > 1
    assert drawn <= set(ask["asks"][0]["ids"])


GREETINGS = [
    ({"game": "murano_v0"}, "game is 'murano_v0', this bot plays 'muster_v0'"),
    ({"rules": 99}, "rules is 99, this bot plays 1"),
    ({"protocol": 2}, "protocol is 2, this bot plays 1"),
    ({"protocol": True}, "protocol: True: expected an integer"),
    ({"options": {"players": 3}}, "unknown option 'players'"),
    ({"options": None}, "options: None: expected an object"),
    ({"offers": ["view", "observation"]}, "the agent needs record, the arena offers"),
]


@pytest.mark.parametrize(("changes", "message"), GREETINGS, ids=lambda each: str(each)[:40])
def test_a_game_that_the_bot_does_not_play_is_refused(changes, message):
    with pytest.raises(AgentError, match="bot 'heuristic': line 1 of the arena: ") as error:
        said("heuristic", hello(MUSTER, OPTIONS, **changes))
    assert message in str(error.value)


ASKS = [
    ({"seat": 7}, "seat 7: allowed: 0 to 1"),
    ({"seat": 1}, "seat 1: in the record, seat 0 is to act"),
    ({"ids": [9999]}, "9999 is not in 0 to 545"),
    ({"ids": ["a"]}, "not an integer"),
    ({"observation": [0.5]}, "expected 362 numbers"),
    ({"observation": [None] * 362}, "expected 362 numbers"),
    ({"key": "-1"}, "key '-1': expected a decimal number"),
    ({"key": str(2**64)}, "expected a decimal number"),
    ({"record": "%%%"}, "record '%%%': expected base64"),
    ({"record": "AAAA"}, "the state begins with"),
    ({"game": "x"}, "game: 'x': expected an integer"),
]


@pytest.mark.parametrize(("changes", "message"), ASKS, ids=lambda each: str(each)[:40])
def test_a_question_that_cannot_be_read_is_refused(changes, message):
    with pytest.raises(AgentError, match="line 2 of the arena: ") as error:
        said("heuristic", hello(MUSTER, OPTIONS), an_ask(**changes))
    assert message in str(error.value)


@pytest.mark.parametrize("line", [b"hello\n", b"[]\n", b'{"a": 1}\n', b"\xff\n", b"\n", b"[" * 100_000 + b"\n"], ids=repr)
def test_a_line_that_is_no_message_is_refused(line):
    with pytest.raises(AgentError, match="line 1 of the arena: "):
        serve(MUSTER, "random", [line], BytesIO())


def test_a_question_before_hello_is_refused():
    with pytest.raises(AgentError, match="an `ask` before `hello`"):
        said("random", an_ask())


# ---- The process


def start_bot(*arguments):
    command = [sys.executable, "-m", "cardtable", "bot", *arguments]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run_bot(arguments, given):
    """(exit code, lines of standard output, text of standard error) of a bot that reads this."""
    bot = start_bot(*arguments)
    out, err = bot.communicate(b"".join(given))
    return bot.returncode, out.splitlines(), err.decode()


@pytest.mark.parametrize("last", [[{"type": "quit"}], []], ids=["quit", "end of input"])
def test_a_bot_ends_quietly(last):
    code, out, err = run_bot(["muster", "random"], lines(hello(MUSTER, OPTIONS), an_ask(), *last))
    assert (code, len(out), err) == (0, 2, "")


def test_a_bot_says_on_standard_error_why_it_cannot_play():
    code, out, err = run_bot(["muster", "random"], lines(hello(MUSTER, OPTIONS, game="artisans_v0")))
    assert (code, out) == (2, [])
    assert err == "cardtable: bot 'random': line 1 of the arena: game is 'artisans_v0', this bot plays 'muster_v0'\n"


def test_a_bot_whose_arena_is_gone_ends_quietly():
    with start_bot("muster", "random") as bot:
        bot.stdin.writelines(lines(hello(MUSTER, OPTIONS)))
        bot.stdin.flush()
        assert json.loads(bot.stdout.readline())["type"] == "ready"
        bot.stdout.close()
        bot.stdin.writelines(lines(an_ask()))
        bot.stdin.close()
        assert (bot.wait(), bot.stderr.read()) == (0, b"")


LOUD = """
import os, subprocess
from cardtable import Agent, register
print("loaded")

@register("loud", "prints whatever it does")
class Loud(Agent):
    wants_records = False

    def prepare(self):
        print("prepared")
        subprocess.run(["echo", "a child"])

    def act(self, views):
        os.write(1, b"a library in C\\n")
        print("no newline", end="")
        return views.mask.argmax(axis=1)
"""


def test_nothing_but_the_protocol_is_on_standard_output(tmp_path):
    (tmp_path / "loud.py").write_text(LOUD, encoding="utf-8")
    arguments = ["muster", "loud", "--load", str(tmp_path / "loud.py")]
    code, out, err = run_bot(arguments, lines(hello(MUSTER, OPTIONS), an_ask(), {"type": "quit"}))
    assert code == 0
    assert [sorted(json.loads(line)) for line in out] == [
        ["games", "name", "protocol", "type", "version", "wants"],
        ["answers"],
    ]
    assert all(noise in err for noise in ("loaded", "prepared", "a child", "a library in C", "no newline"))


def test_a_bot_is_named_and_gets_its_options_from_the_arena(capsys):
    assert main(["bot", "muster", "random", "-o", "streamlined=true"]) == 2
    assert "--option goes with --check only" in capsys.readouterr().err
    assert main(["bot", "muster"]) == 2
    assert "no AGENT is named" in capsys.readouterr().err
    assert main(["bot", "muster", "nobody:3"]) == 2  # and does not wait for an arena
    assert "no agent is called 'nobody:3'" in capsys.readouterr().err
