"""`cardtable mcp`: games over the Model Context Protocol, by the SDK's own client, a real process and its pipes."""

import asyncio
import os
import random
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from cardtable.game.registry import game_ids
from cardtable.mcp.games import Games
from cardtable.replay import Replay

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


# ---- What it says of itself


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
