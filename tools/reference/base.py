"""What the references share: a position as plain data, its choices by name, and how a win is shared."""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

State = dict[str, Any]
Choices = dict[str, Callable[[], None]]
"""Every legal action by name, with what it does."""


class Reference:
    """A game in progress, as plain data in the shape of a readable state. Playing changes that data in place."""

    name = ""
    """The game's name without its version: `muster`."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.players: int = state["num_players"]
        self.after: State = {}
        """The state after the action under way, as the engine has it: where nature's choice is read, and nothing else."""

    def choices(self) -> Choices:
        """What the seat to act may do; empty when the game is over."""
        raise NotImplementedError

    def play(self, action: str, after: State | None = None) -> None:
        """Play a legal action. Where the rules shuffle, `after` says how the cards fell."""
        self.carry_out(self.choices()[action], after)

    def carry_out(self, effect: Callable[[], None], after: State | None = None) -> None:
        """Play an action, given as what it does: one of the values of `choices`."""
        self.after = after or {}
        effect()
        self.state["length"] += 1

    def ending(self) -> str:
        """`ongoing`, `terminated` or `truncated`."""
        raise NotImplementedError

    def scores(self) -> list[int]:
        """The score of each seat as things stand."""
        raise NotImplementedError

    def returns(self, scores: list[int]) -> list[float]:
        """The return of each seat as things stand, given the scores."""
        raise NotImplementedError

    def faults_of_deal(self) -> list[str]:
        """What the set-up of the game has wrong; the position must be the first of a game."""
        raise NotImplementedError

    def faults_of_position(self) -> list[str]:
        """What of the position breaks the rules, however it came about."""
        raise NotImplementedError

    def twist(self, chance: Random) -> bool:
        """Turn a game just dealt into one where rare events are near; False if the reference has no idea how."""
        return False


PLAYERS = ("player_0", "player_1", "player_2", "player_3")


def player(seat: int) -> str:
    """The name of a seat."""
    return PLAYERS[seat]


def seat_of(name: str) -> int:
    """The number of a seat."""
    return PLAYERS.index(name)


def add(heap: dict[str, int], thing: str, number: int = 1) -> None:
    """Put things on a heap that is counted by kind."""
    heap[thing] = heap.get(thing, 0) + number


def remove(heap: dict[str, int], thing: str, number: int = 1) -> None:
    """Take things from a heap; kinds of which nothing is left are not mentioned."""
    left = heap[thing] - number
    assert left >= 0, f"{number} {thing} are not in {heap}"
    if left:
        heap[thing] = left
    else:
        del heap[thing]


def share_the_win(winners: Sequence[int], players: int) -> list[float]:
    """Zero-sum returns in [-1, 1]: the winners share n - 1 equal stakes, less their own."""
    share = (players / len(winners) - 1) / (players - 1)
    return [share if seat in winners else -1 / (players - 1) for seat in range(players)]


def best(keys: Sequence[tuple[int, ...]]) -> list[int]:
    """The seats with the highest key."""
    highest = max(keys)
    return [seat for seat, key in enumerate(keys) if key == highest]
