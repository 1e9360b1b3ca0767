"""The one check of actions: what an action is, and the message for one that is not legal."""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from cardtable.errors import IllegalAction, OptionError
from cardtable.game.game import ACTION, Game
from cardtable.support.messages import shown
from cardtable.support.plain import is_integer
from cardtable.types import Actions, Mask

Illegal = Literal["raise", "lose"]
"""What an illegal action does to an environment: it raises `IllegalAction` and changes nothing, or it loses the game."""

SHOWN_ACTIONS = 8
"""How many legal actions a refusal names."""


def action_id(game: Game, action: object) -> int:
    """The action as an int, if it is the id of one; `IllegalAction` if it is not."""
    if not is_integer(action):
        raise IllegalAction(f"{game.id}: action {shown(action)} is a {type(action).__name__}, not an integer")
    number = int(action)
    if not 0 <= number < game.actions.size:
        raise IllegalAction(f"{game.id}: action {shown(number)} is not in 0 to {game.actions.size - 1}")
    return number


def action_ids(game: Game, actions: npt.ArrayLike, number: int) -> Actions:
    """The actions, `number` of them, in a private array that nobody can change between the check and the step.

    `IllegalAction` if they are not integers of the right shape.
    """
    try:
        given = np.asarray(actions)
    except (TypeError, ValueError) as error:
        raise IllegalAction(f"{game.id}: actions are not an array of integers: {error}") from None
    if given.shape != (number,) or given.dtype.kind not in "iu":
        raise IllegalAction(
            f"{game.id}: actions have shape {given.shape} and dtype {given.dtype}; expected integers of shape {(number,)}"
        )
    return given.astype(ACTION)


def refusal(game: Game, action: int, mask: Mask, where: str) -> str:
    """Why an action is refused: where it was meant, what would have been legal."""
    if not 0 <= action < game.actions.size:
        return f"{game.id}: {where}: action {action} is not in 0 to {game.actions.size - 1}"
    legal = np.flatnonzero(mask)
    names = ", ".join(game.actions.names[each] for each in legal[:SHOWN_ACTIONS])
    if len(legal) > SHOWN_ACTIONS:
        names += f", … ({len(legal)} in all)"
    said = f"action {action} ({game.actions.names[action]}) is not legal; legal: {names or 'none, the game is over'}"
    return f"{game.id}: {where}: {said}"


def checked_illegal(game: Game, given: object) -> str:
    """What an illegal action is to do, if it is one of the two ways; `OptionError` otherwise."""
    if given not in get_args(Illegal):
        raise OptionError(f"{game.id}: illegal={shown(given)}: allowed: {', '.join(get_args(Illegal))}")
    return str(given)


def forfeit_returns(players: int, seat: int) -> list[float]:
    """The returns of a game that a seat has given up or lost by an illegal action: the others share the win. Alone: -1."""
    others = max(players - 1, 1)
    returns = [(players / others - 1) / others] * players  # as `share_the_win` has it
    returns[seat] = -1 / others
    return returns
