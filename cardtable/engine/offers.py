"""Writing the list of legal actions without branches: those that depend on cards are guessed wrong too often.

Every function takes the list and how many actions stand in it, and returns how many stand in it then.
"""

from cardtable.engine.bits import lowest, without_lowest
from cardtable.engine.jit import helper, unsigned
from cardtable.types import Actions


@helper
def offer(action: int, allowed: bool, actions: Actions, count: int) -> int:
    """Offer an action if it is allowed: it is written in any case, and counted if so."""
    actions[unsigned(count)] = action
    return count + allowed


@helper
def offer_run(first: int, number: int, actions: Actions, count: int) -> int:
    """Offer as many actions from `first` on."""
    for more in range(number):
        actions[unsigned(count + more)] = first + more
    return count + number


@helper
def offer_set(members: int, most: int, ids: Actions, actions: Actions, count: int) -> int:
    """Offer the action of every member of a set that has at most `most`: ids[k] for k."""
    for _ in range(most):
        count = offer(ids[unsigned(lowest(members))], members != 0, actions, count)
        members = without_lowest(members)
    return count


@helper
def offer_members(members: int, first: int, actions: Actions, count: int) -> int:
    """Offer `first` + k for every member k of a set."""
    while members != 0:
        count = offer(first + lowest(members), True, actions, count)
        members = without_lowest(members)
    return count
