"""The language-model player, against a local stand-in that answers well, badly, late and not at all."""

import json
import re
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from cardtable_agents.arena.match import Match
from helpers import SALT, VARIANTS, open_table, variant_id

from cardtable.cli.main import main
from cardtable.errors import AgentError
from cardtable.game.registry import find
from cardtable.players import roster
from cardtable.players.views import view_of

EXAMPLE = Path(__file__).resolve().parents[2] / "agents" / "examples" / "language_model.py"


def legal_in(prompt: str) -> list[str]:
    """The legal actions that a prompt names."""
    return re.findall(r"^- (.+)$", prompt.partition("Your legal actions:")[2], flags=re.MULTILINE)


def reply(text: object) -> bytes:
    return json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}]}).encode()


def well(talk):
    return 200, reply(f"Let me think [of this].\nI play [{legal_in(talk[0]['content'])[-1]}].")


def badly_at_first(talk):
    return well(talk) if len(talk) > 1 else (200, reply("I resign."))


ALWAYS_BAD = {
    "not an action": lambda talk: (200, reply("[fly]")),
    "no text": lambda talk: (200, reply(None)),
    "no JSON": lambda talk: (200, b"<html>"),
    "other JSON": lambda talk: (200, b'{"error": "no"}'),
    "a list": lambda talk: (200, b"[]"),
    "deep JSON": lambda talk: (200, b"[" * 100_000),
    "not UTF-8": lambda talk: (200, b"\xff\xfe"),
    "nothing": lambda talk: (200, b""),
    "too much": lambda talk: (200, reply("x" * (1 << 21))),
    "refused": lambda talk: (401, b"who are you"),
    "broken": lambda talk: (500, b"oh"),
    "elsewhere": lambda talk: (302, b""),
}


@contextmanager
def stand_in(behave):
    """A server on a free port of this machine; what it was asked."""
    asked = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append({"path": self.path, "key": self.headers.get("Authorization"), **body})
            answer = behave(body["messages"])
            if answer is None:  # hang up
                self.close_connection = True
                return
            status, content = answer
            self.send_response(status)
            if status == 302:
                self.send_header("Location", "/elsewhere")
            self.end_headers()
            for part in [content] if isinstance(content, bytes) else content:
                self.wfile.write(part)

        def log_message(self, *_):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *_):  # the client has gone
            pass

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def settings(monkeypatch):
    """Sets variables of the example; the others are unset."""
    for name in ("URL", "MODEL", "KEY", "TIMEOUT", "TRIES", "FALLBACK"):
        monkeypatch.delenv(f"LLM_{name}", raising=False)
    roster.load_module(str(EXAMPLE))
    monkeypatch.setenv("LLM_MODEL", "test-model")
    return lambda **values: [monkeypatch.setenv(f"LLM_{name}", str(value)) for name, value in values.items()]


def first_view(game="muster"):
    return view_of(open_table(find(game), {}, 3), SALT)


@pytest.mark.parametrize("game_id", ["muster", "artisans", "murano"])
def test_a_whole_game_with_a_model_that_answers_well(settings, game_id):
    game = find(game_id)
    options = game.parse_options({})
    with stand_in(well) as (url, asked):
        settings(URL=url, KEY="secret", TRIES=1)
        agents = [roster.make_agent(name, game, options) for name in ("llm", "random")]
        (played,) = Match(game, options, agents, seed=1, first=0, number=1, salt=SALT).play()
    assert len(asked) > 10
    assert len(played.actions) > len(asked)
    assert {(each["path"], each["key"], each["model"]) for each in asked} == {
        ("/v1/chat/completions", "Bearer secret", "test-model")
    }


def test_what_is_refused_is_explained_and_asked_again(settings):
    with stand_in(badly_at_first) as (url, asked):
        settings(URL=url)
        (action,) = roster.make_agent("llm:other-model", "muster").act(first_view())
    assert [len(each["messages"]) for each in asked] == [1, 3]
    said, answered = asked[1]["messages"][1:]
    assert said == {"role": "assistant", "content": "I resign."}
    assert "'i resign.' is not the name of an action; allowed: " in answered["content"]
    assert find("muster").actions.names[action] == legal_in(asked[0]["messages"][0]["content"])[-1]
    assert asked[0]["model"] == "other-model"
    assert asked[0]["key"] is None


@pytest.mark.parametrize("behave", ALWAYS_BAD.values(), ids=ALWAYS_BAD)
def test_a_model_that_names_no_action_is_an_agents_error(settings, behave):
    with stand_in(behave) as (url, asked):
        settings(URL=url, TRIES=2, KEY="secret")
        with pytest.raises(AgentError, match="llm: test-model named no legal action in 2 tries; the last time: ") as failed:
            roster.make_agent("llm", "muster").act(first_view())
    assert len(asked) == 2
    assert "secret" not in str(failed.value)
    assert len(str(failed.value)) < 700


