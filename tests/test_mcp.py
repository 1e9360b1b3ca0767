"""`cardtable mcp`: games over the Model Context Protocol, by the SDK's own client, a real process and its pipes."""

import asyncio
import os
import random
import re
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers import VARIANTS, variant_id

from cardtable.errors import AgentError, Busy, IllegalAction, OptionError
from cardtable.game.registry import find, game_ids
from cardtable.mcp import games as games_module
from cardtable.mcp.games import Games
from cardtable.mcp.permissions import LARGEST_ARGUMENT, Permissions
from cardtable.players import roster
from cardtable.players.agent import Agent
from cardtable.replay import Replay
from cardtable.table import Table

pytest.importorskip("mcp")

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from cardtable.mcp.server import make_server, tools_of

ROOT = Path(__file__).resolve().parent.parent
LONGEST_GAME = 3000
"""Decisions of the client in one game, at most; random play against an agent takes a few hundred."""

TOOLS = {
    "list_games", "list_agents", "rules", "start_game", "open_games", "see", "legal_actions", "play", "result", "advice",
    "replay", "close_game",
}  # fmt: skip


class Player:
    """A client, and what it is told."""

    def __init__(self, client: Client) -> None:
        self.client = client

    async def ask(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The data that a tool answers with."""
        done = await self.client.call_tool(tool, arguments)
        assert not done.is_error, done.content
        assert done.structured_content is not None
        return done.structured_content

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Why a tool refuses a call."""
        done = await self.client.call_tool(tool, arguments)
        assert done.is_error, done.structured_content
        return done.content[0].text

    async def play_out(self, position: dict[str, Any], seed: int) -> dict[str, Any]:
        """Play at random until the game is over."""
        generator = random.Random(seed)
        for _ in range(LONGEST_GAME):
            if position["over"]:
                return position
            assert position["your_turn"]
            action = generator.choice(position["legal_actions"])
            position = await self.ask("play", game_id=position["game_id"], action=action)
        raise AssertionError("the game does not end")


def served(tmp_path: Path, talk: Callable[[Player], Awaitable[None]], *flags: str) -> str:
    """Talk to a server of its own; what it wrote to its standard error."""

    async def run() -> None:
        command = StdioServerParameters(
            command=sys.executable, args=["-m", "cardtable", "mcp", *flags], env=dict(os.environ), cwd=ROOT
        )
        with (tmp_path / "errors").open("w", encoding="utf-8") as errors:
            async with Client(stdio_client(command, errlog=errors), read_timeout_seconds=300) as client:
                await talk(Player(client))

    asyncio.run(run())
    return (tmp_path / "errors").read_text(encoding="utf-8")


# ---- Over stdio


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("muster", {}),
        ("artisans", {"num_players": 3}),
        ("murano", {}),
        ("murano", {"num_players": 1}),
    ],
    ids=["muster", "artisans", "murano", "solo"],
)
def test_a_whole_game_against_heuristic(tmp_path, game, options):
    async def talk(player):
        position = await player.ask("start_game", game=game, options=options, against=["heuristic"])
        assert position["players"] == ["you", *["heuristic"] * (len(position["players"]) - 1)]
        assert "Your legal actions:" in position["text"]
        assert (await player.ask("legal_actions", game_id=position["game_id"]))["names"] == position["legal_actions"]
        assert await player.ask("see", game_id=position["game_id"]) == position
        assert not (await player.ask("result", game_id=position["game_id"]))["over"]
        assert "tells the hidden cards" in await player.refused("replay", game_id=position["game_id"])
        position = await player.play_out(position, seed=1)
        assert position["legal_actions"] == []
        assert "the game is over" in position["text"]
        result = await player.ask("result", game_id=position["game_id"])
        replay = (await player.ask("replay", game_id=position["game_id"]))["text"]
        table = Replay.from_json(replay).verify()
        assert len(table.history) == position["decisions"]
        assert (result["returns"], result["scores"]) == table.result()
        assert result["over"]
        assert "is over" in await player.refused("play", game_id=position["game_id"], action="pass")
        assert "is over" in await player.refused("advice", game_id=position["game_id"])
        assert (await player.ask("close_game", game_id=position["game_id"]))["text"] == replay
        assert (await player.ask("open_games"))["names"] == []

    assert "Traceback" not in served(tmp_path, talk)


