"""What a position is worth: one evaluation per game, in the module of this package that is named like the game.

Shared kernels call `evaluate`; the record's type decides whose, as in `cardtable.engine.dispatch`.
"""

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from cardtable.engine import dispatch
from cardtable.errors import AgentError
from cardtable.game.game import Game

ROOM = 128
"""Numbers that an evaluation may write into: kernels allocate nothing."""


@dataclass(frozen=True)
class Evaluation:
    """Kernels about one game."""

    evaluate: Callable[..., Any]
    """(game, weights, out, room): the value of the position for each seat, in [-1, 1], on the scale of the game's returns.

    The record is a redealt world, so all of it may be read. The game goes on. `room` is `ROOM` numbers to work with."""
    weights: np.ndarray
    """float64 (k, m): the numbers that the evaluation weighs its parts with; other ones need no new compilation."""


_REGISTERED: dict[tuple[str, ...], dict[str, Callable[..., Any]]] = {}

evaluate = dispatch.by_record_type("evaluate", _REGISTERED)


def games_with_evaluation() -> list[str]:
    """The names, without version, of the games that the package has an evaluation of."""
    found = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])}
    return sorted(found - {Path(__file__).stem})


def has_evaluation(game: Game) -> bool:
    """Whether there is an evaluation of this game."""
    return _name(game) in games_with_evaluation()


def find(game: Game) -> Evaluation:
    """The evaluation of a game that has one, known to `evaluate` from now on."""
    evaluation = importlib.import_module(f"cardtable_agents.evaluations.{_name(game)}").EVALUATION
    assert isinstance(evaluation, Evaluation)
    _REGISTERED[game.state.dtype.names or ()] = {"evaluate": evaluation.evaluate}
    return evaluation


def require(game: Game, agent: str) -> None:
    """Raise `AgentError` if there is no evaluation of this game."""
    if not has_evaluation(game):
        known = ", ".join(games_with_evaluation())
        raise AgentError(f"{agent} cannot play {game.id}: there is an evaluation of {known} only")


def _name(game: Game) -> str:
    return game.id.rpartition("_v")[0]
