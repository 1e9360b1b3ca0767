"""The tools of `cardtable mcp`, by the official SDK: what a language model reads of them is here.

Every tool runs in a thread of its own, so an agent that thinks holds up its own game alone. What is wrong with a call is
answered as the tool's error, in our words; nothing has changed then.
"""

import dataclasses
from collections.abc import Callable, Sequence
from functools import wraps
from importlib import resources
from typing import Annotated, Any, Literal, ParamSpec

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field

from cardtable.cli.terminal import ADVISOR
from cardtable.errors import CardtableError, UnknownGame
from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.mcp.games import Games, Position, Result
from cardtable.players import roster
from cardtable.prompt import rules_in_brief
from cardtable.support import notices
from cardtable.version import __version__

Args = ParamSpec("Args")

INSTRUCTIONS = """Card games with hidden cards, against agents. Call list_games and rules, then start_game: its answer shows \
the table as your seat sees it and names the legal actions. Call play with one of these names, exactly as it is written; the \
answer shows what came of it, what the others did, and your next decision, until the game is over."""

GameName = Annotated[str, Field(description="a game, such as `muster`; list_games names them")]
GameId = Annotated[str, Field(description="the id that start_game gave, such as `muster-1`")]
Seat = Annotated[int, Field(strict=True)]
YourSeat = Annotated[Seat | None, Field(description="which of your seats, from 0; may be left out if you have one")]


@dataclasses.dataclass(frozen=True)
class Option:
    """An option of a game."""

    name: str
    default: Any
    meaning: str


@dataclasses.dataclass(frozen=True)
class Listed:
    """An installed game."""

    name: str
    title: str
    options: list[Option]


@dataclasses.dataclass(frozen=True)
class GameList:
    """The installed games."""

    games: list[Listed]


@dataclasses.dataclass(frozen=True)
class Names:
    """Names, one after another."""

    names: list[str]


@dataclasses.dataclass(frozen=True)
class Text:
    """A text."""

    text: str


@dataclasses.dataclass(frozen=True)
class Advice:
    """What an agent would play."""

    action: str
    agent: str


ListedGames = Annotated[CallToolResult, GameList]
NamesAnswer = Annotated[CallToolResult, Names]
TextAnswer = Annotated[CallToolResult, Text]
AdviceAnswer = Annotated[CallToolResult, Advice]
PositionAnswer = Annotated[CallToolResult, Position]
ResultAnswer = Annotated[CallToolResult, Result]


def answer(text: str, data: Any) -> CallToolResult:  # noqa: ANN401  # one of the dataclasses
    """A text for the model, and the same as data for programs."""
    return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=dataclasses.asdict(data))


class Tools:
    """What a client can call; the docstrings are what it reads of them."""

    def __init__(self, games: Games) -> None:
        self._games = games

    def list_games(self) -> ListedGames:
        """The games that can be played, with their options."""
        games = _installed()
        return answer("\n\n".join(map(_described, games)), GameList([_listed(game) for game in games]))

    def list_agents(self) -> TextAnswer:
        """The agents that you can play against or ask for advice. `search:400` means 400 simulations a move."""
        text = f"{roster.table()}\n\nAfter a colon, {self._games.permissions.allowed_after_colon()}."
        return answer(text, Text(text))

    def rules(
        self,
        game: GameName,
        length: Annotated[Literal["brief", "whole"], Field(description="a few sentences, or every clause")] = "brief",
    ) -> TextAnswer:
        """The rules of a game, in a few sentences or clause by clause."""
        found = find(game)
        text = rules_in_brief(found) if length == "brief" else _whole_rules(found)
        return answer(text, Text(text))

    def start_game(
        self,
        game: GameName,
        options: Annotated[dict[str, Any] | None, Field(description='options of the game, such as {"num_players": 3}')] = None,
        against: Annotated[
            list[str] | None,
            Field(description="agents at the other seats, in turn (default: heuristic); see list_agents"),
        ] = None,
        seats: Annotated[list[Seat] | None, Field(description="the seats that you play, from 0 (default: [0])")] = None,
        seed: Annotated[Seat | None, Field(description="deals the same cards again (default: new ones)")] = None,
    ) -> PositionAnswer:
        """Deal a new game against agents. The answer names its game_id and your first decision."""
        against = ["heuristic"] if against is None else against
        return _position(self._games.start(game, options, against, [0] if seats is None else seats, seed))

    def open_games(self) -> NamesAnswer:
        """The ids of the games that you have started and not closed."""
        names = self._games.names()
        return answer("\n".join(names) or "none", Names(names))

    def see(self, game_id: GameId, seat: YourSeat = None) -> PositionAnswer:
        """The table as you see it now, what happened since your last decision, and your legal actions."""
        return _position(self._games.see(game_id, seat))

    def legal_actions(self, game_id: GameId) -> NamesAnswer:
        """The names of the actions that you may play now; none if the game is over."""
        names = self._games.see(game_id).legal_actions
        return answer("\n".join(names) or "none: the game is over", Names(names))

    def play(
        self,
        game_id: GameId,
        action: Annotated[str, Field(description="the name of one legal action, exactly as it is listed")],
        seat: YourSeat = None,
    ) -> PositionAnswer:
        """Play one of your legal actions. The others answer at once; the result is what came of it and your next decision."""
        return _position(self._games.play(game_id, action, seat))

    def result(self, game_id: GameId) -> ResultAnswer:
        """Who has won, with scores and returns by seat; while the game goes on, how it would end now."""
        result = self._games.result(game_id)
        return answer(result.text, result)

    def advice(
        self, game_id: GameId, agent: Annotated[str, Field(description="who is asked; list_agents names them")] = ADVISOR
    ) -> AdviceAnswer:
        """What an agent would play in your place, knowing only what you know."""
        action = self._games.advice(game_id, agent)
        return answer(f"{agent} would play: {action}", Advice(action, agent))

    def replay(self, game_id: GameId) -> TextAnswer:
        """A game that is over, with all its cards and moves, as the text of a replay file: `cardtable replay FILE` shows it."""
        text = self._games.replay(game_id)
        return answer(text, Text(text))

    def close_game(self, game_id: GameId) -> TextAnswer:
        """End a game, over or not, and make room for another. The answer is its replay, which tells the hidden cards too."""
        text = self._games.close(game_id)
        return answer(text, Text(text))


