"""Tasks long enough to be worth sending: cut by the time that earlier ones took."""

from collections import deque
from collections.abc import Sequence

from cardtable_agents.arena.plan import Seating
from cardtable_agents.arena.work import Task

TASK_SECONDS = 15.0
"""What a task should take: sending one, and a machine that is lost with it, then cost little."""
LARGEST_TASK = 20_000
"""Games in a task at most: what comes back is held in memory."""
FIRST_DEALS = 2
"""Deals of a line-up that are tried first, to see how long they take."""
TELLING = 1.0
"""Seconds that a trial must take to tell anything; a shorter one is followed by one with `STEP` times the deals."""
STEP = 8


class Cutter:
    """Cuts what is left to play. While it is not known how long games of a line-up take, one task of it is out at a time."""

    def __init__(self, left: Sequence[Task], grain: int = 1) -> None:
        """Tasks begin at multiples of `grain` deals."""
        self._left = deque(left)
        self._grain = grain
        self._number: dict[tuple[Seating, ...], int] = {}
        """Deals of the next task of each line-up."""
        self._known: set[tuple[Seating, ...]] = set()
        self._tried: set[tuple[Seating, ...]] = set()

    def next(self) -> Task | None:
        """A task; None if there is none, or none before more is known."""
        for _ in range(len(self._left)):
            span = self._left[0]
            if span.seatings in self._known or span.seatings not in self._tried:
                return self._cut(self._left.popleft())
            self._left.rotate(-1)
        return None

    def _cut(self, span: Task) -> Task:
        """The beginning of a span; the rest stays."""
        self._tried.add(span.seatings)
        number = self._whole_grains(span, self._number.get(span.seatings, FIRST_DEALS))
        if number < span.number:
            self._left.appendleft(Task(span.seatings, span.first + number, span.number - number))
        return Task(span.seatings, span.first, min(number, span.number))

    def _whole_grains(self, span: Task, number: int) -> int:
        """How many deals to take so that the next task begins at a multiple of the grain."""
        end = -(-(span.first + number) // self._grain) * self._grain
        return end - span.first

    def learn(self, task: Task, seconds: float | None) -> None:
        """A task has taken so long; None if that tells nothing, as kernels had to be loaded first."""
        if seconds is None:
            self._tried.discard(task.seatings)
            return
        most = max(LARGEST_TASK // len(task.seatings), 1)
        if seconds >= TELLING:
            self._known.add(task.seatings)
            self._number[task.seatings] = min(max(round(task.number * TASK_SECONDS / seconds), 1), most)
        elif task.seatings not in self._known:
            self._tried.discard(task.seatings)
            self._number[task.seatings] = min(task.number * STEP, most)
            if task.number >= most:
                self._known.add(task.seatings)
