"""The course of a game as a seat may know it: `Seen`, for agents that want to be told what happened."""

from typing import Protocol

from cardtable.game.events import Event
from cardtable.game.sight import View


class Course(Protocol):
    """One game with its history, such as a `Table`; views and events are those of a seat."""

    @property
    def number(self) -> int:
        """Another one for every game of this process; it says nothing about the deal."""

    @property
    def length(self) -> int:
        """How many decisions have been made."""

    def opening(self, seat: int) -> View:
        """What a seat saw when the game began."""

    def events(self, seat: int, since: int = 0) -> list[Event]:
        """What a seat saw happen, from event number `since` on."""


class Seen:
    """One game in progress as one seat may know it. Nothing is worked out before somebody asks."""

    def __init__(self, course: Course, seat: int) -> None:
        self._course = course
        self.seat = seat

    @property
    def number(self) -> int:
        """Another one for every game of this process; it says nothing about the deal."""
        return self._course.number

    @property
    def length(self) -> int:
        """How many decisions have been made."""
        return self._course.length

    def opening(self) -> View:
        """What the seat saw when the game began."""
        return self._course.opening(self.seat)

    def events(self, since: int = 0) -> list[Event]:
        """What the seat saw happen, from event number `since` on, the deal first."""
        return self._course.events(self.seat, since)
