"""What a position is worth: one evaluation per game, in the module of this package that is named after the game.

Shared kernels call `evaluate`; the type of the record decides which game's kernel that is, as in `cardtable.engine.dispatch`.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import numpy as np
import numpy.typing as npt

from cardtable.engine import dispatch
from cardtable.engine.jit import as_games, kernel
from cardtable.errors import AgentError
from cardtable.game.game import Game
from cardtable.types import Records


@dataclass(frozen=True)
class Evaluation:
    """How positions of one game are evaluated."""

    evaluate: Callable[..., None]
    """(game, weights, values, scratch): write the value of the position for each seat, in [-1, 1], on the scale of the game's
    returns. The game must not be over. Its record is a redealt world, so all of it may be read."""
    weights: Records
    """(1,) record: the numbers that the evaluation is tuned by. Other numbers need no new compilation."""
    scratch: type
    """Declares the record that `evaluate` works in: kernels allocate nothing."""

    def new_weights(self) -> Records:
        """(1,) record: a copy of the weights, for an agent that may change its own."""
        return as_games(self.weights.copy())

    def new_scratch(self) -> Records:
        """(1,) record: scratch for one evaluation at a time."""
        return as_games(np.zeros(1, record_type(self.scratch)))


_REGISTERED: dict[tuple[str, ...], Evaluation] = {}

evaluate = dispatch.by_record_type("evaluate", _REGISTERED)


def games_with_evaluation() -> list[str]:
    """The names, without version, of the games that the package has an evaluation of."""
    found = {module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])}
    return sorted(found - {Path(__file__).stem})


def has_evaluation(game: Game) -> bool:
    """Whether there is an evaluation of this game."""
    return _name(game) in games_with_evaluation()


def find(game: Game) -> Evaluation:
    """The evaluation of a game that has one; `evaluate` takes its records from now on."""
    evaluation = importlib.import_module(f"cardtable_agents.evaluations.{_name(game)}").EVALUATION
    assert isinstance(evaluation, Evaluation)
    _REGISTERED[game.state.dtype.names or ()] = evaluation
    return evaluation


def require(game: Game, agent: str) -> None:
    """Raise `AgentError` if there is no evaluation of this game."""
    if not has_evaluation(game):
        known = ", ".join(games_with_evaluation())
        raise AgentError(f"{agent} cannot play {game.id}: there are evaluations only of {known}")


def _name(game: Game) -> str:
    return game.id.rpartition("_v")[0]


# ---- Records with named fields

Doubles = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


def record_type(fields: type) -> np.dtype:
    """The type of a record with the fields that a class declares.

    A field is a number (`float`), an array (`Annotated[Doubles, 5, 2]` is one of shape (5, 2)), or a record of its own. Kernels
    are handed a record as one pointer: a tuple of as many arrays costs them several times the time of the work done with it.
    """
    hints = get_type_hints(fields, include_extras=True)
    return np.dtype([(name, *_field(hint)) for name, hint in hints.items()], align=True)


def _field(hint: object) -> tuple[Any, ...]:
    if get_origin(hint) is Annotated:
        array, *shape = get_args(hint)
        return {Doubles: np.float64, Longs: np.int64}[array], tuple(shape)
    assert isinstance(hint, type)
    return (np.float64 if hint is float else record_type(hint),)


def new_record(fields: type, **values: object) -> Records:
    """(1,) record with the fields that a class declares and a value for each of them."""
    record = np.zeros(1, record_type(fields))
    assert set(values) == set(record.dtype.names or ()), "every field has a value"
    for name, value in values.items():
        record[name] = value
    return record


def table_of(rows: Mapping[Any, Sequence[float]], kinds: type[IntEnum]) -> Doubles:
    """(k, m): a row of numbers for each of the kinds, in their order."""
    assert set(rows) == set(kinds), "every kind has a row"
    return np.array([rows[kind] for kind in kinds], np.float64)


# ---- What evaluations share


@kernel
def scores_to_values(scores: Doubles, players: int, spread: float) -> None:
    """Replace estimated final scores by values on the scale of returns: what a seat wins, the others lose.

    The chance to win is a softmax of the scores; `spread` is the lead that multiplies the odds by e.
    """
    best, total = -np.inf, 0.0
    for seat in range(players):
        best = max(best, scores[seat])
    for seat in range(players):
        scores[seat] = np.exp((scores[seat] - best) / spread)
        total += scores[seat]
    for seat in range(players):
        scores[seat] = (players * scores[seat] / total - 1) / (players - 1)
