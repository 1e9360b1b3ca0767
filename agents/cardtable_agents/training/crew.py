"""Threads that do the same at the same time, each with a worker of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Worker = TypeVar("Worker")
Result = TypeVar("Result")


class Crew(Generic[Worker]):
    """Workers with a thread each; a single one works in the thread that asks."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self.workers = tuple(workers)
        self._threads = ThreadPoolExecutor(len(workers), "learner") if len(workers) > 1 else None

    def __len__(self) -> int:
        return len(self.workers)

    def run(self, work: Callable[[Worker], Result]) -> list[Result]:
        """Have every worker do something, and wait for all of them; the result of each, in order."""
        if self._threads is None:
            return [work(worker) for worker in self.workers]
        return list(self._threads.map(work, self.workers))

    def close(self) -> None:
        """Let the threads go."""
        if self._threads is not None:
            self._threads.shutdown()