def test_a_model_that_hangs_up_is_an_agents_error(settings):
    with stand_in(lambda talk: None) as (url, asked):
        settings(URL=url, TRIES=2)
        with pytest.raises(AgentError, match="no answer: RemoteDisconnected"):
            roster.make_agent("llm", "muster").act(first_view())
    assert len(asked) == 2


def test_a_model_that_is_late_is_an_agents_error(settings):
    given_up = threading.Event()
    with stand_in(lambda talk: given_up.wait(60) and None) as (url, asked):
        settings(URL=url, TRIES=1, TIMEOUT=1)
        with pytest.raises(AgentError, match="no answer: TimeoutError"):
            roster.make_agent("llm", "muster").act(first_view())
        given_up.set()
    assert len(asked) == 1


def test_a_model_that_dribbles_is_an_agents_error(settings):
    """Each byte in time, the whole never."""
    given_up = threading.Event()

    def dribble():
        while not given_up.wait(0.05):
            yield b" "

    with stand_in(lambda talk: (200, dribble())) as (url, _):
        settings(URL=url, TRIES=1, TIMEOUT=1)
        with pytest.raises(AgentError, match="takes too long"):
            roster.make_agent("llm", "muster").act(first_view())
        given_up.set()


def test_nobody_at_the_endpoint_is_an_agents_error(settings):
    with stand_in(well) as (url, _):
        pass
    settings(URL=url, TRIES=2)
    with pytest.raises(AgentError, match="no answer: URLError"):
        roster.make_agent("llm", "muster").act(first_view())


def test_a_fallback_decides_where_the_model_does_not_and_is_counted(settings, capsys):
    with stand_in(ALWAYS_BAD["not an action"]) as (url, _):
        settings(URL=url, TRIES=1, FALLBACK="random")
        agent = roster.make_agent("llm", "muster")
        agent.prepare()
        for number in (1, 2):
            view = first_view()
            (action,) = agent.act(view)
            assert view.mask[0, action]
            assert agent.fallbacks == number
    assert "2 decisions of the fallback so far" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({}, "set LLM_URL"),
        ({"URL": "file:///etc/passwd"}, "set LLM_URL"),
        ({"URL": "http://127.0.0.1:1", "MODEL": ""}, "LLM_MODEL"),
        (
            {"URL": "http://127.0.0.1:1", "TIMEOUT": "soon"},
            "LLM_TIMEOUT='soon': allowed: positive integers",
        ),
        ({"URL": "http://127.0.0.1:1", "TRIES": "0"}, "LLM_TRIES='0'"),
        ({"URL": "http://127.0.0.1:1", "TRIES": "9" * 5000}, "LLM_TRIES='999"),
        ({"URL": "http://127.0.0.1:1", "FALLBACK": "nobody"}, "no agent is called 'nobody'"),
    ],
)
def test_wrong_settings_are_named(settings, values, reason):
    settings(**values)
    with pytest.raises(AgentError, match=re.escape(reason)):
        roster.make_agent("llm", "muster")


def test_games_of_other_models_are_not_mixed(settings):
    settings(URL="http://127.0.0.1:1", KEY="secret")
    prints = {roster.make_agent(name, "muster").fingerprint() for name in ("llm", "llm:a", "llm:b", "llm:a")}
    assert len(prints) == 3
    settings(URL="http://127.0.0.1:2")
    assert roster.make_agent("llm", "muster").fingerprint() not in prints


def test_it_plays_in_the_arena(settings, tmp_path, capsys):
    with stand_in(well) as (url, asked):
        settings(URL=url)
        command = [
            "arena",
            "muster",
            "llm",
            "heuristic",
            "--load",
            str(EXAMPLE),
            "--games",
            "2",
            "--out",
            str(tmp_path / "out"),
        ]
        assert main([*command, "--workers", "1"]) == 0
    assert "llm" in capsys.readouterr().out
    assert asked


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_a_prompt_of_a_redealt_world_is_the_prompt_of_the_game_without_its_story(game_id, options):
    """What an agent is shown is what its seat sees, whatever the hidden cards are: to the letter."""
    table, generator, compared = open_table(find(game_id), dict(options), 3), np.random.default_rng(3), 0
    while not table.ending and compared < 20:
        views = view_of(table, SALT)
        told = re.sub(r"\nWhat happened since.*?\n\n", "\n", table.prompt(), flags=re.DOTALL)
        for seed in (0, compared):
            assert views.world(0, seed).prompt() == told
        assert view_of(table.redeal(table.seat, compared), SALT).world(0, 0).prompt() == told
        compared += 1
        table.play(int(generator.choice(np.flatnonzero(table.mask))))
    print(f"{game_id} {dict(options)}: {compared} prompts compared")
    assert compared >= 10
