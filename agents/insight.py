"""What agents know of a game beyond its rules: how to forget what is hidden, and what a position is worth.

One file per game in `agents/heuristics/`, named like the game, with an `INSIGHT`. Shared kernels call `forget` and `evaluate`;
the record's type decides whose, as in `cardtable.dispatch`.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from agents import heuristics
from agents.roster import AgentError
from cardtable import dispatch
from cardtable.game import Game

ROOM = 128
"""Numbers that an evaluation may write into: kernels allocate nothing."""


@dataclass(frozen=True)
class Insight:
    """Kernels about one game."""

    forget: Callable[..., Any]
    """(game, seat): put all that the seat cannot know into an order that depends on nothing it cannot know."""
    evaluate: Callable[..., Any]
    """(game, weights, out, room): the value of the position for each seat, in [-1, 1], on the scale of the game's returns.

    The record is a redealt world, so all of it may be read. The game goes on. `room` is `ROOM` numbers to work with."""
    weights: np.ndarray
    """float64 (k, m): the numbers that the evaluation weighs its parts with; other ones need no new compilation."""


_REGISTERED: dict[tuple[str, ...], dict[str, Callable[..., Any]]] = {}

forget = dispatch.by_record_type("forget", _REGISTERED)
evaluate = dispatch.by_record_type("evaluate", _REGISTERED)


def games_with_insight() -> list[str]:
    """The names, without version, of the games that the package has an insight into."""
    return sorted(module.name for module in pkgutil.iter_modules(heuristics.__path__))


def has_insight(game: Game) -> bool:
    """Whether there is an evaluation of this game."""
    return _name(game) in games_with_insight()


def find(game: Game) -> Insight:
    """The insight into a game that has one."""
    insight = importlib.import_module(f"agents.heuristics.{_name(game)}").INSIGHT
    assert isinstance(insight, Insight)
    return insight


def load(game: Game) -> None:
    """Make `forget` and `evaluate` known for a game. One without an insight forgets by a redeal and has no evaluation."""
    fields = game.state.dtype.names or ()
    if fields in _REGISTERED:
        return
    if has_insight(game):
        insight = find(game)
        _REGISTERED[fields] = {"forget": insight.forget, "evaluate": insight.evaluate}
    else:
        _REGISTERED[fields] = {"forget": game.kernels["redeal_hidden"]}


def require(game: Game, agent: str) -> None:
    """Raise `AgentError` if there is no evaluation of this game."""
    if not has_insight(game):
        known = ", ".join(games_with_insight())
        raise AgentError(f"{agent} cannot play {game.id}: agents/heuristics/ has an evaluation of {known} only")


def _name(game: Game) -> str:
    return game.id.rpartition("_v")[0]
