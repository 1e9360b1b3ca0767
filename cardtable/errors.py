"""The errors users meet. Each is a `ValueError`, names the offending value, what is allowed, and where.

Whatever raises one of these leaves its object as it was.
"""


class CardtableError(ValueError):
    """Base of every error that cardtable raises for bad input."""


class UnknownGame(CardtableError):
    """No installed game has that name, or the one that has it cannot be loaded."""


class OptionError(CardtableError):
    """An option is unknown, has a wrong value, or clashes with another."""


class UnknownOption(OptionError, TypeError):
    """Unknown option or render mode: also a `TypeError`, as for any unexpected keyword argument."""


class EditionError(OptionError):
    """An edition of a game's cards cannot be read, or is not one that the game can be played with."""


class DealError(CardtableError):
    """An injected deal is not one that the game could be dealt."""


class IllegalAction(CardtableError):
    """The action is not one that the player to act may take now."""

    lane: int | None = None
    """Of many games side by side, the one that the action was meant for."""


class ResetNeeded(CardtableError, RuntimeError):
    """No game is in progress: call `reset()` first."""


class Busy(CardtableError, RuntimeError):
    """Another thread is in the middle of a call to the same batch, table or environment."""


class StateError(CardtableError):
    """A saved state is damaged, of another game, or not a position of the game."""


class ReplayError(CardtableError):
    """A replay is damaged, of another version, or diverges from the game."""


class AgentError(CardtableError):
    """No agent has that name, its argument is wrong, it cannot play the game, or it played an illegal action."""
