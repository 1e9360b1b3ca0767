"""Threads that do the same at the same time, each with a worker of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Generic, TypeVar

from cardtable_agents.training.barrier import Barrier, Broken

Worker = TypeVar("Worker")
Result = TypeVar("Result")


class Crew(Generic[Worker]):
    """Workers with a thread each; a single one works in the thread that asks."""

    def __init__(self, workers: Sequence[Worker]) -> None:
        self.workers = tuple(workers)
        self.barrier = Barrier(len(workers))
        """Where workers wait for each other in the middle of what they do."""
        self._error: BaseException | None = None
        """What the first that failed has raised."""
        self._threads = ThreadPoolExecutor(len(workers), "learner") if len(workers) > 1 else None

    def __len__(self) -> int:
        return len(self.workers)

    def run(self, work: Callable[[Worker], Result]) -> list[Result]:
        """Have every worker do something, and wait for all of them; the result of each, in order.

        If one fails, those that wait for it at the barrier end too, and its error is raised.
        """
        self.barrier.begin()
        self._error = None
        if self._threads is None:
            return [work(worker) for worker in self.workers]
        futures = [self._threads.submit(self._guarded, work, worker) for worker in self.workers]
        wait(futures, return_when="FIRST_EXCEPTION")
        if self._error is not None:
            raise self._error
        return [future.result() for future in futures]

    def _guarded(self, work: Callable[[Worker], Result], worker: Worker) -> Result:
        try:
            return work(worker)
        except BaseException as error:
            if self._error is None and not isinstance(error, Broken):
                self._error = error  # before others can end for want of this one
            self.barrier.break_up()
            raise

    def close(self) -> None:
        """Let the threads go; one that waits at the barrier ends."""
        self.barrier.break_up()
        if self._threads is not None:
            self._threads.shutdown()
