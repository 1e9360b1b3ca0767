"""What accidents and ill will do to files, and what it may cost to find out."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

from cardtable.errors import CardtableError
from tools.attack.tally import Tally

LONGEST_MESSAGE = 1000
"""Characters of an error."""
MOST_SECONDS = 20.0
"""What a case may take, on a busy machine."""
MOST_MEGABYTES = 600
"""What a case may add to the memory that the process has taken so far."""


class Costly(Exception):
    """A case took more time or memory than it may."""


def truncate(content: bytes, chance: Random) -> bytes:
    """The beginning of a file."""
    return content[: chance.randrange(len(content))]


def empty(content: bytes, chance: Random) -> bytes:
    """Nothing, or zeros of the same length: what a loss of power leaves."""
    return b"" if chance.random() < 0.5 else bytes(len(content))


def flip(content: bytes, chance: Random) -> bytes:
    """One to eight bytes changed."""
    spoilt = bytearray(content)
    for _ in range(chance.randint(1, 8)):
        spoilt[chance.randrange(len(spoilt))] ^= chance.randint(1, 255)
    return bytes(spoilt)


def flip_early(content: bytes, chance: Random) -> bytes:
    """One to eight bytes of the first thousand changed, where headers are."""
    return flip(content[:1000], chance) + content[1000:]


def insert(content: bytes, chance: Random) -> bytes:
    """Garbage somewhere."""
    place = chance.randrange(len(content))
    return content[:place] + chance.randbytes(chance.randint(1, 100)) + content[place:]


def blank(content: bytes, chance: Random) -> bytes:
    """A block of zeros, as of a sector that was never written."""
    place = chance.randrange(len(content))
    size = min(512, len(content) - place)
    return content[:place] + bytes(size) + content[place + size :]


def splice(content: bytes, chance: Random) -> bytes:
    """A part twice, or left out."""
    first, second = sorted(chance.sample(range(len(content)), 2))
    return content[:second] + content[first:] if chance.random() < 0.5 else content[:first] + content[second:]


def append(content: bytes, chance: Random) -> bytes:
    """Garbage at the end."""
    return content + chance.randbytes(chance.randint(1, 100))


ACCIDENTS: tuple[Callable[[bytes, Random], bytes], ...] = (
    truncate,
    empty,
    flip,
    flip_early,
    insert,
    blank,
    splice,
    append,
)


def hostile_values() -> list[Any]:
    """Plain data that is nowhere right."""
    deep: list[Any] = []
    for _ in range(500):
        deep = [deep]
    nowhere: list[Any] = [
        None,
        -1,
        0.5,
        10**30,
        float("nan"),
        float("inf"),
        "",
        "x" * 50_000,
        [],
        {},
        deep,
        list(range(20_000)),
    ]
    return [*nowhere, {"x" * 50_000: 1}, [[]], "\0", "\ud800"]


@contextmanager
def bounded() -> Iterator[None]:
    """`Costly` if what happens in here takes too much time or memory."""
    start, before = time.perf_counter(), _megabytes()
    yield
    seconds, megabytes = time.perf_counter() - start, _megabytes() - before
    if seconds > MOST_SECONDS or megabytes > MOST_MEGABYTES:
        raise Costly(f"{seconds:.1f} s, {megabytes} MB")


def _megabytes() -> int:
    """The most memory that this process has had; 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def count_attempt(tally: Tally, case: str, attempt: Callable[[], bool]) -> None:
    """Count how an attempt to use a damaged file ends: refused in a few words, or True: it came to the same."""
    try:
        with bounded():
            same = attempt()
    except CardtableError as error:
        if len(str(error)) < LONGEST_MESSAGE:
            tally.count("refused")
        else:
            tally.fail(f"{case}: a message of {len(str(error)):,} characters")
    except Exception as error:
        tally.fail(f"{case}: {type(error).__name__}: {str(error)[:200]}")
    else:
        if same:
            tally.count("harmless")
        else:
            tally.fail(f"{case}: accepted, but something else")