def test_several_games_at_once(tmp_path):
    """Interleaved decision by decision, then all at the same time."""

    async def talk(player):
        names = ["muster", "artisans", "murano", "muster"]
        positions = await asyncio.gather(*(player.ask("start_game", game=game) for game in names))
        ids = [position["game_id"] for position in positions]
        assert len({*ids}) == 4
        assert {*(await player.ask("open_games"))["names"]} == {*ids}
        for _ in range(20):
            for number, position in enumerate(positions):
                action = random.Random(number).choice(position["legal_actions"])
                positions[number] = await player.ask("play", game_id=position["game_id"], action=action)
        ended = await asyncio.gather(*(player.play_out(position, seed) for seed, position in enumerate(positions)))
        assert [position["game_id"] for position in ended] == ids
        for position in ended:
            Replay.from_json((await player.ask("replay", game_id=position["game_id"]))["text"]).verify()

    served(tmp_path, talk)


def test_tools_are_described(tmp_path):
    async def talk(player):
        tools = (await player.client.list_tools()).tools
        assert {tool.name for tool in tools} == TOOLS
        for tool in tools:
            assert len(tool.description) > 20
            assert tool.output_schema is not None
            assert all("description" in argument for argument in tool.input_schema["properties"].values()), tool.name
        games = (await player.ask("list_games"))["games"]
        assert [game["name"] for game in games] == game_ids()
        assert "heuristic:N" in (await player.ask("list_agents"))["text"]
        brief = (await player.ask("rules", game="muster"))["text"]
        assert "Wizard" in brief
        assert "MUS-4.6a" in (await player.ask("rules", game="muster", length="whole"))["text"]
        position = await player.ask("start_game", game="muster", seed=3)
        assert (await player.ask("start_game", game="muster", seed=3))["legal_actions"] == position["legal_actions"]
        advice = await player.ask("advice", game_id=position["game_id"], agent="search:20")
        assert advice["action"] in position["legal_actions"]

    served(tmp_path, talk)