CHANGING = ("start_game", "play", "close_game")
"""Tools that change something; the others only look."""


def tools_of(games: Games) -> Sequence[Tool]:
    """All tools over some games, as the SDK takes them."""
    tools = Tools(games)
    return [_tool(getattr(tools, name)) for name, method in vars(Tools).items() if callable(method) and name[0] != "_"]


def make_server(games: Games) -> MCPServer[Any]:
    """A server over some games."""
    return MCPServer(
        "cardtable",
        title="cardtable",
        instructions=INSTRUCTIONS,
        version=__version__,
        tools=[*tools_of(games)],
        log_level="WARNING",
        subscriptions=False,
    )


def _tool(method: Callable[..., CallToolResult]) -> Tool:
    """A tool that refuses arguments it does not know, as it does everything that is wrong with a call."""
    hints = ToolAnnotations(read_only_hint=method.__name__ not in CHANGING, open_world_hint=False)
    tool = Tool.from_function(_answering_errors(method), annotations=hints)
    arguments = tool.fn_metadata.arg_model
    arguments.model_config["extra"] = "forbid"
    arguments.model_rebuild(force=True)
    tool.parameters = arguments.model_json_schema(by_alias=True)
    return tool


def _answering_errors(method: Callable[Args, CallToolResult]) -> Callable[Args, CallToolResult]:
    """What is wrong with a call goes to the model; anything else is our own fault, and goes to the log."""

    @wraps(method)
    def guarded(*args: Args.args, **kwargs: Args.kwargs) -> CallToolResult:
        try:
            return method(*args, **kwargs)
        except CardtableError as error:
            raise ToolError(str(error)) from error

    return guarded


# ---- Answers


def _installed() -> list[Game]:
    """All games that can be loaded; of the others, why not goes to standard error."""
    games = []
    for name in game_ids():
        try:
            games.append(find(name))
        except UnknownGame as error:
            notices.say(str(error))
    return games


def _listed(game: Game) -> Listed:
    return Listed(game.id, game.title, [Option(*row) for row in game.options.table()])


def _described(game: Game) -> str:
    """A game and its options, for the model."""
    options = [f"- {name} (default {default!r}): {meaning}" for name, default, meaning in game.options.table()]
    return "\n".join([f"{game.id}: {game.title}; options:", *options])


def _whole_rules(game: Game) -> str:
    return resources.files(game.package).joinpath("RULES.md").read_text(encoding="utf-8")


def _position(found: Position) -> CallToolResult:
    """The position, and what can be called next."""
    over = f"The game is over: call result(game_id={found.game_id!r})."
    example = f"Your turn: call play(game_id={found.game_id!r}, action=…) with one of these names, exactly as written."
    return answer(f"{found.text}\n\n{example if found.your_turn else over if found.over else ''}".rstrip(), found)
