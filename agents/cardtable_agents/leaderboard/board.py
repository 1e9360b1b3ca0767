"""A board: who played whom at one game and number of players, and how every game ended; read from a file and written to one.

A file is short: the result of a game is one character, a place in the list of all results. The games of a seating are a text,
deal by deal from 0. What the agents drew follows from the salt, so every game can be played again.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.support import files
from cardtable_agents.arena.contests import Contest, contests_of
from cardtable_agents.arena.plan import Plan, Seating, make_plan
from cardtable_agents.arena.results import Line

FORMAT = "cardtable leaderboard 1"
RESULTS = Path(__file__).parent / "results"
LARGEST_FILE = 1 << 22
"""Bytes; ours have about 20,000."""
SYMBOLS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class Exploited:
    """How a best response did against a player: its share of wins with the 95 % interval, after minutes of training."""

    rate: float
    low: float
    high: float
    minutes: float
    games: int


@dataclass(frozen=True)
class Board:
    """All games of the players of one game and number of players."""

    game: str
    rules: int
    options: dict[str, Any]
    agents: tuple[str, ...]
    fingerprints: tuple[str, ...]
    seed: int
    salt: str
    version: str
    """Of cardtable."""
    date: str
    machine: str
    command: str
    """What makes the board anew."""
    milliseconds: dict[str, float]
    """What each agent took for a move on that machine."""
    scores: dict[str, float]
    """Mean score of each agent."""
    results: tuple[tuple[float, ...], ...]
    """Every way in which games ended: the returns of all seats."""
    games: dict[Seating, str]
    """Seating -> the symbols of the results of its deals, from deal 0."""
    exploited: dict[str, Exploited] = field(default_factory=dict)

    @property
    def players(self) -> int:
        """How many sit at a table."""
        return len(next(iter(self.games)))

    def lines(self) -> list[Line]:
        """The games, as far as the statistics of an arena need them."""
        return [
            {"agents": list(seating), "deal": deal, "returns": list(self.result(symbol)), "scores": [0.0] * len(seating)}
            for seating, symbols in self.games.items()
            for deal, symbol in enumerate(symbols)
        ]

    def result(self, symbol: str) -> tuple[float, ...]:
        """The returns that a symbol stands for."""
        return self.results[SYMBOLS.index(symbol)]

    def contests(self) -> list[Contest]:
        """Who was compared with whom, game by game; alone, by returns."""
        return contests_of(self.lines())

    def plan(self) -> Plan:
        """What would be played now by agents of these names."""
        return make_plan(self.game, self.options, self.agents, self.seed)


def packed(lines: Iterable[Line]) -> tuple[tuple[tuple[float, ...], ...], dict[Seating, str]]:
    """The results that occur, and the symbols of each seating's games; every seating has all deals from 0 on."""
    by_seating: dict[Seating, dict[int, tuple[float, ...]]] = {}
    for line in lines:
        by_seating.setdefault(tuple(line["agents"]), {})[line["deal"]] = tuple(line["returns"])
    results = sorted({returns for deals in by_seating.values() for returns in deals.values()})
    if len(results) > len(SYMBOLS):
        raise AgentError(f"{len(results)} different results: a leaderboard has {len(SYMBOLS)} symbols")
    symbol = dict(zip(results, SYMBOLS, strict=False))
    games = {
        seating: "".join(symbol[deals[deal]] for deal in range(len(deals))) for seating, deals in sorted(by_seating.items())
    }
    return tuple(results), games


# ---- Files


def path_of(game: Game, players: int) -> Path:
    """Where the board of a game and number of players is."""
    return RESULTS / f"{game.id}-{players}.json"


def published(game: Game) -> list[Board]:
    """The boards of a game that come with the package, by number of players."""
    return [read(path) for path in sorted(RESULTS.glob(f"{game.id}-*.json"))]


def as_text(board: Board) -> str:
    """A board as JSON, a line for each fact and each seating."""
    plain = {"format": FORMAT, **asdict(board)}
    plain["games"] = [[list(seating), symbols] for seating, symbols in board.games.items()]
    games = ",\n".join(json.dumps(each) for each in plain.pop("games"))
    facts = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in plain.items())
    return "{\n" + facts + f',\n"games": [\n{games}\n]\n}}\n'


def read(path: Path) -> Board:
    """The board in a file; `AgentError` if it is none."""
    try:
        plain = json.loads(files.read_text(path, LARGEST_FILE))
        if plain.pop("format") != FORMAT:
            raise ValueError("its format is another one")
        return _board(plain)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise AgentError(f"{path}: not a leaderboard, or damaged: {error}") from None


def _board(plain: Mapping[str, Any]) -> Board:
    board = Board(
        **{
            **plain,
            "agents": tuple(plain["agents"]),
            "fingerprints": tuple(plain["fingerprints"]),
            "results": tuple(map(tuple, plain["results"])),
            "games": {tuple(seating): symbols for seating, symbols in plain["games"]},
            "exploited": {agent: Exploited(**each) for agent, each in plain["exploited"].items()},
        }
    )
    _require_sound(board)
    return board


def _require_sound(board: Board) -> None:
    """`ValueError` if games, results and agents do not fit together."""
    known = set(SYMBOLS[: len(board.results)])
    for seating, symbols in board.games.items():
        if not set(seating) <= set(board.agents) or len(seating) != board.players:
            raise ValueError(f"{seating} is not a seating of its agents")
        if not set(symbols) <= known:
            raise ValueError(f"the games of {seating} have results that are not listed")
    if any(len(returns) != board.players for returns in board.results):
        raise ValueError("a result has another number of seats")


def sample(board: Board, deals: int) -> list[tuple[Seating, int]]:
    """(seating, deal) of so many deals of every seating, spread evenly over those that were played."""
    return [(seating, deal) for seating, symbols in board.games.items() for deal in _spread(len(symbols), deals)]


def _spread(length: int, number: int) -> Sequence[int]:
    number = min(number, length)
    return [place * length // number for place in range(number)]