WRONG_CALLS = [
    ("rules", {"game": "chess"}, "no game is called 'chess'; installed: artisans_v0"),
    ("rules", {"game": "muster", "length": "long"}, "'brief' or 'whole'"),
    ("start_game", {}, "game\n  Field required"),
    ("start_game", {"game": "chess"}, "no game is called 'chess'"),
    ("start_game", {"game": 7}, "valid string"),
    ("start_game", {"game": "muster", "opts": {}}, "opts\n  Extra inputs are not permitted"),
    ("start_game", {"game": "muster", "options": {"colour": "red"}}, "unknown option 'colour'"),
    ("start_game", {"game": "muster", "options": {"max_turns": "x"}}, "max_turns='x': allowed: integers"),
    ("start_game", {"game": "muster", "options": [1]}, "valid dictionary"),
    ("start_game", {"game": "muster", "seats": [2]}, "seats=[2]: allowed: at least one of 0 to 1"),
    ("start_game", {"game": "muster", "seats": []}, "seats=[]: allowed"),
    ("start_game", {"game": "muster", "seats": [0, 0]}, "each once"),
    ("start_game", {"game": "muster", "seats": [True]}, "valid integer"),
    ("start_game", {"game": "muster", "seed": -1}, "seed"),
    ("start_game", {"game": "muster", "seed": "x"}, "valid integer"),
    ("start_game", {"game": "muster", "against": []}, "no agent is named for seats 1"),
    ("start_game", {"game": "muster", "against": ["random", "random"]}, "2 agents for 1 other seats"),
    ("start_game", {"game": "muster", "against": ["grandmaster"]}, "no agent is called 'grandmaster'"),
    ("start_game", {"game": "muster", "against": ["random:2"]}, "takes nothing after a colon"),
    ("start_game", {"game": "muster", "against": ["heuristic:0"]}, "integers from 1"),
    ("start_game", {"game": "muster", "against": ["search:10001"]}, "integers up to 10,000"),
    ("start_game", {"game": "muster", "against": ["ppo:/etc/passwd"]}, "--allow-agent"),
    ("start_game", {"game": "muster", "against": ["cmd:touch /tmp/here"]}, "--allow-agent"),
    ("start_game", {"game": "murano", "options": {"edition": "/etc/passwd"}}, "--allow-edition"),
    ("start_game", {"game": "artisans", "options": {"edition": {"objects": []}}}, "edition"),
    ("see", {"game_id": "muster-9"}, "no game has the id 'muster-9'; games: muster-1"),
    ("see", {"game_id": "muster-1", "seat": 1}, "seat=1: yours: 0"),
    ("see", {"game_id": "muster-1", "seat": "0"}, "valid integer"),
    ("legal_actions", {"game_id": ""}, "no game has the id ''"),
    ("play", {"game_id": "muster-9", "action": "draw from pile"}, "no game has the id"),
    ("play", {"game_id": "muster-1", "action": "draw from pile"}, "'draw from pile' is not legal now; allowed: "),
    ("play", {"game_id": "muster-1", "action": "fly"}, "'fly' is not the name of an action; allowed: "),
    ("play", {"game_id": "muster-1", "action": 3}, "valid string"),
    ("play", {"game_id": "muster-1", "action": "x" * 200_000}, "characters, allowed"),
    ("play", {"game_id": "muster-1"}, "action\n  Field required"),
    ("play", {"game_id": "muster-1", "action": "fly", "seat": 1}, "seat=1: yours: 0"),
    ("result", {"game_id": "x" * 10_000}, "no game has the id"),
    ("advice", {"game_id": "muster-1", "agent": "nobody"}, "no agent is called 'nobody'"),
    ("advice", {"game_id": "muster-1", "agent": "ppo:/etc/passwd"}, "--allow-agent"),
    ("replay", {"game_id": "muster-1"}, "there is one when the game is over or closed"),
    ("close_game", {"game_id": "muster-9"}, "no game has the id"),
    ("shuffle", {}, "shuffle"),
]


def test_wrong_calls_are_answered_and_change_nothing(tmp_path):
    async def talk(player):
        before = await player.ask("start_game", game="muster", seed=5)
        for tool, arguments, reason in WRONG_CALLS:
            assert reason in await player.refused(tool, **arguments), (tool, arguments)
        assert await player.ask("see", game_id="muster-1") == before
        assert (await player.ask("open_games"))["names"] == ["muster-1"]
        await player.play_out(before, seed=1)

    assert "Traceback" not in served(tmp_path, talk)


def test_what_is_not_the_protocol_does_not_end_the_server(tmp_path):
    """Lines that are no JSON, or no requests: the server answers the request after them."""
    lines = [
        "not json",
        "{}",
        "[1, 2",
        '{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", '
        '"capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}}',
        '{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        '{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "open_games", "arguments": {}}}',
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "cardtable", "mcp"], cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    with process:
        for line in lines:
            process.stdin.write(f"{line}\n")
        process.stdin.flush()
        answers = []
        while not any('"id":2' in answer for answer in answers):
            answers.append(process.stdout.readline())
            assert answers[-1].startswith("{"), answers
        process.stdin.close()
        assert process.wait(60) == 0


def test_what_the_person_who_starts_it_allows(tmp_path):
    edition = ROOT / "murano_env" / "editions" / "reconstruction.toml"
    policy = next((ROOT / "agents" / "cardtable_agents").rglob("muster*.safetensors"))
    (tmp_path / "mine.py").write_text(
        "from cardtable import Agent, register\n\n\n"
        '@register("first", "the first legal action")\n'
        "class First(Agent):\n"
        "    def act(self, views):\n"
        '        print("a stray line")\n'
        "        return views.mask.argmax(axis=1)\n",
        encoding="utf-8",
    )

    async def talk(player):
        position = await player.ask("start_game", game="muster", against=[f"ppo:{policy}"])
        assert position["players"] == ["you", f"ppo:{policy}"]
        assert "--allow-agent" in await player.refused("start_game", game="muster", against=[f"ppo:{edition}"])
        assert "first" in (await player.ask("list_agents"))["text"]
        await player.play_out(await player.ask("start_game", game="muster", against=["first"]), seed=2)

    errors = served(tmp_path, talk, "--load", str(tmp_path / "mine.py"), "--allow-agent", f"ppo:{policy}")
    assert "a stray line" in errors  # standard output is the protocol's


