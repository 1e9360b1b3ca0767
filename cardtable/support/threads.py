"""One thread at a time: `Door` and `one_at_a_time` for what cannot be shared. The first thread continues, others are refused.

Nobody waits: arrays that are overwritten in place would be of no use to the second thread anyway. Kernels run without the GIL,
so two of them on one record would break it.
"""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from cardtable.errors import Busy

Self = TypeVar("Self", bound="HasDoor")
Args = ParamSpec("Args")
Result = TypeVar("Result")
Method = Callable[Concatenate[Self, Args], Result]


class Door:
    """Whether a thread is inside. A copy is another door, and open."""

    __slots__ = ("busy",)

    def __init__(self) -> None:
        self.busy = False

    def __reduce__(self) -> tuple[type["Door"], tuple[()]]:
        return type(self), ()


class HasDoor(Protocol):
    """What one thread at a time may use."""

    door: Door


def busy(thing: object) -> Busy:
    """What a second thread is told."""
    words = "another thread is in the middle of a call; give each thread one of its own, or let them take turns"
    return Busy(f"this {type(thing).__name__} is busy: {words}")


def one_at_a_time(method: Method[Self, Args, Result]) -> Method[Self, Args, Result]:
    """A method of something with a `door`: raises `Busy` while another call is inside."""

    @wraps(method)
    def guarded(self: Self, /, *args: Args.args, **kwargs: Args.kwargs) -> Result:
        door = self.door
        if door.busy:
            raise busy(self)
        door.busy = True  # no thread comes between the question and this: nothing is called
        try:
            return method(self, *args, **kwargs)
        finally:
            door.busy = False

    return guarded