def test_without_the_extra_the_command_says_so(tmp_path):
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp" / "__init__.py").write_text("raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')\n")
    done = subprocess.run(
        [sys.executable, "-m", "cardtable", "mcp"], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 2
    assert "pip install 'cardtable[mcp]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


# ---- In this process


class Stubborn(Agent):
    """Fails as long as it is told to."""

    failing = True

    def act(self, views):
        if Stubborn.failing:
            raise RuntimeError("no answer")
        return views.mask.argmax(axis=1)


@pytest.fixture
def stubborn():
    roster.register("stubborn", "fails at will")(Stubborn)
    Stubborn.failing = True
    yield
    roster._REGISTERED.pop("stubborn")


def test_an_agent_that_fails_is_named_and_may_try_again(stubborn):
    games = Games()
    with pytest.raises(AgentError, match=r"muster-1: player_0 \(stubborn\) could not decide: RuntimeError: no answer"):
        games.start("muster", against=["stubborn"], seats=[1], seed=1)
    with pytest.raises(AgentError, match="after 0 decisions"):
        games.see("muster-1")
    Stubborn.failing = False
    position = games.see("muster-1")
    assert position.your_turn
    Stubborn.failing = True
    lay = next(name for name in position.legal_actions if name.startswith("lay"))  # one draw is due after it
    position = games.play("muster-1", lay)
    with pytest.raises(AgentError, match=f"after {position.decisions + 1} decisions"):  # the move was played, and is not lost
        games.play("muster-1", "draw from pile")
    with pytest.raises(AgentError, match="could not decide"):
        games.play("muster-1", position.legal_actions[0])
    Stubborn.failing = False
    assert games.see("muster-1").decisions > position.decisions + 1
    assert Replay.from_json(games.close("muster-1")).verify().history


def test_an_agent_that_plays_what_is_not_legal_is_refused(stubborn, monkeypatch):
    monkeypatch.setattr(Stubborn, "act", lambda self, views: views.mask.argmin(axis=1))
    games = Games()
    with pytest.raises(AgentError, match="is not legal"):
        games.start("muster", against=["stubborn"], seats=[1], seed=1)
    assert games.names() == ["muster-1"]


def test_a_game_in_which_an_agent_thinks_holds_up_no_other(stubborn, monkeypatch):
    thinking, go_on = threading.Event(), threading.Event()

    def act(self, views):
        thinking.set()
        assert go_on.wait(60)
        return views.mask.argmax(axis=1)

    monkeypatch.setattr(Stubborn, "act", act)
    monkeypatch.setattr(games_module, "PATIENCE", 0.05)
    games, answers = Games(), []
    slow = threading.Thread(target=lambda: answers.append(games.start("muster", against=["stubborn"], seats=[1])))
    slow.start()
    assert thinking.wait(60)
    other = games.start("muster", against=["random"])
    assert games.play(other.game_id, other.legal_actions[0]).decisions
    for call in (games.see, games.close, games.result):
        with pytest.raises(Busy, match="muster-1: an agent is still thinking"):
            call("muster-1")
    go_on.set()
    slow.join(60)
    assert answers[0].your_turn


def test_only_so_many_games_are_kept():
    games = Games(most=2)
    first, second = (games.start("muster", against=["random"]).game_id for _ in range(2))
    with pytest.raises(OptionError, match=f"2 games are kept, allowed: 2: close one first: {first}, {second}"):
        games.start("muster", against=["random"])
    games.close(first)
    third = games.start("muster", against=["random"]).game_id
    assert third not in (first, second)


def test_a_client_may_hold_several_seats():
    games, generator = Games(), random.Random(3)
    position = games.start("artisans", {"num_players": 4}, ["random"], seats=[1, 3], seed=4)
    assert position.players == ["random", "you", "random", "you"]
    moved = set()
    while not position.over:
        assert position.seat == position.to_act
        other = 4 - position.seat
        assert games.see(position.game_id, other).legal_actions == []
        with pytest.raises(IllegalAction, match=f"player_{other} is not to act"):
            games.play(position.game_id, position.legal_actions[0], seat=other)
        moved.add(position.seat)
        position = games.play(position.game_id, generator.choice(position.legal_actions), seat=position.seat)
    assert moved == {1, 3}


def test_all_seats_may_be_the_clients():
    position = Games().start("muster", against=[], seats=[0, 1])
    assert position.players == ["you", "you"]


def test_agents_are_allowed_by_what_follows_their_colon():
    permissions = Permissions(agents=("ppo:mine.safetensors",))
    for name in ("random", "ppo", "search:1", f"search:{LARGEST_ARGUMENT}", "ppo:mine.safetensors", "heuristic:007"):
        permissions.require_agent(name)
    for name in (
        "search:",
        "search:10001",
        "search:-1",
        "search:٣",
        "ppo:other",
        "cmd:ls",
        "x:" + "1" * 9999,
        "ppo:./mine.safetensors",
    ):
        with pytest.raises(AgentError, match="--allow-agent"):
            permissions.require_agent(name)


def test_editions_are_content_or_allowed_files(tmp_path):
    game = find("murano")
    path = str(tmp_path / "edition.toml")
    for options in ({}, {"edition": "reconstruction"}, {"edition": {"creations": []}}):
        Permissions().require_options(game, options)
    Permissions(editions=(path,)).require_options(game, {"edition": path})
    with pytest.raises(OptionError, match="--allow-edition"):
        Permissions().require_options(game, {"edition": path})


@pytest.mark.parametrize(("game_id", "options"), VARIANTS, ids=variant_id)
def test_answers_do_not_depend_on_what_the_seat_cannot_know(game_id, options):
    """Hidden cards drawn anew: the same answers, but for what has happened, which a redealt table does not know."""
    games = Games()
    options = dict(options)
    game, generator, compared = find(game_id), np.random.default_rng(7), 0
    players = game.parse_options(options).num_players
    position = games.start(game_id, options, ["random"], seats=[0], seed=7)
    sitting = games._sittings[position.game_id]
    while not position.over and compared < 60:
        table = sitting.table
        shown = [asdict(games.see(position.game_id)), asdict(games.result(position.game_id))]
        sitting.table = table.redeal(0, int(generator.integers(2**32)))
        redealt = [asdict(games.see(position.game_id)), asdict(games.result(position.game_id))]
        sitting.table = table
        assert without_story(shown) == without_story(redealt)
        compared += 1
        position = games.play(position.game_id, str(generator.choice(position.legal_actions)))
    print(f"{game_id} {options}: {compared} positions of {players} players compared")
    assert compared >= 10


def without_story(answers: list[dict[str, Any]]) -> list[dict[str, Any]]:
    position, result = answers
    text = re.sub(r"\nWhat happened since.*?(\n\n|$)", "\n", position["text"], flags=re.DOTALL)
    return [{**position, "text": text, "decisions": 0}, result]


def test_a_planted_leak_would_be_found(monkeypatch):
    monkeypatch.setattr(Table, "text", lambda table, seat=None, moves=6: str(table.state_dict()))
    with pytest.raises(AssertionError):
        test_answers_do_not_depend_on_what_the_seat_cannot_know("muster_v0", {})


def test_the_page_lists_every_tool():
    page = (ROOT / "docs" / "language_models.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| `(\w+)\([^|]*\)` \| (.+?) \|$", page, flags=re.MULTILINE))
    tools = {tool.name: tool for tool in tools_of(Games())}
    assert set(listed) == set(tools) == TOOLS
    for name, tool in tools.items():
        assert listed[name].rstrip(".") == tool.description.split("\n")[0].rstrip("."), name
        row = next(line for line in page.splitlines() if line.startswith(f"| `{name}("))
        assert re.findall(r"\w+", row.split("`")[1])[1:] == list(tool.parameters["properties"]), name


def test_the_server_says_who_it_is():
    server = make_server(Games())
    assert server.name == "cardtable"
    assert "start_game" in server.instructions
